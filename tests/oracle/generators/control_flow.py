"""while, if and case: loops that end, branches over all indices."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, I32
from hloscope.engine.ir.types import TensorType

from ..cases import Case, seeds, shapes
from ..values import Flavour, element_types

INDEX = TensorType((), I32)
PRED = TensorType((), I1)


@st.composite
def while_(draw: st.DrawFn) -> Case:
    """Counts `%a0` down to a bound and changes a tensor each time, by a value from outside too."""
    name = draw(st.sampled_from(("i32", "ui8", "f32", "complex<f32>", "i64")))
    changed = TensorType(draw(shapes), ELEMENT_TYPES[name])
    start, bound = draw(st.integers(-2, 5)), draw(st.integers(-2, 5))
    update = draw(st.sampled_from(("add", "subtract")))
    types = (INDEX, changed, INDEX, changed)
    arguments = f"%i: {INDEX}, %x: {changed}"
    test = f"%t = stablehlo.compare GT, {{i}}, %a2, SIGNED : ({INDEX}, {INDEX}) -> {PRED}"
    body = (
        f"%one = stablehlo.constant dense<1> : {INDEX}\n"
        f"    %n = stablehlo.subtract {{i}}, %one : {INDEX}\n"
        f"    %y = stablehlo.{update} {{x}}, %a3 : {changed}\n"
        f"    stablehlo.return %n, %y : {INDEX}, {changed}"
    )
    if draw(st.booleans()):
        names = {"i": "%i", "x": "%x"}
        statement = (
            f"%r:2 = stablehlo.while(%i = %a0, %x = %a1) : {INDEX}, {changed}\n  cond {{\n    "
            f"{test.format(**names)}\n    stablehlo.return %t : {PRED}\n  }} do {{\n    "
            f"{body.format(**names)}\n  }}"
        )
    else:
        names = {"i": "%i", "x": "%x"}
        statement = (
            f'%r:2 = "stablehlo.while"(%a0, %a1) ({{\n  ^bb0({arguments}):\n    {test.format(**names)}\n'
            f"    stablehlo.return %t : {PRED}\n  }}, {{\n  ^bb0({arguments}):\n    {body.format(**names)}\n"
            f"  }}) : ({INDEX}, {changed}) -> ({INDEX}, {changed})"
        )
    given = {0: np.array(start, np.int32), 2: np.array(bound, np.int32)}
    flavours: tuple[Flavour, ...] = ("small",) * 4
    return Case(statement, types, (INDEX, changed), draw(seeds), flavours, given)


def _branch(value: str, value_type: TensorType) -> str:
    return f"{{\n    stablehlo.return {value} : {value_type}\n  }}"


@st.composite
def if_(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    branches = ", ".join((_branch("%a1", operand), _branch("%a2", operand)))
    statement = f'%r = "stablehlo.if"(%a0) ({branches}) : ({PRED}) -> {operand}'
    return Case(statement, (PRED, operand, operand), (operand,), draw(seeds))


@st.composite
def case(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    count = draw(st.integers(1, 4))
    index = draw(st.sampled_from((0, 1, 2, 3, 4, -1, -(2**31), 2**31 - 1)))
    branches = ", ".join(_branch(f"%a{number + 1}", operand) for number in range(count))
    statement = f'%r = "stablehlo.case"(%a0) ({branches}) : ({INDEX}) -> {operand}'
    given = {0: np.array(index, np.int32)}
    return Case(statement, (INDEX, *[operand] * count), (operand,), draw(seeds), given=given)


GENERATORS = {
    "stablehlo.while": while_(),
    "stablehlo.if": if_(),
    "stablehlo.case": case(),
    "stablehlo.return": if_(),
}
