#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles the programs of this folder and runs each with a time limit: the main
# loop delivers, whatever turns it.
#
#     check.sh BUILD         BUILD: a folder that `swift build` has filled, such
#                            as .build/debug; made from this package
#
# Prints `ok NAME` or `not ok NAME` with what was said, and the sums.

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
build=${1:-}
if [ ! -e "$build/Modules/ObservableSwift.swiftmodule" ]; then
    sed -n '4,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# shellcheck source=../objects.sh
. "$here/../objects.sh"
mapfile -t objects < <(library_objects "$build")

# The flags of GLib, for the program whose main loop is GLib's.
mapfile -t glib < <(pkg-config --cflags glib-2.0 | xargs -n 1 printf -- '-Xcc\n%s\n')

compile()
{
    local -a more=()
    [ "$1" != glib ] || more=(-I "$here/glib/CGLib" "${glib[@]}")
    swiftc -swift-version 6 -warnings-as-errors -o "$made/$1" \
        -I "$build/Modules" -I "$top/include" \
        -I "$top/Sources/ObservableRuntime/include" "${more[@]}" \
        "$here"/Work.swift "$here/$1"/*.swift "${objects[@]}" -lbsd
}

one()
{
    compile "$1" || return 1
    timeout 60 "$made/$1" >"$made/$1.out" ||
        { echo "it ends with $?; 124 is too late" && return 1; }
    diff "$here/expected.out" "$made/$1.out"
}

passed=0
failed=0
for folder in "$here"/*/; do
    name=$(basename "$folder")
    if said=$(one "$name" 2>&1); then
        echo "ok $name"
        passed=$((passed + 1))
    else
        printf 'not ok %s\n%s\n' "$name" "$said"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
