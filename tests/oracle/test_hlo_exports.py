"""Programs of JAX as HLO text, before XLA optimises them and afterwards: read, run, printed, equal to what XLA computes."""

from __future__ import annotations

from functools import cache

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo import print_hlo

from . import ours
from .client import Oracle
from .test_frameworks import COARSE, RELATIVE, close, names
from .values import Array

pytestmark = pytest.mark.oracle
STAGES = ("before", "after")
NETWORKS = [f"{network}_training" for network in ("mlp", "cnn", "transformer", "lstm", "scan", "batch_norm")]
NAMES = [*names("KINDS", "TRAINING", "COMPUTING"), *NETWORKS, "resnet18"]

ELSEWHERE = (
    "symmetric_eigenvalues",
    "batched_solves",
    "factors_in_full",
    "three_diagonals",
    "powers_of_matrices",
    "complex_algebra",
)
"""Programs that call a platform's own libraries, on one of them at least."""


@cache
def _exported(oracle: Oracle, name: str) -> tuple[list[str], list[Array], list[Array]]:
    return oracle.export_hlo(name)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_xla(name: str, stage: str, oracle: Oracle) -> None:
    texts, inputs, expected = _exported(oracle, name)
    _agrees(name, texts[STAGES.index(stage)], inputs, expected)


def _agrees(name: str, text: str, inputs: list[Array], expected: list[Array]) -> None:
    found = [leaf for value in ours.run(text, inputs) for leaf in leaves(value)]
    assert len(found) == len(expected)
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        close(mine, theirs, COARSE.get(name, RELATIVE), f"result {number} of {name}")


@pytest.mark.parametrize("platform", ["cuda", "rocm", "tpu"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_jax_makes_for_other_platforms_agrees(name: str, platform: str, oracle: Oracle) -> None:
    (text,), inputs, expected = oracle.export_hlo(name, platform)
    _agrees(name, text, inputs, expected)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_the_same_program(name: str, stage: str, oracle: Oracle) -> None:
    texts, _, _ = _exported(oracle, name)
    text = texts[STAGES.index(stage)]
    loaded = load(Source(text))
    assert loaded.module is not None
    printed = print_hlo(loaded.module)
    assert _computations(oracle.parse_hlo(printed)) == _computations(oracle.parse_hlo(text))
    again = load(Source(printed))
    assert again.program is not None
    assert again.module == loaded.module


def _computations(text: str) -> list[list[str]]:
    """The lines of each, in any order: parameters are printed before everything else.

    XLA prints -0 without a point, and its parser makes 0 of that.
    """
    return [sorted(lines.splitlines()) for lines in text.replace("(-0)", "(0)").split("\n}\n")]
