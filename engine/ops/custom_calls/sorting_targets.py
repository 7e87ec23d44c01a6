"""Sorting: the k greatest or least elements, and CUB's radix sort.

Where k is an operand, behind the others, the targets are stablehlo.dynamic_top_k and stablehlo.dynamic_approx_top_k.
ApproxTopK is exact here. PartialReduce is how a TPU computes it: the best of each of as many bins as its result has
elements. The TPU chooses which elements share a bin; here the best of all are returned, as if each had its own bin.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...indexing import UNDEFINED, IndexMap, OperandMap, shared_dimensions_map
from ...ir.element_types import I1, of_dtype
from ...ir.types import FunctionType, TensorType, Type
from ..core.op import Array, Ask, Callee, CallFunction
from ..sorting.sort_keys import order_key, take_along, total_order_column
from .call import Call
from .configuration import FLAG, Configuration, Setting
from .target import Answer, Target, batch_maps, need, with_workspace
from .target_maps import lines, shared_maps

DYNAMIC = "stablehlo.dynamic_approx_top_k"
PARTIAL = "PartialReduce"


def order_of(values: Array, axis: int, largest: bool) -> Array:
    """Indices along `axis` in descending (or ascending) order; the lower index comes first among equals.

    Floats are in total order: NaN is greater than infinity (less with its sign set), and 0 greater than -0.
    """
    key = order_key(values)
    return np.argsort(np.invert(key) if largest else key, axis=axis, kind="stable")


def _top_k(call: Call, operands: tuple[Array, ...]) -> Answer:
    (values,) = operands
    need(values.dtype.kind != "c", f"@{call.call_target_name} takes real numbers, not {values.dtype}")
    k, largest = call.setting("k"), call.setting("largest")
    if k is None:
        k = _size(call.parts[0] if call.parts else None, values.ndim - 1)
    size = values.shape[-1]
    need(isinstance(k, int) and 0 <= k <= size, f"k must be from 0 to {size}, the last size, not {k}")
    order = order_of(values, -1, largest is not False)[..., :k]
    return np.take_along_axis(values, order, -1), order.astype(np.int32)


def _size(found: Type | None, dimension: int) -> int | None:
    inside = isinstance(found, TensorType) and 0 <= dimension < found.rank
    return found.shape[dimension] if isinstance(found, TensorType) and inside else None


def _dynamic_top_k(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The `k` greatest elements along the last dimension; `k` is operand 1."""
    values, count = operands
    need(count.ndim == 0 and count.dtype.kind in "iu", "k must be an integer of rank 0")
    k, size = int(count), values.shape[-1]
    need(0 <= k <= size, f"k must be from 0 to {size}, the last size, not {k}")
    order = order_of(values, -1, largest=True)[..., :k]
    return np.take_along_axis(values, order, -1), order.astype(np.int32)


@dataclass(frozen=True)
class Probe:
    """The state of a request to the comparator: whether it compares (1, 0), and the operands."""

    greater: bool
    operands: tuple[Array, ...]


def _approximate(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The request to the comparator. Operands are tensors, then an initial value for each."""
    name, half = call.call_target_name, _half(call)
    fits = half > 0 and len(operands) == 2 * half + _has_count_operand(call)
    need(
        fits,
        f"@{name} takes as many initial values as tensors{', and k' if _has_count_operand(call) else ''}",
    )
    need(operands[0].dtype.kind != "c", f"@{name} takes real numbers, not {operands[0].dtype}")
    dimension, rank = _dimension(call), operands[0].ndim
    need(0 <= dimension < rank, f"reduction_dim {dimension} is outside rank {rank}")
    shapes = [list(tensor.shape) for tensor in operands[:half]]
    need(shapes.count(shapes[0]) == half, f"@{name} takes tensors of one shape, not {shapes}")
    need(bool(call.called_computations), f"@{name} needs a comparator in called_computations")
    return _ask(call, Probe(True, operands))


def _has_count_operand(call: Call) -> bool:
    """Whether the number of elements is an operand."""
    return call.call_target_name == DYNAMIC


def _half(call: Call) -> int:
    """The number of tensors."""
    return (len(call.inputs) - _has_count_operand(call)) // 2


def _ask(call: Call, probe: Probe) -> Ask:
    half = len(probe.operands) // 2
    arguments = [np.zeros((2,), value.dtype) for value in probe.operands[:half]]
    arguments[0][0 if probe.greater else 1] = 1
    pairs = tuple(np.asarray(argument[k]) for argument in arguments for k in (0, 1))
    return Ask(probe, CallFunction(call.called_computations[0], pairs))


def _order(call: Call, state: Any, answer: tuple[Array, ...]) -> Answer:
    """The results, after the comparator put 1 before 0 or 0 before 1; other elements keep total order."""
    assert isinstance(state, Probe)
    if not answer[0] and state.greater:
        return _ask(call, Probe(False, state.operands))
    need(bool(answer[0]), f"@{call.called_computations[0]} puts neither 1 before 0 nor 0 before 1")
    tensors, dimension = state.operands[: _half(call)], _dimension(call)
    k = _count(call, state.operands)
    k = k if k is not None else _size(call.parts[0] if call.parts else None, dimension)
    size = tensors[0].shape[dimension]
    need(isinstance(k, int) and 0 <= k <= size, f"top_k must be from 0 to {size}, not {k}")
    order = order_of(tensors[0], dimension, state.greater)
    kept = np.take(order, range(int(k or 0)), dimension)
    return tuple(np.take_along_axis(tensor, kept, dimension) for tensor in tensors)


def _count(call: Call, operands: tuple[Array, ...]) -> Setting:
    """The number of elements to return, if the call states it."""
    if call.call_target_name == PARTIAL or call.setting("aggregate_to_topk") is False:
        return None
    if not _has_count_operand(call):
        return call.setting("top_k")
    count = operands[-1]
    need(count.ndim == 0 and count.dtype.kind in "iu", "k must be an integer of rank 0")
    return int(count)


def _dimension(call: Call) -> int:
    found = call.setting("reduction_dim")
    return int(found) if isinstance(found, int) else -1


def _comparator(call: Call) -> tuple[Callee, ...]:
    tensors = call.inputs[: _half(call)]
    scalars = tuple(
        TensorType((), t.element_type) for t in tensors if isinstance(t, TensorType) for _ in (0, 1)
    )
    wanted = FunctionType(scalars, (TensorType((), I1),))
    return tuple(Callee(name, wanted) for name in call.called_computations[:1])


def _along_dimension(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Each element of the result depends on its whole line; initial values are never read."""
    dimension, half = _dimension(call), _half(call)
    for number, operand in enumerate(call.inputs[:half]):
        for result, found in enumerate(call.parts):
            if number in (0, result) and isinstance(operand, TensorType) and isinstance(found, TensorType):
                yield OperandMap(number, _line_map(found, operand, dimension, inverse), result)


def _line_map(source: TensorType, target: TensorType, dimension: int, inverse: bool) -> IndexMap:
    """The map along lines; undefined for types that do not fit, which stop a run."""
    if not (source.is_static and target.is_static and source.rank == target.rank):
        return UNDEFINED
    shared = {k: k for k in range(source.rank) if k != dimension}
    return shared_dimensions_map(source.sizes, target.sizes, shared, inverse=inverse)


_APPROXIMATE = Target(_approximate, maps=_along_dimension, resume=_order, callees=_comparator, orders=True)


@dataclass(frozen=True)
class RadixSortConfiguration(Configuration):
    """XLA's settings of a radix sort."""

    descending: bool = field(default=False, metadata=FLAG)


def _radix_sort(call: Call, operands: tuple[Array, ...]) -> Answer:
    """A stable sort. -0 equals 0; NaN follows infinity, or precedes -infinity if its sign is set."""
    name, count = call.call_target_name, len(operands)
    need(count in (1, 2), f"@{name} takes keys and perhaps values, not {count} operands")
    keys = operands[0]
    need(keys.ndim >= 1, f"@{name} sorts tensors of rank 1 or more")
    need(all(x.shape == keys.shape for x in operands), f"@{name}: keys and values have different shapes")
    element_type = of_dtype(keys.dtype)
    is_real = element_type is not None and not element_type.is_complex
    need(is_real, f"@{name} takes real keys, not {keys.dtype}")
    assert element_type
    descending = call.configuration(RadixSortConfiguration).descending
    is_float = element_type.is_float
    column = total_order_column(keys, element_type, zeros_equal=is_float, nan=None, descending=descending)
    places = np.argsort(column, axis=-1, kind="stable")
    return with_workspace(call, [take_along(x, places, keys.ndim - 1) for x in operands])


def _sort_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The position of a key depends on all keys of its line; a value may come from any position of its line."""
    for result in range(min(len(call.inputs), len(call.parts))):
        yield from shared_maps(call, inverse, 0, result, lines)
        if result:
            yield from shared_maps(call, inverse, result, result, lines, enclosing=True)


TARGETS: dict[str, Target] = {
    "__cub$DeviceRadixSort": Target(_radix_sort, maps=_sort_maps),
    "stablehlo.dynamic_top_k": Target(_dynamic_top_k, (1, 0), batch_maps(1, 0)),
    **dict.fromkeys(("TopK", "mhlo.topk", "__gpu$TopK"), Target(_top_k, (1,), batch_maps(1), orders=True)),
    **dict.fromkeys(("ApproxTopK", DYNAMIC, PARTIAL), _APPROXIMATE),
}
