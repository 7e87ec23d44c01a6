"""Search over the values of a recording, against looking at every element."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.engine.debugger import value_columns
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.value_columns import NONFINITE, row_of, rows_of
from hloscope.engine.debugger.value_search import (
    AllEqual,
    Hit,
    IsNear,
    IsWithin,
    Nonfinite,
    Predicate,
    ShapeFilter,
    ValueSearch,
    count_elements,
)
from hloscope.engine.limits import DEFAULT_LIMITS
from tests.each import for_each
from tests.programs import load_program

from . import programs
from .programs import recorded

Array = NDArray[Any]
ANY = ShapeFilter()

DTYPES = [
    *(np.dtype(name) for name in ("f4", "f8", "f2", "i1", "u1", "i4", "i8", "u8", "bool", "c8")),
    *(np.dtype(found) for found in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4)),
]
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 0.1, -0.0, 7, 100, 3.5, 1e30, -1e300, 2**53 + 1, 2**63, nan, inf, -inf]
)


def _make(dtype: np.dtype[Any], numbers: list[float]) -> Array:
    """The numbers as elements of `dtype`; those that it has not become something else, which is fine."""
    with np.errstate(all="ignore"):
        if dtype.kind in "iub" or "int" in dtype.name:
            exact = [0 if np.isnan(number) or abs(number) > 2**62 else int(number) for number in numbers]
            return np.array(exact, np.int64).astype(dtype)
        return np.array(numbers, np.float64).astype(dtype)


arrays = st.builds(_make, st.sampled_from(DTYPES), st.lists(NUMBERS, min_size=1, max_size=9))
predicates = st.one_of(
    st.builds(Nonfinite, st.sampled_from([NONFINITE, 1, 2, 4, 6])),
    st.builds(AllEqual, st.booleans()),
    st.builds(IsNear, NUMBERS.filter(lambda number: not np.isnan(number)), st.sampled_from([0.0, 0.05, 1.0])),
    st.builds(
        IsWithin,
        NUMBERS.filter(lambda number: not np.isnan(number)),
        NUMBERS.filter(lambda number: not np.isnan(number)),
    ),
    st.just(Predicate()),
)


def _one_by_one(array: Array, predicate: Predicate) -> list[int]:
    """Which elements are wanted, from Python's own numbers."""
    found = [complex(element) for element in array.reshape(-1).tolist()]
    match predicate:
        case Nonfinite(flags):
            return [at for at, element in enumerate(found) if _flags(element) & flags]
        case AllEqual(zero):
            first = np.asarray(array.reshape(-1)[0])
            same = all(_same(element, found[0]) for element in found)
            return list(range(array.size)) if same and (not zero or first == 0) else []
        case IsNear(number, tolerance):
            return [
                at for at, element in enumerate(array.reshape(-1)) if _is_near(element, number, tolerance)
            ]
        case IsWithin(low, high):
            if array.dtype.kind == "c":
                return []
            return [at for at, element in enumerate(array.reshape(-1).tolist()) if low <= element <= high]
    return list(range(array.size))


def _flags(element: complex) -> int:
    parts = (element.real, element.imag)
    return (
        bool(np.isnan(element)) * value_columns.NAN
        | (inf in parts) * value_columns.POSITIVE_INFINITY
        | (-inf in parts) * value_columns.NEGATIVE_INFINITY
    )


def _same(one: complex, other: complex) -> bool:
    return one == other or bool(np.isnan(one) and np.isnan(other))


def _is_near(element: Any, number: float, tolerance: float) -> bool:
    if tolerance:
        with np.errstate(all="ignore"):
            return bool(abs(complex(element) - number) <= tolerance)
    dtype = np.asarray(element).dtype
    if dtype.kind in "iub" or "int" in dtype.name:
        return int(element) == number
    with np.errstate(all="ignore"):
        rounded = np.array(float(number)).astype(dtype)[()]
        near = complex(rounded) == number or abs(complex(rounded) - number) <= 0.5 * abs(number) + 0.5
        return bool(near and element == rounded)


@example(np.full(1, 2.0**53, np.float32), IsWithin(2**53 + 1, 1e30))
@example(np.full(1, 2.0**53 + 4), IsWithin(0, 2**53 + 3))
@given(arrays, predicates)
def test_elements_are_those_that_looking_at_each_finds(array: Array, predicate: Predicate) -> None:
    expected = _one_by_one(array, predicate)
    assert _count_of(array, predicate) == (len(expected), expected[0] if expected else None)


@given(st.lists(arrays, min_size=1, max_size=4), st.booleans())
def test_arrays_are_summarised_together_as_each_alone(found: list[Array], alike: bool) -> None:
    if alike:
        size = min(array.size for array in found)
        found = [_make(found[0].dtype, array[:size].real.astype(np.float64).tolist()) for array in found]
    rows, each = rows_of(found), [row_of(array) for array in found]
    np.testing.assert_array_equal(rows.low, [row.low for row in each])
    np.testing.assert_array_equal(rows.high, [row.high for row in each])
    assert rows.flags.tolist() == [row.flags for row in each]


@given(arrays, predicates)
def test_a_row_never_hides_an_element(array: Array, predicate: Predicate) -> None:
    if _one_by_one(array, predicate):
        assert predicate.may_hold(row_of(array).rows)[0]


@pytest.mark.parametrize("predicate", [Nonfinite(), IsNear(3), IsWithin(2, 5), Predicate()])
def test_repeated_and_transposed_arrays_count_as_written_out(
    predicate: Predicate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_columns, "CHUNK", 5)
    row = np.array([1, 3, nan, 3, 9, -inf], np.float32)
    for array in (
        np.broadcast_to(row[:, None], (6, 4)),
        np.broadcast_to(row, (3, 6)),
        np.stack([row, row[::-1]]).T,
        np.broadcast_to(np.float32(3), (2, 2)),
    ):
        expected = _one_by_one(np.ascontiguousarray(array), predicate)
        assert _count_of(array, predicate) == (len(expected), expected[0] if expected else None)


def test_no_elements_are_so_in_an_empty_value() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert row_of(empty).flags == 0
    for predicate in (Nonfinite(), AllEqual(), IsWithin()):
        assert _count_of(empty, predicate) == (0, None)


def _count_of(array: Array, predicate: Predicate) -> tuple[int, int | None]:
    """How many elements of one value are found, and the first, after its row has been asked."""
    if predicate.needs_rows and not predicate.may_hold(row_of(array).rows)[0]:
        return 0, None
    count, first = count_elements(array, predicate)
    return count, int(np.ravel_multi_index(first, array.shape)) if count else None


# Whole recordings.


def _brute(recording: Recording, predicate: Predicate, shape: ShapeFilter = ANY) -> list[tuple[str, int]]:
    """Addresses of what process 0 was given and has made, and how many elements of each are wanted."""
    track, program = recording.tracks[0], recording.program
    blocks = [("0.f0", program.blocks[track.block_of(0)].arguments)]
    steps = [(f"0.s{step}", program.ops[track.op_of(step)].results) for step in range(track.step_count)]
    found = []
    for prefix, values in (*blocks, *steps):
        for index in range(len(values)):
            address = Address.parse(f"{prefix}.{index}")
            array = recording.value(address)
            count = len(_one_by_one(array, predicate)) if shape.admits(array.shape) else 0
            found += [(str(address), count)] if count else []
    return found


def _all(search: ValueSearch, predicate: Predicate, shape: ShapeFilter = ANY, **budget: Any) -> list[Hit]:
    """What a search finds that is gone on with until its end."""
    hits, rounds = list[Hit](), 0
    at: int | None = 0
    while at is not None:
        found = search.search(predicate, shape, 0, at, budget.get("most", 100), budget.get("seconds", 60))
        assert found.looked == (found.next or search.recording.tracks[0].step_count + 1) - at
        hits += found.hits
        at, rounds = found.next, rounds + 1
    assert rounds >= budget.get("rounds", 1)
    return hits


I32 = np.int32
QUESTIONS = [
    Nonfinite(),
    AllEqual(),
    AllEqual(zero=True),
    IsNear(7),
    IsNear(3, 2.5),
    IsWithin(5, 21),
    Predicate(),
]


@for_each("predicate", QUESTIONS)
@for_each("budget", [{}, {"seconds": 0.0, "rounds": 2}, {"most": 1, "rounds": 2}])
def test_a_recording_is_searched_wholly_whatever_the_budget(
    predicate: Predicate, budget: dict[str, Any]
) -> None:
    recording, budget = recorded(programs.COUNTDOWN, [I32(6), I32(7)]), dict(budget)
    search = ValueSearch(recording)
    expected = _brute(recording, predicate)
    for rounds in (budget.pop("rounds", 1), 1):  # the second time with what the first has learnt
        budget["rounds"] = rounds if "seconds" in budget or len(expected) > 1 else 1
        found = [(str(hit.address), hit.count) for hit in _all(search, predicate, **budget)]
        assert found == expected


def test_values_that_were_dropped_are_found_and_not_all_computed_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording = recorded(
        programs.COUNTDOWN, [I32(40), I32(7)], replace(DEFAULT_LIMITS, recording_bytes=20_000)
    )
    replays = []
    again = recording._replay_until

    def count(*asked: Any) -> Any:
        replays.append(asked)
        return again(*asked)

    monkeypatch.setattr(recording, "_replay_until", count)
    hits = _all(ValueSearch(recording), IsNear(21))
    steps = recording.tracks[0].step_count
    assert len(replays) < steps / 8
    assert [str(hit.address) for hit in hits] == [name for name, _ in _brute(recording, IsNear(21))]


def test_a_search_sees_what_was_recorded_since() -> None:
    recording = Recording(load_program(programs.ENDLESS), [])
    recording.record(50)
    search = ValueSearch(recording)
    assert [hit.count for hit in _all(search, IsNear(5))] == [1]
    assert _all(search, IsNear(40)) == []
    recording.record(300)
    assert [hit.count for hit in _all(search, IsNear(40))] == [1]


def test_what_a_shape_leaves_out_is_not_looked_at() -> None:
    recording = recorded(programs.CALLS, [np.arange(4, dtype=np.float32)])
    search = ValueSearch(recording)
    assert len(_all(search, Predicate(), ShapeFilter((4,), "f32"))) == len(_brute(recording, Predicate()))
    assert len(_all(search, Predicate(), ShapeFilter((None,)))) == len(_brute(recording, Predicate()))
    for shape in (ShapeFilter((5,)), ShapeFilter((4, 1)), ShapeFilter(None, "f64")):
        assert _all(search, Predicate(), shape) == []
    [first, *_] = _all(search, IsNear(3), ShapeFilter((4,)))
    assert (str(first.address), first.step, first.first, first.size) == ("0.f0.0", None, (3,), 4)
