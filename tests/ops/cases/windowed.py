"""Calls of reduce_window and select_and_scatter."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region
from hloscope.engine.ops.reductions.reduce_window import ReduceWindow
from hloscope.engine.ops.reductions.select_and_scatter import SelectAndScatter
from hloscope.engine.ops.reductions.sliding_windows import counts, slides

from ..running import BodyBuilder, body_of, second_of
from .drawing import Case, Cases, Draw, of_i32


@st.composite
def windows(draw: Draw, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Window dimensions and strides, and dilations."""

    def numbers(largest: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(1, largest)) for _ in shape)

    return {
        "window_dimensions": numbers(4),
        "window_strides": numbers(3),
        "base_dilations": numbers(3),
        "window_dilations": numbers(2),
    }


@st.composite
def paddings(draw: Draw, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
    """Any small one; often that of a running sum, forwards or backwards."""
    edges = st.integers(-2, 3)
    row = st.one_of(st.tuples(edges, edges), st.just(None), st.just(None))
    rows = [(draw(row), draw(st.booleans()), size) for size in shape]
    sums = [((size - 1, 0) if first else (0, size - 1)) if size else (0, 0) for _, first, size in rows]
    found = tuple(one or other for (one, _, _), other in zip(rows, sums, strict=True))
    return draw(st.sampled_from([found, found, None]))


@st.composite
def reductions(draw: Draw) -> Case:
    """Sums, which any other element changes, and maxima."""
    name = draw(st.sampled_from(["stablehlo.add", "stablehlo.maximum"]))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=2)))
    found, operand = of_i32(draw, shape)
    scalar, initial = of_i32(draw, ())
    op = ReduceWindow(
        (found,),
        (scalar,),
        body_of(name, "i32"),
        **draw(windows(shape)),
        padding=draw(paddings(shape)),
        skips_padding=draw(st.booleans()),
    )
    return Case(op, (operand, initial))


def selecting(direction: str, element_type: str, *, swapped: bool = False, disguise: bool = False) -> Region:
    """The body that compares its two arguments; with `disguise` in more operations than are recognised."""
    build = BodyBuilder(*[ELEMENT_TYPES[element_type]] * 2)
    kept, other = build.arguments
    found = build.compare(direction, *((other, kept) if swapped else (kept, other)))
    return build.returning(build.op("stablehlo.or", found, found) if disguise else found)


DIRECTIONS = ("GE", "GT", "LE", "LT")


@st.composite
def selections(draw: Draw, scatter: Region) -> Case:
    """Any windows, any comparison."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=2)))
    found, operand = of_i32(draw, shape)
    padding = draw(paddings(shape))
    drawn = draw(windows(shape))
    window, stride = drawn["window_dimensions"], drawn["window_strides"]
    number = counts(slides(window, stride, None, None, padding), shape)
    source_type, source = of_i32(draw, tuple(int(count or 0) for count in number))
    scalar, initial = of_i32(draw, ())
    direction, disguise = draw(st.sampled_from(DIRECTIONS)), draw(st.booleans())
    select = selecting(direction, "i32", swapped=draw(st.booleans()), disguise=disguise)
    op = SelectAndScatter(found, source_type, scalar, select, scatter, window, stride, padding)
    return Case(op, (operand, source, initial))


CASES: dict[str, Cases] = {
    ReduceWindow.name: reductions(),
    SelectAndScatter.name: selections(body_of("stablehlo.add", "i32")) | selections(second_of("i32")),
}
