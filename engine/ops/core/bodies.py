"""Bodies of reduce, scatter and similar ops: their types, and the bodies that one NumPy routine replaces.

A body over n inputs takes `(accumulator…, element…)`, n of each, and returns n values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from typing import Any

import numpy as np

from ...ir.attributes import EnumAttribute
from ...ir.element_types import ElementType, QuantizedType
from ...ir.module import Block, Operation, Region
from ...ir.types import TensorType
from .binding import bind
from .facets.findings import ExactInteger
from .field_plans import field_plans
from .kinds import TENSOR_OR_PER_TENSOR, holds
from .numeric import convert
from .op import Array, AskingOp, Constraint, Op, shapes_agree
from .quantization import dequantize, quantize
from .quiet import quiet
from .regions import region_type
from .registry import op_table
from .rules import format_list, is_promotable


class Combiner(StrEnum):
    """The operation of a recognised body on an accumulator and an element."""

    ADD = "stablehlo.add"
    MULTIPLY = "stablehlo.multiply"
    MAXIMUM = "stablehlo.maximum"
    MINIMUM = "stablehlo.minimum"
    AND = "stablehlo.and"
    OR = "stablehlo.or"
    XOR = "stablehlo.xor"
    REPLACE = "the element"
    """Returns the element: what scatter does to overwrite."""


UFUNCS: Mapping[Combiner, np.ufunc] = {
    Combiner.ADD: np.add,  # on booleans: or
    Combiner.MULTIPLY: np.multiply,  # on booleans: and
    Combiner.MAXIMUM: np.maximum,  # NaN wins
    Combiner.MINIMUM: np.minimum,
    Combiner.AND: np.bitwise_and,
    Combiner.OR: np.bitwise_or,
    Combiner.XOR: np.bitwise_xor,
}
"""The NumPy routine of each combiner except `REPLACE`; all are commutative."""
_OUTWEIGHING = frozenset((Combiner.ADD, Combiner.MAXIMUM, Combiner.MINIMUM))


def any_outweighs(found: Iterable[Combiner]) -> bool:
    """Whether any combiner can drop elements that are small beside others, as sums and maxima do."""
    return not _OUTWEIGHING.isdisjoint(found)


def with_element_types(stated: Sequence[TensorType], types: Sequence[ElementType]) -> tuple[TensorType, ...]:
    """Types of the stated shapes with the element types `types`, repeated as often as needed."""
    return tuple(found.with_element_type(to) for found, to in zip(stated, cycle(types), strict=False))


_SYMBOLS: Mapping[Combiner, str] = {
    Combiner.ADD: "+",
    Combiner.MULTIPLY: "*",
    Combiner.MAXIMUM: "max",
    Combiner.MINIMUM: "min",
    Combiner.AND: "&",
    Combiner.OR: "|",
    Combiner.XOR: "^",
    Combiner.REPLACE: "replaced by",
}


def body_symbol(body: Region) -> str:
    """The symbol of a body in a formula: `+`; `body` if it is not recognised."""
    known = combiners(body)
    return _SYMBOLS[known[0]] if known else "body"


def combiner_name(found: Sequence[Combiner] | None, result: int) -> str:
    """The name of the combiner of a result; empty if there is none."""
    return found[result] if found else ""


def body_constraints(
    label: str, name: str, body: Region, element_types: Sequence[ElementType]
) -> Iterator[Constraint]:
    """`body` is of type `(E0, …, En-1, E0, …, En-1) -> (E0, …, En-1)` where `element_types[i]` is promotable to Ei."""
    found = region_type(body)
    arguments, results = found.inputs, found.results
    count = len(element_types)
    sentence = f"{name} must take {2 * count} arguments, not {len(arguments)}"
    yield label, len(arguments) == 2 * count, sentence
    scalars = all(isinstance(found, TensorType) and found.rank == 0 for found in arguments)
    sentence = f"{name} must take tensors of rank 0, not {format_list(arguments)}"
    yield label, scalars, sentence
    accumulators, elements = arguments[:count], arguments[count:]
    sentence = (
        f"{name} must take the same types twice, not {format_list(accumulators)} and {format_list(elements)}"
    )
    yield label, accumulators == elements, sentence
    sentence = f"{name} must return {format_list(accumulators)}, not {format_list(results)}"
    yield label, results == accumulators, sentence
    for number, (source, target) in enumerate(zip(element_types, accumulated_types(body), strict=True)):
        sentence = f"{name}: input {number} has elements of {source}, which are not promotable to {target}"
        yield label, is_promotable(source, target), sentence


def reduced_constraints(
    inputs: Sequence[TensorType], init_values: Sequence[TensorType], counted: str, shaped: str
) -> Iterator[Constraint]:
    """The constraints that inputs have one shape and init values rank 0, under the op's labels."""
    counts = f"{len(inputs)} inputs and {len(init_values)} init_values"
    sentence = f"needs as many inputs as init_values, at least one, not {counts}"
    yield counted, 0 < len(inputs) == len(init_values), sentence
    for number, tensor in enumerate(inputs):
        yield holds("I1", f"input {number}", tensor, TENSOR_OR_PER_TENSOR)
    for number, tensor in enumerate(init_values):
        yield holds("I2", f"init value {number}", tensor, TENSOR_OR_PER_TENSOR)
        yield "I2", tensor.rank == 0, f"init value {number} must have rank 0, not {tensor.rank}"
    shapes = ", ".join(format_list(x.shape) for x in inputs)
    yield shaped, shapes_agree(*(x.shape for x in inputs)), f"inputs differ in shape: {shapes}"


def initial_constraints(label: str, init_values: Sequence[TensorType], body: Region) -> Iterator[Constraint]:
    """The constraint that the accumulators of a well-formed body can hold the init values."""
    for number, (initial, target) in enumerate(zip(init_values, accumulated_types(body), strict=True)):
        sentence = f"init value {number} holds {initial.element_type}, which is not promotable to {target}"
        yield label, is_promotable(initial.element_type, target), sentence


def initial_cautions(
    label: str, inputs: Sequence[TensorType], init_values: Sequence[TensorType]
) -> Iterator[Constraint]:
    """The cautions that an init value has its input's element type."""
    for number, (tensor, initial) in enumerate(zip(inputs, init_values, strict=True)):
        sentence = f"input {number} holds {tensor.element_type}, its init value {initial.element_type}"
        yield label, tensor.element_type == initial.element_type, sentence


def accumulated_types(body: Region) -> tuple[ElementType, ...]:
    """E0, …, En-1: the element types of the accumulators."""
    arguments = region_type(body).inputs
    halves = arguments[: len(arguments) // 2]
    return tuple(argument.element_type for argument in halves if isinstance(argument, TensorType))


def to_destination_type(value: Array, source: ElementType, target: ElementType) -> Array:
    """`to_destination_type` of the specification: `value` converted to `target`, unchanged if it has that type."""
    if source == target:
        return value
    if isinstance(target, QuantizedType):
        return quantize(dequantize(value, source), target)
    if isinstance(source, QuantizedType):
        return dequantize(value, source)
    return convert(value, source, target)


def to_destination_types(
    values: tuple[Array, ...], sources: Sequence[TensorType], targets: Sequence[ElementType]
) -> tuple[Array, ...]:
    """Values of the types `sources`, each converted to the element type of its number."""
    parts = zip(values, sources, targets, strict=True)
    return tuple(to_destination_type(value, source.element_type, to) for value, source, to in parts)


def operation_count(body: Region) -> int:
    """The number of operations in a run of the body, without its terminator; at least 1."""
    return max(1, sum(len(block.operations) - 1 for block in body.blocks))


def combiners(body: Region) -> tuple[Combiner, ...] | None:
    """The combiner of each accumulator, if it is one known operation on the accumulator and its element alone."""
    returned = _returned_operation(body)
    if returned is None or len(body.blocks) != 1 or len(body.block.arguments) != 2 * len(returned.operands):
        return None
    if len(body.block.operations) > len(returned.operands) + 1:
        return None
    found = [_combiner(body.block, number) for number in range(len(returned.operands))]
    known = tuple(combiner for combiner in found if combiner is not None)
    return known if len(known) == len(found) else None


def outer_combiners(body: Region) -> tuple[Combiner, ...] | None:
    """The last combiner of each accumulator, if the body reads it nowhere else: `ADD` for `a + x * x`."""
    returned = _returned_operation(body)
    if returned is None or len(body.blocks) != 1 or any(op.regions for op in body.block.operations):
        return None
    names = [argument.name for argument in body.block.arguments]
    count = len(returned.operands)
    if len(names) != 2 * count:
        return None
    makers = {value.name: op for op in body.block.operations for value in op.results}
    found = [makers.get(value.name) for value in returned.operands]
    last = [op for op in found if op is not None and op.name in set(UFUNCS)]
    if len(last) < count or len({id(op) for op in last}) < count:
        return None
    for name, op in zip(names, last, strict=False):
        if [value.name for value in op.operands].count(name) != 1:
            return None
    readers = [
        op for op in body.block.operations if any(value.name in names[:count] for value in op.operands)
    ]
    if len(readers) != count or not _feed_only(last, body.block):
        return None
    return tuple(Combiner(op.name) for op in last)


def _feed_only(last: Sequence[Operation], block: Block) -> bool:
    """Whether only the terminator reads the results of these operations."""
    made = {value.name for op in last for value in op.results}
    read = {value.name for op in block.operations[:-1] for value in op.operands}
    return made.isdisjoint(read)


def neutral_element(combiner: Combiner, element_type: ElementType) -> Array:
    """The scalar that a combiner leaves every other value unchanged with: -0 for the sum of floats."""
    dtype = element_type.dtype
    if combiner in (Combiner.MAXIMUM, Combiner.MINIMUM):
        return _extreme(element_type, least=combiner is Combiner.MAXIMUM)
    if combiner is Combiner.ADD and not element_type.is_integer and element_type.kind != "boolean":
        return np.asarray(complex(-0.0, -0.0) if element_type.is_complex else -0.0).astype(dtype)
    if combiner is Combiner.AND:
        return np.invert(np.zeros((), dtype)) if dtype.kind in "biu" else np.asarray(-1).astype(dtype)
    return np.asarray(1 if combiner is Combiner.MULTIPLY else 0).astype(dtype)


def _extreme(element_type: ElementType, *, least: bool) -> Array:
    if element_type.is_float:
        bound = -np.inf if least else np.inf
    elif element_type.kind == "boolean":
        bound = 0 if least else 1
    else:
        signed, bits = element_type.kind == "signed", element_type.bits - (element_type.kind == "signed")
        bound = (-(1 << bits) if signed else 0) if least else (1 << bits) - 1
    return np.asarray(bound).astype(element_type.dtype)


def _returned_operation(body: Region) -> Operation | None:
    return body.block.operations[-1] if body.blocks and body.block.operations else None


def _combiner(block: Block, number: int) -> Combiner | None:
    names = [argument.name for argument in block.arguments]
    accumulator, element = names[number], names[number + len(names) // 2]
    returned = block.operations[-1].operands[number].name
    if returned == element:
        return Combiner.REPLACE
    maker = next(
        (op for op in block.operations[:-1] if returned in (value.name for value in op.results)), None
    )
    if maker is None or maker.name not in tuple(Combiner) or len(maker.operands) != 2:
        return None
    # A name is `%x`, so an accumulator that is also the element cannot happen; x + x is not x + y.
    operands = {value.name for value in maker.operands}
    return Combiner(maker.name) if operands == {accumulator, element} else None


class Choice(StrEnum):
    """The body over values and indices that JAX writes for argmax and argmin; the lower index wins a tie."""

    GREATEST = "GT"
    LEAST = "LT"


def choice(body: Region) -> Choice | None:
    """The choice, if `body` keeps the greatest or least value with its index, NaN first, in JAX's spelling."""
    returned = _returned_operation(body)
    if returned is None or len(body.blocks) != 1 or len(body.block.operations) != len(_CHOICE) + 1:
        return None
    for found in Choice:
        if _shape_of(body.block) == _expected_choice(found):
            return found
    return None


Term = tuple[Any, ...]

_CHOICE: tuple[Term, ...] = (
    # Values 0 to 3 are the arguments: accumulated value and index, the element's value and index.
    ("stablehlo.compare", "?", 0, 2),
    ("stablehlo.compare", "NE", 0, 0),
    ("stablehlo.or", "", 4, 5),
    ("stablehlo.compare", "EQ", 0, 2),
    ("stablehlo.compare", "LT", 1, 3),
    ("stablehlo.and", "", 7, 8),
    ("stablehlo.or", "", 6, 9),
    ("stablehlo.select", "", 6, 0, 2),
    ("stablehlo.select", "", 10, 1, 3),
)


def _expected_choice(found: Choice) -> list[Term]:
    direction = [
        (name, found.value if attribute == "?" else attribute, *rest) for name, attribute, *rest in _CHOICE
    ]
    return [*direction, ("return", "", 11, 12)]


def _shape_of(block: Block) -> list[Term]:
    """The block's operations with values numbered in order, so that names do not matter."""
    numbers = {argument.name: number for number, argument in enumerate(block.arguments)}
    terms: list[Term] = []
    for operation in block.operations:
        name = "return" if operation is block.operations[-1] else operation.name
        direction = operation.attribute("comparison_direction")
        attribute = direction.value if isinstance(direction, EnumAttribute) else ""
        terms.append((name, attribute, *(numbers.get(value.name, -1) for value in operation.operands)))
        numbers |= {value.name: len(numbers) + k for k, value in enumerate(operation.results)}
    return terms


# Exact results of integers that a recognised body adds up or multiplies.


FoldExactly = Callable[[int, Combiner], Array]
"""Computes a result in f64, from its number and its combiner."""
_WORDS: Mapping[Combiner, str] = {Combiner.ADD: "a sum", Combiner.MULTIPLY: "a product"}


def may_fold_wrap(combiners: Sequence[Combiner] | None, types: Sequence[ElementType]) -> bool:
    """Whether any of the recognised bodies, of results of these types, makes integers that may be beyond their type."""
    return any(True for _ in _wrapping(combiners, types))


def exact_folds(
    combiners: Sequence[Combiner] | None, types: Sequence[ElementType], fold: FoldExactly, of_what: str
) -> Iterator[ExactInteger]:
    """The sums and products of integers; `of_what` names their terms, with `{}` for the number of the result."""
    for number, combiner in _wrapping(combiners, types):
        words = f"{_WORDS[combiner]} of {of_what.format(f'{{{number}}}')}"
        yield ExactInteger(number, fold(number, combiner), types[number], words)


def _wrapping(
    combiners: Sequence[Combiner] | None, types: Sequence[ElementType]
) -> Iterator[tuple[int, Combiner]]:
    for number, (combiner, element_type) in enumerate(zip(combiners or (), types, strict=False)):
        if combiner in _WORDS and element_type.is_integer:
            yield number, combiner


# Bodies evaluated outside a run, on whole arrays with one lane per element.
#
# Index maps recompute facts of a run (a permutation, the choices of windows) from the operands. A body without a NumPy
# routine is then evaluated op by op, if all of its ops work lane by lane.


@dataclass(frozen=True)
class LiftedBody:
    """The ops of a body with the names of their operands and results."""

    arguments: tuple[str, ...]
    ops: tuple[tuple[Op, tuple[str, ...], tuple[str, ...]], ...]
    returned: tuple[str, ...]

    def values(self, arguments: Sequence[Array]) -> tuple[Array, ...]:
        """The body's results for arrays of lanes of one shape."""
        known = dict(zip(self.arguments, arguments, strict=True))
        with quiet():
            for op, read, made in self.ops:
                found = op.evaluate(*(known[name] for name in read))
                results = found if isinstance(found, tuple) else (found,)
                known |= dict(zip(made, results, strict=True))
        shape = arguments[0].shape if arguments else ()
        return tuple(np.broadcast_to(known[name], shape) for name in self.returned)


def lifted_body(region: Region) -> LiftedBody | None:
    """The body, if each of its ops works lane by lane or reads nothing; otherwise `None`."""
    if len(region.blocks) != 1 or not region.block.operations:
        return None
    *operations, last = region.block.operations
    ops = []
    for operation in operations:
        kind = op_table().get(operation.name)
        if kind is None or operation.regions or issubclass(kind, AskingOp):
            return None
        op = bind(kind, operation)
        if not op.lanes.is_lane_by_lane(op) and _reads(op):
            return None
        read, made = (tuple(value.name for value in side) for side in (operation.operands, operation.results))
        ops.append((op, read, made))
    arguments = tuple(value.name for value in region.block.arguments)
    known = {*arguments, *(name for _, _, made in ops for name in made)}
    returned = tuple(value.name for value in last.operands)
    # A body may read values defined outside it, which are unknown here.
    if not known.issuperset({*returned, *(name for _, read, _ in ops for name in read)}):
        return None
    return LiftedBody(arguments, tuple(ops), returned)


def _reads(op: Op) -> bool:
    return any(plan.source in ("operand", "operands") for plan in field_plans(type(op)))
