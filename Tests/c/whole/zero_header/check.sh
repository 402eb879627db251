#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whether each public function that takes an object is called by
# zero_header_test.c: one that is new is noticed here.
#
#   Tests/c/whole/zero_header/check.sh COMPILER
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=$tests/../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Declarations, one a line; what a struct points to is none of them.
for header in "$root"/include/observable/*.h; do
    echo "#include <observable/${header##*/}>"
done >"$work/all.c"
"$1" -std=c11 -E -P '-D__attribute__(x)=' -I"$root/include" "$work/all.c" |
    tr '\n' ' ' |
    sed 's/[;}]/\n/g' | grep -E '\(.*struct obv_object \* ?[a-z]' |
    sed -nE 's/^[^{}(]*[ *](obv_[a-z0-9_]+) ?\([^*].*/\1/p' |
    grep -v '^obv_detail_' | sort -u >"$work/declared"
"$1" -std=c11 -E -P -I"$root/include" -I"$tests/.." \
    "$tests/zero_header_test.c" | tr '\n' ' ' |
    sed 's/.*zero_header_begins//' | grep -oE 'obv_[a-z0-9_]+' |
    sort -u >"$work/tried"
missing=$(comm -23 "$work/declared" "$work/tried")
[ -z "$missing" ] || printf 'not ok: no case for %s\n' $missing
[ -z "$missing" ] && [ "$(wc -l <"$work/declared")" -gt 40 ] &&
    echo "ok: $(wc -l <"$work/declared") functions"
