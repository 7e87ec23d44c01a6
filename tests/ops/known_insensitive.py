"""Where the structure of an op keeps a result from changing although it reads an element, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from hloscope.engine.debugger.map_operands import map_operands
from hloscope.engine.indexing import Constant, RuntimeVariable
from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from .cases import Case
from .mapping import Key, Table
from .running import run

Mask = Table | np.bool_
"""Of a result and an operand, the pairs that need not change; or whether none, or any, has to."""
NOTHING, EVERYTHING = np.False_, np.True_
ENOUGH_BITS = 16
"""Floats of fewer bits are so few that rounding swallows most changes."""


def insensitive_pairs(case: Case, operands: Sequence[Array], results: Sequence[Array]) -> dict[Key, Mask]:
    """Pairs that need not change."""
    _, rule = KNOWN_INSENSITIVE.get(case.op.name, ("", no_pair))
    types = (*case.op.operand_types, *case.op.known_results)
    rounds = any(map(is_small_float, types))
    return {
        (r, o): EVERYTHING if rounds else rule(case, operands, o, r)
        for r in range(len(results))
        for o in range(len(operands))
    }


def is_small_float(found: Any) -> bool:
    """Whether elements are floats of few bits."""
    element_type = found.element_type if isinstance(found, TensorType) else None
    return isinstance(element_type, ElementType) and element_type.is_float and element_type.bits < ENOUGH_BITS


def no_pair(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Every pair must change."""
    return NOTHING


def starts(first: int) -> Callable[..., Mask]:
    """Starts, operand `first` and those behind it, of windows for which there is one place alone, or no element."""

    def rule(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
        if operand < first or 0 in (x.size for x in operands[1:first]):
            return np.bool_(operand >= first)
        places = {
            (start.operand, *_read_at(start)): start.interval.size
            for item in case.op.index_maps()
            for start in item.map.runtimes
        }
        whole = operands[operand].size
        moves = [places.get((operand, k), 0) > 1 or places.get((operand,), 0) > 1 for k in range(whole)]
        return np.broadcast_to(~np.array(moves, np.bool_), (case_size(case, result), whole))

    return rule


def _read_at(start: RuntimeVariable) -> tuple[int, ...]:
    """The element of a vector of starts; of a scalar there is but one."""
    return tuple(found.value for found in start.map.results if isinstance(found, Constant))


def case_size(case: Case, result: int) -> int:
    """How many elements a result has."""
    found = case.op.known_results[result]
    return found.element_count if isinstance(found, TensorType) else 0


def covered_starts(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of gather: components of index vectors for dimensions that slices cover, or that have size 1."""
    if operand != 1:
        return NOTHING
    twin: Any = case.op
    if hasattr(twin, "twin"):
        twin = twin.twin
    if hasattr(twin, "_gather"):
        twin = twin._gather
    n, indices = twin.dimension_numbers, operands[1]
    component = np.indices(indices.shape)[n.index_vector_dim] if n.index_vector_dim < indices.ndim else None
    moves = [twin.operand.sizes[d] > max(1, twin.slice_sizes[d]) for d in n.start_index_map]
    still = ~np.array(moves, np.bool_)
    found = np.full(indices.shape, all(still)) if component is None else still[component]
    return np.broadcast_to(np.asarray(found).reshape(1, -1), (case_size(case, result), indices.size))


def one_of_several_components(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of scatter: indices of vectors, all of whose others have to be within the input for one to matter."""
    op: Any = case.op
    if operand != len(op.inputs) or len(op.scatter_dimension_numbers.scatter_dims_to_operand_dims) < 2:
        return NOTHING
    return np.ones((case_size(case, result), operands[operand].size), np.bool_)


def settled_choices(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of select_and_scatter: elements alone in their windows; and where values overwrite, those that are chosen in a
    later window too, since it lies within the first.
    """
    if operand != 0:
        return NOTHING
    op: Any = case.op
    inside = _windows(op)
    chooses = inside & (inside.sum(axis=1) > 1)[:, np.newaxis]
    if len(op.scatter.block.operations) == 1:
        within = (inside[:, np.newaxis] <= inside).all(axis=2)
        later = np.tril(within, -1).T
        chooses &= ~(later.astype(np.int64) @ inside > 0)
    return np.asarray(~(chooses.T.astype(np.int64) @ inside > 0))


def _windows(op: Any) -> Table:
    """[windows, elements]: which elements of the operand are in which window of a select_and_scatter."""
    elements, windows = (
        np.indices(found.shape).reshape(found.rank, found.element_count) for found in (op.operand, op.source)
    )
    low = np.reshape(op.padding or np.zeros((op.operand.rank, 2), int), (-1, 2))[:, :1]
    strides, sizes = (
        np.reshape(found or np.ones(op.operand.rank, int), (-1, 1))
        for found in (op.window_strides, op.window_dimensions)
    )
    offsets = elements[:, np.newaxis, :] - (windows * strides - low)[:, :, np.newaxis]
    return np.asarray(((offsets >= 0) & (offsets < sizes[:, np.newaxis])).all(axis=0))


def by_one(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """The remainder by 1 is always 0."""
    return np.abs(operands[1]).reshape(-1, 1) == 1 if operand == 0 else NOTHING


def on_padding(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of whole numbers, elements of a kernel where all that they are multiplied with is padding, which is 0."""
    lhs, rhs = operands
    if operand == 0 or lhs.dtype.kind not in "iub":
        return NOTHING
    reached = np.empty((case_size(case, result), rhs.size), np.bool_)
    for place in range(rhs.size):
        kernel = np.zeros_like(rhs)
        kernel.reshape(-1)[place] = 1
        reached[:, place] = run(case.op, np.ones_like(lhs), kernel)[0].reshape(-1) != 0
    return ~reached


def without_spread(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """One element alone has no variance: without epsilon it is divided by 0."""
    op: Any = case.op
    return np.bool_(op.epsilon == 0 and operands[0].size == operands[1].size)


def no_bits(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """A counter that does not move has no carry."""
    return np.bool_(case_size(case, 1) == 0)


def of_empty_sums(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of an einsum: what is multiplied with a sum over no elements, which is 0."""
    return np.bool_(0 in (x.size for x in operands))


def of_nothing(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Sums over no elements."""
    return np.bool_(prod(operands[0].shape) == 0)


def indefinite(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Another element of a matrix that is not positive definite seldom makes it so."""
    found = np.asarray(map_operands(case.op, operands)[1]).reshape(-1)
    batch = np.repeat(np.arange(found.size), operands[0].size // max(1, found.size))
    return np.asarray(found[batch] != 0)[np.newaxis, :] if found.size else NOTHING


def exact_conversion(case: Case, operands: Sequence[Array], operand: int, result: int) -> Mask:
    """Of stochastic_convert: random bits, where the result's type holds all numbers of the operand's."""
    source, target = case.op.operand_types[0], case.op.known_results[0]
    assert isinstance(source, TensorType)
    assert isinstance(target, TensorType)
    wider = target.element_type.bits >= source.element_type.bits
    return np.bool_(operand == 1 and (wider or target.element_type.is_integer))


KNOWN_INSENSITIVE: dict[str, tuple[str, Callable[..., Mask]]] = {
    "stablehlo.dynamic_slice": ("a window that fits in one place only stays there", starts(1)),
    "hlo.dynamic_slice_by_vector": ("a window that fits in one place only stays there", starts(1)),
    "stablehlo.dynamic_update_slice": ("a window that fits in one place only stays there", starts(2)),
    "hlo.dynamic_update_slice_by_vector": ("a window that fits in one place only stays there", starts(2)),
    "stablehlo.gather": ("a window that fits in one place only stays there", covered_starts),
    "stablehlo.dynamic_gather": ("a window that fits in one place only stays there", covered_starts),
    "stablehlo.torch_index_select": ("there may be one place only", covered_starts),
    "stablehlo.scatter": (
        "chance seldom finds vectors of indices that matter by one component",
        one_of_several_components,
    ),
    "stablehlo.select_and_scatter": (
        "a window may have one element, which is chosen whatever it is; what is overwritten does not show",
        settled_choices,
    ),
    "arith.remsi": ("the remainder by 1 is always 0", by_one),
    "stablehlo.convolution": ("padding is 0, and so are products with it", on_padding),
    "stablehlo.batch_norm_training": ("a single element without epsilon gives NaN", without_spread),
    "stablehlo.rng_bit_generator": ("a counter that does not move has no carry", no_bits),
    "stablehlo.einsum": ("a sum over no elements is 0, and so are products with it", of_empty_sums),
    "stablehlo.batch_norm_grad": ("sums over no elements are 0", of_nothing),
    "stablehlo.cholesky": ("of a matrix that has no factor one element alone is seldom to blame", indefinite),
    "hlo.stochastic_convert": (
        "where nothing is rounded, or to a whole number, bits do not matter",
        exact_conversion,
    ),
}
"""By op, why and which pairs of it."""
