# SPDX-License-Identifier: Apache-2.0
"""Writes what cannot be into words that the commands go by, and lets them look."""
import random
import time

import gdb

COMMANDS = ["obv-observers user", "obv-why", "obv-why user", "obv-graph user",
            "obv-path user address.zip", "obv-path user twice"]
SLOWEST = 60  # seconds; one takes less than one


def words():
    """The words of the header, the node, the watchers, the path nodes, the records."""
    inferior = gdb.selected_inferior()
    seen, waiting = set(), [int(gdb.parse_and_eval("&user"))]
    while waiting and len(seen) < 400:
        block = waiting.pop(0) & ~15
        for place in range(block, block + 176, 8):
            try:
                raw = inferior.read_memory(place, 8).tobytes()
            except gdb.error:
                break
            if place not in seen and any(raw):
                seen.add(place)
                waiting.append(int.from_bytes(raw, "little") & ~7)
    return sorted(seen)


def tear(place, word):
    inferior = gdb.selected_inferior()
    kept = inferior.read_memory(place, 8).tobytes()
    inferior.write_memory(place, (word & (1 << 64) - 1).to_bytes(8, "little"))
    for command in COMMANDS:
        began = time.monotonic()
        try:
            gdb.execute(command, to_string=True)
        except gdb.error as fault:
            if "Error occurred in Python" in str(fault):
                gdb.write("Python Exception at %#x by %s\n" % (place, command))
        if time.monotonic() - began > SLOWEST:
            gdb.write("no end at %#x by %s\n" % (place, command))
    inferior.write_memory(place, kept)


random.seed(50)
places = words()
torn = random.sample(places, 120)
for place in torn:
    anywhere, anything = random.choice(places), random.getrandbits(64)
    tear(place, random.choice((0, 1, 7, place, anywhere, anything, -1)))
gdb.write(f"tore {len(torn):#x} words\n")
