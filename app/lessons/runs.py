"""The runs of a lesson's programs, recorded as the server records them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ..base.settings import Settings
from ..present.source_offsets import diagnostics
from ..runs import opening
from ..runs.launching import ArgumentSource
from ..runs.npz import arguments_of
from ..runs.run_inputs import given_json
from ..wire.program import Diagnostic, GridSize
from ..wire.sessions import InputSpec
from .tree import Program

T = TypeVar("T")
MOST_STEPS = 20_000
MOST_MILLISECONDS = 20_000
_NAMED = re.compile(r"\s*%?([A-Za-z_][\w.$-]*)\s*=\s*(.+)", re.DOTALL)


@dataclass(frozen=True)
class Bounds:
    """Bounds of a lesson's run: steps of all processes together, and milliseconds."""

    limits: Limits
    steps: int
    milliseconds: int

    @classmethod
    def of_lesson(cls, settings: Settings) -> Bounds:
        """The bounds for a lesson's own programs."""
        return cls(settings.limits(), MOST_STEPS, MOST_MILLISECONDS)

    @classmethod
    def of_trial(cls, settings: Settings) -> Bounds:
        """The bounds for a program that a student has changed."""
        memory = min(settings.trial_memory_bytes, settings.session_memory_bytes)
        limits = replace(settings.limits(), session_memory_bytes=memory)
        return cls(limits, settings.trial_step_limit, settings.trial_time_limit_ms)


@dataclass(frozen=True)
class Recorded:
    """A program with its run or errors; `inputs` are complete if it runs."""

    program: Program
    text: str
    recording: Recording | None
    inputs: list[InputSpec | None]
    diagnostics: list[Diagnostic]
    stopped: str = ""
    """The bound that stopped the run before its end."""

    @property
    def entry(self) -> str | None:
        """The function of the run."""
        return self.recording.entry if self.recording else self.program.entry

    @property
    def grid(self) -> GridSize | None:
        """The grid that the lesson states."""
        grid = self.program.grid
        return {"replicas": grid[0], "partitions": grid[1]} if grid else None

    @property
    def ended(self) -> bool:
        """Whether the run ended without a failure."""
        return self.recording is not None and self.recording.state.kind == "done"


_shared: ContextVar[dict[object, Any] | None] = ContextVar("shared", default=None)
"""The recordings of the innermost `shared_runs`."""


@contextmanager
def shared_runs() -> Iterator[None]:
    """Within the block, a program is recorded once; later requests get the same recording."""
    token = _shared.set({} if (found := _shared.get()) is None else found)
    try:
        yield
    finally:
        _shared.reset(token)


def shared(key: object, make: Callable[[], T]) -> T:
    """The result made for a key within `shared_runs`, or a new one."""
    if (found := _shared.get()) is None:
        return make()
    if key not in found:
        found[key] = make()
    return cast(T, found[key])


def record(program: Program, bounds: Bounds, text: str | None = None) -> Recorded:
    """Record a program, or another text in its place, within the bounds."""
    text = program.text if text is None else text
    key = program.file, text, program.inputs, program.grid, program.entry, bounds
    return replace(shared(key, lambda: _record(program, bounds, text)), program=program)


def _record(program: Program, bounds: Bounds, text: str) -> Recorded:
    source = Source(text, program.file)
    try:
        inputs = _inputs(program, source, bounds.limits)
    except ProgramError as error:
        return Recorded(program, text, None, [], diagnostics([error.diagnostic()], source))
    grid = Recorded(program, text, None, [], []).grid
    opened = opening.open_run(
        source, opening.OpenParameters(program.entry, inputs, [], grid), bounds.limits, "", 1
    )
    if isinstance(opened, opening.Refusal):
        return Recorded(program, text, None, inputs, opened.result["diagnostics"])
    recording = opened.run.recording
    state = recording.record(bounds.steps, bounds.milliseconds / 1000)
    found = list(opened.facts["diagnostics"])
    if state.diagnostic is not None:
        found += diagnostics([opened.run.hinted(state.diagnostic)], source)
    stopped = "" if state.kind in ("done", "failed") else _stopped(recording, bounds)
    specs: list[InputSpec | None] = [argument["input"] for argument in opened.facts["arguments"]]
    return Recorded(program, text, recording, specs, found, stopped)


def _stopped(recording: Recording, bounds: Bounds) -> str:
    if recording.awaited_queues:
        return "it waits for an item of a queue, which a lesson does not give"
    if recording.step_count >= bounds.steps:
        return f"it is not at its end after {bounds.steps:,} steps"
    return f"it is not at its end after {bounds.milliseconds / 1000:g} s"


def _inputs(program: Program, source: Source, limits: Limits) -> list[InputSpec | None]:
    """The inputs that the lesson states: named ones by name, the others in order."""
    found: list[InputSpec | None] = []
    named: dict[str, InputSpec] = {}
    for text in program.inputs:
        match = _NAMED.fullmatch(text)
        if match:
            named[match[1]] = given_json(ArgumentSource.parse(match[2]))
        else:
            found.append(given_json(ArgumentSource.parse(text)))
    return _with_names(program, source, limits, found, named) if named else found


def _with_names(
    program: Program,
    source: Source,
    limits: Limits,
    found: list[InputSpec | None],
    named: dict[str, InputSpec],
) -> list[InputSpec | None]:
    loaded = load(source, limits).program
    function = None
    if loaded is not None:
        function = loaded.functions.get(program.entry) if program.entry else loaded.entry
    if function is None:
        return found  # the program has errors, which its run reports
    names = [argument.name.removeprefix("%") for argument in arguments_of(function.function)]
    if unknown := [name for name in named if name not in names]:
        raise InputError(f"the program has no argument {unknown[0]}; it has {', '.join(names) or 'none'}")
    free = iter(found)
    return [*(named[name] if name in named else next(free, None) for name in names), *free]
