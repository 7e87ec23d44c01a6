"""Every opcode is read, verified and printed as XLA writes it; the text reads back as an equal module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hloscope.engine.frontend import load, parse
from hloscope.engine.ir.module import Operation
from hloscope.engine.source import Source
from hloscope.engine.syntax import NotHlo, print_hlo
from hloscope.engine.syntax.hlo.opcodes import FORMS
from tests.each import for_each

from .every_opcode import INSTRUCTIONS, PROGRAMS

_EXAMPLES = Path(__file__).parents[3] / "app" / "reference" / "examples" / "ops"
ROUND_TRIPS = {**PROGRAMS, **{path.name: path.read_text() for path in sorted(_EXAMPLES.glob("*.hlo"))}}
"""Programs for each opcode, and the worked examples of ops that only HLO has: a new op needs no other program."""


@for_each("name", PROGRAMS)
def test_instructions_are_verified_and_printed_as_they_are_written(name: str) -> None:
    """Attributes in XLA's own spelling and order are printed in that spelling and order."""
    found = load(Source(PROGRAMS[name], name))
    assert not found.diagnostics, found.diagnostics[0].format(found.source)
    assert found.module is not None
    text = print_hlo(found.module)
    assert re.sub(r"\s+", " ", INSTRUCTIONS[name]) in re.sub(r"\s+", " ", text)
    again = parse(Source(text))
    assert again == found.module
    assert print_hlo(again) == text


def test_every_opcode_and_every_form_is_among_them() -> None:
    printed = {op.name for text in ROUND_TRIPS.values() for op in _operations(text)}
    missing = {form.name for form in FORMS} - printed
    assert missing == set(), "add a line to `_INSTRUCTIONS` of every_opcode.py for each"


def _operations(text: str) -> Iterator[Operation]:
    for function in parse(Source(text)).functions:
        assert function.body
        yield from function.body.block.operations


def test_stablehlo_has_no_hlo_text() -> None:
    module = parse(Source("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"))
    with pytest.raises(NotHlo, match="the program is StableHLO"):
        print_hlo(module)
