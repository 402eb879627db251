#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the topics of a DocC page have all that the page is about.

    topics.py ARCHIVE...

DocC groups by their kind the declarations that the text of a page leaves out of
its topics, at the end of the page, where no reader looks for them. Prints these;
ends with `N passed, N failed`, counted by pages whose text has topics.
"""

import json
import pathlib
import sys


def left_out(page):
    """The declarations in no topic of a page; None where its text has no topics."""
    sections = page.get("topicSections", [])
    if all(section.get("generated") for section in sections):
        return None
    return [
        name
        for section in sections
        if section.get("generated")
        for name in section["identifiers"]
    ]


def main():
    passed = failed = 0
    for archive in map(pathlib.Path, sys.argv[1:]):
        for file in sorted((archive / "data" / "documentation").rglob("*.json")):
            page = json.loads(file.read_text(encoding="utf-8"))
            names = left_out(page)
            if names is None:
                continue
            title = page["metadata"]["title"]
            print("not ok" if names else "ok", archive.stem, title)
            for name in names:
                print(f"  {title} has in no topic: {name.partition('/documentation/')[2]}")
            passed, failed = passed + (not names), failed + bool(names)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
