#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Replays README.md, "Why a line came, and why another did not": runs its
# commands one after the other, and holds what each says against what stands
# below it. The program is the one that scripts/demo --c has built.
#
#     examples/board/why.sh

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

# shellcheck source=../../scripts/lib/install.sh
. ../../scripts/lib/install.sh
need gdb gdb
export DEBUGINFOD_URLS=

made=$(mktemp -d)
trap 'rm -rf "$made" trace.txt' EXIT

# N.sh and N.out: the N-th command, and what it says.
awk -v made="$made" '
    /^## / { inside = /^## Why a line came/ }
    !inside { next }
    /^```console$/ { file = made "/" ++count ".sh"; next }
    /^```text$/ { file = made "/" count ".out"; next }
    /^```$/ { file = ""; next }
    file { print > file }' README.md

# The hundredths depend on what else the machine does.
without_times()
{
    sed -E 's/[0-9]+\.[0-9]{2} s  /T s  /'
}

passed=0
failed=0
for command in "$made"/*.sh; do
    if timeout 60 bash "$command" 2>"$made/err" | without_times |
        diff <(without_times <"${command%.sh}.out") - >"$made/diff"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: command $(basename "$command" .sh) of README.md"
        cat "$made/diff" "$made/err"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
