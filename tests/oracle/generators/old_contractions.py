"""The contractions that StableHLO deprecates. The reference interpreter has none of them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions.einsum import Einsum
from hloscope.engine.ops.contractions.old_contractions import Broadcast

from ..cases import Case, positive_sizes, seeds, sizes
from ..values import Flavour, element_types

SMALL: tuple[Flavour, ...] = ("small", "small")
element = element_types("iuf").filter(lambda found: not found.is_float or found.bits >= 16)


@st.composite
def dot(draw: st.DrawFn) -> Case:
    inner, element_type = draw(positive_sizes), draw(element)
    rows, columns = (draw(st.lists(sizes, max_size=1)) for _ in range(2))
    lhs, rhs = (TensorType(tuple(shape), element_type) for shape in ((*rows, inner), (inner, *columns)))
    result = TensorType((*rows, *columns), element_type)
    if draw(st.booleans()):
        text = "%r = stablehlo.dot %a0, %a1, precision = [DEFAULT, DEFAULT]"
    else:
        text = '%r = "stablehlo.dot"(%a0, %a1)'
    statement = f"{text} : ({lhs}, {rhs}) -> {result}"
    return Case(statement, (lhs, rhs), (result,), draw(seeds), SMALL, relative=1e-7)  # the sign of 0 is open


@st.composite
def einsum(draw: st.DrawFn) -> Case:
    """Any order of batching, contracted and free dimensions; XLA takes no diagonals, and the sign of 0 is open."""
    letters = {letter: draw(positive_sizes) for letter in "abcd"}
    left, right = (draw(st.lists(st.sampled_from("abcd"), max_size=3, unique=True)) for _ in range(2))
    # A letter of one side alone is summed before: XLA's einsum wants it in the result.
    wanted = [letter for letter in sorted({*left, *right}) if (letter in left) != (letter in right)]
    shared = [letter for letter in sorted({*left}) if letter in right]
    result = draw(st.permutations(wanted + [letter for letter in shared if draw(st.booleans())]))
    element_type = draw(element)
    lhs, rhs = (TensorType(tuple(letters[k] for k in side), element_type) for side in (left, right))
    config = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
    found = Einsum(lhs, rhs, config).infer()
    statement = (
        f'%r = "stablehlo.einsum"(%a0, %a1) <{{einsum_config = "{config}"}}> : ({lhs}, {rhs}) -> {found}'
    )
    return Case(statement, (lhs, rhs), (found,), draw(seeds), SMALL, relative=1e-7)


@st.composite
def torch_index_select(draw: st.DrawFn) -> Case:
    batch = draw(st.lists(positive_sizes, max_size=1))
    before, after = (draw(st.lists(positive_sizes, max_size=1)) for _ in range(2))
    size = draw(st.integers(1, 4))
    places = draw(st.lists(positive_sizes, max_size=1))
    operand = TensorType((*batch, *before, size, *after), draw(element))
    index = TensorType((*batch, *places), ELEMENT_TYPES["i32"])
    found = TensorType((*batch, *before, *places, *after), operand.element_type)
    dim = len(batch) + len(before)
    given = np.random.default_rng(draw(seeds)).integers(0, size, index.sizes, dtype=np.int32)
    statement = (
        f'%r = "stablehlo.torch_index_select"(%a0, %a1) <{{dim = {dim} : i64, batch_dims = {len(batch)} : i64}}>'
        f" : ({operand}, {index}) -> {found}"
    )
    return Case(
        statement, (operand, index), (found,), draw(seeds), ("edges", "small"), {1: np.asarray(given)}
    )


@st.composite
def broadcast(draw: st.DrawFn) -> Case:
    operand = TensorType(tuple(draw(st.lists(sizes, max_size=2))), draw(element_types("buifc")))
    stated = draw(st.lists(sizes, min_size=1, max_size=2))
    found = Broadcast(operand, tuple(stated)).infer()
    attribute = f"array<i64: {', '.join(map(str, stated))}>"
    statement = (
        f'%r = "stablehlo.broadcast"(%a0) <{{broadcast_sizes = {attribute}}}> : ({operand}) -> {found}'
    )
    return Case(statement, (operand,), (found,), draw(seeds))


GENERATORS = {
    "stablehlo.dot": dot(),
    "stablehlo.einsum": einsum(),
    "stablehlo.torch_index_select": torch_index_select(),
    "stablehlo.broadcast": broadcast(),
}
REFUSED = frozenset(GENERATORS)
WITHOUT_AN_ORACLE = frozenset({"stablehlo.unary_einsum"})
"""XLA does not translate it; tests/ops compares it with a formula."""
