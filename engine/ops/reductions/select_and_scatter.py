"""select_and_scatter: windows choose elements of a tensor, and values are combined at the chosen places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...indexing import OperandMap, WindowIndexing
from ...indexing.evaluation.array_values import Int64Array
from ...ir.element_types import F64, I1, ElementType
from ...ir.module import Region
from ...ir.types import TensorType, Type, is_quantized
from ..core.bodies import (
    UFUNCS,
    Combiner,
    accumulated_types,
    body_constraints,
    body_symbol,
    combiners,
    initial_constraints,
    lifted_body,
    operation_count,
    to_destination_type,
    with_element_types,
)
from ..core.body_reads import arguments_read
from ..core.facets import (
    Decision,
    Drawing,
    ElementFormula,
    Explanation,
    Form,
    HloSpelling,
    Picture,
    Placing,
    Role,
    Roles,
    RuntimeVariables,
    Section,
    Shown,
    SlidingWindows,
    Tracing,
    name_dimensions,
    numbered,
)
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.numeric import round_to, widen
from ..core.op import Array, Ask, Constraint, Cost, RunRegion, shapes_agree
from ..core.ranks import Shape
from ..core.regions import region_type
from ..core.rules import format_list
from ..indexed.scatter_passes import ScatterPasses, combine_updates, first_scatter_pass
from .folding_op import FoldingOp
from .sliding_windows import Slide, counts, slides, window_constraints
from .window_choices import LONG, Box, Choosing, Selection, chosen_in_blocks, chosen_positions, comparison
from .window_folds import identity

Arrays = tuple[Array, ...]
SELECT, SCATTER = 0, 1
"""The numbers of the regions."""
PASS_COST = 100_000
"""Scalar operations that take about as long as running a region once."""


class SelectAndScatterTracing(Tracing["SelectAndScatter"]):
    def over_body_types(self, op: SelectAndScatter) -> SelectAndScatter:
        types = accumulated_types(op.scatter)
        operand, source, initial = with_element_types((op.operand, op.source, op.init_value), types)
        return replace(op, operand=operand, source=source, init_value=initial)

    def operands_read(self, op: SelectAndScatter, first_region: int | None) -> frozenset[int]:
        return frozenset() if first_region == SELECT else frozenset((0,))

    def chooses(self, op: SelectAndScatter, region: int) -> bool:
        return region == SELECT

    def lane_positions(self, op: SelectAndScatter, state: Any) -> Int64Array | None:
        return state.positions if isinstance(state, ScatterPasses) else None

    def compared_positions(
        self, op: SelectAndScatter, iteration: int, argument: int, elements: Int64Array
    ) -> Int64Array | None:
        """The windows. What is compared with them, argument 1, is the same element each time."""
        return op.compared_windows(iteration).reshape(-1) if argument == 0 else None

    def answer_decision(
        self, op: SelectAndScatter, iteration: int, elements: Int64Array, lanes: Shape
    ) -> Decision:
        """Any element of the window may have been chosen."""
        onward = next(op.indexing.reduce_window_maps(1)).map
        back = next(op.indexing.inverse_reduce_window_maps(1)).map
        return replace(
            self.next_choice_decision(op, iteration, elements, lanes), back=(back,), onward=(onward,)
        )

    def next_choice_decision(
        self, op: SelectAndScatter, iteration: int, elements: Int64Array, lanes: Shape
    ) -> Decision:
        """Requests after the first are about the same windows."""
        return Decision(op.source.sizes, op.compared_windows(iteration).reshape(-1))

    def placement(self, op: SelectAndScatter) -> Placing:
        shape = op.operand.sizes
        back, onward = (
            tuple(item.map for item in maps if item.operand == 0)
            for maps in (op.index_maps(), op.inverse_index_maps())
        )
        return Placing(0, shape, shape, back, onward)


class SelectAndScatterExplanation(Explanation["SelectAndScatter"]):
    def formula(self, op: SelectAndScatter, reads: int) -> ElementFormula:
        roles = (Role("initial value", range(2, 3)), Role("update", range(1, 2)))
        return ElementFormula(
            "select_and_scatter", Form.UPDATES, body_symbol(op.scatter), roles, compared=range(1)
        )

    def combiner(self, op: SelectAndScatter, result: int) -> str:
        return op._combiner or ""


class SelectAndScatterDrawing(Drawing["SelectAndScatter"]):
    def dimension_roles(self, op: SelectAndScatter) -> Roles:
        windowed = [k for k, slide in enumerate(op._slides) if not slide.is_still]
        names = name_dimensions(op.operand.rank, {"window": windowed})
        return (names, names, ()), (names,)

    def picture(self, op: SelectAndScatter) -> Picture | None:
        if not op.open_sizes.are_known(op):
            return None
        return SlidingWindows.of(Shown("operand", 1), [Shown("operand"), Shown("result")], op.indexing)


class SelectAndScatterRuntimeVariables(RuntimeVariables["SelectAndScatter"]):
    def map_operands(self, op: SelectAndScatter, operands: Arrays) -> Arrays:
        """The operands and, if known, the cell that each window's value goes to, and whether a value comes to an
        element.
        """
        if not op._is_known:
            return operands
        sent = np.full(op.source.sizes, -1, np.int64)
        cells = op._chosen_positions(operands[0])
        if op._overwrites:
            flat = cells.reshape(-1)
            last = np.full(op.operand.element_count, -1, np.int64)
            np.maximum.at(last, flat, np.arange(flat.size))
            cells = np.where(last[flat] == np.arange(flat.size), flat, -1).reshape(cells.shape)
        index: tuple[Any, ...] = (*op._selection.met, ...)
        sent[index] = cells
        come = np.zeros(op.operand.element_count, np.int64)
        come[sent[sent >= 0]] = 1
        return (*operands, sent, come.reshape(op.operand.sizes))


@dataclass(frozen=True)
class SelectAndScatter(FoldingOp):
    """Each window of `operand` chooses one of its elements, and its element of `source` goes to that place.

    Windows lie as in `reduce_window`, without dilations. `select(kept, next)` says whether an element is kept
    rather than the next one of the window, in row-major order, beginning with the first: so NaN, of which GE is
    false, gives way to the element behind it. Padding is never chosen, and a window of nothing but padding sends
    its value nowhere. The result is `init_value` everywhere, combined by `scatter(current, value)` with the
    values that come to a place, in row-major order of `source`. In what tree elements are compared, in what
    order values come and how often `init_value` does, the specification leaves open; XLA compares in the same
    order, but hands the value to `scatter` first. Bodies of `scatter` that NumPy has a routine for combine floats
    below f32 in f32 and round once, and sum floats in any order. Specification: select_and_scatter.
    """

    name = "stablehlo.select_and_scatter"
    combined = "elements of {{1}}"
    tracing = SelectAndScatterTracing()
    explanation = SelectAndScatterExplanation()
    drawing = SelectAndScatterDrawing()
    runtime_variables = SelectAndScatterRuntimeVariables(
        names=("where each value goes to", "whether a value comes")
    )
    hlo = HloSpelling(
        "select-and-scatter",
        "SelectAndScatter",
        note="`window={…}` states sizes, strides and padding; `select` and `scatter` name computations.",
    )
    section = Section(
        input_labels=numbered(
            "operand source init_value window_dimensions window_strides padding select scatter"
        ),
        result_labels={"shape": "C11", "element_type": "C12"},
    )

    operand: TensorType
    source: TensorType
    init_value: TensorType
    select: Region
    scatter: Region
    window_dimensions: tuple[int, ...]
    window_strides: tuple[int, ...] | None = None
    padding: tuple[tuple[int, ...], ...] | None = None

    def constraints(self) -> Iterator[Constraint]:
        for label, name in (("I1", "operand"), ("I2", "source"), ("I3", "init_value")):
            yield holds(label, name, getattr(self, name), TENSOR_OR_PER_TENSOR)
        sentence = f"init_value must have rank 0, not {self.init_value.rank}"
        yield "I3", self.init_value.rank == 0, sentence
        element_type = self.operand.element_type
        found = self.source.element_type
        yield "C1", found == element_type, self._type_difference("source", found)
        numbers = {
            "window_dimensions": ("C4", "C5", self.window_dimensions),
            "window_strides": ("C6", "C7", self.window_strides),
        }
        yield from window_constraints(self.operand.rank, numbers, "C8", self.padding)
        number = counts(self._slides, self.operand.shape)
        sentence = (
            f"source has shape {format_list(self.source.shape)}, but there are {format_list(number)} windows"
        )
        yield "C2", shapes_agree(number, self.source.shape), sentence
        select, scalar = region_type(self.select), self.operand.with_shape(())
        sentence = f"select must take {scalar} twice, not {format_list(select.inputs)}"
        yield "C9", select.inputs == (scalar, scalar), sentence
        sentence = f"select must return {TensorType((), I1)}, not {format_list(select.results)}"
        yield "C9", select.results == (TensorType((), I1),), sentence
        yield from body_constraints("C10", "scatter", self.scatter, [element_type])
        yield from initial_constraints("C3", [self.init_value], self.scatter)

    def cautions(self) -> Iterator[Constraint]:
        found = self.init_value.element_type
        yield "C3", found == self.operand.element_type, self._type_difference("init_value", found)

    def _type_difference(self, name: str, found: ElementType) -> str:
        return f"operand holds {self.operand.element_type}, {name} {found}"

    def infer(self) -> TensorType:
        return TensorType(self.operand.shape, self._element_type)

    @cached_property
    def _slides(self) -> tuple[Slide, ...]:
        return slides(self.window_dimensions, self.window_strides, None, None, self.padding)

    @cached_property
    def _element_type(self) -> ElementType:
        return accumulated_types(self.scatter)[0]

    @cached_property
    def _selection(self) -> Selection:
        return Selection(self._slides, self.operand.sizes, self.operand.element_type)

    @cached_property
    def _compare(self) -> np.ufunc | None:
        """The comparison that `select` makes, if it is a single one that NumPy has."""
        element_type = self.operand.element_type
        known = not is_quantized(self.operand) and not element_type.is_complex
        return comparison(self.select) if known else None

    @cached_property
    def _combiner(self) -> Combiner | None:
        found = None if is_quantized(self.operand) else combiners(self.scatter)
        if not found:
            return None
        # NumPy takes 0 and -0 for equal, which matters to bodies that choose one of them.
        chooses = found[0] in (Combiner.MAXIMUM, Combiner.MINIMUM) and self._element_type.is_float
        return None if chooses else found[0]

    @property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        known = self._combiner if self._is_known else None
        return None if known is None else (known,)

    @property
    def _element_types(self) -> tuple[ElementType, ...]:
        return (self._element_type,)

    def _fold_exactly(self, operands: Arrays, number: int, combiner: Combiner) -> Array:
        everywhere = np.broadcast_to(widen(operands[2]).astype(np.float64), self.operand.sizes)
        cells, sent = self._chosen_positions(operands[0]).reshape(-1), widen(self._sent(operands[1]))
        return combine_updates(combiner, everywhere, cells, sent.astype(np.float64), F64)

    def begin(self, operands: Arrays) -> Ask | Arrays:
        operand, source, initial = operands
        if 0 in self._selection.met_shape:
            return (np.broadcast_to(self._convert(initial), operand.shape),)
        if self._compare is not None and self._sums:
            return (self._sum_by_position(operands, self._compare),)
        if self._compare is not None:
            return self._scatter(chosen_positions(operand, self._selection, self._compare), source, initial)
        kept, places = self._selection.first(operand, self._selection.met)
        number = 0 if self._selection.is_padded else 1
        return self._next_request(_Selecting(operands, Choosing(kept, places, number)))

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        if isinstance(state, _Selecting):
            return self._next_request(state.after(answer[0], self._selection))
        assert isinstance(state, ScatterPasses)
        following = state.after(answer)
        return _ask_scatter(following) if isinstance(following, ScatterPasses) else following

    def _next_request(self, state: _Selecting) -> Ask | Arrays:
        """The request for the next comparison or, after the last position of windows, what scatters the values."""
        selection = self._selection
        number = state.choosing.number
        while number < selection.length and selection.step(number, selection.met) is None:
            number += 1
        state = replace(state, choosing=replace(state.choosing, number=number))
        if number < selection.length:
            _, current, candidates = state.pair(selection)
            lanes = candidates.shape
            return Ask(state, RunRegion(SELECT, (current, candidates), number, lanes))
        _, source, initial = state.operands
        return self._scatter(selection.cells(state.choosing.places), source, initial)

    def _scatter(self, cells: Array, source: Array, initial: Array) -> Ask | Arrays:
        values, start, cells = self._sent(source), self._convert(initial), cells.reshape(-1)
        if self._combiner is None:
            return _ask_scatter(
                first_scatter_pass((np.broadcast_to(start, self.operand.sizes),), cells, (values,))
            )
        everywhere = np.broadcast_to(start, self.operand.sizes)
        return (combine_updates(self._combiner, everywhere, cells, values, self._element_type),)

    def _sent(self, source: Array) -> Array:
        """The values that go somewhere."""
        index: tuple[Any, ...] = (*self._selection.met, ...)
        return self._convert(source[index]).reshape(-1)

    @property
    def _sums(self) -> bool:
        """Whether values may come in another order, and be combined for one place of all windows at once."""
        return self._combiner not in (None, Combiner.REPLACE) and self._selection.length <= LONG

    def _sum_by_position(self, operands: Arrays, compare: np.ufunc) -> Array:
        """Sum by position in the windows, from the last, so that values of a block stay in order.

        The result is that of `combine_updates`.
        """
        operand, source, initial = operands
        combiner, start = self._combiner or Combiner.ADD, widen(self._convert(initial))
        total, ufunc, nothing = (
            np.full(operand.shape, start),
            UFUNCS[combiner],
            identity(combiner, start.dtype),
        )
        for box, places in chosen_in_blocks(operand, self._selection, compare):
            index: tuple[Any, ...] = (*box, ...)
            values = widen(self._convert(source[index]))
            for number in reversed(range(self._selection.length)):
                found = self._selection.step(number, box)
                if found is not None:
                    windows, elements = found
                    sent = np.where(places[windows] == number, values[windows], nothing)
                    target: tuple[Any, ...] = (*elements, ...)
                    ufunc(total[target], sent, out=total[target])
        return round_to(total, self._element_type)

    def _convert(self, value: Array) -> Array:
        return to_destination_type(value, self.operand.element_type, self._element_type)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Maps to the values that a run sends to an element, if that is known: `select` compares, or runs lane by
        lane.
        """
        return self.indexing.select_and_scatter_maps(
            is_known=self._is_known, overwrites=self._overwrites, inverse=inverse
        )

    @cached_property
    def _is_known(self) -> bool:
        """Whether `map_operands` can find what windows choose."""
        return self._compare is not None or lifted_body(self.select) is not None

    @cached_property
    def _overwrites(self) -> bool:
        """Whether the last of several values at one position replaces the others and the initial value."""
        return 0 not in arguments_read(self.scatter)[0]

    def _chosen_positions(self, operand: Array) -> Array:
        """The flat positions of the elements that non-empty windows choose."""
        selection = self._selection
        if 0 in selection.met_shape:
            return np.zeros(selection.met_shape, np.int64)
        if self._compare is not None:
            return chosen_positions(operand, selection, self._compare)
        body = lifted_body(self.select)
        assert body is not None
        state = _Selecting((operand,), Choosing(*selection.first(operand, selection.met), 0))
        for number in range(selection.length):
            state = replace(state, choosing=replace(state.choosing, number=number))
            if selection.step(number, selection.met) is not None and (number or selection.is_padded):
                _, current, candidates = state.pair(selection)
                (keeps,) = body.values((np.broadcast_to(current, candidates.shape), candidates))
                state = state.after(keeps, selection)
        return selection.cells(state.choosing.places)

    def compared_windows(self, number: int) -> Array:
        """The windows, as row-major positions of `source`, that have an element at a place: each is compared there
        with what its window has kept.
        """
        found = self._selection.step(number, self._selection.met)
        assert found is not None
        met: tuple[Any, ...] = (*self._selection.met, ...)
        windows: tuple[Any, ...] = (*found[0], ...)
        return np.asarray(np.arange(prod(self.source.sizes)).reshape(self.source.sizes)[met][windows])

    @cached_property
    def indexing(self) -> WindowIndexing:
        ones = (1,) * self.operand.rank
        return WindowIndexing(
            self.operand.sizes,
            self.source.sizes,
            [slide.window for slide in self._slides],
            [slide.stride for slide in self._slides],
            [slide.low for slide in self._slides],
            ones,
            ones,
        )

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A comparison for each element of each window and one run of scatter for each value; a pass for each
        place of the windows if `select` is not recognised; positions and what is compared besides.
        """
        base = super().cost(operand_types, result_types)
        length = prod(slide.window for slide in self._slides)
        select, scatter = operation_count(self.select), operation_count(self.scatter)
        values = self.source.element_count
        flops = values * (length * select + scatter) + base.flops
        if self._compare is None:
            flops += length * PASS_COST
        scratch = values * (8 + select + scatter) + 2 * self.operand.element_count
        if length > LONG:
            scratch += 8 * prod(map(Slide.extent, self._slides, self.source.sizes))
        return Cost(flops, base.result_bytes, 8 * scratch)


@dataclass(frozen=True, eq=False)
class _Selecting:
    """The state of comparing elements by a body of the program."""

    operands: Arrays
    choosing: Choosing

    def pair(self, selection: Selection) -> tuple[Box, Array, Array]:
        """Windows, the elements kept so far, and those to compare with them next."""
        found = selection.step(self.choosing.number, selection.met)
        assert found is not None
        windows, elements = found
        return windows, self.choosing.kept[windows], self.operands[0][elements]

    def after(self, keeps: Array, selection: Selection) -> _Selecting:
        windows, _, candidates = self.pair(selection)
        return replace(self, choosing=self.choosing.after(windows, candidates, keeps))


def _ask_scatter(passes: ScatterPasses) -> Ask:
    arguments = passes.arguments()
    return Ask(passes, RunRegion(SCATTER, arguments, passes.number, arguments[0].shape))
