"""The processor's flags miss no birth, and ops that only pass values on are not blamed: against slow oracles.

Of elementwise ops each element is run alone. Of ops that read several elements, provenance says one by one which.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.provenance import Links, RecordedRun, step_back
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings.kind import Watch
from hloscope.engine.findings.kinds import check, rules_of
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.quiet import Flags, quiet_run
from hloscope.engine.ops.core.ranks import ranks_of

from .finding import found, recorded

UNARY = (
    *("exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "sqrt", "rsqrt"),
    *("sine", "cosine", "tan", "cbrt", "negate", "abs", "sign", "floor", "ceil", "round_nearest_even"),
)
CHLO = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "erf", "erfc", "erf_inv"),
    *("lgamma", "digamma", "square"),
)
BINARY = ("add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum", "atan2")
TYPES = ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E4M3", "complex<f32>")
NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, -3.0, 10.0, -100.0, 11.2, 88.7, 88.8, 709.9, 7e4),
    *(np.inf, -np.inf, np.nan),
)


def _numbers(name: str, step: int) -> Any:
    dtype = ELEMENT_TYPES[name].dtype
    real = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    info = ml_dtypes.finfo(real)
    with np.errstate(all="ignore"):
        wide = np.array(
            [float(info.max), -float(info.max), float(info.max) * 0.6, float(info.tiny), *NUMBERS]
        )
        found = wide.astype(real)[::step]
        if dtype.kind != "c":
            return found
        parts = np.array(list(product(found[::2], found[::3])), real)
        return parts.view(dtype).reshape(-1)


def _rank(value: Any) -> int:
    found = ranks_of(value)
    return 0 if found is None else int(found)


def _op(name: str, type_name: str, operands: int) -> Any:
    scalar = f"tensor<{type_name}>"
    arguments = ", ".join(f"%a{number}: {scalar}" for number in range(operands))
    names = ", ".join(f"%a{number}" for number in range(operands))
    text = f'%0 = "{name}"({names}) : ({", ".join([scalar] * operands)}) -> {scalar}'
    return hloscope.parse(
        f"func.func @main({arguments}) -> {scalar} {{ {text}\n return %0 : {scalar} }}"
    ).ops[0]


def _check_each(name: str, type_name: str, columns: list[Any]) -> None:
    try:
        bound = _op(name, type_name, len(columns))
    except hloscope.WrongProgram:
        return  # the op takes no such elements
    flags = Flags()
    for row in zip(*columns, strict=True):
        operands = tuple(map(np.asarray, row))
        with quiet_run(flags):
            made = np.asarray(bound.op.evaluate(*operands))
        signals = flags.take()
        rules = rules_of(bound.op, bound.operation.function_type.results)
        is_checked = signals or Watch.ALWAYS in rules.values()
        with np.errstate(all="ignore"):
            faults = list(check(bound.op, rules, operands, (made,), signals)) if is_checked else []
        kinds = [fault.kind for fault in faults if fault.kind in ("nan", "inf")]
        is_born = _rank(made) > max(map(_rank, operands))
        assert kinds == [("inf", "nan")[_rank(made) - 1]] * is_born, (name, type_name, row, made, signals)


@pytest.mark.parametrize("type_name", TYPES)
def test_flags_miss_nothing_that_one_element_gives_birth_to(type_name: str) -> None:
    for name in (*(f"stablehlo.{name}" for name in UNARY), *(f"chlo.{name}" for name in CHLO)):
        _check_each(name, type_name, [_numbers(type_name, 1)])


@pytest.mark.parametrize("type_name", TYPES)
def test_flags_miss_nothing_that_two_elements_give_birth_to(type_name: str) -> None:
    numbers = _numbers(type_name, 3 if type_name.startswith("complex") else 1)
    dtype = numbers.dtype
    pairs = [np.array([pair[side] for pair in product(numbers, numbers)], dtype) for side in (0, 1)]
    for name in BINARY:
        _check_each(f"stablehlo.{name}", type_name, pairs)


@pytest.mark.parametrize("source", ["f64", "f32", "bf16", "i64"])
def test_conversions_that_overflow_are_found_for_each_type(source: str) -> None:
    wide = (
        np.array([1, -3, 6e4, 7e4, 1e6, -1e18])
        if source == "i64"
        else np.array([1, 1e5, -1e39, np.inf, np.nan])
    )
    with np.errstate(all="ignore"):
        given = wide.astype(ELEMENT_TYPES[source].dtype)
    for target in ("f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "i32"):
        text = f"""func.func @main(%x: tensor<{len(given)}x{source}>) -> tensor<{len(given)}x{target}> {{
          %0 = stablehlo.convert %x : (tensor<{len(given)}x{source}>) -> tensor<{len(given)}x{target}>
          return %0 : tensor<{len(given)}x{target}> }}"""
        recording = recorded(text, given)
        made = recording.value(result(0))
        before = [_rank(np.asarray(element)) for element in given]
        born = [k for k, element in enumerate(made) if _rank(np.asarray(element)) > before[k]]
        births = [known for known in recording.log.tallies.values() if known.kind in ("nan", "inf")]
        assert sum(known.first.fault.elements for known in births) == len(born), (source, target)


ADD = """({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %s = stablehlo.add %p, %q : tensor<f32>
  stablehlo.return %s : tensor<f32> })"""
SEVERAL: dict[str, tuple[str, str]] = {
    "dot": (
        "tensor<4x4xf32>",
        "%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
        "(tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x4xf32>",
    ),
    "batched dot": (
        "tensor<4x3x3xf32>",
        "%u = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<4x3x2xf32>\n"
        "%v = stablehlo.reshape %y : (tensor<6x4xf32>) -> tensor<2x3x4xf32>\n"
        "%0 = stablehlo.dot_general %u, %v, batching_dims = [0] x [2], contracting_dims = [2] x [0] : "
        "(tensor<4x3x2xf32>, tensor<2x3x4xf32>) -> tensor<4x3x3xf32>",
    ),
    "sum": (
        "tensor<4xf32>",
        '%0 = "stablehlo.reduce"(%x, %zero) ' + ADD + " {dimensions = array<i64: 1>} : "
        "(tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>",
    ),
    "window sum": (
        "tensor<3x5xf32>",
        '%0 = "stablehlo.reduce_window"(%x, %zero) ' + ADD + " {window_dimensions = array<i64: 2, 3>, "
        "padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>",
    ),
    "convolution": (
        "tensor<1x2x5xf32>",
        "%u = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<1x4x6xf32>\n"
        "%k = stablehlo.slice %y [0:4, 0:4] : (tensor<6x4xf32>) -> tensor<4x4xf32>\n"
        "%v = stablehlo.reshape %k : (tensor<4x4xf32>) -> tensor<2x4x2xf32>\n"
        "%0 = stablehlo.convolution(%u, %v) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<1x4x6xf32>, tensor<2x4x2xf32>) -> tensor<1x2x5xf32>",
    ),
    "scatter": (
        "tensor<4x6xf32>",
        "%at = stablehlo.constant dense<[[0], [2], [0], [7]]> : tensor<4x1xi64>\n"
        "%u = stablehlo.transpose %y, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>\n"
        '%0 = "stablehlo.scatter"(%x, %at, %u) ' + ADD + " {scatter_dimension_numbers = "
        "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : "
        "(tensor<4x6xf32>, tensor<4x1xi64>, tensor<4x6xf32>) -> tensor<4x6xf32>",
    ),
    "select": (
        "tensor<4x6xf32>",
        "%u = stablehlo.transpose %y, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>\n"
        "%p = stablehlo.compare GT, %x, %u : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>\n"
        "%0 = stablehlo.select %p, %x, %u : tensor<4x6xi1>, tensor<4x6xf32>",
    ),
}
WHOLE = """
func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> {type} {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  {body}
  return %0 : {type}
}}"""
AWFUL = np.array([1, -2, 0, 3e38, -3e38, np.inf, -np.inf, np.nan], np.float32)


def _operand(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    share = random.choice([0.3, 0.9])
    odds = [(1 - 5 * share / 8) / 3] * 3 + [share / 8] * 5
    return AWFUL[random.choice(len(AWFUL), shape, p=odds)]


def _births(recording: Recording, step: int) -> dict[str, int]:
    """By kind, the elements of a step's result that are worse than all elements that provenance says they read."""
    links = Links(RecordedRun(recording))
    address = result(step)
    made = recording.value(address)
    found = {"nan": 0, "inf": 0}
    for index in np.ndindex(made.shape):
        walk = step_back(links, address, ElementSet.of_index(made.shape, index))
        read = [
            _rank(recording.value(node.address)[tuple(element)])
            for node in list(walk.nodes.values())[1:]
            if recording.value(node.address).dtype.kind == "f"
            for element in node.elements
        ]
        rank = _rank(made[index])
        if rank > max(read, default=0):
            found[("inf", "nan")[rank - 1]] += 1
    return {kind: count for kind, count in found.items() if count}


@pytest.mark.parametrize("name", SEVERAL)
def test_ops_that_read_several_elements_name_what_provenance_finds(name: str) -> None:
    type_name, body = SEVERAL[name]
    text = WHOLE.format(type=type_name, body=body)
    random = np.random.default_rng(sum(map(ord, name)))
    born = 0
    for _ in range(10):
        recording = recorded(text, _operand(random, (4, 6)), _operand(random, (6, 4)))
        entry = recording.program.entry
        assert entry is not None
        op = recording.program.blocks[entry.block].operations[-2].id
        step = int(np.flatnonzero(recording.tracks[0].op_column == op)[0])
        told = {
            kind: known.first.fault.elements
            for (number, kind), known in recording.log.tallies.items()
            if number == op and kind in ("nan", "inf")
        }
        assert told == _births(recording, step), name
        born += sum(told.values())
    assert name == "select" or born, "the operands give birth to something"


def test_what_is_reduced_to_a_shorter_format_is_above_the_limit_of_that() -> None:
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %r = stablehlo.reduce_precision %x, format = e5m10 : tensor<3xf32>
      return %r : tensor<3xf32>
    }"""
    (told,) = found(text, np.array([1, -1e6, 65504], np.float32))
    assert told.sentence.endswith("1 of 3 elements, where %x is below -65,504, the largest e5m10")
