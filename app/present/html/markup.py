"""HTML without scripts and style sheets, which notebook viewers remove; they keep tables.

Only the pictures set colours, so the text is readable on light and dark pages.
"""

from collections.abc import Iterable, Sequence
from html import escape

MOST_CHARACTERS = 256 << 10
"""Maximum characters of one object's HTML, which the notebook stores."""
CELL = "text-align:left;vertical-align:middle;padding:2px 8px"
NUMBER = "text-align:right;vertical-align:middle;padding:2px 8px;font-variant-numeric:tabular-nums"
MONO = "font-family:ui-monospace,Menlo,Consolas,monospace"


class Html(str):
    """Text that is already HTML; any other text is escaped."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | int) -> Html:
    """An element with its children."""
    return Html(f"{void(name, **attributes)}{joined(children)}</{name}>")


def void(name: str, **attributes: str | int) -> Html:
    """An element without content."""
    said = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return Html(f"<{name}{said}>")


def joined(children: Iterable[str]) -> Html:
    """The children in order, with plain text escaped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children))


def code(text: str) -> Html:
    """Text of a program, or a number."""
    return tag("code", text, style=f"{MONO};background:none;color:inherit;padding:0;white-space:pre-wrap")


def block(text: str) -> Html:
    """A block of program lines."""
    return tag("pre", text, style=f"{MONO};background:none;color:inherit;margin:4px 0;overflow-x:auto")


def line(*children: str) -> Html:
    """A line of text."""
    return tag("p", *children, style="margin:4px 0")


def heading(name: str, *more: str) -> Html:
    """The heading of an object, before its details."""
    return line(tag("strong", name), *more)


def row(*cells: str, head: bool = False) -> Html:
    """A row of a table."""
    return tag("tr", *(tag("th" if head else "td", cell, style=CELL) for cell in cells))


def table(head: Sequence[str], rows: Iterable[str], caption: str = "") -> Html:
    """A table of rows made by `row`."""
    said = [tag("caption", caption, style="text-align:left;padding:2px 8px")] if caption else []
    parts = [tag("thead", row(*head, head=True)), tag("tbody", *rows)]
    return tag("table", *said, *parts, style="border-collapse:collapse;margin:4px 0")


def capped(rows: Iterable[Html], most: int = MOST_CHARACTERS) -> list[Html]:
    """The first rows, up to `most` characters in total."""
    kept, size = [], 0
    for each in rows:
        size += len(each)
        if size > most:
            break
        kept.append(each)
    return kept


def cut(text: str, most: int = 100) -> str:
    """The first line, cut to `most` characters."""
    first, _, rest = text.partition("\n")
    return f"{first[:most].rstrip()} …" if rest or len(first) > most else first


def shown(*parts: str) -> str:
    """The complete HTML of an object."""
    return str(tag("div", *parts, style="font-size:13px;line-height:1.45"))
