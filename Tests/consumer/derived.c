/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An outside program with a derived array: numbers in their order.
 */
#include <observable/derived.h>
#include <observable/observable.h>

static int by_number(const void *a, const void *b, void *argument)
{
    uintptr_t left = (uintptr_t) * (void *const *)a;
    uintptr_t right = (uintptr_t) * (void *const *)b;
    (void)argument;
    return (left > right) - (left < right);
}

int main(void)
{
    static const struct obv_collection_kind numbers = {
        .size = sizeof numbers, .name = "numbers", .element = OBV_KIND_pointer};
    static const struct obv_derived_kind in_order = {.size = sizeof in_order,
                                                     .compare = by_number};
    static struct obv_derived_class rows;
    struct obv_class *cls;
    struct obv_array *array;
    struct obv_derived *sorted;
    if (obv_array_class_create(NULL, &numbers, &cls, NULL) != OBV_OK ||
        obv_derived_class_create(NULL, &rows, "rows", OBV_KIND_pointer, NULL) !=
            OBV_OK ||
        obv_array_create(cls, &array, NULL) != OBV_OK ||
        obv_derived_create(&array->container, &in_order, NULL, &rows, &sorted,
                           NULL) != OBV_OK) {
        return 1;
    }
    for (uintptr_t i = 5; i > 0; i--) {
        if (obv_array_append(array, (void *)i) != OBV_OK) {
            return 1;
        }
    }
    bool is_right = obv_derived_count(sorted) == 5 &&
                    obv_derived_at(sorted, 0) == (void *)(uintptr_t)1;
    obv_derived_release(sorted);
    obv_array_release(array);
    return is_right ? 0 : 1;
}
