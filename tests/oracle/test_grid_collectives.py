"""Random processes that meet: each result of each process is what the reference interpreter says, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis.strategies import SearchStrategy

from hloscope.engine.process_grid import Launch, QueueKey, results_on_grid
from tests.programs import load_program

from . import ours
from .cases import from_readable
from .client import Oracle, OracleCrashed, OracleCrashWarning, OracleRefused
from .compare import mismatch
from .generators.grids import GENERATORS, collectives
from .grid_case import GridCase
from .test_ops import beyond_xla
from .values import Array

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
EXAMPLES, XLA_EXAMPLES = 30, 25
BEYOND_XLA = "Unsupported reduction computation"
"""XLA on CPU combines by sums, products, minima and maxima."""


@pytest.mark.parametrize("name", GENERATORS)
def test_agrees_with_the_reference_interpreter(name: str, grid_oracle: Oracle) -> None:
    chosen = settings(max_examples=EXAMPLES, derandomize=True, database=None)
    compare_with_the_interpreter(GENERATORS[name], grid_oracle, chosen)


def test_agrees_with_xla(devices: Oracle) -> None:
    compare_with_xla(devices, settings(max_examples=XLA_EXAMPLES, derandomize=True, database=None))


def compare_with_xla(oracle: Oracle, chosen: settings) -> None:
    """Fails at the first difference; here processes meet on one channel again and again, in loops as well."""

    @chosen
    @given(collectives(freely=True))
    def agrees(case: GridCase) -> None:
        assume(not beyond_xla(case.main()))
        wanted = _on_xla(oracle, case)
        if wanted is not None:
            _check(case, _on_a_grid(case), wanted)

    agrees()


def _on_xla(oracle: Oracle, case: GridCase) -> list[Array] | None:
    """Results of all processes; `None` where XLA means something else by the text."""
    grid = case.grid.num_replicas, case.grid.num_partitions
    operands = [value for process in case.operands for value in process]
    try:
        return oracle.xla_grid(case.text.replace("@process0", "@main"), grid, operands)
    except OracleRefused as refused:
        if BEYOND_XLA in str(refused):
            return None
        raise
    except OracleCrashed as crash:
        warnings.warn(f"XLA died: {crash}\n{case.text}", OracleCrashWarning, stacklevel=2)
        return None


def compare_with_the_interpreter(
    strategy: SearchStrategy[GridCase], oracle: Oracle, chosen: settings
) -> None:
    """Fails at the first difference; `chosen` says how many cases."""

    @chosen
    @given(strategy)
    def agrees(case: GridCase) -> None:
        started = ours.run(case.program, ())
        try:
            arrays = oracle.interpret(case.program)
        except OracleCrashed as crash:
            warnings.warn(f"the interpreter died: {crash}\n{case.program}", OracleCrashWarning, stacklevel=2)
            return
        types = case.main().results
        wanted = from_readable(types, arrays)
        _check(case, from_readable(types, started), wanted)
        if len(case.functions) == 1:
            _check(case, _on_a_grid(case), wanted)

    agrees()


def _on_a_grid(case: GridCase) -> list[Array]:
    """Results of all processes, without an op that starts them."""
    program = load_program(case.text)
    queue = {QueueKey("infeed"): tuple((value,) for value in case.fed)}
    launch = Launch(case.grid, tuple(case.operands), queue)
    results = results_on_grid(program, launch, entry="process0")
    return [value for process in results for value in process]


def _check(case: GridCase, found: Sequence[Array], wanted: Sequence[Array]) -> None:
    assert len(found) == len(wanted)
    for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        wrong = mismatch(mine, theirs)
        assert wrong is None, (
            f"result {number} of all processes' results differs: {wrong}\n{case.program}\n"
            f"ours   {mine.tolist()}\ntheirs {theirs.tolist()}"
        )
