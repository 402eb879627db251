/* SPDX-License-Identifier: Apache-2.0 */
/* `*` stands for every property; one observation may have several paths. It is
   called once a drain, whatever changed. */
#include <observable/observable.h>
#include <stdio.h>

struct point {
    struct obv_object object;
    double x;
    double y;
};
struct shape {
    struct obv_object object;
    struct point *centre;
    int32_t colour;
};
OBV_PROPERTY(point, x, f64, 0)
OBV_PROPERTY(point, y, f64, 1)
OBV_PROPERTY(shape, centre, object, 0)
OBV_PROPERTY(shape, colour, i32, 1)

static const struct obv_property xy[] = {OBV_FIELD(point, x, f64),
                                         OBV_FIELD(point, y, f64)};
static const struct obv_property look[] = {
    OBV_FIELD_OBJECT(shape, centre, "point"), OBV_FIELD(shape, colour, i32)};
static const struct obv_class_table classes[] = {
    {sizeof *classes, "point", sizeof(struct point), NULL, xy, 2, 0, 0},
    {sizeof *classes, "shape", sizeof(struct shape), NULL, look, 2, 0, 0}};

static void redraw(void *calls, struct obv_object *root,
                   const struct obv_call *call)
{
    const struct shape *shape = (struct shape *)root;
    const struct point *centre = shape_centre(shape);
    (void)call;
    ++*(int *)calls;
    printf("colour %d at (%g, %g)\n", (int)shape_colour(shape), point_x(centre),
           point_y(centre));
}
static const struct obv_handler_kind redraw_kind = {.changed = redraw};

int main(void)
{
    struct obv_class *point_class, *shape_class;
    struct point centre = {.x = 1, .y = 2};
    struct shape shape = {0};
    struct obv_loop *loop = obv_context_loop(obv_context_default());
    int calls = 0;
    if (obv_class_create(NULL, &classes[0], &point_class, NULL) != OBV_OK ||
        obv_class_create(NULL, &classes[1], &shape_class, NULL) != OBV_OK) {
        return 1;
    }
    obv_object_init(&centre.object, point_class);
    obv_object_init(&shape.object, shape_class);
    shape_set_centre(&shape, &centre);

    const struct obv_pair pairs[] = {{&shape.object, "*"},
                                     {&shape.object, "centre.*"}};
    if (obv_observe_pairs(pairs, 2, &redraw_kind, &calls, NULL, NULL, NULL) !=
        OBV_OK) {
        return 1;
    }
    point_set_x(&centre, 10);
    point_set_y(&centre, 20);
    shape_set_colour(&shape, 7);
    obv_loop_drain(loop); /* one call for three changes */
    point_set_x(&centre, 10);
    obv_loop_drain(loop); /* none: setting an equal value is no change */

    obv_object_deinit(&shape.object);
    obv_object_deinit(&centre.object);
    return calls == 1 ? 0 : 1;
}
