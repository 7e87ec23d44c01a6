"""The dialects shape, tensor and arith: what is wrong, what ends a run, whole programs, values from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.element_types import I1, INDEX
from hloscope.engine.ir.types import OpaqueType, ScalarType, TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.scalars import as_tensor
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_module
from tests.debugger.programs import recorded
from tests.each import for_each
from tests.programs import load_program, ran

PROGRAM = Path(__file__).parent / "programs" / "shapes.mlir"
ARGUMENTS = {
    "%a": "tensor<?x3xf32>",
    "%i": "index",
    "%j": "index",
    "%s": "tensor<1xindex>",
    "%t": "tensor<2xindex>",
    "%x": "i32",
    "%c": "i1",
    "%u": "ui8",
    "%w": "!shape.witness",
    "%h": "!shape.shape",
    "%z": "!shape.size",
}


def program(statement: str) -> str:
    """A function of one statement that returns nothing."""
    arguments = ", ".join(f"{name}: {found}" for name, found in ARGUMENTS.items())
    return f"func.func @main({arguments}) {{\n  {statement}\n  return\n}}"


def test_what_mlir_prints_is_printed_as_it_was() -> None:
    text = PROGRAM.read_text("utf-8")
    assert load(Source(text)).diagnostics == ()
    assert print_module(parse_module(Source(text), op_table()), op_table()) == text
    generic = print_module(parse_module(Source(text), op_table()), op_table(), "generic")
    assert print_module(parse_module(Source(generic), op_table()), op_table()) == text


WRONG = [
    ("%r = shape.shape_of %a : tensor<?x3xf32> -> tensor<1xindex>", "has 2 dimensions"),
    ("%r = shape.shape_of %a : tensor<?x3xf32> -> tensor<2xi64>", "must be a tensor of index"),
    ("%r = shape.shape_of %a : tensor<?x3xf32> -> index", "must be a tensor of index"),
    ("%r = shape.num_elements %t : tensor<2xindex> -> i32", "must be index or !shape.size"),
    ("%r = shape.num_elements %i : index -> index", "must be a tensor of index"),
    ("%r = shape.dim %a, %x : tensor<?x3xf32>, i32 -> index", "index must be index or !shape.size"),
    ("%r = shape.get_extent %x, %i : i32, index -> index", "shape must be a tensor of index"),
    ("%r = shape.const_shape [1, 2] : tensor<3xindex>", "has 2 dimensions"),
    ("%r = shape.from_extents %x : i32", "extent 0 must be index"),
    ("%r = shape.to_extent_tensor %t : tensor<2xindex> -> tensor<3xindex>", "has 2 dimensions"),
    ("%r = shape.broadcast %s, %t : tensor<1xindex>, tensor<2xindex> -> tensor<1xindex>", "has 2 dimensions"),
    ("%r = shape.concat %s, %t : tensor<1xindex>, tensor<2xindex> -> tensor<4xindex>", "has 3 dimensions"),
    ("%r = shape.index_to_size %x", "must be index"),
    ("%r = shape.size_to_index %x : i32", "must be index or !shape.size"),
    ("%r = shape.cstr_broadcastable %s : tensor<1xindex>", "at least two shapes"),
    ('%r = "tensor.dim"(%a, %x) : (tensor<?x3xf32>, i32) -> index', "index must be index"),
    ('%r = "tensor.dim"(%a, %i) : (tensor<?x3xf32>, index) -> i32', "must be index, not i32"),
    ("%r = tensor.from_elements %i, %j : tensor<3xindex>", "2 elements for the 3"),
    ("%r = tensor.from_elements %i, %x : tensor<2xindex>", "must be index, not i32"),
    ("%r = tensor.from_elements %i, %j : tensor<?xindex>", "must have sizes"),
    ("%r = tensor.extract %t[%i, %j] : tensor<2xindex>", "2 indices for rank 1"),
    ("%r = tensor.extract %t[%x] : tensor<2xindex>", "index 0 must be index"),
    ("%r = tensor.cast %a : tensor<?x3xf32> to tensor<2x4xf32>", "differ in shape"),
    ("%r = tensor.cast %a : tensor<?x3xf32> to tensor<?x3xf64>", "the operand holds f32"),
    ("%r = tensor.empty(%i) : tensor<2xf32>", "1 sizes for the 0"),
    ("%r = tensor.empty(%x) : tensor<?xf32>", "size 0 must be index"),
    ('%r = "arith.constant"() <{value = 0 : i32}> : () -> index', "value is of type i32"),
    ('%r = "arith.constant"() <{value = "a"}> : () -> index', "value is of type none"),
    ("%r = arith.addi %u, %u : ui8", "without a sign of its own"),
    ("%r = arith.addi %a, %a : tensor<?x3xf32>", "without a sign of its own"),
    ('%r = "arith.addi"(%i, %x) : (index, i32) -> index', "must be of one type"),
    ('%r = "arith.divsi"(%s, %t) : (tensor<1xindex>, tensor<2xindex>) -> tensor<2xindex>', "lhs is"),
    (
        '%r = "arith.cmpi"(%i, %j) <{predicate = 10 : i64}> : (index, index) -> i1',
        "the number of no predicate",
    ),
    ("%r = arith.select %x, %i, %j : i32, index", "must be i1"),
    ("%r = arith.index_cast %i : index to index", "one of operand and result"),
    ("%r = arith.index_cast %t : tensor<2xindex> to tensor<3xi32>", "differ in shape"),
    ("%r = arith.index_cast %t : tensor<2xindex> to i32", "differ in shape"),
    ("%r = shape.assuming %i -> (index) {\n shape.assuming_yield %i : index\n}", "witness must be"),
    ("%r = shape.assuming %w -> (index) {\n shape.assuming_yield %x : i32\n}", "yields [i32]"),
    ("%r = shape.assuming %w -> (index) {\n stablehlo.return %i : index\n}", "must end with"),
]


@for_each(("statement", "message"), WRONG)
def test_what_is_wrong_is_said(statement: str, message: str) -> None:
    found = load(Source(program(statement))).diagnostics
    assert len(found) == 1
    assert message in found[0].message


INDICES = "%i: index, %j: index"
LISTS = "%i: tensor<2xindex>, %j: tensor<2xindex>"
ENDS = [
    (INDICES, "%r = arith.divsi %i, %j : index", "index", (7, 0), "divided by 0"),
    (INDICES, "%r = arith.remsi %i, %j : index", "index", (7, 0), "divided by 0"),
    (INDICES, "%r = arith.divsi %i, %j : index", "index", (-(2**63), -1), "does not fit"),
    (
        "%i: tensor<2xindex>, %j: index",
        "%r = tensor.extract %i[%j] : tensor<2xindex>",
        "index",
        ([1, 2], 2),
        "there is no element in dimension 0 at 2: there are 2",
    ),
    (
        "%i: tensor<2xindex>, %j: index",
        "%r = shape.get_extent %i, %j : tensor<2xindex>, index -> index",
        "index",
        ([1, 2], -1),
        "there is no dimension -1: there are 2",
    ),
    (
        LISTS,
        "%r = shape.broadcast %i, %j : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>",
        "tensor<2xindex>",
        ([2, 3], [3, 3]),
        "the shapes [2, 3], [3, 3] do not broadcast",
    ),
    (
        LISTS,
        '%r = "shape.broadcast"(%i, %j) <{error = "no"}> : (tensor<2xindex>, tensor<2xindex>) -> tensor<2xindex>',
        "tensor<2xindex>",
        ([2, 3], [3, 3]),
        "do not broadcast: no",
    ),
    (
        LISTS,
        "%r = shape.cstr_broadcastable %i, %j : tensor<2xindex>, tensor<2xindex>",
        "!shape.witness",
        ([2, 3], [3, 3]),
        "the shapes [2, 3], [3, 3] do not broadcast",
    ),
    (INDICES, "%r = tensor.empty(%i, %j) : tensor<?x?xf32>", "tensor<?x?xf32>", (2, -1), "not be negative"),
    (INDICES, "%r = tensor.empty(%i, %j) : tensor<?x?xf32>", "tensor<?x?xf32>", (2**40, 2**40), "addresses"),
    (
        "%i: tensor<?xf32>",
        "%r = tensor.cast %i : tensor<?xf32> to tensor<2xf32>",
        "tensor<2xf32>",
        (np.zeros(3, np.float32),),
        "differ in shape",
    ),
]


@pytest.mark.parametrize(("arguments", "statement", "result", "inputs", "message"), ENDS)
def test_a_run_ends_where_mlir_leaves_the_value_open(
    arguments: str, statement: str, result: str, inputs: tuple[Any, ...], message: str
) -> None:
    text = f"func.func @main({arguments}) -> {result} {{\n  {statement}\n  return %r : {result}\n}}"
    with pytest.raises(RunError, match=message.replace("[", r"\[")):
        ran(text, *inputs)


BROADCAST = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, index) {
  %0 = shape.shape_of %a : tensor<?x?xf32> -> tensor<2xindex>
  %1 = shape.shape_of %b : tensor<?xf32> -> tensor<1xindex>
  %2 = shape.cstr_broadcastable %0, %1 : tensor<2xindex>, tensor<1xindex>
  %3:2 = shape.assuming %2 -> (tensor<?x?xf32>, index) {
    %4 = shape.broadcast %0, %1 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %5 = stablehlo.dynamic_broadcast_in_dim %a, %4, dims = [0, 1] : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %6 = stablehlo.dynamic_broadcast_in_dim %b, %4, dims = [1] : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %7 = stablehlo.add %5, %6 : tensor<?x?xf32>
    %8 = shape.num_elements %4 : tensor<2xindex> -> index
    shape.assuming_yield %7, %8 : tensor<?x?xf32>, index
  }
  return %3#0, %3#1 : tensor<?x?xf32>, index
}
"""


@pytest.mark.parametrize(("left", "right"), [((2, 3), (3,)), ((2, 1), (3,)), ((2, 3), (1,)), ((0, 1), (4,))])
def test_a_broadcast_as_tensorflow_writes_it(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a = np.arange(np.prod(left), dtype=np.float32).reshape(left)
    b = np.arange(np.prod(right), dtype=np.float32).reshape(right)
    found, count = ran(BROADCAST, a, b)
    assert np.array_equal(found, a + b)
    assert count == (a + b).size


def test_shapes_that_do_not_broadcast_end_the_run() -> None:
    with pytest.raises(RunError) as raised:
        ran(BROADCAST, np.zeros((2, 3), np.float32), np.zeros(2, np.float32))
    assert raised.value.op == "shape.cstr_broadcastable"


FLATTENED = """
func.func @main(%a: tensor<?x3xf32>, %extra: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %rows = tensor.dim %a, %c0 : tensor<?x3xf32>
  %count = arith.muli %rows, %c3 : index
  %shape = tensor.from_elements %count : tensor<1xindex>
  %flat = stablehlo.dynamic_reshape %a, %shape : (tensor<?x3xf32>, tensor<1xindex>) -> tensor<?xf32>
  %more = arith.cmpi sgt, %extra, %c0 : index
  %pad = arith.select %more, %extra, %c0 : index
  %high = tensor.from_elements %pad : tensor<1xindex>
  %none = arith.constant dense<0> : tensor<1xindex>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.dynamic_pad %flat, %zero, %none, %high, %none : (tensor<?xf32>, tensor<f32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


@pytest.mark.parametrize(("extra", "zeros"), [(2, 2), (-2, 0)])
def test_an_index_may_come_from_outside(extra: int, zeros: int) -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    (found,) = ran(FLATTENED, a, extra)
    assert found.tolist() == [*range(6), *[0] * zeros]


def test_a_recording_knows_bare_values_as_tensors() -> None:
    loaded = load_program(FLATTENED)
    inputs = [
        make_input(InputSpec.parse(spec), argument.type, number)
        for number, (spec, argument) in enumerate(
            zip(("iota[2, 3]", "2"), loaded.entry.function.arguments, strict=True)  # type: ignore[union-attr]
        )
    ]
    recording = recorded(loaded, inputs)
    results = recording.results()
    assert results is not None
    assert results[0].shape == (8,)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (ScalarType(INDEX), TensorType((), INDEX)),
        (ScalarType(I1), TensorType((), I1)),
        (OpaqueType("!shape.shape"), TensorType((None,), INDEX)),
        (OpaqueType("!shape.size"), TensorType((), INDEX)),
        (OpaqueType("!shape.witness"), TensorType((), I1)),
        (OpaqueType("!other.type"), OpaqueType("!other.type")),
    ],
)
def test_types_of_values_in_a_run(given: Any, wanted: Any) -> None:
    assert as_tensor(given) == wanted
