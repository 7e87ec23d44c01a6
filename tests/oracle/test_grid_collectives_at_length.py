"""The comparisons of `test_grid_collectives` with more programs, other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from .client import Oracle
from .generators.grids import GENERATORS
from .test_grid_collectives import compare_with_the_interpreter
from .test_grid_verdicts import agree

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
EXAMPLES = 3000


@pytest.mark.parametrize("name", GENERATORS)
def test_agrees_with_the_reference_interpreter(name: str, grid_oracle: Oracle) -> None:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=slow)
    compare_with_the_interpreter(GENERATORS[name], grid_oracle, chosen)


def test_says_no_where_the_oracles_do(grid_oracle: Oracle) -> None:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    agree(grid_oracle, settings(max_examples=400, database=None, deadline=None, suppress_health_check=slow))
