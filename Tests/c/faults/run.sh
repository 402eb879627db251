#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applies each fault to a copy of the tree, one at a time, and runs the program
# (of schedules, of tests, of scenario scripts, or the naive model) that its
# `found-by` line names, with the scenarios or the script that it names: that
# program must fail. Only what a fault changes is compiled again.
#
#     Tests/c/faults/run.sh [NAME ...]      default: all
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
missed=0

mkdir "$copy/source"
for part in CMakeLists.txt cmake csrc include Tests; do
    cp -R "$root/$part" "$copy/source"
done
cmake -S "$copy/source" -B "$copy/build" -DOBV_SCHEDULER=ON \
    -DOBV_WERROR=ON -DOBV_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$copy/build" --target obv_scheduled obv_test >/dev/null
cd "$root"

[ $# -gt 0 ] || set -- $(cd "$root/Tests/c/faults" && ls ./*/*.patch |
    sed 's|^.*/||; s|\.patch$||')
for name in "$@"; do
    patch=$(find "$root/Tests/c/faults" -name "$name.patch")
    found_by=$(sed -n 's/^# found-by: //p' "$patch")
    program=${found_by%% *}
    scenarios=${found_by#"$program"}
    if ! (cd "$copy/source" && patch -s -p1 --fuzz=0 <"$patch"); then
        echo "not ok $name: does not apply"
        exit 1
    fi
    cmake --build "$copy/build" --target "$program" >/dev/null
    if timeout 300 "$(find "$copy/build" -type f -name "$program")" \
        ${scenarios:+"${scenarios# }"} >"$copy/output" 2>&1; then
        echo "not ok $name: $program did not notice"
        missed=1
    else
        echo "ok $name: $(grep -m1 '^not ok' "$copy/output" || echo crashed)"
    fi
    (cd "$copy/source" && patch -s -R -p1 <"$patch")
done
exit $missed
