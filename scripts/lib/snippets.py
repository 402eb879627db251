#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the programs out of a Markdown text, builds and runs them.

    snippets.py TEXT FOLDER

A fenced block whose first line names a file (```c first.c) is written to that
file below FOLDER, as it stands. Then each `NAME.sh` is run there, and what it
prints on standard output must be `NAME.out`, if the text has one. Ends with
`N passed, N failed`.
"""

import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w+) +(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
    if wanted.exists() and wanted.read_text() != done.stdout:
        print(f"  {script} prints:\n{done.stdout}  not:\n{wanted.read_text()}")
        return False
    return True


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    folder = pathlib.Path(sys.argv[2])
    passed = failed = 0
    for script in write_files(text, folder):
        good = run(folder, script)
        print("ok" if good else "not ok", script, flush=True)
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
