"""Search over values: the query's parameters, the answer as JSON, and the next element that is not finite."""

import re
from itertools import pairwise
from math import isfinite, isnan

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.value_columns import NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY
from hloscope.engine.debugger.value_search import Found, Hit, ShapeFilter
from hloscope.engine.program import BoundProgram
from hloscope.engine.value_facts import as_numbers

from ...engine.debugger.value_search import AllEqual, IsNear, IsWithin, Nonfinite, Number, Predicate
from ..wire.search import OpNames, SearchHit, SearchKind, SearchResult
from ..wire.values import NonfiniteElement
from .elements import Array
from .numbers import exact_number
from .program import op_name
from .types import type_text

_HLO_SHAPE = re.compile(r"([a-z]\w*)?\s*\[\s*((?:\d+|\?)(?:\s*,\s*(?:\d+|\?))*)?\s*\]", re.ASCII)
_MLIR_SHAPE = re.compile(r"(?:tensor\s*<)?\s*((?:(?:\d+|\?)\s*x\s*)*)([a-z]\w*)\s*>?", re.ASCII)
_OTHER_NAMES = {"pred": "i1", **{f"s{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)}}
_OTHER_NAMES.update({f"u{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)})


class SearchError(Exception):
    """An invalid search query; the message is a sentence for the user."""


def parse_shape(text: str) -> ShapeFilter:
    """`f32[64,768]`, `[64,?]`, `tensor<64x768xf32>` or `f32`; an empty text is any shape."""
    if not text.strip():
        return ShapeFilter()
    if match := _HLO_SHAPE.fullmatch(text.strip()):
        element, sizes = match[1], (match[2] or "").split(",") if match[2] else []
        return ShapeFilter(_sizes(sizes), element and _OTHER_NAMES.get(element, element))
    if match := _MLIR_SHAPE.fullmatch(text.strip()):
        sizes = match[1].split("x")[:-1]
        whole = sizes or text.strip().startswith("tensor")
        return ShapeFilter(_sizes(sizes) if whole else None, _OTHER_NAMES.get(match[2], match[2]))
    raise SearchError(f"{text} is not a shape; one looks like f32[64,768], [64,?] or tensor<64x768xf32>.")


def _sizes(texts: list[str]) -> tuple[int | None, ...]:
    return tuple(None if text.strip() == "?" else int(text) for text in texts)


def parse_predicate(kind: SearchKind, number: str, tolerance: str, low: str, high: str) -> Predicate:
    """The predicate of a query."""
    match kind:
        case "nan":
            return Nonfinite(NAN)
        case "inf":
            return Nonfinite(POSITIVE_INFINITY | NEGATIVE_INFINITY)
        case "nonfinite":
            return Nonfinite()
        case "equal" | "zero":
            return AllEqual(zero=kind == "zero")
        case "range":
            return _range(low, high)
        case "number":
            return _near(number, tolerance)
    return Predicate()


def _near(number: str, tolerance: str) -> Predicate:
    wanted, around = _number(number), float(_number(tolerance or "0"))
    if not (isfinite(around) and around >= 0):
        raise SearchError(f"{tolerance} is not a tolerance; it is a number, 0 or more.")
    return IsNear(wanted, around)


def _range(low: str, high: str) -> Predicate:
    bounds = _number(low or "-inf"), _number(high or "inf")
    if bounds[0] > bounds[1]:
        raise SearchError(f"No number is between {low} and {high}: the first is larger.")
    return IsWithin(*bounds)


def _number(text: str) -> Number:
    try:
        found: Number = int(text) if re.fullmatch(r"[+-]?\d{1,40}", text.strip(), re.ASCII) else float(text)
    except ValueError:
        raise SearchError(f"“{text}” is not a number.") from None
    if isnan(found):
        raise SearchError("NaN equals no number: search for “has NaN” instead.")
    return found


def search_json(recording: Recording, found: Found) -> SearchResult:
    """The result of a search as JSON."""
    return {"hits": [_hit(recording, hit) for hit in found.hits], "next": found.next, "looked": found.looked}


def _hit(recording: Recording, hit: Hit) -> SearchHit:
    program, address = recording.program, hit.address
    value = recording.value_number(address)
    if hit.step is None:
        span = program.values[value].span
    else:
        span = program.ops[recording.tracks[address.process].op_of(hit.step)].operation.span
    path = f"{{{','.join(map(str, address.path))}}}" if address.path else ""
    array = recording.value(address)
    return {
        "address": str(address),
        "step": hit.step,
        "value": value,
        "line": program.module.source.line_and_column(span.start)[0],
        "name": f"{program.values[value].name}{path}",
        "type": type_text(recording.type_of(address), program.module.language),
        "count": hit.count,
        "size": hit.size,
        "shape": list(array.shape),
        "index": list(hit.first),
        "element": exact_number(array[hit.first]) if array.size else "",
    }


def op_names(program: BoundProgram) -> OpNames:
    """The framework names of all ops."""
    numbers: dict[str, int] = {}
    ops = []
    for op in program.ops:
        name = op_name(op.operation.location)
        ops.append(numbers.setdefault(name, len(numbers)) if name else -1)
    shared = [_shared(*pair) for pair in pairwise(("", *numbers))]
    rests = [name[length:] for name, length in zip(numbers, shared, strict=True)]
    return {"shared": shared, "rests": rests, "ops": ops}


def _shared(before: str, name: str) -> int:
    """The characters at the beginning of both; 0 where browsers count characters otherwise."""
    length, beyond = 0, min(len(before), len(name)) + 1
    while beyond - length > 1:
        middle = (length + beyond) // 2
        length, beyond = (middle, beyond) if before.startswith(name[:middle]) else (length, middle)
    return length if name[:length].isascii() else 0


CHUNK = 1 << 20


def nonfinite_element(array: Array, after: int, *, back: bool) -> NonfiniteElement:
    """The nearest non-finite element after or before number `after` in row-major order.

    The search wraps around, so it finds an element wherever there is one.
    """
    places = np.flatnonzero(_marks(array)) if array.size <= CHUNK else _places(array)
    if not places.size:
        return {"index": None, "text": "", "number": 0, "count": 0}
    at = int(np.searchsorted(places, after, "left") - 1 if back else np.searchsorted(places, after, "right"))
    at %= places.size
    index = tuple(int(one) for one in np.unravel_index(places[at], array.shape))
    return {
        "index": list(index),
        "text": exact_number(array[index]),
        "number": at + 1,
        "count": int(places.size),
    }


def _places(array: Array) -> np.ndarray:
    """Search in parts along the first axis: a full mask would be as large as the value."""
    rows = max(1, CHUNK // max(1, array[0].size))
    inner = array[0].size
    found = [
        np.flatnonzero(_marks(array[start : start + rows])) + start * inner
        for start in range(0, array.shape[0], rows)
    ]
    return np.concatenate(found)


def _marks(array: Array) -> Array:
    numbers = as_numbers(array)
    return ~np.isfinite(numbers) if numbers.dtype.kind == "f" else np.zeros(array.shape, np.bool_)
