#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs an example and compares what it prints with what it should.
#
#     examples/check.sh PROGRAM OUTPUT     OUTPUT: examples/IDEA/output.txt
#
# Silent if all is well. Else it fails, and shows the lines that differ (- is
# missing, + is too much) or how the program has ended.

set -uo pipefail
if [ $# -ne 2 ]; then
    sed -n '4,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi

printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
status=0
timeout 300 "$1" >"$printed" || status=$?

diff -u --label should --label is "$2" "$printed" || exit 1
if [ "$status" -ne 0 ]; then
    echo "$1 ends with $status; 124 is too late"
    exit 1
fi
