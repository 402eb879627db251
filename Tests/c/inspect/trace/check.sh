#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The trace from outside of a program: OBV_TRACE, a trace file, and break points
# in gdb (DB-3, DB-4).
#
#   Tests/c/inspect/trace/check.sh PROGRAM
set -u
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "not ok $1"
    failed=1
}

# holds NAME FILE TEXT...: each text stands in the file, in this order.
holds()
{
    local name=$1 file=$2 from=1 line text
    shift 2
    for text in "$@"; do
        line=$(tail -n "+$from" "$file" | grep -nF -- "$text" | head -n 1)
        if [ -z "$line" ]; then
            fail "$name: no \`$text' behind line $from of"
            cat "$file"
            return
        fi
        from=$((from + ${line%%:*}))
    done
    echo "ok $name"
}

# Standard error ---------------------------------------------------------------

OBV_TRACE=1 "$program" >"$work/out" 2>"$work/lines"
holds DB_4_a_line_an_event "$work/lines" \
    'observable: thread 1: address 0x' \
    ' address changed (' \
    'due: #1 "zip\u000a\"cell\"\u001b[2J" address.zip (' \
    'due: #2 "other" address, by user 0x' \
    ' zip changed' \
    'coalesced: #1 "zip' \
    'thread 1: drain' \
    'call: #1' \
    'return: #1' \
    'call: #2' \
    'drained: 2 called'
grep -Eq 'due: #2 .*, by user 0x[0-9a-f]+ address \(.*traced\.c:[0-9]+\)$' \
    "$work/lines" || fail 'a cause without its line'
if LC_ALL=C grep -n "$(printf '[\001-\010\013-\037]')" "$work/lines"; then
    fail 'a name reached the terminal as it was'
fi
[ "$(grep -vc '^observable: thread' "$work/lines")" -eq 0 ] ||
    fail 'a name forged a line'

for off in 0 ''; do
    OBV_TRACE=$off "$program" >"$work/out" 2>"$work/lines"
    [ ! -s "$work/lines" ] || fail "OBV_TRACE=$off writes"
done

# A summary and a ring ---------------------------------------------------------

OBV_TRACE=summary "$program" >"$work/out" 2>"$work/lines"
holds DB_4_a_summary_has_what_each_observation_has_cost "$work/lines" \
    'observable:    calls coalesced dropped not called         ms  longest  of'
[ "$(grep -Ec \
    '^observable: +1 +1 +0 +0 +[0-9.]+ +[0-9.]+  "zip.*traced\.c:[0-9]+\)$' \
    "$work/lines")" -eq 1 ] || fail 'the row of a label'
[ "$(grep -Ec '^observable: +1 +0 +0 +0 .*  "other"$' "$work/lines")" -eq 1 ] ||
    fail 'the row of another'
[ "$(grep -Ec '^observable: +1 +0 +0 +0 .*  bill\.total$' \
    "$work/lines")" -eq 1 ] || fail 'the row of a computed property'
[ "$(wc -l <"$work/lines")" -eq 4 ] || fail 'a summary has four lines'

# A return has not the path of its call.
OBV_TRACE=summary "$program" unnamed >"$work/out" 2>"$work/lines"
[ "$(grep -Ec '^observable: +1 +0 +0 +0 .*  #3 address$' \
    "$work/lines")" -eq 1 ] || fail 'the row of what has no name'
[ "$(wc -l <"$work/lines")" -eq 5 ] || fail 'what has no name has one row'

OBV_TRACE=ring "$program" ring >"$work/out" 2>"$work/lines"
holds DB_4_a_ring_keeps_the_last_lines "$work/lines" \
    'observable: thread 1: ' 'drained: 2 called'
[ "$(wc -l <"$work/lines")" -gt 400 ] || fail 'a ring keeps few lines'
[ "$(wc -c <"$work/lines")" -le 65536 ] || fail 'a ring keeps too much'
[ "$(grep -vc '^observable: thread 1: ' "$work/lines")" -eq 0 ] ||
    fail 'a ring begins in the midst of a line'

# A file -----------------------------------------------------------------------

OBV_TRACE=$work/trace.json "$program" >"$work/out" 2>"$work/lines"
[ ! -s "$work/lines" ] || fail 'a trace to a file writes on standard error'
python3 - "$work/trace.json" <<'END' || fail 'the trace file'
import json, sys

events = json.load(open(sys.argv[1]))
open_slices = 0
last = 0
for event in events[:-1]:
    assert event["cat"] == "observable" and event["tid"] >= 1, event
    assert event["ts"] >= last, "time goes back"
    last = event["ts"]
    open_slices += {"B": 1, "E": -1, "i": 0}[event["ph"]]
    assert open_slices >= 0
assert open_slices == 0 and events[-1]["ph"] == "M"
due = [e for e in events if e.get("args", {}).get("event") == "due"]
assert due[0]["args"]["label"] == 'zip\n"cell"\x1b[2J', due[0]
assert due[0]["args"]["path"] == "address.zip"
assert due[0]["args"]["class"] == "user"
assert due[0]["args"]["property"] == "address"
assert "traced.c:" in due[0]["args"]["set at"]
assert "traced.c:" in due[0]["args"]["begun at"]
print("ok DB_4_a_trace_file_is_of_the_format")
END

OBV_TRACE=$work/none/trace.json "$program" >"$work/out" 2>"$work/lines"
holds DB_4_a_file_that_cannot_be_made_is_said "$work/lines" 'cannot be made: '
holds DB_4_and_the_program_goes_on "$work/out" 'went on to its end'

# A file may have 1,024 bytes, which the first events fill.
(
    trap '' XFSZ
    ulimit -f 1
    OBV_TRACE=$work/full.json exec "$program" >/dev/null 2>"$work/lines"
) && echo ok DB_4_and_goes_on_when_a_disk_is_full || fail 'a full disk ends it'
holds DB_4_a_full_disk_is_said "$work/lines" \
    'the trace file cannot be written: '
[ "$(wc -l <"$work/lines")" -eq 1 ] || fail 'it is said more than once'

# Without a debugger -----------------------------------------------------------

"$program" change >"$work/out" 2>"$work/lines"
holds DB_3_without_a_debugger_it_says_so "$work/lines" \
    'observable: no debugger to stop in: address.zip "zip" from "1010" to "1020"' \
    'observable: no debugger to stop in: address.zip "zip" from "1020" to "1030"'
holds DB_3_and_does_nothing "$work/out" 'went on to its end'

# In gdb -----------------------------------------------------------------------

if ! command -v gdb >/dev/null; then
    fail 'gdb is not installed'
    exit 1
fi

# debug MODE: the backtrace at each of two stops, then the end.
debug()
{
    gdb -batch -nx -ex 'set debuginfod enabled off' -ex run -ex backtrace \
        -ex continue -ex backtrace -ex continue --args "$program" "$1" \
        >"$work/gdb" 2>&1
}

debug change
holds DB_3_it_stops_inside_the_set "$work/gdb" \
    'observable: break: address.zip "zip" from "1010" to "1020" (' \
    SIGTRAP 'move_house ()' 'in main' \
    'observable: break: address.zip "zip" from "1020" to "1030"' \
    SIGTRAP 'rename_street ()' 'in main' \
    'exited normally'

OBV_TRACE=ring gdb -batch -nx -ex 'set debuginfod enabled off' -ex run \
    -ex 'call (void)obv_trace_print_ring()' -ex continue \
    --args "$program" call >"$work/gdb" 2>&1
holds DB_8_a_ring_is_printed_at_the_prompt "$work/gdb" SIGTRAP \
    'observable: thread 1: user 0x' 'due: #1' 'thread 1: drain' 'call: #2' \
    'exited normally'

debug call
holds DB_3_it_stops_before_a_call "$work/gdb" \
    'observable: break: thread 1: call: #2 "other" address' \
    SIGTRAP 'drain_all ()' 'in main' 'exited normally'

exit "$failed"
