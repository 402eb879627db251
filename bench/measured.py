# SPDX-License-Identifier: Apache-2.0
"""Reads what the programs have measured: {id: {variant: number}}."""

import json
import statistics
import sys


def medians(rows):
    """One number a variant: the median of its places."""
    return {name: {variant: statistics.median(times)
                   for variant, times in row.items()}
            for name, row in rows.items()}


def google_benchmark(path):
    """Times in ns, medians of the rounds and of the places of a call."""
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
    rows = {}
    for (name, variant, *_), times in rounds.items():
        row = rows.setdefault(name, {})
        row.setdefault(variant, []).append(statistics.median(times))
    return medians(rows)


def table(path):
    """Lines `id<TAB>variant<TAB>number`, one for each place of a call."""
    rows = {}
    for line in path.read_text().splitlines():
        name, variant, number = line.split("\t")
        row = rows.setdefault(name, {})
        row.setdefault(variant, []).append(float(number))
    return medians(rows)


def instructions(path, prefix=""):
    """What P1i is made of."""
    counts = dict(line.split("\t") for line in path.read_text().splitlines())
    return {"ours": float(counts[prefix + "P1a"]),
            "floor": float(counts[prefix + "floor"])}


def add_floors(rows, *delivered):
    """Floors that are another row's: P4's and P13c's are a sum, P7's and P9's are P2's."""
    for name in delivered:
        rows[name]["floor"] = rows["exchange"]["floor"] + rows["P2"]["floor"]
    for name in ("P7a", "P7b", "P7c", "P9a", "P9b", "P9c", "P9d", "P9e", "P9f",
                 "P9g"):
        if name in rows:  # large graphs are measured in C alone
            rows[name]["floor"] = rows["P2"]["floor"]


def c_half(results):
    rows = google_benchmark(results / "scenarios.json")
    rows.update(table(results / "bytes.tsv"))
    add_floors(rows, "P4a", "P4b", "P4c", "P4d", "P13c")
    for name in ("P13a", "P13d"):
        rows[name]["floor"] = rows["P6a"]["floor"]
    rows["P1i"] = instructions(results / "instructions.tsv")
    return rows


def swift_half(results):
    rows = table(results / "swift.tsv")
    add_floors(rows, "P4")
    rows["P11a"]["floor"] = rows["P2"]["floor"]
    rows["P1i"] = instructions(results / "instructions.tsv", "swift:")
    return rows
