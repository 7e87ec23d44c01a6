"""Calls of sort and map."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.module import Region
from hloscope.engine.ops.reductions.map_op import Map
from hloscope.engine.ops.sorting.sort import Sort

from ..comparators import by_one
from ..running import BodyBuilder
from .drawing import I32, Case, Cases, Draw, arrays, of_i32, shapes


@st.composite
def sorts(draw: Draw) -> Case:
    """By input 0 or 1 of two; by a comparator that is run, of which only the elements together are known."""
    shape = draw(shapes.filter(len))
    types, operands = zip(*(of_i32(draw, shape) for _ in "ab"), strict=True)
    dimension, key = draw(st.integers(-len(shape), len(shape) - 1)), draw(st.integers(0, 1))
    direction, is_run = draw(st.sampled_from(["LT", "GT", "LE", "GE"])), draw(st.booleans())
    comparator = by_one(direction, "i32", "i32", key=key, disguise=is_run)
    return Case(Sort(types, comparator, dimension), operands)


def added() -> Region:
    """The sum of two scalars."""
    build = BodyBuilder(I32, I32)
    return build.returning(build.op("stablehlo.add", *build.arguments))


def first_negated() -> Region:
    """Of two scalars the first, negated."""
    build = BodyBuilder(I32, I32)
    return build.returning(build.op("stablehlo.negate", build.arguments[0]))


@st.composite
def maps(draw: Draw) -> Case:
    """Sums of two inputs, or a function of one of them."""
    found, first = of_i32(draw, draw(shapes))
    operands = (first, draw(arrays(I32, found.sizes)))
    if draw(st.booleans()):
        return Case(Map((found, found), tuple(range(found.rank)), first_negated()), operands)
    return Case(Map((found, found), tuple(range(found.rank)), added()), operands)


CASES: dict[str, Cases] = {Sort.name: sorts(), Map.name: maps()}
