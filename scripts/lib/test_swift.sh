# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps of the Swift package and of the installed
# overlay. What several of them need is built once, by whichever comes first.

# package FOLDER COMMAND ARGUMENT...: `swift COMMAND` on this package, built in
# build-test/FOLDER/.build. Always with the same flags: others compile it all
# anew. A folder of another name inside the package, whose C target begins at its
# top, cannot be built in twice: the package manager takes what it has built
# there for a change of the package ("unknown build description").
package()
{
    local folder=$1 command=$2
    shift 2
    "${fixed_addresses[@]}" timeout 1200 "$swift_bin/swift" "$command" \
        --scratch-path "$build/$folder/.build" \
        -Xswiftc -warnings-as-errors -Xcc -Werror "$@"
}

# build_package ARGUMENT...: what the package manager itself warns of is no
# error, but is not wanted.
build_package()
{
    local log=$build/swift.log status=0
    package swift build "$@" >"$log" 2>&1 || status=$?
    cat "$log"
    [ "$status" -eq 0 ] && ! grep -q 'warning:' "$log"
}

# symbol_graph MODULE FOLDER ARGUMENT...: what the compiler knows of the public
# declarations of a module, which is built first. The target is the name of the
# folder above that of the built modules.
symbol_graph()
{
    local module=$1 folder=$2 products
    shift 2
    package swift build --target "$module"
    products=$(package swift build --show-bin-path)
    mkdir -p "$folder"
    "$swift_bin/swift" symbolgraph-extract -module-name "$module" \
        -target "$(basename "$(dirname "$products")")" \
        -I "$products/Modules" -I include \
        -I Sources/ObservableRuntime/include \
        -minimum-access-level public -output-dir "$folder" "$@"
}

# tests_of REPORT: the numbers of tests that were run and of those that failed,
# of which each has a line for every expectation.
tests_of()
{
    awk '/<testcase / { tests++; failed = 0 }
         /<skipped/   { tests-- }
         /<failure /  { bad += !failed; failed = 1 }
         END          { print tests+0, bad+0 }' "$1"
}

# sums_of COMMAND...: `swift test` in whatever way, with the sums of its own
# report, which follows the command. A run that ends badly without a failed test
# counts as one: a crash, or a race that the thread sanitizer has seen.
sums_of()
{
    local report=$build/tests.xml status=0 tests=0 bad=0
    rm -f "$report"
    "$@" --disable-xctest --xunit-output "$report" || status=$?
    [ ! -e "$report" ] || read -r tests bad < <(tests_of "$report")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        echo "error: swift test ends with $status"
        bad=1
    fi
    echo "$((tests < bad ? 0 : tests - bad)) passed, $bad failed"
    [ "$bad" -eq 0 ] && [ "$tests" -gt 0 ]
}

# swift_tests FOLDER ARGUMENT...: the tests of this package.
swift_tests()
{
    local folder=$1
    shift
    sums_of package "$folder" test "$@"
}

# swift_tests_of PACKAGE SCRATCH: those of another one.
swift_tests_of()
{
    sums_of timeout 1200 "$swift_bin/swift" test --package-path "$1" \
        --scratch-path "$2"
}

# swift_scenarios RUNNER: every script, by text and by key paths. Each run
# prints its sum; one that does not get that far counts as failed. And what it
# says of malformed ones.
swift_scenarios()
{
    local form failed=0 begin
    "${fixed_addresses[@]}" Tests/scenarios/malformed/check.sh "$1" || failed=1
    for form in "" --typed; do
        echo "== $1 $form"
        begin=$SECONDS
        "${fixed_addresses[@]}" timeout 600 "$1" $form Tests/scenarios/*.scn \
            >"$build/scenarios.out" 2>&1 || failed=1
        cat "$build/scenarios.out"
        grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$build/scenarios.out" ||
            echo "0 passed, 1 failed"
        echo "$((SECONDS - begin)) s"
    done
    return "$failed"
}

c_module_outside()
{
    local log=$build/swift_consumer.log status=0
    "$swift_bin/swift" run --package-path Tests/consumer \
        --scratch-path "$build/swift_consumer/.build" >"$log" 2>&1 || status=$?
    cat "$log"
    [ "$status" -eq 0 ] && ! grep -q 'warning:' "$log"
}

step_swift()
{
    check "debug, with the tests" build_package --build-tests
    checked
    swift_tests swift
}

# --full: the package as others build it.
step_swift_package()
{
    check "release" build_package -c release
    check "a Swift program that depends on CObservable" c_module_outside
    checked
}

# --full: optimised, where accessors are inlined and comparisons folded.
step_swift_release()
{
    swift_tests swift-release -c release -Xswiftc -enable-testing
}

# --full: the product that fetches OpenCombine.
step_opencombine()
{
    swift_tests_of Tests/publishers "$build/opencombine/.build"
}

# --full: the product that fetches swift-syntax.
step_macros()
{
    swift_tests_of Tests/macros "$build/macros/.build"
}

# --full: the product that fetches FlyingFox. Its page is looked at in a browser.
step_inspector()
{
    need chromium chromium
    need chromedriver chromium-driver
    swift_tests_of Tests/inspector "$build/inspector/.build"
}

# --full: the scenarios over models that are hosts, with a superclass of their own.
step_scenarios_hosts()
{
    scripts/scenarios --swift --hosts Tests/scenarios/*.scn &&
        scripts/scenarios --swift --hosts --typed Tests/scenarios/*.scn
}

step_scenarios_swift()
{
    package swift build
    swift_scenarios "$build/swift/.build/debug/ScenarioRunner"
}

# A race ends the process of a scenario, but not that of the tests, which does
# not end well then.
step_swift_thread()
{
    local failed=0
    # The one that looks for the stacks of a crash does not go with it.
    export SWIFT_BACKTRACE=enable=no TSAN_OPTIONS=second_deadlock_stack=1
    swift_tests swift-thread --sanitize=thread || failed=1
    TSAN_OPTIONS=$TSAN_OPTIONS:halt_on_error=1
    package swift-thread build --sanitize=thread --product ScenarioRunner
    swift_scenarios "$build/swift-thread/.build/debug/ScenarioRunner" ||
        failed=1
    return "$failed"
}

step_refused()
{
    local failed=0
    python3 scripts/lib/messages.py || failed=1
    package swift build
    Tests/swift/refused/run.sh "$build/swift/.build/debug/Modules" || failed=1
    return "$failed"
}

step_metadata()
{
    package swift build
    Tests/swift/metadata/check.sh "$build/swift/.build/debug"
}

step_breaks()
{
    local failed=0
    need gdb gdb
    package swift build
    Tests/swift/trace/check.sh "$build/swift/.build/debug" || failed=1
    Tests/gdb/check.sh "$build/swift/.build/debug" || failed=1
    return "$failed"
}

step_mainloop()
{
    need pkg-config pkg-config
    pkg-config --exists glib-2.0 || install_packages GLib libglib2.0-dev
    package swift build
    Tests/swift/mainloop/check.sh "$build/swift/.build/debug"
}

step_hotpath()
{
    Tests/swift/hotpath/check.sh
}

swift_prefix=$build/prefix_swift

# Builds the library with its overlay and installs it below
# build-test/prefix_swift, with the debug information that the commands of gdb
# need; of the tests only what is in Swift.
installed_swift()
{
    cmake -S . -B "$build/library_swift" -G Ninja -DOBV_WERROR=ON \
        -DOBV_SWIFT=ON -DOBV_TESTS=ON -DOBV_EXAMPLES=OFF \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-g -DCMAKE_C_COMPILER=gcc \
        -DOBV_SWIFTC="$swift_bin/swiftc"
    cmake --build "$build/library_swift" --target observable \
        observable_derived observable_derived_static \
        observable_inspect observable_inspect_static \
        observable_static observable_swift_build obv_scenarios_swift_build \
        ObservableFoundation_build ObservableGraph_build ObservableObservation_build
    rm -rf "$swift_prefix"
    cmake --install "$build/library_swift" --prefix "$swift_prefix" >/dev/null
}

# prints_what_it_should PROGRAM: of Tests/consumer/swift.
prints_what_it_should()
{
    "$1" >"$build/follow.printed" || return 1
    diff Tests/consumer/swift/follow.out "$build/follow.printed"
}

follow=$build/follow/.build

# What is not part of a product is not built for somebody who depends on it.
only_the_product()
{
    ! find "$follow" \( -name 'ScenarioRunner*' -o -name 'ModelsElsewhere*' \
        -o -name 'ObservableSwiftTests*' \
        -o -name 'ObservableFoundation.swiftmodule' \
        -o -name 'ObservableGraph.swiftmodule' \
        -o -name 'ObservableObservation.swiftmodule' \
        -o -name '*OpenCombine.swiftmodule' \
        -o -name 'ObservableInspector.swiftmodule' \
        -o -name 'FlyingFox.swiftmodule' \
        -o -name '*Macros*.swiftmodule' \) -print | grep .
}

# A package in a folder that has nothing to do with this one.
package_outside()
{
    local folder name status=0
    folder=$(mktemp -d)
    sed "s,\.\./\.\./\.\.,$root," Tests/consumer/swift/Package.swift \
        >"$folder/Package.swift"
    for name in FollowNonisolated FollowMainActor; do
        mkdir -p "$folder/Sources/$name"
        cp Tests/consumer/swift/follow.swift "$folder/Sources/$name"
    done
    rm -rf "$follow"
    "$swift_bin/swift" build --package-path "$folder" \
        --scratch-path "$follow" --disable-index-store || status=$?
    rm -rf "$folder"
    return "$status"
}

# configure_outside PREFIX ARGUMENT...: Tests/consumer/swift by CMake.
configure_outside()
{
    local from=$1
    shift
    rm -rf "$build/follow_cmake"
    cmake -S Tests/consumer/swift -B "$build/follow_cmake" -G Ninja \
        -DCMAKE_PREFIX_PATH="$from" \
        -DCMAKE_Swift_COMPILER="$swift_bin/swiftc" "$@"
}

cmake_outside()
{
    configure_outside "$swift_prefix" &&
        cmake --build "$build/follow_cmake" &&
        ctest --test-dir "$build/follow_cmake" --output-on-failure
}

# With the static libraries nothing of the shared ones is linked.
static_is_static()
{
    readelf -d "$build/follow_cmake/follow_swift_static_MainActor" \
        >"$build/follow.needed" && grep -q 'NEEDED.*libswiftCore' \
        "$build/follow.needed" && ! grep -i 'needed.*observable' \
        "$build/follow.needed"
}

# swiftc alone: the modules say what is to be linked.
swiftc_outside()
{
    "$swift_bin/swiftc" -swift-version 6 -warnings-as-errors -O -wmo \
        -parse-as-library -I "$swift_prefix/include" \
        -I "$swift_prefix/lib/swift/linux" -L "$swift_prefix/lib" \
        -Xlinker -rpath -Xlinker "$swift_prefix/lib" \
        -o "$build/follow_swiftc" Tests/consumer/swift/follow.swift &&
        prints_what_it_should "$build/follow_swiftc"
}

# refused_configuration SCRIPT TEXT: CMake says TEXT of an installed copy whose
# observableSwift.cmake has been changed by sed SCRIPT.
refused_configuration()
{
    local copy=$build/prefix_changed file
    rm -rf "$copy"
    cp -r "$swift_prefix" "$copy"
    file=$(find "$copy" -name observableSwift.cmake)
    sed "$1" "$file" >"$file.new"
    mv "$file.new" "$file"
    [ -s "$file" ] || rm "$file"
    ! configure_outside "$copy" >"$build/follow.said" 2>&1 &&
        tr -s ' \n' ' ' <"$build/follow.said" | grep -F "$2"
}

step_swift_install()
{
    local failed=0
    check "a package that depends on this one by its path" package_outside
    check "it builds the product alone" only_the_product
    check "it runs" prints_what_it_should "$follow/debug/FollowNonisolated"
    check "it runs, isolated to the main actor by default" \
        prints_what_it_should "$follow/debug/FollowMainActor"
    installed_swift
    run_tests library_swift -R _swift || failed=1
    check "find_package, shared and static, both isolations" cmake_outside
    check "the static one stands alone" static_is_static
    check "swiftc without CMake" swiftc_outside
    check "find_package without the overlay" refused_configuration d \
        "The Swift overlay has not been installed with it."
    check "find_package with another compiler" refused_configuration \
        's/VERSION_EQUAL [0-9.]*/VERSION_EQUAL 5.0/' "The Swift overlay is for"
    checked && [ "$failed" -eq 0 ]
}
