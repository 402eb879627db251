# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts: installs what they need and this machine lacks, with
# apt on Debian and Ubuntu. Says what it installs; nothing that is there is
# touched. Elsewhere it names what is missing and the script ends.
#
#     need COMMAND PACKAGE...           a program
#     need_header HEADER PACKAGE...     a C header, found by the C compiler
#     need_python                       Python 3 with its library
#     need_swift                        the Swift toolchain, which no package
#                                       of Debian brings; sets $swift_bin

install_updated=

# install_as_root COMMAND...: as we are, or through sudo without a password.
install_as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    else
        return 1
    fi
}

# install_packages WHAT PACKAGE...: WHAT is the thing that was missed.
install_packages()
{
    local what=$1
    shift
    if ! command -v apt-get >/dev/null; then
        echo "$what is missing; install it (on Debian: $*)" >&2
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ] && ! install_as_root true; then
        echo "$what is missing; as root: apt-get install $*" >&2
        exit 1
    fi
    echo "installing $* (for $what)"
    export DEBIAN_FRONTEND=noninteractive
    # One at a time: steps that run side by side may both lack something.
    local lock
    exec {lock}>"${TMPDIR:-/tmp}/obv-install-$(id -u).lock"
    flock "$lock"
    if [ -z "$install_updated" ]; then
        install_as_root apt-get -qq update || true
        install_updated=yes
    fi
    # Of apt only what it has to say against it.
    if ! install_as_root apt-get -qq -o Dpkg::Use-Pty=0 install -y \
        --no-install-recommends "$@" >/dev/null
    then
        echo "$what is missing, and apt-get install $* has failed" >&2
        exit 1
    fi
    exec {lock}>&-
}

need()
{
    command -v "$1" >/dev/null || install_packages "$@"
}

need_header()
{
    printf '#include <%s>\n' "$1" | cc -E - >/dev/null 2>&1 ||
        install_packages "$@"
}

# Python with its library: a minimal one comes with other packages.
need_python()
{
    python3 -c 'import shutil' 2>/dev/null || install_packages python3 python3
}

# The toolchain is a folder that somebody unpacked; of the libraries that its
# programs load, some may never have been installed.
need_swift_libraries()
{
    local missing library package
    missing=$(ldd "$swift_bin"/{swift-driver,swift-build,lld} 2>/dev/null |
        awk '/not found/ { print $1 }')
    while read -r library package; do
        if grep -q "^$library" <<<"$missing"; then
            install_packages "$library" "$package"
        fi
    done <<'END'
libncurses.so libncurses6
libsqlite3.so libsqlite3-0
libcurl.so libcurl4
libxml2.so libxml2
END
}

need_swift()
{
    local folder
    for folder in "$(dirname "$(command -v swift || echo /none/swift)")" \
        /opt/swift/usr/bin /usr/libexec/swift/bin "$HOME/.local/bin"; do
        if [ -x "$folder/swift" ]; then
            swift_bin=$(dirname "$(readlink -f "$folder/swift")")
            PATH=$PATH:$swift_bin
            need_swift_libraries
            return
        fi
    done
    echo "the Swift toolchain is missing: https://swift.org/install" >&2
    exit 1
}
