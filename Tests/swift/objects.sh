# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the checks of programs that swiftc links with the library as
# objects: a package makes no library of its own for a test.

# library_objects BUILD: the objects of the library, a line each, as a product of the
# build is linked from: no object of a file that is gone. BUILD: a folder
# that `swift build` has filled.
library_objects()
{
    cat "$1"/*.product/Objects.LinkFileList | tr -d "'" |
        grep -E '/(ObservableSwift|ObservableRuntime|CObservable[A-Za-z]*)\.build/' |
        sort -u
}
