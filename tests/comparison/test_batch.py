"""A small batch of `python -m tests.comparison.batch`; tests/app/comparing/test_batch.py has the clusters of a few dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from .batch import prove
from .faulty_dumps import FAULTS
from .modules import drawn_module


def test_modules_are_of_all_kinds_and_no_two_alike() -> None:
    texts = [drawn_module(seed)[0] for seed in range(60)]
    assert len(set(texts)) == 60
    whole = "".join(texts)
    for op in ("dot_general", "convolution", "reduce_window", "gather", "scatter", "while", "if", "sort"):
        assert f"stablehlo.{op}" in whole, op


@pytest.mark.long
def test_each_fault_is_one_cluster_and_nothing_healthy_is_called_wrong(tmp_path: Path) -> None:
    found = prove(tmp_path / "healthy", tmp_path / "dumps", modules=40, each=1)
    assert found.is_proved, "\n".join(found.lines())
    assert found.report["counts"]["failed"] == 0
    for cluster in found.report["clusters"]:
        assert "`%after` took the place of `%before`" in cluster["case"]["issue"], cluster
    assert len(found.report["clusters"]) == len(FAULTS)
