"""Edge values of every elementwise op: as the reference interpreter and XLA have them, or there is a reason why not."""

from __future__ import annotations

import pytest

from . import ours
from .cases import from_readable
from .client import Oracle
from .differences import INTERPRETER, XLA
from .edge_values import OPS, cases
from .test_ops import beyond_xla, check, xla_results

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]


@pytest.mark.parametrize("op", sorted(OPS))
def test_edge_values_are_the_interpreters(op: str, oracle: Oracle) -> None:
    for case in cases(op):
        wanted = from_readable(case.results, oracle.interpret(case.literal_program))
        check(op, INTERPRETER, case, ours.run(case.program, case.operands), wanted)


@pytest.mark.parametrize("op", sorted(OPS))
def test_edge_values_are_xlas(op: str, oracle: Oracle) -> None:
    chosen = [case for case in cases(op) if not beyond_xla(case)]
    for case, wanted in zip(chosen, xla_results(oracle, chosen), strict=True):
        if wanted is not None:
            check(op, XLA, case, ours.run(case.program, case.operands), wanted)
