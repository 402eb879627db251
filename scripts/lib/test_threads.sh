# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: threads for longer than the tests of each build have
# them, and the model of the wiring protocol.

# The C tests that run for as long as they are told, in the builds of three
# steps: as the library ships, and under both kinds of sanitizer.
step_threads()
{
    local folder bin failed=0
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    for folder in release thread address; do
        bin=$build/$folder/Tests
        if [ ! -e "$build/$folder/build.ninja" ]; then
            echo "error: step $folder comes first" >&2
            return 1
        fi
        cmake --build "$build/$folder" \
            --target shared_object_test random_threads_test
        OBV_TEST_SECONDS=20 "${fixed_addresses[@]}" "$bin/shared_object_test" ||
            failed=1
        OBV_TEST_STEPS=1000000 "${fixed_addresses[@]}" \
            "$bin/random_threads_test" || failed=1
    done
    return "$failed"
}

step_threads_swift()
{
    local failed=0
    export OBV_TEST_SECONDS=20 SWIFT_BACKTRACE=enable=no
    swift_tests swift --filter SharedObjectTests || failed=1
    swift_tests swift-thread --sanitize=thread --filter SharedObjectTests ||
        failed=1
    return "$failed"
}

# model_of FAULT: compiles csrc/wiring/wiring.pml with one of its faults, or with none,
# and searches all of it; spin's own status says nothing of what it has found.
model_of()
{
    local folder=$build/wiring
    mkdir -p "$folder"
    (cd "$folder" && spin "-D$1" -a "$root/csrc/wiring/wiring.pml" &&
        cc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=4000 -o pan pan.c &&
        ./pan -m100000) >"$folder/$1.out" 2>&1 || return 1
    grep -E 'errors:|states, stored|assertion violated' "$folder/$1.out"
}

holds()
{
    model_of NO_FAULT && grep -q 'errors: 0$' "$build/wiring/NO_FAULT.out" &&
        ! grep -q 'Search not completed' "$build/wiring/NO_FAULT.out"
}

is_found()
{
    model_of "$1" && grep -q 'assertion violated' "$build/wiring/$1.out"
}

# Each fault that the model's own head names.
step_wiring()
{
    local fault
    need spin spin
    check "csrc/wiring/wiring.pml" holds
    for fault in $(sed -nE 's/^ \* +-D(FAULT_[A-Z_]+) .*/\1/p' csrc/wiring/wiring.pml); do
        check "$fault is found" is_found "$fault"
    done
    checked
}
