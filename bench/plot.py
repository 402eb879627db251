# SPDX-License-Identifier: Apache-2.0
"""Draws results as SVG: one group of bars a scenario; lengths are logarithms."""

import math
import xml.sax.saxutils

WIDTH, LEFT, BAR = 860, 190, 16
COLOURS = {"ours": "#2a6fbb", "floor": "#9a9a9a"}


def draw_bar(y, name, value, largest):
    """A bar on a scale of logarithms from 0.5 on."""
    scale = (WIDTH - LEFT - 80) / math.log(largest / 0.5)
    width = max(1, scale * math.log(max(value, 0.51) / 0.5))
    escaped = xml.sax.saxutils.escape(name)
    return (f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escaped}'
            f'</text><rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" '
            f'height="{BAR - 4}" fill="{COLOURS.get(name, "#d9b36c")}"/>'
            f'<text x="{LEFT + width + 6:.1f}" y="{y + 12}">{value:.2f}</text>')


def draw(results, unit, machine):
    largest = max(max([result.ours, *result.peers.values()])
                  for result in results)
    parts, y = [], 44
    for result in results:
        parts.append(f'<text x="8" y="{y + 12}" font-weight="bold">'
                     f'{result.row.name}: {result.row.title}</text>')
        y += BAR + 2
        bars = [("ours", result.ours)]
        if result.floor is not None:
            bars.append(("floor", result.floor))
        bars += sorted(result.peers.items(), key=lambda peer: peer[1])
        for name, value in bars:
            parts.append(draw_bar(y, name, value, largest))
            y += BAR
        y += 12
    machine = xml.sax.saxutils.escape(machine)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{y}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>'
            f'<text x="8" y="16">{unit}, logarithmic scale; shorter '
            f'is better</text><text x="8" y="32" fill="#666">{machine}</text>'
            + "\n".join(parts) + "</svg>\n")
