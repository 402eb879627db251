# SPDX-License-Identifier: Apache-2.0
"""Makes the table and the plot of what scripts/bench has run.

    report.py RESULTS PEERS PLOTS [--tsv]    the scenarios
    report.py --modules RESULTS              the modules

RESULTS holds scenarios.json or modules.json, as Google Benchmark writes them,
and instructions.tsv. Goals stand here and nowhere else; those in nanoseconds
were found beside a known floor and are scaled by the floor of this run.
"""

import json
import math
import pathlib
import platform
import statistics
import sys
import xml.sax.saxutils


class Row:
    """A scenario, and what its goal is once floor and peers are known."""

    def __init__(self, name, title, goal, told):
        self.name, self.title, self.goal, self.told = name, title, goal, told


def times_floor(factor):
    return lambda floor, peers: factor * floor


def times_peer(factor, peer):
    return lambda floor, peers: factor * peers[peer] if peer in peers else None


def scaled(goal, floor_then):
    return lambda floor, peers: goal * floor / floor_then


# The floors beside which the goals were found: a store; an exchange and a call,
# each measured by itself.
STORE, EXCHANGE_CALL = 1.1, 6.7

ROWS = [
    Row("P1a", "set, nobody observes", times_floor(1.15), "1.15 x floor"),
    Row("P1b", "set, a sibling is observed", times_floor(1.3), "1.3 x floor"),
    Row("P1i", "P1a in instructions", lambda floor, peers: floor + 5,
        "floor + 5"),
    Row("P2", "set, 1 immediate observer", times_peer(0.45, "QProperty"),
        "0.45 x QProperty"),
    Row("P2h", "the same, both ends with hooks", None, "none"),
    Row("P3", "100 sets, 1 drain; a set", times_peer(0.65, "QProperty"),
        "0.65 x QProperty"),
    Row("P3b1", "P3 from another thread", scaled(8, STORE), "8 ns, scaled"),
    Row("P3b2", "P3 inside a handler", scaled(8, STORE), "8 ns, scaled"),
    Row("P4a", "set, drain, call; own thread", scaled(16, EXCHANGE_CALL),
        "16 ns, scaled"),
    Row("P4b", "the same, another thread's way", scaled(25, EXCHANGE_CALL),
        "25 ns, scaled"),
    Row("P4c", "P4a, hooks that count", scaled(45, EXCHANGE_CALL),
        "45 ns, scaled"),
    Row("P4d", "P4b, hooks that count", scaled(45, EXCHANGE_CALL),
        "45 ns, scaled"),
]


def read(path):
    """Medians in ns: {id: {variant: ns}}; several places of one variant become
    their median."""
    rounds = {}
    for run in json.loads(path.read_text())["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run['error_message']}")
        if run["run_type"] != "iteration":
            continue
        name, variant, *place = run["run_name"].split("/")
        place = [part for part in place if part != "manual_time"]
        time = "real_time" if "manual_time" in run["run_name"] else "cpu_time"
        key = name, variant, *place
        rounds.setdefault(key, []).append(run[time])
    places = {}
    for (name, variant, *_), times in rounds.items():
        row = places.setdefault(name, {})
        row.setdefault(variant, []).append(statistics.median(times))
    return {name: {variant: statistics.median(medians)
                   for variant, medians in row.items()}
            for name, row in places.items()}


def read_instructions(path):
    counts = dict(line.split("\t") for line in path.read_text().splitlines())
    return {"ours": float(counts["P1a"]), "floor": float(counts["floor"])}


class Result:
    """A row with its numbers."""

    def __init__(self, row, measured):
        self.row = row
        self.ours, self.floor = measured["ours"], measured["floor"]
        self.peers = {name: time for name, time in measured.items()
                      if name not in ("ours", "floor")}
        self.best = min(self.peers, key=self.peers.get, default=None)
        self.goal = row.goal(self.floor, self.peers) if row.goal else None

    @property
    def met(self):
        """A goal beside a peer that is missing is not shown to be met."""
        return self.goal is not None and self.ours <= self.goal

    def cells(self):
        """As the tab-separated form has them."""
        best = self.peers[self.best] if self.best else None
        return [self.row.name, "c", number(self.ours), number(self.floor),
                self.best or "-", number(best),
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


def compiler(path):
    """What the program that was measured says it was compiled with."""
    return json.loads(path.read_text())["context"]["compiler"]


def print_tsv(measured):
    for result in measured:
        if result.row.goal:
            print("\t".join(result.cells()))


def print_table(measured, missing, machine):
    heading = ["id", "scenario", "ours", "floor", "best peer", "ratio", "goal",
               "", "met"]
    lines = []
    for result in measured:
        name, _, ours, floor, best, best_time, ratio, goal, met = result.cells()
        best = f"{best} {best_time}" if result.best else "-"
        told = "" if result.row.told == "none" else f"({result.row.told})"
        lines.append([name, result.row.title, ours, floor, best, ratio, goal,
                      told, met if result.row.goal else "-"])
    widths = [max(map(len, column)) for column in zip(heading, *lines)]
    for line in [heading, *lines]:
        print("  ".join(cell.ljust(width)
                        for cell, width in zip(line, widths)).rstrip())
    print("\nEvery peer, in ns:")
    for result in measured:
        if result.peers:
            order = sorted(result.peers, key=result.peers.get)
            print(f"  {result.row.name:5}",
                  ", ".join(f"{name} {result.peers[name]:.1f}"
                            for name in order))
    if missing:
        print("\nMissing:", ", ".join(f"{name} (Debian: {package})"
                                       for name, package in missing))
    print(f"\nns an operation, medians. {machine}")


# --- The plot ----------------------------------------------------------------

WIDTH, LEFT, BAR = 860, 190, 16
COLOURS = {"ours": "#2a6fbb", "floor": "#9a9a9a"}


def draw_bar(y, name, value, largest):
    """A bar on a scale of logarithms from 0.5 ns on."""
    scale = (WIDTH - LEFT - 80) / math.log(largest / 0.5)
    width = max(1, scale * math.log(max(value, 0.51) / 0.5))
    escaped = xml.sax.saxutils.escape(name)
    return (f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escaped}'
            f'</text><rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" '
            f'height="{BAR - 4}" fill="{COLOURS.get(name, "#d9b36c")}"/>'
            f'<text x="{LEFT + width + 6:.1f}" y="{y + 12}">{value:.2f}</text>')


def draw(measured, machine):
    """One group of bars a scenario; lengths are logarithms."""
    timed = [result for result in measured if result.row.name != "P1i"]
    largest = max(max([result.ours, *result.peers.values()])
                  for result in timed)
    parts, y = [], 44
    for result in timed:
        parts.append(f'<text x="8" y="{y + 12}" font-weight="bold">'
                     f'{result.row.name}: {result.row.title}</text>')
        y += BAR + 2
        bars = [("ours", result.ours), ("floor", result.floor)]
        bars += sorted(result.peers.items(), key=lambda peer: peer[1])
        for name, value in bars:
            parts.append(draw_bar(y, name, value, largest))
            y += BAR
        y += 12
    machine = xml.sax.saxutils.escape(machine)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{y}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>'
            f'<text x="8" y="16">ns an operation, logarithmic scale; shorter '
            f'is better</text><text x="8" y="32" fill="#666">{machine}</text>'
            + "\n".join(parts) + "</svg>\n")


# --- What is asked for -------------------------------------------------------

def report_scenarios(results, peers, plots, tsv):
    measured = read(results / "scenarios.json")
    for name in ("P4a", "P4b", "P4c", "P4d"):
        measured[name]["floor"] = (measured["exchange"]["floor"] +
                                   measured["P2"]["floor"])
    measured["P1i"] = read_instructions(results / "instructions.tsv")
    rows = [Result(row, measured[row.name]) for row in ROWS]
    found = [line.split("\t") for line in peers.read_text().splitlines()]
    missing = [(name, package) for name, state, package in found
               if state == "missing"]
    machine = (f"{processor()}, {platform.system()} {platform.release()}, "
               f"{compiler(results / 'scenarios.json')}")
    plots.mkdir(parents=True, exist_ok=True)
    (plots / "c.svg").write_text(draw(rows, machine))
    if tsv:
        print_tsv(rows)
        for name, package in missing:
            print(f"missing: {name} ({package})", file=sys.stderr)
    else:
        print_table(rows, missing, machine)


def report_modules(results):
    print("\nModules beside their plain baselines, in ns:")
    for name, variants in sorted(read(results / "modules.json").items()):
        ours = variants["ours"]
        others = ", ".join(f"{other} {time:.1f} ({ours / time:.2f} x)"
                           for other, time in variants.items()
                           if other != "ours")
        print(f"  {name:32} ours {ours:8.1f}   {others}")


def main(arguments):
    tsv = "--tsv" in arguments
    if "--modules" in arguments:
        report_modules(pathlib.Path(arguments[-1]))
        return
    results, peers, plots = map(pathlib.Path, arguments[:3])
    report_scenarios(results, peers, plots, tsv)


main(sys.argv[1:])
