#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Break points of a program in Swift, in gdb (DB-3), and the trace of one by its
# environment (DB-4); without and with optimisation.
#
#     check.sh BUILD   BUILD: the folder of the package's debug build, which has
#                      the modules and the objects of the library
#
# Prints `ok NAME` or `not ok NAME` with what was printed, and the sums.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
build=${1:-}
if [ ! -e "$build/Modules/ObservableSwift.swiftmodule" ]; then
    sed -n '4,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=../objects.sh
. "$here/../objects.sh"
mapfile -t objects < <(library_objects "$build")
good=0
bad=0

# holds NAME TEXT...: each stands in what was printed, a line further on.
holds()
{
    local name=$1 from=1 line text
    shift
    for text in "$@"; do
        line=$(tail -n "+$from" "$work/printed" | grep -nF -m 1 -- "$text")
        if [ -z "$line" ]; then
            printf 'not ok %s: no `%s` behind line %s\n' "$name" "$text" "$from"
            cat "$work/printed"
            bad=$((bad + 1))
            return
        fi
        from=$((from + ${line%%:*}))
    done
    echo "ok $name"
    good=$((good + 1))
}

debug()
{
    gdb -batch -nx -ex 'set debuginfod enabled off' -ex run -ex backtrace \
        -ex continue -ex backtrace -ex continue --args "$work/breaks" "$1" \
        >"$work/printed" 2>&1
}

for flag in -Onone -O; do
    if ! swiftc -swift-version 6 -warnings-as-errors -parse-as-library -g \
        "$flag" -module-name Breaks -I "$build/Modules" -I "$top/include" \
        -I "$top/Sources/ObservableRuntime/include" -o "$work/breaks" \
        "$here/breaks.swift" "${objects[@]}" -lbsd >"$work/printed" 2>&1; then
        holds "builds with $flag" nothing
        continue
    fi
    debug change
    holds "DB_3_it_stops_inside_the_set $flag" \
        'observable: break: address.zipCode "zip" from "1010" to "1020"' \
        SIGTRAP 'moveHouse' 'Breaks' \
        'observable: break: address.zipCode "zip" from "1020" to "1030"' \
        SIGTRAP 'renameStreet' 'Breaks' 'exited normally'
    debug call
    holds "DB_3_it_stops_before_a_call $flag" \
        'observable: break: thread 1: call: #' SIGTRAP 'drain' 'Breaks' 'exited normally'
    "$work/breaks" change >"$work/printed" 2>&1
    holds "DB_3_without_a_debugger_it_goes_on $flag" \
        'observable: no debugger to stop in: address.zipCode "zip" from ' \
        'went on to its end'
    OBV_TRACE=1 "$work/breaks" call >"$work/printed" 2>&1
    holds "DB_4_the_environment_traces_it $flag" 'User 0x' 'due: #' \
        'drained: 2 called' \
        'went on to its end'
done
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
