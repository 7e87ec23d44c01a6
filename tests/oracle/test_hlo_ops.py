"""Opcodes that only HLO text has, on random operands: XLA reads the module, and computes what we compute."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings

from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from tests.each import for_each
from tests.syntax.hlo.every_opcode import PROGRAMS

from . import ours
from .client import Oracle, OracleCrashed, OracleCrashWarning
from .compare import mismatch
from .differences.hlo import ignored
from .generators.hlo import GENERATORS
from .generators.hlo.cases import HloCase
from .generators.hlo.examples import OTHER_FUSIONS, PAIRS, WITHOUT_CPU
from .test_hlo_printed import PRINTED
from .test_ops import report
from .values import Array

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("default::tests.oracle.client.OracleCrashWarning"),
]
OPCODES = sorted(GENERATORS)
EXAMPLES = 6
OTHER_WORDS = {
    "kClz": "count-leading-zeros",
    "kCos": "cosine",
    "kExp": "exponential",
    "kExpm1": "exponential-minus-one",
    "kLog1p": "log-plus-one",
    "kOptimizationBarrier": "opt-barrier",
    "kPopulationCount": "popcnt",
    "kSin": "sine",
    "kTopK": "topk",
}
"""Where XLA's sources and HLO text differ by more than dashes."""


UNREAD = {"exp2", "log2", "shuffle"}
"""Opcodes of newer XLA that hloscope refuses with a hint."""
ALSO_IN_STABLEHLO = {"collective-reduce"}
"""Opcodes of newer XLA that are tested as ops of StableHLO."""


def _opcode(name: str) -> str:
    return OTHER_WORDS.get(name) or re.sub(r"(?<=.)(?=[A-Z])", "-", name[1:]).lower()


def test_every_opcode_has_a_generator_or_a_reason(oracle: Oracle) -> None:
    found = {_opcode(name) for name in oracle.hlo_opcodes()}
    assert found - UNREAD - ALSO_IN_STABLEHLO == {*GENERATORS, *PRINTED, *WITHOUT_CPU} - ALSO_IN_STABLEHLO


@pytest.mark.parametrize("opcode", OPCODES)
def test_agrees_with_xla(opcode: str, oracle: Oracle) -> None:
    compare_with_xla(opcode, oracle, settings(max_examples=EXAMPLES, derandomize=True, database=None))


def compare_with_xla(opcode: str, oracle: Oracle, chosen: settings) -> None:
    """Fails at a difference that is not explained; `chosen` says how many cases."""

    @chosen
    @given(GENERATORS[opcode])
    def agrees(case: HloCase) -> None:
        printed = oracle.parse_hlo(case.text)
        inputs = case.case.operands
        found = ours.run_hlo(case.text, inputs)
        assert_reads(printed)
        try:
            wanted = oracle.run_hlo(case.text, inputs, case.emitted)
        except OracleCrashed as crash:
            warnings.warn(f"XLA died: {crash}\n{case.text}", OracleCrashWarning, stacklevel=2)
            return
        assert len(found) == len(wanted), case.text
        for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
            _check(opcode, case, number, mine, theirs)

    agrees()


def _check(opcode: str, case: HloCase, number: int, mine: Array, theirs: Array) -> None:
    stated = case.case
    explained = ignored(opcode, stated, mine, theirs)
    wrong = mismatch(mine, theirs, stated.ulps, stated.relative, explained, stated.own)
    assert wrong is None, (
        f"result {number} differs from XLA's: {wrong}\n{report(case.text, stated.operands, mine, theirs)}"
    )


def assert_reads(text: str) -> None:
    """Our reader and our verifier have nothing to say against it."""
    source = Source(text, "case.hlo")
    loaded = load(source)
    assert not loaded.diagnostics, (
        "\n".join(found.format(source) for found in loaded.diagnostics) + f"\n{text}"
    )
    assert loaded.program is not None


NOT_ALONE = re.compile(r"token\[\]|\) parameter|-start\(|-done\(|conditional\(|, .*\) collective-broadcast\(")
"""Instructions that XLA verifies only beside others, or as a program's inputs and results does not survive."""
NEWER = ("atan", "collective-reduce")
_ALONE = {
    name: text
    for name, text in PROGRAMS.items()
    if not name.endswith(NEWER) and not NOT_ALONE.search(text.partition("ENTRY")[2])
}
_OTHERS = {f"other-{number}": text for number, text in enumerate((*PAIRS, *OTHER_FUSIONS))}


@for_each("name", [*_ALONE, *_OTHERS])
def test_both_accept_every_opcode(name: str, oracle: Oracle) -> None:
    """Also those that XLA does not run on the CPU, and old forms."""
    text = (_ALONE | _OTHERS)[name]
    assert_reads(text)
    assert_reads(oracle.parse_hlo(text))
    assert oracle.verify_hlo(text) is None
