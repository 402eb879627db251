# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the examples in Swift and the demonstration. Those in C
# are among the tests of each build.

examples=$build/examples/.build

build_examples()
{
    local log=$build/examples.log status=0
    "$swift_bin/swift" build --package-path examples \
        --scratch-path "$examples" -Xswiftc -warnings-as-errors -Xcc -Werror \
        >"$log" 2>&1 || status=$?
    cat "$log"
    [ "$status" -eq 0 ] && ! grep -q 'warning:' "$log"
}

# The programs as the README's table links them, and as they lie there.
programs_in_the_table()
{
    grep '^|' examples/README.md | grep -oE '\[(C|Swift)\]\([^)]+\)' |
        sed 's/.*(\(.*\))/\1/' | sort
}
programs_there()
{
    (cd examples && ls ./*/main.c ./*/main.swift) | sed 's,^\./,,' | sort
}
table_says_what_is_there()
{
    diff <(programs_in_the_table) <(programs_there)
}

# Every folder with a program says what it prints.
outputs_are_there()
{
    local program missing=0
    for program in $(programs_there); do
        if [ ! -s "examples/${program%/*}/output.txt" ]; then
            echo "examples/${program%/*}/output.txt is missing"
            missing=1
        fi
    done
    return "$missing"
}

step_examples()
{
    local folder idea
    check "the README's table names every program" table_says_what_is_there
    check "every folder has its output" outputs_are_there
    check "the package" build_examples
    for folder in examples/*/; do
        idea=$(basename "$folder")
        if [ -e "$folder/main.swift" ]; then
            check "$idea" examples/check.sh "$examples/debug/$idea" \
                "examples/$idea/output.txt"
        fi
    done
    checked
}

# The warnings of the packages that it is made of are theirs.
build_order_server()
{
    local log=$build/order_server.log status=0
    "$swift_bin/swift" build --package-path examples/order_server \
        --scratch-path "$build/order_server/.build" >"$log" 2>&1 || status=$?
    cat "$log"
    [ "$status" -eq 0 ] &&
        ! grep -q 'examples/order_server/.* warning:' "$log"
}

fifty_clients()
{
    local clients=$build/order_server/clients
    printf '#!/bin/sh\nexec %s --seconds 20\n' \
        "$build/order_server/.build/debug/order_clients" >"$clients"
    chmod +x "$clients"
    examples/check.sh "$clients" examples/order_server/output.txt
}

step_order_server()
{
    check "the package" build_order_server
    check "fifty clients" fifty_clients
    checked
}

# On a display that nobody sees, drawn without a graphics card.
gtk_list_shows()
{
    local on_display=$build/gtk/on_display
    printf '#!/bin/sh\nexec xvfb-run -a %s --check\n' "$1" >"$on_display"
    chmod +x "$on_display"
    GSK_RENDERER=cairo GTK_A11Y=none \
        examples/check.sh "$on_display" examples/gtk_list/output.txt
}

step_gtk()
{
    need pkg-config pkg-config
    pkg-config --exists gtk4 || install_packages "GTK 4" libgtk-4-dev
    need xvfb-run xvfb xauth
    mkdir -p "$build/gtk"
    check "in C, built" sh -c "cmake -S . -B '$build/gtk/c' -G Ninja \
        -DOBV_GTK=ON -DOBV_TESTS=OFF -DOBV_SWIFT=OFF &&
        cmake --build '$build/gtk/c' --target gtk_list"
    check "in C, its rows" gtk_list_shows "$build/gtk/c/examples/gtk_list"
    check "in Swift, built" "$swift_bin/swift" build \
        --package-path examples/gtk_list/swift \
        --scratch-path "$build/gtk/swift" -Xswiftc -warnings-as-errors
    check "in Swift, its rows" gtk_list_shows "$build/gtk/swift/debug/gtk_list"
    checked
}

# The command that examples/board/README.md names, and what it promises to print
# of both.
step_demo()
{
    local language label
    scripts/demo --seconds 10 --plain | tee "$build/demo.out"
    check "the first line says what is shown" \
        sh -c "head -1 '$build/demo.out' | grep -q '^source: '"
    for language in swift c; do
        for label in 'properties set' 'real changes' 'blocks called' \
            'coalescing ratio' 'slowest drain'; do
            check "$label, $language" \
                grep -qE "^$language +$label +[0-9]" "$build/demo.out"
        done
    done
    checked
}

# What it is made of, and the program as scripts/demo has built it.
step_board()
{
    local failed=0
    scripts/demo --help >/dev/null
    scripts/demo --c --help >/dev/null
    examples/board/why.sh || failed=1
    swift_tests_of examples/board/swift "$build/board/.build" || failed=1
    examples/board/swift/test.sh build/board/.build/release/board || failed=1
    return "$failed"
}
