"""CHLO's ops that are not functions of each element: constants, top_k, and those that broadcast."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, I32, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, integers, positive_sizes, seeds, shapes, typed
from ..values import Array, Flavour, array, element_types, literal

BROADCAST = {
    **dict.fromkeys(("add", "multiply", "subtract"), "iufc"),
    **dict.fromkeys(("maximum", "minimum"), "iuf"),
    **dict.fromkeys(("and", "or", "xor"), "biu"),
    **dict.fromkeys(("shift_left", "shift_right_arithmetic", "shift_right_logical"), "iu"),
    "compare": "biuf",
    "next_after": "f",
    "divide": "f",
    "remainder": "f",
}
ROUNDED = {"atan2": 2, "power": 2, "zeta": 2048, "polygamma": 2048}
"""Units of the last place: their functions round, or their decompositions do."""


def _subshape(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    kept = draw(st.integers(0, len(shape)))
    return tuple(draw(st.sampled_from((1, size))) for size in shape[kept:])


def _wide_enough(element_type: ElementType) -> bool:
    # The interpreter decomposes some of these, and rounds after each op.
    return not element_type.is_float or element_type.bits >= 16


@st.composite
def broadcast(draw: st.DrawFn, name: str, kinds: str, ulps: int = 0) -> Case:
    shape = draw(shapes)
    element_type = draw(element_types(kinds).filter(_wide_enough))
    lhs, rhs = draw(st.permutations([shape, _subshape(draw, shape)]))
    types = TensorType(lhs, element_type), TensorType(rhs, element_type)
    result = TensorType(shape, I1 if name == "compare" else element_type)
    entries = []
    if draw(st.booleans()):
        places = range(len(shape) - min(len(lhs), len(rhs)), len(shape))
        entries.append(f"broadcast_dimensions = {integers(tuple(places))}")
    if name == "compare":
        entries.append("comparison_direction = #chlo<comparison_direction LT>")
    stated = f" {{{', '.join(entries)}}}" if entries else ""
    both = f"({typed(*types)}) -> {result}"
    statement = draw(
        st.sampled_from(
            (
                f"%r = chlo.broadcast_{name} %a0, %a1{stated} : {both}",
                f'%r = "chlo.broadcast_{name}"(%a0, %a1){stated} : {both}',
            )
        )
    )
    seed = draw(seeds)
    given: dict[int, Array] = {}
    if name == "polygamma":
        given[0] = np.abs(array(seed, types[0], "small"))
    relative = 1e-4 if element_type.is_complex and name == "multiply" else 0.0
    return Case(statement, types, (result,), seed, given=given, ulps=ulps, relative=relative)


@st.composite
def broadcast_complex(draw: st.DrawFn) -> Case:
    shape = draw(shapes)
    part = ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))]
    types = TensorType(_subshape(draw, shape), part), TensorType(shape, part)
    result = TensorType(shape, ELEMENT_TYPES[f"complex<{part}>"])
    statement = f"%r = chlo.broadcast_complex %a0, %a1 : ({typed(*types)}) -> {result}"
    return Case(statement, types, (result,), draw(seeds))


@st.composite
def broadcast_select(draw: st.DrawFn) -> Case:
    shape = draw(shapes)
    element_type = draw(element_types("biuf"))
    sides = draw(st.permutations([shape, _subshape(draw, shape)]))
    pred = TensorType(draw(st.sampled_from(((), shape))), I1)
    types = (pred, *(TensorType(side, element_type) for side in sides))
    result = TensorType(shape, element_type)
    statement = f"%r = chlo.broadcast_select %a0, %a1, %a2 : ({typed(*types)}) -> {result}"
    return Case(statement, types, (result,), draw(seeds))


@st.composite
def constant(draw: st.DrawFn) -> Case:
    found = TensorType(draw(shapes), draw(element_types("biuf")))
    seed = draw(seeds)
    # The interpreter has no chlo.constant without a user of it.
    statement = f"%c = chlo.constant {literal(array(seed, found), found)}\n  %r = stablehlo.reshape %c : ({found}) -> {found}"
    return Case(statement, (), (found,), seed)


@st.composite
def constant_like(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    number, name = draw(
        st.sampled_from(
            [
                *((f"{value} : {kind}", kind) for kind in ("i8", "i32", "ui8") for value in (0, 5)),
                *((f"{value} : {kind}", kind) for kind in ("f32", "bf16") for value in (1.5, "0x7FC0")),
                ("-7 : i4", "i4"),
                ("true", "i1"),
                ("#complex.number<:f32 1.5, -2.0> : complex<f32>", "complex<f32>"),
            ]
        )
    )
    result = operand.with_element_type(ELEMENT_TYPES[name])
    if number.startswith("0x") and name == "f32":
        number = number.replace("0x7FC0", "0x7FC00000")
    statement = f'%r = "chlo.constant_like"(%a0) <{{value = {number}}}> : ({operand}) -> {result}'
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def top_k(draw: st.DrawFn) -> Case:
    """Without NaN and zeros of both signs: the interpreter's comparison leaves their order open."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("i8", "i32", "ui8", "i64", "f32", "bf16", "f64")))]
    operand = TensorType((*draw(shapes), draw(positive_sizes)), element_type)
    count = draw(st.integers(0, operand.sizes[-1]))
    values = TensorType((*operand.sizes[:-1], count), element_type)
    types = (values, values.with_element_type(I32))
    statement = f"%r:2 = chlo.top_k(%a0, k = {count}) : {operand} -> ({typed(*types)})"
    seed = draw(seeds)
    flavours: tuple[Flavour, ...] = ("normal", "small") if element_type.is_float else ("edges",)
    operands = array(seed, operand, draw(st.sampled_from(flavours)))
    return Case(
        statement, (operand,), types, seed, given={0: np.asarray(operands + 0).astype(operands.dtype)}
    )


@st.composite
def scan(draw: st.DrawFn) -> Case:
    """An input and what is carried, combined; along any dimension, from either end."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("i32", "ui8", "i64", "f32", "f64")))]
    sides = draw(shapes), draw(shapes.filter(lambda found: len(found) < 3))
    # XLA does not compile a scan of no slices.
    shape, dimension = (*sides[0], draw(positive_sizes), *sides[1]), len(sides[0])
    operand = TensorType(shape, element_type)
    piece = operand.with_shape((*shape[:dimension], *shape[dimension + 1 :]))
    op = draw(st.sampled_from(("add", "maximum", "subtract")))
    flag = draw(st.sampled_from(("", " attributes {is_reverse = true}", " attributes {is_reverse = false}")))
    types, results = (operand, piece), (operand, piece)
    statement = (
        f"%r:2 = chlo.scan(%a0) inits (%a1) dimension={dimension} {flag} {{\n"
        f"  ^bb0(%x: {piece}, %c: {piece}):\n"
        f"    %y = stablehlo.{op} %c, %x : {piece}\n    %z = stablehlo.add %y, %y : {piece}\n"
        f"    stablehlo.return %z, %y : {typed(piece, piece)}\n"
        f"  }} : ({typed(*types)}) -> ({typed(*results)})"
    )
    return Case(statement, types, results, draw(seeds), ("small", "small"))


GENERATORS = {
    **{f"chlo.broadcast_{name}": broadcast(name, kinds) for name, kinds in BROADCAST.items()},
    **{f"chlo.broadcast_{name}": broadcast(name, "f", ulps) for name, ulps in ROUNDED.items()},
    "chlo.broadcast_complex": broadcast_complex(),
    "chlo.broadcast_select": broadcast_select(),
    "chlo.constant": constant(),
    "chlo.constant_like": constant_like(),
    "chlo.scan": scan(),
    "chlo.top_k": top_k(),
}
REFUSED = ("chlo.broadcast_select", "chlo.scan")
"""Made StableHLO they leave an operation that the interpreter does not know."""
WITHOUT_AN_ORACLE = frozenset({"chlo.ragged_dot"})
"""Ops that XLA has no code for on the CPU either."""
