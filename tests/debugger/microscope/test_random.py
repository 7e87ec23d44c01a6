"""Derivations on random inputs, family by family: shown terms give the recorded bits, or the sentence says that they do not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.microscope import Derivation, How, Microscope
from hloscope.engine.debugger.microscope.recomputing import is_same
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.debugger.programs import recorded

from .evaluating import remade

FLOATS = ("f32", "f64", "bf16", "f16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ")
TYPES = (*FLOATS, "i32", "i8", "ui8", "i4", "i64", "complex<f32>", "i1")
SIZES = st.sampled_from((1, 2, 3, 5, 8, 9, 17, 40, 130, 300))
SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)
REDUCED = {"add": "+", "multiply": "*", "maximum": "max", "minimum": "min"}


def array(seed: int, shape: tuple[int, ...], name: str) -> Array:
    """Numbers of different sizes, with a NaN, an infinity or a -0 now and then."""
    random, found = np.random.default_rng(seed), ELEMENT_TYPES[name]
    if name == "i1":
        return random.integers(0, 2, shape).astype(np.bool_)
    if not (found.is_float or found.is_complex):
        return random.integers(0 if found.kind == "unsigned" else -8, 8, shape).astype(found.dtype)
    numbers = random.standard_normal(shape) * 2.0 ** random.integers(-4, 5, shape)
    if seed % 7 == 0 and numbers.size:
        numbers.reshape(-1)[random.integers(numbers.size)] = (np.nan, np.inf, -0.0)[seed % 3]
    return numbers.astype(found.dtype)


def tensor(shape: tuple[int, ...], name: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), name])}>"


def derived(text: str, inputs: list[Array], seed: int, start: int = 0) -> tuple[Recording, Derivation, Any]:
    """The derivation of some element of the first result of the first step, and the recorded element."""
    recording = recorded(text, inputs)
    assert recording.state.kind == "done", recording.state.reason
    value = recording.value(result(0))
    index = tuple(int(each) for each in np.unravel_index(seed % value.size, value.shape))
    return (
        recording,
        Microscope(Links(RecordedRun(recording))).derivation(result(0), index, start),
        value[index],
    )


def check(text: str, inputs: list[Array], seed: int, symbol: str, name: str) -> Derivation:
    """The shown order gives the recorded bits exactly if the derivation says so."""
    recording, found, value = derived(text, inputs, seed)
    assert found.accumulator, found
    if found.row_count == len(found.rows):
        made = remade(recording, found, symbol, ELEMENT_TYPES[name])
        assert is_same(made, value) == found.agrees, (made, value, found)
    assert (
        "the bits are those recorded" in found.agreement or "NaN, as recorded" in found.agreement
    ) == found.agrees
    return found


def function(arguments: str, op: str, made: str) -> str:
    return f"func.func @main({arguments}) -> {made} {{\n  %r = {op}\n  return %r : {made}\n}}"


@FEW
@given(SEEDS, st.tuples(SIZES, SIZES, SIZES), st.sampled_from(TYPES))
def test_sums_of_products(seed: int, sizes: tuple[int, int, int], name: str) -> None:
    rows, depth, columns = (min(sizes[0], 17), sizes[1], min(sizes[2], 17))
    lhs, rhs, made = (
        tensor((rows, depth), name),
        tensor((depth, columns), name),
        tensor((rows, columns), name),
    )
    op = f"stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {made}"
    inputs = [array(seed, (rows, depth), name), array(seed + 1, (depth, columns), name)]
    found = check(function(f"%a: {lhs}, %b: {rhs}", op, made), inputs, seed, "+", name)
    assert (found.how, found.term_count) == (How.PRODUCTS, depth)
    if ELEMENT_TYPES[name].is_integer:
        assert found.agrees


@FEW
@given(
    SEEDS,
    st.tuples(SIZES, st.integers(1, 4), st.integers(1, 5)),
    st.sampled_from(TYPES),
    st.sampled_from([*REDUCED]),
    st.sampled_from(["0", "1", "2", "0, 1", "1, 2", "0, 2", "0, 1, 2"]),
)
def test_reductions(seed: int, shape: tuple[int, int, int], name: str, op: str, axes: str) -> None:
    dimensions = [int(each) for each in axes.split(", ")]
    kept = tuple(size for k, size in enumerate(shape) if k not in dimensions)
    x, start, made = tensor(shape, name), tensor((), name), tensor(kept, name)
    text = f"stablehlo.reduce(%x init: %s) applies stablehlo.{op} across dimensions = [{axes}] : ({x}, {start}) -> {made}"
    inputs = [array(seed, shape, name), array(seed + 1, (), name)]
    found = check(function(f"%x: {x}, %s: {start}", text, made), inputs, seed, REDUCED[op], name)
    assert found.how is How.FOLD
    assert found.agrees or op in ("add", "multiply")


@FEW
@given(
    SEEDS,
    st.integers(1, 12),
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(FLOATS),
)
def test_windows_and_running_sums(
    seed: int, rows: int, columns: int, window: int, stride: int, runs: bool, name: str
) -> None:
    size = rows if runs else min(window, rows)
    stride = 1 if runs else stride
    low = rows - 1 if runs else 0
    count = (rows + low - size) // stride + 1
    x, start, made = tensor((rows, columns), name), tensor((), name), tensor((count, columns), name)
    body = f"^bb0(%p: {start}, %q: {start}):\n %t = stablehlo.add %p, %q : {start}\n stablehlo.return %t : {start}\n"
    op = (
        f'"stablehlo.reduce_window"(%x, %s) <{{window_dimensions = array<i64: {size}, 1>, window_strides = array<i64: {stride}, 1>, '
        f"padding = dense<[[{low}, 0], [0, 0]]> : tensor<2x2xi64>}}> ({{\n {body} }}) : ({x}, {start}) -> {made}"
    )
    inputs = [array(seed, (rows, columns), name), np.zeros((), ELEMENT_TYPES[name].dtype)]
    found = check(function(f"%x: {x}, %s: {start}", op, made), inputs, seed, "+", name)
    assert found.how is How.FOLD


@FEW
@given(
    SEEDS,
    st.integers(3, 9),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from(("f32", "f64", "bf16", "i32")),
)
def test_convolutions(seed: int, size: int, channels: int, features: int, padding: int, name: str) -> None:
    out = size + 2 * padding - 2
    x, k = tensor((1, size, size, channels), name), tensor((3, 3, channels, features), name)
    made = tensor((1, out, out, features), name)
    op = (
        f"stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        f"window = {{stride = [1, 1], pad = [[{padding}, {padding}], [{padding}, {padding}]]}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {k}) -> {made}"
    )
    inputs = [array(seed, (1, size, size, channels), name), array(seed + 1, (3, 3, channels, features), name)]
    recording, found, value = derived(function(f"%x: {x}, %k: {k}", op, made), inputs, seed)
    if found.accumulator:
        assert is_same(remade(recording, found, "+", ELEMENT_TYPES[name]), value) == found.agrees, found
        assert found.term_count <= 9 * channels


@FEW
@given(SEEDS, st.integers(1, 30), st.sampled_from(FLOATS), st.booleans())
def test_updates(seed: int, count: int, name: str, adds: bool) -> None:
    x, i, u, one = tensor((4,), name), f"tensor<{count}x1xi32>", tensor((count,), name), tensor((), name)
    body = f"%t = stablehlo.add %p, %q : {one}\n stablehlo.return %t" if adds else "stablehlo.return %q"
    op = (
        '"stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], '
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
        f" ^bb0(%p: {one}, %q: {one}):\n {body} : {one}\n }}) : ({x}, {i}, {u}) -> {x}"
    )
    places = np.random.default_rng(seed).integers(-1, 5, (count, 1)).astype(np.int32)
    inputs = [array(seed, (4,), name), places, array(seed + 1, (count,), name)]
    recording, found, value = derived(function(f"%x: {x}, %i: {i}, %u: {u}", op, x), inputs, seed)
    if found.how is How.UPDATES:
        made = remade(recording, found, "+" if adds else "replaced by", ELEMENT_TYPES[name])
        assert is_same(made, value)
        assert found.agrees
    else:
        assert found.how is How.MOVED


@FEW
@given(SEEDS, st.integers(2, 12), st.sampled_from(("f32", "i32", "bf16")))
def test_sorts(seed: int, size: int, name: str) -> None:
    x, one = tensor((2, size), name), tensor((), name)
    sign = "SIGNED" if name == "i32" else "FLOAT"
    body = f"^bb0(%p: {one}, %q: {one}):\n %t = stablehlo.compare LT, %p, %q, {sign} : ({one}, {one}) -> tensor<i1>\n stablehlo.return %t : tensor<i1>\n"
    op = f'"stablehlo.sort"(%x) <{{dimension = 1 : i64}}> ({{\n {body} }}) : ({x}) -> {x}'
    recording, found, value = derived(function(f"%x: {x}", op, x), [array(seed, (2, size), name)], seed)
    assert (found.how, found.row_count) == (How.SORT, size)
    places = [row.note for row in found.rows]
    here = places.index("this element")
    assert places == ["before it"] * here + ["this element"] + ["after it"] * (size - here - 1)
    (source,) = found.rows[here].terms[0]
    assert is_same(recording.value(source.address)[source.index], value)
    assert len({term[0].index for row in found.rows for term in row.terms}) == size


@FEW
@given(SEEDS, st.integers(1, 6), st.sampled_from(FLOATS))
def test_contributions_of_processes(seed: int, processes: int, name: str) -> None:
    """Every process brings its own product; the group adds them up in its order."""
    x, one = tensor((2,), name), tensor((), name)
    text = (
        f"module attributes {{mhlo.num_replicas = {processes} : i32}} {{\nfunc.func @main(%x: {x}) -> {x} {{\n"
        f'  %r = "stablehlo.all_reduce"(%x) <{{replica_groups = dense<[{list(range(processes))}]> : tensor<1x{processes}xi64>}}> ({{\n'
        f"  ^bb0(%p: {one}, %q: {one}):\n    %t = stablehlo.add %p, %q : {one}\n    stablehlo.return %t : {one}\n  }}) : ({x}) -> {x}\n"
        f"  return %r : {x}\n}}\n}}"
    )
    inputs = tuple((array(seed + number, (2,), name),) for number in range(processes))
    recording = recorded(text, Launch(Grid(processes, 1), inputs))
    address = Address(processes - 1, "s", 0, 0)
    value = recording.value(address)[1]
    found = Microscope(Links(RecordedRun(recording))).derivation(address, (1,))
    assert (found.how, found.term_count) == (How.FOLD, processes)
    assert is_same(remade(recording, found, "+", ELEMENT_TYPES[name]), value)
    assert found.agrees


OPERATORS: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "maximum": max,
    "minimum": min,
}


@FEW
@given(SEEDS, st.sampled_from([*OPERATORS]), st.sampled_from(FLOATS))
def test_functions_of_two_elements(seed: int, name: str, type: str) -> None:
    x = tensor((4,), type)
    text = function(f"%a: {x}, %b: {x}", f"stablehlo.{name} %a, %b : {x}", x)
    inputs = [array(seed, (4,), type), array(seed + 1, (4,), type)]
    _, found, value = derived(text, inputs, seed)
    assert (found.how, found.agrees) == (How.FUNCTION, True)
    left, right = (float(each[seed % 4]) for each in inputs)
    if np.isfinite([left, right]).all() and not (name == "divide" and right == 0):
        exact = OPERATORS[name](Fraction(left), Fraction(right))
        assert found.exact is not None
        assert not found.exact_in
        if "…" not in found.exact:
            assert Fraction(found.exact) == exact
        if np.isfinite(float(value)):
            assert (found.lost == "0") == (Fraction(float(value)) == exact)


@pytest.mark.parametrize("name", ["exponential", "tanh", "sine", "logistic", "cbrt"])
def test_a_function_without_a_fraction_is_shown_in_f64(name: str) -> None:
    x = "tensor<4xf32>"
    text = function(f"%a: {x}", f"stablehlo.{name} %a : {x}", x)
    _, found, _ = derived(text, [array(1, (4,), "f32")], 2)
    assert (found.exact_in, found.agrees) == ("f64", True)
    assert found.lost is not None
    x = "tensor<4xf64>"
    text = function(f"%a: {x}", f"stablehlo.{name} %a : {x}", x)
    _, found, _ = derived(text, [array(1, (4,), "f64")], 2)
    assert (found.exact, found.lost) == (None, None)


def test_a_body_that_no_routine_knows_shows_recorded_partial_results() -> None:
    """`p + q - p * q`, from the left for 5 elements and as a tree for 70."""
    body = (
        "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n %t = stablehlo.add %p, %q : tensor<f32>\n %m = stablehlo.multiply %p, %q : tensor<f32>\n"
        " %d = stablehlo.subtract %t, %m : tensor<f32>\n stablehlo.return %d : tensor<f32>\n"
    )
    for count in (5, 70):
        x = f"tensor<2x{count}xf32>"
        op = f'"stablehlo.reduce"(%x, %s) <{{dimensions = array<i64: 1>}}> ({{\n {body} }}) : ({x}, tensor<f32>) -> tensor<2xf32>'
        inputs: list[Array] = [
            np.random.default_rng(0).random((2, count)).astype(np.float32) / 9,
            np.zeros((), np.float32),
        ]
        recording, found, value = derived(
            function(f"%x: {x}, %s: tensor<f32>", op, "tensor<2xf32>"), inputs, 1
        )
        assert (found.how, found.agrees, found.term_count) == (How.BODY, True, count + 1)
        made: list[np.float32] = []
        for row in found.rows:
            parts = [made[k] for k in row.joined]
            parts += [recording.value(s.address)[s.index] for term in row.terms for s in term]
            left, right = parts
            made.append(np.float32(left + right) - np.float32(left * right))
        assert is_same(made[-1], value)


def test_an_order_that_is_not_the_library_s_is_said_to_differ() -> None:
    """The recorded element is changed by one unit: no order gives it."""
    x = "tensor<3xf32>"
    text = function(
        f"%x: {x}, %s: tensor<f32>",
        f"stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : ({x}, tensor<f32>) -> tensor<f32>",
        "tensor<f32>",
    )
    recording = recorded(text, [np.array([1, 2, 4], np.float32), np.zeros((), np.float32)])
    value = recording.value(result(0))
    value.flags.writeable = True
    value[...] = np.nextafter(value, np.float32(9))
    found = Microscope(Links(RecordedRun(recording))).derivation(result(0), ())
    assert found.agrees is False
    assert found.agreement.startswith("In this order it is 7, and the recorded element is 7.")
    assert ": 1 ULP apart. The library did not combine them in this order." in found.agreement


def test_rows_of_long_sums_come_in_windows_and_too_long_ones_as_terms() -> None:
    for count, rows in ((1000, 1000), (20_000, None)):
        x = f"tensor<{count}xf32>"
        text = function(
            f"%x: {x}, %s: tensor<f32>",
            f"stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0] : ({x}, tensor<f32>) -> tensor<f32>",
            "tensor<f32>",
        )
        inputs = [array(5, (count,), "f32"), np.zeros((), np.float32)]
        _, found, _ = derived(text, inputs, 0, start=300)
        assert (found.start, len(found.rows), found.term_count) == (300, 256, count + 1)
        assert (found.row_count in (rows, (rows or 0) + 1)) if rows else found.notes
