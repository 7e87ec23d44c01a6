"""MLIR's own parser reads what we print, with the same meaning."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Literal

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


@pytest.fixture(scope="module")
def mlir() -> Iterator[Oracle]:
    oracle = Oracle()
    yield oracle
    oracle.close()


@pytest.mark.parametrize("form", ["short", "generic"])
@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem not in REFUSED], ids=lambda path: path.stem)
def test_mlir_reads_the_same_from_our_text(
    mlir: Oracle, path: Path, form: Literal["short", "generic"]
) -> None:
    text = path.read_text(encoding="utf-8")
    assert mlir.parse(print_module(read(text), OP_TABLE, form)).generic == mlir.parse(text).generic


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.stem not in REFUSED], ids=lambda path: path.stem)
def test_we_read_what_mlir_prints(mlir: Oracle, path: Path) -> None:
    parsed = mlir.parse(path.read_text(encoding="utf-8"))
    for text in (parsed.short, parsed.generic):
        assert mlir.parse(print_module(read(text), OP_TABLE)).generic == parsed.generic
    # MLIR's short forms are printed identically, except for the names in reducers.
    printed = print_module(read(parsed.short), OP_TABLE)
    if "reducer" not in printed and "#map" not in parsed.short:
        assert printed == parsed.short


floats = ["bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN"]


@given(st.sampled_from(floats), st.data())
def test_mlir_prints_bits_as_we_do(mlir: Oracle, kind: str, data: st.DataObject) -> None:
    width = ELEMENT_TYPES[kind].bits
    bits = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=2, max_size=20))
    literal = ", ".join(f"0x{value:X}" for value in bits)
    text = f"func.func @f() {{\n  %cst = stablehlo.constant dense<[{literal}]> : tensor<{len(bits)}x{kind}>\n  return\n}}"
    assert print_module(read(text), OP_TABLE) == mlir.parse(text).short


@given(
    st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=12), min_size=2, max_size=20),
    st.sampled_from(floats),
)
def test_mlir_rounds_decimals_as_we_do(mlir: Oracle, values: list[Decimal], kind: str) -> None:
    if kind == "f8E8M0FNU":
        values = [abs(value) for value in values]  # unsigned, and MLIR reads a negative one as any value
    literal = ", ".join(f"{value:.12f}" for value in values)
    text = f"func.func @f() {{\n  %cst = stablehlo.constant dense<[{literal}]> : tensor<{len(values)}x{kind}>\n  return\n}}"
    assert print_module(read(text), OP_TABLE) == mlir.parse(text).short
