"""sort against a merge sort written as loops; known comparators against the same ones run on lanes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.frontend import load
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region, Value
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.sorting.comparators import order_of
from hloscope.engine.ops.sorting.merges import question_count
from hloscope.engine.ops.sorting.sort import Sort
from hloscope.engine.source import Source

from .building import QUANTIZED, same_bits
from .comparators import JAX, by_one, by_several, compared, comparing, program
from .running import asks, broken, run, tensor, type_of

Before = Callable[[Any, Any], bool]


def merge_sorted(items: list[Any], before: Before) -> list[Any]:
    """A stable merge sort: the right one goes first if it comes before the left one."""
    if len(items) < 2:
        return items
    half = (len(items) + 1) // 2
    left, right = merge_sorted(items[:half], before), merge_sorted(items[half:], before)
    merged = []
    while left and right:
        merged.append((right if before(right[0], left[0]) else left).pop(0))
    return merged + left + right


def by_the_formula(inputs: Sequence[Array], axis: int, before: Before) -> list[Array]:
    """Each slice along `axis` as a list of tuples, sorted."""
    moved = [np.moveaxis(x, axis, -1) for x in inputs]
    results = [np.empty(x.shape, x.dtype) for x in moved]
    for index in np.ndindex(moved[0].shape[:-1]):
        slices = merge_sorted(list(zip(*(x[index] for x in moved), strict=True)), before)
        for number, result in enumerate(results):
            for place, item in enumerate(slices):
                result[(*index, place)] = item[number]
    return [np.moveaxis(x, -1, axis) for x in results]


DIRECTIONS: dict[str, Before] = {
    "LT": lambda a, b: bool(a < b),
    "GT": lambda a, b: bool(a > b),
    "LE": lambda a, b: bool(a <= b),
    "GE": lambda a, b: bool(a >= b),
}


def sorting(comparator: Region, *operands: Array, dimension: int = 0) -> Sort:
    """A sort of the operands."""
    return Sort(tuple(map(type_of, operands)), comparator, dimension, True)


NUMBERS = [-np.inf, -1.5, -0.0, 0.0, 1.0, 2.0, np.inf]


@st.composite
def slices(draw: Any, values: Sequence[float] = NUMBERS, dtype: Any = np.float32) -> tuple[Array, Array, int]:
    """An array with many equal elements, places that tell them apart, and a dimension."""
    shape = (*draw(st.lists(st.integers(0, 3), max_size=2)), draw(st.integers(0, 9)))
    shape = tuple(draw(st.permutations(shape)))
    count = int(np.prod(shape))
    drawn = draw(st.lists(st.sampled_from(values), min_size=count, max_size=count))
    places = np.arange(count, dtype=np.int32).reshape(shape)
    return np.array(drawn, dtype).reshape(shape), places, draw(st.integers(-len(shape), len(shape) - 1))


@given(slices(), st.sampled_from(sorted(DIRECTIONS)), st.booleans(), st.booleans(), st.booleans())
def test_a_known_comparator_does_what_it_does_when_it_is_run(
    drawn: tuple[Array, Array, int], direction: str, swapped: bool, alone: bool, second: bool
) -> None:
    keys, places, dimension = drawn
    operands = (keys,) if alone else (places, keys) if second else (keys, places)
    types = ("f32",) if alone else ("i32", "f32") if second else ("f32", "i32")
    key = int(second and not alone)
    make = partial(by_one, direction, *types, key=key, swapped=swapped)
    known = sorting(make(), *operands, dimension=dimension)
    unknown = replace(known, comparator=make(disguise=True))
    assert broken(known, *known.inputs) is None
    assert not asks(known, *operands)
    before = DIRECTIONS[direction]
    wanted = by_the_formula(
        operands, dimension, lambda a, b: before(b[key], a[key]) if swapped else before(a[key], b[key])
    )
    for op in (known, unknown):
        assert all(map(same_bits, run(op, *operands), wanted))


@given(
    slices([-2, 0, 1, 3], np.int8),
    st.lists(st.sampled_from(["LT", "GT"]), min_size=2, max_size=2),
    st.sampled_from(sorted(DIRECTIONS)),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_several_keys(
    drawn: tuple[Array, Array, int], firsts: list[str], last: str, selecting: bool, random: Any
) -> None:
    keys, places, dimension = drawn
    others = [
        np.array([random.randint(0, 1) for _ in range(keys.size)], int).reshape(keys.shape) for _ in "ab"
    ]
    operands = (others[0], keys, others[1], places)
    directions = (*firsts, last)
    body = by_several("i64", "i8", "i64", "i32", directions=directions, selecting=selecting)
    op = sorting(body, *operands, dimension=dimension)
    assert broken(op, *op.inputs) is None
    assert not asks(op, *operands)

    def before(a: Any, b: Any) -> bool:
        for number, direction in enumerate(firsts):
            if a[number] != b[number]:
                return DIRECTIONS[direction](a[number], b[number])
        return DIRECTIONS[last](a[2], b[2])

    assert all(map(same_bits, run(op, *operands), by_the_formula(operands, dimension, before)))


WILD = [*NUMBERS, np.nan, -np.nan, 3.0]


def finite(x: float) -> float:
    """Infinities as numbers that are below the rank of NaN."""
    return float(np.clip(x, -7, 7))


@given(slices(WILD), st.sampled_from(["f32", "bf16", "f16", "f64", "f8E5M2"]), st.booleans(), st.booleans())
def test_nan_and_zeros_in_the_total_order(
    drawn: tuple[Array, Array, int], name: str, greatest_first: bool, alone: bool
) -> None:
    keys, places, dimension = drawn
    keys = keys.astype(ELEMENT_TYPES[name].dtype)
    operands = (keys,) if alone else (keys, places)
    types = (name,) if alone else (name, "i32")
    op = sorting(
        by_one("GT" if greatest_first else "LT", *types, order="TOTALORDER"), *operands, dimension=dimension
    )
    assert not asks(op, *operands)
    sign = -1 if greatest_first else 1

    def rank(x: Any) -> float:
        found = float(x)
        if np.isnan(found):
            return sign * (-9 if np.signbit(found) else 9)
        return sign * (finite(found) if found else -0.1 * np.signbit(found))

    wanted = by_the_formula(operands, dimension, lambda a, b: rank(a[0]) < rank(b[0]))
    for mine, theirs in zip(run(op, *operands), wanted, strict=True):
        assert mine.tobytes() == theirs.tobytes()


@given(slices(WILD), st.sampled_from(["float", "brain float", "two keys"]))
def test_jax_takes_every_nan_for_one_and_every_zero(drawn: tuple[Array, Array, int], kind: str) -> None:
    types, lines = JAX[kind]
    keys, places, dimension = drawn
    if keys.size == 0:
        return
    operands = [keys.astype(ELEMENT_TYPES[types[0]].dtype), places % 2, keys + 1][: len(types)]
    shape = "x".join(map(str, keys.shape))
    results = hloscope.run(program(types, lines, shape, dimension), operands)

    def rank(item: Any) -> tuple[float, int]:
        found = float(item[0])
        return 9 if np.isnan(found) else finite(found), int(item[1]) if len(types) > 1 else 0

    wanted = by_the_formula(operands, dimension, lambda a, b: rank(a) < rank(b))
    for mine, theirs in zip(results, wanted, strict=True):
        assert mine.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("kind", sorted(JAX))
def test_what_jax_prints_is_recognised(kind: str) -> None:
    types, lines = JAX[kind]
    loaded = hloscope.parse(program(types, lines))
    (op,) = [found.op for found in loaded.ops if isinstance(found.op, Sort)]
    order = order_of(op.comparator)
    assert order is not None
    assert len(order.keys) == {"complex": 2, "two keys": 2}.get(kind, 1)
    operands = [
        np.arange(8, dtype=ELEMENT_TYPES[name].dtype if name != "i1" else np.int8)[::-1] for name in types
    ]
    results = hloscope.run(
        loaded, [x.astype(ELEMENT_TYPES[name].dtype) for x, name in zip(operands, types, strict=True)]
    )
    assert results[0].astype(np.complex64).real.tolist() == sorted(
        results[0].astype(np.complex64).real.tolist()
    )


@given(slices([0.0, 1.0, 2.0, np.nan]), st.sampled_from(["LT", "GE"]))
def test_nan_among_floats_gives_a_permutation_that_the_comparator_gives_too(
    drawn: tuple[Array, Array, int], direction: str
) -> None:
    keys, places, dimension = drawn
    known = sorting(by_one(direction, "f32", "i32"), keys, places, dimension=dimension)
    unknown = replace(known, comparator=by_one(direction, "f32", "i32", disguise=True))
    found = run(known, keys, places)
    assert sorted(found[1].reshape(-1).tolist()) == list(range(keys.size))
    assert all(map(same_bits, found, run(unknown, keys, places)))


def _by_remainder() -> Region:
    """`x % 3 < y % 3`, as no order by keys that is known."""
    build = comparing("i64", "i64")
    left, right = build.arguments[:2]
    bits = [build.op("stablehlo.and", x, build.op("stablehlo.negate", x)) for x in (left, right)]
    return build.returning(compared(build, "LT", bits[0], bits[1]))


@given(st.lists(st.integers(-20, 20), min_size=0, max_size=70))
def test_any_comparator_is_run_on_many_pairs_at_once(values: list[int]) -> None:
    keys, places = np.array(values, np.int64), np.arange(len(values))
    op = sorting(_by_remainder(), keys, places)
    requests = asks(op, keys, places)
    assert len(requests) <= question_count(len(values)) + len(values).bit_length()
    assert [request.iteration for request in requests] == list(range(len(requests)))
    wanted = by_the_formula((keys, places), 0, lambda a, b: bool((a[0] & -a[0]) < (b[0] & -b[0])))
    assert all(map(same_bits, run(op, keys, places), wanted))


def test_a_comparator_that_says_nothing_leaves_all_in_place_and_one_that_always_agrees_turns_it() -> None:
    values = np.arange(10)
    for direction, wanted in (("NE", values), ("EQ", values[::-1])):
        build = comparing("i64")
        left, right = build.arguments
        less = build.op(
            "stablehlo.and", compared(build, direction, left, left), compared(build, direction, right, right)
        )
        (found,) = run(sorting(build.returning(less), values), values)
        assert found.tolist() == wanted.tolist()


def test_quantized_elements_go_by_what_they_stand_for() -> None:
    found = tensor((3,), QUANTIZED["q8"])
    op = Sort((found,), by_one("GT", "i8"))
    build = comparing("i8")
    left, right = (replace(x, type=found.with_shape(())) for x in build.arguments)
    build.arguments = [left, right]
    op = replace(op, comparator=build.returning(compared(build, "GT", left, right)))
    assert broken(op, found) is None
    assert run(op, np.array([-3, 7, 1], np.int8))[0].tolist() == [7, 1, -3]


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (3, 1)])
def test_slices_of_one_element_or_none(shape: tuple[int, ...]) -> None:
    values = np.zeros(shape, np.float32)
    for disguise in (False, True):
        (found,) = run(sorting(by_one("LT", "f32", disguise=disguise), values, dimension=-1), values)
        assert found.shape == shape


def test_the_dimension_is_the_last_unless_it_is_given() -> None:
    values = np.array([[2, 1], [1, 2]], np.float32)
    op = Sort((type_of(values),), by_one("LT", "f32"))
    assert run(op, values)[0].tolist() == [[1, 2], [1, 2]]
    assert run(replace(op, dimension=-2), values)[0].tolist() == [[1, 1], [2, 2]]


def test_by_a_value_from_around_the_comparator_any_order_is_possible() -> None:
    keys = np.array([[3, 1, 2], [0, 5, 4]], np.int32)
    build = comparing("i32", "i32")
    less = compared(build, "LT", build.arguments[0], build.arguments[1])
    body = build.returning(build.op("stablehlo.xor", less, Value("%flip", less.type)))
    op = replace(sorting(body, keys, keys, dimension=1), comparator=body)
    assert [(x.operand, x.result) for x in op.index_maps()] == [(0, 0), (0, 1), (1, 1)]
    assert op.runtime_variables.map_operands(op, (keys, keys)) == (keys, keys)
    assert len(BoundMap(next(op.value_maps()).map, (keys, keys)).elements((0, 2)).indices) == 3


NOT_KNOWN = [
    lambda build: compared(build, "LT", build.arguments[0], build.arguments[3]),
    lambda build: compared(build, "LT", build.arguments[0], build.arguments[0]),
    lambda build: compared(build, "EQ", build.arguments[0], build.arguments[1]),
    lambda build: build.op("stablehlo.not", compared(build, "LT", build.arguments[0], build.arguments[1])),
    lambda build: build.op(
        "stablehlo.and",
        compared(build, "LT", build.arguments[0], build.arguments[1]),
        compared(build, "LT", build.arguments[2], build.arguments[3]),
    ),
    lambda build: build.op(  # the second key counts where the first is equal by another order
        "stablehlo.or",
        compared(build, "LT", build.arguments[0], build.arguments[1], "TOTALORDER"),
        build.op(
            "stablehlo.and",
            compared(build, "EQ", build.arguments[0], build.arguments[1]),
            compared(build, "LT", build.arguments[2], build.arguments[3]),
        ),
    ),
]


@pytest.mark.parametrize("make", NOT_KNOWN)
def test_anything_else_is_not_recognised(make: Any) -> None:
    build = comparing("f32", "f32")
    assert order_of(build.returning(make(build))) is None


def test_a_comparator_that_reads_a_value_of_the_program_is_run() -> None:
    (found,) = hloscope.run(
        """func.func @main(%x: tensor<5xi32>, %flip: tensor<i1>) -> tensor<5xi32> {
          %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %greater = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
            %1 = stablehlo.select %flip, %greater, %less : tensor<i1>, tensor<i1>
            stablehlo.return %1 : tensor<i1>
          }) : (tensor<5xi32>) -> tensor<5xi32>
          return %0 : tensor<5xi32> }""",
        [[3, 1, 2, 5, 4], True],
    )
    assert found.tolist() == [5, 4, 3, 2, 1]


def test_a_comparator_of_tokens_is_an_error_of_the_program() -> None:
    text = """HloModule m
cmp {
  a = f32[] parameter(0)
  n = pred[] compare(a, a), direction=NE
  k = f32[] constant(nan)
  t = token[] select(n, k, a)
  b = f32[] parameter(1)
  ROOT lt = pred[] compare(t, b), direction=LT, order=TOTAL
}
ENTRY main {
  x = f32[20]{0} parameter(0)
  ROOT s = f32[20]{0} sort(x), dimensions={0}, is_stable=true, to_apply=cmp
}"""
    found = [found.message for found in load(Source(text)).diagnostics]
    assert found == ["result must be a tensor, not token[]", "lhs must be a tensor, not token[]"]
