# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that build and run the C tests, each in a
# folder of its own below build-test/.

step_tools()
{
    need cc gcc libc6-dev
    need c++ g++
    need cmake cmake
    need ninja ninja-build
    need pkg-config pkg-config
    need_header bsd/stdlib.h libbsd-dev
    need_python
    need patch patch
    need gdb gdb
    need git git
    "$swift_bin/clang" --version
    "$swift_bin/swift" --version
    cc --version
    cmake --version
}

# build_all NAME CMAKE-ARGUMENT...: what cannot be built does not keep the rest
# from being built.
build_all()
{
    local name=$1
    shift
    cmake -S . -B "$build/$name" -G Ninja -DOBV_WERROR=ON -DOBV_SWIFT=OFF "$@"
    cmake --build "$build/$name" -- -k 0
}

build_and_test()
{
    local failed=0
    build_all "$@" || failed=1
    run_tests "$1" || failed=1
    return "$failed"
}

# The thread sanitizer wants the address space that it knows; kernels that
# randomise more of it than it was made for are told not to.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
    fixed_addresses=(setarch "$(uname -m)" -R)
fi

# built_by STEP TARGET...: builds these in the folder of a step of the same lane.
built_by()
{
    if [ ! -e "$build/$1/build.ninja" ]; then
        echo "error: step $1 comes first" >&2
        return 1
    fi
    cmake --build "$build/$1" --target "${@:2}"
}

# run_tests NAME CTEST-ARGUMENT...: those of a build.
run_tests()
{
    local name=$1
    shift
    "${fixed_addresses[@]}" ctest --test-dir "$build/$name" -V -j "$jobs" \
        --timeout 600 "$@"
}

# A debug build, but with -O1: the sanitizers are bearable and gcc warns of
# more than without.
debug_flags=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-g -O1")

step_gcc()
{
    build_and_test gcc "${debug_flags[@]}" -DCMAKE_C_COMPILER=gcc
}

step_clang()
{
    build_and_test clang "${debug_flags[@]}" \
        -DCMAKE_C_COMPILER="$swift_bin/clang"
}

find_misuse()
{
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
    export UBSAN_OPTIONS=print_stacktrace=1
}

# The library may be compiled as one translation unit (OBV_SINGLE_UNIT): no two
# of its files have one name for different things, and no local name hides one.
check_names()
{
    {
        echo "#define _GNU_SOURCE"
        printf '#include "%s"\n' csrc/*/*.c
    } | gcc -std=c11 -Wall -Wextra -Wshadow -Werror -Iinclude -Icsrc \
        -I. -fsyntax-only -x c -
}

# A leak is looked for as each scenario's process ends, which takes longer than
# the scenario: in one of the four ways through them.
step_address()
{
    local failed=0 others='^scenarios_(own|by_index|traced)$'
    find_misuse
    build_all address "${debug_flags[@]}" -DCMAKE_C_COMPILER=gcc \
        -DOBV_SANITIZE=address,undefined || failed=1
    run_tests address -E "$others" || failed=1
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 \
        run_tests address -R "$others" || failed=1
    check_names || failed=1
    return "$failed"
}

step_thread()
{
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    build_and_test thread "${debug_flags[@]}" -DCMAKE_C_COMPILER=gcc \
        -DOBV_SANITIZE=thread
}

# Each piece of include/observable_loops beside its library, under the sanitizers as
# well: who frees what is half of what they promise.
step_loops()
{
    local failed=0 header language
    need pkg-config pkg-config
    pkg-config --exists glib-2.0 || install_packages GLib libglib2.0-dev
    pkg-config --exists libuv || install_packages libuv libuv1-dev
    for header in poll glib glib_main_queue uv; do
        printf '#include <observable_loops/%s.h>\nint obv_used;\n' \
            "$header" >"$build/header.c"
        for language in "c -std=c11 -D_GNU_SOURCE" "c++ -std=c++17"; do
            # shellcheck disable=SC2046,SC2086
            gcc -x $language "${warnings[@]}" -Iinclude -fsyntax-only \
                $(pkg-config --cflags glib-2.0 libuv | sed 's/-I/-isystem /g') \
                "$build/header.c" || failed=1
        done
    done
    cmake -S . -B "$build/loops" -G Ninja -DOBV_WERROR=ON -DOBV_SWIFT=OFF \
        -DOBV_EXAMPLES=OFF -DOBV_LOOPS=ON "${debug_flags[@]}" \
        -DCMAKE_C_COMPILER="$swift_bin/clang" -DOBV_SANITIZE=address,undefined
    for header in poll glib uv dispatch; do
        cmake --build "$build/loops" --target "${header}_loop_test" || failed=1
    done
    run_tests loops -R '_loop_test$' || failed=1
    return "$failed"
}

# The texts of the observation graph, by those who read such texts.
step_graph()
{
    need dot graphviz
    need_python
    built_by address graph_sample
    check "JSON is JSON, DOT is DOT, a line is a line" \
        Tests/graph/check.sh "$build/address/Tests/graph_sample"
    checked
}

step_release()
{
    build_and_test release -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc
}

step_unit()
{
    build_and_test unit -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc \
        -DOBV_SINGLE_UNIT=ON
}

# Every C test again and again, each time with other random numbers and other
# interleavings, and with none of those of the last run: a test that fails names
# its seed. A round under a sanitizer takes five times as long.
step_stress()
{
    local rounds folder round seed
    seed=$(date +%s)
    for rounds in release=10 address=3 thread=3; do
        folder=${rounds%=*}
        built_by "$folder" all
        for round in $(seq "${rounds#*=}"); do
            export OBV_TEST_SEED=$((seed + round))
            run_tests "$folder" -R '_test$'
        done
    done
}

# proves PROGRAM...: it runs, and no variant of it has skipped work.
proves()
{
    local said
    said=$("$@" 2>&1) && ! grep "ERROR OCCURRED" <<<"$said"
}

# The counts; and that what is measured builds, with whichever peers are here, and
# proves its work by its checksums.
step_bench()
{
    local folder=$build/bench
    [ -e /usr/include/benchmark/benchmark.h ] ||
        install_packages benchmark/benchmark.h libbenchmark-dev
    check "instruction counts" scripts/bench-instructions --check
    cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DOBV_BENCH=ON -DOBV_SWIFT=OFF -DOBV_TESTS=OFF -DOBV_EXAMPLES=OFF
    cmake --build "$folder"
    check "the scenarios" proves "$folder/bench/bench_scenarios" \
        --benchmark_min_time=0.001
    check "bytes" proves "$folder/bench/bench_bytes"
    checked
}
