/* SPDX-License-Identifier: Apache-2.0 */
/* Where is the parcel? Where its van is, or nowhere. One path follows it. */
#include <observable/observable.h>
#include <stdio.h>

/* 1. A parcel, which may have a van, which is in a city. */
struct van {
    struct obv_object object;
    const char *city;
};
struct parcel {
    struct obv_object object;
    struct van *van;
};
#define VAN(P)    P(van, city, string)
#define PARCEL(P) P(parcel, van, object)
OBV_MODEL(van, VAN)
OBV_MODEL(parcel, PARCEL)

static void show_city(void *name, struct obv_object *root,
                      const struct obv_call *call)
{
    const struct van *van = parcel_van((struct parcel *)root);
    (void)call;
    printf("  the %s: %s\n", (char *)name, van ? van_city(van) : "nowhere");
}
static const struct obv_handler_kind show = {.changed = show_city};

static void deliver(const char *what_has_happened)
{
    puts(what_has_happened);
    obv_loop_drain(obv_context_loop(NULL));
}

int main(void)
{
    struct obv_class *van_class, *parcel_class;
    if (obv_class_create(NULL, &van_table, &van_class, NULL) ||
        obv_class_create(NULL, &parcel_table, &parcel_class, NULL)) {
        return 1;
    }
    struct van first = {0}, second = {0};
    struct parcel parcel = {0};
    obv_object_init(&first.object, van_class);
    obv_object_init(&second.object, van_class);
    obv_object_init(&parcel.object, parcel_class);
    van_set_city(&first, "Hamburg");
    van_set_city(&second, "Bremen");

    /* 2. Observe while there is no van. */
    if (obv_observe(&parcel.object, "van.city", &show, "parcel", NULL, NULL)) {
        return 1;
    }

    /* 3. The rest of the path attaches when a van comes. */
    parcel_set_van(&parcel, &first); /* a change: there was none */
    deliver("a van in Hamburg takes it");
    van_set_city(&first, "Bremen"); /* a change: the value itself */
    deliver("the van drives to Bremen");
    parcel_set_van(&parcel, &second); /* none: the same value at the end */
    deliver("another van in Bremen takes over");
    van_set_city(&first, "Kiel"); /* none: the path leads there no more */
    deliver("the first van drives to Kiel");
    parcel_set_van(&parcel, NULL); /* a change: nowhere */
    deliver("it is unloaded");

    obv_object_deinit(&parcel.object);
    obv_object_deinit(&first.object);
    obv_object_deinit(&second.object);
}
