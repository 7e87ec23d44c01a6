"""What the builder prints: XLA's parser and verifier take the HLO text, MLIR the StableHLO, and XLA runs both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..builder.running import built, flat
from ..builder.test_functions import CASES, NOT_RESTATED, TRANSFERS
from .client import Oracle

pytestmark = pytest.mark.oracle

PROGRAMS: dict[str, Any] = {**CASES, **NOT_RESTATED}
NOT_VERIFIED: dict[str, str] = {}
"""What XLA's verifier, or its passes, do not take."""
NOT_RUN: dict[str, str] = {}
"""What XLA does not compile for one CPU."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_hlo(name: str, oracle: Oracle) -> None:
    computation = built(PROGRAMS[name][0])
    text = computation.as_hlo_text()
    assert oracle.parse_hlo(text)
    if name in NOT_VERIFIED:
        return
    assert oracle.verify_hlo(text) is None
    if name not in NOT_RUN:
        _agree(oracle.run_hlo(text), computation.run())


@pytest.mark.parametrize("name", TRANSFERS)
def test_hlo_of_transfers(name: str, oracle: Oracle) -> None:
    text = built(TRANSFERS[name]).as_hlo_text()
    assert oracle.parse_hlo(text)


@pytest.mark.parametrize("name", CASES)
def test_stablehlo(name: str, oracle: Oracle) -> None:
    computation = built(CASES[name][0])
    text = computation.as_stablehlo_text()
    assert oracle.parse(text)
    if name not in NOT_RUN:
        _agree(oracle.xla(text), computation.run())


@pytest.mark.parametrize("name", TRANSFERS)
def test_stablehlo_of_transfers(name: str, oracle: Oracle) -> None:
    assert oracle.parse(built(TRANSFERS[name]).as_stablehlo_text())


def _agree(found: list[Any], ours: Any) -> None:
    wanted = flat(ours)
    assert len(found) == len(wanted)
    for left, right in zip(found, wanted, strict=True):
        assert left.shape == right.shape
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)
