# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: threads for longer than the tests of each build have
# them.

# The C tests that run for as long as they are told, in the builds of three
# steps: as the library ships, and under both kinds of sanitizer.
step_threads()
{
    local folder bin failed=0
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    for folder in release thread address; do
        bin=$build/$folder/Tests
        built_by "$folder" shared_object_test random_threads_test
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
