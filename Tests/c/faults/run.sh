#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Applies each fault to a copy of the tree, one at a time, and runs the program
# (of schedules, of tests, of scenario scripts, or the naive model) that its
# `found-by` line names, with the scenarios or the script that it names: that
# program must fail, and not by hanging.
#
#     Tests/c/faults/run.sh [NAME...]      default: all
#
# The copy and its build lie in the folder that BUILD names (default:
# build-faults). Each fault begins with a build that has none, so only what it
# changes is compiled; with -O1, since compiling is most of what a fault costs.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cd "$root" || exit 1
copy=${BUILD:-$root/build-faults}

named()
{
    local name
    if [ $# -eq 0 ]; then
        find Tests/c/faults -name '*.patch' | sort
    fi
    for name in "$@"; do
        find Tests/c/faults -name "$name.patch" | grep . ||
            echo "Tests/c/faults/$name.patch"
    done
}

found_by()
{
    sed -n 's/^# found-by: //p' "$1"
}

# prepare PROGRAM...: the copy, and the build of it that each fault begins with.
# Times stay: what is as it was in an earlier run is not compiled.
prepare()
{
    rm -rf "$copy/source" "$copy/build"
    mkdir -p "$copy/source"
    cp -Rp CMakeLists.txt cmake csrc include Sources Tests "$copy/source"
    [ ! -e "$copy/whole" ] || cp -Rp "$copy/whole" "$copy/build"
    cmake -S "$copy/source" -B "$copy/build" -G Ninja -DOBV_SCHEDULER=ON \
        -DOBV_WERROR=ON -DOBV_EXAMPLES=OFF -DOBV_SWIFT=OFF \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" \
        -DCMAKE_C_COMPILER=gcc &&
        cmake --build "$copy/build" --target "$@" || return 1
    rm -rf "$copy/whole"
    cp -Rp "$copy/build" "$copy/whole"
}

take_back()
{
    local file
    sed -nE 's,^\+\+\+ [^/]*/([^[:space:]]+).*,\1,p' "$1" |
        while read -r file; do
            cp -p "$file" "$copy/source/$file"
        done
    rm -rf "$copy/build"
    cp -Rp "$copy/whole" "$copy/build"
}

# find_fault PATCH: whether it still applies, compiles, and is noticed.
find_fault()
{
    local program scenarios status=0
    read -r program scenarios < <(found_by "$1")
    patch -d "$copy/source" -p1 --fuzz=0 --no-backup-if-mismatch <"$1" &&
        cmake --build "$copy/build" --target "$program" || return 1
    # In a group of its own: a test runs in a child of the program.
    timeout 300 "$(find "$copy/build" -type f -name "$program")" \
        ${scenarios:+"$scenarios"} >"$copy/output" 2>&1 || status=$?
    # Set off: the numbers and failures of a program of tests are not these.
    tail -5 "$copy/output" | sed 's/^/    /'
    echo "$program ends with $status"
    # 2: there is no such test.
    [ "$status" -ne 0 ] && [ "$status" -ne 2 ] && [ "$status" -ne 124 ]
}

mkdir -p "$copy"
mapfile -t patches < <(named "$@")
mapfile -t programs < <(for patch in "${patches[@]}"; do
    found_by "$patch"
done | cut -d ' ' -f 1 | sort -u)
if ! prepare "${programs[@]}" >"$copy/output" 2>&1; then
    tail -n 30 "$copy/output"
    exit 1
fi

passed=0
failed=0
for patch in "${patches[@]}"; do
    if find_fault "$patch"; then
        echo "ok $(basename "$patch")"
        passed=$((passed + 1))
    else
        echo "not ok $(basename "$patch")"
        failed=$((failed + 1))
    fi
    take_back "$patch"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
