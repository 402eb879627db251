# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that look at the library from outside, as
# somebody who installed it.

prefix=$build/prefix

# Installs the library alone, as a packager would, below build-test/prefix, and
# points the tools of this shell at it.
installed()
{
    cmake -S . -B "$build/library" -G Ninja -DOBV_WERROR=ON -DOBV_TESTS=OFF \
        -DOBV_EXAMPLES=OFF -DOBV_SWIFT=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_COMPILER=gcc
    cmake --build "$build/library"
    rm -rf "$prefix"
    cmake --install "$build/library" --prefix "$prefix" >/dev/null
    local folder
    folder=$(dirname "$(find "$prefix" -name observable.pc)")
    export PKG_CONFIG_PATH=$folder LD_LIBRARY_PATH=${folder%/pkgconfig}
    export CMAKE_PREFIX_PATH=$prefix
}

warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

step_headers()
{
    local header name standard
    for header in include/observable/*.h; do
        name=observable/${header##*/}
        # Twice: a header is guarded, and needs nothing in front of it.
        printf '#include <%s>\n#include <%s>\nint obv_used;\n' \
            "$name" "$name" >"$build/header.c"
        cp "$build/header.c" "$build/header.cpp"
        check "$name, C11, gcc" gcc -std=c11 "${warnings[@]}" \
            -Iinclude -fsyntax-only "$build/header.c"
        check "$name, C11, clang" "$swift_bin/clang" -std=c11 "${warnings[@]}" \
            -Iinclude -fsyntax-only "$build/header.c"
        for standard in 17 20 23; do
            check "$name, C++$standard, g++" g++ -std=c++$standard \
                "${warnings[@]}" -Iinclude -fsyntax-only "$build/header.cpp"
            check "$name, C++$standard, clang" "$swift_bin/clang" \
                -std=c++$standard "${warnings[@]}" -Iinclude -fsyntax-only \
                "$build/header.cpp"
        done
    done
    local kinds=Tests/c/kinds/check.sh
    check "kinds and fields, C11, gcc" $kinds gcc -std=c11
    check "kinds and fields, C11, clang" $kinds "$swift_bin/clang" -std=c11
    for standard in 17 20 23; do
        check "kinds and fields, C++$standard, g++" \
            $kinds g++ -x c++ -std=c++$standard
        check "kinds and fields, C++$standard, clang" \
            $kinds "$swift_bin/clang" -x c++ -std=c++$standard
        # What a designated initialiser leaves out is zero.
        check "each macro, C++$standard, g++" g++ -std=c++$standard \
            "${warnings[@]}" -Wno-missing-field-initializers -Iinclude \
            -fsyntax-only Tests/consumer/macros.cpp
        check "each macro, C++$standard, clang" "$swift_bin/clang" \
            -std=c++$standard "${warnings[@]}" \
            -Wno-missing-field-initializers -Iinclude -fsyntax-only \
            Tests/consumer/macros.cpp
    done
    checked
}

# consumer COMPILER... : builds and runs Tests/consumer/consumer.c, .cpp.
consumer()
{
    local program=$build/consumer
    rm -f "$program"
    "$@" -o "$program" && "$program"
}

# The same of one that its environment traces: it names no function of that.
traced_consumer()
{
    consumer "$@" &&
        OBV_TRACE=1 "$build/consumer" 2>&1 >/dev/null |
        grep '^observable: thread' >/dev/null
}

consumer_by_cmake()
{
    rm -rf "$build/consumer_cmake"
    cmake -S Tests/consumer -B "$build/consumer_cmake" -G Ninja &&
        cmake --build "$build/consumer_cmake" &&
        ctest --test-dir "$build/consumer_cmake" --output-on-failure
}

# Without libbsd a program is not configured for the static library, and one of
# the shared library is.
consumer_without_libbsd()
{
    local folder of=$build/consumer_without
    folder=$(dirname "$(realpath -s "$(gcc -print-file-name=libbsd.so)")")
    rm -rf "$of"
    cmake -S Tests/consumer -B "$of" -G Ninja -DOBV_STATIC=OFF \
        -DCMAKE_IGNORE_PATH="$folder;${folder#/usr}" &&
        ! cmake -S Tests/consumer -B "$of" -DOBV_STATIC=ON >"$of/log" 2>&1 &&
        grep -q 'observable::libbsd' "$of/log"
}

# A Swift program imports the installed library through its module map.
consumer_in_swift()
{
    "$swift_bin/swiftc" -I "$prefix/include" -L "$LD_LIBRARY_PATH" \
        -o "$build/consumer_swift" Tests/consumer/consumer.swift &&
        "$build/consumer_swift"
}

step_install()
{
    local shared static
    installed
    read -ra shared < <(pkg-config --cflags --libs observable)
    # All of the library's own code from the archive, the rest as it comes.
    read -ra static < <(pkg-config --static --cflags --libs observable |
        sed 's/-lobservable/-l:libobservable.a/')
    cd Tests/consumer
    check "C, shared" traced_consumer gcc -std=c11 "${warnings[@]}" \
        consumer.c "${shared[@]}"
    check "C, static" traced_consumer gcc -std=c11 "${warnings[@]}" \
        consumer.c "${static[@]}"
    check "C, a static program" traced_consumer gcc -static -std=c11 \
        "${warnings[@]}" consumer.c "${static[@]}"
    check "C, clang" consumer "$swift_bin/clang" -std=c11 "${warnings[@]}" \
        consumer.c "${shared[@]}"
    check "C, the calls of the guide" consumer gcc -std=c11 \
        "${warnings[@]}" calls.c "${shared[@]}"
    check "C, derived collections" consumer gcc -std=c11 \
        "${warnings[@]}" derived.c \
        $(pkg-config --cflags --libs observable_derived)
    check "C++, shared" consumer g++ -std=c++17 "${warnings[@]}" \
        consumer.cpp "${shared[@]}"
    check "C++, static" consumer g++ -std=c++17 "${warnings[@]}" \
        consumer.cpp "${static[@]}"
    check "C++, each macro" consumer g++ -std=c++20 "${warnings[@]}" \
        -Wno-missing-field-initializers macros.cpp "${shared[@]}"
    check "C++, clang" consumer "$swift_bin/clang++" -std=c++17 \
        "${warnings[@]}" consumer.cpp "${shared[@]}"
    cd "$root"
    check "find_package" consumer_by_cmake
    check "find_package, without libbsd" consumer_without_libbsd
    check "Python, ctypes" python3 Tests/consumer/loaded.py \
        "$LD_LIBRARY_PATH/libobservable.so"
    check "Swift, module map" consumer_in_swift
    check "the commands of gdb, by the name that it looks for" \
        cmp gdb/observable.py \
        "$(readlink -f "$LD_LIBRARY_PATH/libobservable.so")-gdb.py"
    checked
}

only_obv_names()
{
    nm -D --defined-only "$LD_LIBRARY_PATH/libobservable.so" \
        "$LD_LIBRARY_PATH/libobservable_derived.so" \
        "$LD_LIBRARY_PATH/libobservable_inspect.so" |
        awk 'NF == 3 && $3 !~ /^obv_[a-z]/ { print "exported:", $3; bad = 1 }
             END { exit bad || NR == 0 }'
}

# What the headers declare is what the two libraries export: no program compiles and
# then does not link, and nothing is exported that no header declares.
declared_is_exported()
{
    printf '#include <observable/%s>\n' \
        $(cd include/observable && echo *.h) >"$build/all.c"
    gcc -std=c11 -Iinclude -aux-info "$build/declared" -fsyntax-only \
        "$build/all.c" &&
        sed -nE 's,^/\* include/.* \*/ extern [^(]*[ *](obv_\w+) \(.*,\1,p' \
            "$build/declared" | sort -u >"$build/declared.names"
    nm -D --defined-only "$LD_LIBRARY_PATH/libobservable.so" \
        "$LD_LIBRARY_PATH/libobservable_derived.so" \
        "$LD_LIBRARY_PATH/libobservable_inspect.so" |
        awk '$2 == "T" { print $3 }' | sort -u >"$build/exported.names"
    diff "$build/declared.names" "$build/exported.names"
}

# A function that a program could write of others is inline in its header.
few_names()
{
    local count
    count=$(nm -D --defined-only "$LD_LIBRARY_PATH/libobservable.so" |
        grep -c ' T obv_')
    echo "$count functions"
    [ "$count" -le 220 ]
}

step_exports()
{
    installed
    check "names" only_obv_names
    check "declared is exported" declared_is_exported
    check "no more than 220 of them" few_names
    check "soname" sh -c "readelf -d '$LD_LIBRARY_PATH/libobservable.so' |
        grep -q 'SONAME.*libobservable.so.0.1\]'"
    check "no internal name in the headers" sh -c \
        "! grep -n 'obv__' '$prefix'/include/observable/*.h"
    checked
}
