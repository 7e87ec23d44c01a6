"""The picture of the layers, and the lines of each part: `python -m tests.layers_picture` draws docs/layers.svg.

`python -m tests.layers_picture --lines` prints a table of lines instead. The picture has three bands: the browser's
side, the server and the engine. In each band a part is above the parts that it imports. An arrow that follows from
others is omitted: where a imports b and b imports c, none is drawn from a to c. Parts that import one another share
a box with a red frame.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "layers.svg"
BANDS = (("static/js", "Browser: static/js"), ("app", "Server: app"), ("engine", "Engine: engine"))
BETWEEN = ("HTTP and a WebSocket", "imports")
"""How a band reaches the one below it."""
WIDTH, MARGIN, TITLE = 980, 24, 34
LINE, GAP, ROW = 26, 14, 32
LETTER = 7.3
"""Width of a letter of the labels."""

Graph = dict[str, set[str]]
"""For each part or file those that it imports."""

ENDS = (".py", "/__init__.py")
JAVASCRIPT_COMMENTS = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
JAVASCRIPT_IMPORTS = re.compile(r"""(?:\bfrom|\bimport|\bimport\()\s*["'](\.[^"']+)["']""")


@dataclass(frozen=True)
class Box:
    """A part, and where it is drawn."""

    part: str
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return len(self.part) * LETTER + 16

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def picture() -> str:
    """SVG of the layers, on a ground of its own, so that it can be read on dark pages too."""
    drawn: list[str] = []
    y = float(MARGIN)
    for number, (folder, title) in enumerate(BANDS):
        band, height = _band(condensed(parts_of(folder)), title, y)
        drawn += band
        y += height
        if number < len(BETWEEN):
            drawn += _between(BETWEEN[number], y)
            y += 50
    return _svg(drawn, y + MARGIN)


def parts_of(folder: str) -> Graph:
    """Packages of a folder and the modules that lie beside them, and which of these import which."""
    names = [name for name in _files(folder) if name != f"{folder}/__init__.py"]
    known = set(names)
    parts: Graph = {}
    for name in names:
        targets = {_part(target, folder) for target in set(_imported(name, known)) & known}
        parts.setdefault(_part(name, folder), set()).update(targets)
    return {part: targets - {part} for part, targets in parts.items()}


def _files(folder: str) -> list[str]:
    suffix = ".js" if folder.startswith("static") else ".py"
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob(f"*{suffix}"))


def _part(name: str, folder: str) -> str:
    first, *rest = name.removeprefix(f"{folder}/").split("/")
    return f"{first}/" if rest else PurePosixPath(first).stem


def _imported(name: str, known: set[str]) -> Iterator[str]:
    """Paths of what a file imports when it runs, at its top or in a function."""
    text = (ROOT / name).read_text()
    if name.endswith(".js"):
        for target in JAVASCRIPT_IMPORTS.findall(JAVASCRIPT_COMMENTS.sub("", text)):
            yield (ROOT / name).parent.joinpath(target).resolve().relative_to(ROOT).as_posix()
        return
    for node in _running(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            folder = _folder(name, node)
            for alias in node.names:
                paths = [f"{module}{end}" for module in (f"{folder}/{alias.name}", folder) for end in ENDS]
                yield from [path for path in paths if path in known][:1]


def _folder(name: str, node: ast.ImportFrom) -> str:
    """Path of `from <module> import …`, without its suffix."""
    module = (node.module or "").removeprefix("hloscope.")
    above = name.split("/")[: -node.level] if node.level else []
    return "/".join([*above, *module.split(".")]).strip("/")


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All that is executed: not the body of `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _running(node)


def condensed(graph: Graph) -> Graph:
    """The graph with parts that import one another as one part, whose name lists them."""
    reached = {part: _reached(part, graph) for part in graph}
    name_of = {
        part: " · ".join(sorted({part, *(other for other in reached[part] if part in reached[other])}))
        for part in graph
    }
    found: Graph = {name: set() for name in name_of.values()}
    for part, targets in graph.items():
        found[name_of[part]] |= {name_of[target] for target in targets} - {name_of[part]}
    return found


def _reached(part: str, graph: Graph) -> set[str]:
    """Parts that a part imports, directly or through others."""
    reached: set[str] = set()
    waiting = [part]
    while waiting:
        new = graph[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def levels(graph: Graph) -> dict[str, int]:
    """Number of parts below each part on the longest way down; the graph has no circles."""
    found: dict[str, int] = {}
    while len(found) < len(graph):
        for part, targets in graph.items():
            if part not in found and targets <= found.keys():
                found[part] = max((found[target] + 1 for target in targets), default=0)
    return found


def reduced(graph: Graph) -> Graph:
    """The graph without the arrows that follow from others."""
    below: Graph = {}
    for part in sorted(graph, key=levels(graph).__getitem__):
        below[part] = graph[part].union(*(below[target] for target in graph[part]))
    return {
        part: {target for target in targets if not any(target in below[other] for other in targets)}
        for part, targets in graph.items()
    }


def _band(graph: Graph, title: str, y: float) -> tuple[list[str], float]:
    """A band's elements, and its height."""
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
    """Parts of each level, the highest first, each near the parts that it imports."""
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
        boxes = [*map(Box, pieces[-1]), Box(part)]
        width = sum(box.width for box in boxes) + GAP * (len(boxes) - 1)
        if pieces[-1] and width > WIDTH - 2 * MARGIN:
            pieces.append([])
        pieces[-1].append(part)
    return pieces


def _placed(rows: list[list[str]], y: float) -> tuple[dict[str, Box], float]:
    """Boxes with their positions, and the lower edge of all."""
    placed: dict[str, Box] = {}
    for row in rows:
        space = (WIDTH - 2 * MARGIN - sum(Box(part).width for part in row)) / (len(row) + 1)
        x = MARGIN + space
        for part in row:
            placed[part] = Box(part, x, y)
            x += placed[part].width + space
        y += LINE + ROW
    return placed, y - ROW + GAP


def _drawn(box: Box) -> str:
    size = f'width="{box.width:.1f}" height="{LINE}"'
    kind = "part circle" if " · " in box.part else "part"
    frame = f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:g}" {size} rx="4"/>'
    return f'{frame}<text class="name" x="{box.middle:.1f}" y="{box.y + 17:g}">{escape(box.part)}</text>'


def _arrow(source: Box, target: Box) -> str:
    top, bottom = source.y + LINE, target.y - 5
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


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.5


def line_counts() -> Counter[str]:
    """Lines of each part of app/, engine/ and static/js/, and of each folder of tests/."""
    found: Counter[str] = Counter()
    for folder in ("app", "engine", "static/js", "tests"):
        for name in _files(folder):
            part = _part(name, folder)
            found[f"{folder}/{part if part.endswith('/') else ''}"] += len(
                (ROOT / name).read_text().splitlines()
            )
    return found


def main() -> None:
    if "--lines" in sys.argv:
        for part, lines in sorted(line_counts().items()):
            print(f"{lines:7,} {part}")
    else:
        PICTURE.write_text(picture())


if __name__ == "__main__":
    main()
