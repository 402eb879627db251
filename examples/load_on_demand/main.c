/* SPDX-License-Identifier: Apache-2.0 */
/* An object is told when somebody begins to look at it, and when nobody does any
   more: a picture is loaded when it is shown, and not before. */
#include <observable/observable.h>
#include <stdio.h>

struct picture {
    struct obv_object object;
    const char *pixels;
    int reasons; /* who looks: at the property, or at all of them */
};
#define PICTURE(P) P(picture, pixels, string)
OBV_ACCESSORS(picture, PICTURE)
OBV_PROPERTIES(picture, PICTURE)

/* 1. Told of each property that becomes observed, and of `*` as one. */
static void look_changed(struct obv_object *object, uint32_t property,
                         bool is_observed)
{
    struct picture *picture = (struct picture *)object;
    if (property != picture_property_pixels && property != OBV_EVERY_PROPERTY) {
        return;
    }
    picture->reasons += is_observed ? 1 : -1;
    if (is_observed && picture->reasons == 1) {
        puts("  loading");
        if (picture_set_pixels(picture, "a cat")) {
            puts("  no memory");
        }
    } else if (picture->reasons == 0) {
        puts("  letting go");
        if (picture_set_pixels(picture, NULL)) {
            puts("  no memory");
        }
    }
}

static const struct obv_class_table picture_table = {
    .size = sizeof picture_table,
    .name = "picture",
    .instance_size = sizeof(struct picture),
    .properties = picture_properties,
    .property_count = picture_properties_count,
    .observed_changed = look_changed};

struct frame {
    struct obv_object object;
    struct picture *picture;
};
#define FRAME(P) P(frame, picture, object_of(picture))
OBV_MODEL(frame, FRAME)

static void show_pixels(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    const struct picture *picture = frame_picture((const struct frame *)root);
    (void)observer;
    (void)call;
    printf("  the frame shows %s\n", picture && picture_pixels(picture)
                                         ? picture_pixels(picture)
                                         : "nothing");
}
static const struct obv_handler_kind show = {.changed = show_pixels};

static void deliver(void)
{
    obv_loop_drain(obv_context_loop(NULL));
}

int main(void)
{
    struct obv_class *picture_class, *frame_class;
    struct picture picture = {.pixels = NULL};
    struct frame frame = {.picture = NULL};
    struct obv_observation *handle;
    if (obv_class_create(NULL, &picture_table, &picture_class, NULL) ||
        obv_class_create(NULL, &frame_table, &frame_class, NULL)) {
        return 1;
    }
    obv_object_init(&picture.object, picture_class);
    obv_object_init(&frame.object, frame_class);

    /* 2. A picture that nobody looks at is not loaded. */
    puts("somebody looks at the frame");
    if (obv_observe(&frame.object, "picture.pixels", &show, NULL, &handle,
                    NULL)) {
        return 1;
    }
    deliver();

    /* 3. The path reaches it: now somebody looks. */
    puts("the picture is put into the frame");
    frame_set_picture(&frame, &picture);
    deliver();

    puts("nobody looks any more");
    obv_stop(handle);
    obv_release(handle);
    deliver();

    obv_object_deinit(&frame.object);
    obv_object_deinit(&picture.object);
}
