# SPDX-License-Identifier: Apache-2.0
"""Whether every public call that can run out of memory is made to, by a test.

    allocating.py

A call that can says so: the comment over its declaration in include/observable/
has OBV_E_MEMORY, "for want of memory" or "no memory", or refers to that of
another call ("as obv_observe()"). Covered is one that a test file of Tests/c
names which fails allocations (test_fail_allocation(), or a bounded allocator).
Prints what is not, and fails then.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SAYS_SO = re.compile(r"OBV_E_MEMORY|want of\s+\*?\s*memory|no\s+\*?\s*memory")
REFERS = re.compile(r"[Aa]s (?:in )?(obv_\w+)\(\)|(obv_\w+)\(\) with compiled")
# A comment, and the declaration behind it.
DECLARED = re.compile(
    r"/\*\*((?:(?!\*/).)*)\*/\s*OBV_API((?:(?!/\*|;).)*?)\b(obv_\w+)\s*\(", re.DOTALL
)


def declared():
    """(name, comment) of every call that has a comment."""
    for header in sorted((TOP / "include" / "observable").glob("*.h")):
        for comment, _, name in DECLARED.findall(header.read_text()):
            yield name, comment


def allocating():
    comments = dict(declared())
    found = {name for name, text in comments.items() if SAYS_SO.search(text)}
    while True:
        more = {
            name
            for name, text in comments.items()
            if name not in found
            and any(other in found for pair in REFERS.findall(text) for other in pair)
        }
        if not more:
            return sorted(found)
        found |= more


def main():
    texts = [file.read_text() for file in (TOP / "Tests" / "c").rglob("*_test.c")]
    failing = "\n".join(
        text
        for text in texts
        if "test_fail_allocation(" in text or "struct obv_allocator" in text
    )
    calls = allocating()
    missing = [name for name in calls if not re.search(rf"\b{name}\(", failing)]
    for name in calls:
        print("not ok" if name in missing else "ok", name)
    print(f"{len(calls) - len(missing)} passed, {len(missing)} failed")
    if missing or len(calls) < 20:
        sys.exit("calls that no test makes without memory: " + " ".join(missing))


if __name__ == "__main__":
    main()
