// SPDX-License-Identifier: Apache-2.0
/*
 * The same outside in C++17: the macros and tables in a class's company.
 */
#include <observable/observable.h>

#include <iostream>

enum class mode : std::uint8_t { off, on = 200 };

struct counter {
    obv_object object;
    std::int32_t value;
    double ratio;
    mode state;
    std::size_t total;
};

OBV_PROPERTY(counter, value, i32, 0)
OBV_PROPERTY(counter, ratio, f64, 1)
OBV_PROPERTY(counter, state, enum, 2)
OBV_PROPERTY_ANY_THREAD(counter, total, size, 3)

namespace
{

const obv_property properties[] = {
    OBV_FIELD(counter, value, i32),
    OBV_FIELD(counter, ratio, f64),
    OBV_FIELD(counter, state, enum),
    OBV_FIELD_WITH(counter, total, size, OBV_ANY_THREAD, nullptr),
};

obv_class_table table()
{
    obv_class_table made = {};
    made.size = sizeof made;
    made.name = "counter";
    made.instance_size = sizeof(counter);
    made.properties = properties;
    made.property_count = 4;
    return made;
}

void changed(void *observer, obv_object *, const obv_call *)
{
    ++*static_cast<int *>(observer);
}

obv_handler_kind handler()
{
    obv_handler_kind made = {};
    made.changed = changed;
    return made;
}

} // namespace

int main()
{
    static const obv_class_table counter_table = table();
    static const obv_handler_kind counting = handler();
    obv_class *counter_class = nullptr;
    counter model = {};
    int calls = 0;
    if (obv_class_create(nullptr, &counter_table, &counter_class, nullptr)) {
        return 1;
    }
    obv_object_init(&model.object, counter_class);
    if (obv_observe(&model.object, "*", &counting, &calls, nullptr, nullptr)) {
        return 1;
    }
    counter_set_value(&model, 1);
    counter_set_value(&model, 2);
    counter_set_ratio(&model, 0.5);
    counter_set_state(&model, mode::on);
    counter_set_total(&model, counter_total(&model) + 1);
    std::int64_t state = 0;
    if (obv_get_enum(&model.object, 2, &state) || state != 200 ||
        counter_state(&model) != mode::on) {
        return 1;
    }
    obv_loop_drain(obv_context_loop(obv_context_default()));
    obv_object_deinit(&model.object);
    std::cout << calls << " call\n";
    return calls == 1 ? 0 : 1;
}
