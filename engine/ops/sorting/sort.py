"""sort: slices along one dimension, in the order of a comparator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...indexing import IndexMap, OperandMap, line_map, permutation_map
from ...indexing.evaluation.array_values import Int64Array
from ...ir.element_types import I1, ElementType
from ...ir.module import Region
from ...ir.types import FunctionType, TensorType, Type
from ..control_flow.control_flow import region_is
from ..core.bodies import LiftedBody, lifted_body, operation_count
from ..core.body_reads import arguments_read
from ..core.facets import (
    Decision,
    Explanation,
    HloSpelling,
    Rounding,
    RuntimeVariables,
    Section,
    Tracing,
    Traits,
    numbered,
)
from ..core.facets.findings import Findings
from ..core.facets.rounding import full_error
from ..core.fold_bounds import order_bounds
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds, kind_of
from ..core.numeric import total_order_key, widen
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, RunRegion, merged_shape, shapes_agree
from ..core.ranks import Shape
from ..core.rounding import NO_ERROR, UNKNOWN, Errors, is_exact
from ..core.rules import format_list
from .comparators import Order, order_of
from .merges import Merge, merge, order_by_keys, question_count
from .sort_keys import Part, has_order, places_along, sorted_places, take_along, total_order_column

Arrays = tuple[Array, ...]


class SortRounding(Rounding["Sort"]):
    def error_bound(self, op: Sort, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """Errors of the row for elements of the first key; for others infinite at a tie of the first key."""
        if is_exact(errors):
            return (NO_ERROR,) * len(results)
        if op._order is None or op._order.keys[0][0].rounded or operands[0].size == 0:
            return (UNKNOWN,) * len(results)
        places = op.runtime_variables.map_operands(op, operands)[len(operands)]
        moved = [
            take_along(np.array(full_error(value, error)), places, op._axis)
            for value, error in zip(operands, errors, strict=True)
        ]
        if is_exact(tuple(errors[number] for number in op._order.inputs)):
            return tuple(moved)
        first, _ = op._order.keys[0]
        whole = first.part is Part.WHOLE
        key = results[first.input]
        if not whole:
            key, _ = first.part.of(key, op.inputs[first.input].element_type)
        worst, mixed = order_bounds(key, moved[first.input], op._axis)
        return tuple(
            worst if whole and number == first.input else error + mixed for number, error in enumerate(moved)
        )


class SortTracing(Tracing["Sort"]):
    def chooses(self, op: Sort, region: int) -> bool:
        return True

    def answer_decision(self, op: Sort, iteration: int, elements: Int64Array, lanes: Shape) -> Decision:
        """The comparator's answer about an element may move all elements of its line."""
        shape = op.inputs[0].sizes
        line = line_map(shape, op._axis)
        return Decision(shape, elements, (line,), (line,))


class SortRuntimeVariables(RuntimeVariables["Sort"]):
    def map_operands(self, op: Sort, operands: Arrays) -> Arrays:
        """The operands, the positions along the dimension that elements come from, and those that they go to."""
        if not op._is_known:
            return operands
        shape = operands[0].shape
        if operands[0].size == 0 or shape[op._axis] == 1:
            return (*operands, *[np.zeros(shape, np.int64)] * 2)
        sources = op._places(op._order, operands) if op._order else op._merged_places(operands)
        targets = np.empty(shape, np.int64)
        here = np.broadcast_to(places_along(shape, op._axis), shape)
        np.put_along_axis(targets, np.asarray(sources, np.int64), here, axis=op._axis)
        return (*operands, sources, targets)


class SortFindings(Findings["Sort"]):
    def orders(self, op: Sort) -> bool:
        return True


@dataclass(frozen=True)
class Sort(AskingOp):
    """Sorts `inputs` together along `dimension`; `comparator` says whether one element comes before another.

    It takes the left and the right element of the first input, then of the second, and so on. A negative
    `dimension` counts from the last. The result is that of a stable merge sort, which moves an element forward
    past those that it comes before, whether or not `is_stable` asks for it: equal elements keep their order; a
    comparator that calls equal elements less (LE, GE) turns their order around.

    Comparators that go by keys (LT, GT, LE or GE of one input, total order or not, those that JAX writes for
    floats, complex numbers and several keys) are done by NumPy. Any other is run, on many pairs at once, once for
    each step of a merge by binary search. Where a comparator is no order, as LT among NaN is none, the result is
    some permutation, always the same one; XLA's differs. Specification: sort.
    """

    findings = SortFindings(moves_elements=True)
    tracing = SortTracing(only_chooses=True)
    name = "stablehlo.sort"
    traits = Traits(computes_alone=True)
    rounding = SortRounding()
    explanation = Explanation(is_chosen=True)
    runtime_variables = SortRuntimeVariables(names=("where each comes from", "where each goes to"))
    hlo = HloSpelling(
        "sort",
        "Sort",
        note="Of several operands the results are one tuple. `is_stable` is false unless it is given.",
        packs_results=True,
    )
    section = Section(
        input_labels=numbered("inputs dimension is_stable comparator"),
        result_labels={"element_type": "C2", "shape": "C3"},
    )

    inputs: tuple[TensorType, ...]
    comparator: Region
    dimension: int = -1
    is_stable: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield "C1", len(self.inputs) > 0, "needs at least one input"
        for number, tensor in enumerate(self.inputs):
            yield holds("I1", f"input {number}", tensor, TENSOR_OR_PER_TENSOR)
        shapes = ", ".join(format_list(x.shape) for x in self.inputs)
        yield "C3", shapes_agree(*(x.shape for x in self.inputs)), f"inputs differ in shape: {shapes}"
        rank = self.inputs[0].rank
        sentence = f"dimension {self.dimension} is outside [-{rank}, {rank})"
        yield "C4", -rank <= self.dimension < rank, sentence
        scalars = tuple(x.with_shape(()) for x in self.inputs for _ in range(2))
        yield region_is("C5", "comparator", self.comparator, FunctionType(scalars, (TensorType((), I1),)))

    def infer(self) -> tuple[TensorType, ...]:
        shape = merged_shape(*(x.shape for x in self.inputs))
        return tuple(x.with_shape(shape) for x in self.inputs)

    @cached_property
    def _axis(self) -> int:
        return self.dimension % self.inputs[0].rank

    @cached_property
    def _order(self) -> Order | None:
        return order_of(self.comparator)

    def begin(self, operands: Arrays) -> Ask | Arrays:
        if operands[0].size == 0 or operands[0].shape[self._axis] == 1:
            return operands
        if self._order is None:
            return _comparison_request(merge([np.moveaxis(operand, self._axis, -1) for operand in operands]))
        if len(operands) == 1:
            found = sorted_values(operands[0], self.inputs[0].element_type, self._order, self._axis)
            if found is not None:
                return (found,)
        places = self._places(self._order, operands)
        return tuple(take_along(operand, places, self._axis) for operand in operands)

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        following = state.after(answer[0])
        if isinstance(following, Merge):
            return _comparison_request(following)
        return tuple(np.moveaxis(x, -1, self._axis) for x in following)

    def _places(self, order: Order, operands: Arrays) -> Array:
        """For each element of a result, the position along the dimension that it comes from."""
        columns = order.columns(operands, self.inputs)
        if not has_order(columns):
            return order_by_keys(columns, self._axis, reflexive=order.later_first)
        return sorted_places(columns, self._axis, later_first=order.later_first)

    @cached_property
    def _body(self) -> LiftedBody | None:
        """The comparator, if it can be run without the program."""
        return lifted_body(self.comparator)

    @property
    def _is_known(self) -> bool:
        """Whether `map_operands` can find the order."""
        return self._order is not None or self._body is not None

    def _merged_places(self, operands: Arrays) -> Array:
        """The positions that elements come from, by running the comparator with positions as one more input."""
        assert self._body is not None
        shape = operands[0].shape
        places = np.broadcast_to(places_along(shape, self._axis), shape)
        state: Merge | Arrays = merge([np.moveaxis(x, self._axis, -1) for x in (*operands, places)])
        while isinstance(state, Merge):
            state = state.after(self._body.values(state.pairs()[:-2])[0])
        return np.moveaxis(state[-1], -1, self._axis)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """An element of a result comes from one place and depends on all elements that were compared."""
        line = line_map(self.infer()[0].sizes, self._axis)
        moved = self._permutation(len(self.inputs) + inverse)
        compared = frozenset(number // 2 for number in arguments_read(self.comparator)[0])
        if self.infer()[0].sizes[self._axis] == 1:  # nothing is compared
            compared = frozenset()
        for result in range(len(self.inputs)):
            for operand in sorted(compared | {result}):
                yield OperandMap(operand, line if operand in compared else moved, result)

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps to the one element that each element of a result is; to the whole line if the order is unknown."""
        moved = self._permutation(len(self.inputs) + inverse)
        return (OperandMap(number, moved, number) for number in range(len(self.inputs)))

    def _permutation(self, places: int) -> IndexMap:
        shape = self.infer()[0].sizes
        return permutation_map(shape, self._axis, places) if self._is_known else line_map(shape, self._axis)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """One comparison for each element and question, or each level of a sort; keys and places besides."""
        base, elements = super().cost(operand_types, result_types), self.inputs[0].element_count
        size = self.inputs[0].sizes[self._axis]
        if self._order is not None:
            columns = len(self._order.keys)
            levels = max(1, size.bit_length())
            return Cost(columns * elements * levels, base.result_bytes, 8 * elements * (columns + 2))
        operations = operation_count(self.comparator)
        scratch = 4 * elements * (2 * len(self.inputs) + operations + 10)
        return Cost(operations * elements * question_count(size), base.result_bytes, scratch)


def _comparison_request(state: Merge) -> Ask:
    return Ask(state, RunRegion(0, state.pairs(), state.step, state.low.shape))


# The values of one tensor in order, without asking where each comes from.


_IN_NUMPY = tuple(map(np.dtype, (np.float32, np.float64, np.longdouble)))


def sorted_values(values: Array, element_type: ElementType, order: Order, axis: int) -> Array | None:
    """`values` in the order of one key, their own; `None` where it takes more than values."""
    (key, descending), *others = order.keys
    kinds = ("boolean", "signed", "unsigned", "float")
    if others or key.rounded is not None or key.part is not Part.WHOLE or kind_of(element_type) not in kinds:
        return None
    if not element_type.is_float:
        found = np.sort(widen(values), axis=axis).astype(values.dtype, copy=False)
        return np.flip(found, axis) if descending else found
    if values.dtype.itemsize == 1 or element_type.name == "tf32":
        return None
    return _sorted_floats(values, element_type, order, axis)


def _sorted_floats(values: Array, element_type: ElementType, order: Order, axis: int) -> Array | None:
    ((key, descending),) = order.keys
    has_both_zeros = bool(np.signbit(values[values == 0]).any())
    if key.total_order and not key.zeros_equal and key.nan is None:
        found = _by_bits(values, element_type, axis, has_both_zeros=has_both_zeros)
        return np.flip(found, axis) if descending else found
    found = _sort_ascending(values, element_type, axis)
    has_nan = _has_nan(found, axis)
    if has_nan and not (key.total_order and key.nan):
        return None
    if has_both_zeros and key.total_order and not key.zeros_equal:
        return None
    found = np.flip(found, axis) if descending else found
    if has_both_zeros:
        _restore(found, values, axis, lambda x: x == 0, turned=order.later_first)
    if has_nan:
        _restore(found, values, axis, np.isnan, turned=order.later_first)
    return found


def _has_nan(found: Array, axis: int) -> bool:
    """Whether sorted values have a NaN, which comes first or last."""
    return bool(np.isnan(found.take([0, -1], axis=axis)).any())


def _sort_ascending(values: Array, element_type: ElementType, axis: int) -> Array:
    """The values sorted with zeros equal and every NaN last: NumPy's order, for its own dtypes."""
    if values.dtype in _IN_NUMPY:
        return np.sort(values, axis=axis)
    return _by_keys(values, element_type, axis, nan=True)


def _by_bits(values: Array, element_type: ElementType, axis: int, *, has_both_zeros: bool) -> Array:
    """The values sorted in the total order, which is NumPy's where there is no NaN and no -0."""
    if values.dtype in _IN_NUMPY and not has_both_zeros:
        found = np.sort(values, axis=axis)
        if not _has_nan(found, axis):
            return found
    return _by_keys(values, element_type, axis, nan=None)


def _by_keys(values: Array, element_type: ElementType, axis: int, nan: bool | None) -> Array:
    keys = total_order_column(values, element_type, zeros_equal=False, nan=nan, descending=False)
    keys = np.sort(keys, axis=axis)
    return total_order_key(keys.view(values.dtype)).view(values.dtype)  # which is its own inverse


def _restore(
    found: Array, values: Array, axis: int, which: Callable[[Array], Array], *, turned: bool
) -> None:
    """Puts elements that are equal, but not the same bits, into the order that they had, or into its reverse."""
    target, source = np.moveaxis(found, axis, -1), np.moveaxis(values, axis, -1)
    source = np.flip(source, -1) if turned else source
    target[which(target)] = source[which(source)]
