"""Windows combined by a NumPy routine, dimension by dimension, in blocks that stay in the processor's cache."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...ir.element_types import ElementType
from ..core.bodies import UFUNCS, Combiner
from ..core.numeric import has_negative_zero, maximum, minimum, round_to, widen
from ..core.op import Array
from ..core.quiet import quiet
from .sliding_windows import Slide, Slides, at_axis, blocks, counts, doubles, window_span

Combine = Callable[..., Any]
"""A function of two arrays, and optionally of one to write to."""
Box = Sequence[slice]
IDEMPOTENT = (Combiner.MAXIMUM, Combiner.MINIMUM, Combiner.AND, Combiner.OR)

_SIGNED_ZEROS: Mapping[Combiner, Combine] = {Combiner.MAXIMUM: maximum, Combiner.MINIMUM: minimum}


@dataclass(frozen=True)
class WindowFold:
    """The combination of all windows of a tensor of `shape` in a wide type; each is rounded once.

    Padding and holes hold the initial value, or nothing where `skips_padding`. Along an axis whose windows all
    begin at the first element, or all end at the last one, one pass does, however long they are.
    """

    combiner: Combiner
    slides: Slides
    shape: tuple[int, ...]
    element_type: ElementType
    skips_padding: bool = False

    def evaluate(self, operand: Array, initial: Array | None = None) -> Array:
        """`initial` comes once to each window; without it, all windows must have elements."""
        result = np.empty(self._number, self.element_type.dtype)
        start = self._identity if initial is None else widen(initial)
        is_idle = bool(start == self._identity)
        # What is padded must not count, or be the initial value, which comes in anyway.
        running = self._runs if is_idle or self.skips_padding or self.combiner in IDEMPOTENT else {}
        fill = start if initial is None else initial
        if self.skips_padding:
            # Types below a byte and those without infinity do not have it.
            operand = operand if self._identity.astype(operand.dtype) == self._identity else widen(operand)
            fill = self._identity.astype(operand.dtype)
        with quiet():
            for box in self._boxes if running is self._runs else self._blocks(()):
                index: tuple[Any, ...] = (*box, ...)
                target = result[index]
                source = widen(self._window_span(operand, fill, box, running))
                total = self._combine(source, box, running, self._out(source, target))
                if not is_idle or (self.combiner is Combiner.ADD and _has_negative_zero(total)):
                    total = self._exact(start, total)
                if total is not target:
                    target[...] = round_to(total, self.element_type)
        return result

    @cached_property
    def _number(self) -> tuple[int, ...]:
        return tuple(int(count or 0) for count in counts(self.slides, self.shape))

    @cached_property
    def _boxes(self) -> list[tuple[slice, ...]]:
        return self._blocks(tuple(self._runs))

    def _blocks(self, whole: tuple[int, ...]) -> list[tuple[slice, ...]]:
        return list(blocks(self.slides, self._number, whole)) if all(self._number) else []

    @property
    def is_running(self) -> bool:
        """Whether all windows begin at the first element, or all end at the last one, as those of a cumulative sum."""
        return all(axis in self._runs or slide.is_still for axis, slide in enumerate(self.slides))

    @cached_property
    def _runs(self) -> dict[int, bool]:
        """The axes along which one pass may do; `True` where windows end at the last element."""
        sizes = enumerate(zip(self.slides, self.shape, strict=True))
        found = {axis: runs(slide, size) for axis, (slide, size) in sizes}
        return {axis: backwards for axis, backwards in found.items() if backwards is not None}

    @cached_property
    def _axes(self) -> list[int]:
        """The axes in the order in which windows are combined along them."""
        axes = [axis for axis, slide in enumerate(self.slides) if slide.window > 1 or slide.stride > 1]
        # NumPy is fastest if rows are combined before what is in them; sums keep the elements' order.
        return axes[::-1] if self.combiner in (Combiner.ADD, Combiner.MULTIPLY) else axes

    @cached_property
    def _identity(self) -> Array:
        return identity(self.combiner, widen(np.empty((), self.element_type.dtype)).dtype)

    @cached_property
    def _exact(self) -> Combine:
        """The combiner that orders zeros by their signs; NumPy's takes either."""
        floats = self._identity.dtype.kind == "f"
        return _SIGNED_ZEROS.get(self.combiner, UFUNCS[self.combiner]) if floats else UFUNCS[self.combiner]

    def _out(self, source: Array, target: Array) -> Array | None:
        return target if source.dtype == target.dtype and self.element_type.name != "tf32" else None

    def _window_span(self, operand: Array, fill: Array, box: Box, running: Mapping[int, bool]) -> Array:
        """The box that the windows cover; all elements along running axes."""
        if not running:
            return window_span(operand, self.slides, box, fill)
        found = [Slide(self.shape[k]) if k in running else slide for k, slide in enumerate(self.slides)]
        windows = [slice(0, 1) if k in running else part for k, part in enumerate(box)]
        return window_span(operand, found, windows, fill)

    def _combine(self, source: Array, box: Box, running: Mapping[int, bool], out: Array | None) -> Array:
        ufunc = UFUNCS[self.combiner]
        if self._exact is minimum and has_negative_zero(source):
            return self._along_axes(source, box, running, self._exact, None)
        total = self._along_axes(source, box, running, ufunc, out)
        if self._exact is maximum and has_negative_zero(total):
            return self._along_axes(source, box, running, self._exact, None)
        return total

    def _along_axes(
        self, source: Array, box: Box, running: Mapping[int, bool], combine: Combine, out: Array | None
    ) -> Array:
        for axis in self._axes:
            slide, count = self.slides[axis], box[axis].stop - box[axis].start
            target = out if axis == self._axes[-1] else None
            if axis in running:
                source = _run(source, axis, slide, count, running[axis], combine, target)
            else:
                source = _slide(source, axis, slide, count, combine, target)
        return source


def _has_negative_zero(total: Array) -> bool:
    """Whether adding 0 may change an element."""
    return total.dtype.kind == "c" or (total.dtype.kind == "f" and has_negative_zero(total))


def runs(slide: Slide, size: int) -> bool | None:
    """Whether all windows begin at the first element or before it, and end at one (`False`); or begin at one,
    and end at the last element or behind it (`True`); or neither.
    """
    if slide.window < size or slide.window < 2 or slide.base_dilation != 1 or slide.window_dilation != 1:
        return None
    count = slide.count(size) or 0
    if count < 2:
        return None
    first, last = -slide.low, (count - 1) * slide.stride - slide.low
    if last <= 0 < first + slide.window and last + slide.window <= size:
        return False
    return True if first >= 0 and last < size <= first + slide.window else None


def _run(
    source: Array, axis: int, slide: Slide, count: int, backwards: bool, combine: Combine, out: Array | None
) -> Array:
    """At each window's end the combination of all elements up to there, or at its beginning of those from there
    on.
    """
    first = -slide.low if backwards else slide.window - 1 - slide.low
    ends = at_axis(axis, slice(first, first + (count - 1) * slide.stride + 1, slide.stride))
    turn = at_axis(axis, slice(None, None, -1 if backwards else None))
    if isinstance(combine, np.ufunc):
        if out is not None and count == source.shape[axis]:
            combine.accumulate(source[turn], axis, dtype=source.dtype, out=out[turn])
            return out
        return np.asarray(combine.accumulate(source[turn], axis, dtype=source.dtype)[turn][ends])
    total, step = source[turn], 1
    while step < source.shape[axis]:
        pairs = (total[at_axis(axis, part)] for part in (slice(None, -step), slice(step, None)))
        total = np.concatenate([total[at_axis(axis, slice(None, step))], combine(*pairs)], axis)
        step *= 2
    return np.asarray(total[turn][ends])


def _slide(source: Array, axis: int, slide: Slide, count: int, combine: Combine, out: Array | None) -> Array:
    """The windows along one axis, each combined from its first element to its last."""
    total: Array = source[at_axis(axis, slide.nth(0, count))]
    if slide.window == 1:
        return total
    if not isinstance(combine, np.ufunc):
        return _from_halves(source, axis, slide, count, combine)
    if count == 1:
        window = source[at_axis(axis, slice(None, None, slide.window_dilation))]
        # NumPy's own sum of nothing but -0 is 0.
        start = {"initial": identity(Combiner.ADD, source.dtype)} if combine is np.add else {}
        return np.asarray(combine.reduce(window, axis, dtype=source.dtype, keepdims=True, out=out, **start))
    if doubles(slide, count, source.size // source.shape[axis]):
        return _from_halves(source, axis, slide, count, combine)
    for number in range(1, slide.window):
        total = out = combine(total, source[at_axis(axis, slide.nth(number, count))], out=out)
    return np.asarray(total)


def _from_halves(source: Array, axis: int, slide: Slide, count: int, combine: Combine) -> Array:
    """The combined windows along an axis, from runs of 1, 2, 4, … elements, computed at every position."""
    total, done, length = None, 0, 1
    while True:
        if slide.window & length:
            part = source[at_axis(axis, slide.nth(done, count))]
            total, done = part if total is None else combine(total, part), done + length
        if done == slide.window:
            return np.asarray(total)
        apart = length * slide.window_dilation
        source = combine(
            source[at_axis(axis, slice(None, -apart))], source[at_axis(axis, slice(apart, None))]
        )
        length *= 2


def identity(combiner: Combiner, dtype: np.dtype[Any]) -> Array:
    """The neutral element: combining it with an element changes nothing."""
    if combiner in (Combiner.MAXIMUM, Combiner.MINIMUM):
        return _extreme(dtype, combiner is Combiner.MINIMUM)
    if combiner is Combiner.AND:
        return np.asarray(~np.zeros((), dtype))
    if combiner is Combiner.ADD and dtype.kind in "fc":
        return np.asarray(complex(-0.0, -0.0) if dtype.kind == "c" else -0.0, dtype)  # 0 would make 0 of -0
    return np.asarray(combiner is Combiner.MULTIPLY).astype(dtype)


def _extreme(dtype: np.dtype[Any], greatest: bool) -> Array:
    if dtype.kind in "fc":
        infinity = np.inf if greatest else -np.inf
        return np.asarray(infinity if dtype.kind == "f" else complex(infinity, infinity), dtype)
    if dtype.kind == "b":
        return np.asarray(greatest)
    limits = np.iinfo(dtype)
    return np.asarray(limits.max if greatest else limits.min, dtype)
