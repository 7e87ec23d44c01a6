"""The comparisons of `test_hlo_ops` with more cases, other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from .client import Oracle
from .test_hlo_ops import OPCODES, compare_with_xla

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
EXAMPLES = 120


@pytest.mark.parametrize("opcode", OPCODES)
def test_agrees_with_xla(opcode: str, oracle: Oracle) -> None:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    compare_with_xla(
        opcode,
        oracle,
        settings(max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=slow),
    )
