"""Types of an op's regions, from their arguments and terminators."""

from ...ir.module import Region
from ...ir.types import FunctionType, TensorType, TupleType, Type
from .op import shapes_agree


def region_type(region: Region) -> FunctionType:
    """The types of the block's arguments and of its terminator's operands.

    A region without a block, or with an empty one, has no types; the verifier of the module reports it.
    """
    if not region.blocks:
        return FunctionType((), ())
    block = region.block
    results = block.operations[-1].operands if block.operations else ()
    return FunctionType(
        tuple(value.type for value in block.arguments), tuple(value.type for value in results)
    )


def types_agree(left: tuple[Type, ...], right: tuple[Type, ...]) -> bool:
    """Whether two lists of types are equal, ignoring unknown sizes."""
    return len(left) == len(right) and all(map(type_agrees, left, right))


def type_agrees(left: Type, right: Type) -> bool:
    """Whether two types are equal, ignoring unknown sizes."""
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return left.element_type == right.element_type and shapes_agree(left.shape, right.shape)
    if isinstance(left, TupleType) and isinstance(right, TupleType):
        return types_agree(left.types, right.types)
    return left == right
