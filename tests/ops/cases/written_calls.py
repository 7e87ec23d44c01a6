"""Calls of ops as the generators of the oracles write them, on their values or on any others."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.data_movement.creation import Constant
from hloscope.engine.ops.specialise import specialise_op
from tests.oracle.generators import GENERATORS, UNSAFE
from tests.programs import load_program

from .drawing import Case, Draw, arrays


@st.composite
def written_calls(draw: Draw, name: str) -> Case:
    """The op `name` with the types and attributes of a generated program; its constants settle what it is."""
    written = draw(st.one_of(*(found[name] for found in (GENERATORS, UNSAFE) if name in found)))
    program = load_program(written.program)
    bound = next(bound for bound in program.ops if bound.op.name == name and bound.block == 0)
    operands: list[Array] = []
    constants = []
    for number, value in enumerate(bound.operands):
        maker = program.makers[value]
        if maker.op is None:
            operands.append(_values(draw, written.types[maker.index], written.operands[maker.index]))
        else:
            constant = program.ops[maker.op].op
            assert isinstance(constant, Constant)
            operands.append(constant.evaluate())
            constants.append(number)
    return Case(specialise_op(bound.op, operands), tuple(operands), tuple(constants))


def _values(draw: Draw, found: TensorType, written: Array) -> Array:
    return draw(arrays(found.element_type, found.sizes)) if draw(st.booleans()) else written
