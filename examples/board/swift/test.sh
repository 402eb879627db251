#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the Swift board as a program: as lines and on a terminal (in tmux), on
# this machine, recordings and folders that stand in for /proc, with services
# that are taken, gone, back, or answer nonsense, and on wrong command lines.
#
#     examples/board/swift/test.sh [BOARD]  BOARD: a built one; else it is built

set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)

# shellcheck source=../../../scripts/lib/install.sh
. "$root/scripts/lib/install.sh"
need tmux tmux
need python3 python3-minimal

if [ $# -gt 0 ]; then
    board=$(realpath "$1")
else
    "$root/scripts/demo" --help >/dev/null || exit 1
    board=$root/build/board/.build/release/board
fi

work=$(mktemp -d)
pane=board-$$

# A child that is ended before it has become another program comes here, too.
tidy_up()
{
    [ "$BASHPID" -eq $$ ] || return
    tmux -L "$pane" kill-server
    # shellcheck disable=SC2046
    kill $(jobs -p)
    rm -rf "$work"
}
trap 'tidy_up 2>/dev/null' EXIT
cd "$work" || exit 1

# shellcheck source=../checks.sh
. "$here/../checks.sh"

# until_true COMMAND...: within ten seconds.
until_true()
{
    local tries=200
    until "$@" >until.log 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { cat until.log; return 1; }
        sleep 0.05
    done
}

# begin ARGUMENT...: runs until `end`, its lines to `out`, where the last
# board's are no more.
begin()
{
    : >out
    "$board" --plain "$@" >out 2>err &
    pid=$!
}

# end: a signal ends it well.
end()
{
    kill -INT "$pid" && wait "$pid"
}

# --- As lines ----------------------------------------------------------------

if [ -r /proc/self/stat ]; then
    check "a run on this machine ends by itself" run --seconds 1.5 --plain
    check "the first line says that it is this machine" \
        first_line '^source: /proc, this machine$'
    check "the closing lines are there" closing_lines
    check "their numbers agree" numbers_agree
    check "a reading a second" [ "$(number samples)" -eq 2 ]
    check "the status has one line" says 'status: [0-9]+ processes, load'
    check "nothing goes to standard error" [ ! -s err ]
fi

check "the shipped recording" run --seconds 0.5 --recording
check "the first line says that it is a recording" \
    first_line '^source: the recording .*recording\.txt, as asked$'
check "the closing lines are there" closing_lines
check "the recorded machine" says 'biggest: web browser \(pid [0-9]+\)'
check "without a terminal a note says that lines come instead" \
    says '^board: standard output is no terminal' err
check "in one line" [ "$(wc -l <err)" -eq 1 ]

check "a story that is known" \
    run --seconds 3.6 --plain --alarm 150 --recording-file "$story.txt"
check "is told word for word, as the C board tells it" tells_the_story
check "and every object ends" says '^objects made +[0-9]+, left 0$'

printf 'sample 0\nprocess 1 1 S\n' >broken
check "a broken recording is refused" fails 1 --recording-file broken --plain
check "with its line" says 'broken:2: ' err
check "a recording that is not there is refused" \
    fails 1 --recording-file none --plain

mkdir empty
check "an empty folder" run --proc empty --seconds 0.3 --plain
check "gives way to the recording, and the first line says why" \
    first_line '^source: the recording .*, since empty cannot be read \(.*\)$'

make_proc
begin --proc proc
check "processes that cannot be read are said" until_true \
    says 'note: there are processes whose files cannot be read'
check "also those that end" until_true \
    says 'note: processes end while they are read'
check "what is missing is said" \
    until_true says 'cannot be read: load memory network;'
check "a hostile name is harmless" until_true says 'biggest: in\?it \(pid 1\)'
mend_proc
check "gone with their cause" \
    until_true says 'note over: every process can be read'
check "each of them" \
    until_true says 'note over: no process ends while it is read'
check "and what still is missing" \
    until_true says 'cannot be read: memory network;'
check "a signal ends it well" end
check "with its closing lines" closing_lines

# reader_goes: nobody reads what is printed behind the first line.
reader_goes()
{
    timeout 10 "$board" --recording --plain | head -1 >out
    [ "${PIPESTATUS[0]}" -eq 0 ] && says '^source: '
}

check "a reader that goes away ends it well" reader_goes

# --- The service -------------------------------------------------------------

# A port that nobody uses, most likely.
port=$((20000 + $$ % 10000))

# serve ARGUMENT...: a service of its own, until `serve_no_more`.
serve()
{
    : >served
    "$board" serve --recording --port "$port" >served 2>&1 &
    service=$!
    until_true says "^http://127.0.0.1:$port/reading" served
}

serve_no_more()
{
    kill -INT "$service" && wait "$service"
}

check "a service alone" serve
check "says what it reads" says '^source: the recording .*, as asked$' served
check "its port is taken for another" fails 1 serve --recording --port "$port"
check "in one line" says "port $port is taken" err
begin --recording --port "$port"
check "a board on a taken port says so" until_true says \
    "note: the service cannot be started: port $port is taken; tried again"
check "the service ends when it is asked" serve_no_more
check "then the board has the port" \
    until_true says 'note over: the service answers'
check "and shows the machine" until_true says 'biggest: web browser'
check "it ends well" end

check "the service again" serve
begin --connect "$port"
check "a board connects" until_true says 'biggest: web browser'
check "and says with what" first_line "^source: the service on port $port\$"
check "the service goes away" serve_no_more
check "which is said" until_true \
    says "note: nobody answers on port $port; the last values stand"
check "it comes back" serve
check "and that is said" until_true says 'note over: the service answers'
check "the board ends well" end
check "with its closing lines" closing_lines
check "the service, too" serve_no_more

# answer WHAT: one service after the other that is none.
answer()
{
    python3 - "$port" "$1" <<'END' &
import socket, struct, sys, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen()
head, what = b"HTTP/1.1 200 OK\r\nConnection: close\r\n", sys.argv[2]
kept = []
while True:
    connection, _ = listener.accept()
    connection.recv(4096)
    if what == "cut":
        connection.sendall(head + b'Content-Length: 15\r\n\r\n{"source":"/pro')
    elif what == "short":
        connection.sendall(head + b'Content-Length: 900\r\n\r\n{"source":"/pro')
    elif what == "page":
        connection.sendall(head + b"Content-Length: 13\r\n\r\n<html></html>")
    elif what == "missing":
        connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
    elif what == "else":
        connection.sendall(b"\0\1\2\n")
    elif what == "mute":
        kept.append(connection)
        continue
    connection.close()
END
    service=$!
}

# says_then PATTERN: behind the lines that were known already.
says_then()
{
    tail -n "+$((known + 1))" out >then && says "$1" then
}

# answers WHAT TEXT: what the board says of it.
answers()
{
    known=$(wc -l <out)
    answer "$1"
    until_true says_then "note: $2; the last values stand"
    local result=$?
    kill "$service"
    wait "$service" 2>/dev/null
    return $result
}

begin --connect "$port"
check "nobody is there" until_true says "note: nobody answers on port $port"
check "JSON that is cut" answers cut "the service's answer is cut in the middle"
check "a page" answers page "the service's answer is no reading"
check "a body that breaks off" \
    answers short "the service's answer is cut in the middle"
check "another status" answers missing "the service answers with status 404"
check "what is no HTTP" answers else "the service's answer is no reading"
check "silence" answers mute "the service says nothing"
check "a real one" serve
check "is understood" until_true says 'note over: the service answers'
check "the board ends well" end
check "it made no object that it left" says '^objects made +[0-9]+, left 0$'
check "the service, too" serve_no_more

if unshare -rn true 2>/dev/null; then
    check "a system without loopback" timeout 10 \
        unshare -rn "$board" --recording --plain --seconds 0.5
    cp check.log out
    check "is told of" says 'cannot be (started|reached).*(loopback|network)'
else
    echo "note: no network namespace here: a missing loopback is not tried"
fi

# --- The inspector ------------------------------------------------------------

# page TARGET: what the inspector answers there, in `page`.
page()
{
    python3 - "$(sed -n 's/^inspect: //p' out)$1" >page <<'END'
import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode())
END
}

begin --recording --inspect
check "the inspector says where" \
    until_true says '^inspect: http://127\.0\.0\.1:[0-9]+/$'
check "behind what is shown" first_line '^source: '
check "its page is there" page ''
check "and is one" says '<title>Observations</title>' page
check "the machine is on it" page 'graph?root=machine'
check "with the views' paths" says '"path":"biggest\.' page
check "it ends well" end
check "and every object ends" says '^objects made +[0-9]+, left 0$'
begin --recording
check "nothing is served that was not asked for" until_true says 'biggest: '
check "and nothing is said of it" [ -z "$(sed -n '/^inspect/p' out)" ]
check "it ends well" end

# --- Beside another program --------------------------------------------------

cat >beside <<'END'
#!/bin/bash
trap 'echo "samples            7"; exit' INT
echo "hello with $*"
while :; do read -rt 0.1 <> <(:); done
END
chmod +x beside
check "another program beside it" \
    run --recording --seconds 1.2 --plain --with-c ./beside
check "the first line is the board's" first_line '^source: '
check "its lines are told apart" \
    says '^c      hello with --plain .*--seconds 1\.2'
check "from the board's" says '^swift +[0-9.]+ s  status: '
check "it is interrupted, and its statistics come last" \
    [ "$(tail -1 out)" = 'c      samples            7' ]
check "behind the board's" closing_lines 'swift  '

# --- The command line --------------------------------------------------------

check "--help" run --help
check "says what there is" says 'SUBCOMMANDS'
check "of showing as well" run show --help
check "every option" says '--connect'
check "an unknown option" fails 64 --unknown
check "no number" fails 64 --seconds x
check "no time at all" fails 64 --seconds 0
check "no alarm" fails 64 --alarm -1
check "no port" fails 64 --port 65536
check "two ports" fails 64 --port 1 --connect 2
check "no program" fails 64 --with-c "$work/none"
check "an argument too many" fails 64 now

# --- A terminal --------------------------------------------------------------

on_pane()
{
    tmux -L "$pane" "$@"
}

# A shell whose prompt is known, 100 columns wide and 30 rows high.
open_pane()
{
    on_pane -f /dev/null new-session -d -x 100 -y 30 \
        "env PS1='prompt> ' LC_ALL=C.UTF-8 bash --norc --noprofile" &&
        until_true shows '^prompt>'
}

# shows PATTERN: a line that stands on the screen.
shows()
{
    on_pane capture-pane -p >screen && says "$1" screen
}

shows_not()
{
    on_pane capture-pane -p >screen && ! grep -qE -e "$1" screen
}

# size COLUMNS ROWS
size()
{
    on_pane resize-window -x "$1" -y "$2"
}

# start ARGUMENT...: the board in the pane, until it shows the machine.
start()
{
    on_pane send-keys "$board $*" Enter
    until_true shows '^ +[0-9]+ +web browser .* [0-9]+\.[0-9]$'
}

press()
{
    on_pane send-keys "$@"
}

# fills COLUMNS: some line ends in the last column, and none further.
fills()
{
    on_pane capture-pane -p >screen
    [ "$(LC_ALL=C.UTF-8 wc -L <screen)" -eq "$1" ] || { cat screen; false; }
}

# The prompt, a cursor, the first screen again, and a sane terminal.
is_clean()
{
    local flags='#{alternate_on}#{cursor_flag}#{wrap_flag}'
    local modes='-?(icanon|echo|isig)\b'
    until_true shows 'objects made .* left 0$' &&
        until_true shows '^prompt> *$' &&
        [ "$(on_pane display -p "$flags")" = 011 ] &&
        press "clear; stty -a | grep -oE -e '$modes'; echo end" Enter &&
        until_true shows '^end$' && shows '^icanon$' && shows '^echo$'
}

if LC_ALL=C.UTF-8 open_pane; then
    check "on a terminal" start --recording
    check "the keys are there" shows '^q quit +s stop the service'
    check "the source" shows '^board +the recording .* load [0-9]'
    check "the whole width is used" until_true fills 100
    size 40 16
    check "40 columns" until_true fills 40
    check "a name, memory and a share of the processor" \
        until_true shows '^ +[0-9]+ +web bro.* MiB +[0-9.]+$'
    check "the keys are still there" until_true shows '^q quit'
    size 1 1
    check "one single cell" until_true shows '^(b|…)$'
    size 200 50
    check "200 columns" until_true fills 200
    size 100 30
    check "and back" until_true fills 100
    check "with all columns" until_true shows 'PID +NAME +S +THR +MEMORY +CPU %'
    press s
    check "s stops the service" until_true \
        shows '^note: the service is stopped; the last values stand'
    check "the header tells since when" \
        until_true shows 'no reading for [0-9]+ s'
    press s
    check "and starts it" until_true shows_not 'note:'
    press n
    check "n lets it answer otherwise: cut" until_true \
        shows "^note: the service's answer is cut in the middle"
    press n
    check "nonsense" \
        until_true shows "^note: the service's answer is no reading"
    press n
    check "not at all" until_true shows '^note: the service says nothing'
    press n
    check "and well again" until_true shows_not 'note:'
    press C-z
    check "Ctrl-Z stops it" until_true shows '^\[1\]\+ +Stopped'
    press fg Enter
    check "and fg brings it back" until_true shows '^q quit'
    press q
    check "q leaves a clean terminal" is_clean
    check "the board again, with an alarm" start --recording --alarm 100
    check "which is given" shows '^alarm: .* uses more than 100\.0 MiB'
    press C-c
    check "Ctrl-C leaves a clean terminal" is_clean
    check "beside another program" start --recording --with-c "$work/beside"
    check "whose lines have a pane" until_true shows '^hello with --plain'
    press q
    check "q ends both" is_clean
    press "clear; TERM=dumb $board --recording --seconds 0.3" Enter
    check "a terminal without a cursor" until_true shows '^board: TERM tells'
    check "gets lines" until_true shows '[0-9] s  biggest: web browser'
else
    echo "note: tmux does not start here: the terminal is not tried"
fi

checked
