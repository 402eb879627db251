# SPDX-License-Identifier: Apache-2.0
"""Steps through a set and a drain of prompt.c, and lets the commands look in turn, one at
each eighth line."""
import gdb

EVERY = 8

READING = [
    "obv-observers user",
    "obv-observers second",
    "obv-why",
    "obv-why zip_handle",
    "obv-graph user",
    "obv-path user address.zip",
    "obv-path user twice",
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


gdb.write("looked %#x times\n" % (step_through("move_house") + step_through("drain_all")))
