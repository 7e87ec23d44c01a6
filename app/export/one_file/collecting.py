"""The requests of a page during stepping through a recording, and their responses.

The responses alone determine further requests: the program lists the values of an op, the outline the op of
each step. So any client of a recording's worker can make its page.
"""

import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Any, Literal

import numpy as np

from hloscope.engine.debugger.address import Address

from ...answers.findings import FindingsQuestion, OriginQuestion
from ...answers.grid import (
    ClockQuestion,
    ExecutionsQuestion,
    GridQuestion,
    PiecesQuestion,
    PositionsQuestion,
    ShardedValuesQuestion,
    ShardingsQuestion,
    StripsQuestion,
    TakersQuestion,
)
from ...answers.index_maps import AuxiliaryValueQuestion, MapsQuestion, PlacesQuestion
from ...answers.program import (
    FramesQuestion,
    OpDetailsQuestion,
    OutlineQuestion,
    PrintsQuestion,
    ProgramWindowQuestion,
)
from ...answers.question import RecordingQuestion, request_path
from ...answers.search import OpNamesQuestion
from ...answers.values import SummariesQuestion, ThumbnailsQuestion, WindowQuestion
from ...wire.program import Lists, ProgramWindow, TupleElement
from ...wire.questions import Answer
from ...wire.values import ElementWire
from .table import DEFAULT_BUDGET, Table, json_bytes

Asking = Generator[RecordingQuestion[Any], Answer[Any] | None, Any]
"""Yields requests and receives their responses; `None` if there is none."""

ROWS = 4_096
TICKS = 256
EXECUTIONS = 200
MOST_COLUMNS = 4_096
THUMBNAILS = 128
SUMMARIES = 32
MOST_VALUES = 50_000
MOST_ORIGINS = 1_000
MOST_FOUND = 1 << 20
LARGEST_VALUE = 1 << 20
"""Maximum elements of a value that the page holds whole: those of one window."""
HARDLY_PACKED = 0.9
"""Compressed fraction of the bytes of random elements."""
SECONDS = 60.0
"""Time limit of a page from a server; a command or a script takes as long as it needs."""
SMALL_VALUE = 64
"""Maximum elements of a value that the page holds whole, whatever the budget."""


@dataclass(frozen=True)
class Extent:
    """The extent of a recording, as its run reports it."""

    processes: int
    ticks: int
    collective_executions: int
    findings: int


def collect(
    extent: Extent, budget: int = DEFAULT_BUDGET, wanted: Sequence[str] = (), seconds: float = SECONDS
) -> Asking:
    """Request all that a page shows of a recording; returns its `Table`.

    The budget limits the elements of values, in compressed bytes. Whatever it is, the page holds the summary and the
    small picture of every value, small values whole, and so the values at the addresses `wanted`.
    """
    return _Collector(extent, budget, wanted, monotonic() + seconds).collect()


def elements_path(address: str) -> str:
    """The path of all elements of a value in a table."""
    return f"values/{address}/elements"


@dataclass
class _Program:
    """What the collector needs of the program's table."""

    windows: int = 0
    arguments: list[list[int]] = field(default_factory=list)
    """The arguments of each block."""
    results: list[list[int]] = field(default_factory=list)
    """The results of each op."""
    elements: list[list[TupleElement] | None] = field(default_factory=list)
    """The elements of each value that is a tuple."""

    def add(self, window: ProgramWindow) -> None:
        """Add the next window."""
        self.arguments += _rows(window["blocks"]["arguments"], len(self.arguments))
        self.results += _rows(window["ops"]["results"], len(self.results))
        values = window["values"]
        self.elements += [values["types"][kind]["elements"] for kind in values["type"]]
        self.windows += 1


def _rows(lists: Lists, first: int) -> Iterator[list[int]]:
    """The rows of lists whose items are differences from the numbers of their rows."""
    items = iter(lists["items"])
    for number, length in enumerate(lists["lengths"], first):
        yield [number + item for item in islice(items, length)]


class _Collector:
    def __init__(self, extent: Extent, budget: int, wanted: Sequence[str], deadline: float) -> None:
        self.extent, self.budget, self.deadline, self.wanted = extent, budget, deadline, wanted
        self.table = Table()
        self.spent = 0
        """Compressed bytes of elements of values that are not small."""
        self.steps: list[Any] = []
        self.blocks: list[Any] = []
        self._found: dict[int, Sequence[int]] = {}

    def collect(self) -> Asking:
        program = yield from self.program()
        tracks = yield from self.grid()
        yield from self.outlines(tracks)
        yield from self.json("program", OpNamesQuestion())
        yield from self.findings()
        yield from self.ops()
        if self.extent.processes > 1:
            yield from self.executions(program)
        values = list(_values(program, self.steps, self.blocks))
        shown = yield from self.summaries(values)
        yield from self.elements(shown)
        yield from self.sources_of_maps()
        return self.table

    def ask(self, kind: str, question: RecordingQuestion[Any], *sent: str) -> Asking:
        """Make a request, and keep the response under its path; the page sends the fields `sent` in the query."""
        found = yield question
        if found is not None:
            self.table.add(kind, request_path(question, *sent), bytes(found.body), found.headers)
        return found

    def json(self, kind: str, question: RecordingQuestion[Any], *sent: str) -> Asking:
        """Like `ask`, for responses in JSON."""
        found = yield from self.ask(kind, question, *sent)
        return None if found is None else found.json()

    def has_time(self) -> bool:
        return monotonic() < self.deadline

    # Required data.

    def program(self) -> Asking:
        """The windows of the program's table; returns its `_Program`."""
        program = _Program()
        windows = 1
        while program.windows < windows:
            question = ProgramWindowQuestion(program.windows)
            window: ProgramWindow = yield from self.json("program", question, "chunk")
            windows = window["head"]["windows"] if window["head"] else windows
            program.add(window)
        return program

    def grid(self) -> Asking:
        """The progress of each process, and their common data."""
        grid = yield from self.json("grid", GridQuestion())
        if self.extent.processes < 2:
            return grid["tracks"][:1]
        yield from self.ask("grid", TakersQuestion())
        yield from self.ask("grid", ShardedValuesQuestion())
        for team in range(len(grid["teams"])):
            for chunk in range(-(-grid["ticks"] // TICKS)):
                yield from self.ask("grid", PositionsQuestion(chunk, team), "chunk", "team")
            # Other widths follow from these, with one column per tick, or the maximum.
            columns = max(1, min(grid["ticks"], MOST_COLUMNS))
            stop = max(1, grid["ticks"])
            strips = StripsQuestion(0, stop, columns, team)
            found = yield strips
            if found is not None:
                path, headers = request_path(strips, "team"), {"X-Columns": str(columns)}
                self.table.add("grid", path, bytes(found.body), headers)
        for process in range(len(grid["tracks"])):
            yield from self.ask("grid", ClockQuestion(process), "process")
        return grid["tracks"]

    def outlines(self, tracks: Sequence[Any]) -> Asking:
        for process, track in enumerate(tracks):
            steps, frames, other = [], [], _other(process)
            for chunk in range(-(-track["steps"] // ROWS)):
                found = yield from self.ask("outline", OutlineQuestion(chunk, process), "chunk", *other)
                steps.append(np.frombuffer(found.body, "<u4", len(found.body) // 10))
            for chunk in range(-(-track["frames"] // ROWS)):
                found = yield from self.ask("outline", FramesQuestion(chunk, process), "chunk", *other)
                frames.append(np.frombuffer(found.body, "<u4", len(found.body) // 16))
            self.steps.append(np.concatenate(steps) if steps else np.zeros(0, np.uint32))
            self.blocks.append(np.concatenate(frames) if frames else np.zeros(0, np.uint32))
            yield from self.prints(process)

    def prints(self, process: int) -> Asking:
        start = 0
        while True:
            found = yield from self.json("outline", PrintsQuestion(start, process), "start", *_other(process))
            if not found:
                return
            start += len(found)

    def findings(self) -> Asking:
        """The findings, and the next position with a finding for each process."""
        found = yield from self.json("program", FindingsQuestion())
        for process in range(self.extent.processes) if found and found["marks"] else ():
            forward = yield from self._origins(process, -1, "forward")
            back = yield from self._origins(process, len(self.steps[process]), "back")
            stops = {"forward": forward, "back": back[::-1]}
            path = f"findings/origins?process={process}" if process else "findings/origins"
            self.table.add("program", path, json_bytes(stops))

    def _origins(self, process: int, step: int, direction: Literal["forward", "back"]) -> Asking:
        """The positions of origins, in order from a step on."""
        stops: list[Any] = []
        while len(stops) < MOST_ORIGINS:
            answer = yield OriginQuestion(step, process, direction)
            stop = answer.json() if answer is not None else None
            if stop is None:
                break
            stops.append(stop)
            step = stop["step"]
        return stops

    # Data of ops.

    def ops(self) -> Asking:
        """Executed ops, in text order."""
        executed = sorted({int(op) for steps in self.steps for op in np.unique(steps)})
        for op in executed:
            if not self.has_time():
                break
            yield from self.ask("ops", OpDetailsQuestion(op))
            yield from self.ask("maps", MapsQuestion(op))

    def executions(self, program: _Program) -> Asking:
        """The participants and values of collectives, and the sharding of the program's values."""
        executions: list[Any] = []
        for start in range(0, self.extent.collective_executions, EXECUTIONS):
            found = yield from self.json("executions", ExecutionsQuestion(start), "start")
            executions += found or []
        for execution in executions:
            if not self.has_time():
                return
            number = execution["number"]
            yield from self.ask("pieces", PiecesQuestion(number, None), "execution")
            for process, _, _ in execution["arrivals"]:
                yield from self.ask("pieces", PiecesQuestion(number, process), "execution", "process")
            for process, step, _ in execution["arrivals"]:
                op = int(self.steps[process][step])
                yield from self.ask("pieces", PlacesQuestion(op, step, process), "process", "step")
        for value in range(len(program.elements)):
            for process in range(self.extent.processes):
                if not self.has_time():
                    return
                yield from self.ask("shardings", ShardingsQuestion(None, value, process), "process", "value")

    def sources_of_maps(self) -> Asking:
        """The runtime values of each step that its op's maps use."""
        for process, steps in enumerate(self.steps):
            for step, op in enumerate(steps.tolist()):
                if not self.has_time():
                    return
                for number in self._found_by(op):
                    question = AuxiliaryValueQuestion(op, step, number, process, 0, MOST_FOUND)
                    yield from self.ask("found", question, "number", "process", "step")

    def _found_by(self, op: int) -> Sequence[int]:
        """The numbers of an op's own runtime values, after its operands."""
        if op not in self._found:
            path = request_path(MapsQuestion(op))
            maps = json.loads(self.table.body(path)) if path in self.table else {"found": [], "operands": []}
            first = len(maps["operands"])
            self._found[op] = range(first, first + len(maps["found"]))
        return self._found[op]

    # Values.

    def summaries(self, values: Sequence[str]) -> Asking:
        """Pictures and summaries of all values; the values that have them, with their sizes."""
        shown: list[tuple[str, int, int]] = []
        left_out = ""
        if len(values) > MOST_VALUES:
            left_out = f"it describes the first {MOST_VALUES:,} of {len(values):,} values"
        for start in range(0, min(len(values), MOST_VALUES), THUMBNAILS):
            if not self.has_time():
                left_out = f"there was time to describe the first {start:,} of {len(values):,} values"
                break
            some = values[start : start + THUMBNAILS]
            answer = yield ThumbnailsQuestion(",".join(some))
            for address, info in (answer.json() if answer is not None else {}).items():
                self.table.add("thumbnails", f"thumbnails/{address}", json_bytes(info))
            for first in range(0, len(some), SUMMARIES):
                told = yield SummariesQuestion(",".join(some[first : first + SUMMARIES]))
                summaries = told.json() if told is not None else {}
                for address, found in summaries.items():
                    self.table.add("summaries", f"values/{address}", json_bytes(found))
                    if found["shape"] is not None:
                        shown.append((address, found["count"], found["count"] * _width(found["wire"])))
        self.table.about |= {"left_out": left_out, "summaries": len(shown)}
        return shown

    def elements(self, shown: Sequence[tuple[str, int, int]]) -> Asking:
        """All elements of values: first the requested ones, then small ones first."""
        whole = 0
        wanted = [value for value in shown if value[0] in self.wanted]
        others = sorted((value for value in shown if value[0] not in self.wanted), key=lambda value: value[2])
        for address, count, size in (*wanted, *others):
            is_free = address in self.wanted or count <= SMALL_VALUE
            if not is_free and not self._has_room_for(count, size):
                break
            question = WindowQuestion(address, "-1", "-2", "0,0", f"1,{count}")
            found = yield question
            if found is not None:
                before = self.table.packed_bytes
                self.table.add("elements", elements_path(address), bytes(found.body), found.headers)
                self.spent += 0 if is_free else self.table.packed_bytes - before
                whole += 1
        self.table.about["whole"] = whole

    def _has_room_for(self, count: int, size: int) -> bool:
        return count <= LARGEST_VALUE and self.spent + size * HARDLY_PACKED < self.budget and self.has_time()


def _other(process: int) -> tuple[str, ...]:
    """The field `process` where the page sends it only for other processes than the first."""
    return ("process",) if process else ()


def _width(wire: ElementWire) -> int:
    """Bytes per element."""
    return wire["components"] * int(wire["dtype"][1:]) // 8


def _values(program: _Program, steps: Sequence[Any], blocks: Sequence[Any]) -> Iterator[str]:
    """The addresses of all values: the arguments of each frame, then the results of each step."""
    for process, frames in enumerate(blocks):
        for frame, block in enumerate(frames.tolist()):
            for index, value in enumerate(program.arguments[block]):
                yield from _leaves(program, value, Address(process, "f", frame, index))
    for process, ops in enumerate(steps):
        for step, op in enumerate(ops.tolist()):
            for index, value in enumerate(program.results[op]):
                yield from _leaves(program, value, Address(process, "s", step, index))


def _leaves(program: _Program, value: int, address: Address) -> Iterator[str]:
    """The value itself, and the elements of a tuple."""
    yield str(address)
    yield from _inside(program.elements[value] or (), address)


def _inside(elements: Sequence[TupleElement], address: Address) -> Iterator[str]:
    for number, element in enumerate(elements):
        inner = address._replace(path=(*address.path, number))
        yield str(inner)
        yield from _inside(element["elements"] or (), inner)
