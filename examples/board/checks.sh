# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by c/test.sh and swift/test.sh: what both ask of a board, in the
# folder that they work in. $board is the program; what it has printed is in
# `out`, its errors are in `err`.

passed=0
failed=0

# The recording $story.txt, which both boards tell in the lines of $story.out.
story=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/story

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

# checked: says how many did, and fails if one did not.
checked()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# --- Running it --------------------------------------------------------------

# run ARGUMENT...: the board's lines to `out`, its errors to `err`.
run()
{
    timeout -k 5 20 "$board" "$@" >out 2>err
}

# fails STATUS ARGUMENT...: ends with that status, and says why.
fails()
{
    local expected=$1
    shift
    run "$@"
    [ $? -eq "$expected" ] && [ -s err ] || { cat out err; false; }
}

# --- What it printed ---------------------------------------------------------

# says PATTERN [FILE]: a line of what the board printed.
says()
{
    grep -qE -e "$1" "${2:-out}" || { cat "${2:-out}"; false; }
}

# first_line PATTERN: of what it printed.
first_line()
{
    head -1 out | grep -qE "$1" || { cat out; false; }
}

# number LABEL [PREFIX]: the first number of a closing line.
number()
{
    sed -n "s/^${2:-}$1 *\([0-9][0-9.]*\).*/\1/p" out
}

# closing_lines [PREFIX]: all of them are there, and no object is left.
closing_lines()
{
    local label
    for label in samples 'properties set' 'real changes' 'blocks called' \
        'coalescing ratio' 'slowest drain' 'objects made'; do
        [ -n "$(number "$label" "${1:-}")" ] ||
            { echo "no $label"; cat out; return 1; }
    done
    says "^${1:-}slowest drain .* us" && says "^${1:-}objects made .* left 0\$"
}

# numbers_agree: as many changes as sets at most, and at least one block.
numbers_agree()
{
    [ "$(number 'properties set')" -ge "$(number 'real changes')" ] &&
        [ "$(number 'real changes')" -gt 0 ] &&
        [ "$(number 'blocks called')" -gt 0 ] || { cat out; false; }
}

# tells_the_story: word for word, in any order, which is the library's.
tells_the_story()
{
    sed -nE 's/^ *[0-9]+\.[0-9]+ s  //p' out | sort >got
    sort "$story.out" | diff - got
}

# --- A folder that stands in for /proc ---------------------------------------

# stat_line PID NAME PAGES: a process as its file stat tells it.
stat_line()
{
    echo "$1 ($2) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 99 1000000 $3 0"
}

# make_proc: `proc`: 1 is there; 2 has ended meanwhile; 3 cannot be read.
make_proc()
{
    mkdir -p proc/1 proc/2 proc/3/stat
    stat_line 1 $'in\033it' 100 >proc/1/stat
}

# mend_proc: only process 1 is left, and the load is there.
mend_proc()
{
    rmdir proc/2 proc/3/stat proc/3
    echo '0.10 0.20 0.30 1/50 3' >proc/loadavg
}
