#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each message that docs/messages.md quotes is one that a test has met.

    messages.py

A row of a table there is a mistake, what is said of it, in backquotes, and how it
is mended. What is said stands behind an `expect:` of a program in
Tests/swift/refused, or in MessagesTests.swift; in the section on C it is a text of
the library. Ends with `N passed, N failed`.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = TOP / "docs" / "messages.md"
RUN_TIME = TOP / "Tests" / "ObservableSwiftTests" / "MessagesTests.swift"
# A message has backquotes of its own: it stands between two then.
QUOTED = re.compile(r"``(.+?)``(?!`)|`(.+?)`")


def quotes():
    """(the mistake, what is said of it, whether in C) of each row."""
    is_c = False
    for line in PAGE.read_text().splitlines():
        is_c = line == "## In C" if line.startswith("## ") else is_c
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 3 or set(cells[1]) <= {"-"} or "`" not in cells[1]:
            continue
        for two, one in QUOTED.findall(cells[1]):
            yield cells[0], (two or one).strip(), is_c


def met():
    """All that tests expect."""
    text = re.sub(r'"\s*\+\s*"', "", RUN_TIME.read_text())
    texts = [text.replace("\\\\", "\\").replace('\\"', '"')]
    for program in (TOP / "Tests" / "swift" / "refused").glob("*.swift"):
        texts += re.findall(r"// expect: *(.+)", program.read_text())
    return texts


def joined(text):
    """A C file whose neighbouring literals are one."""
    text = re.sub(r'"[\s\\]*"', "", text)
    return re.sub(r'" *#\w+ *"', "", text)


def of_the_library():
    """All that the C library says, file by file."""
    folders = ("csrc", "include", "Sources")
    files = [file for name in folders for file in (TOP / name).rglob("*.[ch]")]
    return [joined(file.read_text()) for file in files]


def main():
    passed = failed = 0
    of_swift, of_c = met(), of_the_library()
    for mistake, said, is_c in quotes():
        texts = of_c if is_c else of_swift
        # What differs from program to program is left out there.
        parts = [part.strip() for part in said.split("…") if part.strip()]
        if any(all(part in text for part in parts) for text in texts):
            passed += 1
        else:
            failed += 1
            print(f"not ok {mistake}: nobody has met: {said}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
