"""reduce_window: a binary function over the elements of each window that slides over a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...indexing import OperandMap, WindowIndexing
from ...ir.element_types import F64, UI8
from ...ir.module import Region
from ...ir.types import TensorType, Type, is_quantized
from ..core.bodies import (
    Combiner,
    body_constraints,
    combiners,
    initial_cautions,
    initial_constraints,
    operation_count,
    reduced_constraints,
)
from ..core.body_reads import combined_maps
from ..core.facets import (
    Drawing,
    HloSpelling,
    Picture,
    Roles,
    Rounding,
    Section,
    Shown,
    SlidingWindows,
    name_dimensions,
    no_names,
    numbered,
)
from ..core.op import Array, Ask, Constraint, Cost, RunRegion, merged_shape
from ..core.ranks import OperandRanks, SeenRanks, is_inexact, worst_ranks
from ..core.rounding import (
    NO_ERROR,
    UNKNOWN,
    Error,
    Errors,
    in_blocks,
    is_exact,
    is_whole,
    magnitude,
    product_error,
    sum_error,
    where_uncertain,
)
from .folding_op import FoldingFindings, InitialFolding
from .sliding_windows import Slide, blocks, combinations, counts, slides, window_constraints
from .window_folds import WindowFold
from .window_passes import WindowPasses, first_window_pass

Arrays = tuple[Array, ...]


class ReduceWindowRounding(Rounding["ReduceWindow"]):
    def error_bound(self, op: ReduceWindow, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        if op._folds is None:
            return super().error_bound(op, operands, errors, results)
        count = len(op.inputs)
        given = zip(operands[:count], errors[:count], operands[count:], errors[count:], strict=True)
        return tuple(
            op._window_bound(fold.combiner, *found, result)
            for fold, found, result in zip(op._folds, given, results, strict=True)
        )


class ReduceWindowDrawing(Drawing["ReduceWindow"]):
    def dimension_roles(self, op: ReduceWindow) -> Roles:
        windowed = [k for k, slide in enumerate(op._slides) if not slide.is_still]
        names, count = name_dimensions(op.inputs[0].rank, {"window": windowed}), len(op.inputs)
        return (*[names] * count, *no_names(*op.init_values)), (names,) * count

    def picture(self, op: ReduceWindow) -> Picture | None:
        if not op.open_sizes.are_known(op):
            return None
        inputs = [Shown("operand", number) for number in range(len(op.inputs))]
        return SlidingWindows.of(Shown("result"), inputs, op.indexing)

    def documented_maps(self, op: ReduceWindow) -> Iterator[OperandMap]:
        """Every result reads every input, whatever the body does."""
        return op.indexing.reduce_window_maps(len(op.inputs))


class ReduceWindowFindings(FoldingFindings["ReduceWindow"]):
    def accumulates(self, op: ReduceWindow) -> bool:
        overlap = any(slide.stride < slide.window for slide in op._slides)
        return overlap and op._combiners == (Combiner.ADD,) and op._element_types[0].is_integer

    def ranks_read(
        self, op: ReduceWindow, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        """The greatest rank among the elements of each window, of all inputs and initial values."""
        count = len(op.inputs)
        fold = WindowFold(Combiner.MAXIMUM, op._slides, operands[0].shape, UI8, skips_padding=True)
        start = np.zeros((), np.uint8)
        windows = [fold.evaluate(found, start) for found in ranks[:count] if found is not None]
        return (worst_ranks([*windows, *ranks[count:]]),) * len(results)


@dataclass(frozen=True)
class ReduceWindow(InitialFolding):
    """Combines the elements of each window of `inputs` with `body`, starting from `init_values`.

    Windows lie on the padded inputs: `base_dilations` puts holes between elements, `padding` adds some at the
    edges or, negative, removes elements and holes. Holes and padding hold `init_values`, which count like any
    element, and `init_values` come once more, before them all; with `skips_padding`, as in HLO text, holes and
    padding count for nothing. The specification leaves open in which tree a window is combined, in row-major
    order. Here windows are combined along one dimension after another, from the last to the first, element by
    element or, where windows are long, from runs of 1, 2, 4, … elements that windows share; recognised bodies
    are done by NumPy: floats below f32 accumulate in f32 and are rounded once, where any other body rounds after
    each op. Specification: reduce_window.
    """

    name = "stablehlo.reduce_window"
    findings = ReduceWindowFindings()
    hlo = HloSpelling(
        "reduce-window",
        "ReduceWindow",
        note="Padding and the holes of dilation are left out of a window, and the initial value counts once in "
        "each; StableHLO has an initial value at every place without an element. `window={…}` states sizes, "
        "strides, padding and dilations.",
        packs_results=True,
    )
    section = Section(
        input_labels=numbered(
            "inputs init_values window_dimensions window_strides base_dilations window_dilations padding body"
        ),
        result_labels={"shape": "C15", "shape 1": "C14", "element_type": "C16"},
    )
    rounding = ReduceWindowRounding()
    drawing = ReduceWindowDrawing()

    inputs: tuple[TensorType, ...]
    init_values: tuple[TensorType, ...]
    body: Region
    window_dimensions: tuple[int, ...]
    window_strides: tuple[int, ...] | None = None
    base_dilations: tuple[int, ...] | None = None
    window_dilations: tuple[int, ...] | None = None
    padding: tuple[tuple[int, ...], ...] | None = None
    skips_padding: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield from reduced_constraints(self.inputs, self.init_values, "C1", "C2")
        numbers = {
            "window_dimensions": ("C4", "C5", self.window_dimensions),
            "window_strides": ("C6", "C7", self.window_strides),
            "base_dilations": ("C8", "C9", self.base_dilations),
            "window_dilations": ("C10", "C11", self.window_dilations),
        }
        yield from window_constraints(self.inputs[0].rank, numbers, "C12", self.padding)
        yield from body_constraints("C13", "body", self.body, [x.element_type for x in self.inputs])
        yield from initial_constraints("C3", self.init_values, self.body)

    def cautions(self) -> Iterator[Constraint]:
        return initial_cautions("C3", self.inputs, self.init_values)

    def infer(self) -> tuple[TensorType, ...]:
        shape = counts(self._slides, merged_shape(*(x.shape for x in self.inputs)))
        return tuple(TensorType(shape, element_type) for element_type in self._element_types)

    @cached_property
    def _slides(self) -> tuple[Slide, ...]:
        return slides(
            self.window_dimensions,
            self.window_strides,
            self.base_dilations,
            self.window_dilations,
            self.padding,
        )

    @cached_property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        # Bodies over quantized values round after each op, so these are run as they are.
        found = None if any(map(is_quantized, self.inputs)) else combiners(self.body)
        return None if found is None or Combiner.REPLACE in found else tuple(found)

    @cached_property
    def _folds(self) -> tuple[WindowFold, ...] | None:
        if self._combiners is None:
            return None
        parts = zip(self._combiners, self.inputs, self._element_types, strict=True)
        return tuple(WindowFold(what, self._slides, x.sizes, to, self.skips_padding) for what, x, to in parts)

    def begin(self, operands: Arrays) -> Ask | Arrays:
        count = len(self.inputs)
        inputs = self._convert(operands[:count], self.inputs)
        initial = self._convert(operands[count:], self.init_values)
        if self._folds is not None:
            parts = zip(self._folds, inputs, initial, strict=True)
            return tuple(fold.evaluate(x, start) for fold, x, start in parts)
        number = tuple(int(size or 0) for size in counts(self._slides, inputs[0].shape))
        if 0 in number:
            return tuple(np.empty(number, found.dtype) for found in self._element_types)
        return _ask(first_window_pass(self._slides, number, inputs, initial, self.skips_padding))

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        assert isinstance(state, WindowPasses)
        following = state.after(answer)
        return _ask(following) if isinstance(following, WindowPasses) else following

    def _window_bound(
        self, combiner: Combiner, operand: Array, error: Error, initial: Array, start: Error, result: Array
    ) -> Error:
        sums = combiner is Combiner.ADD
        if combiner is Combiner.MULTIPLY and is_inexact(result.dtype):
            return self._product_bound(operand, error, initial, start, result)
        if not (sums or combiner in (Combiner.MAXIMUM, Combiner.MINIMUM)):
            return NO_ERROR if is_exact((error, start)) else UNKNOWN
        what = Combiner.ADD if sums else Combiner.MAXIMUM
        fold = WindowFold(what, self._slides, operand.shape, F64, self.skips_padding)
        carried = fold.evaluate(np.array(np.broadcast_to(error, operand.shape)), start)
        if not sums or not is_inexact(result.dtype):
            return carried
        sizes, first = magnitude(operand), magnitude(initial)
        terms = prod(self.window_dimensions) + 1
        energy = np.sqrt(fold.evaluate(sizes**2, first**2))
        own = sum_error(result, energy, terms, in_blocks(terms) if fold.is_running else terms)
        is_first_whole = is_whole(first, NO_ERROR, result.dtype)
        if is_first_whole and is_whole(sizes, fold.evaluate(sizes, first), result.dtype):
            own = where_uncertain(own, carried)
        return carried + own

    def _product_bound(
        self, operand: Array, error: Error, initial: Array, start: Error, result: Array
    ) -> Error:
        fold = WindowFold(Combiner.MULTIPLY, self._slides, operand.shape, F64, self.skips_padding)
        sizes, first = magnitude(operand), magnitude(initial)
        product = fold.evaluate(sizes, first)
        carried = fold.evaluate(sizes + error, first + start) - product
        own = product_error(result, product, prod(self.window_dimensions))
        return np.where(np.isfinite(magnitude(result)), carried + own, 0.0)

    def _fold_exactly(self, operands: Arrays, number: int, combiner: Combiner) -> Array:
        operand, initial = operands[number], operands[len(self.inputs) + number]
        fold = WindowFold(combiner, self._slides, operand.shape, F64, self.skips_padding)
        return fold.evaluate(operand.astype(np.float64), initial.astype(np.float64))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        indexing = self.indexing
        maps = indexing.inverse_reduce_window_maps if inverse else indexing.reduce_window_maps
        return combined_maps(maps(len(self.inputs)), self.body)

    @cached_property
    def indexing(self) -> WindowIndexing:
        found = self._slides
        return WindowIndexing(
            self.inputs[0].sizes,
            self.infer()[0].sizes,
            [slide.window for slide in found],
            [slide.stride for slide in found],
            [slide.low for slide in found],
            [slide.base_dilation for slide in found],
            [slide.window_dilation for slide in found],
        )

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The body for each two elements that are combined; what windows cover, and the lanes' values besides."""
        base = super().cost(operand_types, result_types)
        number = self.infer()[0].sizes
        if 0 in number:
            return base
        operations, count = operation_count(self.body), len(self.inputs)
        flops, others = prod(number), prod(map(Slide.extent, self._slides, number))
        scratch = 3 * self._block_elements(number) if self._folds else others * (2 * count + operations)
        for slide, windows in zip(reversed(self._slides), reversed(number), strict=True):
            others //= slide.extent(windows)
            flops += combinations(slide, windows, others)
            others *= windows
        converted = sum(x.element_count for x in self.inputs) if self._promotes else 0
        # Numbers are computed in at least 32 bits, complex ones in 128.
        size = max(16 if t.is_complex else max(4, t.dtype.itemsize) for t in self._element_types)
        return Cost(flops * operations * count, base.result_bytes, size * (scratch + converted))

    def _block_elements(self, number: tuple[int, ...]) -> int:
        """The number of elements combined in one block."""
        box = next(blocks(self._slides, number))
        return prod(slide.extent(part.stop) for slide, part in zip(self._slides, box, strict=True))

    @property
    def _promotes(self) -> bool:
        return any(x.element_type != to for x, to in zip(self.inputs, self._element_types, strict=True))


def _ask(passes: WindowPasses) -> Ask:
    arguments = passes.arguments()
    return Ask(passes, RunRegion(0, arguments, passes.pass_number, arguments[0].shape))
