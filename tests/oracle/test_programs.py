"""Whole programs: printed text that MLIR reads as the same program, and results that XLA agrees with."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.app.reference.examples import Example, examples
from hloscope.engine.frontend import load
from hloscope.engine.inputs import Array, InputSpec, make_input
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import looks_like_hlo, print_module
from tests.each import for_each
from tests.programs import load_program

from . import ours
from .cases import Case
from .client import Oracle, OracleRefused, Parsed
from .generators import GENERATORS, UNSAFE
from .programs import ROOT, program_files, right_programs

pytestmark = pytest.mark.oracle
FORMS: tuple[Literal["short", "generic"], ...] = ("short", "generic")
RELATIVE = 1e-5
# Ours accepts more than MLIR on purpose; each with the reason.
NEWER = "the newest specification has it, jaxlib not yet"
ONLY_OURS = {
    "app/reference/examples/ops/stablehlo.collective_reduce.mlir#0": NEWER,
    "tests/conformance/grid_strategies_collective_reduce.mlir#0": NEWER,
    "tests/conformance/grid_infeed_processes.mlir#0": "MLIR's functions for the infeed give one value, ours an item",
}


def same_in_mlir(oracle: Oracle, text: str) -> Parsed:
    """MLIR's prints of a text, after comparing them with its prints of ours."""
    module = load(Source(text)).module
    assert module is not None
    wanted = oracle.parse(text)
    for form in FORMS:
        printed = print_module(module, op_table(), form)
        try:
            found = oracle.parse(printed)
        except OracleRefused as refused:
            pytest.fail(f"MLIR refuses our {form} form: {refused}\n{printed}")
        assert _plain(found.generic) == _plain(wanted.generic), (
            f"the {form} form says something else:\n{printed}"
        )
    return wanted


def _plain(generic: str) -> str:
    """Without the two spellings of an unsigned storage type, `u8` and `ui8`, which MLIR keeps apart."""
    return generic.replace("!quant.uniform<ui", "!quant.uniform<u")


@for_each("path", program_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_mlir_and_we_read_what_the_other_prints(path: Path, oracle: Oracle) -> None:
    for name, text in right_programs(path):
        refused = oracle.refuses(text)
        if refused is not None:
            assert name in ONLY_OURS, f"{name}: we accept what MLIR refuses: {refused}"
            continue
        parsed = same_in_mlir(oracle, text)
        for printed in (parsed.generic, parsed.short):
            again = load(Source(printed, "printed by MLIR"))
            assert again.program is not None, [found.format(again.source) for found in again.diagnostics]
            ours_again = print_module(again.program.module, op_table())
            assert oracle.parse(ours_again).generic == parsed.generic, name


RANDOM = st.sampled_from(sorted(set(GENERATORS) & set(op_table()))).flatmap(GENERATORS.__getitem__)


@settings(max_examples=150, derandomize=True, database=None)
@given(RANDOM)
def test_random_programs_print_the_same(oracle: Oracle, case: Case) -> None:
    same_in_mlir(oracle, case.program)


def test_unsafe_programs_are_legal(oracle: Oracle) -> None:
    for strategy in UNSAFE.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert oracle.refuses(strategy.example().program) is None


def _inputs(item: Example) -> list[Array]:
    program = load_program(item.text, item.file)
    assert program.entry is not None
    arguments = program.entry.function.arguments
    specs = [*item.inputs, *[InputSpec()] * (len(arguments) - len(item.inputs))]
    return [
        make_input(spec, value.type, number, value.name)
        for number, (spec, value) in enumerate(zip(specs, arguments, strict=True))
    ]


ALONE = [item for item in examples() if not item.parallel]


@pytest.mark.parametrize("item", ALONE, ids=lambda item: item.name)
def test_examples_agree_with_xla(item: Example, oracle: Oracle) -> None:
    inputs = _inputs(item)
    is_hlo = looks_like_hlo(item.text)
    found: Sequence[Array] = (ours.run_hlo if is_hlo else ours.run)(item.text, inputs)
    wanted = oracle.run_hlo(item.text, inputs, emitted=True) if is_hlo else oracle.xla(item.text, inputs)
    assert len(found) == len(wanted)
    for number, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        if not np.issubdtype(mine.dtype, np.inexact):
            assert np.array_equal(mine, theirs), f"result {number}"
            continue
        difference = np.max(np.abs(mine.astype(np.float64) - theirs), initial=0)
        largest = np.max(np.abs(theirs), initial=0)
        assert difference <= RELATIVE * largest, f"result {number}: {difference} of {largest}"
