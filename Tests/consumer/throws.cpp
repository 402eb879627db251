// SPDX-License-Identifier: Apache-2.0
/*
 * An exception that leaves what the library has called ends the program with a
 * message, though somebody would catch it.
 */
#include <observable/observable.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

struct meter {
    obv_object object;
    std::int32_t raw;
    std::int32_t twice;
};
enum { METER_RAW, METER_TWICE };
OBV_PROPERTY(meter, raw, i32, METER_RAW)
OBV_COMPUTED(meter, twice, i32, METER_TWICE)

namespace
{

void changed(void *, obv_object *, const obv_call *)
{
    throw std::runtime_error("a handler");
}

obv_status evaluate(obv_object *, const obv_property *, void *)
{
    throw std::runtime_error("a computed property");
}

void died(void *, const obv_deallocation_notice *)
{
    throw std::runtime_error("a notice");
}

enum what { DELAYED, IMMEDIATE, VALUES, COMPUTED, NOTICE, ALL };

void fail(what what)
{
    static obv_computed twice = {};
    twice.size = sizeof twice;
    twice.evaluate = evaluate;
    static const obv_property lines[] = {
        OBV_FIELD(meter, raw, i32),
        OBV_FIELD_COMPUTED(meter, twice, i32, &twice),
    };
    static obv_class_table table = {};
    table.size = sizeof table;
    table.name = "meter";
    table.instance_size = sizeof(meter);
    table.properties = lines;
    table.property_count = 2;
    static obv_handler_kind kind = {};
    kind.changed = changed;
    kind.root_did_deallocate = what == NOTICE ? died : nullptr;
    obv_class *meter_class = nullptr;
    meter one = {};
    obv_observe_options options = {};
    const obv_pair pair = {&one.object, "raw"};
    options.size = sizeof options;
    options.flags = what == IMMEDIATE || what == NOTICE ? OBV_IMMEDIATE
                    : what == VALUES                    ? OBV_VALUES
                                                        : 0;
    if (obv_class_create(nullptr, &table, &meter_class, nullptr)) {
        return;
    }
    obv_object_init(&one.object, meter_class);
    if (obv_observe_pairs(&pair, 1, &kind, nullptr, &options, nullptr,
                          nullptr)) {
        return;
    }
    if (what == COMPUTED) {
        (void)meter_twice(&one);
    } else if (what == NOTICE) {
        obv_object_deinit(&one.object);
    } else {
        meter_set_raw(&one, 1);
        obv_loop_drain(obv_context_loop(nullptr));
    }
}

bool ends_with_a_message(what what)
{
    int said[2];
    char text[256] = "";
    if (pipe(said) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(said[1], STDERR_FILENO);
        try {
            fail(what);
        } catch (const std::exception &) {
        }
        _exit(0);
    }
    int status = 0;
    close(said[1]);
    bool ended = child > 0 && waitpid(child, &status, 0) == child &&
                 WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    bool has_said = read(said[0], text, sizeof text - 1) > 0 &&
                    std::strstr(text, "observable: an exception leaves");
    close(said[0]);
    return ended && has_said;
}

} // namespace

int main()
{
    int failed = 0;
    for (int i = 0; i < ALL; i++) {
        if (!ends_with_a_message(static_cast<what>(i))) {
            std::printf("%d went on\n", i);
            failed = 1;
        }
    }
    return failed;
}
