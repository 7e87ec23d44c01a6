"""Planted mistakes are located at their op; what differs in rounding alone is called so."""

from __future__ import annotations

import pytest

import hloscope

from .programs import PROGRAMS, STYLES, emit, inputs_of
from .proof import locate, planted_pairs, rounding_pairs, verdict


def test_there_are_as_many_pairs_as_are_asked_for() -> None:
    assert len(list(planted_pairs())) == 40
    assert len(list(rounding_pairs())) == 40


@pytest.mark.parametrize(("name", "planted"), list(planted_pairs()))
def test_a_planted_mistake_is_located_at_its_op(name: str, planted: int) -> None:
    wanted, blamed = locate(name, planted)
    assert blamed == wanted


@pytest.mark.parametrize(("name", "style"), list(rounding_pairs()))
def test_another_rounding_is_called_so(name: str, style: str) -> None:
    found = verdict(name, style)
    assert found.agrees, str(found)
    assert {result.kind for result in found.results} <= {"same_bits", "rounding"}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_and_itself_have_the_same_bits(name: str) -> None:
    text, _ = emit(name)
    assert hloscope.compare(text, text, inputs_of(name)).worst.kind == "same_bits"


@pytest.mark.parametrize("style", STYLES)
def test_a_mistake_is_located_among_other_roundings(style: str) -> None:
    """In programs whose other ops round otherwise as well."""
    before, _ = emit("layer_norm")
    after, emitter = emit("layer_norm", style, planted=len(emit("layer_norm", style)[1].changeable) - 1)
    found = hloscope.compare(before, after, inputs_of("layer_norm"))
    assert not found.agrees
    assert found.first is not None
    assert found.first.op is not None
    assert emitter.planted_name
