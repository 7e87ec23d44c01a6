"""What is legal: our verifier and MLIR's agree, or there is a reason why not."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Operation
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_operation
from tests.bad_input.test_corpus import PROGRAMS
from tests.ops.broken import BROKEN, UNBROKEN

from .client import Oracle
from .generators import GENERATORS

pytestmark = pytest.mark.oracle
# What MLIR accepts and we do not, by the program's name without its number, with the reason.
ONLY_MLIR: dict[str, str] = {
    "huge_rank": "a limit of ours, max_rank",
    "multiple_blocks": "a dialect of branches, cf, that StableHLO programs have no use for",
    "old_form": "the dialect mhlo, which XLA keeps to itself",
}
WRONG = {path.stem: path for path in PROGRAMS}
# Constraints of the specification that MLIR's verifier does not check.
UNCHECKED: dict[tuple[str, str], str] = {
    ("compare", "C3"): "MLIR takes any compare_type for any element type",
    ("all_gather", "C5"): "MLIR refuses only negative channels",
    ("all_gather", "C6"): "MLIR takes any multiple of the operand's size",
    ("reduce_scatter", "C1"): "MLIR does not look at the size of groups",
    ("reduce_scatter", "C8"): "MLIR takes any part of the operand's size",
    ("all_reduce", "C2"): "MLIR takes rows of nobody for rows",
    ("all_reduce", "C5"): "MLIR takes computations of narrower floats",
    ("reduce_scatter", "C7"): "MLIR takes computations of narrower floats",
    **{
        (name, label): "MLIR does not look at the pairs"
        for name in ("send", "recv")
        for label in ("C1", "C2", "C3", "C4", "I5", "I6")
    },
    (
        "dynamic_broadcast_in_dim",
        "C7",
    ): "MLIR counts the output dimensions only where their values are constant",
    ("dynamic_conv", "C6"): "MLIR does not look at lhs_dilation",
    ("dynamic_iota", "C2"): "MLIR does not count the sizes",
    ("dynamic_iota", ""): "MLIR takes an iota of booleans",
    ("real_dynamic_slice", ""): "MLIR takes a result of another rank",
    ("torch_index_select", ""): "MLIR takes negative batch_dims",
    **{
        (name, ""): "MLIR looks at broadcast_dimensions only where ranks differ"
        for name in op_table()
        if name.startswith("chlo.broadcast_")
    },
    ("set_dimension_size", ""): "MLIR does not look at the size, be it constant",
    ("dot_general", "C11"): "MLIR takes one precision for both operands",
    ("dot_general", "C13"): "MLIR takes operands of two element types",
    ("convolution", "C24"): "MLIR takes one precision for both operands",
    ("dynamic_conv", "C24"): "MLIR takes one precision for both operands",
    **{
        ("dynamic_conv", label): "MLIR looks neither at the windows nor at the result"
        for label in ("C2", "C3", "C5", "C6", "C7", "C8", "C9", "C25", "C26")
    },
    ("scatter", "I2"): "MLIR takes indices of booleans",
    ("select_and_scatter", "C1"): "MLIR takes floats of two widths",
    **dict.fromkeys(
        (("reduce", "C2"), ("reduce_window", "C3"), ("select_and_scatter", "C3")),
        "MLIR takes init values that are floats of another width",
    ),
    **dict.fromkeys(
        (
            *(("reduce", "C6"), ("reduce_window", "C13")),
            *(("select_and_scatter", "C9"), ("select_and_scatter", "C10")),
        ),
        "MLIR takes computations of wider floats",
    ),
    ("rng_bit_generator", "I2"): "MLIR takes a state of any type",
    ("rng_bit_generator", "C1"): "MLIR compares shapes alone",
    ("rng_bit_generator", "C2"): "MLIR takes a state of any size",
}
ENDLESS = {("reduce", "C3")}
"""MLIR does not come back from a reduce without inputs."""
# What breaks no rule of the specification but MLIR refuses: a part of what it says, and what that means.
STRICTER: dict[str, tuple[str, str]] = {
    "stablehlo.dynamic_conv": ("operand #1 must be ranked tensor", "no kernel quantized per axis"),
}
NAMES = sorted(set(GENERATORS) & set(op_table()))


@pytest.mark.parametrize("name", sorted(WRONG))
def test_mlir_refuses_too(name: str, oracle: Oracle) -> None:
    text = WRONG[name].read_text("utf-8")
    assert load(Source(text)).program is None
    accepted = oracle.refuses(text) is None
    assert accepted == (name.partition("_")[2] in ONLY_MLIR)


NAME = re.compile(r"(?<![%\w.\"])(?:a|r|b|x)\d+\b")


def _around(operation: Operation) -> str:
    """A function that does nothing but `operation`."""
    arguments = ", ".join(f"%{value.name}: {value.type}" for value in operation.operands)
    # The operations of those tests have names without a percent sign.
    printed = NAME.sub(r"%\g<0>", print_operation(operation, op_table(), "generic"))
    return f"func.func @main({arguments}) {{\n  {printed}\n  return\n}}\n"


@pytest.mark.parametrize(
    ("name", "label", "operation"),
    [(name, label, operation) for name, (label, operation) in BROKEN],
    ids=[f"{name}-{label}" for name, (label, _) in BROKEN],
)
def test_mlir_checks_the_constraint(name: str, label: str, operation: Operation, oracle: Oracle) -> None:
    if (name, label) in ENDLESS:
        return
    text = _around(operation)
    refused = oracle.refuses(text)
    if refused is None:
        assert (name, label) in UNCHECKED, f"MLIR accepts this:\n{text}"
    else:
        assert "custom op" not in refused
        assert "expected SSA" not in refused, text
        assert "expected ','" not in refused, text


@pytest.mark.parametrize("operation", UNBROKEN, ids=[operation.name for operation in UNBROKEN])
def test_mlir_accepts_what_breaks_nothing(operation: Operation, oracle: Oracle) -> None:
    refused = oracle.refuses(_around(operation))
    said, _ = STRICTER.get(operation.name, ("", ""))
    assert refused is None or (said and said in refused)


NUMBER = re.compile(r"(?<![%\w#@.])-?\d+(?!\w*\")|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
HANGS = re.compile(r"all_to_all.* tensor<(0x\d|\dx0)xi64>|broadcast_dimensions = array<i64: [^>]*-")
"""MLIR does not come back from an all_to_all without groups, nor from negative dimensions in the dialect chlo."""
TYPE = re.compile(r"(?<!\d : )\b(?:i1|i32|ui8|f32|bf16|f64)\b")
"""An element type, but not that of a number among attributes: we take the number whatever its type."""


@st.composite
def altered(draw: st.DrawFn) -> str:
    """A legal program with one number or element type exchanged for another."""
    name = draw(st.sampled_from(NAMES))
    text = draw(GENERATORS[name]).program
    places = list(NUMBER.finditer(text)) + list(TYPE.finditer(text))
    assume(places)
    place = draw(st.sampled_from(places))
    new = draw(
        st.sampled_from(
            ("0", "1", "2", "3", "-1")
            if place[0][-1].isdigit() and place[0].lstrip("-").isdigit()
            else ("i1", "i32", "f32", "ui8")
        )
    )
    changed = text[: place.start()] + new + text[place.end() :]
    assume(not HANGS.search(changed))
    return changed


def _is_unchecked(found: Diagnostic) -> bool:
    return ((found.op or "").removeprefix("stablehlo."), found.label or "") in UNCHECKED


@settings(max_examples=3000, derandomize=True, database=None)
@given(altered())
def test_both_accept_the_same(oracle: Oracle, text: str) -> None:
    loaded = load(Source(text))
    refused = oracle.refuses(text)
    if (loaded.program is None) == (refused is not None):
        return
    if refused is None and all(map(_is_unchecked, loaded.diagnostics)):
        return
    said = [diagnostic.text for diagnostic in loaded.diagnostics]
    pytest.fail(f"ours: {said or 'accepted'}\nMLIR: {refused or 'accepted'}\n{text}")
