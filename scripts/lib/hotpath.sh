# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that look at Tests/swift/hotpath, after install.sh; the
# current folder is the repository's.
#
#     build_hotpath    builds it, optimised, and sets $hotpath, the program, and
#                      $hotpath_plain, the same without debug information, which
#                      valgrind cannot always read
#     plan_anew SCRATCH  before `swift build`: the package manager does not see
#                        that a package which it depends on by a path has new
#                        files, or has some no more

plan_anew()
{
    rm -f "$1"/release.yaml "$1"/*/release/description.json
}

build_hotpath()
{
    local scratch=$PWD/build-test/hotpath/.build
    need objcopy binutils
    mkdir -p "$PWD/build-test/hotpath"
    plan_anew "$scratch"
    "$swift_bin/swift" build -c release --product HotPath \
        --package-path Tests/swift/hotpath --scratch-path "$scratch" \
        --disable-index-store >"$scratch.log" 2>&1 || {
        tail -n 30 "$scratch.log" >&2
        return 1
    }
    hotpath=$scratch/release/HotPath
    hotpath_plain=$PWD/build-test/hotpath/HotPath
    objcopy --strip-debug "$hotpath" "$hotpath_plain"
}
