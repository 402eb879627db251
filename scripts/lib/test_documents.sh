# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that try what the documents say.

documents()
{
    git ls-files --cached --others --exclude-standard '*.md'
}

# Every program in a document, built and run from its own text, against an
# installed copy and against the package.
step_readme()
{
    installed_swift
    # The documents' package lies beside this one, so not inside it: a link to
    # itself in its folders would lead the package manager round and round.
    local beside status=0
    beside=$(mktemp -d)
    ln -s "$root" "$beside/ObservableSwift"
    export LD_LIBRARY_PATH=$swift_prefix/lib
    export PKG_CONFIG_PATH=$swift_prefix/lib/pkgconfig
    export CMAKE_PREFIX_PATH=$swift_prefix
    # shellcheck disable=SC2046
    PATH=$swift_bin:$PATH \
        python3 scripts/lib/snippets.py "$beside" $(documents) || status=$?
    rm -rf "$beside"
    return "$status"
}

step_links()
{
    # shellcheck disable=SC2046
    python3 scripts/lib/links.py $(documents)
}

# The pages of the public interface are what the headers and the module say.
step_interface()
{
    BUILD=$build scripts/interface --check
}

# --full: the comments of the public declarations, as pages.
step_docc()
{
    BUILD=$build scripts/docc
}
