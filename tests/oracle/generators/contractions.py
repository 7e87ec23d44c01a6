"""dot_general: any batching and contracting dimensions, all element types, wider results."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, positive_sizes, seeds, sizes
from ..values import Flavour, element_types

WIDER = {
    "i8": "i32",
    "ui8": "ui32",
    "bf16": "f32",
    "f16": "f32",
    "f8E4M3FN": "f32",
    "f8E5M2": "bf16",
    "i4": "i8",
}


def side(
    draw: st.DrawFn, batching: list[int], contracting: list[int]
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Shape, and where the batching, the contracting and the free dimensions are in it."""
    free = draw(st.lists(sizes, max_size=2))
    roles = draw(
        st.permutations(
            [("b", k) for k in range(len(batching))]
            + [("c", k) for k in range(len(contracting))]
            + [("f", k) for k in range(len(free))]
        )
    )
    of = {"b": batching, "c": contracting, "f": free}
    shape = [of[role][k] for role, k in roles]
    batching_places, contracting_places = (
        [roles.index((role, k)) for k in range(len(of[role]))] for role in "bc"
    )
    rest = [size for (role, _), size in zip(roles, shape, strict=True) if role == "f"]
    return shape, batching_places, contracting_places, rest


def accumulates(element_type: ElementType) -> bool:
    """Whether sums of small integers are exact."""
    return not element_type.is_float or element_type.bits >= 16


@st.composite
def dot_general(draw: st.DrawFn, contracted: st.SearchStrategy[int] = positive_sizes) -> Case:
    batching, contracting = draw(st.lists(sizes, max_size=2)), draw(st.lists(contracted, max_size=2))
    left, left_batching, left_contracting, left_free = side(draw, batching, contracting)
    right, right_batching, right_contracting, right_free = side(draw, batching, contracting)
    element_type = draw(element_types("iufc").filter(accumulates))
    wider = WIDER.get(element_type.name)
    result_type = ELEMENT_TYPES[wider] if wider and draw(st.booleans()) else element_type
    lhs, rhs = TensorType(tuple(left), element_type), TensorType(tuple(right), element_type)
    result = TensorType((*batching, *left_free, *right_free), result_type)
    both = f"({lhs}, {rhs}) -> {result}"
    if draw(st.booleans()):
        batch = f"batching_dims = {left_batching} x {right_batching}, " if batching else ""
        statement = (
            f"%r = stablehlo.dot_general %a0, %a1, {batch}contracting_dims = {left_contracting} x "
            f"{right_contracting}, precision = [DEFAULT, DEFAULT] : {both}"
        )
    else:
        statement = (
            '%r = "stablehlo.dot_general"(%a0, %a1) <{dot_dimension_numbers = #stablehlo.dot<'
            f"lhs_batching_dimensions = {left_batching}, rhs_batching_dimensions = {right_batching}, "
            f"lhs_contracting_dimensions = {left_contracting}, rhs_contracting_dimensions = "
            f"{right_contracting}>}}> : {both}"
        )
    integer = element_type.is_integer and result_type == element_type
    flavour: Flavour = "edges" if integer else "small"
    # XLA CPU does not compile what it makes of a wider product of integers of 4 bits.
    refused = element_type.bits < 8 and result_type != element_type and element_type.is_integer
    return Case(statement, (lhs, rhs), (result,), draw(seeds), (flavour, flavour), interpreter_only=refused)


@st.composite
def float_product(draw: st.DrawFn) -> Case:
    """Random numbers: the order of summation is open."""
    name = draw(st.sampled_from(("f32", "f64", "complex<f32>")))
    rows, inner, columns = (draw(st.integers(1, 40)) for _ in range(3))
    element_type = ELEMENT_TYPES[name]
    lhs, rhs = TensorType((rows, inner), element_type), TensorType((inner, columns), element_type)
    result = TensorType((rows, columns), element_type)
    statement = (
        f"%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {result}"
    )
    flavours: tuple[Flavour, ...] = ("normal", "normal")
    relative = 1e-12 if name == "f64" else 1e-5
    return Case(statement, (lhs, rhs), (result,), draw(seeds), flavours, relative=relative)


@st.composite
def mixed_product(draw: st.DrawFn) -> Case:
    """Booleans by numbers, or integers by floats: C13 forbids them, and they run with a warning."""
    kinds = ("i1", "i32"), ("i1", "f32"), ("i32", "f32"), ("i32", "f64")
    narrow, wide = draw(st.sampled_from(kinds))
    left, right = draw(st.permutations((narrow, wide)))
    rows, inner, columns = (draw(positive_sizes) for _ in range(3))
    lhs = TensorType((rows, inner), ELEMENT_TYPES[left])
    rhs = TensorType((inner, columns), ELEMENT_TYPES[right])
    result = TensorType((rows, columns), ELEMENT_TYPES[wide])
    statement = (
        f"%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : ({lhs}, {rhs}) -> {result}"
    )
    return Case(statement, (lhs, rhs), (result,), draw(seeds), ("small", "small"))


GENERATORS = {
    "stablehlo.dot_general": st.one_of(
        dot_general(), dot_general(), dot_general(), float_product(), mixed_product()
    )
}
UNSAFE = {"stablehlo.dot_general": dot_general(sizes)}
"""Empty contracting dimensions end the interpreter's process."""
