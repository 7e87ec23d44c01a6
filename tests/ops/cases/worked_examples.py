"""Calls of ops that have no case of their own: those in their worked examples, on any values."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from hloscope.app.reference.examples import op_example
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Op
from tests.programs import load_program

from .drawing import Case, Cases, arrays


def calls_in_example(name: str) -> Cases:
    """The op `name` with the types and attributes of its worked example, which is read when the first call is drawn."""
    return st.deferred(lambda: st.sampled_from([*_ops(name)]).flatmap(_on_any_values))


def _ops(name: str) -> Iterator[Op]:
    example = op_example(name)
    assert example, f"{name} has no worked example"
    program = load_program(example.text, name)
    yield from (bound.op for bound in program.ops if bound.op.name == name)


def _on_any_values(op: Op) -> Cases:
    types = [found for found in op.operand_types if isinstance(found, TensorType) and found.is_static]
    assert len(types) == len(op.operand_types), f"{op.name}: its case has to be drawn by a function"
    return st.tuples(*(arrays(found.element_type, found.sizes) for found in types)).map(
        lambda operands: Case(op, operands)
    )
