#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whether a runner says of each malformed script here what stands beside it: an
# error of a script is never skipped, and is the same in C and in Swift.
#
#   Tests/scenarios/malformed/check.sh RUNNER [ARGUMENT...]
set -u
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

passed=0
failed=0
for script in *.scn; do
    if diff "${script%.scn}.out" <("$@" "$script" 2>&1); then
        echo "ok $script"
        passed=$((passed + 1))
    else
        echo "not ok $script"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
