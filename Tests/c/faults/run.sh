#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applies each fault to a copy of the tree, one at a time, and runs the schedule
# program that its `found-by` line names: that program must fail.
#
#     Tests/c/faults/run.sh [NAME ...]      default: all; CC is respected
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
missed=0

build_and_run() { # PROGRAM
    (cd "$copy" && ${CC:-cc} -std=c11 -O1 -Iinclude -Icsrc -ITests/c/scheduler \
        '-DOBV_ATOMIC_HEADER="atomic_scheduler.h"' csrc/queue.c \
        csrc/coalescing_set.c csrc/memory.c csrc/platform/lock.c \
        Tests/c/scheduler/scheduler.c "Tests/c/scheduler/$1.c" -o program) ||
        exit 2
    (cd "$copy" && timeout 120 ./program >output 2>&1)
}

[ $# -gt 0 ] || set -- $(cd "$root/Tests/c/faults" && ls ./*.patch |
    sed 's|^\./||; s|\.patch$||')
for name in "$@"; do
    patch="$root/Tests/c/faults/$name.patch"
    program=$(sed -n 's/^# found-by: //p' "$patch")
    rm -rf "$copy"/*
    mkdir -p "$copy/Tests/c"
    cp -R "$root/include" "$root/csrc" "$copy"
    cp -R "$root/Tests/c/scheduler" "$copy/Tests/c"
    build_and_run "$program" || { echo "not ok $name: fails without it"; exit 2; }
    (cd "$copy" && patch -s -p1 <"$patch")
    if build_and_run "$program"; then
        echo "not ok $name: $program did not notice"
        missed=1
    else
        echo "ok $name: $(grep -m1 '^not ok' "$copy/output" || echo crashed)"
    fi
done
exit $missed
