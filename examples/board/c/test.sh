#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the board program: on this machine, on recordings, on folders that
# stand in for /proc, on a terminal, and on wrong command lines.
#
#     examples/board/c/test.sh [BOARD]     BOARD: a built one; else it is built

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -gt 0 ]; then
    board=$(realpath "$1")
else
    "$here/../../../scripts/demo" --help >/dev/null || exit 1
    board=$here/../../../build/examples/board
fi

work=$(mktemp -d)
hog=
trap 'exec 2>/dev/null; [ -z "$hog" ] || kill $hog; rm -rf "$work"' EXIT
cd "$work" || exit 1

passed=0
failed=0

# check TEXT COMMAND...: the command succeeds.
check()
{
    local text=$1
    shift
    if "$@" >check.log 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: $text"
        sed 's/^/    /' check.log
    fi
}

# says PATTERN [FILE]: a line of what the board printed.
says()
{
    grep -qE -e "$1" "${2:-out}" || { cat "${2:-out}"; false; }
}

says_not()
{
    ! says "$1" >/dev/null || { cat out; false; }
}

first_line()
{
    head -1 out | grep -qE "$1" || { cat out; false; }
}

# run ARGUMENT...: the board's lines to `out`, its errors to `err`.
run()
{
    "$board" "$@" >out 2>err
}

# fails STATUS ARGUMENT...: ends with that status.
fails()
{
    local expected=$1
    shift
    run "$@"
    [ $? -eq "$expected" ] || { cat out err; false; }
}

# number LABEL: the first number of a closing line.
number()
{
    sed -n "s/^$1 *\([0-9][0-9.]*\).*/\1/p" out
}

closing_lines()
{
    local label
    for label in samples 'properties set' 'real changes' 'blocks called' \
        'coalescing ratio' 'slowest drain' 'objects made'; do
        [ -n "$(number "$label")" ] || { echo "no $label"; cat out; return 1; }
    done
    says '^slowest drain .* us' && says '^objects made .* left 0$'
}

# As many changes as sets at most, and at least one block.
numbers_agree()
{
    [ "$(number 'properties set')" -ge "$(number 'real changes')" ] &&
        [ "$(number 'real changes')" -gt 0 ] &&
        [ "$(number 'blocks called')" -gt 0 ] || { cat out; false; }
}

# --- This machine ------------------------------------------------------------

# The process that uses most memory, as the machine itself tells: its pid.
biggest_pid()
{
    local file pages most=0 best=0
    for file in /proc/[0-9]*/statm; do
        { read -r _ pages _ <"$file"; } 2>/dev/null || continue
        if [ "$pages" -gt "$most" ]; then
            most=$pages
            best=${file//[!0-9]/}
        fi
    done
    echo "$best"
}

# A process that holds 256 MiB and lives as long as the test: tail keeps its
# input's last line, and there is but one.
start_hog()
{
    mkfifo hold
    tail <hold >/dev/null &
    hog=$!
    exec 9>hold
    head -c 256m /dev/zero >&9
}

same_process()
{
    local line pid name
    line=$(grep -m1 -oE 'biggest: .* \(pid [0-9]+\)' out) || return 1
    pid=${line##*pid }
    pid=${pid%)}
    name=${line#biggest: }
    name=${name% (pid*}
    echo "printed: $name ($pid); before $before, after $after"
    if [ "$before" = "$after" ] && [ "$pid" != "$before" ]; then
        return 1
    fi
    # One that has ended since cannot be compared; the test's own has not.
    [ ! -e "/proc/$pid" ] || [ "$name" = "$(cat "/proc/$pid/comm")" ]
}

if [ -r /proc/self/stat ]; then
    start_hog
    before=$(biggest_pid)
    check "a run on this machine ends by itself" \
        run --seconds 2 --plain --record recorded
    after=$(biggest_pid)
    check "the first line says that it is this machine" \
        first_line '^source: /proc, this machine$'
    check "the closing lines are there" closing_lines
    check "their numbers agree" numbers_agree
    check "two samples a second" [ "$(number samples)" -le 4 ]
    check "the biggest process is the machine's own" same_process
    check "the load is observed through *" says 'load: [0-9]'
    check "the status has one line" says 'status: [0-9]+ processes, load'
    check "its own recording can be shown" \
        run --seconds 1 --plain --recording=recorded
    check "and holds the same process" same_process
    kill "$hog"
    hog=
    exec 9>&-
fi

# --- Recordings --------------------------------------------------------------

check "the shipped recording" run --seconds 2 --plain --recording
check "the first line says that it is a recording" \
    first_line '^source: the recording .*recording\.txt, as asked$'
check "the closing lines are there" closing_lines
check "the recorded machine" says 'biggest: web browser \(pid [0-9]+\)'

# 7 is the biggest, sleeps and stops; 8 takes its place above the alarm, and
# ends; 7 is the biggest again, and another process has its pid.
cat >story <<'END'
sample 0
load 1.00 0.50 0.25 1 90
memory 1073741824 536870912
interface 5 5 lo
interface 1024 2048 eth0
process 7 100 S 1 104857600 1000 a b) c
sample 500
load 1.00 0.50 0.25 1 90
memory 1073741824 536870912
interface 9000 9000 lo
interface 1024 2048 eth0
process 7 100 T 1 104857600 1250 a b) c
process 8 200 T 3 52428800 10 second
sample 1000
memory 1073741824 536870912
process 7 100 T 1 104857600 1250 a b) c
process 8 200 T 3 209715200 510 second
sample 1500
load 2.00 1.00 0.50 2 91
memory 1073741824 268435456
process 7 300 R 1 104857600 0 seventh again
END
# The last moment once more: nothing changes, and a slow machine has time.
sed -n '/^sample 1500$/,$p' story | sed 's/1500$/2000/' >again
cat again >>story
sed 's/^ *[0-9.]* s  //' >expected <<'END'
0.00 s  status: 1 processes, load 1.00, 512.0 MiB available, network 1 KiB in, 2 KiB out
0.00 s  load: 1.00 0.50 0.25, 1 of 90 tasks run
0.00 s  memory: 512.0 MiB of 1.0 GiB available
0.00 s  biggest: a b) c (pid 7)
0.00 s  biggest is sleeping
0.00 s  biggest uses 100.0 MiB
0.50 s  status: 2 processes, load 1.00, 512.0 MiB available, network 1 KiB in, 2 KiB out
0.50 s  biggest is stopped
0.50 s  busiest: a b) c (pid 7), 50 % of a processor
1.00 s  alarm: second uses more than 150.0 MiB
1.00 s  biggest: second (pid 8)
1.00 s  biggest uses 200.0 MiB
1.00 s  busiest: second (pid 8), 100 % of a processor
1.00 s  note: cannot be read: load network; the last values stand
1.50 s  alarm: over
1.50 s  status: 1 processes, load 2.00, 256.0 MiB available, network 1 KiB in, 2 KiB out
1.50 s  load: 2.00 1.00 0.50, 2 of 91 tasks run
1.50 s  memory: 256.0 MiB of 1.0 GiB available
1.50 s  biggest: seventh again (pid 7)
1.50 s  biggest is running
1.50 s  biggest uses 100.0 MiB
1.50 s  busiest: none, all rest
1.50 s  note: cannot be read: network; the last values stand
END

# The order inside one moment is the library's; it is not what is compared.
moments()
{
    sed -nE 's/^ *[0-9]+\.[0-9]+ s  //p' out | sort >got
    sort expected | diff - got
}

check "a story that is known" \
    run --seconds 2.4 --plain --alarm 150 --recording=story
check "is told word for word" moments
check "and every object ends" says '^objects made +8, left 0$'

printf 'sample 0\nprocess 1 1 S\n' >broken
check "a broken recording is refused" fails 1 --recording=broken --plain
check "with its line" says 'broken:2: ' err
check "a recording that is not there is refused" \
    fails 1 --recording=none --plain --seconds 1

# --- Where /proc cannot be read ----------------------------------------------

mkdir empty
check "an empty folder" run --proc empty --seconds 1 --plain
check "gives way to the recording, and the first line says why" \
    first_line '^source: the recording .*, since empty cannot be read \(.*\)$'
check "no folder" run --proc none --seconds 1 --plain
check "gives way to the recording" first_line ', since none cannot be read'

# stat_line PID NAME PAGES
stat_line()
{
    echo "$1 ($2) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 99 1000000 $3 0"
}

# Process 1 is there; 2 has ended meanwhile; 3 cannot be read. After a second
# the causes are gone.
mkdir -p proc/1 proc/2 proc/3/stat
stat_line 1 $'in\033it' 100 >proc/1/stat
mend()
{
    sleep 1.2
    rmdir proc/2 proc/3/stat proc/3
    echo '0.10 0.20 0.30 1/50 3' >proc/loadavg
}
mend &
check "processes that cannot be read" run --proc proc --seconds 2.4 --plain
wait $!
check "are said" says 'note: there are processes whose files cannot be read'
check "also those that end" says 'note: processes end while they are read'
check "once" [ "$(grep -c 'note: proc' out)" -eq 1 ]
check "and gone with their cause" says 'note over: every process can be read'
check "each of them" says 'note over: no process ends while it is read'
check "what is missing is said" says 'cannot be read: load memory network;'
check "and what still is" says 'cannot be read: memory network;'
check "a hostile name is harmless" says 'biggest: in\?it \(pid 1\)'

# --- A terminal, and the command line ----------------------------------------

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    check "on a terminal" script -qec \
        "'$board' --recording --seconds 1" /dev/null </dev/null
    cp check.log out
    check "rows are drawn in place" says $'\033\[[0-9]+A.*biggest: web browser'
else
    echo "note: this system gives no pseudo-terminal: drawing in place is not tried"
fi
check "a signal ends it well" timeout --preserve-status -s INT 1 "$board" --recording --plain
cp check.log out
check "with its closing lines" closing_lines
check "--help" run --help
check "says the usage" says '^usage: board'
check "an unknown option" fails 2 --unknown
check "no number" fails 2 --seconds x
check "no time at all" fails 2 --seconds 0
check "an argument too many" fails 2 now
check "says what to try" says 'board --help' err

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
