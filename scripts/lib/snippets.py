#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the programs out of Markdown texts, builds and runs them.

    snippets.py FOLDER TEXT...

Each text gets a folder of its own below FOLDER. A fenced block whose first line
names a file (```c first.c) is written to that file there, as it stands; blocks
in comments, which readers do not see, as well. Then each `NAME.sh` is run, and
what it prints on standard output must end with `NAME.out`, if the text has one;
before it stands what a build says. A block of a programming language that names
no file is a fault: nobody would run it. Ends with `N passed, N failed`.
"""

import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w+) +(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMELESS = re.compile(r"^```(c|cpp|swift|cmake|sh)$", re.MULTILINE)


def write_files(text, folder):
    """Writes the named blocks; answers the names of the scripts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scripts = []
    for _, name, body in FENCE.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body)
        if name.endswith(".sh"):
            scripts.append(name)
    return scripts


def run(folder, script):
    """Whether the script ends well and prints what the text says."""
    done = subprocess.run(
        ["sh", "-eu", script],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        timeout=900,
        check=False,
    )
    if done.returncode != 0:
        print(f"  {script} ends with {done.returncode}")
        return False
    wanted = folder / script.replace(".sh", ".out")
    if wanted.exists() and not done.stdout.endswith(wanted.read_text()):
        print(f"  {script} prints:\n{done.stdout}  not:\n{wanted.read_text()}")
        return False
    return True


def check(name, folder):
    """Writes and runs what one text holds; how many passed and failed."""
    text = pathlib.Path(name).read_text()
    passed = failed = 0
    for block in NAMELESS.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        print(f"not ok {name}:{line}: a block that names no file")
        failed += 1
    for script in write_files(text, folder):
        good = run(folder, script)
        print("ok" if good else "not ok", name, script, flush=True)
        passed, failed = passed + good, failed + (not good)
    return passed, failed


def main():
    folder = pathlib.Path(sys.argv[1])
    passed = failed = 0
    for number, name in enumerate(sys.argv[2:]):
        good, bad = check(name, folder / f"{number}-{pathlib.Path(name).stem}")
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
