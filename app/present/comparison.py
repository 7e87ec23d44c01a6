"""Comparison of one value across processes: groups of equal values, and the differences."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from hloscope.engine.ir.module import Language
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.value_facts import as_numbers, range_of

from ..wire.values import Comparison, JointRange, ValuePair
from .elements import Array
from .numbers import json_number


def comparison(values: Sequence[Array]) -> Comparison:
    """Groups of equal values, and how each value differs from the first.

    Values are equal when they agree bit for bit; all NaN count as equal.
    """
    groups = equal_rows([(value,) for value in values])
    same = set(groups[0]) if groups else set()
    return {
        "groups": groups,
        "pairs": [
            _no_difference(number, value) if number in same else _difference(number, values[0], value)
            for number, value in enumerate(values)
        ],
        "shapes": [list(value.shape) for value in values],
    }


def equal_rows(rows: Sequence[Sequence[Array]]) -> list[list[int]]:
    """The numbers of rows with equal values, group by group; values may be tuples and tokens.

    Each array is read once, however many rows there are.
    """
    names: dict[int, Any] = {}
    groups: dict[Any, list[int]] = {}
    for number, row in enumerate(rows):
        for value in row:
            if id(value) not in names:
                names[id(value)] = _name(value)
        groups.setdefault(tuple(names[id(value)] for value in row), []).append(number)
    return list(groups.values())


def describe_unjoined(
    language: Language, results: Sequence[Sequence[Array]], joined: Sequence[Array | None]
) -> str:
    """Describe the first result that cannot be joined into one value over all processes."""
    number = next(number for number, value in enumerate(joined) if value is None)
    groups = len(equal_rows([(row[number],) for row in results]))
    said = f"result {number} is not the same in all processes"
    if groups == 1:
        return f"{said}: they differ in the bits of NaN alone"
    reason = (
        "XLA's partitioner leaves no sharding of results in the text"
        if language == "hlo"
        else "a result with the attribute sdy.sharding or mhlo.sharding would"
    )
    return (
        f"{said}: {len(results)} of them have {groups} values. These may be the parts of a whole, but the program does "
        f"not say how they are joined ({reason})"
    )


def joint_range(values: Sequence[Array]) -> JointRange:
    """The colour range that the values share, and their counts of NaN and infinities."""
    found = [range_of(value) for value in {id(value): value for value in values}.values() if value.size]
    finite = [one for one in found if one.finite]
    return {
        "min": json_number(min((one.minimum for one in finite), default=float("nan"))),
        "max": json_number(max((one.maximum for one in finite), default=float("nan"))),
        "nan": sum(one.nan for one in found),
        "posinf": sum(one.positive_infinities for one in found),
        "neginf": sum(one.negative_infinities for one in found),
    }


def _name(value: Array) -> tuple[Any, ...]:
    """A key that exactly the equal values share."""
    if is_tuple(value):
        return tuple(map(_name, value))
    data = np.ascontiguousarray(_bits(value))
    return str(value.dtype), value.shape, blake2b(data.data if data.size else b"", digest_size=16).digest()


def _bits(value: Array) -> Array:
    """The elements as integers, or as pairs of integers; all NaN map to one."""
    if value.dtype.kind == "c":
        parts = [_bits(part) for part in (value.real, value.imag)]
        return np.stack(parts, axis=-1)
    words = np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}").reshape(value.shape)
    is_nan = _is_nan(value)
    if is_nan.any():
        words = np.where(is_nan, np.array(-1, f"i{value.dtype.itemsize}").view(words.dtype), words)
    return words


def _is_nan(value: Array) -> Array:
    numbers = as_numbers(value)
    return np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(value.shape, np.bool_)


def _no_difference(number: int, value: Array) -> ValuePair:
    return {"index": number, "different": 0, "of": value.size, "largest": 0, "first": None}


def _difference(number: int, first: Array, other: Array) -> ValuePair:
    """The number of differing elements, the largest difference, and the position of the first."""
    if first.shape != other.shape or first.dtype != other.dtype:
        return {"index": number, "different": None, "of": other.size, "largest": None, "first": None}
    differs = _bits(first) != _bits(other)
    if differs.ndim > first.ndim:
        differs = differs.any(axis=-1)
    where = np.unravel_index(int(np.argmax(differs)), first.shape)
    return {
        "index": number,
        "different": int(np.count_nonzero(differs)),
        "of": other.size,
        "largest": _largest(first[differs], other[differs]),
        "first": [int(index) for index in where],
    }


def _largest(first: Array, other: Array) -> int | float | str | None:
    """The largest absolute difference; `None` where only one side is NaN."""
    if first.dtype.kind in "iu":
        return json_number(max(abs(int(a) - int(b)) for a, b in _extremes(first, other)))
    wide = np.complex128 if first.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.abs(first.astype(wide) - other.astype(wide))
    return None if np.isnan(found).any() else json_number(float(found.max()))


def _extremes(first: Array, other: Array) -> list[tuple[Any, Any]]:
    """Pairs of integers, including the pair with the largest difference."""
    distance = np.abs(first.astype(np.float64) - other.astype(np.float64))
    places = np.flatnonzero(distance >= distance.max())[:100]
    return [(first[place], other[place]) for place in places]
