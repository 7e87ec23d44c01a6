"""Calls of the contractions that StableHLO deprecates."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions.einsum import Einsum, UnaryEinsum
from hloscope.engine.ops.contractions.old_contractions import TorchIndexSelect

from .drawing import Case, Cases, Draw, arrays, of_i32

ELEMENTS = [ELEMENT_TYPES[name] for name in ("i32", "i8", "i1", "f32", "bf16")]
sizes = st.integers(0, 3)


@st.composite
def equations(draw: Draw, operands: int) -> tuple[str, list[tuple[int, ...]]]:
    """A configuration, and shapes for it: diagonals, dots, sizes of 1 that are repeated."""
    letters = {letter: draw(sizes) for letter in "abcD"}
    unnamed = [draw(sizes) for _ in range(2)]
    parts, found = [], []
    with_dots = draw(st.booleans())
    for _ in range(operands):
        labels = draw(st.lists(st.sampled_from("abcD"), max_size=3))
        once = {label: draw(st.sampled_from([letters[label], letters[label], 1])) for label in labels}
        shape = [once[label] for label in labels]
        if with_dots:
            at, count = draw(st.integers(0, len(labels))), draw(st.integers(0, 2))
            labels[at:at], shape[at:at] = ["..."], unnamed[2 - count :]
        parts.append("".join(labels))
        found.append(tuple(shape))
    used = sorted({letter for part in parts for letter in part} - {"."})
    result = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
    if with_dots and draw(st.booleans()):
        result.insert(draw(st.integers(0, len(result))), "...")
    end = f"->{''.join(result)}" if draw(st.integers(0, 3)) else ""
    return ",".join(parts) + end, found


@st.composite
def einsums(draw: Draw) -> Case:
    config, found = draw(equations(2))
    element_type = draw(st.sampled_from(ELEMENTS))
    lhs, rhs = (TensorType(shape, element_type) for shape in found)
    return Case(Einsum(lhs, rhs, config), tuple(draw(arrays(element_type, shape)) for shape in found))


@st.composite
def unary_einsums(draw: Draw) -> Case:
    config, (shape,) = draw(equations(1))
    element_type = draw(st.sampled_from(ELEMENTS))
    operand = TensorType(shape, element_type)
    return Case(UnaryEinsum(operand, config), (draw(arrays(element_type, shape)),))


@st.composite
def selections(draw: Draw) -> Case:
    """Places inside and outside."""
    batch = [draw(sizes) for _ in range(draw(st.integers(0, 1)))]
    before, after = ([draw(sizes) for _ in range(draw(st.integers(0, 1)))] for _ in range(2))
    operand, values = of_i32(draw, (*batch, *before, draw(st.integers(1, 3)), *after))
    index = (*batch, *(draw(st.lists(sizes, max_size=2))))
    places = draw(st.lists(st.integers(-2, 4), min_size=1, max_size=9))
    dim = len(batch) + len(before)
    count = 1
    for size in index:
        count *= size
    whole = np.resize(np.array(places, np.int32), count).reshape(index)
    signed = draw(st.sampled_from([dim, dim - operand.rank]))
    op = TorchIndexSelect(operand, TensorType(index, operand.element_type), signed, len(batch))
    return Case(op, (values, whole))


CASES: dict[str, Cases] = {
    Einsum.name: einsums(),
    UnaryEinsum.name: unary_einsums(),
    TorchIndexSelect.name: selections(),
}
