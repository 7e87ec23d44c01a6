"""Each op on random operands: the same bits as the oracles, or within what is stated beside its generator."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.op import AskingOp, Op

from . import ours
from .cases import Case, batch_program, from_readable
from .client import Oracle, OracleCrashed, OracleCrashWarning
from .compare import mismatch
from .differences import INTERPRETER, XLA, ignored
from .generators import GENERATORS, REFUSED, UNSAFE, WITHOUT_AN_ORACLE
from .values import Array

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
NAMES = sorted({op_class.name for op_class in op_table().values()} & set(GENERATORS))
INTERPRETED = [name for name in NAMES if name not in REFUSED]
EXAMPLES = 8
"""Programs for each op; each runs on two sets of values. `test_at_length` draws many more."""
XLA_EXAMPLES = 6
# As many cases as XLA compiles about as fast together as one alone.
BATCH = 25


def _runs(op_class: type[Op]) -> bool:
    return (
        issubclass(op_class, AskingOp)
        or op_class.traits.is_terminator
        or op_class.evaluate is not Op.evaluate
    )


def test_every_op_has_a_generator() -> None:
    names = {op_class.name for op_class in op_table().values() if _runs(op_class)}
    assert sorted(names - set(GENERATORS)) == sorted(WITHOUT_AN_ORACLE & names)


def check(name: str, oracle: str, case: Case, found: Sequence[Array], wanted: Sequence[Array]) -> None:
    for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        explained = ignored(oracle, name, case, mine, theirs)
        wrong = mismatch(mine, theirs, case.ulps, case.relative, explained, case.own)
        assert wrong is None, (
            f"result {number} differs from the {oracle}'s: {wrong}\n{report(case.program, case.operands, mine, theirs)}"
        )


def report(text: str, operands: Sequence[Array], mine: Array, theirs: Array) -> str:
    """A program whose results differ, its inputs, and the results."""
    inputs = "\n".join(str(operand.tolist()) for operand in operands)
    return f"{text}\n{inputs}\nours   {mine.tolist()}\ntheirs {theirs.tolist()}"


@pytest.mark.parametrize("name", INTERPRETED)
def test_agrees_with_the_reference_interpreter(name: str, oracle: Oracle) -> None:
    compare_with_the_interpreter(
        name, oracle, settings(max_examples=EXAMPLES, derandomize=True, database=None)
    )


@pytest.mark.parametrize("name", NAMES)
def test_agrees_with_xla(name: str, oracle: Oracle) -> None:
    compare_with_xla(name, oracle, settings(max_examples=XLA_EXAMPLES, derandomize=True, database=None))


def compare_with_the_interpreter(name: str, oracle: Oracle, chosen: settings) -> None:
    """Fails at a difference that is not explained; `chosen` says how many cases."""

    @chosen
    @given(GENERATORS[name])
    def agrees(case: Case) -> None:
        for values in (case, replace(case, seed=case.seed + 1)):
            found = ours.run(values.program, values.operands)
            try:
                wanted = oracle.interpret(values.literal_program)
            except OracleCrashed as crash:
                _warn(INTERPRETER, values, crash)
                return
            check(name, INTERPRETER, values, found, from_readable(values.results, wanted))

    agrees()


def compare_with_xla(name: str, oracle: Oracle, chosen: settings) -> None:
    """The same with XLA, many cases compiled together."""
    cases = _collected(GENERATORS[name], chosen)
    if name in UNSAFE:
        cases += _collected(UNSAFE[name], chosen)
    cases = [case for case in cases if not beyond_xla(case)]
    together = [case for case in cases if not case.alone]
    batches = [together[start : start + BATCH] for start in range(0, len(together), BATCH)]
    for batch in (*batches, *([case] for case in cases if case.alone)):
        for case, wanted in zip(batch, xla_results(oracle, batch), strict=True):
            if wanted is not None:
                check(name, XLA, case, ours.run(case.program, case.operands), wanted)


def _collected(strategy: SearchStrategy[Case], chosen: settings) -> list[Case]:
    cases: list[Case] = []

    @chosen
    @given(strategy)
    def collect(case: Case) -> None:
        cases.append(case)

    collect()
    return cases


def beyond_xla(case: Case) -> bool:
    """XLA on CPU has no f6 constants and crashes on some ops of the types below a byte."""
    return case.interpreter_only or any(
        found.element_type.name in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU", "i2", "ui2")
        for found in (*case.types, *case.results)
    )


def xla_results(oracle: Oracle, cases: Sequence[Case]) -> list[list[Array] | None]:
    """The results of each case, `None` where XLA dies; those of types that it compiles slowly are compiled together."""
    found: dict[int, list[Array] | None] = {}
    for slow in (False, True):
        chosen = [k for k, case in enumerate(cases) if ("FNUZ" in case.statement) == slow]
        found |= zip(chosen, _xla_results(oracle, [cases[k] for k in chosen]), strict=True)
    return [found[k] for k in range(len(cases))]


def _xla_results(oracle: Oracle, cases: Sequence[Case]) -> list[list[Array] | None]:
    if not cases:
        return []
    try:
        arrays = oracle.xla(batch_program(cases), [operand for case in cases for operand in case.operands])
    except OracleCrashed as crash:
        if len(cases) == 1:
            _warn(XLA, cases[0], crash)
            return [None]
        return [_xla_results(oracle, [case])[0] for case in cases]
    results: list[list[Array] | None] = []
    rest = list(arrays)
    for case in cases:
        count = sum(2 if found.element_type.is_complex else 1 for found in case.results)
        results.append(from_readable(case.results, rest[:count]))
        del rest[:count]
    return results


def _warn(oracle: str, case: Case, crash: OracleCrashed) -> None:
    warnings.warn(f"the {oracle} died: {crash}\n{case.program}", OracleCrashWarning, stacklevel=2)


def test_reads_what_oracles_hand_over() -> None:
    """The comparison itself: neighbours are one step apart, NaNs equal, zeros of different signs not."""
    one = np.array([1, 1, np.nan, 0.0], np.float32)
    two = np.array([1, np.nextafter(np.float32(1), np.float32(2)), -np.nan, -0.0], np.float32)
    from .compare import distance

    assert distance(one, two).tolist() == [0, 1, 0, 1]
