"""sort by comparators that the engine knows and by others; map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, shapes, sizes, typed
from ..values import Array, array, element_types

I1 = TensorType((), ELEMENT_TYPES["i1"])


@dataclass(frozen=True)
class Lines:
    """Operations written one after the other, with names of their own."""

    lines: list[str]

    def op(self, name: str, operands: str, found: TensorType, result: TensorType | None = None) -> str:
        """One operation on values of one type; its result's name."""
        names = operands.split(", ")
        value = f"%v{len(self.lines)}"
        types = f"({typed(*[found] * len(names))}) -> {result or found}"
        self.lines.append(f'{value} = "stablehlo.{name}"({operands}) : {types}')
        return value

    def constant(self, literal: str, found: TensorType) -> str:
        """A constant."""
        value = f"%v{len(self.lines)}"
        self.lines.append(f"{value} = stablehlo.constant dense<{literal}> : {found}")
        return value

    def compare(self, direction: str, left: str, right: str, found: TensorType, order: str = "") -> str:
        """A comparison, with `, TOTALORDER` or the like."""
        value = f"%v{len(self.lines)}"
        self.lines.append(
            f"{value} = stablehlo.compare {direction}, {left}, {right}{order} : ({found}, {found}) -> {I1}"
        )
        return value

    def select(self, chosen: str, left: str, right: str, found: TensorType) -> str:
        """A choice."""
        value = f"%v{len(self.lines)}"
        self.lines.append(f"{value} = stablehlo.select {chosen}, {left}, {right} : {I1}, {found}")
        return value

    def canonical(self, value: str, found: TensorType) -> str:
        """One zero and one NaN, as JAX writes it."""
        zero, nan = self.constant("0.0", found), self.constant(nan_bits(found.element_type), found)
        without = self.select(self.compare("EQ", value, zero, found, ", FLOAT"), zero, value, found)
        return self.select(self.compare("NE", value, value, found, ", FLOAT"), nan, without, found)


def nan_bits(element_type: ElementType) -> str:
    bits = np.array(np.nan, element_type.dtype).tobytes()[::-1].hex().upper()
    return f"0x{bits}"


def sides(number: int) -> tuple[str, str]:
    """The two elements of an input."""
    return f"%x{number}", f"%y{number}"


def key(draw: st.DrawFn, lines: Lines, number: int, found: TensorType, strict: bool) -> tuple[str, str]:
    """Whether the left element of an input comes first, and whether both are equal."""
    left, right = sides(number)
    scalar, order = found.with_shape(()), ""
    if found.element_type.is_complex:
        scalar = TensorType((), ELEMENT_TYPES[found.element_type.name[8:-1]])
        part = draw(st.sampled_from(("real", "imag")))
        left, right = (lines.op(part, side, found.with_shape(()), scalar) for side in (left, right))
    if scalar.element_type.is_float:
        order = ", TOTALORDER"
        if draw(st.booleans()):
            left, right = (lines.canonical(side, scalar) for side in (left, right))
    if draw(st.booleans()):
        left, right = right, left
    direction = draw(st.sampled_from(("LT", "GT") if strict else ("LT", "GT", "LE", "GE")))
    less = lines.compare(direction, left, right, scalar, order)
    return less, lines.compare("EQ", left, right, scalar, order)


@st.composite
def by_keys(draw: st.DrawFn) -> Case:
    """One key or several, in any form that is known."""
    types = draw(input_types("biufc"))
    count = len(types)
    numbers = draw(st.permutations(range(count)))[: draw(st.integers(1, count))]
    lines = Lines([])
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
def by_plain_floats(draw: st.DrawFn) -> Case:
    """LT and GT as floats, which are an order where there is no NaN; -0 equals 0."""
    types = draw(input_types("f"))
    lines = Lines([])
    left, right = sides(draw(st.integers(0, len(types) - 1)))
    found = types[int(left[2:])].with_shape(())
    order = draw(st.sampled_from(("", ", FLOAT")))
    less = lines.compare(draw(st.sampled_from(("LT", "GT"))), left, right, found, order)
    return _tamed(_sort(draw, types, lines, less), zeros=False)


def _tamed(case: Case, zeros: bool = True) -> Case:
    """Without NaN, and without -0 if `zeros`."""
    given = {k: tame(value, zeros) for k, value in enumerate(case.operands)}
    return replace(case, given=given)


def tame(value: Array, zeros: bool) -> Array:
    """Without NaN, and without -0 if `zeros`."""
    if np.issubdtype(value.dtype, np.complexfloating):
        joined = np.empty_like(value)
        joined.real, joined.imag = tame(value.real, zeros), tame(value.imag, zeros)
        return joined
    with np.errstate(all="ignore"):
        wild = np.isnan(value.astype(np.float64)) | (zeros & (value == 0))
    return np.where(wild, np.zeros((), value.dtype), value)


@st.composite
def by_anything(draw: st.DrawFn) -> Case:
    """Comparators that are run: of what is computed of one element, of two inputs, or of nothing."""
    element_type = draw(element_types("iu").filter(lambda found: found.bits >= 8))
    shape = draw(_shapes)
    types = (TensorType(shape, element_type),) * draw(st.integers(1, 3))
    scalar, lines = types[0].with_shape(()), Lines([])
    kind = draw(st.sampled_from(("not", "popcnt", "sum", "bits", "nothing")))
    if kind == "nothing":
        less = lines.constant("false", I1)
    else:
        sides = [computed(lines, kind, side, len(types), scalar) for side in "xy"]
        less = lines.compare(draw(st.sampled_from(("LT", "GT", "LE", "GE"))), sides[0], sides[1], scalar)
    return _sort(draw, types, lines, less)


def computed(lines: Lines, kind: str, side: str, count: int, scalar: TensorType) -> str:
    """What is compared of one side."""
    if kind == "sum":
        return lines.op("add", f"%{side}0, %{side}{count - 1}", scalar)
    if kind == "bits":
        return lines.op("and", f"%{side}0, {lines.constant('5', scalar)}", scalar)
    return lines.op(kind, f"%{side}0", scalar)


_shapes = st.tuples(shapes, st.one_of(sizes, st.integers(5, 40))).map(lambda found: (*found[0][:2], found[1]))


@st.composite
def input_types(draw: st.DrawFn, kinds: str) -> tuple[TensorType, ...]:
    """Of one shape, sometimes a long one."""
    shape = draw(_shapes)
    count = draw(st.sampled_from((1, 1, 2, 3)))
    return tuple(TensorType(shape, draw(element_types(kinds))) for _ in range(count))


def _sort(draw: st.DrawFn, types: Sequence[TensorType], lines: Lines, less: str) -> Case:
    rank, count = types[0].rank, len(types)
    dimension = draw(st.integers(-rank, rank - 1))
    attributes = ["is_stable = true"]
    if dimension != -1 or draw(st.booleans()):
        attributes.append(f"dimension = {dimension} : i64")
    scalars = [found.with_shape(()) for found in types]
    block = ", ".join(f"%x{k}: {t}, %y{k}: {t}" for k, t in enumerate(scalars))
    body = "".join(f"    {line}\n" for line in (*lines.lines, f"stablehlo.return {less} : {I1}"))
    results = typed(*types) if count == 1 else f"({typed(*types)})"
    statement = (
        f'%r{"" if count == 1 else f":{count}"} = "stablehlo.sort"({arguments(count)}) '
        f"<{{{', '.join(attributes)}}}> ({{\n  ^bb0({block}):\n{body}  }}) : ({typed(*types)}) -> {results}"
    )
    seed = draw(seeds)
    given = {}
    if draw(st.booleans()):  # few different elements, so that many are equal
        for number, found in enumerate(types):
            some = array(seed + number, found.with_shape((3,)))
            given[number] = some[np.random.default_rng(seed).integers(0, 3, found.sizes)]
    # XLA compiles comparators of i1 that differ as if they were one, where sorts have the same types otherwise.
    return Case(statement, tuple(types), tuple(types), seed, given=given, alone=True)


@st.composite
def maps(draw: st.DrawFn) -> Case:
    """One input or two; computations of one op, of several, of constants."""
    element_type = draw(element_types("iu"))
    types = (TensorType(draw(shapes), element_type),) * draw(st.integers(1, 2))
    scalar, lines = types[0].with_shape(()), Lines([])
    last = f"%x{len(types) - 1}"
    kind = draw(st.sampled_from(("add", "several", "compare", "constant", "first")))
    result = scalar
    match kind:
        case "add":
            value = lines.op("add", f"%x0, {last}", scalar)
        case "several":
            value = lines.op("not", lines.op("multiply", f"%x0, {last}", scalar), scalar)
            value = lines.op("maximum", f"{value}, {last}", scalar)
        case "compare":
            value, result = lines.compare("LT", "%x0", last, scalar), I1
        case "constant":
            value = lines.constant("1", scalar)
        case _:
            value = "%x0"
    block = ", ".join(f"%x{k}: {scalar}" for k in range(len(types)))
    body = "".join(f"    {line}\n" for line in (*lines.lines, f"stablehlo.return {value} : {result}"))
    mapped = result.with_shape(types[0].shape)
    statement = (
        f'%r = "stablehlo.map"({arguments(len(types))}) <{{dimensions = {integers(range(types[0].rank))}}}> ({{\n'
        f"  ^bb0({block}):\n{body}  }}) : ({typed(*types)}) -> {mapped}"
    )
    return Case(statement, types, (mapped,), draw(seeds))


GENERATORS = {
    "stablehlo.sort": st.one_of(by_keys().map(_tamed), by_plain_floats(), by_anything()),
    "stablehlo.map": maps(),
}
UNSAFE = {"stablehlo.sort": by_keys()}
"""The interpreter computes TOTALORDER as FLOAT."""
