# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by scripts/test: the steps that look at the sources as text.

step_format()
{
    scripts/format --check
}

step_lines()
{
    python3 scripts/lib/lines.py csrc include Tests bench examples Sources \
        scripts
}

step_prose()
{
    python3 scripts/lib/prose.py
}

step_rules()
{
    scripts/rules
    python3 scripts/lib/allocating.py
}

# The map of the core is current, and nothing in it points back.
step_map()
{
    scripts/map --check
}
