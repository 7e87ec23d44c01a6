"""Calls with operands that state the shapes of results, as in exports with unknown sizes.

`indices_of_shape_operands` names an operand for each result. The target does not receive these operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...indexing import OperandMap
from ...ir.types import TensorType, TupleType, Type
from ...limits import DEFAULT_LIMITS
from ..core.dynamic_op import sizes_fit
from ..core.op import Array, Ask, Callee, Op
from .call import Call
from .target import Answer, Target, need
from .target_maps import no_dimensions, own_maps, shared_maps

_INDICES = "indices_of_shape_operands"


def with_shape_operands(target: Target) -> Target:
    """`target` for a call with shape operands: it runs on the other operands."""

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        inner = _settle(call, operands)
        target.check_operands(inner)
        return _ask_of_call(inner, target.run(inner, tuple(operands[number] for number in _others(call))))

    def resume(call: Call, state: Any, answer: tuple[Array, ...]) -> Answer:
        inner, own = state
        return _ask_of_call(inner, target.resume(inner, own, answer))

    def callees(call: Call) -> tuple[Callee, ...]:
        return target.callees(_inner(call))

    def twin(call: Call) -> Op | None:
        return target.twin(_inner(call))

    settled = replace(target, run=run, resume=resume, callees=callees, twin=twin)
    return replace(settled, least_ranks=None, maps=_maps, others=None)


def _others(call: Call) -> list[int]:
    """The numbers of the operands that the target receives."""
    return [number for number in range(len(call.inputs)) if number not in call.shape_operands]


def _inner(call: Call) -> Call:
    """The call without its shape operands."""
    inputs = tuple(call.inputs[number] for number in _others(call))
    attributes = {name: call.attributes[name] for name in call.attributes if name != _INDICES}
    return replace(call, inputs=inputs, attributes=attributes)


def _settle(call: Call, operands: tuple[Array, ...]) -> Call:
    """The call without its shape operands, with their sizes in its results; `RunError` for impossible sizes."""
    indices, count = call.shape_operands, len(call.parts)
    fits = len(indices) == count and all(0 <= index < len(operands) for index in indices)
    sentence = (
        f"indices_of_shape_operands must name an operand for each of {count} results, not {list(indices)}"
    )
    need(fits, f"@{call.call_target_name}: {sentence}")
    types = tuple(_with_sizes(call, number, operands[index]) for number, index in enumerate(indices))
    is_one_tuple = len(call.results) == 1 and isinstance(call.results[0], TupleType)
    return replace(_inner(call), results=(TupleType(types),) if is_one_tuple else types)


def _with_sizes(call: Call, result: int, shape: Array) -> Type:
    name, stated = f"@{call.call_target_name}", call.parts[result]
    is_shape = shape.ndim == 1 and shape.dtype.kind in "iu" and isinstance(stated, TensorType)
    need(is_shape, f"{name}: what states the shape of result {result} must be a list of integers")
    assert isinstance(stated, TensorType)
    sizes = tuple(map(int, shape.tolist()))
    for _, holds, sentence in sizes_fit("", f"the sizes of result {result}", sizes, stated):
        need(holds, f"{name}: {sentence}")
    sized = stated.with_shape(sizes)
    possible = sized.byte_count <= DEFAULT_LIMITS.max_tensor_bytes
    need(possible, f"{name}: result {result} would be {sized}, larger than max_tensor_bytes allows")
    return sized


def _ask_of_call(inner: Call, found: Answer) -> Answer:
    """The target's request, with the inner call as state; or its results, after a check of their types."""
    return Ask((inner, found.state), found.request) if isinstance(found, Ask) else inner.check_results(found)


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The target's own maps; each element of a result also depends on all sizes stated for the result."""
    places = dict(enumerate(_others(call)))
    for found in own_maps(_inner(call), inverse):
        yield replace(found, operand=places[found.operand], map=found.map.with_operands(places))
    for result, number in enumerate(call.shape_operands):
        yield from shared_maps(call, inverse, number, result, no_dimensions)
