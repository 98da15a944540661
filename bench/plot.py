# SPDX-License-Identifier: Apache-2.0
"""Draws bar charts as one SVG. The scale is logarithmic, the text is readable on a light and on a
dark background, and the SVG refers to no other file."""
import math
from xml.sax.saxutils import escape

WIDTH = 760
NAMES = 150    # pixels for names
VALUES = 90    # and for the numbers after the bars
ROW = 22
BAR = 14
TITLE = 34
GAP = 18

NOTE = ("Logarithmic: each line stands for ten times the one before. Orange: haft; grey: loops "
        "written by hand; blue: other runtimes.")

# A colour for each kind of contender, readable on white and on black.
STYLE = """
  text { font: 13px sans-serif; fill: #1f2328; }
  .title { font-weight: bold; }
  .note { fill: #59636e; font-size: 11px; }
  .grid { stroke: #808080; stroke-opacity: 0.35; }
  .ours { fill: #d1662d; } .floor { fill: #8a8f98; } .peer { fill: #4a7ebb; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .note { fill: #9198a1; }
  }
"""


def kind(name):
    if name.startswith("haft"):
        return "ours"
    return "floor" if name in ("rawc", "bare", "rawnode") else "peer"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


class Scale:
    """Converts values to pixels. Both ends of the scale are powers of ten."""

    def __init__(self, values):
        self.low = math.floor(math.log10(min(values) / 2))  # the shortest bar is still visible
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)
        self.left, self.right = NAMES, WIDTH - VALUES

    def x(self, value):
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return self.left + part * (self.right - self.left)

    def marks(self):
        return [10.0 ** power for power in range(self.low, self.high + 1)]


def draw_panel(title, bars, top):
    """The lines of one panel, and where it ends."""
    lines = [f'<text class="title" x="0" y="{top + 14}">{escape(title)}</text>']
    scale = Scale([value for _, value in bars])
    start, end = top + TITLE - 8, top + TITLE + ROW * len(bars)
    for mark in scale.marks():
        x = f"{scale.x(mark):.1f}"
        lines.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{start}" y2="{end}"/>')
        lines.append(f'<text class="note" x="{x}" y="{end + 12}" text-anchor="middle">'
                     f'{number(mark)}</text>')
    for at, (name, value) in enumerate(bars):
        y = top + TITLE + ROW * at
        width = max(scale.x(value) - scale.left, 1)
        lines.append(f'<text x="{NAMES - 8}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        lines.append(f'<rect class="{kind(name)}" x="{scale.left}" y="{y}" width="{width:.1f}" '
                     f'height="{BAR}" rx="2"/>')
        lines.append(f'<text x="{scale.left + width + 6:.1f}" y="{y + 12}">{number(value)}</text>')
    return lines, end + GAP


def draw(panels, description):
    """`panels` are (title, [(name, value)]). A value of None or nothing has no bar."""
    lines, top = [], 4
    for title, bars in panels:
        bars = [(name, value) for name, value in bars if value is not None and value > 0]
        if bars:
            drawn, end = draw_panel(title, bars, top)
            lines += drawn
            top = end + GAP
    lines.append(f'<text class="note" x="0" y="{top + 8}">{NOTE}</text>')
    top += GAP
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img" '
        f'width="{WIDTH}" height="{top}">',
        f"<title>{escape(description)}</title>", f"<style>{STYLE}</style>", *lines, "</svg>", ""])
