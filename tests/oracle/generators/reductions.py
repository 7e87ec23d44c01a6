"""reduce: any dimensions, one or two inputs, bodies that are recognised or not, three ways of writing."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, shapes, typed
from ..values import Flavour, element_types
from .bodies import (
    ARGMAX,
    ELEMENTS_CHANGED,
    PAIRS,
    RECOGNISED,
    UNRECOGNISED,
    Body,
    accumulates_exactly,
)


@st.composite
def reduce(draw: st.DrawFn) -> Case:
    body = draw(st.sampled_from((*RECOGNISED, *UNRECOGNISED, *PAIRS, *ELEMENTS_CHANGED, ARGMAX)))
    count = len(body.returned)
    element_type = draw(element_types(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand = TensorType(draw(shapes), element_type)
    dimensions = draw(st.permutations(range(operand.rank)))[: draw(st.integers(0, operand.rank))]
    kept = tuple(size for d, size in enumerate(operand.sizes) if d not in dimensions)
    scalar, result = operand.with_shape(()), operand.with_shape(kept)
    types = (operand,) * count + (scalar,) * count
    results = (result,) * count
    flavour: Flavour = "edges" if not element_type.is_float and not element_type.is_complex else "small"
    statement = draw(_statement(body, types, results, list(dimensions)))
    return Case(statement, types, results, draw(seeds), (flavour,) * len(types))


@st.composite
def _statement(
    draw: st.DrawFn,
    body: Body,
    types: tuple[TensorType, ...],
    results: tuple[TensorType, ...],
    dimensions: list[int],
) -> str:
    count = len(results)
    names = "%r" if count == 1 else f"%r:{count}"
    both = f"({typed(*types)}) -> {typed(*results) if count == 1 else f'({typed(*results)})'}"
    form = draw(st.sampled_from(("generic", "short", "reducer")))
    pairs = ", ".join(f"(%a{k} init: %a{k + count})" for k in range(count))
    across = f"across dimensions = {dimensions}"
    if form == "short" and len(body.lines) == 1 and "%x0, %y0" in body.lines[0]:
        name = body.lines[0].split()[2]
        return f"{names} = stablehlo.reduce{pairs} applies {name} {across} : {both}"
    scalars = types[count:]
    if form == "reducer":
        heads = "".join(f"(%x{k}: {scalars[k]}, %y{k}: {scalars[k]}) " for k in range(count))
        return (
            f"{names} = stablehlo.reduce{pairs} {across} : {both}\n  reducer{heads}{{\n"
            f"{body.text(scalars)}  }}"
        )
    return (
        f'{names} = "stablehlo.reduce"({arguments(2 * count)}) <{{dimensions = {integers(dimensions)}}}> '
        f"({body.region(scalars)}) : {both}"
    )


@st.composite
def float_sum(draw: st.DrawFn) -> Case:
    """Sums whose order of rounding is open: close to the largest magnitude is enough.

    The initial value is the identity: XLA adds it once for each part that it divides a long sum into.
    """
    element_type = draw(element_types("f").filter(lambda t: t.name in ("f32", "f64")))
    operand = TensorType(draw(st.integers(1, 200).map(lambda n: (n, 3))), element_type)
    scalar, result = operand.with_shape(()), operand.with_shape((3,))
    name = draw(st.sampled_from(("add", "multiply")))
    statement = (
        f"%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo.{name} across dimensions = [0] "
        f": ({operand}, {scalar}) -> {result}"
    )
    relative = 1e-4 if element_type.name == "f32" else 1e-12
    flavours: tuple[Flavour, ...] = ("normal", "normal")
    given = {1: np.array(0 if name == "add" else 1, element_type.dtype)}
    return Case(statement, (operand, scalar), (result,), draw(seeds), flavours, given, relative=relative)


GENERATORS = {"stablehlo.reduce": st.one_of(reduce(), reduce(), reduce(), float_sum())}
