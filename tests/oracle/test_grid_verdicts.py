"""Programs of processes that meet, with something changed: ours says no where MLIR or the reference interpreter does."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.source import Source

from .cases import from_readable
from .client import Oracle, OracleCrashed
from .compare import mismatch
from .generators.wrong_grids import wrong_collectives
from .grid_case import GridCase
from .values import Array

pytestmark = pytest.mark.oracle
EXAMPLES = 40
"""`test_at_length` draws many more; each that waits for ever costs a process of the oracle."""
TO_ITSELF = re.compile(r"source_target_pairs = dense<\[.*\[(\d), \1\]")
"""Here the reference interpreter waits for ever, and nothing is wrong."""
LEFT_OPEN = re.compile(
    r"names (replica|partition|process) \d+, but this run has|(result|result \d+) (must have|has) (shape|size)"
)
"""What the reference interpreter does not look at in some ops: ids that no process has, and sizes that are stated for
results but are not those of what comes out. The specification refuses both."""


@dataclass(frozen=True)
class Verdict:
    """What is wrong with a program, or what it gives."""

    wrong: str = ""
    results: tuple[Array, ...] = ()


def test_says_no_where_the_oracles_do(grid_oracle: Oracle) -> None:
    agree(grid_oracle, settings(max_examples=EXAMPLES, derandomize=True, database=None))


def agree(oracle: Oracle, chosen: settings) -> None:
    """Fails at the first program of which ours thinks otherwise."""

    @chosen
    @given(wrong_collectives())
    def compared(case: GridCase) -> None:
        assume(not TO_ITSELF.search(case.text))
        mine, theirs = _ours(case), _theirs(case, oracle)
        if theirs.wrong:
            assert mine.wrong, f"nothing is wrong here, but: {theirs.wrong}\n{case.program}"
            assert mine.wrong.count("\n") == 0, mine.wrong
        elif mine.wrong:
            assert LEFT_OPEN.search(mine.wrong), f"{mine.wrong}\n{case.program}"
        else:
            _same(case, mine.results, theirs.results)

    compared()


def _same(case: GridCase, found: tuple[Array, ...], wanted: tuple[Array, ...]) -> None:
    for number, (value, expected) in enumerate(zip(found, wanted, strict=True)):
        wrong = mismatch(value, expected)
        assert wrong is None, f"result {number}: {wrong}\n{case.program}"


def _ours(case: GridCase) -> Verdict:
    loaded = load(Source(case.program))
    if loaded.program is None:
        return Verdict(loaded.diagnostics[0].message)
    try:
        results = results_on_grid(loaded.program, Launch.single_process(()))[0]
    except ProgramError as error:
        return Verdict(str(error))
    return Verdict(results=tuple(from_readable(case.main().results, results)))


def _theirs(case: GridCase, oracle: Oracle) -> Verdict:
    refused = oracle.refuses(case.program)
    if refused is not None:
        return Verdict(refused)
    try:
        results = oracle.interpret(case.program)
    except OracleCrashed as crash:
        return Verdict(str(crash) or "it waits for ever")
    return Verdict(results=tuple(from_readable(case.main().results, results)))
