"""Printed text reads back as an equal module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hloscope.engine.frontend import parse
from hloscope.engine.ir.module import Operation
from hloscope.engine.source import Source
from hloscope.engine.syntax import NotHlo, print_hlo
from hloscope.engine.syntax.hlo.opcodes import FORMS

from .every_opcode import INSTRUCTIONS, PROGRAMS

_EXAMPLES = Path(__file__).parents[3] / "app" / "examples" / "ops"
ROUND_TRIPS = {**PROGRAMS, **{path.name: path.read_text() for path in sorted(_EXAMPLES.glob("*.hlo"))}}
"""Programs for each opcode, and the worked examples of ops that only HLO has: a new op needs no other program."""


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_programs_round_trip(name: str) -> None:
    module = parse(Source(ROUND_TRIPS[name]))
    text = print_hlo(module)
    assert parse(Source(text)) == module
    assert print_hlo(parse(Source(text))) == text


def test_every_opcode_and_every_form_is_among_them() -> None:
    printed = {op.name for text in ROUND_TRIPS.values() for op in _operations(text)}
    assert {form.name for form in FORMS} <= printed


def _operations(text: str) -> Iterator[Operation]:
    for function in parse(Source(text)).functions:
        assert function.body
        yield from function.body.block.operations


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_instructions_are_printed_as_they_are_written(instruction: str) -> None:
    """Attributes in XLA's spelling and order are printed unchanged."""
    printed = print_hlo(parse(Source(PROGRAMS[instruction])))
    wanted = re.sub(r"\s+", " ", INSTRUCTIONS[instruction])
    assert wanted in re.sub(r"\s+", " ", printed)


def test_stablehlo_has_no_hlo_text() -> None:
    module = parse(Source("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"))
    with pytest.raises(NotHlo, match="the program is StableHLO"):
        print_hlo(module)
