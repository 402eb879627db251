#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what somebody who learns the module meets, and fails above the budget.

    interface_size.py SYMBOLS.json...

The symbol graphs are the compiler's. A budget may fall; it rises only with its
reason in the commit.
"""

import json
import pathlib
import re
import sys

# What is counted: how many there may be, and how many there are to be.
BUDGETS = {
    "public declarations": (499, 500),
    "ways to begin": (24, 16),
    "members of every model": (20, 25),
    "labels that end in Text": (0, 1),
}
BEGUN = {"ObservationHandle", "ObservationToken", "ObservationSequence"}
# What every model has: its own protocol's members, and those of what that refines.
OF_MODELS = {"ObservableHost", "_ReadByPath"}


def title(symbol):
    return symbol["names"]["title"]


def owner(symbol):
    path = symbol["pathComponents"]
    return path[-2] if len(path) > 1 else ""


def place(symbol):
    """Where it is written."""
    location = symbol.get("location")
    if location:
        start = location["position"]
        return location["uri"], start["line"], start["character"]
    return None


def is_named(symbol):
    """Whether a program uses it by name."""
    return not any(name.startswith("_") for name in symbol["pathComponents"])


def is_unavailable(symbol):
    return any(entry.get("isUnconditionallyUnavailable")
               for entry in symbol.get("availability", []))


def returned(symbol):
    """The type that a function returns or an initializer makes."""
    if symbol["kind"]["identifier"] == "swift.init":
        return owner(symbol)
    fragments = symbol.get("functionSignature", {}).get("returns", [])
    return fragments[0]["spelling"] if fragments else ""


def begins(symbol):
    """Whether it makes an observation, or what one is begun with: steps and
    parameters of a sequence make the same sequence."""
    kind = symbol["kind"]["identifier"]
    if kind not in ("swift.method", "swift.init", "swift.func"):
        return False
    made = returned(symbol)
    return made in BEGUN and not (
        owner(symbol) == made == "ObservationSequence")


def main(files):
    symbols = {}
    for name in files:
        for symbol in json.loads(pathlib.Path(name).read_text())["symbols"]:
            symbols[symbol["identifier"]["precise"]] = symbol
    public = [s for s in symbols.values() if is_named(s) or owner(s) in OF_MODELS]
    public = [s for s in public if not title(s).startswith("_") and not is_unavailable(s)]
    # A member of several types by a protocol is one.
    public = list({place(s) or s["identifier"]["precise"]: s for s in public}.values())
    counts = {
        "public declarations": len(public),
        "ways to begin": sum(begins(s) for s in public),
        "members of every model": sum(owner(s) in OF_MODELS for s in public),
        "labels that end in Text": sum(
            bool(re.search(r"\w+Text[:(]", title(s))) for s in public),
    }
    failed = False
    for what, count in counts.items():
        limit, goal = BUDGETS[what]
        failed |= count > limit
        print(f"{what}: {count} of at most {limit}, to be {goal}")
    return failed


sys.exit(main(sys.argv[1:]))
