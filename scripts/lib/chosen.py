#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which faults and which schedules concern what differs from a commit.

    chosen.py (faults | schedules) [COMMIT]

A fault (Tests/c/faults/**/*.patch) is chosen if a file differs that it changes,
its own file, or that of the program or of the script which finds it. A file that
has only moved does not differ. Prints their names; `schedules` prints the programs
of schedules that find them, each with the scenario, `PROGRAM SCENARIO`. Without a
commit everything counts as different.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
CHANGED = re.compile(r"^\+\+\+ [^/]*/(\S+)", re.MULTILINE)
FOUND_BY = re.compile(r"^# found-by: (\S+) ?(.*)$", re.MULTILINE)


def git(*arguments):
    """The lines that git prints."""
    return subprocess.run(
        ["git", *arguments], cwd=TOP, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def different_since(commit):
    """The files of the work tree that are not as they were in the commit."""
    rows = [row.split("\t") for row in git("diff", "--name-status", "-M", commit)]
    return {row[-1] for row in rows if row[0] != "R100"} | set(
        git("ls-files", "--others", "--exclude-standard")
    )


def faults():
    """(name, files that concern it, program, scenarios) of every fault."""
    sources = {file.stem: file for file in (TOP / "Tests").rglob("*.c")}
    for patch in sorted((TOP / "Tests" / "c" / "faults").rglob("*.patch")):
        text = patch.read_text()
        program, arguments = FOUND_BY.search(text).groups()
        files = {*CHANGED.findall(text), str(patch.relative_to(TOP)), arguments}
        if program in sources:
            files.add(str(sources[program].relative_to(TOP)))
        yield patch.stem, files, program, arguments


def main():
    if sys.argv[1:2] not in (["faults"], ["schedules"]) or len(sys.argv) > 3:
        sys.exit(__doc__)
    chosen = list(faults())
    if len(sys.argv) == 3:
        different = different_since(sys.argv[2])
        chosen = [fault for fault in chosen if fault[1] & different]
    if sys.argv[1] == "faults":
        lines = [name for name, *_ in chosen]
    else:
        lines = {
            f"{program} {scenario}".strip()
            for _, _, program, scenario in chosen
            if program.endswith("_schedules")
        }
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
