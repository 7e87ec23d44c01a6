"""Programs that check their own results: one for each op, and those of XLA's operation semantics.

`app/examples/ops/` holds the worked example of each op section of the specification, and one of our own for an op
without a section; the op reference runs them in place. The programs beside this file are the worked examples of
XLA's operation semantics (`xla_`), and those of either that need more processes than one (`grid_`). A run that must
stop says so: `// stops: words of the reason`.
"""

import json
import re
from pathlib import Path

import pytest

from engine.debugger.recording import Recording
from engine.frontend import load
from engine.ops import OPS, op_table
from engine.program import BoundProgram
from engine.source import Source
from engine.syntax import print_module

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OP_EXAMPLES = sorted((ROOT / "app" / "examples" / "ops").glob("*.mlir"))
PROGRAMS = [*OP_EXAMPLES, *sorted(HERE.glob("*.mlir"))]
SECTIONS = json.loads((HERE.parent / "ops" / "specification_labels.json").read_text())
STOPS = re.compile(r"^// stops: (.+)$", re.MULTILINE)
HEADER = re.compile(r"// title: .+\n// description: [A-Z].+[.?]\n")
ONLY_TOKENS = {"stablehlo.after_all", "stablehlo.create_token"}
"""Their results are nothing that could be compared."""


def _bound(path: Path) -> BoundProgram:
    loaded = load(Source(path.read_text("utf-8"), path.name))
    assert [found.message for found in loaded.diagnostics] == []
    assert loaded.program is not None
    return loaded.program


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_finds_what_it_expects(path: Path) -> None:
    recording = Recording(_bound(path), [])
    state = recording.record()
    stops = STOPS.search(path.read_text("utf-8"))
    if stops is None:
        assert state.kind == "done", state.reason
    else:
        assert state.kind == "failed"
        assert stops[1] in state.reason


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_expects_something(path: Path) -> None:
    text = path.read_text("utf-8")
    assert HEADER.match(text), "its first lines are a title and a sentence"
    expects = any(bound.op.name.startswith("check.") for bound in _bound(path).ops)
    assert expects or STOPS.search(text) or path.stem in ONLY_TOKENS


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_survives_printing(path: Path) -> None:
    program = _bound(path)
    assert load(Source(print_module(program.module, op_table()))).module == program.module


@pytest.mark.parametrize("path", OP_EXAMPLES, ids=lambda path: path.stem)
def test_an_example_holds_its_op(path: Path) -> None:
    assert path.stem in {bound.op.name for bound in _bound(path).ops}


def test_every_op_has_an_example() -> None:
    assert {op.name for op in OPS} == {path.stem for path in OP_EXAMPLES}


def test_every_section_of_the_specification_has_an_example() -> None:
    assert {f"stablehlo.{section}" for section in SECTIONS} <= {path.stem for path in OP_EXAMPLES}
