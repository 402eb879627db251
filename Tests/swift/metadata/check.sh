#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Names of properties with and without reflection metadata: compiles names.swift
# in each way, runs it and compares what it prints.
#
#     check.sh BUILD     BUILD: the folder of the package's debug build, which has
#                        the modules and the objects of the library
#
# Prints `ok NAME` or `not ok NAME` with the difference, and the sums.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
build=${1:-}
if [ ! -e "$build/Modules/ObservableSwift.swiftmodule" ]; then
    sed -n '4,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=../objects.sh
. "$here/../objects.sh"
mapfile -t objects < <(library_objects "$build")
good=0
bad=0

# check NAME EXPECTED FLAG...: what the program prints is in the file EXPECTED.
check()
{
    local name=$1 expected=$2 difference
    shift 2
    if swiftc -swift-version 6 -warnings-as-errors -parse-as-library \
        -module-name Names -I "$build/Modules" -I "$top/include" \
        -I "$top/Sources/ObservableRuntime/include" "$@" \
        -o "$work/names" "$here/names.swift" "${objects[@]}" -lbsd \
        >"$work/said" 2>&1 &&
        timeout 60 "$work/names" >"$work/printed" 2>>"$work/said" &&
        difference=$(diff "$here/$expected" "$work/printed"); then
        echo "ok $name"
        good=$((good + 1))
    else
        printf 'not ok %s\n%s\n%s\n' "$name" "$(<"$work/said")" "${difference:-}"
        bad=$((bad + 1))
    fi
}

no_metadata=(-Xfrontend -disable-reflection-metadata)
no_names=(-Xfrontend -disable-reflection-names)
check "reflection" found.out
check "reflection, optimised" found.out -O -wmo
check "reflection, and listed" found.out -D LISTED
check "no metadata" missing.out "${no_metadata[@]}"
check "no metadata, listed" found.out "${no_metadata[@]}" -D LISTED
check "no metadata, listed, optimised" found.out "${no_metadata[@]}" -D LISTED \
    -O -wmo
check "no names" missing.out "${no_names[@]}"
check "no names, listed" found.out "${no_names[@]}" -D LISTED
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
