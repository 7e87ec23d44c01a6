"""Runs single ops without text or interpreter: bodies are built here, and a small driver answers what ops ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hloscope.engine.ir.attributes import Attribute, EnumAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.module import Block, Operation, Region, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.binding import bind
from hloscope.engine.ops.core.exchanges import (
    Arrays,
    Arrived,
    Await,
    ExecuteCollective,
    GridPosition,
    PeerValues,
    Where,
)
from hloscope.engine.ops.core.op import Array, Ask, AskingOp, Op, Request, RunRegion
from hloscope.engine.ops.core.process_groups import ALONE, ProcessId

HERE = GridPosition(ProcessId(0, 0), ALONE)
"""Where the only process of a run is."""
_STARTED: list[tuple[Array, Arrays]] = []
"""Placeholders, and the outputs that they stand for."""


def tensor(shape: Sequence[int | None], element_type: str | ElementType = "f32") -> TensorType:
    """`tensor((2, 3), "f32")`."""
    known = ELEMENT_TYPES[element_type] if isinstance(element_type, str) else element_type
    return TensorType(tuple(shape), known)


def type_of(array: Array, element_type: str | None = None) -> TensorType:
    """The tensor type of an array; its element type is taken from the dtype unless given."""
    names = {found.dtype: name for name, found in ELEMENT_TYPES.items() if name not in ("tf32", "index")}
    return tensor(array.shape, element_type or names[array.dtype])


class BodyBuilder:
    """Writes a block: `x = b.op("stablehlo.add", a, c)`."""

    def __init__(self, *arguments: ElementType) -> None:
        self.arguments = [Value(f"%arg{k}", TensorType((), found)) for k, found in enumerate(arguments)]
        self.operations: list[Operation] = []

    def op(self, name: str, *operands: Value, to: str | None = None, **properties: Attribute) -> Value:
        """One operation; its result has the type of its last operand, or elements of `to`."""
        found = TensorType((), ELEMENT_TYPES[to]) if to else operands[-1].type
        result = Value(f"%{len(self.operations)}", found)
        self.operations.append(Operation(name, operands, (result,), properties))
        return result

    def compare(self, direction: str, left: Value, right: Value) -> Value:
        """`stablehlo.compare`."""
        attribute = EnumAttribute("stablehlo", "comparison_direction", direction)
        return self.op("stablehlo.compare", left, right, to="i1", comparison_direction=attribute)

    def returning(self, *values: Value) -> Region:
        """The region that ends in `stablehlo.return`."""
        last = Operation("stablehlo.return", values, ())
        return Region((Block(tuple(self.arguments), (*self.operations, last)),))


def body_of(name: str, *element_types: str, swapped: bool = False) -> Region:
    """A body that does one op on each accumulator and its element."""
    types = [ELEMENT_TYPES[found] for found in element_types]
    build = BodyBuilder(*types, *types)
    pairs = zip(build.arguments[: len(types)], build.arguments[len(types) :], strict=True)
    return build.returning(*[build.op(name, *((b, a) if swapped else (a, b))) for a, b in pairs])


def second_of(*element_types: str) -> Region:
    """The body that overwrites: it returns its elements."""
    types = [ELEMENT_TYPES[found] for found in element_types]
    build = BodyBuilder(*types, *types)
    return build.returning(*build.arguments[len(types) :])


def doubled_sum(element_type: str = "i64") -> Region:
    """`a + a + b`: not associative, and not recognised."""
    found = ELEMENT_TYPES[element_type]
    build = BodyBuilder(found, found)
    a, b = build.arguments
    return build.returning(build.op("stablehlo.add", build.op("stablehlo.add", a, a), b))


def disguised(name: str, *element_types: str) -> Region:
    """`body_of` in more operations than are recognised: it runs lifted."""
    types = [ELEMENT_TYPES[found] for found in element_types]
    build = BodyBuilder(*types, *types)
    pairs = zip(build.arguments[: len(types)], build.arguments[len(types) :], strict=True)
    found = [build.op(name, a, b) for a, b in pairs]
    return build.returning(*[build.op("stablehlo.maximum", x, x) for x in found])


def argument_of_extreme(
    direction: str, element_type: str, index_type: str = "i32", disguise: bool = False
) -> Region:
    """The body that JAX writes for argmax (`GT`) and argmin (`LT`)."""
    value, index = ELEMENT_TYPES[element_type], ELEMENT_TYPES[index_type]
    build = BodyBuilder(value, index, value, index)
    a, i, b, j = build.arguments
    beyond = build.compare(direction, a, b)
    first = build.op("stablehlo.or", beyond, build.compare("NE", a, a))
    equal, lower = build.compare("EQ", a, b), build.compare("LT", i, j)
    if disguise:
        lower = build.op("stablehlo.and", lower, lower)
    either = build.op("stablehlo.or", first, build.op("stablehlo.and", equal, lower))
    return build.returning(
        build.op("stablehlo.select", first, a, b), build.op("stablehlo.select", either, i, j)
    )


def run(op: Op, *operands: Any) -> tuple[Array, ...]:
    """The op's results in a run of one process.

    Operands are read-only, as in a run, and regions are run lifted by the ops' own rules.
    """
    arrays = tuple(frozen(np.asarray(operand)) for operand in operands)
    with np.errstate(all="ignore"):  # as the interpreter does
        return _run(op, arrays)


def _run(op: Op, arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    if not isinstance(op, AskingOp):
        found = op.evaluate(*arrays)
        return found if isinstance(found, tuple) else (found,)
    step = op.begin(arrays)
    while isinstance(step, Ask):
        step = op.resume(step.state, _answer(op, step.request))
    return step


def _answer(op: Op, request: Request) -> Any:
    if isinstance(request, Where):
        return HERE
    if isinstance(request, Await):
        outputs = (outputs for array, outputs in _STARTED if array is request.placeholder)
        return Arrived(next(outputs, None))
    if isinstance(request, ExecuteCollective):
        return _met(op, request)
    assert isinstance(request, RunRegion)
    return region_answer(op, request)


def _met(op: Op, request: ExecuteCollective) -> PeerValues | Arrays | None:
    assert isinstance(op, CollectiveOp)
    peers = op.peers(HERE)
    if peers is None:
        return None
    assert peers.awaited == (HERE.process,)
    peer_values = PeerValues((request.values,), 0)
    if not request.placeholders:
        return peer_values
    outputs = op.outputs(peer_values)
    _STARTED.extend((array, outputs) for array in request.placeholders)
    return ()


def region_answer(op: Op, request: RunRegion) -> Arrays:
    """What a region of the op gives."""
    regions = [value for value in vars(op).values() if isinstance(value, Region)]
    return lifted(regions[request.region], request)


def lifted(region: Region, request: RunRegion) -> tuple[Array, ...]:
    """The block's results for whole arrays of lanes, or for one set of arguments."""
    assert request.lanes is None or all(argument.shape == request.lanes for argument in request.arguments)
    names = (argument.name for argument in region.block.arguments)
    values = dict(zip(names, request.arguments, strict=True))
    for operation in region.block.operations[:-1]:
        op = bind(op_table()[operation.name], operation)
        (result,) = run(op, *(values[value.name] for value in operation.operands))
        values[operation.results[0].name] = result
    return tuple(values[value.name] for value in region.block.operations[-1].operands)


def asks(op: AskingOp, *operands: Any) -> list[RunRegion]:
    """What the op asks for on its way to the results."""
    found: list[RunRegion] = []
    step = op.begin(tuple(map(np.asarray, operands)))
    while isinstance(step, Ask):
        assert isinstance(step.request, RunRegion)
        found.append(step.request)
        step = op.resume(step.state, region_answer(op, step.request))
    return found


def broken(op: Op, *results: TensorType) -> str | None:
    """The label of the first constraint that does not hold; with `results`, also against what is inferred."""
    found = first_broken_constraint(op, results or None)
    return found and found[0]


def frozen(array: Array) -> Array:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


Cases = Mapping[str, Callable[[], tuple[Op, tuple[Array, ...]]]]
