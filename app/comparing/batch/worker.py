"""The process that compares programs of a batch, one after the other, with one warm process of XLA."""

from __future__ import annotations

import argparse
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.passes.rewriting import Rewrite, describe_rewrite
from hloscope.engine.passes.text_changes import compare_texts
from hloscope.engine.source import Source

from ...base.blas import share_products
from ...base.failure import Failure
from ...passes.culprit import Executed, Search
from ...processes.confine import end_before_server
from ...processes.framing import Buffer, Channel
from ...processes.serving import Outcome, error_answer, perform_requests
from ...runs.chunks.input_options import with_files
from ...runs.chunks.outcome import is_well
from ...runs.chunks.planning import plan_run
from ...runs.chunks.reading import Chunk
from ...runs.formats.reading import read_program
from ...runs.launching import RunPlan
from ...wire.events import WorkerError
from ...wire.questions import RequestMessage
from ...wire.tasks import LimitValues, Task
from ...xla.engine import ADDRESS_SPACE, SECONDS, XlaEngine
from ...xla.failures import XlaUnusable
from ..against import Against, parse_against
from ..between_passes import Changed
from ..budget import Budget
from ..comparing import compare_with_engine
from ..our_runs import OurRun, finished, run_ours
from ..report import EngineComparison, verdict_sentence
from .module_cases import reduced_case, reduced_module
from .modules import ExamineModule, ReduceModule, examine_in_worker
from .pool import UNUSABLE
from .records import Cause, Record, Verdict, read_record


class ProgramTask(Task[dict[str, Any]]):
    """A program; its bytes are in the first buffer, its inputs in the second, and the files of its options in the last."""

    name: str
    options: dict[str, Any]
    """The options of the command that state a run."""
    files: list[str]
    """The files that are values of the options."""
    limits: LimitValues
    against: str
    tolerance: list[float] | None
    seconds: float


class CompareProgram(ProgramTask):
    """Compare a program with XLA; the result is its record without the key."""


class ReduceProgram(ProgramTask):
    """Reduce a program to a minimal case of the record's cause."""

    record: dict[str, Any]


def serve(connection: socket.socket) -> None:
    """Perform the tasks of a batch until the socket is closed."""
    end_before_server()
    share_products(1)
    with _Comparer() as comparer:
        perform_requests(Channel(connection), comparer.perform, error_of)


def error_of(error: Exception) -> WorkerError:
    """The answer to a task that has no record."""
    if isinstance(error, XlaUnusable):
        return {"status": 422, "kind": UNUSABLE, "message": str(error), "hint": ""}
    return error_answer(error)


class _Comparer:
    """The engines of a worker, by the number of their devices."""

    def __init__(self) -> None:
        self._engines: dict[tuple[str, int], XlaEngine] = {}

    def __enter__(self) -> _Comparer:
        return self

    def __exit__(self, *_: object) -> None:
        for engine in self._engines.values():
            engine.close()

    def perform(self, message: RequestMessage, buffers: Sequence[Buffer]) -> Outcome:
        """The answer to a task."""
        if message["kind"] == ExamineModule.__name__:
            return {"result": examine_in_worker(ExamineModule(**message["fields"]), buffers)}, ()
        if message["kind"] == ReduceModule.__name__:
            return reduced_module(ReduceModule(**message["fields"]), buffers)
        if message["kind"] == ReduceProgram.__name__:
            return self._reduce(ReduceProgram(**message["fields"]), buffers)
        return {"result": self._compare(CompareProgram(**message["fields"]), buffers).as_json()}, ()

    def _engine(self, against: str, named: Against, devices: int) -> XlaEngine:
        if (against, devices) not in self._engines:
            self._engines[against, devices] = named.engine(SECONDS, ADDRESS_SPACE, devices)
        return self._engines[against, devices]

    def _compare(self, task: CompareProgram, buffers: Sequence[Buffer]) -> Record:
        begin = perf_counter()
        try:
            record = self._judged(task, buffers)
        except (Failure, ProgramError, OSError, MemoryError) as error:
            told = "memory ran out" if isinstance(error, MemoryError) else str(error).partition("\n")[0]
            record = Record(task.name, "", "failed", f"hloscope has no results: {told}")
        return replace(record, seconds=round(perf_counter() - begin, 3), size=len(buffers[0]))

    def _judged(self, task: CompareProgram, buffers: Sequence[Buffer]) -> Record:
        named, limits = parse_against(task.against), Limits(**task.limits)
        plan = self._plan(task, buffers, limits)
        recording = plan.recording()
        recording.record()
        tolerance = None if task.tolerance is None else Tolerance(*task.tolerance)
        run = replace(finished(recording), tolerance=tolerance)
        engine = self._engine(task.against, named, len(run.processes))
        budget = Budget(task.seconds)
        found = compare_with_engine(engine, run.text, run, named.overrides, limits, budget)
        sentence, cause = verdict_sentence(found), cause_of(found, run, budget.within(limits))
        return Record(task.name, "", verdict_of(found), sentence, found.engine, cause=cause)

    def _plan(self, task: ProgramTask, buffers: Sequence[Buffer], limits: Limits) -> RunPlan:
        """The run that the options and the inputs beside the program state."""
        contents = buffers[: len(buffers) - len(task.files)]
        engine = self._engine("xla", parse_against("xla"), 1)
        file = read_program(
            bytes(buffers[0]), task.name, sizes=dict(task.options["size"]), platform=task.options["platform"],
            limits=limits, engine=engine, strict=False,
        )  # fmt: skip
        chunk = Chunk(Source(file.text, file.name), recorded=file.partitions, is_converted=file.is_converted)
        loaded = load(chunk.source, limits)
        if loaded.program is None or not is_well(loaded):
            errors = [found for found in loaded.diagnostics if found.severity == "error"]
            raise InputError(errors[0].format(loaded.source))
        with tempfile.TemporaryDirectory(prefix="hloscope-batch-") as folder:
            given = _written(task.files, buffers[len(contents) :], Path(folder))
            options = argparse.Namespace(**with_files(task.options, given))
            if len(contents) > 1:
                options.inputs = str(Path(folder) / "inputs.npz")
                Path(options.inputs).write_bytes(contents[1])
            return replace(plan_run(chunk, loaded.program, options, limits), limits=limits)

    def _reduce(self, task: ReduceProgram, buffers: Sequence[Buffer]) -> Outcome:
        named, limits = parse_against(task.against), Limits(**task.limits)
        plan = self._plan(task, buffers, limits)
        return reduced_case(plan, read_record(task.record), named, limits, task.seconds)


def _written(names: Sequence[str], contents: Sequence[Buffer], folder: Path) -> dict[str, str]:
    """Write files into folders of their own; their paths by their names."""
    paths = {}
    for number, (name, content) in enumerate(zip(names, contents, strict=True)):
        path = folder / str(number) / Path(name).name
        path.parent.mkdir()
        path.write_bytes(content)
        paths[name] = str(path)
    return paths


def verdict_of(found: EngineComparison) -> Verdict:
    """The verdict of a comparison, in the words of a batch."""
    if found.verdict in ("unknown", "failed"):
        return "unknown" if found.verdict == "unknown" else "failed"
    return "same" if found.is_fine else "different"


IDENTITY = "an identity of real numbers"


def cause_of(found: EngineComparison, run: OurRun, limits: Limits) -> Cause | None:
    """The cause; `None` if the results are the same, or may be."""
    if found.is_fine or found.verdict == "unknown":
        return None
    attribution = found.attribution
    suspect = attribution.suspect if attribution is not None else None
    pass_name = suspect.stage.changed_by if suspect is not None else ""
    if found.verdict == "failed":
        return Cause("no answer", pass_name, detail=found.failure)
    if attribution is not None and attribution.changed is not None:
        told = _rewrite(attribution.changed, run, limits)
        detail = IDENTITY if found.verdict == "identity" else ""
        return Cause("pass", pass_name, told.before, told.after, detail, told.change)
    first = found.located.first if found.located is not None else None
    alone = attribution.isolation.culprit if attribution is not None and attribution.isolation else None
    return Cause(
        "unknown" if attribution is None else attribution.culprit,
        pass_name,
        after=alone.instruction.written.opcode if alone is not None else "",
        detail=IDENTITY if found.verdict == "identity" else first.op if first is not None else "",
    )


def _rewrite(changed: Changed, run: OurRun, limits: Limits) -> Rewrite:
    """The rewrite of the culprit instruction; empty if it is unknown."""
    texts = changed.before.instructions, changed.after.instructions
    try:
        runs = [run_ours(text.text, run.arguments, limits) for text in (changed.before, changed.after)]
    except ProgramError:
        return Rewrite("", "")
    wrong = [number for number, result in enumerate(runs[0].compare(runs[1].results)) if result.is_different]
    one, other = (Executed.of(run.recording, text) for run, text in zip(runs, texts, strict=True))
    changes = compare_texts(*texts)
    found = Search(one, other, changes, runs[0].judge).find(wrong)
    return Rewrite("", "") if found is None else describe_rewrite(changes, found.before, found.after)
