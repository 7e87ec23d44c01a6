"""Ops on bits, with Python's integers as the slow formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.elementwise.bitcast import BitcastConvert
from tests.each import for_each

from .building import evaluated, same_bits
from .cases.drawing import arrays, element_types

INTEGERS = [name for name, found in ELEMENT_TYPES.items() if found.is_integer]


def shifted(name: str, lhs: int, rhs: int, bits: int) -> int:
    """With Python's integers; the result may have any bits above the type's."""
    amount = min(rhs % (1 << bits), bits)
    if name == "shift_left":
        return lhs << amount
    unsigned = lhs % (1 << bits)
    signed = unsigned - (unsigned >> bits - 1 << bits)
    return (signed if name == "shift_right_arithmetic" else unsigned) >> amount


def all_pairs(element_type: str) -> tuple[list[int], list[int]]:
    bits, is_signed = ELEMENT_TYPES[element_type].bits, element_type.startswith("i")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    near = {0, 1, 2, 3, 5, bits - 1, bits, bits + 1, low, low + 1, high - 1, high, -1, -2, high // 3}
    values = sorted(value for value in near if low <= value <= high)
    return [a for a in values for _ in values], [b for _ in values for b in values]


@for_each("element_type", INTEGERS)
@for_each("name", ["shift_left", "shift_right_arithmetic", "shift_right_logical"])
def test_shifts_are_those_of_integers_without_a_width(name: str, element_type: str) -> None:
    found_type = ELEMENT_TYPES[element_type]
    lhs, rhs = all_pairs(element_type)
    found = evaluated(
        name, [whole(lhs, found_type), whole(rhs, found_type)], [element_type] * 2, element_type
    )
    wanted = [shifted(name, a, b, found_type.bits) for a, b in zip(lhs, rhs, strict=True)]
    assert same_bits(found, whole(wanted, found_type))


@for_each("element_type", INTEGERS)
def test_bits_are_counted_in_the_width_of_the_type(element_type: str) -> None:
    found_type = ELEMENT_TYPES[element_type]
    values = all_pairs(element_type)[0]
    unsigned = [value % (1 << found_type.bits) for value in values]
    operand = whole(values, found_type)
    counted = evaluated("popcnt", [operand], [element_type], element_type)
    assert same_bits(counted, whole([value.bit_count() for value in unsigned], found_type))
    leading = evaluated("count_leading_zeros", [operand], [element_type], element_type)
    assert same_bits(leading, whole([found_type.bits - value.bit_length() for value in unsigned], found_type))


def whole(values: list[int], element_type: ElementType) -> Array:
    """Integers, wrapped to the type."""
    return np.array([value % (1 << 64) for value in values], np.uint64).astype(element_type.dtype)


def bitcast(operand: Array, source: ElementType, target: ElementType) -> Array:
    op = BitcastConvert(TensorType(operand.shape, source), TensorType((), target))
    return op.evaluate(operand)


@given(st.data())
def test_bits_survive_the_way_to_another_type_and_back(data: st.DataObject) -> None:
    kinds = ("boolean", "signed", "unsigned", "float")
    source, target = data.draw(element_types(kinds)), data.draw(element_types(kinds))
    wide, narrow = max(source.bits, target.bits), min(source.bits, target.bits)
    if wide % narrow:
        return
    shape = (2, wide // narrow) if target.bits > source.bits else (2,)
    operand = data.draw(arrays(source, shape))
    there = bitcast(operand, source, target)
    assert there.shape == ((2,) if target.bits >= source.bits else (2, wide // narrow))
    assert all_bits(there, target) == all_bits(operand, source)
    assert all_bits(bitcast(there, target, source), source) == all_bits(operand, source)


def all_bits(value: Array, element_type: ElementType) -> str:
    """Every bit, the last element's highest first."""
    patterns = np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}").reshape(-1).tolist()
    mask = (1 << element_type.bits) - 1
    return "".join(f"{pattern & mask:0{element_type.bits}b}" for pattern in reversed(patterns))


def test_whole_bytes_are_not_copied() -> None:
    operand = np.arange(12, dtype=np.float32).reshape(3, 4)
    same = bitcast(operand, ELEMENT_TYPES["f32"], ELEMENT_TYPES["i32"])
    narrow = bitcast(operand, ELEMENT_TYPES["f32"], ELEMENT_TYPES["ui16"])
    assert np.shares_memory(same, operand)
    assert np.shares_memory(narrow, operand)
    turned = bitcast(operand.T, ELEMENT_TYPES["f32"], ELEMENT_TYPES["ui16"])
    assert turned.tolist() == narrow.transpose(1, 0, 2).tolist()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_has_no_bits(shape: tuple[int, ...]) -> None:
    operand = np.empty(shape, np.float32)
    assert bitcast(operand, ELEMENT_TYPES["f32"], ELEMENT_TYPES["i8"]).shape == (*shape, 4)
    assert bitcast(operand, ELEMENT_TYPES["f32"], ELEMENT_TYPES["i4"]).shape == (*shape, 8)


def test_complex_parts_are_narrowed_as_they_lie_in_memory() -> None:
    operand = np.array([1 + 2j])
    found = bitcast(operand, ELEMENT_TYPES["complex<f64>"], ELEMENT_TYPES["complex<f32>"])
    assert found.shape == (1, 2)
    assert found.tobytes() == operand.tobytes()
