"""Texts of built programs: XLA parses, verifies and runs the HLO text, MLIR parses the StableHLO, XLA runs it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..builder.running import built, flat
from ..builder.test_functions import CASES, TRANSFERS, WITHOUT_STABLEHLO
from ..each import for_each
from .client import Oracle, OracleRefused

pytestmark = pytest.mark.oracle

PROGRAMS: dict[str, Any] = {**CASES, **WITHOUT_STABLEHLO}
NOT_PARSED = {"atan": "the newest XLA has this opcode, jaxlib's does not"}
NOT_VERIFIED = {
    **dict.fromkeys(
        ("copy_start", "all_gather_start", "all_reduce_start", "collective_permute_start"),
        "XLA requires the done of each start, which the next case has",
    ),
    "constant_literal": "the harness allows no nested tuples as results",
}
NO_CPU = {
    **dict.fromkeys(("ragged_dot", "collective_broadcast"), "has no code for CPUs"),
    **dict.fromkeys(("ragged_all_to_all", "all_to_all_tuple"), "waits for the other processes forever"),
    **dict.fromkeys(("mulhi", "scaled_dot"), "MHLO has no such op"),
    **dict.fromkeys(("async_start", "async_update", "async_done"), "the importer changes its type"),
    "copy_done": "the importer makes it an asynchronous copy",
}
"""HLO text that XLA does not compile for one CPU by way of StableHLO."""
FOLDED_WRONGLY = {
    "clz": "of a constant -1, -32",
    **dict.fromkeys(
        tuple(f"{name}_total_order" for name in ("eq", "ne", "ge", "gt", "lt", "le")),
        "constants are folded as if the type were FLOAT",
    ),
}


@for_each("name", PROGRAMS)
def test_hlo(name: str, oracle: Oracle) -> None:
    computation = built(PROGRAMS[name][0])
    text = computation.as_hlo_text()
    if name in NOT_PARSED:
        with pytest.raises(OracleRefused):
            oracle.parse_hlo(text)
        return
    assert oracle.parse_hlo(text)
    if name in NOT_VERIFIED:
        return
    assert oracle.verify_hlo(text) is None
    if name not in NO_CPU.keys() | FOLDED_WRONGLY.keys():
        _agree(oracle.run_hlo(text), computation.run())


@for_each("name", TRANSFERS)
def test_hlo_of_transfers(name: str, oracle: Oracle) -> None:
    text = built(TRANSFERS[name]).as_hlo_text()
    assert oracle.parse_hlo(text)


@for_each("name", CASES)
def test_stablehlo(name: str, oracle: Oracle) -> None:
    computation = built(CASES[name][0])
    text = computation.as_stablehlo_text()
    assert oracle.parse(text)
    if name not in {"ragged_dot", "collective_broadcast", *FOLDED_WRONGLY}:
        _agree(oracle.xla(text), computation.run())


@for_each("name", TRANSFERS)
def test_stablehlo_of_transfers(name: str, oracle: Oracle) -> None:
    assert oracle.parse(built(TRANSFERS[name]).as_stablehlo_text())


def _agree(found: list[Any], ours: Any) -> None:
    wanted = flat(ours)
    assert len(found) == len(wanted)
    for left, right in zip(found, wanted, strict=True):
        assert left.shape == right.shape
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-6)
