#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What Tests/graph/sample.c writes is read by a parser of JSON and by Graphviz;
# it has what it should, with names that would break it.
#
#     Tests/graph/check.sh PROGRAM
set -euo pipefail

"$1" json | python3 -c '
import json, sys
graph = json.loads(sys.stdin.buffer.read().decode("utf-8"))
assert len(graph["objects"]) == 2, graph["objects"]
assert all(each["class"].startswith("thing\"];") for each in graph["objects"])
first, second = graph["objects"]
names = [each["name"] for each in graph["properties"]]
assert names == ["next", "*"], names
leads = [each for each in graph["edges"] if each["kind"] == "leadsTo"]
assert leads == [{"kind": "leadsTo", "property": 0, "object": 1}], leads
label = graph["observations"][0]["label"]
assert "\x1b[2J" in label and "\u202e" in label and "\U0001f40c" in label
assert "\ufffd\ufffd" in label and "</script>{|}\n\t" in label
assert graph["observations"][0]["file"] == "a\\\"\n.c"
leads = [each["leadsOn"] for each in graph["observations"]]
assert leads == [True, False, False]
assert graph["observations"][2]["property"] is None
assert graph["cut"] is False
'

# One line a node: no name has begun one of its own.
"$1" dot | dot -Tjson | python3 -c '
import json, sys
graph = json.load(sys.stdin)
names = sorted(each["name"] for each in graph["objects"])
assert names == sorted(["cluster_0", "cluster_1", "o0", "o1", "p0", "p1",
                        "n0", "n1", "n2"]), names
assert len(graph["edges"]) == 4, graph["edges"]
'

# Nothing drives a terminal, and no name is a line of its own.
if "$1" text | LC_ALL=C grep -q $'[\001-\011\013-\037\177]'; then
    echo "the text has control characters" >&2
    exit 1
fi
lines=$("$1" text | wc -l)
if [ "$lines" -ne 8 ]; then
    "$1" text >&2
    exit 1
fi
