"""Faults planted into real pipelines of XLA: the pass is named, the instruction too; and healthy ones are cleared.

A sample of `python -m tests.passes.proof all`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .pipelines import dump_programs
from .proof import LARGE, Found, examine, look_for_planted, prove_speed

pytestmark = pytest.mark.oracle

HEALTHY = ("float8", "parallel_layer", "scatters")
PLANTED = ("parallel_layer", "conv_transposed", "scan", "summed_over_eight")
LATER = ("mlp", "mixed_precision")
"""Of `make test-long` alone."""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dumps")
    dump_programs(folder, sorted({*HEALTHY, *PLANTED}))
    return folder


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_pipeline_is_cleared(name: str, dumps: Path) -> None:
    found = examine(dumps / name)
    assert found.is_cleared, str(found)


@pytest.mark.parametrize("name", [*PLANTED, *(pytest.param(name, marks=pytest.mark.long) for name in LATER)])
def test_a_planted_fault_is_found(name: str, dumps: Path) -> None:
    (dump,) = dump_programs(dumps, [name])
    found = look_for_planted(dump)
    assert isinstance(found, Found)
    assert found.named_pass, str(found)
    assert found.named_instruction, str(found)


@pytest.mark.long
def test_fifty_texts_of_five_hundred_operations_are_cleared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prove_speed(dump_programs(tmp_path, LARGE)), capsys.readouterr().out
