#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts lines that are too long: of each kind at most one in a hundred.

    lines.py FOLDER...

Ends with `N passed, N failed`, each kind of file being one test.
"""

import pathlib
import sys

LONGEST = {".c": 80, ".h": 80, ".cpp": 80, ".sh": 80, ".py": 88, ".swift": 100}


def files(folders):
    """The sources below the folders, without what was built there."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix in LONGEST and ".build" not in path.parts:
                yield path


def main():
    counts = {suffix: 0 for suffix in LONGEST}
    over = {suffix: [] for suffix in LONGEST}
    for path in files(sys.argv[1:]):
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            counts[path.suffix] += 1
            if len(line) > LONGEST[path.suffix]:
                over[path.suffix].append(f"  {path}:{number}: {len(line)}")
    failed = 0
    for suffix, places in over.items():
        bad = len(places) * 100 > counts[suffix]
        failed += bad
        print(*places, sep="\n", end="\n" if places else "")
        print(
            "not ok" if bad else "ok",
            f"{suffix}: {counts[suffix]} lines, {len(places)} over "
            f"{LONGEST[suffix]} columns",
        )
    print(f"{len(over) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
