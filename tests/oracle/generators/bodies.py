"""Bodies of reduce and scatter: those that the engine recognises, and those that it must run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hloscope.engine.ir.types import TensorType


@dataclass(frozen=True)
class Body:
    """Lines over `%x…` (what is there) and `%y…` (what comes), and what is returned. `{t}` is the type."""

    lines: tuple[str, ...]
    returned: tuple[str, ...]
    kinds: str
    """Element types that it fits."""

    def region(self, scalars: Sequence[TensorType]) -> str:
        """`({ ^bb0(…): … })` without the outer parentheses."""
        return f"{{\n  {self.block(scalars)}  }}"

    def block(self, scalars: Sequence[TensorType]) -> str:
        """The block with its arguments."""
        count = len(scalars)
        names = [f"%x{k}" for k in range(count)] + [f"%y{k}" for k in range(count)]
        arguments = ", ".join(f"{name}: {t}" for name, t in zip(names, [*scalars, *scalars], strict=True))
        return f"^bb0({arguments}):\n{self.text(scalars)}"

    def text(self, scalars: Sequence[TensorType]) -> str:
        """The operations alone."""
        returned = f"stablehlo.return {', '.join(self.returned)} : {', '.join(map(str, scalars))}"
        return "".join(f"    {line.format(t=scalars[0])}\n" for line in (*self.lines, returned))


def binary(name: str, kinds: str, swapped: bool = False) -> Body:
    """One op on one pair."""
    operands = "%y0, %x0" if swapped else "%x0, %y0"
    return Body((f"%z = stablehlo.{name} {operands} : {{t}}",), ("%z",), kinds)


RECOGNISED = (
    binary("add", "biufc"),
    binary("add", "biufc", swapped=True),
    binary("multiply", "biu"),
    binary("maximum", "biuf"),
    binary("minimum", "biuf"),
    binary("and", "biu"),
    binary("or", "biu"),
    binary("xor", "biu"),
)
"""Bodies of one input whose order does not matter to the last bit, on values whose sums are exact."""

UNRECOGNISED = (
    Body(  # x + y + xy is associative, also modulo 2^n
        (
            "%p = stablehlo.multiply %x0, %y0 : {t}",
            "%s = stablehlo.add %x0, %y0 : {t}",
            "%z = stablehlo.add %s, %p : {t}",
        ),
        ("%z",),
        "iu",
    ),
    Body((), ("%y0",), "biufc"),
    Body((), ("%x0",), "biufc"),
    Body(
        ("%n = stablehlo.not %y0 : {t}", "%m = stablehlo.not %n : {t}", "%z = stablehlo.or %x0, %m : {t}"),
        ("%z",),
        "biu",
    ),
)
"""Associative bodies of one input that no NumPy routine does."""

PAIRS = (
    Body(
        ("%z = stablehlo.add %x0, %y0 : {t}", "%w = stablehlo.maximum %x1, %y1 : {t}"),
        ("%z", "%w"),
        "iuf",
    ),
    Body(  # complex multiplication
        (
            "%a = stablehlo.multiply %x0, %y0 : {t}",
            "%b = stablehlo.multiply %x1, %y1 : {t}",
            "%c = stablehlo.multiply %x0, %y1 : {t}",
            "%d = stablehlo.multiply %x1, %y0 : {t}",
            "%z = stablehlo.subtract %a, %b : {t}",
            "%w = stablehlo.add %c, %d : {t}",
        ),
        ("%z", "%w"),
        "iu",
    ),
    Body((), ("%y0", "%y1"), "biufc"),
)
"""Bodies of two inputs of one type."""

ELEMENTS_CHANGED = (
    Body(("%p = stablehlo.multiply %y0, %y0 : {t}", "%z = stablehlo.add %x0, %p : {t}"), ("%z",), "iu"),
    Body(("%p = stablehlo.negate %y0 : {t}", "%z = stablehlo.minimum %p, %x0 : {t}"), ("%z",), "if"),
)
"""Bodies that do something to what comes before they combine it."""

ARGMAX = Body(
    (
        "%g = stablehlo.compare GE, %x0, %y0 : ({t}, {t}) -> tensor<i1>",
        "%z = stablehlo.select %g, %x0, %y0 : tensor<i1>, {t}",
        "%w = stablehlo.select %g, %x1, %y1 : tensor<i1>, {t}",
    ),
    ("%z", "%w"),
    "iu",
)
"""The greater value and its index; among equal ones the first."""


def accumulates_exactly(body: Body, name: str) -> bool:
    """Whether sums of a few small integers are exact in the element type."""
    adds = any("stablehlo.add" in line for line in body.lines)
    return not adds or name.startswith(("i", "u", "f32", "f64", "f16", "bf16", "complex"))
