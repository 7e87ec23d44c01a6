"""reduce_window and select_and_scatter: any windows, bodies that are recognised or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, typed
from ..values import Flavour, element_types
from .bodies import ARGMAX, PAIRS, RECOGNISED, UNRECOGNISED, Body, accumulates_exactly


@dataclass(frozen=True)
class Windows:
    """The attributes; `None` where the text leaves one out."""

    dimensions: tuple[int, ...]
    strides: tuple[int, ...] | None
    base_dilations: tuple[int, ...] | None
    window_dilations: tuple[int, ...] | None
    padding: tuple[tuple[int, int], ...] | None

    def attributes(self) -> str:
        """As properties of the generic form."""
        rank = len(self.dimensions)
        parts = [f"window_dimensions = {integers(self.dimensions)}"]
        named = {
            "window_strides": self.strides,
            "base_dilations": self.base_dilations,
            "window_dilations": self.window_dilations,
        }
        parts += [f"{name} = {integers(value)}" for name, value in named.items() if value is not None]
        if self.padding is not None:
            rows = str([list(row) for row in self.padding]) if rank else ""
            parts.append(f"padding = dense<{rows}> : tensor<{rank}x2xi64>")
        return f"<{{{', '.join(parts)}}}>"

    def padded(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """`padded_input_shape` of the specification."""
        bases, rows = self.base_dilations or (1,) * len(shape), self.padding or ((0, 0),) * len(shape)
        return tuple(
            low + ((size - 1) * base + 1 if size else 0) + high
            for size, base, (low, high) in zip(shape, bases, rows, strict=True)
        )

    def counts(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """`num_windows` of the specification."""
        ones = (1,) * len(shape)
        parts = zip(
            self.padded(shape),
            self.dimensions,
            self.strides or ones,
            self.window_dilations or ones,
            strict=True,
        )
        reached = [(whole, (window - 1) * dilation + 1, stride) for whole, window, stride, dilation in parts]
        return tuple(
            0 if whole == 0 or reach > whole else (whole - reach) // stride + 1
            for whole, reach, stride in reached
        )


small_shapes = st.lists(st.sampled_from((0, 1, 2, 3, 3, 4, 5)), max_size=3).map(tuple)


@st.composite
def windows(draw: st.DrawFn, shape: tuple[int, ...], dilated: bool = True) -> Windows:
    """Small windows or long ones; padding of any kind, often that of a running sum."""

    def numbers(largest: int) -> st.SearchStrategy[tuple[int, ...]]:
        return st.tuples(*[st.integers(1, largest) for _ in shape])

    edges = st.integers(-2, 3)
    rows = st.tuples(*[st.tuples(edges, edges) for _ in shape])
    if draw(st.booleans()) and dilated:
        dimensions = tuple(max(1, size) for size in shape)
        padding = tuple((size - 1, 0) if draw(st.booleans()) else (0, size - 1) for size in dimensions)
        return Windows(dimensions, None, None, None, padding)
    return Windows(
        draw(numbers(3)),
        draw(st.none() | numbers(3)),
        draw(st.none() | numbers(2)) if dilated else None,
        draw(st.none() | numbers(2)) if dilated else None,
        draw(st.none() | rows),
    )


@st.composite
def reduce_window(draw: st.DrawFn, survives: bool = True) -> Case:
    """The interpreter does not survive more padding removed than there is."""
    body = draw(st.sampled_from((*RECOGNISED, *UNRECOGNISED, *PAIRS, ARGMAX)))
    count = len(body.returned)
    element_type = draw(element_types(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand = TensorType(draw(small_shapes), element_type)
    found = draw(
        windows(operand.sizes).filter(
            lambda found: min(found.padded(operand.sizes), default=0) >= 0 or not survives
        )
    )
    scalar, result = operand.with_shape(()), operand.with_shape(found.counts(operand.sizes))
    types, results = (operand,) * count + (scalar,) * count, (result,) * count
    flavour: Flavour = "small" if _rounds(body) and element_type.kind in ("float", "complex") else "edges"
    return Case(
        _reduce_window(body, found, types, results), types, results, draw(seeds), (flavour,) * len(types)
    )


def _rounds(body: Body) -> bool:
    return (
        not any(name in line for line in body.lines for name in ("maximum", "minimum")) or len(body.lines) > 1
    )


def _reduce_window(
    body: Body, found: Windows, types: tuple[TensorType, ...], results: tuple[TensorType, ...]
) -> str:
    count = len(results)
    names = "%r" if count == 1 else f"%r:{count}"
    given = typed(*results) if count == 1 else f"({typed(*results)})"
    return (
        f'{names} = "stablehlo.reduce_window"({arguments(2 * count)}) {found.attributes()} '
        f"({body.region(types[count:])}) : ({typed(*types)}) -> {given}"
    )


@st.composite
def float_sum(draw: st.DrawFn) -> Case:
    """Sums whose order of rounding is open, also running ones: close to the largest magnitude is enough."""
    element_type = draw(element_types("f").filter(lambda t: t.name in ("f32", "f64")))
    operand = TensorType((draw(st.integers(1, 60)), 3), element_type)
    found = draw(windows(operand.sizes).filter(lambda found: min(found.padded(operand.sizes)) >= 0))
    scalar, result = operand.with_shape(()), operand.with_shape(found.counts(operand.sizes))
    body = draw(st.sampled_from([found for found in RECOGNISED if "stablehlo.add" in found.lines[0]]))
    statement = _reduce_window(body, found, (operand, scalar), (result,))
    relative = 1e-4 if element_type.name == "f32" else 1e-12
    flavours: tuple[Flavour, ...] = ("normal", "normal")
    given = {1: np.array(0, element_type.dtype)}
    return Case(statement, (operand, scalar), (result,), draw(seeds), flavours, given, relative=relative)


GENERATORS = {
    "stablehlo.reduce_window": st.one_of(reduce_window(), reduce_window(), reduce_window(), float_sum()),
}

UNSAFE = {"stablehlo.reduce_window": reduce_window(survives=False)}
