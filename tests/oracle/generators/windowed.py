"""reduce_window and select_and_scatter: any windows, bodies that are recognised or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType

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
        if self.padding:
            parts.append(f"padding = dense<{[list(row) for row in self.padding]}> : tensor<{rank}x2xi64>")
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


SCATTERS = (*RECOGNISED, UNRECOGNISED[0], UNRECOGNISED[3])
"""Commutative ones: with others, oracles take the specification's freedom of order each in its own way."""
IDENTITIES = {"add": 0, "xor": 0, "multiply": 1}


@st.composite
def select_and_scatter(draw: st.DrawFn, by_xla: bool = False) -> Case:
    """Elements of any kind, NaN among them; few different ones, so that some are equal.

    The interpreter brings in the initial value once for each value that is sent, and does not survive more
    padding removed than there is; XLA does not survive tensors of rank 0.
    """
    scatter = draw(st.sampled_from(SCATTERS))
    kinds = "".join(kind for kind in scatter.kinds if kind != "c")
    element_type = draw(element_types(kinds).filter(lambda t: accumulates_exactly(scatter, t.name)))
    operand = TensorType(draw(small_shapes.filter(len) if by_xla else small_shapes), element_type)
    found = draw(
        windows(operand.sizes, dilated=False).filter(
            lambda found: min(found.padded(operand.sizes), default=0) >= 0 or by_xla
        )
    )
    source, scalar = operand.with_shape(found.counts(operand.sizes)), operand.with_shape(())
    types = (operand, source, scalar)
    statement = (
        f'%r = "stablehlo.select_and_scatter"({arguments(3)}) {found.attributes()} '
        f"({draw(_selects(scalar))}, {scatter.region([scalar])}) : ({typed(*types)}) -> {operand}"
    )
    flavours: tuple[Flavour, ...] = (draw(st.sampled_from(["edges", "small"])), "small", "small")
    identity = IDENTITIES.get(scatter.lines[-1].split()[2].removeprefix("stablehlo."))
    given = {} if by_xla or identity is None else {2: np.asarray(identity).astype(element_type.dtype)}
    return Case(statement, types, (operand,), draw(seeds), flavours, given, interpreter_only=not operand.rank)


@st.composite
def _selects(draw: st.DrawFn, scalar: TensorType) -> str:
    """One comparison, sometimes said in a way that is not recognised."""
    direction = draw(st.sampled_from(("GE", "GE", "GT", "LE", "LT")))
    operands = draw(st.sampled_from(("%p, %q", "%q, %p")))
    lines = [f"%c = stablehlo.compare {direction}, {operands} : ({scalar}, {scalar}) -> tensor<i1>"]
    if draw(st.booleans()):
        lines += ["%n = stablehlo.not %c : tensor<i1>", "%m = stablehlo.not %n : tensor<i1>"]
    returned = lines[-1].split()[0]
    lines.append(f"stablehlo.return {returned} : tensor<i1>")
    body = "".join(f"    {line}\n" for line in lines)
    return f"{{\n  ^bb0(%p: {scalar}, %q: {scalar}):\n{body}  }}"


GENERATORS = {
    "stablehlo.reduce_window": st.one_of(reduce_window(), reduce_window(), reduce_window(), float_sum()),
    "stablehlo.select_and_scatter": select_and_scatter(),
}
UNSAFE = {
    "stablehlo.reduce_window": reduce_window(survives=False),
    "stablehlo.select_and_scatter": select_and_scatter(by_xla=True),
}
