#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which faults and which schedules concern what differs from a commit.

    chosen.py (faults | schedules | programs) [COMMIT]

A fault (Tests/c/faults/**/*.patch) is chosen if a file differs that it changes,
its own file, or that of the program or of the script which finds it. A file that
has only moved does not differ. Prints their names; `schedules` prints the programs
of schedules that find them, each with the scenario, `PROGRAM SCENARIO`. Without a
commit everything counts as different.

`programs` prints the programs of schedules: those that differ, those that find a
fault in a file of the core that does, where a file is known to none of them those
that find one in its room, and where its room is not, all. The headers, and what all
of them use or run on, concern all.
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


SCHEDULER = "Tests/c/scheduler/"


def programs(known, different):
    """The programs of schedules that concern the different files (None: all)."""
    every = {file.stem for file in (TOP / SCHEDULER).glob("*_schedules.c")}
    files = {program: set() for program in every}
    for _, of_fault, program, _ in known:
        files.get(program, set()).update(map(pathlib.PurePosixPath, of_fault))
    rooms = {program: {file.parent for file in files[program]} for program in every}
    chosen = every if different is None else set()
    for file in map(pathlib.PurePosixPath, different or ()):
        if file.suffix == ".md":
            continue
        if file.stem in every:
            chosen.add(file.stem)
        elif any(map(file.is_relative_to, (SCHEDULER, "csrc/platform", "include"))):
            chosen = every
        elif file.is_relative_to("csrc"):
            finds = {program for program in every if file in files[program]}
            near = {program for program in every if file.parent in rooms[program]}
            chosen |= finds or near or every
    return chosen


def main():
    kinds = (["faults"], ["schedules"], ["programs"])
    if sys.argv[1:2] not in kinds or len(sys.argv) > 3:
        sys.exit(__doc__)
    known = chosen = list(faults())
    different = None
    if len(sys.argv) == 3:
        different = different_since(sys.argv[2])
        chosen = [fault for fault in chosen if fault[1] & different]
    if sys.argv[1] == "faults":
        lines = [name for name, *_ in chosen]
    elif sys.argv[1] == "programs":
        lines = programs(known, different)
    else:
        lines = {
            f"{program} {scenario}".strip()
            for _, _, program, scenario in chosen
            if program.endswith("_schedules")
        }
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
