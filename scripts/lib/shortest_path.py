# SPDX-License-Identifier: Apache-2.0
"""What the shortest way through a function is made of.

    objdump -d --no-show-raw-insn --disassemble=NAME PROGRAM | shortest_path.py

Reads a listing of x86-64 (AT&T syntax) on standard input, follows every way from
the function's first instruction to a return, takes the shortest, and prints

    loads N  tests N  stores N  branches N  calls N  instructions N

A way that leaves the function by a jump is not one to a return. Loads and stores
of the frame (push, pop) are counted as instructions only.
"""

import re
import sys

LINE = re.compile(r"\s*([0-9a-f]+):\s+(\S+)\s*([^#<]*)")
FRAME = {"push", "pop", "ret", "retq", "leave", "nop", "endbr64"}
NOT_READING = ("lea", "nop")


def read(text):
    """[(address, mnemonic, operands)] in the order of their addresses."""
    found = []
    for line in text:
        match = LINE.match(line)
        if match:
            address, mnemonic, operands = match.groups()
            found.append((int(address, 16), mnemonic, operands.strip()))
    return found


def ways(instructions):
    """Every way to a return, as lists of instructions; no loop is followed."""
    at = {address: index for index, (address, _, _) in enumerate(instructions)}
    waiting = [(0, [])]
    while waiting:
        index, way = waiting.pop()
        if index is None or index >= len(instructions):
            continue
        instruction = instructions[index]
        if instruction in way:
            continue
        way = way + [instruction]
        _, mnemonic, operands = instruction
        if mnemonic.startswith("ret"):
            yield way
        elif mnemonic.startswith("j"):
            target = re.fullmatch(r"([0-9a-f]+)", operands)
            to = at.get(int(target.group(1), 16)) if target else None
            waiting.append((to, way))
            if not mnemonic.startswith("jmp"):
                waiting.append((index + 1, way))
        else:
            waiting.append((index + 1, way))


def count(way):
    counts = dict.fromkeys(
        ("loads", "tests", "stores", "branches", "calls"), 0)
    for _, mnemonic, operands in way:
        if mnemonic.startswith("j"):
            counts["branches"] += not mnemonic.startswith("jmp")
        elif mnemonic.startswith("call"):
            counts["calls"] += 1
        elif mnemonic not in FRAME and not mnemonic.startswith(NOT_READING):
            compares = mnemonic.startswith(("test", "cmp", "bt"))
            counts["tests"] += compares
            if "(" in operands:
                last = operands.endswith(")")
                stores = last and "," in re.sub(r"\([^)]*\)", "", operands) \
                    and not compares
                moves = mnemonic.startswith("mov")
                counts["stores"] += stores
                counts["loads"] += not (stores and moves)
    counts["instructions"] = len(way)
    return counts


def main():
    found = sorted((count(way) for way in ways(read(sys.stdin))),
                   key=lambda counts: counts["instructions"])
    if not found:
        sys.exit("no way through it leads to a return")
    print("  ".join(f"{name} {number}" for name, number in found[0].items()))


main()
