"""Single ops at 1e5 to 1e7 elements, each beside the NumPy calls that do the same work by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from hloscope.engine.inputs import Array
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.process_grid import results_of
from tests.programs import load_program

from .measure import seconds, table

ALLOWED = 1.5
SIZES = (10**5, 10**6, 10**7)
COPIES, ELEMENTS = 5, 5 * 10**6
"""How often a program does its op at least, and over how many elements: what a run takes to begin and to end is no
part of the op."""
F32, F64 = np.float32, np.float64


@dataclass(frozen=True)
class Comparison:
    """A program of one op, its inputs, and the same by hand."""

    name: str
    text: str
    inputs: tuple[Array, ...]
    by_hand: Callable[..., Array]

    def ratio(self, repetitions: int) -> tuple[float, float, float]:
        """Our time, NumPy's, and the median of the quotients of neighbours."""
        program = load_program(self.text)
        mine, theirs = [], []
        assert program.entry
        copies = len(program.blocks[program.entry.block].operations) - 1
        with np.errstate(all="ignore"):
            for _ in range(repetitions + 1):
                begin = perf_counter()
                results_of(program, self.inputs)
                between = perf_counter()
                for _ in range(copies):
                    self.by_hand(*self.inputs)
                mine.append((between - begin) / copies)
                theirs.append((perf_counter() - between) / copies)
        quotients = [a / b for a, b in zip(mine[1:], theirs[1:], strict=True)]
        return median(mine[1:]), median(theirs[1:]), median(quotients)


def rows(repetitions: int) -> tuple[list[list[str]], list[str]]:
    """The table, and the names of what is slower than allowed."""
    listed, slow = [], []
    for comparison in comparisons():
        mine, theirs, ratio = comparison.ratio(repetitions)
        listed.append([comparison.name, seconds(mine), seconds(theirs), f"{ratio:.2f}"])
        if ratio > ALLOWED:
            slow.append(f"{comparison.name} ({ratio:.2f})")
    return listed, slow


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    listed, slow = rows(repetitions)
    yield table(["op", "ours", "by hand", "ours/by hand"], listed)
    verdict = f"slower than {ALLOWED} times: {', '.join(slow)}" if slow else f"none above {ALLOWED}"
    yield f"{len(listed)} ops: {verdict}"


def comparisons() -> Iterator[Comparison]:
    """All of them, one after the other, so that only one holds memory."""
    for size in SIZES:
        yield from _elementwise(size)
    for size in SIZES[:2]:
        yield from _reductions(size)
        yield from _movement(size)
    for size in SIZES:
        yield from _sorting(size)
    yield from _contractions()
    yield from _windows()


def _random(shape: Sequence[int], name: str = "f32") -> Array:
    random = np.random.default_rng(0)
    dtype = ELEMENT_TYPES[name].dtype
    if ELEMENT_TYPES[name].is_integer:
        return random.integers(1, 100, tuple(shape)).astype(dtype)
    if dtype == np.bool_:
        return random.integers(0, 2, tuple(shape)).astype(dtype)
    if dtype.kind == "c":
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
    return random.standard_normal(tuple(shape)).astype(F32).astype(dtype)


def _type(array: Array, name: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in array.shape)}{name}>"


def _function(statement: str, arguments: Sequence[str], result: str, copies: int) -> str:
    listed = ", ".join(f"%{number}: {found}" for number, found in enumerate(arguments))
    body = "".join(f"  %r{number} = {statement}\n" for number in range(copies))
    return f"func.func @main({listed}) -> {result} {{\n{body}  return %r0 : {result}\n}}\n"


def _one(
    name: str,
    statement: str,
    inputs: Sequence[Array],
    types: Sequence[str],
    result: str,
    by_hand: Callable[..., Array],
) -> Comparison:
    copies = max(COPIES, ELEMENTS // max(array.size for array in inputs))
    return Comparison(name, _function(statement, types, result, copies), tuple(inputs), by_hand)


BINARY: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": lambda x, y: _signed_zeros(x, y, np.maximum(x, y)),
}
UNARY: dict[str, Callable[..., Array]] = {
    "negate": np.negative,
    "exponential": lambda x: np.exp(x.astype(F64)).astype(F32),
    "tanh": lambda x: np.tanh(x.astype(F64)).astype(F32),
    "floor": np.floor,
    "abs": np.abs,
}


def _signed_zeros(x: Array, y: Array, greater: Array) -> Array:
    """The specification's +0 over -0, which NumPy does not promise."""
    return np.where((x == 0) & (y == 0), x + y, greater) if x.dtype.kind == "f" else greater


def _saturated(x: Array) -> Array:
    """The specification's conversion to an integer, which NumPy leaves to the processor."""
    return np.where(np.isnan(x), 0, np.clip(x.astype(F64), -(2**31), 2**31 - 1)).astype(np.int32)


def _in_f32(function: Callable[..., Array]) -> Callable[..., Array]:
    """The same in f32 and two casts."""
    return lambda *operands: function(*(x.astype(F32) for x in operands)).astype(operands[0].dtype)


def _elementwise(size: int) -> Iterator[Comparison]:
    for op, function in BINARY.items():
        for name in ("f32", "f64", "i32", "i8", "complex<f64>", "bf16", "f16", "f8E4M3FN"):
            if (name in ("i32", "i8") and op == "divide") or (name.startswith("complex") and op == "maximum"):
                continue
            x, y = _random([size], name), _random([size], name)[::-1].copy()
            by_hand = _in_f32(function) if ELEMENT_TYPES[name].bits <= 16 and name[0] in "bf" else function
            found = _type(x, name)
            label = f"{op} {name} {size:.0e}"
            yield _one(label, f"stablehlo.{op} %0, %1 : {found}", (x, y), (found, found), found, by_hand)
    for op, function in UNARY.items():
        x = _random([size])
        found = _type(x, "f32")
        yield _one(f"{op} f32 {size:.0e}", f"stablehlo.{op} %0 : {found}", (x,), (found,), found, function)
    yield from _choices(size)


def _choices(size: int) -> Iterator[Comparison]:
    x, y, p = _random([size]), _random([size])[::-1].copy(), _random([size], "i1")
    found, truth = _type(x, "f32"), _type(p, "i1")
    compared = f"stablehlo.compare LT, %0, %1 : ({found}, {found}) -> {truth}"
    yield _one(f"compare f32 {size:.0e}", compared, (x, y), (found, found), truth, np.less)
    chosen = f"stablehlo.select %0, %1, %2 : {truth}, {found}"
    yield _one(f"select f32 {size:.0e}", chosen, (p, x, y), (truth, found, found), found, np.where)
    for target in ("bf16", "i32", "f64"):
        result = _type(x, target)
        dtype = ELEMENT_TYPES[target].dtype
        statement = f"stablehlo.convert %0 : ({found}) -> {result}"
        by_hand = _saturated if target == "i32" else partial(_cast, dtype)
        yield _one(f"convert f32 to {target} {size:.0e}", statement, (x,), (found,), result, by_hand)


def _cast(dtype: np.dtype[Any], x: Array) -> Array:
    return x.astype(dtype)


def _reductions(size: int) -> Iterator[Comparison]:
    x = _random([size // 1000, 1000])
    found, zero = _type(x, "f32"), np.array(0, F32)
    for op, function in (("add", np.add), ("maximum", np.maximum)):
        for dimension, kept in ((0, 1000), (1, size // 1000)):
            statement = (
                f"stablehlo.reduce(%0 init: %1) applies stablehlo.{op} across dimensions = [{dimension}] : "
                f"({found}, tensor<f32>) -> tensor<{kept}xf32>"
            )
            by_hand = partial(_folded, function, dimension)
            yield _one(
                f"reduce {op} over {dimension} {size:.0e}",
                statement,
                (x, zero),
                (found, "tensor<f32>"),
                f"tensor<{kept}xf32>",
                by_hand,
            )


def _folded(function: np.ufunc, dimension: int, x: Array, start: Array) -> Array:
    return np.asarray(function(function.reduce(x, axis=dimension), start))


def _sorting(size: int) -> Iterator[Comparison]:
    for name in ("f32", "i32"):
        keys = _random([size]) if name == "f32" else np.random.default_rng(0).integers(-(2**31), 2**31, size)
        keys = keys.astype(ELEMENT_TYPES[name].dtype)
        places = np.arange(size, dtype=np.int32)
        yield Comparison(f"sort {name} {size:.0e}", _sort(keys, name), (keys,), np.sort)
        text = _sort(keys, name, "i32")
        yield Comparison(f"sort {name} with places {size:.0e}", text, (keys, places), _sorted_pairs)
    keys = _random([size], "bf16").astype(F32)
    plain = load_program(_sort(keys, "f32", "i32", comparator=_plain_comparator("f32"), copies=1))
    text = _sort(keys, "f32", "i32", comparator=_EXPANDED)
    name = f"sort bf16 after comparison-expander, plain sort {size:.0e}"
    yield Comparison(name, text, (keys, places), lambda *inputs: results_of(plain, inputs)[0])


def _plain_comparator(name: str) -> str:
    compared = f"(tensor<{name}>, tensor<{name}>) -> tensor<i1>"
    return f"    %c = stablehlo.compare GT, %a0, %b0, TOTALORDER : {compared}\n"


_EXPANDED = """    %zero = stablehlo.constant dense<0> : tensor<i16>
    %most = stablehlo.constant dense<32767> : tensor<i16>
    %a = stablehlo.convert %a0 : (tensor<f32>) -> tensor<bf16>
    %b = stablehlo.convert %b0 : (tensor<f32>) -> tensor<bf16>
    %c0 = stablehlo.bitcast_convert %a : (tensor<bf16>) -> tensor<i16>
    %d0 = stablehlo.bitcast_convert %b : (tensor<bf16>) -> tensor<i16>
    %c1 = stablehlo.compare LT, %c0, %zero : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %d1 = stablehlo.compare LT, %d0, %zero : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %c2 = stablehlo.xor %most, %c0 : tensor<i16>
    %d2 = stablehlo.xor %most, %d0 : tensor<i16>
    %c3 = stablehlo.select %c1, %c2, %c0 : tensor<i1>, tensor<i16>
    %d3 = stablehlo.select %d1, %d2, %d0 : tensor<i1>, tensor<i16>
    %c = stablehlo.compare GT, %c3, %d3 : (tensor<i16>, tensor<i16>) -> tensor<i1>
"""
"""What XLA's passes make of the comparator of `top_k` of bf16: `comparison-expander`, then `float-normalization`."""


def _sort(keys: Array, *names: str, comparator: str = "", copies: int = COPIES) -> str:
    compared = f"(tensor<{names[0]}>, tensor<{names[0]}>) -> tensor<i1>"
    less = comparator or f"    %c = stablehlo.compare LT, %a0, %b0 : {compared}\n"
    types = [_type(keys, name) for name in names]
    block = ", ".join(f"%a{k}: tensor<{name}>, %b{k}: tensor<{name}>" for k, name in enumerate(names))
    operands = ", ".join(f"%{k}" for k in range(len(names)))
    sorts = "".join(
        f'  %r{number}:{len(names)} = "stablehlo.sort"({operands}) <{{dimension = 0 : i64}}> ({{\n'
        f"  ^bb0({block}):\n"
        f"{less}"
        f"    stablehlo.return %c : tensor<i1>\n"
        f"  }}) : ({', '.join(types)}) -> ({', '.join(types)})\n"
        for number in range(copies)
    )
    listed = ", ".join(f"%{k}: {found}" for k, found in enumerate(types))
    return f"func.func @main({listed}) -> {types[0]} {{\n{sorts}  return %r0#0 : {types[0]}\n}}\n"


def _sorted_pairs(keys: Array, places: Array) -> Array:
    order = np.argsort(keys)
    found = [np.take_along_axis(operand, order, 0) for operand in (keys, places)]
    return found[0]


def _movement(size: int) -> Iterator[Comparison]:
    x, row = _random([size // 100, 100]), _random([10, 100])
    found, rows = _type(x, "f32"), _type(row, "f32")
    height = size // 100
    at = np.array(7, np.int32)
    joined = f"tensor<{2 * height}x100xf32>"
    yield _one(
        f"concatenate {size:.0e}",
        f"stablehlo.concatenate %0, %0, dim = 0 : ({found}, {found}) -> {joined}",
        (x,),
        (found,),
        joined,
        lambda x: np.concatenate([x, x]),
    )
    padded = f"tensor<{height + 3}x104xf32>"
    yield _one(
        f"pad {size:.0e}",
        f"stablehlo.pad %0, %1, low = [1, 2], high = [2, 2], interior = [0, 0] : ({found}, tensor<f32>) -> {padded}",
        (x, np.array(0, F32)),
        (found, "tensor<f32>"),
        padded,
        lambda x, _: np.pad(x, ((1, 2), (2, 2))),
    )
    yield _one(
        f"dynamic_update_slice {size:.0e}",
        f"stablehlo.dynamic_update_slice %0, %1, %2, %2 : ({found}, {rows}, tensor<i32>, tensor<i32>) -> {found}",
        (x, row, at),
        (found, rows, "tensor<i32>"),
        found,
        _updated,
    )
    flat = _random([size])
    yield _one(
        f"sort f32 {size:.0e}",
        _SORT.format(type=_type(flat, "f32")),
        (flat,),
        (_type(flat, "f32"),),
        _type(flat, "f32"),
        np.sort,
    )
    ids = np.random.default_rng(1).integers(0, height, (height, 1)).astype(np.int32)
    yield _one(
        f"gather rows {size:.0e}",
        _GATHER.format(x=found, ids=_type(ids, "i32")),
        (x, ids),
        (found, _type(ids, "i32")),
        found,
        lambda x, ids: x[ids[:, 0]],
    )
    yield _one(
        f"scatter add rows {size:.0e}",
        _SCATTER.format(x=found, ids=_type(ids, "i32")),
        (x, ids, x),
        (found, _type(ids, "i32"), found),
        found,
        _added,
    )


def _updated(x: Array, row: Array, _: Array) -> Array:
    result = x.copy()
    result[7:17] = row
    return result


def _added(x: Array, ids: Array, updates: Array) -> Array:
    result = x.copy()
    np.add.at(result, ids[:, 0], updates)
    return result


_SORT = """"stablehlo.sort"(%0) <{{dimension = 0 : i64, is_stable = false}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : ({type}) -> {type}"""
_GATHER = """"stablehlo.gather"(%0, %1) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 100>}}> : ({x}, {ids}) -> {x}"""
_SCATTER = """"stablehlo.scatter"(%0, %1, %2) <{{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) : ({x}, {ids}, {x}) -> {x}"""


def _contractions() -> Iterator[Comparison]:
    for name, side in (("f32", 512), ("f64", 512), ("bf16", 512), ("i32", 128), ("complex<f64>", 256)):
        x, y = _random([side, side], name), _random([side, side], name)
        found = _type(x, name)
        statement = (
            f"stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : ({found}, {found}) -> {found}"
        )
        by_hand: Callable[..., Array] = _in_f32(np.matmul) if name == "bf16" else np.matmul
        yield _one(f"dot_general {name} {side}", statement, (x, y), (found, found), found, by_hand)
    x, kernel = _random([1, 56, 56, 64]), _random([3, 3, 64, 64])
    found, window = _type(x, "f32"), _type(kernel, "f32")
    statement = (
        "stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        f"({found}, {window}) -> {found}"
    )
    yield _one(
        "convolution 3x3 64 to 64 at 56x56", statement, (x, kernel), (found, window), found, _convolved
    )


def _convolved(x: Array, kernel: Array) -> Array:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = sliding_window_view(padded, (3, 3), (1, 2)).transpose(0, 1, 2, 4, 5, 3)
    return windows.reshape(56 * 56, 576) @ kernel.reshape(576, 64)


def _windows() -> Iterator[Comparison]:
    x = _random([4, 128, 128, 16])
    found, result = _type(x, "f32"), "tensor<4x64x64x16xf32>"
    statement = (
        """"stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : ("""
        + f"{found}, tensor<f32>) -> {result}"
    )
    least = np.array(-np.inf, F32)
    yield _one("reduce_window max 2x2", statement, (x, least), (found, "tensor<f32>"), result, _pooled)


def _pooled(x: Array, _: Array) -> Array:
    parts = [x[:, low::2, left::2] for low in (0, 1) for left in (0, 1)]
    greatest = np.maximum(parts[0], parts[1])
    for part in parts[2:]:
        np.maximum(greatest, part, out=greatest)
    return greatest
