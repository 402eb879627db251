// SPDX-License-Identifier: Apache-2.0
/*
 * Each macro of the headers in C++17, 20 and 23: those that are designated
 * initialisers from C++20 on, which has them.
 */
#include <observable/observable.h>

#include <cstdint>
#include <cstring>

struct address {
    obv_object object;
    const char *zip;
};
#define ADDRESS(P) P(address, zip, string)
OBV_MODEL(address, ADDRESS)

struct user {
    obv_object object;
    std::int32_t age;
    struct address *address;
};
#define USER(P)                                                                \
    P(user, age, i32)                                                          \
    P(user, address, object_of(address))
OBV_ACCESSORS(user, USER)
OBV_TABLE(user, USER)

struct meter {
    obv_object object;
    std::int64_t raw;
    std::size_t total;
    double ratio;
    struct meter *next;
};
enum { METER_RAW, METER_TOTAL, METER_RATIO, METER_NEXT };
OBV_PROPERTY(meter, raw, i64, METER_RAW)
OBV_PROPERTY_ANY_THREAD(meter, total, size, METER_TOTAL)
OBV_COMPUTED(meter, ratio, f64, METER_RATIO)
OBV_PROPERTY(meter, next, object, METER_NEXT)

namespace
{

enum obv_status halve(obv_object *object, const obv_property *, void *result)
{
    double half =
        static_cast<double>(meter_raw(reinterpret_cast<meter *>(object))) / 2;
    std::memcpy(result, &half, sizeof half);
    return OBV_OK;
}

obv_computed computed()
{
    obv_computed made = {};
    made.size = sizeof made;
    made.evaluate = halve;
    return made;
}

const obv_computed ratio = computed();

const obv_property meter_lines[] = {
    OBV_FIELD(meter, raw, i64),
    OBV_FIELD_WITH(meter, total, size, OBV_ANY_THREAD, nullptr),
    OBV_FIELD_COMPUTED(meter, ratio, f64, &ratio),
    OBV_FIELD_OBJECT(meter, next, "meter"),
};

obv_class_table table_of_meter()
{
    obv_class_table made = {};
    made.size = sizeof made;
    made.name = "meter";
    made.instance_size = sizeof(meter);
    made.properties = meter_lines;
    made.property_count = sizeof meter_lines / sizeof *meter_lines;
    return made;
}

void count(void *observer, obv_object *, const obv_call *)
{
    ++*static_cast<int *>(observer);
}

#if __cplusplus >= 202002L
const obv_handler_kind counting = {
    .changed = count, .label = "count", OBV_KIND_HERE};
#else
obv_handler_kind handler()
{
    obv_handler_kind made = {};
    made.changed = count;
    return made;
}
const obv_handler_kind counting = handler();
#endif

const obv_property element = OBV_ELEMENT(object);

#define OF_A_KIND(kind_name, type) type of_##kind_name = 0;
struct numbers {
    OBV_NUMBER_KINDS(OF_A_KIND)
};

} // namespace

int main()
{
    const obv_class_table meter_table = table_of_meter();
    obv_class *classes[3] = {};
    if (obv_class_create(nullptr, &address_table, &classes[0], nullptr) ||
        obv_class_create(nullptr, &user_table, &classes[1], nullptr) ||
        obv_class_create(nullptr, &meter_table, &classes[2], nullptr)) {
        return 1;
    }
    address home = {};
    user someone = {};
    meter one = {};
    numbers none;
    int calls = 0;
    obv_object_init(&home.object, classes[0]);
    obv_object_init(&someone.object, classes[1]);
    obv_object_init(&one.object, classes[2]);
    if (obv_observe(&someone.object, "address.zip", &counting, &calls, nullptr,
                    nullptr) ||
        obv_observe(&one.object, "ratio", &counting, &calls, nullptr,
                    nullptr)) {
        return 1;
    }
    OBV_HERE(user_set_address(&someone, &home));
    OBV_HERE(meter_set_raw(&one, 3));
    meter_set_total(&one, meter_total(&one) + 1);
    meter_set_next(&one, nullptr);
    obv_loop_drain(obv_context_loop(obv_context_default()));
    bool is_right = calls == 2 && meter_ratio(&one) == 1.5 &&
                    user_age(&someone) == 0 && address_zip(&home) == nullptr &&
                    none.of_i32 == 0 && element.kind == OBV_KIND_object;
#if __cplusplus >= 202002L
    is_right = is_right && counting.line != 0 && counting.file;
#endif
    obv_object_deinit(&one.object);
    obv_object_deinit(&someone.object);
    obv_object_deinit(&home.object);
    obv_context_collect(nullptr);
    return is_right ? 0 : 1;
}
