"""stablehlo.dynamic_reduce_window, which JAX exports for windows over sizes known only in a run."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.types import FunctionType, TensorType
from ..checking import first_broken_constraint
from ..core.op import Array, Ask, Callee, CallFunction, RunRegion
from ..reductions.reduce_window import ReduceWindow
from .call import Call
from .target import Answer, Target, need
from .target_maps import no_dimensions, shared_maps

_ATTRIBUTES = ("window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding")


def _count(call: Call) -> int:
    """The number of tensors to reduce; as many initial values follow, then the attributes."""
    return max(0, len(call.inputs) - len(_ATTRIBUTES)) // 2


def _callees(call: Call) -> tuple[Callee, ...]:
    count = _count(call)
    initial = call.inputs[count : 2 * count]
    return tuple(
        Callee(name, FunctionType((*initial, *initial), initial)) for name in call.called_computations
    )


def static_windows(call: Call, operands: tuple[Array, ...]) -> ReduceWindow:
    """reduce_window with the attributes in the operands."""
    count = _count(call)
    complete = count and len(operands) == 2 * count + len(_ATTRIBUTES) and len(call.bodies) == 1
    need(
        bool(complete),
        f"@{call.call_target_name} takes inputs, as many initial values, {', '.join(_ATTRIBUTES)}, and one computation",
    )
    tensors = [found for found in call.inputs if isinstance(found, TensorType)]
    need(len(tensors) == len(operands), f"@{call.call_target_name} takes tensors only")
    shaped = [found.with_shape(value.shape) for found, value in zip(tensors, operands, strict=True)]
    *lists, padding = operands[2 * count :]
    need(
        all(x.ndim == 1 for x in lists) and padding.ndim == 2,
        "windows are described by vectors, padding by rows",
    )
    dimensions, strides, base_dilations, window_dilations = _numbers(lists)
    op = ReduceWindow(
        tuple(shaped[:count]),
        tuple(shaped[count : 2 * count]),
        call.bodies[0],
        dimensions,
        strides,
        base_dilations,
        window_dilations,
        tuple((int(low), int(high)) for low, high in padding.tolist()),
    )
    if broken := first_broken_constraint(op):
        raise RunError(f"as reduce_window: {broken[1]}", label=broken[0] or None)
    return op


def _numbers(lists: Sequence[Array]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, array.tolist())) for array in lists)


def _run(call: Call, operands: tuple[Array, ...]) -> Answer:
    op = static_windows(call, operands)
    return _ask_function(call, op, op.begin(operands[: 2 * len(op.inputs)]))


def _resume(call: Call, state: Any, answer: tuple[Array, ...]) -> Answer:
    op, inner = state
    return _ask_function(call, op, op.resume(inner, answer))


def _ask_function(call: Call, op: ReduceWindow, found: Answer) -> Answer:
    """The request to run the body, as a call of the custom call's function."""
    if not isinstance(found, Ask):
        return found
    request = found.request
    assert isinstance(request, RunRegion)
    (name,) = call.called_computations
    return Ask((op, found.state), CallFunction(name, request.arguments, request.iteration, request.lanes))


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Maps from each element to all: any element may be in any window because operands determine the windows."""
    count = _count(call)
    for result in range(len(call.parts)):
        for operand in range(len(call.inputs)):
            yield from shared_maps(call, inverse, operand, result, no_dimensions, enclosing=operand < count)


TARGETS: dict[str, Target] = {
    "stablehlo.dynamic_reduce_window": Target(
        _run, maps=_maps, resume=_resume, callees=_callees, static=static_windows
    ),
}
