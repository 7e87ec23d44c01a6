"""reduce: a binary function over all elements along some dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...indexing import OperandMap, reduce_maps
from ...indexing.evaluation.array_values import Int64Array
from ...ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO, ElementType
from ...ir.module import Region
from ...ir.types import TensorType, Type, is_quantized
from ..core.bodies import (
    UFUNCS,
    Choice,
    Combiner,
    any_outweighs,
    body_constraints,
    choice,
    combiner_name,
    combiners,
    initial_cautions,
    initial_constraints,
    neutral_element,
    operation_count,
    outer_combiners,
    reduced_constraints,
)
from ..core.body_reads import combined_maps
from ..core.causes import sum_cause
from ..core.facets import (
    Decision,
    Drawing,
    HloSpelling,
    Roles,
    Rounding,
    Section,
    name_dimensions,
    no_names,
    numbered,
)
from ..core.fold_bounds import fold_bound
from ..core.numeric import maximum, minimum, round_to, widen
from ..core.op import Array, Ask, Constraint, Cost, RunRegion, merged_shape
from ..core.ranks import OperandRanks, SeenRanks, Shape, worst_ranks
from ..core.rounding import NO_ERROR, Errors, is_exact
from ..core.rules import drop_dimensions, inside_rank, named_once
from .folding_op import FoldingFindings, InitialFolding, InitialFoldingExplanation, InitialFoldingTracing

Arrays = tuple[Array, ...]
_WITH_NEUTRAL = (
    frozenset(ELEMENT_TYPES | ONLY_IN_HLO)
    - {"f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU", "f8E4M3FN"}
    - {name for name in ELEMENT_TYPES if name.endswith("FNUZ")}
)
"""Types that have both a -0 and an infinity, or that are no floats."""
_FEW = 64
"""Maximum number of elements combined one after the other, as readers expect."""


@dataclass(frozen=True)
class _FromLeft:
    """The state of a reduction of few elements by an unrecognised body, one after the other along axis 0."""

    elements: Arrays
    next: int


@dataclass(frozen=True)
class _Tree:
    """The state of a reduction by an unrecognised body as a tree: the nodes of one level, along axis 0."""

    nodes: Arrays
    initial: Arrays
    level: int


@dataclass(frozen=True)
class _Mapped:
    """The state of a reduction whose body combines an accumulator with a function of elements alone."""

    initial: Arrays


class ReduceRounding(Rounding["Reduce"]):
    def error_bound(self, op: Reduce, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        count = len(op.inputs)
        if 0 in operands[0].shape:
            return errors[count:]
        if op._takes_elements:
            shape = results[0].shape
            return tuple(np.broadcast_to(error, operands[0].shape).reshape(shape) for error in errors[:count])
        if op._combiners is not None:
            return op._fold_bounds(op._combiners, operands, errors, results)
        if op._choice is not None and len(results) == 2:
            return op._choice_bounds(operands, errors)
        return super().error_bound(op, operands, errors, results)

    def body_bound(
        self, op: Reduce, operands: Arrays, errors: Errors, results: Arrays, answers: Arrays, answered: Errors
    ) -> Errors:
        if op._outer_combiners is None or op._combiners is not None:
            return super().body_bound(op, operands, errors, results, answers, answered)
        count, shape = len(op.inputs), operands[0].shape
        elements = tuple(np.broadcast_to(answer, shape) for answer in answers)
        return op._fold_bounds(
            op._outer_combiners, (*elements, *operands[count:]), (*answered, *errors[count:]), results
        )


class ReduceTracing(InitialFoldingTracing["Reduce"]):
    def folds_answers(self, op: Reduce) -> bool:
        return op._combiners is None and op._outer_combiners is not None

    def answer_decision(self, op: Reduce, iteration: int, elements: Int64Array, lanes: Shape) -> Decision:
        """Each answer is combined into the element of a result that its own element is reduced to."""
        back = next(reduce_maps([lanes], op.dimensions)).map
        onward = next(reduce_maps([lanes], op.dimensions, inverse=True)).map
        return Decision(lanes, None, (back,), (onward,))


class ReduceExplanation(InitialFoldingExplanation["Reduce"]):
    def combiner(self, op: Reduce, result: int) -> str:
        return combiner_name(op._combiners or op._outer_combiners, result)


class ReduceDrawing(Drawing["Reduce"]):
    def dimension_roles(self, op: Reduce) -> Roles:
        inputs = (name_dimensions(op.inputs[0].rank, {"reduced": op.dimensions}),) * len(op.inputs)
        return (*inputs, *no_names(*op.init_values)), no_names(*op.infer())


class ReduceFindings(FoldingFindings["Reduce"]):
    def outweighs(self, op: Reduce) -> bool:
        return any_outweighs(op._combiners or op._outer_combiners or ())

    def orders(self, op: Reduce) -> bool:
        """Whether it has several inputs, as a search for the position of the greatest element has."""
        return len(op.inputs) > 1

    def may_wrap(self, op: Reduce) -> bool:
        return not op._takes_elements and super().may_wrap(op)

    def ranks_read(self, op: Reduce, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """The greatest rank among the elements reduced together, of all inputs and initial values."""
        count = len(op.inputs)
        if op._takes_elements:
            return tuple(0 if found is None else found.reshape(results[0].shape) for found in ranks[:count])
        reduced = [found.max(axis=op.dimensions, initial=0) for found in ranks[:count] if found is not None]
        return (worst_ranks([*reduced, *ranks[count:]]),) * len(results)

    def birth_cause(self, op: Reduce, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        kept = iter(index)
        fibre = [slice(None) if d in op.dimensions else next(kept) for d in range(operands[number].ndim)]
        return sum_cause(operands[number][(*fibre, ...)], result, index)


@dataclass(frozen=True)
class Reduce(InitialFolding):
    """Combines the elements of `inputs` along `dimensions` with `body`, starting from `init_values`.

    The specification leaves the order to the implementation. Here elements come in row-major order, and
    `init_values` once, before them all. Up to 64 elements are combined one after the other from the left, as
    XLA and StableHLO's reference interpreter do. More are the leaves of a balanced binary tree of neighbours
    (`body(body(x0, x1), body(x2, x3))`) that is run level by level, all pairs of a level at once; a body that is
    not associative can tell. Recognised bodies are done by NumPy as a whole: floats below f32 accumulate in f32 and are rounded once, where any other body rounds
    after each op. A body that does something to the element before it is combined (`a + x * x`) does that to all
    elements at once: pairs of elements are nothing that it is meant for. Without elements the result is `init_values`.
    With `drops_init_of_one`, as in HLO text, results of one element each are these elements: XLA takes `init_values` for
    neutral. Specification: reduce.
    """

    name = "stablehlo.reduce"
    findings = ReduceFindings()
    short_form = "custom reduce"
    hlo = HloSpelling(
        "reduce",
        "Reduce",
        note="Of several arrays the results are one tuple; `to_apply` takes the results so far, then the "
        "elements. The initial value counts once, and not at all if each result has one element.",
        packs_results=True,
    )
    section = Section(
        input_labels=numbered("inputs init_values dimensions body"),
        result_labels={"shape": "C7", "element_type": "C8"},
    )
    rounding = ReduceRounding()
    tracing = ReduceTracing()
    explanation = ReduceExplanation()
    drawing = ReduceDrawing()

    inputs: tuple[TensorType, ...]
    init_values: tuple[TensorType, ...]
    dimensions: tuple[int, ...]
    body: Region
    drops_init_of_one: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield from reduced_constraints(self.inputs, self.init_values, "C3", "C1")
        yield inside_rank("C4", "dimensions", self.dimensions, "the inputs' ", self.inputs[0].rank)
        yield named_once("C5", "dimensions", self.dimensions)
        yield from body_constraints("C6", "body", self.body, [x.element_type for x in self.inputs])
        yield from initial_constraints("C2", self.init_values, self.body)

    def cautions(self) -> Iterator[Constraint]:
        return initial_cautions("C2", self.inputs, self.init_values)

    def infer(self) -> tuple[TensorType, ...]:
        shape = drop_dimensions(merged_shape(*(x.shape for x in self.inputs)), *self.dimensions)
        return tuple(TensorType(shape, element_type) for element_type in self._element_types)

    @cached_property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        # Bodies over quantized values round after each op, so these are run as they are.
        return None if any(map(is_quantized, self.inputs)) else combiners(self.body)

    @cached_property
    def _outer_combiners(self) -> tuple[Combiner, ...] | None:
        types = self._element_types
        known = not any(map(is_quantized, self.inputs)) and all(
            found.name in _WITH_NEUTRAL for found in types
        )
        return outer_combiners(self.body) if known else None

    @cached_property
    def _takes_elements(self) -> bool:
        """Whether the results are the inputs in another shape, as XLA computes them."""
        return self.drops_init_of_one and all(self.inputs[0].shape[d] == 1 for d in self.dimensions)

    @cached_property
    def _choice(self) -> Choice | None:
        pair = len(self.inputs) == 2 and self._element_types[1].is_integer
        return choice(self.body) if pair else None

    def begin(self, operands: Arrays) -> Ask | Arrays:
        count = len(self.inputs)
        inputs = self._convert(operands[:count], self.inputs)
        initial = self._convert(operands[count:], self.init_values)
        if 0 in inputs[0].shape:
            kept = tuple(s for d, s in enumerate(inputs[0].shape) if d not in self.dimensions)
            return tuple(np.broadcast_to(value, kept) for value in initial)
        if self._takes_elements:
            return tuple(np.asarray(self._nodes(x)[0]) for x in inputs)
        if self._combiners is not None:
            parts = zip(self._combiners, initial, inputs, self._element_types, strict=True)
            return tuple(_fold(what, start, x, self.dimensions, to) for what, start, x, to in parts)
        if self._outer_combiners is not None:
            return self._ask_elements(inputs, initial)
        nodes = tuple(map(self._nodes, inputs))
        if self._choice is not None:
            return _choose(self._choice, initial, nodes)
        if len(nodes[0]) <= _FEW:
            return self._ask_next(_FromLeft(nodes, 0), initial)
        return self._ask(_Tree(nodes, initial, 0))

    def _nodes(self, operand: Array) -> Array:
        """The reduced dimensions as one, in row-major order, which comes first."""
        reduced = tuple(sorted(self.dimensions))
        kept = tuple(d for d in range(operand.ndim) if d not in reduced)
        flat = (prod(operand.shape[d] for d in reduced), *(operand.shape[d] for d in kept))
        return operand.transpose(*reduced, *kept).reshape(flat)

    def _ask_next(self, state: _FromLeft, accumulators: Arrays) -> Ask:
        """Runs the body on what there is and the next element, for all lanes."""
        lanes = state.elements[0].shape[1:]
        found = (np.broadcast_to(value, lanes) for value in accumulators)
        arguments = (*found, *(element[state.next, ...] for element in state.elements))
        return Ask(state, RunRegion(0, arguments, state.next, lanes))

    def _ask(self, tree: _Tree) -> Ask:
        """Runs the body on each pair of neighbours or, at the root, on `init_values` and it."""
        count = len(tree.nodes[0])
        if count == 1:
            lanes = tree.nodes[0].shape[1:]
            roots = (node[0, ...] for node in tree.nodes)
            arguments = (*(np.broadcast_to(value, lanes) for value in tree.initial), *roots)
        else:
            lanes = (count // 2, *tree.nodes[0].shape[1:])
            paired = [node[: count - count % 2] for node in tree.nodes]
            arguments = (*(node[0::2] for node in paired), *(node[1::2] for node in paired))
        return Ask(tree, RunRegion(0, arguments, tree.level, lanes))

    def _ask_elements(self, inputs: Arrays, initial: Arrays) -> Ask:
        """Runs the body on every element, with accumulators that change nothing."""
        assert self._outer_combiners
        lanes = inputs[0].shape
        kinds = zip(self._outer_combiners, self._element_types, strict=True)
        accumulators = (np.broadcast_to(neutral_element(*kind), lanes) for kind in kinds)
        return Ask(_Mapped(initial), RunRegion(0, (*accumulators, *inputs), 0, lanes))

    def _fold_all(self, initial: Arrays, elements: Arrays) -> Arrays:
        assert self._outer_combiners
        shape = self.inputs[0].sizes
        parts = zip(self._outer_combiners, initial, elements, self._element_types, strict=True)
        return tuple(
            _fold(what, start, np.broadcast_to(x, shape), self.dimensions, to) for what, start, x, to in parts
        )

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        if isinstance(state, _Mapped):
            return self._fold_all(state.initial, answer)
        if isinstance(state, _FromLeft):
            following = replace(state, next=state.next + 1)
            if following.next < len(state.elements[0]):
                return self._ask_next(following, answer)
            lanes = state.elements[0].shape[1:]
            return tuple(np.broadcast_to(value, lanes) for value in answer)
        tree: _Tree = state
        count = len(tree.nodes[0])
        if count == 1:
            return tuple(
                np.broadcast_to(a, node.shape[1:]) for a, node in zip(answer, tree.nodes, strict=True)
            )
        pairs = zip(answer, tree.nodes, strict=True)
        return self._ask(
            _Tree(tuple(_next_level(a, node) for a, node in pairs), tree.initial, tree.level + 1)
        )

    def _fold_bounds(
        self, what: tuple[Combiner, ...], operands: Arrays, errors: Errors, results: Arrays
    ) -> Errors:
        count = len(self.inputs)
        inputs = zip(operands[:count], errors[:count], operands[count:], errors[count:], strict=True)
        return tuple(
            fold_bound(combiner, *given, self.dimensions, result)
            for combiner, given, result in zip(what, inputs, results, strict=True)
        )

    def _choice_bounds(self, operands: Arrays, errors: Errors) -> Errors:
        """Errors of the chosen elements, and of their companions: infinite where the choice may differ."""
        nodes = self._nodes(operands[0]).astype(np.float64)
        reach = self._nodes(np.broadcast_to(errors[0], operands[0].shape))
        worst = reach.max(axis=0)
        if is_exact((worst,)):
            return (
                NO_ERROR,
                fold_bound(
                    Combiner.MAXIMUM,
                    operands[1],
                    errors[1],
                    operands[3],
                    errors[3],
                    self.dimensions,
                    operands[1],
                ),
            )
        ordered = np.sort(nodes if self._choice is Choice.LEAST else -nodes, axis=0)
        tied = ~(ordered[1] - ordered[0] > 2 * worst) if len(ordered) > 1 else np.False_
        return np.maximum(worst, errors[2]), np.where(tied, np.inf, 0.0)

    def _fold_exactly(self, operands: Arrays, number: int, combiner: Combiner) -> Array:
        ufunc, count = UFUNCS[combiner], len(self.inputs)
        operand, initial = widen(operands[number]), widen(operands[count + number])
        total = ufunc.reduce(operand, axis=self.dimensions, dtype=np.float64)
        return np.asarray(ufunc(initial, total, dtype=np.float64))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._read(reduce_maps([x.sizes for x in self.inputs], self.dimensions, inverse=inverse))

    def _read(self, maps: Iterator[OperandMap]) -> Iterator[OperandMap]:
        """Drop the maps to inputs that the body ignores; without elements, keep those to the initial values."""
        count = len(self.inputs)
        if any(self.inputs[0].sizes[k] == 0 for k in self.dimensions):
            return (found for found in maps if found.operand == count + found.result)
        if self._takes_elements:
            return (found for found in maps if found.operand == found.result)
        return combined_maps(maps, self.body)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """One run of the body for each input element; its lanes' values besides."""
        operations, elements = operation_count(self.body), self.inputs[0].element_count
        base = super().cost(operand_types, result_types)
        scratch = 8 * elements * (len(self.inputs) + operations)
        return Cost(operations * elements, base.result_bytes, scratch)


def _next_level(answer: Array, nodes: Array) -> Array:
    """A level's results, and the node that had no neighbour."""
    count = len(nodes)
    combined = np.broadcast_to(answer, (count // 2, *nodes.shape[1:]))
    return np.concatenate([combined, nodes[-1:]]) if count % 2 else combined


def _fold(
    combiner: Combiner, initial: Array, operand: Array, axes: tuple[int, ...], element_type: ElementType
) -> Array:
    """`initial` and all elements along `axes` combined in a wide type and rounded once."""
    if combiner is Combiner.REPLACE:
        index: list[Any] = [-1 if d in axes else slice(None) for d in range(operand.ndim)]
        return operand[(*index, ...)]
    ufunc, wide = UFUNCS[combiner], widen(operand)
    # Without the dtype NumPy would sum booleans and small integers in i64.
    # NumPy's own sum of nothing but -0 is 0.
    start = {"initial": -np.zeros((), wide.dtype)} if ufunc is np.add and wide.dtype.kind in "fc" else {}
    total = np.asarray(ufunc.reduce(wide, axis=axes, dtype=wide.dtype, **start))
    if combiner in (Combiner.MAXIMUM, Combiner.MINIMUM) and wide.dtype.kind == "f":
        return round_to(_extreme(combiner, widen(initial), wide, axes, total), element_type)
    return round_to(np.asarray(ufunc(widen(initial), total)), element_type)


def _extreme(
    combiner: Combiner, initial: Array, operand: Array, axes: tuple[int, ...], total: Array
) -> Array:
    """`total` with the sign of its zeros put right: NumPy takes +0 and -0 for equal. Then `initial` comes in."""
    greatest = combiner is Combiner.MAXIMUM
    if np.count_nonzero(total) < total.size:
        negative = (np.all if greatest else np.any)(np.signbit(operand), axis=axes)
        zeros = np.where(negative, -0.0, 0.0).astype(total.dtype)
        total = np.where(total == 0, zeros, total)
    return np.asarray((maximum if greatest else minimum)(initial, total))


def _choose(found: Choice, initial: Arrays, nodes: Arrays) -> Arrays:
    """Along axis 0 the greatest or least value, and its index: NaN before all, then the lower index."""
    values, indices = nodes
    wide, wide_indices = widen(values), widen(indices)
    best = (np.max if found is Choice.GREATEST else np.min)(wide, axis=0)
    is_best = wide == best
    # Of equal values (+0 and -0) the body keeps the later one.
    at = np.asarray(len(values) - 1 - np.argmax(is_best[::-1], axis=0))
    highest = np.asarray(np.iinfo(wide_indices.dtype).max, wide_indices.dtype)
    lowest = np.where(is_best, wide_indices, highest).min(axis=0)
    value = np.take_along_axis(values, at[None], axis=0)[0]
    index = lowest.astype(indices.dtype, copy=False)
    if wide.dtype.kind == "f":
        is_nan = np.isnan(wide)
        first = np.asarray(np.argmax(is_nan, axis=0))[None]
        any_nan = np.asarray(is_nan.any(axis=0))
        value = np.where(any_nan, np.take_along_axis(values, first, axis=0)[0], value)
        index = np.where(any_nan, np.take_along_axis(indices, first, axis=0)[0], index)
    return _keep(found, initial, (value, index))


def _keep(found: Choice, left: Arrays, right: Arrays) -> Arrays:
    """The arrays as the recognised body itself gives them."""
    a, b = widen(left[0]), widen(right[0])
    first = (a > b if found is Choice.GREATEST else a < b) | np.not_equal(a, a)
    lower = (a == b) & (widen(left[1]) < widen(right[1]))
    return np.where(first, left[0], right[0]), np.where(first | lower, left[1], right[1])
