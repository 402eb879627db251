# SPDX-License-Identifier: Apache-2.0
"""Steps through a set of prompt.c, and lets the commands look in turn, one at each
eighth line."""
import gdb

EVERY = 8

USER, SECOND, HANDLE = (f"'prompt.c'::{name}" for name in ("user", "second", "zip_handle"))
READING = [
    f"obv-observers {USER}",
    f"obv-observers {SECOND}",
    "obv-why",
    f"obv-why {HANDLE}",
    f"obv-graph {USER}",
    f"obv-path {USER} address.zip",
    f"obv-path {USER} twice",
]


def step_through(function):
    """From the call of a function to its return; how often was looked."""
    gdb.execute("tbreak " + function, to_string=True)
    gdb.execute("continue", to_string=True)
    caller = gdb.selected_frame().older()
    steps = 0
    while gdb.selected_frame() != caller:
        gdb.execute("step", to_string=True)
        steps += 1
        if steps % EVERY == 0:
            gdb.execute(READING[steps // EVERY % len(READING)], to_string=True)
    return steps // EVERY


gdb.write(f"looked {step_through('move_house'):#x} times\n")
