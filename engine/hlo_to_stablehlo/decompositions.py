"""Lowerings to several operations: bitcast, dynamic slices, top-k, scaled dot, ragged dot, scan."""

from ..ir.attribute_values import enum, integer, integers
from ..ir.attributes import BoolAttribute, DenseArrayAttribute, StructAttribute
from ..ir.element_types import ELEMENT_TYPES, I1, I32, I64
from ..ir.module import Block, Operation, Region, Value
from ..ir.types import TensorType
from .scope import Lowering, Scope, Tree, properties_of, tensor, type_leaves


def _bitcast(operation: Operation, here: Scope) -> Tree:
    """Transpose to memory order, reinterpret the bits, and transpose to the result's memory order."""
    value, stated = here.only(operation.operands[0]), operation.results[0].type
    source = operation.operands[0].type
    assert isinstance(source, TensorType)
    assert isinstance(stated, TensorType)
    order, placed = _order(source), _order(stated)
    flat = here.transpose(value, order)
    physical = tuple(stated.sizes[at] for at in placed)
    made = here.reshape(_recast(flat, source, stated, physical, here), physical)
    return here.transpose(made, [placed.index(at) for at in range(len(placed))])


def _order(found: TensorType) -> list[int]:
    """The dimensions from major to minor."""
    return list(reversed(found.layout.minor_to_major)) if found.layout else list(range(found.rank))


def _recast(
    value: Value, source: TensorType, stated: TensorType, physical: tuple[int, ...], here: Scope
) -> Value:
    old, new = source.element_type, stated.element_type
    if old == new:
        return value
    if old.bits == new.bits:
        found = tensor(value).with_element_type(new)
    elif old.bits > new.bits:
        found = TensorType((*tensor(value).shape, old.bits // new.bits), new)
    else:
        value = here.reshape(value, (*physical, new.bits // old.bits))
        found = TensorType(physical, new)
    return here.one("stablehlo.bitcast_convert", (value,), found)


def _starts(vector: Value, here: Scope) -> list[Value]:
    """Each element of a vector as a scalar."""
    count = tensor(vector).sizes[0]
    return [here.reshape(here.slice(vector, [k], [k + 1]), ()) for k in range(count)]


def _dynamic_slice(operation: Operation, here: Scope) -> Tree:
    operand, vector = map(here.only, operation.operands)
    return here.write(operation, "stablehlo.dynamic_slice", operands=(operand, *_starts(vector, here)))


def _dynamic_update_slice(operation: Operation, here: Scope) -> Tree:
    operand, update, vector = map(here.only, operation.operands)
    values = (operand, update, *_starts(vector, here))
    return here.write(operation, "stablehlo.dynamic_update_slice", operands=values)


def _dynamic_reshape(operation: Operation, here: Scope) -> Tree:
    """Write dynamic_reshape, which takes the sizes as one vector: concatenate the scalars."""
    operand, *sizes = map(here.only, operation.operands)
    ones = [here.reshape(size, (1,)) for size in sizes]
    vector = TensorType((len(ones),), tensor(sizes[0]).element_type if sizes else I32)
    dimension = {"dimension": integer(0)}
    if ones:
        shape = here.one("stablehlo.concatenate", ones, vector, dimension)
    else:
        shape = here.constant([], I32)
    return here.write(operation, "stablehlo.dynamic_reshape", operands=(operand, shape))


def _top_k(operation: Operation, here: Scope) -> Tree:
    """Write chlo.top_k, or a stable sort for the smallest elements."""
    properties = properties_of(operation)
    largest = properties.pop("largest", BoolAttribute(True))
    if largest == BoolAttribute(True):
        return here.write(operation, "chlo.top_k", properties=properties)
    operand = here.only(operation.operands[0])
    source = tensor(operand)
    last = {"iota_dimension": integer(source.rank - 1)}
    places = here.one("stablehlo.iota", (), source.with_element_type(I32), last)
    ordered = here.add(
        "stablehlo.sort",
        (operand, places),
        [source, source.with_element_type(I32)],
        {"dimension": integer(source.rank - 1), "is_stable": BoolAttribute(True)},
        regions=[_ascending_order(source, here)],
    )
    limits = operation.results[0].type.types[0].sizes  # type: ignore[attr-defined]
    return tuple(here.slice(found, [0] * source.rank, limits) for found in ordered)


def _ascending_order(source: TensorType, here: Scope) -> Region:
    """The comparator of an ascending sort of elements and indices; floats in their total order."""
    element, place = TensorType((), source.element_type), TensorType((), I32)
    inner = Scope(here.writer, here.depth + 1)
    names = [here.writer.fresh(name) for name in ("%lhs", "%rhs", "%lhs_place", "%rhs_place")]
    arguments = tuple(map(Value, names, (element, element, place, place)))
    kinds = {"float": "TOTALORDER", "signed": "SIGNED"}
    properties = {
        "comparison_direction": enum("comparison_direction", "LT"),
        "compare_type": enum("comparison_type", kinds.get(source.element_type.kind, "UNSIGNED")),
    }
    before = inner.one("stablehlo.compare", arguments[:2], TensorType((), I1), properties)
    end = Operation("stablehlo.return", (before,), ())
    return Region((Block(arguments, (*inner.operations, end)),))


def _random(operation: Operation, here: Scope) -> Tree:
    """Write stablehlo.rng, which takes the shape as an operand."""
    shape = here.constant(tensor(operation.results[0]).sizes, I64)
    return here.write(operation, "stablehlo.rng", operands=(*here.leaves(*operation.operands), shape))


_BF16 = ELEMENT_TYPES["bf16"]


def _scaled_dot(operation: Operation, here: Scope) -> Tree:
    """Multiply each operand by its scale, round to bf16, and write dot_general."""
    lhs, rhs, lhs_scale, rhs_scale = map(here.only, operation.operands)
    values = (_scale(lhs, lhs_scale, here), _scale(rhs, rhs_scale, here))
    return here.write(operation, "stablehlo.dot_general", operands=values)


def _scale(value: Value, scale: Value, here: Scope) -> Value:
    found, f32 = tensor(value), ELEMENT_TYPES["f32"]
    sizes, scales = found.sizes, tensor(scale).sizes
    wide = here.one("stablehlo.convert", (value,), found.with_element_type(f32))
    if any(size != 1 for size in scales):
        factors = here.one("stablehlo.convert", (scale,), tensor(scale).with_element_type(f32))
        blocks = [part for size, n in zip(sizes, scales, strict=True) for part in (n, size // max(n, 1))]
        spread = here.broadcast(factors, TensorType(tuple(blocks), f32), range(0, len(blocks), 2))
        flat = here.reshape(spread, sizes)
        wide = here.one("stablehlo.multiply", (wide, flat), wide.type)
    return here.one("stablehlo.convert", (wide,), found.with_element_type(_BF16))


def _ragged_dot(operation: Operation, here: Scope) -> Tree:
    """Write chlo.ragged_dot, which has all dimension numbers in one attribute."""
    properties = properties_of(operation)
    dot = properties.pop("dot_dimension_numbers")
    assert isinstance(dot, StructAttribute)
    numbers = {
        **dot.parameters,
        "lhs_ragged_dimensions": properties.pop("lhs_ragged_dims"),
        "rhs_group_dimensions": properties.pop("rhs_group_dims", integers(())),
    }
    properties["ragged_dot_dimension_numbers"] = StructAttribute("chlo", "ragged_dot", numbers)
    return here.write(operation, "chlo.ragged_dot", properties=properties)


def _scan(operation: Operation, here: Scope) -> Tree:
    """Write chlo.scan, which states the numbers of carries among operands and results."""
    properties = properties_of(operation)
    carried = properties.pop("num_carries").value  # type: ignore[attr-defined]
    counts = len(here.leaves(*operation.operands)), len(type_leaves(operation.results[0].type))
    for name, count in zip(("operandSegmentSizes", "resultSegmentSizes"), counts, strict=True):
        properties[name] = DenseArrayAttribute(I32, (count - carried, carried))
    return here.write(operation, "chlo.scan", properties=properties)


LOWERINGS: dict[str, Lowering] = {
    "hlo.bitcast": _bitcast,
    "hlo.dynamic_slice_by_vector": _dynamic_slice,
    "hlo.dynamic_update_slice_by_vector": _dynamic_update_slice,
    "hlo.dynamic_reshape": _dynamic_reshape,
    "hlo.topk": _top_k,
    "hlo.rng": _random,
    "hlo.scaled_dot": _scaled_dot,
    "hlo.ragged_dot": _ragged_dot,
    "hlo.scan": _scan,
}
"""Lowerings by the name of the op."""
