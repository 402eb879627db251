# SPDX-License-Identifier: Apache-2.0
"""The goals of the scenarios, in C and in Swift.

Goals in nanoseconds were found beside a known floor and are scaled by the floor
of the run. They stand here and nowhere else.
"""


class Row:
    """A scenario, and what its goal is once floor and peers are known.

    `goal(floor, peers, c)` gets the times of its floor and its peers in its own
    half of the run; `c` are the measured rows of the C half, by id. `beside` is
    the row whose floor and peers it is held against, if not its own.
    """

    def __init__(self, name, title, goal=None, told="none", beside=None):
        self.name, self.title, self.goal, self.told = name, title, goal, told
        self.beside = beside or name


def times_floor(factor):
    return (lambda floor, peers, c: factor * floor, f"{factor} x floor")


def times_peer(factor, peer):
    def goal(floor, peers, c):
        return factor * peers[peer] if peer in peers else None
    return goal, f"{factor} x {peer}"


def times_c(factor, name, variant):
    """A goal beside what the C half of this run has measured."""
    def goal(floor, peers, c):
        time = c.get(name, {}).get(variant)
        return factor * time if time is not None else None
    told = f"the C core's {name}" if variant == "ours" else variant
    return goal, f"{factor} x {told}"


def over_floor(goal):
    """Of two edits, which are scaled as their floor is not: a table's."""
    return (lambda floor, peers, c: floor + goal, f"floor + {goal} ns")


def scaled(goal, floor_then):
    return (lambda floor, peers, c: goal * floor / floor_then,
            f"{goal} ns, scaled")


def speed_up(factor):
    """Of two threads over one; the floor is one."""
    return (lambda floor, peers, c: 2 / factor * floor,
            f"{factor} x one thread")


def below_peers():
    return (lambda floor, peers, c: min(peers.values(), default=None),
            "fewer than every peer")


def at_most(goal):
    return (lambda floor, peers, c: goal, f"{goal} bytes")


# The floors beside which the goals were found: a store; an exchange and a call,
# each measured by itself; a store and a call; an allocation and its end.
STORE, EXCHANGE_CALL, CALL, ALLOCATION = 1.1, 6.7, 2.0, 5.0

C = [
    Row("P1a", "set, nobody observes", *times_floor(1.15)),
    Row("P1b", "set, a sibling is observed", *times_floor(1.3)),
    Row("P1i", "P1a in instructions", lambda floor, peers, c: floor + 5,
        "floor + 5"),
    Row("P2", "set, 1 immediate observer", *times_peer(0.45, "QProperty")),
    Row("P2h", "the same, both ends with hooks"),
    Row("P3", "100 sets, 1 drain; a set", *times_peer(0.65, "QProperty")),
    Row("P3b1", "P3 from another thread", *scaled(8, STORE)),
    Row("P3b2", "P3 inside a handler", *scaled(8, STORE)),
    Row("P4a", "set, drain, call; own thread", *scaled(16, EXCHANGE_CALL)),
    Row("P4b", "the same, another thread's way", *scaled(25, EXCHANGE_CALL)),
    Row("P4c", "P4a, hooks that count", *scaled(45, EXCHANGE_CALL)),
    Row("P4d", "P4b, hooks that count", *scaled(45, EXCHANGE_CALL)),
    Row("P5a", "set, 10 immediate observers", *times_floor(1.05)),
    Row("P5b", "set, 100 immediate observers", *times_floor(1.05)),
    Row("P6a", "add, remove", *scaled(22, ALLOCATION)),
    Row("P6b", "the same, 100 others", *scaled(22, ALLOCATION)),
    Row("P7a", "a.b.c, set the leaf", *scaled(7, CALL)),
    Row("P7b", "a.b.c, replace b", *scaled(32, CALL)),
    Row("P7c", "a.b.c, replace a", *scaled(55, CALL)),
    Row("P8a", "bytes of an object, 4 ints", *at_most(24)),
    Row("P8b", "bytes of the 1st observer", *at_most(128)),
    Row("P8c", "bytes of the 2nd", *at_most(48)),
    Row("P8d", "the 1st, delayed", beside="P8b"),
    Row("P8e", "the 2nd, delayed", *at_most(64), beside="P8c"),
    Row("P9a", "computed: a chain of 1,000", *scaled(7, CALL)),
    Row("P9b", "1,000 that read one", *scaled(5, CALL)),
    Row("P9c", "1 that reads 10, which read one", *scaled(6, CALL)),
    Row("P9d", "1 that reads 10,000, in any order; a read", *scaled(40, CALL)),
    Row("P9e", "a sheet of 100,000 cells, 1 input set; a cell"),
    Row("P9f", "the same, 1,000 inputs set"),
    Row("P9g", "a chain of 1,000,000"),
    Row("P10a", "2 threads, 2 objects; a set", *speed_up(1.95)),
    Row("P10b", "the same, 1 object", *speed_up(1.9)),
    Row("P10c", "the same, adjacent ints", *below_peers()),
    Row("P11a", "array: append, remove last, told where", *scaled(40, CALL)),
    Row("P11c", "the same by a drain, a hundred times"),
    Row("P11d", "the same, nobody observes"),
    Row("P12a", "10,000 followed; front in, out", *times_floor(1.1)),
    Row("P12b", "the same, 100 followed", *times_floor(1.1)),
    Row("P13a", "*.* over 100,000, an object", *scaled(60, ALLOCATION)),
    Row("P13b", "bytes an object of that", *at_most(150)),
    Row("P13c", "a leaf set, drained, called", *scaled(25, EXCHANGE_CALL)),
    Row("P13d", "tear down, an object"),
    Row("P13e", "P13c, of an observation of all"),
    Row("P15a", "10,000 hashes; in, out", *over_floor(60)),
    Row("P15b", "the same, 100 hashes", *over_floor(60)),
    Row("P15c", "in, out, and told"),
    Row("P16a", "100,000 sorted: one rank change"),
    Row("P16b", "the same: append, remove last"),
    Row("P16c", "filtered: another condition, an element"),
]

SWIFT = [
    Row("P1a", "set, nobody observes", *times_floor(1.2)),
    Row("P1b", "set, a sibling is observed", *times_floor(1.5)),
    Row("P1c", "P1a, set in many places", beside="P1a"),
    Row("P1p", "P1a, a public class"),
    Row("P1o", "P1a, an open class"),
    Row("P1i", "P1a in instructions"),
    Row("P2", "set, 1 immediate observer", *times_c(1.5, "P2", "QProperty")),
    Row("P2o", "the same, not a model", *times_c(1.5, "P2", "QProperty"),
        beside="P2"),
    Row("P2t", "the same, a token", *times_c(1.5, "P2", "QProperty"),
        beside="P2"),
    Row("P2m", "P2, a block of the main actor", beside="P2"),
    Row("P3", "100 sets, 1 drain; a set", *times_c(1.0, "P3", "QProperty")),
    Row("P3b1", "P3 from another thread", *times_c(2.5, "P3b1", "ours"),
        beside="P3"),
    Row("P3b2", "P3 inside a block", *times_c(2.5, "P3b2", "ours"),
        beside="P3"),
    Row("P4", "set, drain, call; a model", *scaled(60, EXCHANGE_CALL)),
    Row("P4o", "the same, not a model", *scaled(90, EXCHANGE_CALL),
        beside="P4"),
    Row("P4t", "the same, a token", *scaled(90, EXCHANGE_CALL), beside="P4"),
    Row("P5a", "set, 10 immediate observers", *times_floor(2)),
    Row("P5b", "set, 100 immediate observers", *times_floor(2)),
    Row("P5c", "P5b, not models", *times_floor(2), beside="P5b"),
    Row("P6a", "add, remove; typed path", *scaled(150, ALLOCATION)),
    Row("P6b", "the same, 100 others", *scaled(150, ALLOCATION)),
    Row("P6c", "add, remove; text path", *scaled(150, ALLOCATION),
        beside="P6a"),
    Row("P6d", "the same, 100 others", *scaled(150, ALLOCATION), beside="P6b"),
    Row("P6e", "make and cancel a token", *scaled(150, ALLOCATION),
        beside="P6a"),
    Row("P6f", "the same, 100 others", *scaled(150, ALLOCATION), beside="P6b"),
    Row("P6k", "as P6a, a path that is kept", *scaled(150, ALLOCATION), beside="P6a"),
    Row("P7a", "a.b.c, set the leaf", *scaled(25, CALL)),
    Row("P7b", "a.b.c, replace b", *scaled(120, CALL)),
    Row("P7c", "a.b.c, replace a", *scaled(180, CALL)),
    Row("P8a", "bytes of an object, 4 ints",
        lambda floor, peers, c: floor + 8, "floor + 8 bytes"),
    Row("P8b", "bytes of the 1st observer", *at_most(256)),
    Row("P8c", "bytes of the 2nd", *at_most(128)),
    Row("P8d", "the 1st, not a model", *at_most(256), beside="P8b"),
    Row("P8e", "the 2nd, not a model", *at_most(128), beside="P8c"),
    Row("P8f", "the 1st, a token", *at_most(256), beside="P8b"),
    Row("P8g", "the 2nd, a token", *at_most(128), beside="P8c"),
    Row("P9a", "computed: a chain of 1,000", *scaled(20, CALL)),
    Row("P9b", "1,000 that read one", *scaled(20, CALL)),
    Row("P9c", "1 that reads 10, which read one", *scaled(25, CALL)),
    Row("P9d", "1 that reads 10,000, in any order; a read", *scaled(50, CALL)),
    Row("P10a", "2 threads, 2 objects; a set", *speed_up(1.9)),
    Row("P10b", "the same, 1 object", *speed_up(1.8)),
    Row("P10c", "the same, adjacent ints", *below_peers()),
    Row("P11a", "array: append, remove last, told where", *scaled(120, CALL)),
    Row("P11d", "the same, nobody observes"),
    Row("P11e", "iterate a million, an element", *times_floor(1.2)),
    Row("P11f", "index a million, an element", *times_floor(1.2)),
    Row("P11b1", "append to 30,000, unobserved", *times_floor(2)),
    Row("P11b2", "the same, a delayed observer", *times_floor(2),
        beside="P11b1"),
    Row("P11b3", "the same, an immediate one", beside="P11b1"),
    Row("P16a", "100,000 sorted: one rank change"),
    Row("P16b", "the same: append, remove last"),
    Row("P16c", "filtered: another condition, an element"),
    Row("P16d", "sorted: one set changes all ranks, an element"),
    Row("P17a", "8 properties, read in a tracking", *times_peer(1.5, "Observation")),
    Row("P17b", "the same, each 20 times", *times_peer(1.5, "Observation")),
    Row("P17c", "a read that nobody tracks"),
    Row("P17d", "the same, nobody has ever", beside="P17c"),
]
