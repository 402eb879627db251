# SPDX-License-Identifier: Apache-2.0
"""Makes the table and the plots of what scripts/bench has run.

    report.py RESULTS PEERS PLOTS [--tsv]    the scenarios, C and Swift

RESULTS holds scenarios.json, as Google Benchmark writes them,
bytes.tsv, swift.tsv, swift-peers.tsv and instructions.tsv. The goals stand in
goals.py.
"""

import json
import pathlib
import platform
import sys

import goals
import measured
import plot


class Result:
    """A row with its numbers."""

    def __init__(self, side, row, rows, c):
        beside = rows[row.beside]
        self.side, self.row = side, row
        self.ours = rows[row.name]["ours"]
        self.floor = beside.get("floor")
        self.peers = {name: time for name, time in beside.items()
                      if name not in ("ours", "floor")}
        self.best = min(self.peers, key=self.peers.get, default=None)
        self.goal = row.goal(self.floor, self.peers, c) if row.goal else None

    @property
    def met(self):
        """A goal beside a peer that is missing is not shown to be met."""
        return self.goal is not None and self.ours <= self.goal

    def cells(self):
        """As the tab-separated form has them."""
        best = self.peers[self.best] if self.best else None
        return [self.row.name, self.side, number(self.ours),
                number(self.floor), self.best or "-", number(best),
                number(self.ours / best if best else None), number(self.goal),
                "yes" if self.met else "no"]


def number(value):
    return "-" if value is None else f"{value:.2f}"


def processor():
    try:
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def print_tsv(results):
    for result in results:
        if result.row.goal:
            print("\t".join(result.cells()))


def print_table(results):
    heading = ["id", "side", "scenario", "ours", "floor", "best peer", "ratio",
               "goal", "", "met"]
    lines = []
    for result in results:
        name, side, ours, floor, best, best_time, ratio, goal, met = (
            result.cells())
        best = f"{best} {best_time}" if result.best else "-"
        told = f"({result.row.told})" if result.row.goal else ""
        lines.append([name, side, result.row.title, ours, floor, best, ratio,
                      goal, told, met if result.row.goal else "-"])
    widths = [max(map(len, column)) for column in zip(heading, *lines)]
    for line in [heading, *lines]:
        print("  ".join(cell.ljust(width)
                        for cell, width in zip(line, widths)).rstrip())


def print_peers(results):
    print("\nEvery peer:")
    for result in results:
        if result.peers and result.row.beside == result.row.name:
            order = sorted(result.peers, key=result.peers.get)
            print(f"  {result.row.name:5} {result.side:5}",
                  ", ".join(f"{name} {result.peers[name]:.1f}"
                            for name in order))


def write_plots(c, swift, folder, machine):
    """Of each half its times, and its bytes apart from them."""
    folder.mkdir(parents=True, exist_ok=True)
    for side, results in (("c", c), ("swift", swift)):
        for name, unit, chosen in ((side, "ns an operation", timed),
                                   (f"{side}-bytes", "bytes", in_bytes)):
            (folder / f"{name}.svg").write_text(
                plot.draw(list(filter(chosen, results)), unit, machine))


def in_bytes(result):
    return result.row.name.startswith("P8") or result.row.name == "P13b"


def timed(result):
    return result.row.name != "P1i" and not in_bytes(result)


def report_scenarios(results, peers, plots, tsv):
    context = json.loads((results / "scenarios.json").read_text())["context"]
    told = [line.split("\t")
            for path in (peers, results / "swift-peers.tsv")
            for line in path.read_text().splitlines()]
    missing = [(name, rest[1]) for name, *rest in told
               if rest[0] == "missing"]
    compilers = [context["compiler"]] + [rest[0] for name, *rest in told
                                         if name == "compiler"]
    machine = (f"{processor()}, {platform.system()} {platform.release()}, "
               f"{', '.join(compilers)}")

    c_rows, swift_rows = measured.c_half(results), measured.swift_half(results)
    # P10 needs two CPUs.
    c = [Result("c", row, c_rows, c_rows) for row in goals.C
         if row.name in c_rows]
    swift = [Result("swift", row, swift_rows, c_rows) for row in goals.SWIFT
             if row.name in swift_rows]
    write_plots(c, swift, plots, machine)
    if tsv:
        print_tsv(c + swift)
        for name, source in missing:
            print(f"missing: {name} ({source})", file=sys.stderr)
        return
    print_table(c + swift)
    print_peers(c + swift)
    if missing:
        print("\nMissing:", ", ".join(f"{name} ({source})"
                                      for name, source in missing))
    print(f"\nns an operation, medians; P8 and P13b in bytes. {machine}")


def main(arguments):
    tsv = "--tsv" in arguments
    results, peers, plots = map(pathlib.Path, arguments[:3])
    report_scenarios(results, peers, plots, tsv)


main(sys.argv[1:])
