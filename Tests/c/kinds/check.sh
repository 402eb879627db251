#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Whether a compiler refuses each kind that is not its field's, in every macro
# that states one, and names the mistake; and takes each that is, in silence.
#
#   Tests/c/kinds/check.sh COMPILER [ARGUMENT...]
#
# The arguments choose the language: `-std=c11`, or `-x c++ -std=c++17`.
set -u
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$folder/../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compile FILE ARGUMENT...: what the compiler says of a program.
compile()
{
    local program=$1
    shift
    "$@" -I"$root/include" -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Werror -fsyntax-only "$program" 2>&1
}

# is_scalar KIND: whether any thread may set it.
is_scalar()
{
    case $1 in
    string | bytes | object*) return 1 ;;
    esac
}

# of_a_line KIND: what a line of a table says of it.
of_a_line()
{
    echo "${1%%_of(*}"
}

# program LIST: a struct of one field for each macro that states a kind.
program()
{
    local field kind number=0
    cat <<END
#include <observable/observable.h>
struct other { struct obv_object object; };
struct another { struct obv_object object; };
enum color { RED, GREEN };
enum offset { BEFORE = -1, AFTER = 1 };
union both { int32_t number; char bytes[4]; };
END
    while IFS=';' read -r field kind; do
        kind=${kind// /}
        number=$((number + 1))
        model list_"$number" "$field" "$kind"
        model accessor_"$number" "$field"
        echo "OBV_PROPERTY(accessor_$number, it, $kind, 0)"
        model line_"$number" "$field"
        line line_"$number" "OBV_FIELD(line_$number, it, $(of_a_line "$kind"))"
        if is_scalar "$kind"; then
            model any_"$number" "$field"
            echo "OBV_PROPERTY_ANY_THREAD(any_$number, it, $kind, 0)"
        fi
    done < <(grep -v '^#' "$1")
}

# model TAG FIELD [KIND]: a struct; with a kind, by the list of its properties.
model()
{
    echo "struct $1 { struct obv_object object; $2; };"
    [ $# -lt 3 ] || printf '#define %s_LIST(P) P(%s, it, %s)\n%s\n' \
        "$1" "$1" "$3" "OBV_MODEL($1, $1_LIST) $(used "$1_table")"
}

# used TABLE: what keeps it from being called unused.
used()
{
    echo "extern const void *const of_$1; const void *const of_$1 = &$1;"
}

# line TAG LINE: a table of one line, which is used.
line()
{
    echo "extern const struct obv_property of_$1[];"
    echo "const struct obv_property of_$1[] = {$2};"
}

# The lists are compiled whole; each wrong use must be named.
program "$folder/right.txt" >"$work/right.c"
if ! compile "$work/right.c" "$@"; then
    echo "not ok: what is right is refused"
    failed=1
fi
program "$folder/wrong.txt" >"$work/wrong.c"
compile "$work/wrong.c" "$@" -fmax-errors=0 >"$work/said" ||
    compile "$work/wrong.c" "$@" -ferror-limit=0 >>"$work/said"
number=0
while IFS=';' read -r field kind; do
    number=$((number + 1))
    kind=${kind// /}
    for form in list accessor line any; do
        stated=$kind
        [ $form != line ] || stated=$(of_a_line "$kind")
        [ $form != any ] || is_scalar "$kind" || continue
        # What an object is declared to be, a line does not say.
        [ "$form $kind" != "line object_of(another)" ] || continue
        grep -qF "obv: ${form}_$number.it: kind $stated needs " \
            "$work/said" && continue
        echo "not ok: $kind of '$field' is not refused ($form)"
        failed=1
    done
done < <(grep -v '^#' "$folder/wrong.txt")
[ "$number" -gt 50 ] || failed=1

# Kinds that fit, and that not every thread may set.
cat >"$work/alone.c" <<END
#include <observable/observable.h>
struct alone {
    struct obv_object object;
    const char *text;
    struct alone *next, *other;
    char bytes[2];
};
OBV_PROPERTY_ANY_THREAD(alone, text, string, 0)
OBV_PROPERTY_ANY_THREAD(alone, next, object, 1)
OBV_PROPERTY_ANY_THREAD(alone, other, object_of(alone), 2)
OBV_PROPERTY_ANY_THREAD(alone, bytes, bytes, 3)
END
compile "$work/alone.c" "$@" >"$work/said"
for field in text next other bytes; do
    grep -qF "obv: alone.$field: a property of this kind cannot be set by any" \
        "$work/said" && continue
    echo "not ok: any thread may set '$field'"
    failed=1
done
[ $failed = 0 ] && echo "ok: $number kinds that are wrong, by name"
exit $failed
