"""The comparisons of `test_grid_collectives` with more programs, other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from .client import Oracle
from .generators.grids import GENERATORS
from .test_grid_collectives import compare_with_the_interpreter, compare_with_xla
from .test_grid_verdicts import agree

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]


def _at_length(count: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=count, database=None, deadline=None, suppress_health_check=slow)


@pytest.mark.parametrize("name", GENERATORS)
def test_agrees_with_the_reference_interpreter(name: str, grid_oracle: Oracle) -> None:
    compare_with_the_interpreter(GENERATORS[name], grid_oracle, _at_length(3000))


def test_agrees_with_xla(devices: Oracle) -> None:
    compare_with_xla(devices, _at_length(1000))


def test_says_no_where_the_oracles_do(grid_oracle: Oracle) -> None:
    agree(grid_oracle, _at_length(400))
