"""What our verifier refuses, MLIR refuses too, or there is a reason why not."""

from __future__ import annotations

import pytest

from engine.frontend import load
from engine.source import Source
from tests.bad_input.test_corpus import PROGRAMS

from .client import Oracle

pytestmark = pytest.mark.oracle
# What MLIR accepts and we do not, by the program's name without its number, with the reason.
ONLY_MLIR: dict[str, str] = {
    "huge_rank": "a limit of ours, max_rank",
    "multiple_blocks": "a dialect of branches, cf, that StableHLO programs have no use for",
    "old_form": "the dialect mhlo, which XLA keeps to itself",
}
WRONG = {path.stem: path for path in PROGRAMS}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_mlir_refuses_too(name: str, oracle: Oracle) -> None:
    text = WRONG[name].read_text("utf-8")
    assert load(Source(text)).program is None
    accepted = oracle.refuses(text) is None
    assert accepted == (name.partition("_")[2] in ONLY_MLIR)
