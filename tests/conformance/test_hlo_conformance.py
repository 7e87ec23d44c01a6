"""Programs in HLO text that say what they give: the examples and the edges of XLA's operation semantics."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharding.runs.sharded_inputs import needed_grid
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo import print_hlo

from ..oracle.client import Oracle, OracleCrashed, OracleRefused
from .hlo_programs import FOLDER, Array, Example, arrays, literal, read_examples

EXAMPLES = read_examples()
RUN = [example for example in EXAMPLES if example.results]
STOPPED = [example for example in EXAMPLES if example.stops]
SENTENCE = re.compile(r"[A-Z].+[.?]")
REASON = re.compile(r"skip, \S.+|as written")
each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
each_run = pytest.mark.parametrize("example", RUN, ids=lambda example: example.name)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    found = Oracle()
    yield found
    found.close()


def _program(example: Example) -> BoundProgram:
    source = Source(example.text, f"{example.name}.hlo")
    loaded = load(source)
    assert loaded.program is not None, "\n".join(found.format(source) for found in loaded.diagnostics)
    return loaded.program


def _grid(example: Example) -> Grid:
    program = _program(example)
    assert program.entry is not None
    return needed_grid(program, program.entry)


def _result_types(example: Example) -> list[TensorType]:
    """Those of all processes."""
    entry = _program(example).entry
    assert entry is not None
    types = [array for found in entry.function.result_types for array in arrays(found)]
    return types * _grid(example).num_processes


def _inputs(example: Example) -> list[Array]:
    """Those of all processes, one behind the other; or those of each, if they are all the same."""
    entry = _program(example).entry
    assert entry is not None
    types = [found for value in entry.function.arguments for found in arrays(value.type)]
    count = len(types) * _grid(example).num_processes
    assert len(example.inputs) in (len(types), count), "one line for each parameter"
    if len(example.inputs) == count:
        types *= _grid(example).num_processes
    return [literal(text, found) for text, found in zip(example.inputs, types, strict=True)]


def launch_of(example: Example) -> Launch:
    grid, inputs = _grid(example), tuple(_inputs(example))
    entry = _program(example).entry
    assert entry is not None
    count = len(entry.function.arguments)
    if len(inputs) == count:
        return Launch.same_inputs(grid, inputs)
    return Launch(grid, tuple(inputs[begin : begin + count] for begin in range(0, len(inputs), count)))


def _run(example: Example, text: str) -> list[Array]:
    """What all processes give, one behind the other."""
    loaded = load(Source(text, f"{example.name}.hlo"))
    assert loaded.program is not None
    recording = Recording(loaded.program, launch_of(example))
    state = recording.record()
    assert state.kind == "done", state.reason
    return [part for track in recording.tracks for found in track.results() or () for part in leaves(found)]


@each
def test_a_program_says_what_it_shows(example: Example) -> None:
    assert SENTENCE.fullmatch(example.sentence), example.text
    assert bool(example.results) != bool(example.stops)
    assert not example.oracle or REASON.fullmatch(example.oracle)


@each_run
def test_a_program_gives_what_it_says(example: Example) -> None:
    example.check(_run(example, example.text), _result_types(example))


@pytest.mark.parametrize("example", STOPPED, ids=lambda example: example.name)
def test_a_run_that_must_stop_says_why(example: Example) -> None:
    recording = Recording(_program(example), launch_of(example))
    state = recording.record()
    assert state.kind != "done"
    assert example.stops in state.reason


@each
def test_a_program_survives_printing(example: Example) -> None:
    printed = print_hlo(_program(example).module)
    again = load(Source(printed, "printed.hlo"))
    assert again.module is not None
    assert again.module.functions == _program(example).module.functions
    if example.results:
        example.check(_run(example, printed), _result_types(example))


@pytest.mark.oracle
@pytest.mark.parametrize(
    "example",
    [example for example in RUN if not example.oracle.startswith("skip")],
    ids=lambda example: example.name,
)
def test_xla_gives_the_same(example: Example, oracle: Oracle) -> None:
    found = oracle.run_hlo(example.text, _inputs(example), example.oracle == "as written")
    example.check(found, _result_types(example))


@pytest.mark.oracle
@pytest.mark.parametrize(
    "example",
    [example for example in RUN if example.oracle.startswith("skip")],
    ids=lambda example: example.name,
)
def test_xla_does_not_give_the_same(example: Example, oracle: Oracle) -> None:
    with pytest.raises((AssertionError, OracleRefused, OracleCrashed)):
        example.check(oracle.run_hlo(example.text, _inputs(example)), _result_types(example))


@pytest.mark.oracle
@each
def test_xla_takes_what_we_print(example: Example, oracle: Oracle) -> None:
    oracle.parse_hlo(print_hlo(_program(example).module))


def test_the_command_line_runs_a_file_of_programs() -> None:
    root = FOLDER.parent.parent.parent
    command = [sys.executable, "-m", "hloscope", "run", "--split-input-file", str(FOLDER / "clamp.hlo")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
