"""MHLO: every op that MLIR knows, and all of our programs as XLA's own passes turn them into it."""

from __future__ import annotations

import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import load, parse
from hloscope.engine.ops import op_table, reading_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module

from .client import Oracle, OracleRefused
from .programs import program_files, right_programs

pytestmark = pytest.mark.oracle
UNKNOWN = {"async_start", "async_update", "async_done", "trace", "minimum_broadcast_shapes"}
"""Ops that no other dialect has: bundles of started computations, and what only a compiler writes."""
NEWER = {"exp2", "log2"}
"""Ops that MHLO has since jaxlib 0.12."""
UNREAD = ("shape.const_witness",)
"""What the pass that lowers CHLO leaves, of a dialect that is none of ours."""


def test_every_op_of_the_dialect_is_known() -> None:
    jaxlib = find_spec("jaxlib")
    assert jaxlib
    assert jaxlib.origin
    bindings = Path(jaxlib.origin).parent / "mlir/dialects/_mhlo_ops_gen.py"
    names = set(re.findall(r'OPERATION_NAME = "(mhlo\..+)"', bindings.read_text("utf-8")))
    assert len(names) > 130
    assert {name.removeprefix("mhlo.") for name in names - reading_table().keys()} - NEWER == UNKNOWN


def test_programs_mean_the_same_in_mhlo(oracle: Oracle) -> None:
    counts: Counter[str] = Counter()
    for name, text in right_programs(*program_files()):
        try:
            given, mhlo = oracle.as_mhlo(text)
        except OracleRefused:  # the pass does not take every op: those of newer StableHLO, quantized ones
            counts["refused"] += 1
            continue
        if any(word in mhlo for word in UNREAD):
            counts["left"] += 1
        elif "chlo." in given:  # lowered to several ops, unless MHLO has the op too
            assert load(Source(mhlo)).diagnostics == (), name
            counts["chlo"] += 1
        else:
            assert _lines(mhlo) == _lines(given), name
            counts["same"] += 1
    print(dict(counts))
    assert counts["same"] > 200
    assert counts["chlo"] > 20


def _lines(text: str) -> list[str]:
    """The operations, without their values' names and without empty lists, which the short form alone spells."""
    try:
        printed = print_module(parse(Source(text)), op_table(), "generic")
    except ProgramError as error:
        pytest.fail(f"{error.diagnostic().format(Source(text))}\n{text}")
    bare = re.sub(r"[%^][\w$.-]+(?:[:#]\d+)?", "%", printed)
    return sorted(re.sub(r"\w+ = \[\](?:, )?", "", bare).splitlines())
