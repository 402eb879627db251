#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that the shortest paths of the Swift overlay are as short as they are
# promised to be, in an optimised whole-module build of this folder's package:
#
# - A set of an Int that nobody observes is at most two loads, two tests, two
#   branches and the store, and calls nothing; a get is at most a load, a test
#   and a branch more than that of a plain property. Only on x86-64; elsewhere
#   it says that this part is skipped.
# - A notification of an Int property allocates nothing.
#
#     Tests/swift/hotpath/check.sh      builds into build-test/hotpath, prints a
#                                       line for each check and the sum

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1

# shellcheck source=../../../scripts/lib/install.sh
. scripts/lib/install.sh
# shellcheck source=../../../scripts/lib/hotpath.sh
. scripts/lib/hotpath.sh

need_swift
need_python
need objdump binutils
build_hotpath || exit 1

passed=0
failed=0
# check NAME COMMAND...
check()
{
    local name=$1
    shift
    if "$@"; then
        echo "ok $name"
        passed=$((passed + 1))
    else
        echo "not ok $name"
        failed=$((failed + 1))
    fi
}

# path NAME: what the shortest way through a function is made of.
path()
{
    objdump -d --no-show-raw-insn --disassemble="hot_path_$1" \
        "$hotpath_plain" | python3 scripts/lib/shortest_path.py
}

# at_most COUNTS "loads N"...: whether no count is larger; the number of stores
# is exact.
at_most()
{
    local counts=$1 limit
    shift
    for limit in "$@"; do
        awk -v counts="$counts" -v limit="$limit" 'BEGIN {
            split(limit, wanted, " ")
            number = split(counts, words, " ")
            for (i = 1; i < number; i += 2) {
                if (words[i] == wanted[1]) {
                    exit wanted[1] == "stores" ? words[i + 1] != wanted[2] \
                                               : words[i + 1] > wanted[2]
                }
            }
            exit 1
        }' || {
            echo "    not $limit: $counts"
            return 1
        }
    done
}

check_paths()
{
    local set get plain
    set=$(path set) || return 1
    get=$(path get) || return 1
    plain=$(path get_plain) || return 1
    echo "    set        $set"
    echo "    get        $get"
    echo "    plain get  $plain"
    check "a set of an unobserved Int" at_most "$set" \
        "loads 2" "tests 2" "branches 2" "stores 1" "calls 0"
    check "a get of an observable Int" at_most "$get" \
        "loads 2" "tests 1" "branches 1" "stores 0" "calls 0"
    check "a get of a plain Int is what it is held against" at_most "$plain" \
        "loads 1" "tests 0" "branches 0" "stores 0" "calls 0"
}

allocates_nothing()
{
    [ "$1" = 0 ] || echo "    $1 allocations of 1000 notifications"
    [ "$1" = 0 ]
}

# The line of a block that allocates shows that allocations are counted.
check_allocations()
{
    local name number
    "$hotpath" allocations >"$hotpath_plain.allocations" || return 1
    while IFS=$'\t' read -r name number; do
        case $name in
        "a block that allocates")
            check "allocations are counted" [ "$number" -ge 500 ] ;;
        *) check "$name: allocates nothing" allocates_nothing "$number" ;;
        esac
    done <"$hotpath_plain.allocations"
}

if [ "$(uname -m)" = x86_64 ]; then
    check_paths || failed=$((failed + 1))
else
    echo "skipped: the instructions of a set ($(uname -m), not x86-64)"
fi
check_allocations || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
