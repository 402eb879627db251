// SPDX-License-Identifier: Apache-2.0
/*
 * The path parser beside a naive split at the dots into a vector of strings,
 * which checks nothing, knows no escapes and compares by text.
 */
#include "harness.h"

#include <observable/path.h>

#include <cstring>
#include <string>
#include <vector>

namespace bench
{

namespace
{

const char short_path[] = "address.zipCode";
const char long_path[] = "company.departments.#12.manager.address.zipCode";

size_t parse(obv_names *names, const char *text)
{
    obv_path *path = nullptr;
    BENCH_REQUIRE(
        obv_path_parse(names, text, std::strlen(text), &path, nullptr));
    size_t count = obv_path_count(path);
    obv_path_destroy(path);
    return count;
}

size_t split(const char *text)
{
    std::vector<std::string> elements;
    while (const char *dot = std::strchr(text, '.')) {
        elements.emplace_back(text, dot);
        text = dot + 1;
    }
    elements.emplace_back(text);
    benchmark::DoNotOptimize(elements.data());
    return elements.size();
}

void run_parse(benchmark::State &state, const char *text, size_t expected)
{
    obv_names *names = nullptr;
    BENCH_REQUIRE(obv_names_create(nullptr, &names));
    for (auto _ : state) {
        if (parse(names, text) != expected) {
            state.SkipWithError("the checksum is wrong");
        }
    }
    obv_names_destroy(names);
}

void run_split(benchmark::State &state, const char *text, size_t expected)
{
    for (auto _ : state) {
        if (split(text) != expected) {
            state.SkipWithError("the checksum is wrong");
        }
    }
}

void add_rows(const char *id, const char *text, size_t elements)
{
    add(id, "ours",
        [=](benchmark::State &state) { run_parse(state, text, elements); });
    add(id, "naive split",
        [=](benchmark::State &state) { run_split(state, text, elements); });
}

} // namespace

void add_path()
{
    add_rows("path: parse 2 elements", short_path, 2);
    add_rows("path: parse 6 elements", long_path, 6);
}

} // namespace bench
