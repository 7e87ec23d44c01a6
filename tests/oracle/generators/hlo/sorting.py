"""sort by comparators of any kind, topk, and the custom call that XLA makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I32
from hloscope.engine.ir.types import TensorType

from ...cases import seeds, sizes
from ...values import Array, array
from ..sorting import I1, Lines, computed, input_types, key, sides, tame
from .cases import HloCase, computable, one
from .text import Computation, Value, dimensions


@dataclass(frozen=True)
class _Comparator(Lines):
    """Writes the operations of a comparator as instructions; values have the names that `Lines` gives."""

    computation: Computation
    values: dict[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, types: Sequence[TensorType]) -> _Comparator:
        """Its parameters are the two elements of each input."""
        found = cls([], Computation("compare.5"))
        for number, input_type in enumerate(types):
            for name in sides(number):
                found.values[name] = found.computation.parameter(input_type.with_shape(()))
        return found

    def _add(self, opcode: str, operands: str, result: TensorType, *attributes: str) -> str:
        name = f"%v{len(self.values)}"
        given = [self.values[operand] for operand in operands.split(", ")]
        self.values[name] = self.computation.op(opcode, given, result, *attributes)
        return name

    def op(self, name: str, operands: str, found: TensorType, result: TensorType | None = None) -> str:
        return self._add(name, operands, result or found)

    def constant(self, literal: str, found: TensorType) -> str:
        name = f"%v{len(self.values)}"
        value = {"true": 1.0, "false": 0.0}.get(literal, np.nan if literal.startswith("0x") else None)
        number = float(literal) if value is None else value
        self.values[name] = self.computation.constant(number, found)
        return name

    def compare(self, direction: str, left: str, right: str, found: TensorType, order: str = "") -> str:
        kind = f"type={order.removeprefix(', ')}" if order else ""
        return self._add("compare", f"{left}, {right}", I1, f"direction={direction}", kind)

    def select(self, chosen: str, left: str, right: str, found: TensorType) -> str:
        return self._add("select", f"{chosen}, {left}, {right}", found)


@st.composite
def by_keys(draw: st.DrawFn) -> HloCase:
    """One key or several, NaN and zeros of both signs among them, in any form that is known."""
    types = draw(input_types("biufc").filter(_has_code))
    count = len(types)
    numbers = draw(st.permutations(range(count)))[: draw(st.integers(1, count))]
    lines = _Comparator.of(types)
    keys = [key(draw, lines, k, types[k], strict=k != numbers[-1]) for k in numbers]
    less = keys[-1][0]
    for first, equal in reversed(keys[:-1]):
        if draw(st.booleans()):
            less = lines.select(equal, less, first, I1)
        else:
            rest = lines.op("and", f"{equal}, {less}", I1)
            less = lines.op("or", f"{first}, {rest}", I1)
    return _sort(draw, types, lines, less)


@st.composite
def by_plain_floats(draw: st.DrawFn) -> HloCase:
    """LT and GT as floats, which are an order where there is no NaN; -0 equals 0."""
    types = draw(input_types("f").filter(_has_code))
    lines = _Comparator.of(types)
    number = draw(st.integers(0, len(types) - 1))
    order = draw(st.sampled_from(("", ", FLOAT")))
    less = lines.compare(
        draw(st.sampled_from(("LT", "GT"))), *sides(number), types[number].with_shape(()), order
    )
    return _sort(draw, types, lines, less, tamed=True)


@st.composite
def by_anything(draw: st.DrawFn) -> HloCase:
    """Comparators that are run: of what is computed of one element, of two inputs, or of nothing."""
    found = draw(input_types("iu").filter(lambda types: types[0].element_type.bits >= 8))[0]
    types = (found,) * draw(st.integers(1, 3))
    lines, scalar = _Comparator.of(types), found.with_shape(())
    kind = draw(st.sampled_from(("not", "popcnt", "sum", "bits", "nothing")))
    if kind == "nothing":
        less = lines.constant("false", I1)
    else:
        left, right = (computed(lines, kind, side, len(types), scalar) for side in "xy")
        less = lines.compare(draw(st.sampled_from(("LT", "GT", "LE", "GE"))), left, right, scalar)
    return _sort(draw, types, lines, less)


def _has_code(types: Sequence[TensorType]) -> bool:
    names = ("i2", "ui2", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU")
    return all(found.element_type.name not in names and found.rank for found in types)


def _sort(
    draw: st.DrawFn, types: Sequence[TensorType], lines: _Comparator, less: str, tamed: bool = False
) -> HloCase:
    lines.computation.root = lines.values[less]
    seed = draw(seeds)
    given: dict[int, Array] = {}
    few = draw(st.booleans())  # few different elements, so that many are equal
    for number, found in enumerate(types):
        value = array(seed + 7919 * number, found)
        if few:
            some = array(seed + number, found.with_shape((3,)))
            value = some[np.random.default_rng(seed).integers(0, 3, found.sizes)]
        given[number] = tame(value, zeros=False) if tamed else value
    return one(
        draw,
        "sort",
        types,
        types[0] if len(types) == 1 else types,
        dimensions([draw(st.integers(0, types[0].rank - 1))]),
        "is_stable=true",
        "to_apply=@compare.5",
        computations=[lines.computation],
        seed=seed,
        given=given,
    )


_wide = computable("iuf").filter(lambda found: found.bits >= 8)


@st.composite
def topk(draw: st.DrawFn) -> HloCase:
    operand = TensorType((*draw(st.lists(sizes, max_size=2)), draw(st.integers(1, 7))), draw(_wide))
    k = draw(st.integers(1, operand.sizes[-1]))
    values = operand.with_shape((*operand.sizes[:-1], k))
    largest = draw(st.sampled_from(("true", "false")))
    results = (values, values.with_element_type(I32))
    return one(draw, "topk", [operand], results, f"k={k}", f"largest={largest}")


@st.composite
def top_k_call(draw: st.DrawFn) -> HloCase:
    """What XLA makes of topk, and of sorts that it recognises: rows of f32."""
    rows = draw(st.lists(st.integers(1, 3), max_size=1))
    operand = TensorType((*rows, draw(st.integers(1, 9))), ELEMENT_TYPES["f32"])
    k = draw(st.integers(1, operand.sizes[-1]))
    values = operand.with_shape((*operand.sizes[:-1], k))
    given = {0: tame(array(draw(seeds), operand, "normal"), zeros=True)}
    results = (values, values.with_element_type(I32))
    return one(
        draw, "custom-call", [operand], results, 'custom_call_target="TopK"', emitted=None, given=given
    )


GENERATORS = {
    "sort": st.one_of(by_keys(), by_plain_floats(), by_anything()),
    "topk": topk(),
}
