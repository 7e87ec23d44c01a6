"""Programs that check their own results: one for each op, and those of XLA's operation semantics.

`app/reference/examples/ops/` holds the worked example of each op section of the specification, and one of our own for an op
without a section; the op reference runs them in place. Those of ops that only HLO has are HLO text, which cannot
check anything: a line of theirs has what comes out of every process, as the value of an input is written
(`// result: ([1, 2], 3)`), or of one after the other (`// result: [1, 2] | [3, 4]`).
The programs beside this file are the worked examples of XLA's operation semantics (`xla_`), and those of either that
need more processes than one (`grid_`), or show what they do for each other. A run that must stop, or wait for its
user, says so: `// stops: words of the reason`.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from hloscope.app.runs.launching import launch
from hloscope.app.runs.stated_inputs import stated_inputs
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.module import Module
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharding.runs.sharded_inputs import needed_grid
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module

from ..oracle.client import Oracle

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "app" / "reference" / "examples" / "ops"
HLO_EXAMPLES = sorted(FOLDER.glob("*.hlo"))
OP_EXAMPLES = [*sorted(FOLDER.glob("*.mlir")), *HLO_EXAMPLES]
PROGRAMS = [*OP_EXAMPLES, *sorted(HERE.glob("*.mlir"))]
SECTIONS = json.loads((HERE.parent / "ops" / "specification_labels.json").read_text())
STOPS = re.compile(r"^// stops: (.+)$", re.MULTILINE)
RESULT = re.compile(r"^// result: (.+)$", re.MULTILINE)
HEADER = re.compile(r"// title: .+\n// description: [A-Z].+[.?]\n")
ONLY_TOKENS = {"stablehlo.after_all", "stablehlo.create_token", "stablehlo.outfeed", "hlo.outfeed"}
"""Their results are nothing that could be compared."""


def _bound(path: Path) -> BoundProgram:
    loaded = load(Source(path.read_text("utf-8"), path.name))
    assert [found.message for found in loaded.diagnostics] == []
    assert loaded.program is not None
    return loaded.program


def _recording(path: Path) -> Recording:
    program = _bound(path)
    assert program.entry is not None
    grid = needed_grid(program, program.entry)
    stated = stated_inputs(path.read_text("utf-8"))
    return Recording(program, launch(program, program.entry, grid, stated, {}, DEFAULT_LIMITS))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_finds_what_it_expects(path: Path) -> None:
    recording = _recording(path)
    state = recording.record()
    stops = STOPS.search(path.read_text("utf-8"))
    if stops is None:
        assert state.kind == "done", state.reason
    else:
        assert state.kind in ("failed", "paused")
        assert stops[1] in state.reason


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_expects_something(path: Path) -> None:
    text = path.read_text("utf-8")
    assert HEADER.match(text), "its first lines are a title and a sentence"
    expects = any(bound.operation.name.startswith("check.") for bound in _bound(path).ops)
    stated = expects or STOPS.search(text) or RESULT.search(text)
    assert stated or path.stem in ONLY_TOKENS


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_survives_printing(path: Path) -> None:
    program = _bound(path)
    assert load(Source(_printed(program.module), path.name)).module == program.module


def _printed(module: Module) -> str:
    return print_hlo(module) if module.language == "hlo" else print_module(module, op_table())


@pytest.mark.parametrize("path", HLO_EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_hlo_gives_what_it_says(path: Path) -> None:
    stated = RESULT.search(path.read_text("utf-8"))
    if stated is None:
        return  # its run stops
    program = _bound(path)
    assert program.entry is not None
    recording = _recording(path)
    recording.record()
    (result_type,) = program.entry.function.type.results
    texts = stated[1].split(" | ")
    assert len(texts) in (1, len(recording.tracks))
    for track in recording.tracks:
        text = texts[track.number % len(texts)]
        wanted = make_input(InputSpec.parse(text), result_type, 0, "result")
        (found,) = track.results() or ()
        for got, expected in zip(leaves(found), leaves(wanted), strict=True):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.oracle
def test_xla_takes_the_examples_of_hlo() -> None:
    oracle = Oracle()
    try:
        for path in HLO_EXAMPLES:
            oracle.parse_hlo(path.read_text("utf-8"))
    finally:
        oracle.close()


@pytest.mark.parametrize("path", OP_EXAMPLES, ids=lambda path: path.stem)
def test_an_example_holds_its_op(path: Path) -> None:
    assert path.stem in {bound.operation.name for bound in _bound(path).ops}


def test_every_op_has_an_example() -> None:
    assert {op.name for op in OPS} == {path.stem for path in OP_EXAMPLES}


def test_every_section_of_the_specification_has_an_example() -> None:
    assert {f"stablehlo.{section}" for section in SECTIONS} <= {path.stem for path in OP_EXAMPLES}
