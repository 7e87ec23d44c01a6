"""Integer arithmetic that is meant to wrap around although no op of it mixes bits: multiplied by the constant of a hash."""

from __future__ import annotations

import numpy as np

from .ir.element_types import ElementType
from .ir.types import TensorType
from .program import BoundOperation, BoundProgram

LEAST_BITS = 32
"""Of a type in which hashes are computed."""


def hash_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that multiply by so great a constant that 4 times it is beyond the type, and those that go on with such a product.

    Nobody computes a place so: it would be right for the first few numbers only.
    """
    found = set[int]()
    for bound in program.ops:
        if _goes_on(bound):
            made = (program.makers[value].op for value in bound.operands)
            product = bound.op.multiplies and any(_is_great(program, value) for value in bound.operands)
            if product or not found.isdisjoint(made):
                found.add(bound.id)
    return frozenset(found)


def _goes_on(bound: BoundOperation) -> bool:
    """Whether an op computes with all that it is given, modulo the size of its type, or moves it."""
    return bound.op.moves_elements or (bound.op.traits.is_elementwise and bound.op.may_wrap)


def _is_great(program: BoundProgram, value: int) -> bool:
    """Whether a value is a constant that is great everywhere."""
    found = program.values[value].type
    element = found.element_type if isinstance(found, TensorType) else None
    if not isinstance(element, ElementType) or not element.is_integer or element.bits < LEAST_BITS:
        return False
    maker = program.makers[value].op
    while maker is not None and program.ops[maker].op.moves_elements and program.ops[maker].operands:
        maker = program.makers[program.ops[maker].operands[0]].op
    if maker is None:
        return False
    bound = program.ops[maker]
    if not bound.op.traits.is_constant or bound.operands or bound.op.outside is not None:
        return False
    constant = bound.op.evaluate()
    assert not isinstance(constant, tuple), "a constant has one result"
    least = (
        int(constant.min()) if element.kind == "unsigned" else int(np.abs(constant.astype(np.float64)).min())
    )
    return least >= 1 << (element.bits - 2)
