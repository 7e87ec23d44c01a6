"""The comparisons of the other modules with many more programs, which differ from run to run."""

from __future__ import annotations

from random import SystemRandom

import pytest
from hypothesis import HealthCheck, given, settings

from . import (
    test_folding,
    test_grid_collectives,
    test_hlo_ops,
    test_hlo_printed,
    test_hlo_verdicts,
    test_legality,
    test_ops,
    test_programs,
    test_verdicts,
)
from .cases import Case
from .client import Oracle
from .generators.grids import GENERATORS
from .sharded.recipes import recipe
from .test_grid_verdicts import agree
from .test_shard_map import compare_with_jax

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]


def examples(count: int) -> settings:
    """Settings for this number of programs."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=count, database=None, deadline=None, suppress_health_check=slow)


@pytest.mark.parametrize("name", test_ops.INTERPRETED)
def test_ops_agree_with_the_reference_interpreter(name: str, oracle: Oracle) -> None:
    test_ops.compare_with_the_interpreter(name, oracle, examples(1000))


@pytest.mark.parametrize("name", test_ops.NAMES)
def test_ops_agree_with_xla(name: str, oracle: Oracle) -> None:
    test_ops.compare_with_xla(name, oracle, examples(200))


@pytest.mark.parametrize("opcode", test_hlo_ops.OPCODES)
def test_opcodes_agree_with_xla(opcode: str, oracle: Oracle) -> None:
    test_hlo_ops.compare_with_xla(opcode, oracle, examples(120))


@pytest.mark.parametrize("name", test_hlo_printed.OPS)
def test_printed_hlo_agrees_with_xla(name: str, oracle: Oracle) -> None:
    test_hlo_printed.compare_with_xla(name, oracle, examples(120))


@pytest.mark.parametrize(("kind", "name"), test_verdicts.CASES)
def test_the_verdict_is_mlirs(kind: str, name: str, oracle: Oracle) -> None:
    test_verdicts.agree(kind, name, oracle, examples(500))


@pytest.mark.parametrize("opcode", test_hlo_verdicts.ALTERED)
def test_the_verdict_is_xlas(opcode: str, oracle: Oracle) -> None:
    test_hlo_verdicts.agree(opcode, oracle, examples(120))


@examples(10000)
@given(test_legality.altered())
def test_both_accept_the_same(oracle: Oracle, text: str) -> None:
    test_legality.agree(oracle, text)


@examples(2000)
@given(test_programs.RANDOM)
def test_random_programs_print_the_same(oracle: Oracle, case: Case) -> None:
    test_programs.same_in_mlir(oracle, case.program)


@pytest.mark.parametrize("name", sorted(test_folding.FOLDED))
def test_mlir_computes_the_same(name: str, oracle: Oracle) -> None:
    test_folding.compare_with_mlir(name, oracle, examples(200))


@pytest.mark.parametrize("name", GENERATORS)
def test_collectives_agree_with_the_reference_interpreter(name: str, grid_oracle: Oracle) -> None:
    test_grid_collectives.compare_with_the_interpreter(GENERATORS[name], grid_oracle, examples(3000))


def test_collectives_agree_with_xla(devices: Oracle) -> None:
    test_grid_collectives.compare_with_xla(devices, examples(1000))


def test_grids_are_refused_where_the_oracles_refuse_them(grid_oracle: Oracle) -> None:
    agree(grid_oracle, examples(400))


@pytest.mark.parametrize("part", range(20))
def test_shard_map_agrees_with_jax(part: int, devices: Oracle) -> None:
    for _ in range(20):
        seed = SystemRandom().randrange(1 << 30)
        given = recipe(seed)
        partitioner = "gspmd" if seed % 4 == 0 and not given.free else "shardy"
        print(f"recipe({seed}) by {partitioner}")  # in the report of a failure
        compare_with_jax(given, devices, partitioner)
