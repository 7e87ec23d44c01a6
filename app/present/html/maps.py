"""The indexing maps of an op as HTML: formulas, and pictures of which elements read which."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod

import numpy as np

from hloscope.engine.indexing import BoundMap, Dim, Expression, IndexMap, Range
from hloscope.engine.indexing.core.index_map import OperandMap
from hloscope.engine.indexing.evaluation.points import Points, span

from ..elements import Array
from ..map_texts import MapGroup
from .markup import Html, block, capped, heading, joined, line, row, shown, table
from .pictures import pattern, pattern_png

MOST_PAIRS = 1 << 16
"""Maximum pairs of elements in a picture."""
MOST_PICTURES = 4


def maps_html(title: str, text: str, groups: Sequence[MapGroup]) -> str:
    """The maps of one op: their text, and pictures for each operand and result."""
    pictures = [each for group in groups for each in _pictures(group)]
    return shown(heading(title), block(text), *pictures[:MOST_PICTURES])


def operand_png(groups: Sequence[MapGroup]) -> bytes | None:
    """The first operand that can be drawn, each element in the colour of its first reader, white if it is not read."""
    drawn = (_pairs(group.items[0]) for group in groups if not group.inverse and len(group.items) == 1)
    found = next((pairs for pairs in drawn if pairs is not None), None)
    return None if found is None else pattern_png(found[1], found[0].size - 1)


def first_html(parts: Iterable[str], count: int) -> str:
    """Several objects, one below the other, up to the size limit."""
    kept = capped(map(Html, parts))
    rest = (line(f"… and {count - len(kept):,} more."),) if count > len(kept) else ()
    return shown(*kept, *rest)


def _pictures(group: MapGroup) -> Iterator[Html]:
    """The result with a colour per element, and the operand in the colours of its readers."""
    if group.inverse or len(group.items) != 1:
        return
    pairs = _pairs(group.items[0])
    if pairs is None:
        return
    result, operand = pairs
    given = f"operand {group.operand}, {group.operand_name}"
    cells = (
        pattern(result, result.size - 1, "elements of the result"),
        pattern(operand, result.size - 1, "elements of the operand that are read"),
    )
    drawn = f"The operand as far as it is read: {' × '.join(map(str, operand.shape))}."
    words = (
        "Each of its elements has the colour of the first result element that reads it; white is not read."
    )
    yield joined((table((f"result {group.result_name}", given), [row(*cells)]), line(f"{drawn} {words}")))


def _pairs(item: OperandMap) -> tuple[Array, Array] | None:
    """Numbers of the result's elements; for each operand element its first reader's, or -1.

    `None` where there are too many pairs for a picture, or only a run knows them.
    """
    found = item.map
    if item.place is not None or found.runtimes or found.is_undefined or found.is_known_empty:
        return None
    sizes = _sizes(found)
    if sizes is None or not found.results or not sizes:
        return None
    spans: dict[Expression, range] = {Dim(number): span(each) for number, each in enumerate(found.dimensions)}
    spans |= {Range(number): span(each) for number, each in enumerate(found.ranges)}
    image = BoundMap(found).image(Points(spans), tuple(map(Dim, range(len(sizes)))))
    result = np.arange(prod(sizes)).reshape(sizes)
    read = image[:, len(sizes) :]
    if not len(read) or read.min() < 0 or np.prod(read.max(axis=0) + 1.0) > MOST_PAIRS:
        return None
    readers = np.ravel_multi_index(tuple(image[:, : len(sizes)].T), sizes)
    operand = np.full(tuple(read.max(axis=0) + 1), len(result.flat))
    np.minimum.at(operand, tuple(read.T), readers)
    operand[operand == len(result.flat)] = -1
    return result, operand


def _sizes(found: IndexMap) -> tuple[int, ...] | None:
    """The sizes of a map's domain; `None` if it has too many pairs of elements."""
    spans = [span(each) for each in (*found.dimensions, *found.ranges)]
    if not all(spans) or prod(map(len, spans)) > MOST_PAIRS:
        return None
    return tuple(each.stop for each in spans[: len(found.dimensions)])
