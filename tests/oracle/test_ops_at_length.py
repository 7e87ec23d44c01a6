"""The comparisons of `test_ops` with ten times the cases, other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from .client import Oracle
from .test_ops import INTERPRETED, NAMES, compare_with_the_interpreter, compare_with_xla

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
EXAMPLES = 2000
XLA_EXAMPLES = 200


def _at_length(count: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=count, database=None, deadline=None, suppress_health_check=slow)


@pytest.mark.parametrize("name", INTERPRETED)
def test_agrees_with_the_reference_interpreter(name: str, oracle: Oracle) -> None:
    compare_with_the_interpreter(name, oracle, _at_length(EXAMPLES))


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_xla(name: str, oracle: Oracle) -> None:
    compare_with_xla(name, oracle, _at_length(XLA_EXAMPLES))
