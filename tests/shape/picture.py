"""The layers as a picture: who imports whom in the browser's side, the server and the engine, as SVG.

In each of the three bands a part is above what it imports. An arrow that follows from others is left out: where a
imports b and b imports c, none is drawn from a to c. Parts that import one another share a box.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from .graphs import between, circles
from .tree import Graph, Tree

BANDS = (("static/js", "Browser: static/js"), ("app", "Server: app"), ("engine", "Engine: engine"))
BETWEEN = ("HTTP and a WebSocket", "imports")
"""How a band reaches the one below it."""
WIDTH, MARGIN, TITLE = 980, 24, 34
LINE, GAP, ROW = 26, 14, 32
LETTER = 7.3
"""Width of a letter of the labels."""
MOST_LETTERS = 90
"""In a line of a box that several parts share."""


@dataclass(frozen=True)
class Box:
    """One part or several that import one another, as lines of text, and where it is drawn."""

    lines: tuple[str, ...]
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return max(map(len, self.lines)) * LETTER + 16

    @property
    def height(self) -> float:
        return LINE + 18 * (len(self.lines) - 1)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def picture(tree: Tree) -> str:
    """The SVG, on a ground of its own, so that it can be read on dark pages too."""
    drawn: list[str] = []
    y = float(MARGIN)
    for number, (folder, title) in enumerate(BANDS):
        band, height = _band(condensed(parts_of(tree, folder)), title, y)
        drawn += band
        y += height
        if number < len(BETWEEN):
            drawn += _between(BETWEEN[number], y)
            y += 50
    return _svg(drawn, y + MARGIN)


def parts_of(tree: Tree, folder: str) -> Graph:
    """The packages of a folder and the modules that lie beside them, and which of these import which."""
    graph = tree.javascript_graph if folder == "static/js" else tree.python_graph
    files = [name for name in graph if name.startswith(f"{folder}/") and name != f"{folder}/__init__.py"]
    part_of = {name: _part(name, folder) for name in files}
    parts: Graph = {part: set() for part in part_of.values()}
    for source, target in between({name: graph[name] & part_of.keys() for name in files}, part_of):
        parts[source].add(target)
    return parts


def _part(name: str, folder: str) -> str:
    """The package, of the browser's features the single one; the modules of `app` count as one part."""
    rest = name.removeprefix(f"{folder}/").split("/")
    if folder == "app" and len(rest) == 1:
        return "app/*.py"
    return rest[0].removesuffix(".py").removesuffix(".js") + ("/" if len(rest) > 1 else "")


def condensed(graph: Graph) -> Graph:
    """Parts that import one another as one part, whose name has them all."""
    group_of = {part: " · ".join(group) for group in circles(graph) for part in group}
    found: Graph = {}
    for part, targets in graph.items():
        own = group_of.get(part, part)
        found.setdefault(own, set()).update({group_of.get(target, target) for target in targets} - {own})
    return found


def levels(graph: Graph) -> dict[str, int]:
    """For each part how many are below it on the longest way down; `graph` has no circles."""
    found: dict[str, int] = {}
    while len(found) < len(graph):
        for part, targets in graph.items():
            if part not in found and targets <= found.keys():
                found[part] = max((found[target] + 1 for target in targets), default=0)
    return found


def reduced(graph: Graph) -> Graph:
    """Without the arrows that follow from others."""
    below: Graph = {}
    level = levels(graph)
    for part in sorted(graph, key=level.__getitem__):
        below[part] = graph[part].union(*(below[target] for target in graph[part]))
    return {
        part: {target for target in targets if not any(target in below[other] for other in targets)}
        for part, targets in graph.items()
    }


def _band(graph: Graph, title: str, y: float) -> tuple[list[str], float]:
    """What is drawn, and the height of it."""
    boxes, bottom = _placed(_rows(graph), y + TITLE)
    height = bottom - y
    drawn = [
        f'<rect class="band" x="{MARGIN / 2}" y="{y:g}" width="{WIDTH - MARGIN}" height="{height:g}" rx="8"/>',
        f'<text class="title" x="{MARGIN}" y="{y + 21:g}">{escape(title)}</text>',
    ]
    for part, targets in sorted(reduced(graph).items()):
        drawn += [_arrow(boxes[part], boxes[target]) for target in sorted(targets)]
    return drawn + [_drawn(box) for box in boxes.values()], height


def _rows(graph: Graph) -> list[list[str]]:
    """The parts of each level, the highest first, each near the parts that it imports."""
    level, leads = levels(graph), reduced(graph)
    rows = [sorted(part for part in graph if level[part] == k) for k in range(max(level.values()) + 1)]
    narrow = [piece for row in rows for piece in _pieces(row)]
    at: dict[str, float] = {}
    for row in narrow:
        row.sort(key=lambda part: (_mean([at[target] for target in leads[part] if target in at]), part))
        at |= {part: (number + 1) / (len(row) + 1) for number, part in enumerate(row)}
    return narrow[::-1]


def _pieces(row: list[str]) -> list[list[str]]:
    """The row, broken where it is wider than the picture."""
    pieces: list[list[str]] = [[]]
    for part in row:
        if pieces[-1] and _width([*map(_box, pieces[-1]), _box(part)]) > WIDTH - 2 * MARGIN:
            pieces.append([])
        pieces[-1].append(part)
    return pieces


def _placed(rows: list[list[str]], y: float) -> tuple[dict[str, Box], float]:
    """The boxes with their places, and the lower edge of all."""
    placed: dict[str, Box] = {}
    for row in rows:
        boxes = [_box(part) for part in row]
        space = (WIDTH - 2 * MARGIN - sum(box.width for box in boxes)) / (len(boxes) + 1)
        x = MARGIN + space
        for part, box in zip(row, boxes, strict=True):
            placed[part] = Box(box.lines, x, y)
            x += box.width + space
        y += max(box.height for box in boxes) + ROW
    return placed, y - ROW + GAP


def _box(part: str) -> Box:
    lines = [""]
    for name in part.split(" · "):
        if lines[-1] and len(lines[-1]) + len(name) > MOST_LETTERS:
            lines.append("")
        lines[-1] += f" · {name}" if lines[-1] else name
    return Box(tuple(lines))


def _drawn(box: Box) -> str:
    kind = "part circle" if " · " in box.lines[0] else "part"
    size = f'width="{box.width:.1f}" height="{box.height:g}"'
    frame = f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:g}" {size} rx="4"/>'
    texts = (
        f'<text class="name" x="{box.middle:.1f}" y="{box.y + 17 + 18 * number:g}">{escape(line)}</text>'
        for number, line in enumerate(box.lines)
    )
    return frame + "".join(texts)


def _arrow(source: Box, target: Box) -> str:
    top, bottom = source.y + source.height, target.y - 5
    bend = (bottom - top) / 2
    way = f"M{source.middle:.1f} {top:g} C{source.middle:.1f} {top + bend:g} {target.middle:.1f} {bottom - bend:g} "
    return f'<path class="arrow" d="{way}{target.middle:.1f} {bottom:g}"/>'


def _between(label: str, y: float) -> list[str]:
    middle = WIDTH / 2
    way = f'<path class="arrow strong" d="M{middle:g} {y + 4:g} L{middle:g} {y + 42:g}"/>'
    return [way, f'<text class="way" x="{middle + 12:g}" y="{y + 28:g}">{label}</text>']


def _svg(drawn: list[str], height: float) -> str:
    size = f'width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}"'
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="The layers of hloscope">'
    )
    return "\n".join([opening, STYLE, *drawn, "</svg>", ""])


STYLE = f"""<style>
text {{ font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2330; }}
.title {{ font: bold 13px system-ui, sans-serif; }} .way {{ font: 12px system-ui, sans-serif; }}
.name {{ text-anchor: middle; }} .ground {{ fill: #fff; }} .band {{ fill: #eef2f8; }}
.part {{ fill: #fff; stroke: #5b6b85; }} .circle {{ stroke: #c2410c; stroke-width: 2; }}
.arrow {{ fill: none; stroke: #7d8ca6; marker-end: url(#tip); }} .strong {{ stroke: #2f6bd0; stroke-width: 2; }}
</style>
<defs><marker id="tip" viewBox="0 0 6 6" refX="2" refY="3" markerWidth="6" markerHeight="6" orient="auto">
<path d="M0 0 L6 3 L0 6 z" fill="#7d8ca6"/></marker></defs>
<rect class="ground" width="{WIDTH}" height="100%"/>"""


def _width(boxes: list[Box]) -> float:
    return sum(box.width for box in boxes) + GAP * (len(boxes) - 1)


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.5
