#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the programs out of Markdown texts, builds and runs them.

    snippets.py FOLDER TEXT...

Each text gets a folder of its own below FOLDER, named by its path: that of
docs/guide/install.md is docs-guide-install. A fenced block whose first line
names a file (```c first.c) is written to that file there, as it stands; blocks
in comments, which readers do not see, as well. Then each `NAME.sh` is run, and
what it prints on standard output must end with `NAME.out`, if the text has one;
before it stands what a build says. A program NAME.c, NAME.cpp or NAME.swift that has a
`NAME.out` and no `NAME.sh` is built by the line of BUILDS, and run. A block of a
programming language that names no file is a fault, and so is an output that
nothing is compared with: nobody would run it. Ends with `N passed, N failed`.
"""

import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w+) +(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMELESS = re.compile(r"^```(c|cpp|swift|cmake|sh)$", re.MULTILINE)

# One program of one file, beside the copy that CMAKE_PREFIX_PATH names.
BUILDS = {
    ".c": "cc -std=c11 -Wall -Wextra -Werror -o {stem} {stem}.c "
    "$(pkg-config --cflags --libs observable_derived)\n./{stem}\n",
    ".cpp": "c++ -std=c++20 -Wall -Wextra -Wpedantic -Wno-missing-field-initializers "
    "-Werror -o {stem} {stem}.cpp $(pkg-config --cflags --libs observable)\n./{stem}\n",
    ".swift": "swiftc -swift-version 6 -warnings-as-errors -o {stem} {stem}.swift "
    "-I $CMAKE_PREFIX_PATH/include -I $CMAKE_PREFIX_PATH/lib/swift/linux "
    "-L $CMAKE_PREFIX_PATH/lib\n./{stem}\n",
}


def write_files(text, folder):
    """Writes the named blocks; answers the names of the scripts in their order."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = {name: body for _, name, body in FENCE.findall(text)}
    scripts = []
    for name in list(files):
        stem, suffix = pathlib.Path(name).stem, pathlib.Path(name).suffix
        if suffix == ".sh":
            scripts.append(name)
        elif suffix in BUILDS and f"{stem}.out" in files and f"{stem}.sh" not in files:
            files[f"{stem}.sh"] = BUILDS[suffix].format(stem=stem)
            scripts.append(f"{stem}.sh")
    for name, body in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body)
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
    scripts = write_files(text, folder)
    for output in sorted(folder.glob("*.out")):
        if f"{output.stem}.sh" not in scripts:
            print(f"not ok {name}: nothing prints {output.name}")
            failed += 1
    for script in scripts:
        good = run(folder, script)
        print("ok" if good else "not ok", name, script, flush=True)
        passed, failed = passed + good, failed + (not good)
    return passed, failed


def main():
    folder = pathlib.Path(sys.argv[1])
    passed = failed = 0
    for name in sys.argv[2:]:
        place = "-".join(pathlib.Path(name).with_suffix("").parts).strip("/-")
        good, bad = check(name, folder / place)
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
