#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles the programs that must be refused and those that must be accepted;
# ../README.md says what their files hold.
#
#     run.sh MODULES [FILE...]     MODULES: where ObservableSwift.swiftmodule is
#
# Prints `ok NAME` or `not ok NAME` with what the compiler said, and the sums.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
top=$(cd "$here/../.." && pwd)

# compile MODULES FILE FLAG...: all diagnostics, also those that come after type
# checking; nothing is made.
compile()
{
    local modules=$1 file=$2
    shift 2
    swiftc -emit-sil -o /dev/null -swift-version 6 -parse-as-library \
        -module-name Program -I "$modules" -I "$top/include" \
        -I "$top/Sources/ObservableRuntime/include" "$@" "$file" 2>&1
}

# compare EXPECTED ERRORS: each line of EXPECTED is in an error, and each error
# has one of them; says of which that is not so.
compare()
{
    local expected=$1 errors=$2 text
    [ -n "$expected" ] || echo "  it expects nothing"
    while IFS= read -r text; do
        grep -qF -e "$text" <<<"$errors" || echo "  no error has: $text"
    done <<<"$expected"
    if [ -n "$errors" ] && [ -n "$expected" ]; then
        grep -vF -e "$expected" <<<"$errors" | sed 's/^/  not expected: /'
    fi
}

# Answers with what is wrong, or nothing.
refused()
{
    local file=$2 said status isolation flag expected wrong
    isolation=$(sed -n 's,^// isolation: *,,p' "$file")
    flag=$(sed -n 's,^// flag: *,,p' "$file")
    expected=$(sed -n 's,.*// expect: *\(..*\),\1,p' "$file")
    said=$(compile "$1" "$file" -default-isolation "${isolation:-nonisolated}" \
        ${flag:+"$flag"})
    status=$?
    if [ "$status" -eq 0 ]; then
        echo "  it compiles"
    elif [ "$status" -ne 1 ]; then
        echo "  the compiler ends with $status"
    fi
    wrong=$(compare "$expected" \
        "$(grep -E '(^<unknown>(:0)?|:[0-9]+:[0-9]+): error: ' <<<"$said")")
    [ -z "$wrong" ] || printf '%s\n%s\n' "$wrong" "$said"
}

accepted()
{
    local isolation said
    for isolation in nonisolated MainActor; do
        if ! said=$(compile "$1" "$2" -warnings-as-errors \
            -default-isolation "$isolation") || [ -n "$said" ]; then
            printf '  default isolation %s:\n%s\n' "$isolation" "$said"
        fi
    done
}

# one MODULES FILE: prints its verdict in one piece.
one()
{
    local kind name wrong
    kind=$(basename "$(dirname "$2")")
    name=$kind/$(basename "$2" .swift)
    case $kind in
    refused | accepted) wrong=$("$kind" "$1" "$2") ;;
    *) wrong="  it is neither in refused/ nor in accepted/" ;;
    esac
    if [ -z "$wrong" ]; then
        echo "ok $name"
    else
        printf 'not ok %s\n%s\n' "$name" "$wrong"
    fi
}

if [ "${1:-}" = --one ]; then
    one "$2" "$3"
    exit
fi
modules=${1:-}
if [ ! -e "$modules/ObservableSwift.swiftmodule" ]; then
    sed -n '4,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
shift
shopt -s nullglob
[ $# -gt 0 ] || set -- "$here"/refused/*.swift "$here"/accepted/*.swift
if [ $# -eq 0 ]; then
    echo "there are no programs" >&2
    exit 1
fi
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" "$0" --one "$modules" |
    awk '/^ok / { good++ } /^not ok / { bad++ } { print }
         END { printf "%d passed, %d failed\n", good, bad; exit bad || !good }'
