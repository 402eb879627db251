# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by check.sh: what the commands say of prompt.c.

program=$work/prompt
cc -std=c11 -g -O1 -I "$top/include" -o "$program" "$here/prompt.c" \
    "${core_objects[@]}" -lbsd -pthread >"$printed" 2>&1 ||
    passes "prompt.c builds" false

in_gdb "$program" <<'END'
break rest
run
obv-observers user
obv-observers other
obv-observers user.homes
obv-observers &first.object
END
holds DB_8_the_observers_of_an_object_are_listed \
    '> obv-observers user' 'user 0x' '  age' \
    '    #3 age from user 0x, observer 0x "age cell", immediate (prompt.c:' \
    '  address' \
    '    #1 address.zip from user 0x, observer 0x "zip cell", delayed' \
    '  homes' '    #5 homes.0.zip from user 0x' \
    '  (no property)' '    #8 a\.b from user 0x' \
    '> obv-observers user.homes' 'homes 0x' '  0' \
    '    #5 homes.0.zip from user 0x' \
    '> obv-observers &first.object' 'address 0x' '  zip' \
    '    #10 address.zip from'
holds DB_8_it_says_what_is_pending_and_what_leads_nowhere \
    '"name cell", delayed on loop 0x (prompt.c:' \
    '"zip cell", delayed on loop 0x, pending, leads on (prompt.c:' \
    'delayed on loop 0x, unresolved (prompt.c:'
holds DB_8_a_write_past_the_setter_is_marked \
    '> obv-observers other' '  address' ') NOT WHAT IS STORED' \
    '> obv-observers user.homes'
passes DB_8_DB_2_nothing_else_is_marked \
    [ "$(grep -c 'NOT WHAT IS STORED' "$printed")" -eq 1 ]
holds DB_8_a_name_does_not_drive_the_terminal '"lost\u{a}\u{1b}[2J\u{202e}'

in_gdb "$program" <<'END'
break rest
run
obv-path user address.zip
obv-path user twice
obv-path user lazy
obv-path user failed
obv-path user height
obv-path user homes.count
obv-path user homes.0.zip
obv-path user nothing.zip
print user.age = 50
obv-path user twice
END
holds LL_8_what_is_known_along_a_path_is_read \
    '> obv-path user address.zip' 'user 0x' '  address = address 0x' \
    '  zip = "1020"' \
    '> obv-path user twice' '  twice (computed, valid) = 80' \
    '> obv-path user height' '  height = 1.75' \
    '> obv-path user homes.count' '  homes = homes 0x' '  count = 1'
holds LL_8_nothing_is_computed_for_it \
    '> obv-path user lazy' '  lazy (computed, NOT valid: it has no value yet)' \
    '  failed (computed, NOT valid: it has no value yet): the program' \
    '> print user.age = 50' '  twice (computed, valid) = 80'
holds DB_8_what_cannot_be_shown_is_said \
    '  0: code of the program says what stands there' \
    '  zip: the library knows no object in front of it' \
    '  nothing: user has no such property'

in_gdb "$program" <<'END'
break rest
run
obv-why
obv-why height_handle
obv-why user
tbreak age_changed
continue
obv-why
tbreak obv_loop_drain
continue
obv-why user
delete
tbreak zip_changed
continue
obv-why
END
holds DB_8_what_waits_is_told_with_the_cause_that_is_kept \
    '> obv-why' '#7 name from user 0x' \
    '  it waits for the end of the batch of thread 1' \
    'loop 0x: 1 pending' '#1 address.zip from user 0x' \
    '  address hangs at user 0x' \
    '  zip hangs at address 0x' '  its call waits until loop 0x is drained' \
    '  address.zip: 1 changes, from "1010" to "1020", the last by thread 1 (pro'
holds DB_8_why_it_is_not_called \
    '> obv-why height_handle' '#11 is over: its handle alone is left' \
    '  it has ended, and is called no more' \
    '> obv-why user' 'user 0x: 6 observations' \
    '#5 homes.0.zip from user 0x' '  0 hangs at 0 of homes 0x' \
    '  no call waits, and it was never called' \
    '#8 a\.b from user 0x' \
    '  the path leads nowhere: user has no such property' \
    '> tbreak obv_loop_drain' '> obv-why user' '#4 twice from user 0x' \
    '  its call waits until loop 0x is drained, and for a look at what it is' \
    '  its cause is not kept: a record keeps it, OBV_TRACE=1 tells it'
holds DB_8_the_stack_says_what_has_called \
    '> tbreak age_changed' '> obv-why' '  calls #3 age from user 0x' \
    'inside a change: user_set_age (prompt.c:' \
    '  called: grow_older (prompt.c:' \
    '> tbreak zip_changed' '  calls #1 address.zip from user 0x' \
    'inside a drain: drain_all (prompt.c:' '  called: main (prompt.c:'

in_gdb "$program" <<'END'
break rest
run
obv-graph user
END
holds DB_8_the_graph_shows_ways_and_what_is_computed \
    'user 0x' '  age' '    computes twice of user 0x' \
    '  twice' '    computed of age of user 0x' \
    '  address' '    leads to address 0x' \
    '  homes' '    leads to 0 of homes 0x' \
    'address 0x' '  zip' 'homes 0x' '  0' '    leads to address 0x'

in_gdb "$program" <<'END'
break rest
run
print user
print &user.object
print zip_handle
print height_handle
print path
print $obv_name(path.names, path.elements[0].name)
print (struct obv_object *)&batch
print (struct obv_path *)8
END
holds DB_8_objects_handles_paths_and_names_print_as_text \
    '= {object = user 0x' '= user 0x' '= #1 address.zip from user 0x' \
    '= #11 is over' '= address.zip' '= "address"' \
    '(struct obv_object *) 0x' '(struct obv_path *) 0x'

# Break points -----------------------------------------------------------------

in_gdb "$program" <<'END'
break rest
run
obv-break user address.zip
obv-break user nothing..
obv-break user
continue
backtrace
obv-break user age
continue
END
holds DB_8_a_break_point_stops_inside_the_set \
    'stops when address.zip of user 0x changes' \
    '> obv-break user nothing..' 'it is refused: OBV_E_SYNTAX' \
    '> obv-break user' 'an object and a path are needed' \
    '> continue' 'observable: break: address.zip from "1020" to "1010"' \
    SIGTRAP \
    '> backtrace' move_house ' main ' \
    'stops when age of user 0x changes' 'exited normally'

# In the middle of the library -------------------------------------------------

# Commands that read, each of which works wherever the program stands.
reading='obv-observers user
obv-observers user.homes
obv-observers second
obv-why
obv-why zip_handle
obv-why user
obv-graph user
obv-path user address.zip
obv-path user twice'

in_gdb "$program" <<END
break rest
run
break obv__unlink_locked
continue
obv-break user age
$reading
delete
generate-core-file $work/core
continue
END
holds DB_8_in_the_middle_of_a_set_all_is_read \
    '> obv-break user age' 'the program has stopped inside the library' \
    '> obv-observers user' 'user 0x' 'NOT WHAT IS STORED' \
    '> obv-why' 'thread 1, inside the library' '  changes (prompt.c:' \
    'inside a change: user_set_address (prompt.c:' \
    '  called: move_house (prompt.c:' \
    '> obv-graph user' 'user 0x' '> obv-path user address.zip' \
    '  zip = "1010"' \
    'exited normally'
sed -n '/^> obv-observers/,/^> delete/p' "$printed" >"$work/live"
in_gdb "$program" "$work/core" <<END
$reading
delete
obv-break user age
END
sed -n '/^> obv-observers/,/^> delete/p' "$printed" >"$work/dead"
holds DB_8_a_core_file_has_nothing_to_stop \
    'a core file does not go on: nothing changes there'
passes DB_8_a_core_file_says_the_same_as_the_process \
    cmp "$work/live" "$work/dead"

# Along the lines of the library that a set runs through.
in_gdb "$program" <<END
break rest
run
source $here/step.py
continue
END
holds DB_8_all_along_a_set_it_is_read \
    'looked 0x times' 'went on to its end'

# Memory that is no list any more.
in_gdb "$program" <<'END'
break rest
run
set var $name = (struct obv__watcher *)name_handle
set var $name->next = $name
obv-observers user
set var $name->next = 8
obv-observers user
END
holds DB_8_a_ring_is_left_and_the_next_list_is_read \
    '> obv-observers user' 'user 0x' '  name' '    #7 name from user 0x' \
    '      (stopped here: the list leads back into itself at 0x)' \
    '  age' '    #3 age from user 0x' \
    '> obv-observers user' '  name' '    #7 name from user 0x' \
    '      (stopped here: Cannot access memory at address 0x)' \
    '  age' '    #3 age from user 0x'
in_gdb "$program" <<END
break rest
run
source $here/tear.py
END
holds DB_8_whatever_lies_in_memory_each_walk_ends 'tore 0x words'

in_gdb "$program" <<'END'
break rest
run
python MOST = 5
obv-observers user
obv-graph user
END
holds DB_8_a_long_walk_says_where_it_ends \
    '> obv-observers user' 'user 0x' '    #7 name from user 0x' \
    '      (stopped here: 5 things were looked at)' \
    '> obv-graph user' '    #7 name' '(stopped here: 5 things were looked at)'

# Refusals --------------------------------------------------------------------

in_gdb "$program" <<'END'
obv-observers user
END
holds DB_8_without_a_process_it_says_so 'there is no process, and no core file'

in_gdb "$program" <<'END'
break rest
run
obv-observers 0
obv-observers batch
obv-observers nothing
obv-observers 1 +
set var other.object.word = 0
obv-observers other
END
holds DB_8_what_is_no_object_is_said \
    '> obv-observers 0' 'Cannot access memory' '0 is no observable object' \
    'batch is no observable object' 'No symbol "nothing"' 'syntax error' \
    'obv_object_init() has not made it'

strip --strip-debug -o "$work/stripped" "$program"
in_gdb "$work/stripped" <<'END'
break rest
run
obv-observers &user
obv-why
END
holds DB_8_without_debug_information_it_says_how_to_get_it \
    '> obv-observers' 'the library has no debug information here' \
    '> obv-why' 'the library has no debug information here'

# gdb finds the commands beside a shared library, by the name that CMake gives
# the file.
cc -shared -o "$work/libobservable.so.1" "${core_objects[@]}" -lbsd -pthread
cc -std=c11 -g -I "$top/include" -o "$work/shared" "$here/prompt.c" \
    "$work/libobservable.so.1" -lbsd -Wl,-rpath,"$work"
cp "$script" "$work/libobservable.so.1-gdb.py"
script=/dev/null in_gdb "$work/shared" \
    -iex "set auto-load safe-path $work" <<'END'
break rest
run
obv-observers user
END
holds DB_8_gdb_finds_it_beside_the_library \
    '> obv-observers user' '  age' '"age cell"'
