"""Programs that check their own results: one for each op, and those of XLA's operation semantics.

`app/reference/examples/ops/` holds the worked example of each op; the op reference runs them in place. Examples of ops that only
HLO has are HLO text, which cannot check anything: a line of theirs states the result of every process, as the value of
an input is written (`// result: ([1, 2], 3)`), or of one after the other (`// result: [1, 2] | [3, 4]`).
The programs beside this file are the worked examples of XLA's operation semantics (`xla_`), and programs on a grid of
processes (`grid_`). A run that must stop, or that waits for its user, states the reason: `// stops: part of the reason`.
The programs of `hlo/` state what they show, their inputs and their results (`hlo_programs.py`).
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.module import Module
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module
from tests.each import for_each

from ..oracle.client import Oracle, OracleCrashed, OracleRefused
from .catalogue import (
    EXAMPLES,
    FILES,
    HERE,
    HLO_EXAMPLES,
    OP_EXAMPLES,
    inputs_of,
    name_of,
    program_of,
    recording_of,
    result_types_of,
)
from .hlo_programs import Example

SECTIONS = json.loads((HERE.parent / "ops" / "specification_labels.json").read_text())
STOPS = re.compile(r"^// stops: (.+)$", re.MULTILINE)
RESULT = re.compile(r"^// result: (.+)$", re.MULTILINE)
HEADER = re.compile(r"// title: .+\n// description: [A-Z\d].+[.?]\n")
ONLY_TOKENS = {"stablehlo.after_all", "stablehlo.create_token", "stablehlo.outfeed", "hlo.outfeed"}
"""Ops whose results cannot be compared."""
SENTENCE = re.compile(r"[A-Z].+[.?]")
REASON = re.compile(r"skip(?: on (?P<jaxlib>[\d.]+))?, \S.+|as written")


@for_each("path", FILES, ids=name_of)
def test_a_file_has_the_results_that_it_checks_and_survives_printing(path: Path) -> None:
    text, program = path.read_text("utf-8"), program_of(path)
    assert HEADER.match(text), "the first lines are a title and a sentence"
    stops, result = STOPS.search(text), RESULT.search(text)
    names = {bound.operation.name for bound in program.ops}
    checks = any(name.startswith("check.") for name in names)
    assert checks or stops or result or path.stem in ONLY_TOKENS, "the program checks nothing"
    assert path not in OP_EXAMPLES or path.stem in names, "the program does not contain its op"
    recording = recording_of(path)
    state = recording.record()
    if stops:
        assert state.kind in ("failed", "paused")
        assert stops[1] in state.reason
    else:
        assert state.kind == "done", state.reason
        if result:
            _assert_results(program, recording, result[1])
    assert load(Source(_printed(program.module), path.name)).module == program.module


def _assert_results(program: BoundProgram, recording: Recording, stated: str) -> None:
    assert program.entry is not None
    (result_type,) = program.entry.function.type.results
    texts = stated.split(" | ")
    assert len(texts) in (1, len(recording.tracks))
    for track in recording.tracks:
        text = texts[track.number % len(texts)]
        wanted = make_input(InputSpec.parse(text), result_type, 0, "result")
        (found,) = track.results() or ()
        for got, expected in zip(leaves(found), leaves(wanted), strict=True):
            np.testing.assert_array_equal(got, expected)


def _printed(module: Module) -> str:
    return print_hlo(module) if module.language == "hlo" else print_module(module, op_table())


@for_each("example", EXAMPLES, ids=name_of)
def test_an_example_of_hlo_has_the_results_that_it_states_and_survives_printing(example: Example) -> None:
    assert SENTENCE.fullmatch(example.sentence), example.text
    assert bool(example.results) != bool(example.stops)
    assert not example.oracle or REASON.fullmatch(example.oracle)
    recording = recording_of(example)
    state = recording.record()
    if example.stops:
        assert state.kind != "done"
        assert example.stops in state.reason
    else:
        assert state.kind == "done", state.reason
        results = (found for track in recording.tracks for found in track.results() or ())
        example.check([part for found in results for part in leaves(found)], result_types_of(example))
    module = program_of(example).module
    again = load(Source(print_hlo(module), "printed.hlo"))
    assert again.module is not None
    assert again.module.functions == module.functions


def test_every_op_has_an_example() -> None:
    assert {op.name for op in OPS} == {path.stem for path in OP_EXAMPLES}


def test_every_section_of_the_specification_has_an_example() -> None:
    assert {f"stablehlo.{section}" for section in SECTIONS} <= {path.stem for path in OP_EXAMPLES}


@pytest.mark.oracle
@for_each("example", [each for each in EXAMPLES if each.results], ids=name_of)
def test_xla_has_the_same_results_or_the_reason_is_stated(
    example: Example, optimising_oracle: Oracle
) -> None:
    inputs, types = inputs_of(example), result_types_of(example)
    reason = REASON.fullmatch(example.oracle)
    if example.oracle.startswith("skip") and reason and reason["jaxlib"] in (None, version("jaxlib")):
        with pytest.raises((AssertionError, OracleRefused, OracleCrashed)):
            example.check(optimising_oracle.run_hlo(example.text, inputs), types)
    else:
        example.check(optimising_oracle.run_hlo(example.text, inputs, example.oracle == "as written"), types)


@pytest.mark.oracle
def test_xla_parses_the_examples_and_their_printed_form(oracle: Oracle) -> None:
    texts = [path.read_text("utf-8") for path in HLO_EXAMPLES]
    texts += [print_hlo(program_of(example).module) for example in EXAMPLES]
    refused = [f"{error}\n{text}" for text in texts if (error := _parse_error(oracle, text))]
    assert not refused, "\n\n".join(refused)


def _parse_error(oracle: Oracle, text: str) -> str:
    try:
        oracle.parse_hlo(text)
    except OracleRefused as refused:
        return str(refused)
    return ""
