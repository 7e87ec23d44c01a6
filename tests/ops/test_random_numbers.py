"""rng_bit_generator: bits of Random123's and the specification's vectors; rng: what random numbers must be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.random_numbers.random_bits import philox, three_fry
from hloscope.engine.ops.random_numbers.random_numbers import (
    Rng,
    RngAlgorithm,
    RngBitGenerator,
    RngDistribution,
)
from hloscope.engine.ops.specialise import specialise_op
from hloscope.engine.source import Span

from .building import bound, enum, operation
from .running import run, tensor

UNIFORM, NORMAL = RngDistribution.UNIFORM, RngDistribution.NORMAL


def _words(*values: int) -> tuple[Array, ...]:
    return tuple(np.array([value], np.uint32) for value in values)


PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0)
ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("key", "block", "wanted"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ONES, ONES), (ONES, ONES), (0x1CB996FC, 0xBB002BE7)),
        (PI[2:4], PI[0:2], (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_gives_the_vectors_of_random123(
    key: tuple[int, ...], block: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    assert tuple(int(word[0]) for word in three_fry(_words(*key), _words(*block))) == wanted


@pytest.mark.parametrize(
    ("key", "block", "wanted"),
    [
        ((0, 0), (0, 0, 0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES, ONES), (ONES,) * 4, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (PI[4:6], PI[0:4], (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ],
)
def test_philox_gives_the_vectors_of_random123(
    key: tuple[int, ...], block: tuple[int, ...], wanted: tuple[int, ...]
) -> None:
    assert tuple(int(word[0]) for word in philox(_words(*key), _words(*block))) == wanted


def _bits(
    algorithm: RngAlgorithm, state: list[int], shape: tuple[int, ...], element_type: str = "ui32"
) -> tuple[list[int], Array]:
    known = tensor((len(state),), "ui64")
    op = RngBitGenerator(algorithm, known, (known, tensor(shape, element_type)))
    after, bits = run(op, np.array(state, np.uint64))
    return after.tolist(), bits


FRY, PHILOX = RngAlgorithm.THREE_FRY, RngAlgorithm.PHILOX


def test_default_is_philox() -> None:
    for state in ([1, 2], [1, 2, 3]):
        after, bits = _bits(RngAlgorithm.DEFAULT, state, (7,))
        wanted_after, wanted = _bits(PHILOX, state, (7,))
        assert (after, bits.tolist()) == (wanted_after, wanted.tolist())


def test_counters_run_over() -> None:
    last = (1 << 64) - 1
    assert _bits(FRY, [7, last], (4,), "ui64")[0] == [7, 3]
    assert _bits(PHILOX, [7, last], (8,))[0] == [7, 1]
    after, bits = _bits(PHILOX, [7, last, 4], (8,))
    assert after == [7, 1, 5]
    assert bits[4:].tolist() == _bits(PHILOX, [7, 0, 5], (4,))[1].tolist()


def test_floats_have_the_bits_as_they_are() -> None:
    _, wanted = _bits(FRY, [1, 2], (5,), "ui32")
    _, found = _bits(FRY, [1, 2], (5,), "f32")
    assert found.view(np.uint32).tolist() == wanted.tolist()
    _, found = _bits(FRY, [1, 2], (5,), "f8E5M2")
    assert found.view(np.uint8).tolist() == [84, 59, 211, 3, 211]


def _rng(
    a: object,
    b: object,
    shape: tuple[int, ...],
    element_type: str,
    distribution: RngDistribution,
    place: int = 0,
) -> Array:
    scalar, found = tensor((), element_type), tensor(shape, element_type)
    extent = tensor((len(shape),), "i64")
    op = Rng(scalar, scalar, extent, distribution, found, Span(place, place + 1))
    dtype = found.element_type.dtype
    (value,) = run(op, np.array(a).astype(dtype), np.array(b).astype(dtype), np.array(shape, np.int64))
    assert (value.shape, value.dtype) == (shape, dtype)
    return value


def test_uniform_integers_stay_below_the_upper_bound() -> None:
    found = _rng(-2, 3, (1000,), "i8", UNIFORM)
    assert set(found.tolist()) == {-2, -1, 0, 1, 2}
    largest = (1 << 64) - 1
    assert int(_rng(largest - 1, largest, (3,), "ui64", UNIFORM).min()) == largest - 1
    assert _rng(5, 5, (3,), "i32", UNIFORM).tolist() == [5, 5, 5]
    assert not _rng(False, True, (9,), "i1", UNIFORM).any()
    assert _rng(-2, 1, (50,), "i4", UNIFORM).astype(np.int8).min() == -2


@pytest.mark.parametrize("element_type", ["f64", "f32", "bf16"])
def test_floats_are_distributed_as_asked(element_type: str) -> None:
    uniform = _rng(2, 6, (20000,), element_type, UNIFORM).astype(np.float64)
    assert uniform.min() >= 2
    assert uniform.max() <= 6
    assert abs(uniform.mean() - 4) < 0.05
    normal = _rng(1, 3, (20000,), element_type, NORMAL).astype(np.float64)
    assert abs(normal.mean() - 1) < 0.1
    assert abs(normal.std() - 3) < 0.1
    assert _rng(7, 0, (2,), element_type, NORMAL).tolist() == [7, 7]


def test_two_runs_agree_and_two_places_differ() -> None:
    first, again, other = (_rng(0, 1, (8,), "f32", UNIFORM, place) for place in (3, 3, 4))
    assert first.tolist() == again.tolist() != other.tolist()


def test_a_shape_that_is_not_the_results_stops_the_run() -> None:
    scalar = tensor(())
    op = Rng(scalar, scalar, tensor((1,), "i64"), UNIFORM, tensor((4,)))
    one = np.ones((), np.float32)
    with pytest.raises(RunError, match=r"^shape \[3\], but the result is declared as tensor<4xf32>$"):
        specialise_op(op, (one, one, np.array([3])))
    unknown = Rng(scalar, scalar, tensor((1,), "i64"), UNIFORM, tensor((None,)))
    assert run(unknown, one, one, np.array([3]))[0].shape == (3,)
    for wrong, sentence in (
        (-1, "must not be negative"),
        (1 << 50, "more elements than there are addresses"),
    ):
        with pytest.raises(RunError, match=sentence):
            specialise_op(unknown, (one, one, np.array([wrong])))


def test_the_place_is_bound_from_the_text() -> None:
    stated = operation(
        "rng", ["i32", "i32", "1xi64"], ["2xi32"], rng_distribution=enum("rng_distribution", "UNIFORM")
    )
    op = bound(replace(stated, name_span=Span(5, 9)))
    assert isinstance(op, Rng)
    assert op.place == Span(5, 9)
