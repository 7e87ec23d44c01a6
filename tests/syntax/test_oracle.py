"""MLIR's own parser reads what we print, with the same meaning."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.syntax import print_module

from ..oracle.client import Oracle
from .op_table import OP_TABLE
from .reading import PROGRAMS, read

pytestmark = pytest.mark.oracle
REFUSED = ("quantized",)
"""The oracle does not load the quant dialect."""


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem not in REFUSED], ids=lambda path: path.stem)
def test_the_short_form_is_printed_letter_by_letter_as_mlir_prints_it(oracle: Oracle, path: Path) -> None:
    """But for the names in reducers. That both read each other's text is proved in `tests/oracle/test_programs.py`."""
    parsed = oracle.parse(path.read_text(encoding="utf-8"))
    printed = print_module(read(parsed.short), OP_TABLE)
    if "reducer" not in printed and "#map" not in parsed.short:
        assert printed == parsed.short


floats = ["bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN"]


@given(st.sampled_from(floats), st.data())
def test_mlir_prints_bits_as_we_do(oracle: Oracle, kind: str, data: st.DataObject) -> None:
    width = ELEMENT_TYPES[kind].bits
    bits = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=2, max_size=20))
    literal = ", ".join(f"0x{value:X}" for value in bits)
    text = f"func.func @f() {{\n  %cst = stablehlo.constant dense<[{literal}]> : tensor<{len(bits)}x{kind}>\n  return\n}}"
    assert print_module(read(text), OP_TABLE) == oracle.parse(text).short


@given(
    st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=12), min_size=2, max_size=20),
    st.sampled_from(floats),
)
def test_mlir_rounds_decimals_as_we_do(oracle: Oracle, values: list[Decimal], kind: str) -> None:
    if kind == "f8E8M0FNU":
        values = [abs(value) for value in values]  # unsigned, and MLIR reads a negative one as any value
    literal = ", ".join(f"{value:.12f}" for value in values)
    text = f"func.func @f() {{\n  %cst = stablehlo.constant dense<[{literal}]> : tensor<{len(values)}x{kind}>\n  return\n}}"
    assert print_module(read(text), OP_TABLE) == oracle.parse(text).short
