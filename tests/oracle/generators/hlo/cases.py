"""One module of HLO text with its inputs, and what makes one of an instruction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.types import TensorType

from ...cases import Case, seeds
from ...values import element_types
from .text import Computation, Program, Shape, Style, Value, styles

BELOW_A_BYTE = ("i2", "i4", "ui2", "ui4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
WITHOUT_CODE = ("i2", "ui2", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU")
"""Types for which XLA on CPU lacks constants or crashes on some ops."""


@dataclass(frozen=True)
class HloCase:
    """A complete module; the operands, results and tolerances of `case` are those of the entry computation."""

    opcode: str
    text: str
    case: Case = field(repr=False)
    emitted: bool = False
    """Whether XLA runs it as it is written, rather than as it would compile a program."""


flags: st.SearchStrategy[Any] = st.booleans()
"""Whether something is said that need not be."""


def computable(kinds: str) -> st.SearchStrategy[ElementType]:
    """Element types that XLA on CPU computes with."""
    return element_types(kinds).filter(lambda found: found.name not in WITHOUT_CODE)


def one(
    draw: st.DrawFn,
    opcode: str,
    types: Sequence[TensorType],
    results: TensorType | Sequence[TensorType],
    *attributes: str,
    computations: Sequence[Computation] = (),
    **stated: Any,
) -> HloCase:
    """A module of the one instruction, its operands the parameters; several results are a tuple."""
    shape: Shape = results if isinstance(results, TensorType) else tuple(results)

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op(opcode, operands, shape, *attributes)

    return module(draw, opcode, types, results, build, computations, **stated)


def module(
    draw: st.DrawFn,
    opcode: str,
    types: Sequence[TensorType],
    results: TensorType | Sequence[TensorType],
    build: Callable[[Computation, list[Value]], Value | None],
    computations: Sequence[Computation] = (),
    emitted: bool | None = False,
    style: Style | None = None,
    **stated: Any,
) -> HloCase:
    """A module whose entry is what `build` makes of the parameters; `emitted`: `None` for either."""
    entry = Computation("main.9")
    operands = [entry.parameter(found) for found in types]
    entry.root = build(entry, operands)
    text = Program((*computations, entry)).text(style or draw(styles))
    listed = (results,) if isinstance(results, TensorType) else tuple(results)
    stated.setdefault("seed", draw(seeds))
    # What known differences look for in a statement is in the lines.
    case = Case(text, tuple(types), listed, **stated)
    if emitted is None:
        emitted = can_be_emitted(case) and draw(st.booleans())
    return HloCase(opcode, text, case, emitted)


def can_be_emitted(case: Case) -> bool:
    """Parameters and results below a byte are packed, of which the module itself says nothing."""
    return not any(found.element_type.name in BELOW_A_BYTE for found in (*case.types, *case.results))
