"""Drafts of programs: what a builder needs beside XLA's functions to write many small programs in few lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hloscope.engine.builder import DotDimensionNumbers, XlaBuilder, XlaOp
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]


def _definite(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A symmetric positive definite matrix whose condition number is small."""
    matrix = random.standard_normal(shape)
    return matrix @ matrix.T / shape[0] + np.eye(shape[0])


DRAWN: Mapping[str, Draw] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "uniform": lambda random, shape: random.uniform(0.01, 0.99, shape),
    "positive": lambda random, shape: np.exp(random.standard_normal(shape) / 2),
    "weights": lambda random, shape: random.standard_normal(shape) / np.sqrt(shape[-2]),
    "definite": _definite,
    "index": lambda random, shape: random.integers(0, 8, shape),
    "complex": lambda random, shape: random.standard_normal(shape) + 1j * random.standard_normal(shape),
}
"""Distributions of inputs by name."""


class Draft(XlaBuilder):
    """A program under construction, with the distribution of each of its inputs."""

    def __init__(self, name: str = "main") -> None:
        super().__init__(name)
        self.drawn: list[tuple[str, TensorType]] = []

    def input(self, shape: str, drawn: str = "normal") -> XlaOp:
        """The next parameter."""
        made = self.parameter(len(self.drawn), shape)
        self.drawn.append((drawn, made.tensor))
        return made

    def inputs(self, seed: int) -> list[Array]:
        """Inputs of the program, the same for the same seed."""
        random = np.random.default_rng(seed)
        return [
            np.asarray(DRAWN[drawn](random, tensor.sizes)).astype(tensor.element_type.dtype)
            for drawn, tensor in self.drawn
        ]

    def text(self, *results: XlaOp) -> str:
        """The program that returns these results, as StableHLO."""
        return self.build(self.tuple(results)).as_stablehlo_text()


Function = Callable[..., XlaOp | Sequence[XlaOp]]
"""Writes a program into a draft and returns its results."""


def drafted(function: Function, **options: Any) -> tuple[str, Draft]:
    """The text of a program, and its draft, which draws its inputs."""
    draft = Draft()
    results = function(draft, **options)
    return draft.text(*([results] if isinstance(results, XlaOp) else results)), draft


# Reductions keep their dimensions, so that results broadcast.


def _kept(x: XlaOp, axis: int) -> tuple[int, list[int]]:
    axis %= x.rank
    return axis, [1 if at == axis else size for at, size in enumerate(x.tensor.sizes)]


def total(x: XlaOp, axis: int = -1) -> XlaOp:
    axis, sizes = _kept(x, axis)
    found = x.builder.reduce(x, 0.0, lambda p, q: p + q, [axis])
    return x.builder.reshape(found, sizes)


def product(x: XlaOp, axis: int = -1) -> XlaOp:
    axis, sizes = _kept(x, axis)
    return x.builder.reshape(x.builder.reduce(x, 1.0, lambda p, q: p * q, [axis]), sizes)


def highest(x: XlaOp, axis: int = -1) -> XlaOp:
    axis, sizes = _kept(x, axis)
    found = x.builder.reduce(x, -np.inf, lambda p, q: p.builder.max(p, q), [axis])
    return x.builder.reshape(found, sizes)


def lowest(x: XlaOp, axis: int = -1) -> XlaOp:
    return -highest(-x, axis)


def mean(x: XlaOp, axis: int = -1) -> XlaOp:
    return total(x, axis) / float(x.tensor.sizes[axis])


def variance(x: XlaOp, axis: int = -1, dof: int = 0) -> XlaOp:
    centred = x - mean(x, axis)
    return total(centred * centred, axis) / float(x.tensor.sizes[axis] - dof)


def softmax(x: XlaOp, axis: int = -1) -> XlaOp:
    power = x.builder.exp(x - highest(x, axis))
    return power / total(power, axis)


def turned(x: XlaOp) -> XlaOp:
    """The last two dimensions exchanged."""
    order = [*range(x.rank)]
    return x.builder.transpose(x, [*order[:-2], order[-1], order[-2]])


def product_of(x: XlaOp, y: XlaOp) -> XlaOp:
    """The product of matrices, or of stacks of them."""
    if x.rank == 2:
        return x.builder.dot(x, y)
    stack = tuple(range(x.rank - 2))
    return x.builder.dot_general(x, y, DotDimensionNumbers(stack, stack, (x.rank - 1,), (x.rank - 2,)))


def part(x: XlaOp, start: int, stop: int, axis: int = -1) -> XlaOp:
    return x.builder.slice_in_dim(x, start, stop, 1, axis % x.rank)


def repeated(count: int, step: Callable[..., Sequence[XlaOp]], *start: XlaOp) -> list[XlaOp]:
    """A `while` loop that applies `step` to the values `count` times; `step` receives the number of the iteration first."""
    b = start[0].builder
    state = b.while_(lambda s: s[0] < count, lambda s: (s[0] + 1, *step(*s)), [b.constant(0), *start])
    return [*state][1:]


def cast(x: XlaOp, dtype: str) -> XlaOp:
    return x.builder.convert_element_type(x, dtype)
