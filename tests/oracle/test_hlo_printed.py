"""What XLA prints as HLO of the StableHLO of `test_ops`, in each of its styles: we read it, and compute what XLA does.

That we compute what XLA does of the StableHLO, `test_ops` proves. XLA is asked again only where HLO gives us other bits.
Of CHLO nothing is left in HLO but `erf`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.values import leaves

from . import ours
from .cases import Case
from .client import Oracle, OracleCrashed, OracleCrashWarning, OracleRefused
from .compare import mismatch
from .differences.hlo import ignored
from .generators import GENERATORS, UNSAFE
from .generators.hlo import GENERATORS as ONLY_IN_HLO
from .generators.hlo.examples import WITHOUT_CPU
from .test_ops import NAMES, beyond_xla, report
from .values import Array

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
OPS = [name for name in NAMES if not name.startswith("chlo.") or name == "chlo.erf"]
_OPCODES = {op_table()[name].hlo.opcode: name for name in OPS}
_STARTED = ("all-gather-start", "all-gather-done", "collective-permute-start", "collective-permute-done")
_OPCODES |= {"parameter": "stablehlo.add", **dict.fromkeys(_STARTED, "stablehlo.async_start")}
PRINTED = {
    opcode: name for opcode, name in _OPCODES.items() if opcode and opcode not in (*ONLY_IN_HLO, *WITHOUT_CPU)
}
"""For each opcode that XLA prints of StableHLO, an op of which it does."""
EXAMPLES = 5
"""Programs for each op, in one of the styles; `test_at_length` draws many more."""
styles = st.sampled_from(("plain", "short", "canonical"))


@pytest.mark.parametrize("name", OPS)
def test_agrees_with_xla(name: str, oracle: Oracle) -> None:
    compare_with_xla(name, oracle, settings(max_examples=EXAMPLES, derandomize=True, database=None))


def compare_with_xla(name: str, oracle: Oracle, chosen: settings) -> None:
    """Fails at a difference that is not explained; `chosen` says how many cases."""

    @chosen
    @given(GENERATORS[name] | UNSAFE.get(name, st.nothing()), styles)
    def agrees(case: Case, style: str) -> None:
        if not beyond_xla(case):
            _compare(name, case, oracle.print_hlo(case.program, style), oracle)

    agrees()


def _compare(name: str, case: Case, text: str, oracle: Oracle) -> None:
    if _is_as_the_stablehlo(case, text):
        return
    try:
        wanted = oracle.run_hlo(text, case.operands)
    except OracleRefused:
        return  # what the importer does not know; test_ops compares it as StableHLO
    except OracleCrashed as crash:
        warnings.warn(f"XLA died: {crash}\n{text}", OracleCrashWarning, stacklevel=2)
        return
    found = ours.run_hlo(text, case.operands)
    assert len(found) == len(wanted), text
    for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        explained = ignored(name.partition(".")[2], case, mine, theirs)
        wrong = mismatch(mine, theirs, case.ulps, case.relative, explained, case.own)
        assert wrong is None, (
            f"result {number} differs from XLA's: {wrong}\n{report(text, case.operands, mine, theirs)}"
        )


def _is_as_the_stablehlo(case: Case, text: str) -> bool:
    """Whether both texts give us the same bits; not if we refuse this one, which XLA may have printed as no HLO."""
    try:
        found = ours.run_hlo(text, case.operands)
    except AssertionError:
        return False
    return _bits(found) == _bits(ours.run(case.program, case.operands))


def _bits(results: Sequence[Array]) -> list[tuple[Any, ...]]:
    return [(each.shape, each.dtype, each.tobytes()) for value in results for each in leaves(value)]
