"""SVG as text: elements in print colours, with classes that a dark page recolours.

Attributes carry the light colours, so a picture needs no style sheet; `DARK` is for a separate file, and the guard
allows it by its hash.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..html.markup import Html, joined, tag

MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SIZE = 13
"""Font size in pixels."""
ADVANCE = 7.9
"""Width of a character in pixels; text in wider fonts is compressed to it."""
GAP = 28
"""Distance between drawings in a row, in pixels."""
INK, QUIET, ACCENT, TINT, RULE, PAPER = "#1a1e23", "#57606a", "#1f56c3", "#e7eefb", "#d5d9de", "#ffffff"
_LIGHT = {"ink": INK, "quiet": QUIET, "accent": ACCENT, "tint": TINT, "paper": PAPER}
DARK = (
    "@media (prefers-color-scheme: dark) {"
    ".paper{fill:#14171b}.ink{fill:#e6e9ed}.quiet{fill:#a3adb8}.accent{fill:#8ab4ff}.tint{fill:#22304d}"
    ".rule{stroke:#3a424b}.mark{stroke:#ffffff}.halo{stroke:#14171b}}"
)


@dataclass(frozen=True)
class Drawing:
    """A part of a picture, and its width and height."""

    content: Html
    width: float
    height: float


def text(
    x: float, y: float, said: str, kind: str = "ink", *, anchor: str = "start", size: float = SIZE
) -> Html:
    """A line of text with its baseline at `y`."""
    attributes = {
        "x": _number(x),
        "y": _number(y),
        "class": kind,
        "fill": _LIGHT[kind],
        "font-size": _number(size),
    }
    if anchor != "start":
        attributes["text-anchor"] = anchor
    if "  " in said or said.startswith(" "):
        attributes["xml:space"] = "preserve"
    return tag("text", said, **attributes)


def pressed(x: float, y: float, said: str, width: float, kind: str = "ink") -> Html:
    """A line of text of exactly `width` pixels, in any font."""
    attributes = {
        "x": _number(x), "y": _number(y), "class": kind, "fill": _LIGHT[kind], "font-size": _number(SIZE),
        "textLength": _number(width), "lengthAdjust": "spacingAndGlyphs", "xml:space": "preserve",
    }  # fmt: skip
    return tag("text", said, **attributes) if said else Html("")


def box(x: float, y: float, width: float, height: float, fill: str) -> Html:
    """A filled rectangle; `fill` is the name of a page colour, or any other colour."""
    colours = {"class": fill, "fill": _LIGHT[fill]} if fill in _LIGHT else {"fill": fill}
    return tag("rect", x=_number(x), y=_number(y), width=_number(width), height=_number(height), **colours)


def frame(x: float, y: float, width: float, height: float) -> Html:
    """The outline of a marked cell: two lines, one of which is visible on any colour."""
    place = {
        "x": _number(x),
        "y": _number(y),
        "width": _number(width),
        "height": _number(height),
        "fill": "none",
    }
    outer = tag("rect", **place, **{"class": "halo", "stroke": PAPER, "stroke-width": "5"})
    return joined((outer, tag("rect", **place, **{"class": "mark", "stroke": INK, "stroke-width": "2.5"})))


def moved(x: float, y: float, content: Html) -> Html:
    """`content`, translated by `x` and `y`."""
    return tag("g", content, transform=f"translate({_number(x)} {_number(y)})")


def in_rows(drawings: Iterable[Drawing], width: float) -> Drawing:
    """Drawings side by side, in as many rows as `width` pixels take."""
    parts: list[Html] = []
    x = y = tallest = widest = 0.0
    for drawing in drawings:
        if x and x + drawing.width > width:
            x, y, tallest = 0.0, y + tallest + 12, 0.0
        parts.append(moved(x, y, drawing.content))
        widest, tallest = max(widest, x + drawing.width), max(tallest, drawing.height)
        x += drawing.width + GAP
    return Drawing(joined(parts), widest, y + tallest)


def labelled(label: str, drawing: Drawing) -> Drawing:
    """A drawing below its label."""
    content = joined((text(0, SIZE, label, "ink"), moved(0, SIZE + 8, drawing.content)))
    return Drawing(content, max(drawing.width, len(label) * ADVANCE), drawing.height + SIZE + 8)


def document(drawing: Drawing, title: str, description: str, *, is_file: bool) -> Html:
    """The whole picture; a separate file gets a background and the colours for dark pages."""
    width, height = _number(drawing.width), _number(drawing.height)
    parts = [tag("title", title), tag("desc", description)]
    if is_file:
        parts += [tag("style", Html(DARK)), box(0, 0, drawing.width, drawing.height, "paper")]
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "width": width, "height": height,
        "role": "img", "aria-label": f"{title}. {description}", "font-family": MONO,
    }  # fmt: skip
    return tag("svg", *parts, drawing.content, **attributes)


def clean(said: str) -> str:
    """Text without the characters that XML forbids."""
    return "".join(
        c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff" else " " for c in said
    )


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
