"""Calls of sort and map."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ops.sorting.sort import Sort

from ..comparators import by_one
from .drawing import Case, Cases, Draw, of_i32, shapes


@st.composite
def sorts(draw: Draw) -> Case:
    """By input 0 or 1 of two; by a comparator that is run, of which only the elements together are known."""
    shape = draw(shapes.filter(len))
    types, operands = zip(*(of_i32(draw, shape) for _ in "ab"), strict=True)
    dimension, key = draw(st.integers(-len(shape), len(shape) - 1)), draw(st.integers(0, 1))
    direction, is_run = draw(st.sampled_from(["LT", "GT", "LE", "GE"])), draw(st.booleans())
    comparator = by_one(direction, "i32", "i32", key=key, disguise=is_run)
    # What is compared may move; what is not is only moved.
    return Case(Sort(types, comparator, dimension), operands)


CASES: dict[str, Cases] = {Sort.name: sorts()}
