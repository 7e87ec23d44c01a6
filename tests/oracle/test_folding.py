"""The dialects shape, tensor and arith against MLIR, which computes them as it compiles; what MLIR prints of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from hloscope.engine.ir.attributes import (
    Attribute,
    BoolAttribute,
    DenseAttribute,
    IntegerAttribute,
    OpaqueAttribute,
)
from hloscope.engine.ir.element_types import I1, I64
from hloscope.engine.ir.module import Operation, Value
from hloscope.engine.ir.types import ScalarType, TensorType, Type
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.core.scalars import SHAPE, SIZE, as_tensor
from hloscope.engine.ops.dialects.arith_dialect import CmpI, Overflowing
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_attribute, print_module, print_operation
from tests.each import for_each
from tests.ops.cases import Case
from tests.ops.cases.shapes import CASES
from tests.ops.running import run
from tests.ops.test_shape_dialect import WRONG, program

from .client import Oracle

pytestmark = pytest.mark.oracle
PROGRAM = Path(__file__).parents[1] / "ops" / "programs" / "shapes.mlir"
UNFOLDED = {"tensor.empty", "shape.cstr_broadcastable"}
"""What MLIR does not compute, or not always."""
CONSTANTS = {"arith.constant", "shape.const_shape", "shape.const_size"}
FOLDED = {name for name in CASES.keys() - CONSTANTS - UNFOLDED if not name.startswith("stablehlo.")}


def test_what_mlir_prints_is_printed_as_it_was(oracle: Oracle) -> None:
    text = PROGRAM.read_text("utf-8")
    parsed = oracle.parse(text)
    assert parsed.short == text == print_module(parse_module(Source(text), op_table()), op_table())
    generic = parse_module(Source(parsed.generic), op_table())
    assert oracle.parse(print_module(generic, op_table())).generic == parsed.generic
    assert oracle.parse(print_module(generic, op_table(), "generic")).generic == parsed.generic


def _attribute(value: Array, stated: Type) -> Attribute:
    """A number, or a literal of a tensor."""
    if isinstance(stated, TensorType):
        return DenseAttribute(stated, value)
    assert isinstance(stated, ScalarType)
    if stated.element_type == I1:
        return BoolAttribute(bool(value))
    return IntegerAttribute(int(value), stated)


def _constant(name: str, value: Array, stated: Type) -> str:
    if stated == SIZE:
        return f"{name} = shape.const_size {int(value)}"
    if stated == SHAPE:
        return f"{name} = shape.const_shape {value.tolist()} : !shape.shape"
    return f"{name} = arith.constant {print_attribute(_attribute(value, stated))}"


def _properties(op: Op) -> dict[str, Attribute]:
    if isinstance(op, CmpI):
        return {"predicate": IntegerAttribute(op.predicate, ScalarType(I64))}
    return {"overflowFlags": OpaqueAttribute("#arith.overflow<none>")} if isinstance(op, Overflowing) else {}


def _program(case: Case) -> tuple[str, Type]:
    """The op on constants; its result is returned."""
    found = case.op.infer()
    assert isinstance(found, Type)
    operands = tuple(Value(f"%a{k}", stated) for k, stated in enumerate(case.op.operand_types))
    operation = Operation(case.op.name, operands, (Value("%r", found),), _properties(case.op))
    lines = [
        _constant(operand.name, value, operand.type)
        for operand, value in zip(operands, case.operands, strict=True)
    ]
    lines.append(print_operation(operation, op_table(), "generic"))
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @main() -> {found} {{\n{body}  return %r : {found}\n}}\n", found


def _folded(text: str) -> Array | None:
    """What the function of the folded program returns, if that is a constant."""
    body = parse_module(Source(text), op_table()).functions[0].body
    assert body is not None
    *operations, last = body.block.operations
    returned = next(found for found in operations if found.results == last.operands)
    if returned.name not in CONSTANTS:
        return None
    value = next(iter(returned.properties.values()))
    if isinstance(value, DenseAttribute):
        return value.data
    assert isinstance(value, IntegerAttribute | BoolAttribute)
    return np.array(value.value)


@pytest.mark.parametrize("name", sorted(FOLDED))
def test_mlir_computes_the_same(name: str, oracle: Oracle) -> None:
    compare_with_mlir(name, oracle, settings(max_examples=20, derandomize=True, database=None))


def compare_with_mlir(name: str, oracle: Oracle, chosen: settings) -> None:
    """Fails at the first difference; `chosen` says how many cases."""

    @chosen
    @given(CASES[name])
    def agrees(case: Case) -> None:
        _compare(case, oracle)

    agrees()


def _compare(case: Case, oracle: Oracle) -> None:
    text, found = _program(case)
    wanted = _folded(oracle.fold(text))
    assert wanted is not None, f"MLIR does not compute\n{text}"
    (mine,) = run(case.op, *case.operands)
    stated = as_tensor(found)
    assert isinstance(stated, TensorType)
    assert mine.dtype == stated.element_type.dtype
    assert np.array_equal(mine.astype(np.int64), np.asarray(wanted).astype(np.int64)), text


@for_each("statement", [statement for statement, _ in WRONG])
def test_mlir_refuses_what_is_wrong(statement: str, oracle: Oracle) -> None:
    # MLIR leaves it to who writes the program how many dimensions a shape has that is made of others.
    unchecked = any(f"shape.{name} " in statement for name in ("to_extent_tensor", "broadcast", "concat"))
    assert (oracle.refuses(program(statement)) is None) == unchecked
