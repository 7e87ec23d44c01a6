"""Convert an editor's request to a run that is ready to begin."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

from ..base.failure import Failure
from ..base.settings import Settings
from ..runs.chunks.outcome import is_well
from ..runs.chunks.planning import plan_run
from ..runs.chunks.reading import Chunk, read_chunk
from ..runs.launching import RunPlan

ARGUMENTS: Mapping[str, tuple[type, str]] = {
    "program": (str, "a file with a program, StableHLO or HLO text"),
    "entry": (str, "the function to run"),
    "inputs": (str, "a file.npz with arrays"),
    "input": (list, "values of arguments: [\"x=iota\", \"[1, 2]\"]"),
    "seed": (int, "the seed of the inputs that hloscope makes up"),
    "bind": (list, "results of code that hloscope cannot run: [\"@f=zeros\"]"),
    "replicas": (int, "the number of replicas"),
    "partitions": (int, "the number of partitions"),
    "infeed": (list, "items of the infeed queue"),
    "host": (list, "items of queues from the host: [\"1=[1, 2]\"]"),
    "set": (list, "settings: [\"run_step_limit=20000000\"]"),
    "stopOnEntry": (bool, "whether to stop before the first op"),
}  # fmt: skip
"""The arguments of a launch, with their types and descriptions."""


@dataclass(frozen=True)
class Program:
    """A program, and the inputs of its run."""

    chunk: Chunk
    program: BoundProgram
    options: argparse.Namespace
    limits: Limits
    warnings: str

    @property
    def source(self) -> Source:
        """The text."""
        return self.chunk.source

    def plan(self) -> RunPlan:
        """The start of the run; `Failure` or `ProgramError` if it is invalid."""
        return plan_run(self.chunk, self.program, self.options, self.limits)


def read_program(arguments: Mapping[str, Any], settings: list[str], text: str | None = None) -> Program:
    """The program of a launch, or of `text`, the file in the editor.

    `Failure` or `ProgramError` describes its errors.
    """
    given = _checked(arguments)
    limits = Settings.load([*settings, *given.get("set", [])]).limits()
    if "program" not in given:
        raise Failure('the launch names no program: "program": "${file}" means the file in the editor')
    named = given["program"]
    as_they_are = argparse.Namespace(size=[], platform=None)
    chunk = read_chunk(named, limits, as_they_are) if text is None else Chunk(Source(text, named))
    loaded = load(chunk.source, limits)
    if loaded.program is None or not is_well(loaded):
        raise Failure("\n".join(found.format(chunk.source) for found in loaded.diagnostics))
    return Program(chunk, loaded.program, _options(given), limits, _warnings(loaded))


def _warnings(loaded: Loaded) -> str:
    return "".join(f"{found.format(loaded.source)}\n" for found in loaded.diagnostics)


def _checked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Our arguments, each with its type checked."""
    found: dict[str, Any] = {}
    for name, (kind, meaning) in ARGUMENTS.items():
        value = arguments.get(name)
        if value is None:
            continue
        is_whole = not (kind is int and isinstance(value, bool))
        texts = kind is not list or (isinstance(value, list) and all(isinstance(item, str) for item in value))
        if not isinstance(value, kind) or not is_whole or not texts:
            raise InputError(f'"{name}" of the launch is {meaning}, not {value!r:.80}')
        found[name] = value
    for name in ("replicas", "partitions"):
        if found.get(name, 1) < 1:
            raise InputError(f'"{name}" of the launch is at least 1, not {found[name]}')
    return found


def _options(given: Mapping[str, Any]) -> argparse.Namespace:
    """The arguments as options of the command line."""
    return argparse.Namespace(
        entry=given.get("entry"),
        inputs=given.get("inputs"),
        input=given.get("input", []),
        seed=given.get("seed", 0),
        bind=given.get("bind", []),
        replicas=given.get("replicas"),
        partitions=given.get("partitions"),
        infeed=given.get("infeed", []),
        host_values=given.get("host", []),
    )
