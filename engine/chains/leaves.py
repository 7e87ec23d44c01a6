"""Leaves: values, or parts of values, that are not tuples. Maps go between leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.types import TensorType, Type, leaf_paths, type_at
from ..program import BoundOperation, BoundProgram


@dataclass(frozen=True)
class Leaf:
    """A value of the program or a part of it; `path` has the positions in its tuples, outermost first."""

    value: int
    path: tuple[int, ...] = ()


def leaves_of(program: BoundProgram, value: int) -> tuple[Leaf, ...]:
    """The leaves of a value, in order."""
    return tuple(Leaf(value, path) for path in leaf_paths(program.values[value].type))


def leaves(program: BoundProgram, values: Sequence[int]) -> tuple[Leaf, ...]:
    """The leaves of several values, in order."""
    return tuple(leaf for value in values for leaf in leaves_of(program, value))


def operand_leaves(program: BoundProgram, bound: BoundOperation) -> tuple[Leaf, ...]:
    """The leaves that `OperandMap.operand` numbers."""
    return leaves(program, bound.operands)


def result_leaves(program: BoundProgram, bound: BoundOperation) -> tuple[Leaf, ...]:
    """The leaves that `OperandMap.result` numbers."""
    return leaves(program, bound.results)


def leaf_type(program: BoundProgram, leaf: Leaf) -> Type:
    """The type of a leaf."""
    return type_at(program.values[leaf.value].type, leaf.path)


def leaf_shape(program: BoundProgram, leaf: Leaf) -> tuple[int, ...] | None:
    """The shape of a static tensor; `None` for other leaves."""
    found = leaf_type(program, leaf)
    return found.sizes if isinstance(found, TensorType) and found.is_static else None


def leaf_name(program: BoundProgram, leaf: Leaf) -> str:
    """`%5`, or `%5#1` for element 1 of a tuple."""
    return "#".join((program.values[leaf.value].name, *map(str, leaf.path)))
