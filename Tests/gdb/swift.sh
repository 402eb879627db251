# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by check.sh: what the commands say of prompt.swift, without and with
# optimisation. With it gdb does not know where the variables are.

line=$(grep -n 'rest(user, token' "$here/prompt.swift" | cut -d : -f 1)
rest=prompt.swift:$line
for flag in -Onone -O; do
    program=$work/prompt$flag
    swiftc -swift-version 6 -warnings-as-errors -parse-as-library -g "$flag" \
        -module-name Prompt -I "$build/Modules" -I "$top/include" \
        -I "$top/Sources/ObservableRuntime/include" -o "$program" \
        "$here/prompt.swift" "${objects[@]}" -lbsd >"$printed" 2>&1 ||
        passes "prompt.swift builds with $flag" false
done

in_gdb "$work/prompt-Onone" <<END
break $rest
run
obv-observers user
obv-observers square
obv-observers unmet
obv-path user address.zipCode
obv-path user name
obv-path second city
obv-path user age
obv-path user songs.count
obv-path user twice
obv-path user never
obv-path user none
obv-why token
obv-why gone
obv-graph user
END
holds DB_8_the_observers_of_a_swift_object_are_listed \
    '> obv-observers user' 'User 0x' '  address' \
    '    #1 address.zipCode from User 0x, no observer "zip", delayed on' \
    '  songs' 'songs.*.zipCode from User 0x' '  twice' '"doubled"' \
    '> obv-observers square' 'Square 0x' '  side' '    #6 side from Square 0x' \
    '> obv-observers unmet' 'it has not met the library: nobody observes it'
holds LL_8_what_is_known_along_a_path_in_swift \
    '  address = Address 0x' '  zipCode = "1020"' '  name = "Ada"' \
    '  city = "a name of a city that has no room in two words"' \
    '  age = 8 bytes: 29 00 00 00 00 00 00 00 (as an integer 41)' \
    '  songs = ObservableArray<Address> 0x' '  count = 1' \
    '  twice (computed, NOT valid: its last value): the program reads it' \
    '  never (computed, NOT valid: it has no value yet)' \
    '  none = NULL'
holds DB_8_why_of_a_token \
    '> obv-why token' '#1 address.zipCode from User 0x' \
    '  zipCode hangs at Address 0x' \
    '  its call waits until loop 0x is drained' \
    '  address.zipCode: 1 changes, from a value to a value, the last by' \
    '> obv-why gone' '#3 is over: its handle alone is left'
holds DB_8_the_graph_in_swift \
    '> obv-graph user' 'User 0x' '  age' '    computes twice of User 0x' \
    '    leads to Address 0x' '    leads to ObservableArray<Address> 0x' \
    '    computes four of User 0x' '    computed of age of User 0x' \
    '    computed of twice of User 0x' 'Address 0x' \
    'ObservableArray<Address> 0x' \
    '    leads to Address 0x'

# said_by_why N FILE: what the N-th obv-why has printed.
said_by_why()
{
    awk -v "n=$1" '/^> / { at += /obv-why/; said = at == n && /obv-why/ }
                   said' "$2"
}

for flag in -Onone -O; do
    in_gdb "$work/prompt$flag" <<END
break $rest
run
obv-break user address.zipCode
obv-why
tbreak obv__unlink_locked
continue
obv-why
generate-core-file $work/core$flag
continue
obv-why
END
    cp "$printed" "$work/swift$flag"
    holds "DB_8_what_waits_in_swift $flag" \
        'loop 0x: 2 pending' \
        'no observer "zip", delayed on loop 0x, token, pending (' \
        '  address.zipCode: 1 changes'
    holds "DB_8_in_the_middle_of_a_set_in_swift $flag" \
        'Temporary breakpoint 2' '> obv-why' 'thread 1, inside the library' \
        '  changes (prompt.swift:' 'inside a change: (prompt.swift:' \
        'loop 0x: 2 pending'
    in_gdb "$work/prompt$flag" "$work/core$flag" <<<obv-why
    said_by_why 2 "$work/swift$flag" >"$work/live"
    said_by_why 1 "$printed" >"$work/dead"
    passes "DB_8_a_core_file_of_swift_says_the_same $flag" \
        cmp "$work/live" "$work/dead"
done
cp "$work/swift-Onone" "$printed"
holds DB_8_a_break_point_stops_inside_the_set_in_swift \
    'stops when address.zipCode of User 0x changes' \
    'observable: break: address.zipCode from' SIGTRAP \
    '> obv-why' \
    'calls #8 address.zipCode from User 0x, observer 0x "break on change"' \
    'inside a change: (prompt.swift:' '  called: (prompt.swift:'
cp "$work/swift-O" "$printed"
holds DB_8_what_is_optimized_out_is_said \
    'user has no value here: it is optimized out'
