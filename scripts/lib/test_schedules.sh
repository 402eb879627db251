# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that run the schedule programs, and those
# that run a test, whichever it is, on copies of the core with one deliberate
# fault each.

# configure_schedules SOURCE BUILD CMAKE-ARGUMENT...
configure_schedules()
{
    cmake -S "$1" -B "$2" -G Ninja -DOBV_WERROR=ON -DOBV_EXAMPLES=OFF \
        -DOBV_SCHEDULER=ON -DOBV_SWIFT=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER=gcc "${@:3}"
}

# A program prints a line `ok NAME: N schedules` for each of its scenarios, and
# ends with status 1 at the first that fails.
step_scheduler()
{
    local folder=$build/scheduler program good=0 bad=0
    configure_schedules . "$folder" -DOBV_TESTS=OFF
    cmake --build "$folder"
    for program in "$folder"/Tests/c/scheduler/*_schedules; do
        echo "== ${program##*/}"
        timeout 900 "$program" >"$folder/out" 2>&1 || bad=$((bad + 1))
        cat "$folder/out"
        good=$((good + $(grep -c '^ok ' "$folder/out")))
    done
    echo "$good passed, $bad failed"
    [ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
}

# costly_scenarios: PROGRAM and NAME of those that step_scheduler runs with one
# preemption less.
costly_scenarios()
{
    local source
    for source in Tests/c/scheduler/*_schedules.c; do
        awk -v program="$(basename "$source" .c)" '
            match($0, /\.name = "[^"]*"/) {
                name = substr($0, RSTART + 9, RLENGTH - 10)
            }
            /\.costly = true/ { print program, name }' "$source"
    done
}

# --full: these with all their preemptions. Some of their schedules are more than
# can be run: each gets so many seconds, and none that was run may have failed.
step_schedules()
{
    local folder=$build/scheduler seconds=${OBV_SCHEDULES_SECONDS:-300}
    local program name status good=0 bad=0
    configure_schedules . "$folder" -DOBV_TESTS=OFF
    cmake --build "$folder"
    while read -r program name; do
        status=0
        OBV_SCHEDULES=full timeout "$seconds" \
            "$folder/Tests/c/scheduler/$program" "$name\$" || status=$?
        case $status in
        0) good=$((good + 1)) ;;
        124)
            echo "ok $name: as far as $seconds seconds went"
            good=$((good + 1))
            ;;
        *) bad=$((bad + 1)) ;;
        esac
    done < <(costly_scenarios)
    echo "$good passed, $bad failed"
    [ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
}

# find_fault PATCH: whether it still applies to the copy, compiles, and makes
# the program that it names fail (with the scenarios, the test or the script that
# it names, if any); to hang is not the way to say so.
find_fault()
{
    local program scenarios status=0
    read -r program scenarios < <(sed -n 's/^# found-by: //p' "$1")
    patch -d "$faults/source" -p1 --fuzz=0 --no-backup-if-mismatch <"$1" &&
        cmake --build "$faults/build" --target "$program" || return 1
    timeout 300 "$(find "$faults/build" -type f -name "$program")" \
        ${scenarios:+"$scenarios"} >"$faults/out" 2>&1 || status=$?
    # Set off: the numbers and failures of a program of tests are not this step's.
    tail -5 "$faults/out" | sed 's/^/    /'
    echo "$program ends with $status"
    # 2: there is no such test.
    [ "$status" -ne 0 ] && [ "$status" -ne 2 ] && [ "$status" -ne 124 ]
}

# The files of a patch as they were; written anew, so that the next build sees
# them.
take_back()
{
    local file
    sed -nE 's,^\+\+\+ [^/]*/([^[:space:]]+).*,\1,p' "$1" |
        while read -r file; do
            cp "$file" "$faults/source/$file"
        done
}

step_faults()
{
    local fault
    faults=$build/faults
    rm -rf "$faults"
    mkdir -p "$faults/source"
    cp -r CMakeLists.txt cmake csrc include Tests "$faults/source"
    configure_schedules "$faults/source" "$faults/build"
    cmake --build "$faults/build" --target obv_scheduled obv_test
    for fault in Tests/c/faults/*/*.patch; do
        check "${fault##*/}" find_fault "$fault"
        take_back "$fault"
    done
    checked
}
