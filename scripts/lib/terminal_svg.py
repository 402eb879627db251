#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a terminal shows as SVG.

    tmux capture-pane -e -p | terminal_svg.py TITLE >picture.svg

Reads lines of text with the sequences that choose colours (SGR), as tmux
prints them. Each run of cells of one look becomes a piece of text that is as
wide as its cells, so the columns stand whatever font the reader has.
"""

import re
import sys
import unicodedata
from xml.sax.saxutils import escape

CELL_WIDTH, CELL_HEIGHT, MARGIN, TITLE_HEIGHT = 8.4, 18, 14, 30
BACKGROUND, FOREGROUND = "#16181d", "#d5d8df"
COLOURS = [
    "#3b4048", "#e0696f", "#8fbf7f", "#e2b86b", "#6fa8dc", "#b98bd1", "#66b8b0",
    "#d5d8df", "#6b7280", "#f08a8f", "#a9d69a", "#f0cd8a", "#92c0ea", "#cfa8e3",
    "#8bd3cb", "#ffffff",
]
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")


def colour_of_256(number):
    """One of the 256 colours: 16 of the terminal's, a cube, and greys."""
    if number < 16:
        return COLOURS[number]
    if number >= 232:
        grey = 8 + 10 * (number - 232)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    levels = (0, 95, 135, 175, 215, 255)
    cube = number - 16
    parts = levels[cube // 36], levels[cube // 6 % 6], levels[cube % 6]
    return "#%02x%02x%02x" % parts


class Look:
    """How cells look: colours, and whether they are bold, dim or reversed."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.front, self.back = None, None
        self.bold = self.dim = self.reverse = self.underline = False

    def take_colour(self, codes):
        """The colour behind 38 or 48."""
        kind = codes.pop(0) if codes else 0
        if kind == 5 and codes:
            return colour_of_256(codes.pop(0))
        if kind == 2 and len(codes) >= 3:
            return "#%02x%02x%02x" % (codes.pop(0), codes.pop(0), codes.pop(0))
        return None

    def apply(self, text):
        codes = [int(code or 0) for code in text.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 4, 7):
                name = {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[code]
                setattr(self, name, True)
            elif code == 22:
                self.bold = self.dim = False
            elif code == 24:
                self.underline = False
            elif code == 27:
                self.reverse = False
            elif 30 <= code <= 37:
                self.front = COLOURS[code - 30]
            elif 90 <= code <= 97:
                self.front = COLOURS[code - 82]
            elif code == 38:
                self.front = self.take_colour(codes)
            elif code == 39:
                self.front = None
            elif 40 <= code <= 47:
                self.back = COLOURS[code - 40]
            elif 100 <= code <= 107:
                self.back = COLOURS[code - 92]
            elif code == 48:
                self.back = self.take_colour(codes)
            elif code == 49:
                self.back = None

    def drawn(self):
        front, back = self.front or FOREGROUND, self.back
        if self.reverse:
            front, back = back or BACKGROUND, self.front or FOREGROUND
        style = f'fill="{front}"'
        if self.bold:
            style += ' font-weight="bold"'
        if self.dim:
            style += ' opacity="0.6"'
        if self.underline:
            style += ' text-decoration="underline"'
        return style, back


def width_of(text):
    """How many cells a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def runs_of(line, look):
    """(column, cells, text, style, back) of each run of one look."""
    column = 0
    for number, part in enumerate(SEQUENCE.split(line)):
        if number % 2:
            look.apply(part)
        elif part:
            cells = width_of(part)
            yield (column, cells, part, *look.drawn())
            column += cells


def draw(lines, title):
    look = Look()
    rows = [list(runs_of(line, look)) for line in lines]
    columns = max((run[0] + run[1] for row in rows for run in row), default=1)
    width = 2 * MARGIN + columns * CELL_WIDTH
    height = 2 * MARGIN + TITLE_HEIGHT + len(rows) * CELL_HEIGHT
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"'
        f' font-size="14" xml:space="preserve">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/>'
    for place, colour in enumerate(("#e0696f", "#e2b86b", "#8fbf7f")):
        yield f'<circle cx="{20 + 18 * place}" cy="20" r="5.5" fill="{colour}"/>'
    yield (
        f'<text x="{width / 2:g}" y="24" text-anchor="middle" fill="#8b919c">'
        f"{escape(title)}</text>"
    )
    for number, row in enumerate(rows):
        top = MARGIN + TITLE_HEIGHT + number * CELL_HEIGHT
        for column, cells, text, style, back in row:
            left, length = MARGIN + column * CELL_WIDTH, cells * CELL_WIDTH
            if back:
                yield (
                    f'<rect x="{left:g}" y="{top:g}" width="{length:g}"'
                    f' height="{CELL_HEIGHT}" fill="{back}"/>'
                )
            if text.strip():
                yield (
                    f'<text x="{left:g}" y="{top + 13:g}" textLength="{length:g}"'
                    f" {style}>{escape(text)}</text>"
                )
    yield "</svg>"


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    print("\n".join(draw(lines, sys.argv[1])))


if __name__ == "__main__":
    main()
