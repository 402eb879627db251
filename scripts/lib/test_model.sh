# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps about the naive model (Tests/c/naive). A
# short run of it is among the tests of each build.

model_build=$build/model

# one_check COMMAND...: what sums its tests by itself, counted as one.
one_check()
{
    "$@" 2>&1 | sed -E '/^ok /d; s/^[0-9]+ passed, /sum: &/'
}

# through RUNNER ARGUMENT...: the random programs through a runner, fifty scripts to
# a call of it, since each program's process is a copy of one that has read those
# before; so many calls at a time as there are processors.
through()
{
    printf '%s\0' "$model_build"/scripts/*.scn | xargs -0 -n 50 -P "$jobs" "$@"
}

# Random programs of the model, with what it expects, through both runners: those
# that the steps address and swift have built. With --full six times as many, from
# another seed. A failing one is named random_SEED, and so is its script.
step_random()
{
    local bin=$build/address/Tests count=300 seed=20261121
    [ -z "$full" ] || { count=1800 seed=100000; }
    find_misuse
    built_by address obv_model obv_scenarios
    package swift build --product ScenarioRunner
    rm -rf "$model_build/scripts"
    mkdir -p "$model_build/scripts"
    seq "$seed" 50 $((seed + count - 1)) | xargs -P "$jobs" -I '{}' \
        "$bin/c/naive/obv_model" --seed '{}' --scripts "$model_build/scripts" 50
    check "$count random programs, in C" \
        one_check through "$bin/obv_scenarios"
    check "$count random programs, in C, containers of the runner's own" \
        one_check through "$bin/obv_scenarios" --own
    check "$count random programs, in Swift" \
        one_check through "$build/swift/.build/debug/ScenarioRunner"
    checked
}

# --full: ten million steps as the program ships, two with sanitizers; and what a
# fuzzer makes of it in a minute.
step_model()
{
    local bin=Tests/c/naive
    built_by release obv_model
    built_by address obv_model
    check "ten million steps" \
        one_check "$build/release/$bin/obv_model" --steps 10000000 --seed 1
    check "two million steps, address and undefined behaviour sanitizers" \
        one_check "$build/address/$bin/obv_model" --steps 2000000 --seed 100000000
    cmake -S . -B "$model_build/fuzz" -G Ninja -DOBV_WERROR=ON -DOBV_SWIFT=OFF \
        -DOBV_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG="-g -O1" \
        -DCMAKE_C_COMPILER="$swift_bin/clang" -DOBV_FUZZ=ON \
        -DOBV_SANITIZE=address,undefined,fuzzer-no-link
    cmake --build "$model_build/fuzz" --target obv_model_fuzz
    mkdir -p "$model_build/corpus"
    check "a minute of fuzzing" "$model_build/fuzz/$bin/obv_model_fuzz" \
        -max_total_time=60 -max_len=4096 -len_control=0 \
        -artifact_prefix="$model_build/" "$model_build/corpus"
    checked
}
