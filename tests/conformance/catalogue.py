"""The worked programs that all suites share: one or more for each op, and those of XLA's operation semantics.

A program is a file, which checks its own results, or an example of HLO text, whose first lines state them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hloscope.app.runs.launching import launch
from hloscope.app.runs.run_inputs import stated_inputs
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid
from hloscope.engine.source import Source

from .hlo_programs import Array, Example, arrays, literal, read_examples

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / "app" / "reference" / "examples" / "ops"
HLO_EXAMPLES = sorted(FOLDER.glob("*.hlo"))
OP_EXAMPLES = [*sorted(FOLDER.glob("*.mlir")), *HLO_EXAMPLES]
FILES = [*OP_EXAMPLES, *sorted(HERE.glob("*.mlir"))]
EXAMPLES = read_examples()
Worked = Path | Example
WORKED: list[Worked] = [*FILES, *EXAMPLES]


def name_of(worked: Worked) -> str:
    """Name of a program, as the id of a test."""
    return worked.stem if isinstance(worked, Path) else worked.name


def program_of(worked: Worked) -> BoundProgram:
    """Load a program; fail with its diagnostics."""
    if isinstance(worked, Path):
        return _load(worked.read_text("utf-8"), worked.name)
    return _load(worked.text, f"{worked.name}.hlo")


@cache
def _load(text: str, name: str) -> BoundProgram:
    source = Source(text, name)
    loaded = load(source)
    assert not loaded.diagnostics, "\n".join(found.format(source) for found in loaded.diagnostics)
    assert loaded.program is not None
    assert loaded.program.entry is not None
    return loaded.program


def grid_of(worked: Worked) -> Grid:
    """Process grid that the program needs."""
    program = program_of(worked)
    assert program.entry is not None
    return needed_grid(program, program.entry)


def launch_of(worked: Worked) -> Launch:
    """Grid of the program, with the inputs that the program states for each process."""
    program, grid = program_of(worked), grid_of(worked)
    assert program.entry is not None
    if isinstance(worked, Path):
        stated = stated_inputs(worked.read_text("utf-8"))
        return launch(program, program.entry, grid, stated, {}, DEFAULT_LIMITS)
    inputs, count = tuple(inputs_of(worked)), len(program.entry.function.arguments)
    if len(inputs) == count:
        return Launch.same_inputs(grid, inputs)
    return Launch(grid, tuple(inputs[begin : begin + count] for begin in range(0, len(inputs), count)))


def recording_of(worked: Worked) -> Recording:
    """Recording of the program, at its first step."""
    return Recording(program_of(worked), launch_of(worked))


def inputs_of(example: Example) -> list[Array]:
    """Inputs of all processes in order, or those of one process if all have the same."""
    entry = program_of(example).entry
    assert entry is not None
    types = [found for value in entry.function.arguments for found in arrays(value.type)]
    processes = grid_of(example).num_processes
    assert len(example.inputs) in (len(types), len(types) * processes), "one line for each parameter"
    if len(example.inputs) > len(types):
        types *= processes
    return [literal(text, found) for text, found in zip(example.inputs, types, strict=True)]


def result_types_of(example: Example) -> list[TensorType]:
    """Types of the results of all processes in order."""
    entry = program_of(example).entry
    assert entry is not None
    types = [array for found in entry.function.result_types for array in arrays(found)]
    return types * grid_of(example).num_processes
