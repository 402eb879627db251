# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the C tests on machines that this one is not. What is
# emulated finds faults of byte order, alignment and fallbacks; of memory order
# it finds none, since the host's is what the emulator gives.

# The launcher says so itself if the filter is not in force.
step_sandbox()
{
    local launcher=$build/no_membarrier
    gcc -std=gnu11 "${warnings[@]}" -o "$launcher" Tests/c/launch/no_membarrier.c
    built_by release all
    "$launcher" ctest --test-dir "$build/release" -V -j "$jobs" --timeout 600
}

# foreign_libbsd ARCHITECTURE FOLDER: libbsd and libmd of another architecture,
# unpacked below FOLDER/root. With lists of its own: this machine's apt learns of
# no other architecture.
foreign_libbsd()
{
    local architecture=$1 folder=$2 package
    local apt=(apt-get -qq -o "APT::Architecture=$architecture"
        -o "APT::Architectures=$architecture" -o "Dir::State=$folder/state"
        -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache"
        -o APT::Sandbox::User=root)
    [ ! -e "$folder/root/usr/include/bsd" ] || return 0
    rm -rf "$folder"
    mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" \
        "$folder/packages" "$folder/root"
    : >"$folder/status"
    "${apt[@]}" update
    (cd "$folder/packages" &&
        "${apt[@]}" download libbsd0 libbsd-dev libmd0 libmd-dev)
    for package in "$folder"/packages/*.deb; do
        dpkg -x "$package" "$folder/root"
    done
}

# emulated ARCHITECTURE PROCESSOR: the C tests, linked statically, so that the
# emulator needs no libraries; their own programs alone, as the shared library
# would. Of the scenarios' four ways two, by name and by index.
emulated()
{
    local architecture=$1 processor=$2 triple=$2-linux-gnu
    local folder=$build/emulated-$1
    local libraries=$folder/libbsd/root/usr/lib/$triple
    need "$triple-gcc" "gcc-$triple" "libc6-dev-$architecture-cross"
    foreign_libbsd "$architecture" "$folder/libbsd"
    cmake -S . -B "$folder" -G Ninja -DOBV_WERROR=ON -DOBV_SWIFT=OFF \
        -DOBV_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" \
        -DCMAKE_C_COMPILER="$triple-gcc" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-$processor" \
        -DCMAKE_C_FLAGS="-isystem $folder/libbsd/root/usr/include" \
        -DCMAKE_EXE_LINKER_FLAGS="-static -L$libraries" \
        -DCMAKE_C_STANDARD_LIBRARIES=-lmd -DOBV_BSD="$libraries/libbsd.a" \
        -DOBV_BSD_INCLUDE="$folder/libbsd/root/usr/include"
    cmake --build "$folder" --target Tests/all
    OBV_TEST_EMULATED=1 ctest --test-dir "$folder" -V -j "$jobs" --timeout 1800 \
        -E '^scenarios_(own|traced)$'
}

step_emulated()
{
    local failed=0
    need qemu-aarch64 qemu-user
    emulated arm64 aarch64 || failed=1
    emulated s390x s390x || failed=1
    return "$failed"
}
