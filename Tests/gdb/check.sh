#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The commands of gdb/observable.py at a program in C and at one in Swift (DB-8,
# LL-8): live, stopped in the middle of a set, and from a core file.
#
#     check.sh BUILD   BUILD: the folder of the package's debug build, which has
#                      the modules and the objects of the library
#
# c.sh and swift.sh say what holds. Prints `ok NAME` or `not ok NAME` with what
# was printed, and the sums.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${1:-}
if [ ! -e "$build/Modules/ObservableSwift.swiftmodule" ]; then
    sed -n '4,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
export LC_ALL=C.UTF-8
script=$top/gdb/observable.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printed=$work/printed
# shellcheck source=../swift/objects.sh
. "$here/../swift/objects.sh"
mapfile -t objects < <(library_objects "$build")
mapfile -t core_objects < <(printf '%s\n' "${objects[@]}" |
    grep /CObservable.build/)
good=0
bad=0

# passes NAME COMMAND...: the command ends well.
passes()
{
    local name=$1
    shift
    if "$@"; then
        echo "ok $name"
        good=$((good + 1))
    else
        echo "not ok $name"
        cat "$printed"
        bad=$((bad + 1))
    fi
}

# in_order TEXT...: each stands in what was printed, a line further on.
# "> COMMAND" is the line in front of what a command prints.
in_order()
{
    local from=1 line text
    for text in "$@"; do
        line=$(tail -n "+$from" "$printed" | grep -nF -m 1 -- "$text")
        if [ -z "$line" ]; then
            echo "no \`$text\` behind line $from"
            return 1
        fi
        from=$((from + ${line%%:*}))
    done
}

# holds NAME TEXT...: they stand there in this order, and no fault of Python.
holds()
{
    local name=$1
    shift
    passes "$name" holds_in "$@"
}

holds_in()
{
    in_order "$@" &&
        ! grep -E 'Python Exception|occurred in Python|Traceback' "$printed"
}

# in_gdb ARGUMENT...: gdb runs the commands that it reads here, a line each; one
# that fails does not keep the next from running. Addresses and folders are cut
# away from what it prints, and complaints about symbols of Swift.
in_gdb()
{
    local line commands=()
    while IFS= read -r line; do
        commands+=(-ex "echo > $line\\n" -ex "$line")
    done
    timeout 300 gdb -batch -nx -ex 'set debuginfod enabled off' \
        -ex 'set width 0' -ex "source $script" "${commands[@]}" "$@" 2>&1 |
        grep -v 'During symbol reading' |
        sed -E "s/0x[0-9a-f]+/0x/g; s|[^( ]*/prompt\\.|prompt.|g" >"$printed"
}

. "$here/c.sh"
. "$here/swift.sh"
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
