#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what the documents of a repository point to is there.

    links.py FILE.md...

Looks at links to files and at headings in them (`tour.md#6-due-once`); leaves
addresses of the net alone. Prints what leads nowhere; ends with
`N passed, N failed`, counted by document.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def anchors(document):
    """The anchors of a document's headings, as web pages make them."""
    text = FENCE.sub("", document.read_text())
    names = (re.sub(r"[^\w\- ]", "", heading) for heading in HEADING.findall(text))
    return {name.strip().lower().replace(" ", "-") for name in names}


def leads_nowhere(document, link):
    """Whether a link of a document leads nowhere."""
    if re.match(r"[a-z]+:", link):
        return False
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


def main():
    passed = failed = 0
    for name in sys.argv[1:]:
        document = pathlib.Path(name)
        lost = [
            link
            for link in LINK.findall(FENCE.sub("", document.read_text()))
            if leads_nowhere(document, link)
        ]
        for link in lost:
            print(f"  {name}: {link} leads nowhere")
        passed, failed = passed + (not lost), failed + bool(lost)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
