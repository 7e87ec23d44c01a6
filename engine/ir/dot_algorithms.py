"""Dot algorithms of hardware, by XLA's names; StableHLO states their parameters instead."""

from typing import NamedTuple


class Algorithm(NamedTuple):
    """Element types of the operands and of the accumulator, and the primitive operations per product."""

    operands: str
    accumulation: str
    primitive_operations: int = 1
    imprecise: bool = False


ANY_F8 = "any_f8"
"""Each operand has any 8-bit type."""
ALGORITHMS: dict[str, Algorithm] = {
    "dot_any_f8_any_f8_f32": Algorithm(ANY_F8, "f32"),
    "dot_any_f8_any_f8_f32_fast_accum": Algorithm(ANY_F8, "f32", imprecise=True),
    "dot_f16_f16_f16": Algorithm("f16", "f16"),
    "dot_f16_f16_f32": Algorithm("f16", "f32"),
    "dot_bf16_bf16_bf16": Algorithm("bf16", "bf16"),
    "dot_bf16_bf16_f32": Algorithm("bf16", "f32"),
    "dot_bf16_bf16_f32_x3": Algorithm("bf16", "f32", 3),
    "dot_bf16_bf16_f32_x6": Algorithm("bf16", "f32", 6),
    "dot_bf16_bf16_f32_x9": Algorithm("bf16", "f32", 9),
    "dot_tf32_tf32_f32": Algorithm("tf32", "f32"),
    "dot_tf32_tf32_f32_x3": Algorithm("tf32", "f32", 3),
    "dot_f32_f32_f32": Algorithm("f32", "f32"),
    "dot_f64_f64_f64": Algorithm("f64", "f64"),
}
_KNOWN = frozenset(ALGORITHMS.values())


def is_known(
    operands: tuple[str, str], accumulation: str, primitive_operations: int, imprecise: bool
) -> bool:
    """Whether such an algorithm exists for operands of one component each."""
    kinds = {ANY_F8 if name.startswith("f8") and name != "f8E8M0FNU" else name for name in operands}
    return len(kinds) == 1 and (*kinds, accumulation, primitive_operations, imprecise) in _KNOWN
