"""Planted mistakes are located at their op; a program and itself have the same bits."""

from __future__ import annotations

import pytest

import hloscope

from .proof import EACH, PROGRAMS, locate, planted_pairs, program


def test_each_program_has_as_many_mistakes_as_are_asked_for() -> None:
    assert len(list(planted_pairs())) == EACH * len(PROGRAMS) == 40


@pytest.mark.parametrize(("name", "number"), list(planted_pairs()))
def test_a_planted_mistake_is_located_at_its_op(name: str, number: int) -> None:
    wanted, blamed = locate(name, number)
    assert blamed in wanted


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_and_itself_have_the_same_bits(name: str) -> None:
    text, inputs = program(name)
    assert hloscope.compare(text, text, inputs).worst.kind == "same_bits"
