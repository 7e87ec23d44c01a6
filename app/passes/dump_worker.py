"""The process that reads a dump for the server: it answers questions, or compares all texts, runs them and sends results as events.

It processes one request after the other, and reports stages as they become known. To cancel an examination, the
server ends this process.
"""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Literal

from hloscope.engine.errors import ProgramError
from hloscope.engine.passes.stages import DumpedModule

from ..present.differences import number_text
from ..processes.framing import Buffer, Channel
from ..processes.serving import Outcome, error_answer, perform_requests
from ..wire.dump_questions import CountProtocolBuffers, ExamineDump, OpenDump
from ..wire.dumps import DumpEvent, FirstWrong, InputsEvent, StageFound, StagesEvent, WorstInPass
from ..wire.events import WorkerError
from ..wire.questions import Question, RequestMessage, classes_by_name
from .dump_answers import NotThere, OpenedDump, count_protocol_buffers, given_arrays, open_for_page
from .examine import Watcher, examine_modules
from .original_values import OriginalValues
from .read_modules import Request
from .records import ModuleReport, Report, StageReport, Worst, verdict_sentence
from .stage_runs import MadeInputs

Tell = Callable[[DumpEvent], None]
ARROW = "→"
"""Between two values on the page; a terminal may have only ASCII."""
TELL_SECONDS = 0.1
"""Interval at which collected stages are sent."""


def examine_for_page(opened: OpenedDump, task: ExamineDump, tell: Tell) -> str:
    """Compare all texts, then run them; a sentence with the outcome.

    A module that cannot be examined does not stop the others.
    """
    teller = _Teller(opened.dump.modules, task.inputs_name, tell)
    list(_reports(opened, task, teller, run=False))
    teller.flush()
    teller.begin_runs()
    reports = list(_reports(opened, task, teller, run=True))
    teller.flush()
    return verdict_sentence(Report(tuple(reports)), ARROW)


def _reports(opened: OpenedDump, task: ExamineDump, teller: _Teller, *, run: bool) -> Iterator[ModuleReport]:
    for number, module in enumerate(opened.dump.modules):
        try:
            request = replace(_request(opened, task, number), run=run)
            yield from examine_modules(opened.dump, request, [module], teller)
        except ProgramError as error:
            if run:
                teller.cannot(number, error)


def _request(opened: OpenedDump, task: ExamineDump, module: int) -> Request:
    """The request for a module: arrays are supplied for one of them."""
    is_given = task.module == module
    return Request(
        inputs=given_arrays(task.inputs, task.inputs_name, opened.limits) if is_given else None,
        seed=task.seed,
        jobs=task.jobs,
        limits=opened.limits,
        address_space=task.address_space,
    )


class _Teller(Watcher):
    """Collect stage reports, and send them several times a second."""

    def __init__(self, modules: tuple[DumpedModule, ...], inputs_name: str, tell: Tell) -> None:
        self.phase: Literal["texts", "runs"] = "texts"
        self._tell, self._inputs_name = tell, inputs_name
        self._places = {
            (module.key, module.folder, stage.path): (number, at)
            for number, module in enumerate(modules)
            for at, stage in enumerate(module.stages)
        }
        self._numbers = {id(module): number for number, module in enumerate(modules)}
        self._waiting: dict[tuple[int, int], StageFound] = {}
        self._last = 0.0
        self._sentence = ""
        self._first: FirstWrong | None = None

    def told(self, found: StageReport) -> None:
        # First, because a note may be sent immediately, and may be the last.
        if found.is_wrong and self._first is None:
            module, stage = self._place(found)
            self._first = {"module": module, "stage": stage}
            self._sentence = verdict_sentence(Report((ModuleReport(found.module, (found,)),)), ARROW)
        self._note(found, has_run=self.phase == "runs")

    def ran(self, found: StageReport) -> None:
        self._note(found, has_run=True)

    def made(self, module: DumpedModule, inputs: MadeInputs, traced: OriginalValues | None) -> None:
        origin = self._inputs_name if inputs.origin == "given" else inputs.origin
        event: InputsEvent = {
            "event": "inputs",
            "module": self._numbers[id(module)],
            "origin": origin,
            "types": list(inputs.types),
        }
        if traced is not None:
            event["original_values"] = traced.sentence
        self._tell(event)

    def cannot(self, module: int, error: ProgramError) -> None:
        """Report that a module cannot be examined."""
        self.flush()
        self._tell({"event": "problem", "module": module, "message": error.message, "hint": error.hint or ""})

    def begin_runs(self) -> None:
        """All texts are compared; later reports come from runs."""
        self.phase = "runs"
        self.flush(always=True)

    def flush(self, *, always: bool = False) -> None:
        """Send the collected reports."""
        if self._waiting or always:
            event: StagesEvent = {
                "event": "stages",
                "phase": self.phase,
                "stages": list(self._waiting.values()),
                "sentence": self._sentence,
                "first_wrong": self._first,
            }
            self._tell(event)
        self._waiting = {}
        self._last = time.monotonic()

    def _place(self, found: StageReport) -> tuple[int, int]:
        return self._places[found.module.key, found.module.folder, found.stage.path]

    def _note(self, found: StageReport, *, has_run: bool) -> None:
        place = self._place(found)
        self._waiting[place] = stage_found(found, *place, has_run=has_run)
        if time.monotonic() - self._last >= TELL_SECONDS:
            self.flush()


def stage_found(found: StageReport, module: int, stage: int, *, has_run: bool) -> StageFound:
    """The report of a stage, in the page's format."""
    return {
        "module": module,
        "stage": stage,
        "verdict": found.verdict,
        "has_run": has_run,
        "added": found.counts.added,
        "removed": found.counts.removed,
        "changed": found.counts.changed,
        "worst": None if found.worst is None else _worst(found.worst),
        "reason": found.reason,
        "hint": found.hint,
    }


def _worst(worst: Worst) -> WorstInPass:
    ulps = worst.ulps
    return {
        "value": worst.value,
        "replaced": worst.replaced,
        "index": list(worst.index),
        "before": number_text(worst.before),
        "after": number_text(worst.after),
        "ulps": float(ulps) if ulps is not None and isfinite(ulps) else None,
        "process": worst.process,
    }


QUESTIONS = classes_by_name(Question)


def serve(connection: socket.socket) -> None:
    """Answer until the other end closes."""
    # The fork server does not reap its children; those that run stages report their own end.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    channel = Channel(connection)
    perform_requests(channel, _DumpWorker(channel).perform, _error_json)


class _DumpWorker:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._opened: OpenedDump | None = None

    def perform(self, message: RequestMessage, _: Sequence[Buffer]) -> Outcome:
        """Perform a task or answer a question."""
        kind, fields = message["kind"], message["fields"]
        if kind == OpenDump.__name__:
            self._opened = open_for_page(OpenDump(**fields))
            return {"result": self._opened.contents}, ()
        if kind == CountProtocolBuffers.__name__:
            return {"result": count_protocol_buffers(CountProtocolBuffers(**fields))}, ()
        if kind == ExamineDump.__name__:
            return {"result": examine_for_page(self._dump, ExamineDump(**fields), self._channel.send)}, ()
        found = self._dump.answer(QUESTIONS[kind](**fields))
        return {"answer": found.head}, [found.body]

    @property
    def _dump(self) -> OpenedDump:
        if self._opened is None:
            raise NotThere
        return self._opened


def _error_json(error: Exception) -> WorkerError:
    match error:
        case NotThere() | IndexError():
            return {"status": 404, "kind": "not_found", "message": "There is no such stage or file."}
        case MemoryError():
            message = "The dump needs more memory than a process of hloscope may have."
            return {"status": 503, "kind": "limit", "message": message, "limit": "worker_rlimit_as_bytes"}
        case _:
            return error_answer(error)
