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

# shellcheck source=../checks.sh
. "$here/../checks.sh"

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

check "a story that is known" \
    run --seconds 2.4 --plain --alarm 150 --recording="$story.txt"
check "is told word for word" tells_the_story
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

# After a second the causes are gone.
make_proc
(sleep 1.2 && mend_proc) &
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
    echo "note: no pseudo-terminal here: drawing in place is not tried"
fi
check "a signal ends it well" \
    timeout --preserve-status -k 30 -s INT 3 "$board" --recording --plain
cp check.log out
check "with its closing lines" closing_lines
check "--help" run --help
check "says the usage" says '^usage: board'
check "an unknown option" fails 2 --unknown
check "no number" fails 2 --seconds x
check "no time at all" fails 2 --seconds 0
check "an argument too many" fails 2 now
check "says what to try" says 'board --help' err

checked
