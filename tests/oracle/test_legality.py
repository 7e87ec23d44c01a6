"""What is legal: our verifier and MLIR's agree, or there is a reason why not."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Operation
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_operation
from tests.bad_input.test_corpus import PROGRAMS
from tests.each import for_each
from tests.ops.broken import BROKEN, UNBROKEN
from tests.ops.test_process_groups import GROUPS, NAMED, axis

from .client import Oracle, OracleCrashed, OracleCrashWarning
from .differences.verdicts import UNCHECKED, may_refuse
from .generators import GENERATORS

pytestmark = pytest.mark.oracle
# What MLIR accepts and we do not, by the program's name without its number, with the reason.
ONLY_MLIR: dict[str, str] = {
    "huge_rank": "a limit of ours, max_rank",
    "scan_result_elements": "MLIR compares shapes alone; XLA refuses this result",
    "multiple_blocks": "a dialect of branches, cf, that StableHLO programs have no use for",
}
WRONG = {path.stem: path for path in PROGRAMS}
ENDLESS = {("reduce", "C3")}
"""MLIR does not come back from a reduce without inputs."""
# What breaks no rule of the specification but MLIR refuses: a part of what it says, and what that means.
STRICTER: dict[str, tuple[str, str]] = {
    "stablehlo.dynamic_conv": ("operand #1 must be ranked tensor", "no kernel quantized per axis"),
}
NAMES = sorted(set(GENERATORS) & set(op_table()))


@for_each("name", sorted(WRONG))
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


@for_each(
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


@for_each("operation", UNBROKEN, ids=[operation.name for operation in UNBROKEN])
def test_mlir_accepts_what_breaks_nothing(operation: Operation, oracle: Oracle) -> None:
    refused = oracle.refuses(_around(operation))
    said, _ = STRICTER.get(operation.name, ("", ""))
    assert refused is None or (said and said in refused)


def test_groups_may_name_a_mesh(oracle: Oracle) -> None:
    text = NAMED.format(groups=GROUPS.format("@mesh", axis("x")))
    assert oracle.refuses(text) is None
    assert load(Source(text)).program is not None


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


@settings(max_examples=200, derandomize=True, database=None)
@given(altered())
def test_both_accept_the_same(oracle: Oracle, text: str) -> None:
    agree(oracle, text)


def agree(oracle: Oracle, text: str) -> None:
    """Fails if only one of both accepts the program, for no known reason."""
    loaded = load(Source(text))
    try:
        refused = oracle.refuses(text)
    except OracleCrashed as crash:
        # MLIR's parser ends its own process over some attributes, so there is nothing to compare ours with.
        warnings.warn(f"MLIR's parser died: {crash}\n{text}", OracleCrashWarning, stacklevel=2)
        return
    if (loaded.program is None) == (refused is not None):
        return
    if refused is None and all(map(may_refuse, loaded.diagnostics)):
        return
    said = [diagnostic.text for diagnostic in loaded.diagnostics]
    pytest.fail(f"ours: {said or 'accepted'}\nMLIR: {refused or 'accepted'}\n{text}")
