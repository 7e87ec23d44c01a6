"""Programs of JAX as StableHLO, and as HLO before XLA optimises them and afterwards: read, run, printed, equal to what XLA computes."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo import print_hlo

from . import ours
from .client import Oracle
from .test_frameworks import agrees, names

pytestmark = pytest.mark.oracle
NETWORKS = [f"{network}_training" for network in ("mlp", "cnn", "transformer", "lstm", "scan", "batch_norm")]
NAMES = [*names("KINDS", "TRAINING", "COMPUTING", "SCANS"), *NETWORKS, "resnet18"]

ELSEWHERE = (
    "symmetric_eigenvalues",
    "batched_solves",
    "factors_in_full",
    "three_diagonals",
    "powers_of_matrices",
    "complex_algebra",
)
"""Programs that call a platform's own libraries, on one of them at least."""


@pytest.mark.parametrize("name", NAMES)
def test_each_text_agrees_with_xla_and_what_is_printed_is_the_same_program(name: str, oracle: Oracle) -> None:
    texts, inputs, expected = oracle.export_hlo(name)
    for text in texts:
        agrees(name, text, inputs, expected)
    for text in texts[1:]:
        _prints_the_same_program(text, oracle)


@pytest.mark.parametrize("platform", ["cuda", "rocm", "tpu"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_jax_makes_for_other_platforms_agrees(name: str, platform: str, oracle: Oracle) -> None:
    (text,), inputs, expected = oracle.export_hlo(name, platform)
    agrees(name, text, inputs, expected)


def _prints_the_same_program(text: str, oracle: Oracle) -> None:
    module = ours.loaded(text, ours.NAME).module
    printed = print_hlo(module)
    assert _computations(oracle.parse_hlo(printed)) == _computations(oracle.parse_hlo(text))
    again = load(Source(printed))
    assert again.program is not None
    assert again.module == module


def _computations(text: str) -> list[list[str]]:
    """The lines of each, in any order: parameters are printed before everything else.

    XLA prints -0 without a point, and its parser makes 0 of that.
    """
    return [sorted(lines.splitlines()) for lines in text.replace("(-0)", "(0)").split("\n}\n")]
