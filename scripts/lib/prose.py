#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks how the README, the guide and the DocC catalogs are written, as far as a program
can tell.

    prose.py

A sentence names its subject first: none begins with `Who`, `What`, `Where`,
`One that` or a negation. A noun stands where `what` or `whoever` would stand for
one. No sentence has more words than LONGEST. Questions are free of all this.
Each page, and the guide as a whole, keeps its BUDGETS of words or lines; a budget
may fall, and rises only with its reason in the commit. Programs, comments and the
spans of code in a text are not read. Ends with `N passed, N failed`, each page and
each budget being one test.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
GUIDE = TOP / "docs" / "guide"
LONGEST = 40

# Each thing that is counted: `lines` or `words` of a text, and how many there may be.
BUDGETS = {
    "lines of README.md": 180,
    "words of docs/guide/limitations.md": 900,
    "words of docs/guide": 36260,
}

UNREAD = re.compile(
    r"^```.*?^```$|<!--.*?-->|(?<=\n\n)(?:    [^\n]*\n)+", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\[([^\]]*)\]\([^)\s]+\)")
CODE = re.compile(r"`[^`]*`")
# The beginnings of paragraphs, headings, items and cells.
PARTS = re.compile(r"\n\s*\n|^#+ |^ *(?:[-*]|\d+\.) |\||^---.*$", re.MULTILINE)
SENTENCES = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z])|(?<=[.!?])\)\s+")
OPENINGS = re.compile(
    r"(?:Who|Whoever|What|Whatever|Where|Wherever|One that"
    r"|No|Nobody|None|Not|Nothing|Never)\b"
)
NOUNS = re.compile(
    r"\b(?:what|whatever|whichever|whoever)\b|\b(?:as|by|for|from|of|to|with) who\b"
)


def sentences(text):
    """The sentences of a page: links are their texts, code is one word."""
    text = CODE.sub("CODE", LINK.sub(r"\1", UNREAD.sub("", text)))
    for part in PARTS.split(text.replace("**", "")):
        for sentence in SENTENCES.split(" ".join(part.split())):
            yield sentence.strip("()* ")


def faults(text):
    """What is wrong with the sentences of a page."""
    for sentence in sentences(text):
        if sentence.endswith("?"):
            continue
        if OPENINGS.match(sentence):
            yield "begins without its subject", sentence
        if NOUNS.search(sentence):
            yield "has no noun", sentence
        if len(sentence.split()) > LONGEST:
            yield "is too long", sentence


def counted(name):
    """How many lines or words a text, or all texts of a folder, have."""
    unit, place = name.split(" of ")
    path = TOP / place
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    texts = [file.read_text(encoding="utf-8") for file in files]
    return sum(len(text.splitlines() if unit == "lines" else text.split()) for text in texts)


def main():
    passed = failed = 0
    pages = [TOP / "README.md", TOP / "docs" / "guarantees.md", *sorted(GUIDE.rglob("*.md"))]
    pages += sorted((TOP / "Sources").rglob("*.md"))
    for page in pages:
        found = list(faults(page.read_text(encoding="utf-8")))
        name = page.relative_to(TOP)
        print("not ok" if found else "ok", name)
        for fault, sentence in found:
            print(f"  {name}: {fault}: {sentence[:100]}")
        passed, failed = passed + (not found), failed + bool(found)
    for name, budget in BUDGETS.items():
        number = counted(name)
        good = number <= budget
        print("ok" if good else "not ok", f"{name}: {number:,} of {budget:,}")
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 0 if not failed else 1


if __name__ == "__main__":
    sys.exit(main())
