"""A value as vector cells: with numbers if there are few, else as many as one can tell apart."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import prod

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.colour_scales import LEVELS, ColourScale
from hloscope.engine.small_pictures import MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, picture_of
from hloscope.engine.value_facts import range_of, scale_of

from ..elements import Array
from ..html.markup import Html, joined, tag
from ..html.pictures import coloured
from ..numbers import exact_number, short_number
from .svg import ADVANCE, SIZE, Drawing, box, frame, text

MOST_ROWS, MOST_COLUMNS = 32, 16
"""Maximum rows and columns of a value whose numbers are written."""
PIXELS_WIDE, PIXELS_HIGH = 64, 48
ROW = 24
HEAD = 20
"""Height of the row of column indices, in pixels."""
CHARACTERS = 8
"""Maximum characters of a number in a cell."""
DARK_BELOW = 0.45
"""Brightness below which a cell has white text."""

Index = tuple[int, ...]
Colour = Callable[[Index], str]


@dataclass(frozen=True)
class Sheet:
    """Two dimensions of a value: the whole with leading dimensions folded into rows, or a slice."""

    array: Array
    """Shape [rows, columns]."""
    leading: list[Index]
    """The index of each row, without the column."""
    words: str
    """The slice, where the sheet is not the whole value: `[2, :, :]`."""
    has_columns: bool = True

    def index(self, row: int, column: int) -> Index:
        """The index of the element in a cell."""
        return (*self.leading[row], column) if self.has_columns else self.leading[row]


def sheet_of(array: Array, element: Index | None) -> Sheet:
    """The sheet of a value that contains `element`, or its first elements."""
    if array.ndim == 0:
        return Sheet(array.reshape(1, 1), [()], "", has_columns=False)
    shape = array.shape
    leading = shape[:-1]
    if prod(leading) <= MOST_ROWS or array.ndim <= 2:
        # Only a value with written numbers needs the index of each row.
        rows = prod(leading)
        named = [tuple(map(int, np.unravel_index(row, leading))) if leading else () for row in range(rows)]
        return Sheet(array.reshape(rows, shape[-1]), named, "")
    fixed = element[:-2] if element is not None else (0,) * (array.ndim - 2)
    words = f"[{', '.join([*map(str, fixed), ':', ':'])}]"
    return Sheet(array[fixed], [(*fixed, row) for row in range(shape[-2])], words)


@dataclass(frozen=True)
class Cells:
    """A value to draw; `colour` gives each element its colour, `scale` those of numbers: by default the value's own."""

    array: Array
    element: Index | None = None
    marked: frozenset[Index] = field(default_factory=frozenset)
    colour: Colour | None = None
    scale: ColourScale | None = None

    @property
    def shown_scale(self) -> ColourScale:
        """The scale in which the numbers are drawn, also those of a part."""
        return self.scale or scale_of(self.array, range_of(self.array))


def is_written(sheet: Sheet) -> bool:
    """Whether the cells contain the sheet's numbers."""
    rows, columns = sheet.array.shape
    return bool(rows <= MOST_ROWS and columns <= MOST_COLUMNS)


def draw_cells(cells: Cells, width: float) -> Drawing:
    """The value, at most `width` pixels wide."""
    sheet = sheet_of(cells.array, cells.element)
    if not cells.array.size:
        return Drawing(text(0, SIZE + 2, "It has no elements.", "quiet"), 20 * ADVANCE, ROW)
    return _written(cells, sheet, width) if is_written(sheet) else _pixels(cells, sheet, width)


def _written(cells: Cells, sheet: Sheet, width: float) -> Drawing:
    rows, columns = sheet.array.shape
    numbers = [[_number(sheet.array[row, column]) for column in range(columns)] for row in range(rows)]
    names = [f"[{', '.join(map(str, index))}]" if index else "" for index in sheet.leading]
    side = max(map(len, names)) * ADVANCE + (8 if any(names) else 0) if sheet.has_columns else 0.0
    top = HEAD if columns > 1 else 0
    longest = max(len(number) for line in numbers for number in line)
    wide = max(28.0, min(longest * ADVANCE + 12, (width - side) / columns))
    size = min(float(SIZE), (wide - 4) / (max(longest, 1) * ADVANCE / SIZE))
    parts: list[Html] = []
    colour = cells.colour or _own_colours(cells, sheet)
    marks: list[Html] = []
    for row in range(rows):
        if sheet.has_columns:
            parts.append(text(side - 8, top + row * ROW + 16.5, names[row], "quiet", anchor="end", size=11))
        for column in range(columns):
            x, y, index = side + column * wide, top + row * ROW, sheet.index(row, column)
            filled = colour(index)
            parts += [
                box(x, y, wide - 1, ROW - 1, filled),
                _on(x + wide / 2, y + 16.5, numbers[row][column], filled, size),
            ]
            if index == cells.element or index in cells.marked:
                marks.append(frame(x, y, wide - 1, ROW - 1))
    if columns > 1:
        parts += [
            text(side + (n + 0.5) * wide, 14, str(n), "quiet", anchor="middle", size=11)
            for n in range(columns)
        ]
    return Drawing(joined([*parts, *marks]), side + columns * wide, top + rows * ROW)


def _number(value: object) -> str:
    written = exact_number(value)
    if len(written) <= CHARACTERS or isinstance(value, (complex, np.complexfloating, np.integer)):
        return written
    return short_number(float(value))  # type: ignore[arg-type]


def _on(x: float, y: float, said: str, filled: str, size: float) -> Html:
    """A number on a cell: black or white, whatever the page's colours are."""
    letters = "#ffffff" if _brightness(filled) < DARK_BELOW else "#14171b"
    return Html(
        str(text(x, y, said, "ink", anchor="middle", size=size)).replace(
            'class="ink" fill="#1a1e23"', f'fill="{letters}"'
        )
    )


def _brightness(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue


def _own_colours(cells: Cells, sheet: Sheet) -> Colour:
    """The tensor view's colours for each element."""
    rows, columns = sheet.array.shape
    levels, colours = coloured(picture_of(sheet.array, columns, rows, cells.shown_scale))
    shown = {
        sheet.index(row, column): hexadecimal(colours[levels[row, column]])
        for row in range(rows)
        for column in range(columns)
    }
    return lambda index: shown[index]


def _pixels(cells: Cells, sheet: Sheet, width: float) -> Drawing:
    """Rectangles of one colour each; equal neighbours in a row are merged."""
    picture = picture_of(sheet.array, PIXELS_WIDE, PIXELS_HIGH, cells.shown_scale)
    levels, colours = coloured(picture)
    high, wide = levels.shape
    side = max(2.0, min(width / wide, 14.0))
    parts = []
    for row in range(high):
        column = 0
        for level, run in groupby(levels[row].tolist()):
            count = sum(1 for _ in run)
            # Each rectangle extends a little over its edge, so that no gap shows between two.
            parts.append(
                box(column * side, row * side, count * side + 0.3, side + 0.3, hexadecimal(colours[level]))
            )
            if level > LEVELS:
                parts += [_mark(level, (column + n) * side, row * side, side) for n in range(count)]
            column += count
    rows, columns = sheet.array.shape
    for at in ([cells.element] if cells.element is not None else []) + sorted(cells.marked):
        place = _place(sheet, at)
        if place is not None:
            x, y = place[1] * wide // columns, place[0] * high // rows
            parts.append(frame(x * side - 1, y * side - 1, side + 2, side + 2))
    return Drawing(joined(parts), wide * side, high * side)


def _mark(level: int, x: float, y: float, side: float) -> Html:
    """NaN is hatched, and an infinity has its sign."""
    lines = _MARK_LINES[level]
    path = "".join(
        f"M{x + a * side:.2f} {y + b * side:.2f}L{x + c * side:.2f} {y + d * side:.2f}"
        for a, b, c, d in lines
    )
    colour = "#ffffff" if level == MINUS_INFINITY else "#4d0010"
    return tag("path", d=path, stroke=colour, **{"stroke-width": f"{side / 7:.2f}"})


_MINUS = (0.2, 0.5, 0.8, 0.5)
_MARK_LINES = {
    NOT_A_NUMBER: ((0, 0.5, 0.5, 0), (0, 1, 1, 0), (0.5, 1, 1, 0.5)),
    PLUS_INFINITY: (_MINUS, (0.5, 0.2, 0.5, 0.8)),
    MINUS_INFINITY: (_MINUS,),
}


def _place(sheet: Sheet, at: Index) -> tuple[int, int] | None:
    for row, leading in enumerate(sheet.leading):
        if leading == at[: len(leading)]:
            return row, at[-1]
    return None


def hexadecimal(colour: Sequence[int] | NDArray[np.uint8]) -> str:
    """`#1f56c3`."""
    return "#" + "".join(f"{int(part):02x}" for part in colour)


def indices_of(shape: Index) -> Iterator[Index]:
    """All indices of a shape, in row-major order."""
    yield from (tuple(map(int, np.unravel_index(n, shape))) if shape else () for n in range(prod(shape)))
