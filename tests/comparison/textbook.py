"""Textbook programs that lose their digits, each with the op to blame, and sound ones that look alike.

Source of the formulas: W. Kahan, How Futile are Mindless Assessments of Roundoff; N. J. Higham, Accuracy and Stability of
Numerical Algorithms, chapters 1 and 4; J.-M. Muller's recurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np


class Text:
    """Writes StableHLO of one element type, op by op; values are names."""

    def __init__(self, shape: str, inputs: int) -> None:
        self.type = f"tensor<{shape}>"
        self.element = shape.rsplit("x", 1)[-1]
        self.inputs = [f"%x{number}" for number in range(inputs)]
        self.lines: list[str] = []

    def line(self, text: str) -> str:
        """Write an op; its result's name."""
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def constant(self, value: float) -> str:
        """A constant of the type."""
        return self.line(f"stablehlo.constant dense<{float(value)!r}> : {self.type}")

    def op(self, kind: str, *operands: str | float) -> str:
        """An elementwise op; numbers become constants."""
        names = [each if isinstance(each, str) else self.constant(each) for each in operands]
        return self.line(f"stablehlo.{kind} {', '.join(names)} : {self.type}")

    def sum(self, value: str, of: str | None = None) -> str:
        """The sum of a vector."""
        zero = self.line(f"stablehlo.constant dense<0.0> : tensor<{self.element}>")
        return self.line(
            f"stablehlo.reduce({value} init: {zero}) applies stablehlo.add across dimensions = [0]"
            f" : ({of or self.type}, tensor<{self.element}>) -> tensor<{self.element}>"
        )

    def program(self, result: str, returned: str | None = None) -> str:
        """The whole program."""
        arguments = ", ".join(f"{name}: {self.type}" for name in self.inputs)
        found = returned or self.type
        body = "\n".join(self.lines)
        return f"func.func @main({arguments}) -> {found} {{\n{body}\n  return {result} : {found}\n}}\n"


@dataclass(frozen=True)
class Case:
    """A program, its inputs, and what a shadow says of it."""

    name: str
    write: Callable[[Text], tuple[str, str | None]]
    """Writes the ops; the result and its type, if that is another."""
    inputs: Sequence[Any]
    guilty: str = ""
    """Kind of the op to blame; empty: the program is sound."""
    shape: str = "f32"
    born: str = ""
    """Kind of the op in which the loss is born, where it is another."""
    occurrence: int = -1
    """Which op of this kind, where there are several; the last."""
    dtype: Any = field(default=np.float32)

    @property
    def text(self) -> str:
        """The program."""
        text = Text(self.shape, len(self.inputs))
        result, returned = self.write(text)
        return text.program(result, returned)


def _of(write: Callable[..., str]) -> Callable[[Text], tuple[str, str | None]]:
    return lambda text: (write(text, *text.inputs), None)


def _scalar(write: Callable[..., str]) -> Callable[[Text], tuple[str, str | None]]:
    return lambda text: (write(text, *text.inputs), f"tensor<{text.element}>")


def _smaller_root(t: Text, a: str, b: str, c: str) -> str:
    inside = t.op("subtract", t.op("multiply", b, b), t.op("multiply", t.op("multiply", a, c), 4.0))
    return t.op("divide", t.op("subtract", t.op("sqrt", inside), b), t.op("multiply", a, 2.0))


def _variance_by_squares(t: Text, x: str) -> str:
    size = float(t.type.removeprefix("tensor<").split("x")[0])
    scalar = Text(t.element, 0)
    scalar.lines = t.lines
    mean = scalar.op("divide", t.sum(x), size)
    squares = scalar.op("divide", t.sum(t.op("multiply", x, x)), size)
    return scalar.op("subtract", squares, scalar.op("multiply", mean, mean))


def _variance_by_mean(t: Text, x: str) -> str:
    size = float(t.type.removeprefix("tensor<").split("x")[0])
    scalar = Text(t.element, 0)
    scalar.lines = t.lines
    mean = scalar.op("divide", t.sum(x), size)
    wide = t.line(f"stablehlo.broadcast_in_dim {mean}, dims = [] : (tensor<{t.element}>) -> {t.type}")
    apart = t.op("subtract", x, wide)
    return scalar.op("divide", t.sum(t.op("multiply", apart, apart)), size)


def _muller(t: Text, z: str, y: str) -> str:
    for _ in range(12):
        inner = t.op("subtract", 815.0, t.op("divide", 1500.0, z))
        z, y = y, t.op("subtract", 108.0, t.op("divide", inner, y))
    return y


def _steps(t: Text, term: str | float, count: int) -> str:
    total = t.constant(0.0)
    added = term if isinstance(term, str) else t.constant(term)
    for _ in range(count):
        total = t.op("add", total, added)
    return total


def _taylor(t: Text, x: str) -> str:
    term = total = t.constant(1.0)
    for number in range(1, 60):
        term = t.op("divide", t.op("multiply", term, x), float(number))
        total = t.op("add", total, term)
    return total


def _softmax(t: Text, x: str) -> str:
    high = t.op("exponential", x)
    total = t.line(f"stablehlo.broadcast_in_dim {t.sum(high)}, dims = [] : (tensor<{t.element}>) -> {t.type}")
    return t.op("divide", high, total)


def _kahan(t: Text, x: str) -> str:
    total, lost = t.constant(0.0), t.constant(0.0)
    for _ in range(300):
        mended = t.op("subtract", x, lost)
        grown = t.op("add", total, mended)
        lost = t.op("subtract", t.op("subtract", grown, total), mended)
        total = grown
    return total


def _log_of_sum(t: Text, x: str) -> str:
    scalar = Text(t.element, 0)
    scalar.lines = t.lines
    return scalar.op("log", t.sum(t.op("exponential", x)))


def _root_of_difference(t: Text, x: str) -> str:
    return t.op("subtract", t.op("sqrt", t.op("add", x, 1.0)), t.op("sqrt", x))


_RANDOM = np.random.default_rng(7)
_OFFSET = (1e4 + _RANDOM.uniform(0, 1, 1024)).astype(np.float32)

CASES: tuple[Case, ...] = (
    Case(
        "what is left of 1",
        _of(lambda t, x: t.op("subtract", t.op("add", x, 1.0), x)),
        [1e8],
        "subtract",
        born="add",
    ),
    Case("roots of neighbours", _of(_root_of_difference), [1e6], "subtract"),
    Case("smaller root", _of(_smaller_root), [1.0, 1e4, 1.0], "subtract"),
    Case(
        "cosine near 0",
        _of(lambda t, x: t.op("divide", t.op("subtract", 1.0, t.op("cosine", x)), t.op("multiply", x, x))),
        [1e-3],
        "subtract",
    ),
    Case("expm1", _of(lambda t, x: t.op("subtract", t.op("exponential", x), 1.0)), [1e-5], "subtract"),
    Case("x - sin x", _of(lambda t, x: t.op("subtract", x, t.op("sine", x))), [1e-2], "subtract"),
    Case("variance by squares", _scalar(_variance_by_squares), [_OFFSET], "subtract", "1024xf32"),
    Case(
        "determinant",
        _of(lambda t, a, b, c, d: t.op("subtract", t.op("multiply", a, d), t.op("multiply", b, c))),
        [1.0001, 1.0, 1.0002, 1.0001],
        "subtract",
        born="multiply",
    ),
    Case(
        "1 - tanh^2",
        _of(lambda t, x: t.op("subtract", 1.0, t.op("multiply", t.op("tanh", x), t.op("tanh", x)))),
        [9.0],
        "subtract",
    ),
    Case("Muller", _of(_muller), [4.0, 4.25], "subtract"),
    Case(
        "ones in bf16",
        _of(lambda t: _steps(t, 1.0, 400)),
        [],
        "add",
        "bf16",
        dtype=ml_dtypes.bfloat16,
    ),
    Case("Taylor of exp(-10)", _of(_taylor), [-10.0], "add"),
    Case("log1p", _of(lambda t, x: t.op("log", t.op("add", x, 1.0))), [1e-6], "log", born="add"),
    Case(
        "compound interest",
        _of(lambda t, n: t.op("power", t.op("add", t.op("divide", 1.0, n), 1.0), n)),
        [1e6],
        "power",
        born="add",
    ),
    Case(
        "sine of much",
        _of(lambda t, x: t.op("sine", t.op("multiply", x, 3.1))),
        [1e5],
        "sine",
        born="multiply",
    ),
    Case(
        "log of small sum",
        _scalar(_log_of_sum),
        [np.linspace(-102, -100, 64).astype(np.float32)],
        "exponential",
        "64xf32",
    ),
    Case(
        "hypotenuse",
        _of(lambda t, a, b: t.op("sqrt", t.op("add", t.op("multiply", a, a), t.op("multiply", b, b)))),
        [1e20, 1e20],
        "multiply",
    ),
    Case("softmax of 90", _of(_softmax), [np.array([89.0, 90.0, 91.0], np.float32)], "exponential", "3xf32"),
    Case(
        "square of a distance",
        _of(
            lambda t, x, y: t.op(
                "subtract",
                t.op("add", t.op("multiply", x, x), t.op("multiply", y, y)),
                t.op("multiply", t.op("multiply", x, y), 2.0),
            )
        ),
        [1.0, 1.0001],
        "subtract",
    ),
    Case(
        "logit",
        _of(lambda t, x: t.op("log", t.op("subtract", 1.0, t.op("exponential", x)))),
        [-1e-6],
        "subtract",
    ),
    Case("softmax up to 86", _of(_softmax), [np.linspace(80, 86, 16).astype(np.float32)], "", "16xf32"),
    Case("variance by mean", _scalar(_variance_by_mean), [_OFFSET - np.float32(9900)], "", "1024xf32"),
    Case("Kahan", _of(_kahan), [0.1], ""),
    Case("sums of halves", _of(lambda t: _steps(t, 0.5, 200)), [], ""),
)
