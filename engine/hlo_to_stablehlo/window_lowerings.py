"""Lowerings of ops that XLA and StableHLO compute differently at edges: elements outside, single elements, exponents."""

from collections.abc import Sequence

from ..ir.attribute_values import enum, integers
from ..ir.attributes import Attribute, BoolAttribute, DenseArrayAttribute, DenseAttribute, StructAttribute
from ..ir.element_types import ELEMENT_TYPES, I1, I64
from ..ir.module import Block, Operation, Region, Value
from ..ir.types import TensorType, Type
from ..ops.core.bodies import Combiner, combiners, neutral_element
from ..ops.core.op import Array
from .op_lowerings import plain
from .scope import Lowering, Scope, Tree, as_tree, bare, leaves, properties_of, tensor, type_leaves

_EXPONENT_MASK = 63
"""Bits of an integer exponent that XLA reads."""


def _reduce_window(operation: Operation, here: Scope) -> Tree:
    """Write reduce_window so that padding does not count: HLO skips it, StableHLO fills it with the init value.

    Where that makes a difference, the padding holds the neutral element of the computation, and the init value is
    combined afterwards. If the computation has no known neutral element, a mask tells elements from padding.
    """
    properties = properties_of(operation)
    skips = operation.properties.get("skips_padding") == BoolAttribute(True)
    region = here.region(operation.regions[0])
    values = here.leaves(*operation.operands)
    count = len(values) // 2
    inputs, starts = values[:count], values[count:]
    found = combiners(region)
    if not skips or not _has_gaps(properties) or _are_neutral(found, starts, here):
        return here.write(operation, properties=properties, regions=[region])
    if found is None or Combiner.REPLACE in found:
        results = _reduce_masked(operation, properties, inputs, starts, here)
        return as_tree(operation.results[0].type, iter(results))
    blanks = [
        here.constant(neutral_element(what, tensor(start).element_type), tensor(start).element_type)
        for what, start in zip(found, starts, strict=True)
    ]
    types = [bare(each) for each in type_leaves(operation.results[0].type)]
    windows = here.add(operation.name, (*inputs, *blanks), types, properties, regions=[region])
    parts = zip(found, starts, windows, strict=True)
    made = tuple(_combine(what, start, window, here) for what, start, window in parts)
    return as_tree(operation.results[0].type, iter(made))


def _reduce_masked(
    operation: Operation,
    properties: dict[str, Attribute],
    inputs: Sequence[Value],
    starts: Sequence[Value],
    here: Scope,
) -> list[Value]:
    """The results of a reduction that combines masked elements only, and then the init value."""
    mask = here.broadcast(here.constant(True, I1), tensor(inputs[0]).with_element_type(I1))
    shape = type_leaves(operation.results[0].type)[0]
    assert isinstance(shape, TensorType)
    kinds = [*(tensor(start).element_type for start in starts), I1]
    types = [TensorType(shape.shape, kind) for kind in kinds]
    values = (*inputs, mask, *starts, here.constant(False, I1))
    body = _masked_combiner(operation.regions[0], starts, here)
    *windows, found = here.add(operation.name, values, types, properties, regions=[body])
    # Reducing a new dimension of size 1 combines each element with the init value exactly once.
    tall = [here.reshape(window, (1, *shape.sizes)) for window in windows]
    along = {"dimensions": integers([0])}
    region = here.region(operation.regions[0])
    once = here.add("stablehlo.reduce", (*tall, *starts), types[:-1], along, regions=[region])
    empty = [here.broadcast(start, tensor(value)) for start, value in zip(starts, once, strict=True)]
    return [
        here.one("stablehlo.select", (found, value, start), value.type)
        for value, start in zip(once, empty, strict=True)
    ]


def _masked_combiner(region: Region, starts: Sequence[Value], here: Scope) -> Region:
    """A combiner of masked elements: two elements as the region does, otherwise the one that is masked in."""
    inner = Scope(here.writer, here.depth + 1)
    scalars = [*(tensor(start) for start in starts), TensorType((), I1)]
    arguments = [Value(here.writer.fresh("%element"), found) for found in (*scalars, *scalars)]
    *lefts, left = arguments[: len(scalars)]
    *rights, right = arguments[len(scalars) :]
    combined = leaves(inner.inline(region.block, [*lefts, *rights]))
    both = inner.one("stablehlo.and", (left, right), left.type)
    chosen = []
    for first, second, joint in zip(lefts, rights, combined, strict=True):
        one = inner.one("stablehlo.select", (left, first, second), first.type)
        chosen.append(inner.one("stablehlo.select", (both, joint, one), first.type))
    either = inner.one("stablehlo.or", (left, right), left.type)
    end = Operation("stablehlo.return", (*chosen, either), ())
    return Region((Block(tuple(arguments), (*inner.operations, end)),))


def _reduce(operation: Operation, here: Scope) -> Tree:
    """Write reduce, or reshape where each result has one element: XLA drops the init value there."""
    shapes = [found for found in type_leaves(operation.results[0].type) if isinstance(found, TensorType)]
    values = here.leaves(*operation.operands)[: len(shapes)]
    before, after = tensor(values[0]), shapes[0]
    is_known = before.is_static and after.is_static
    if not is_known or before.element_count != after.element_count or not after.element_count:
        return plain(operation, here)
    made = (here.reshape(value, shapes[0].sizes) for value in values)
    return as_tree(operation.results[0].type, made)


def _power(operation: Operation, here: Scope) -> Tree:
    """Write power with the integer exponents that XLA reads: signed ones, and of positive ones the lowest six bits."""
    stated = tensor(operation.results[0])
    if not stated.element_type.is_integer:
        return plain(operation, here)
    signed = bare(stated.with_element_type(ELEMENT_TYPES[f"i{stated.element_type.bits}"]))
    assert isinstance(signed, TensorType)
    base, exponent = (_bits(value, signed, here) for value in here.leaves(*operation.operands))
    zero, mask = (here.broadcast(here.constant(n, signed.element_type), signed) for n in (0, _EXPONENT_MASK))
    direction = {"comparison_direction": enum("comparison_direction", "LT")}
    negative = here.one("stablehlo.compare", (exponent, zero), signed.with_element_type(I1), direction)
    low = here.one("stablehlo.and", (exponent, mask), signed)
    read = here.one("stablehlo.select", (negative, exponent, low), signed)
    return _bits(here.one("stablehlo.power", (base, read), signed), bare(stated), here)


def _bits(value: Value, found: Type, here: Scope) -> Value:
    return value if value.type == found else here.one("stablehlo.bitcast_convert", (value,), found)


def _combine(what: Combiner, start: Value, window: Value, here: Scope) -> Value:
    spread = here.broadcast(start, tensor(window))
    return here.one(what.value, (spread, window), window.type)


def _has_gaps(properties: dict[str, Attribute]) -> bool:
    """Whether windows contain padding or holes between elements."""
    padding, holes = properties.get("padding"), properties.get("base_dilations")
    padded = isinstance(padding, DenseAttribute) and bool((padding.data > 0).any())
    return padded or (isinstance(holes, DenseArrayAttribute) and any(n != 1 for n in holes.values))


def _are_neutral(found: tuple[Combiner, ...] | None, starts: Sequence[Value], here: Scope) -> bool:
    """Whether the init values are constants and neutral elements."""
    if found is None or Combiner.REPLACE in found:
        return False
    known = [_constant(start, here) for start in starts]
    pairs = zip(known, found, starts, strict=True)
    return all(
        value is not None and bool(value == neutral_element(what, tensor(start).element_type))
        for value, what, start in pairs
    )


def _constant(value: Value, here: Scope) -> Array | None:
    """The value of a scalar constant; `None` for any other operation."""
    maker = next((op for op in here.operations if value in op.results), None)
    stated = maker.properties.get("value") if maker and maker.name == "stablehlo.constant" else None
    return stated.data if isinstance(stated, DenseAttribute) else None


def _scatter(operation: Operation, here: Scope) -> Tree:
    """Write scatter so that it drops partial windows: HLO drops whole windows, StableHLO single elements.

    Where a window may cross the edge, the indices of such windows are moved far outside.
    """
    properties = properties_of(operation)
    drops = operation.properties.get("drops_whole_windows") == BoolAttribute(True)
    numbers = properties["scatter_dimension_numbers"]
    assert isinstance(numbers, StructAttribute)
    values = here.leaves(*operation.operands)
    count = len(values) // 2
    sizes, windows = _scatter_sizes(tensor(values[0]), tensor(values[-1]), numbers)
    if drops and any(window > 1 for window in windows):
        values[count] = _inside(values[count], sizes, windows, _list(numbers, "index_vector_dim")[0], here)
    return here.write(operation, operands=values, properties=properties)


def _list(numbers: StructAttribute, name: str) -> tuple[int, ...]:
    found = numbers.parameters.get(name)
    if isinstance(found, DenseArrayAttribute):
        return tuple(map(int, found.values))
    return (found.value,) if found is not None else ()  # type: ignore[attr-defined]


def _scatter_sizes(
    operand: TensorType, updates: TensorType, numbers: StructAttribute
) -> tuple[list[int], list[int]]:
    """Sizes of the operand and of a window in the indexed dimensions."""
    missing = (*_list(numbers, "inserted_window_dims"), *_list(numbers, "input_batching_dims"))
    kept = [d for d in range(operand.rank) if d not in missing]
    window = dict.fromkeys(missing, 1)
    window |= zip(kept, (updates.sizes[d] for d in _list(numbers, "update_window_dims")), strict=True)
    indexed = _list(numbers, "scatter_dims_to_operand_dims")
    return [operand.sizes[d] for d in indexed], [window[d] for d in indexed]


def _inside(indices: Value, sizes: Sequence[int], windows: Sequence[int], at: int, here: Scope) -> Value:
    """`indices`, with those of partial windows moved outside the operand."""
    found = tensor(indices)
    if at == found.rank:
        indices = here.reshape(indices, (*found.sizes, 1))
    wide = TensorType(tensor(indices).shape, I64)
    truths = TensorType(wide.shape, I1)
    given = here.one("stablehlo.convert", (indices,), wide)

    def along(numbers: Sequence[int]) -> Value:
        return here.broadcast(here.constant(list(numbers), I64), wide, (at,))

    def compare(direction: str, limits: Value) -> Value:
        properties = {"comparison_direction": enum("comparison_direction", direction)}
        return here.one("stablehlo.compare", (given, limits), truths, properties)

    limits = along([size - window for size, window in zip(sizes, windows, strict=True)])
    both = (compare("GE", along([0] * len(sizes))), compare("LE", limits))
    fits = here.one("stablehlo.and", both, truths)
    kept = tuple(d for d in range(wide.rank) if d != at)
    whole = _all(fits, truths.with_shape(tuple(wide.shape[d] for d in kept)), at, here)
    chosen = here.broadcast(whole, truths, kept)
    return here.one("stablehlo.select", (chosen, given, along(sizes)), wide)


def _all(truths: Value, result: TensorType, dimension: int, here: Scope) -> Value:
    scalar: Type = TensorType((), I1)
    left, right, both = (Value(here.writer.fresh(f"%{name}"), scalar) for name in ("lhs", "rhs", "both"))
    body = (Operation("stablehlo.and", (left, right), (both,)), Operation("stablehlo.return", (both,), ()))
    region = Region((Block((left, right), body),))
    start = here.constant(True, I1)
    properties = {"dimensions": integers([dimension])}
    return here.one("stablehlo.reduce", (truths, start), result, properties, regions=[region])


LOWERINGS: dict[str, Lowering] = {
    "stablehlo.power": _power,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.scatter": _scatter,
}
"""Lowerings by the name of the op."""
