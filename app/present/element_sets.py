"""Sets of elements as JSON, and as the text of a query."""

import re
from collections.abc import Sequence
from math import prod

from hloscope.engine.indexing.elements.boxes import Box
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.progressions import progression

from ..wire.provenance import WireBox, WireSet

MOST_RUNS = 1_000
MOST_PARTS = 1_000
MOST_TOLD = 6
"""Maximum parts of a set in short."""
_RUN = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)
_SPAN = re.compile(r"(\d{1,18})(?::(\d{1,18})(?::(\d{1,18}))?)?", re.ASCII)


class ElementsError(ValueError):
    """A query names elements that the tensor does not have; the message is a sentence."""


def set_json(elements: ElementSet) -> WireSet:
    """Disjoint boxes if there are few, otherwise ranges of row-major positions."""
    found: WireSet = {"shape": list(elements.shape), "count": elements.count}
    if elements.boxes is not None:
        return {**found, "boxes": [box_json(box) for box in elements.boxes]}
    runs, complete = elements.runs(MOST_RUNS)
    return {**found, "runs": runs, "complete": complete}


def box_json(box: Box) -> WireBox:
    """The start, the sizes and the strides of a box."""
    return {
        "start": [numbers.start for numbers in box],
        "sizes": [len(numbers) for numbers in box],
        "strides": [numbers.step for numbers in box],
    }


def parse_elements(text: str, shape: Sequence[int]) -> ElementSet:
    """The elements that `text` names: `5,7-9` are row-major positions, `@0:2,3:5` is a box.

    An empty text names all elements. A box has for each dimension an index, or `start:stop` with an optional
    `:step`;     `;` separates several boxes. Raises `ElementsError` with the cause.
    """
    if not text:
        return ElementSet.full(shape)
    if text.startswith("@"):
        boxes = text.split(";")
        _check_count(len(boxes))
        return ElementSet.of_boxes(shape, [_box(box, shape) for box in boxes])
    parts = text.split(",")
    _check_count(len(parts))
    runs = [_run(part, shape) for part in parts]
    return _of_runs(runs, shape)


def _of_runs(runs: Sequence[range], shape: Sequence[int]) -> ElementSet:
    flat = ElementSet.of_boxes((prod(shape),), [(run,) for run in runs])
    return flat.reshape(shape)


def _check_count(count: int) -> None:
    if count > MOST_PARTS:
        raise ElementsError(f"Elements are named in {count:,} parts; {MOST_PARTS:,} are the most.")


def _run(text: str, shape: Sequence[int]) -> range:
    match = _RUN.fullmatch(text)
    if match is None:
        raise ElementsError(
            f"{_quote(text)} names no elements; positions look like 5 or 7-9, boxes like @0:2,3:5."
        )
    first, last = int(match[1]), int(match[2] or match[1])
    count = prod(shape)
    if last >= count:
        raise ElementsError(f"There is no element {last}: the tensor has {count:,}, counted from 0.")
    if last < first:
        raise ElementsError(f"{text} goes backwards: write {last}-{first}.")
    return range(first, last + 1)


def _box(text: str, shape: Sequence[int]) -> Box:
    parts = text.removeprefix("@").split(",") if text.removeprefix("@") else []
    if not text.startswith("@"):
        raise ElementsError(f"{_quote(text)} is not a box: each begins with @, as in @0:2,3:5;@4,0:3.")
    if len(parts) != len(shape):
        sizes = f" ({'x'.join(map(str, shape))})" if shape else ""
        dimensions = "1 dimension is" if len(parts) == 1 else f"{len(parts)} dimensions are"
        raise ElementsError(f"{dimensions} named, and the tensor has {len(shape)}{sizes}.")
    return tuple(
        _span(part, number, size) for number, (part, size) in enumerate(zip(parts, shape, strict=True))
    )


def _span(text: str, dimension: int, size: int) -> range:
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ElementsError(f"{_quote(text)} is neither an index nor start:stop, in dimension {dimension}.")
    start = int(match[1])
    stop = start + 1 if match[2] is None else int(match[2])
    step = int(match[3] or 1)
    if step == 0:
        raise ElementsError(f"{text} has a step of 0, in dimension {dimension}.")
    if stop > size or start >= max(stop, 1):
        what = f"index {start}" if match[2] is None else text
        empty = " names no element" if stop <= size else f" reaches outside of size {size}"
        raise ElementsError(f"{what}{empty}, in dimension {dimension}.")
    return progression(start, -(-(stop - start) // step), step)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def set_text(found: WireSet) -> str:
    """A set in short: `[0, 1]`, `3 of 12: [0, 0:3]`, `all 12`, or the first of its parts."""
    total = prod(found["shape"])
    if found["count"] == total and total > 1:
        return f"all {total:,}"
    parts = [_box_text(box) for box in found.get("boxes", [])]
    if not parts:
        parts = [
            f"positions {first}-{first + length - 1}" if length > 1 else f"position {first}"
            for first, length in found.get("runs", [])
        ]
    told = "; ".join(parts[:MOST_TOLD]) + (
        f"; … {len(parts) - MOST_TOLD:,} more" if len(parts) > MOST_TOLD else ""
    )
    return told if found["count"] == 1 else f"{found['count']:,} of {total:,}: {told}"


def _box_text(box: WireBox) -> str:
    sides = zip(box["start"], box["sizes"], box["strides"], strict=True)
    return f"[{', '.join(_side_text(*side) for side in sides)}]"


def _side_text(start: int, size: int, stride: int) -> str:
    if size == 1:
        return str(start)
    return f"{start}:{start + (size - 1) * stride + 1}" + (f":{stride}" if stride != 1 else "")
