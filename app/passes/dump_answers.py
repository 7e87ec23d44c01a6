"""Answers about an open dump: its contents, texts side by side, file parts, stage inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from json import dumps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.buffers import Allocation, read_allocations
from hloscope.engine.passes.contents import DESCRIBED, IS_TEXT
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.saved_buffers import read_saved_buffers
from hloscope.engine.passes.side_by_side import Fold, Row, SideBySide, place_side_by_side
from hloscope.engine.passes.snapshots import read_snapshot
from hloscope.engine.passes.stages import DumpedFile, DumpedModule, Stage
from hloscope.engine.passes.text_changes import compare_texts

from ..base.cache import Cache
from ..present.npy import as_plain
from ..processes.arrays import Array
from ..runs.npz import naming_file, read_arrays
from ..wire import dumps as wire
from ..wire.dump_questions import (
    CountProtocolBuffers,
    DumpMemoryQuestion,
    FileBytesQuestion,
    FilePartQuestion,
    OpenDump,
    StageDifferenceQuestion,
    StageInputsQuestion,
    StageTextQuestion,
)
from ..wire.encoding import encoded
from ..wire.questions import Answer, Question, bytes_answer, json_answer
from .checksum_logs import dumped_log_lines
from .dump_files import Dump, DumpLimits, open_dump, open_dump_files
from .elided import StageConstants, find_constants
from .examine import prepare_texts
from .memory_reports import MemoryReport, dump_reports, matching_reports, report_difference
from .pool import Pool
from .read_modules import ReadModule, Request, read_module
from .stage_runs import make_inputs

A = TypeVar("A")
KEPT_TEXTS = 4
KEPT_FILES = 2
LONGEST_LINE = 4_000
"""Maximum characters of a shown line, because constants may take megabytes."""
MOST_LINES = 5_000
"""Maximum lines or rows in one answer."""


class NotThere(Exception):
    """The stage or file does not exist."""


@dataclass
class _Text:
    lines: list[str]
    table: HloText | None
    names: dict[int, str]
    """The instruction that each line defines."""


@dataclass
class OpenedDump:
    """An open dump, with a cache of what was read last."""

    dump: Dump
    limits: Limits
    _texts: Cache[str, _Text] = field(default_factory=lambda: Cache(KEPT_TEXTS))
    _files: Cache[int, list[str]] = field(default_factory=lambda: Cache(KEPT_FILES))
    _placed: tuple[tuple[int, int], SideBySide] | None = None
    _constants: tuple[int, int, list[StageConstants]] | None = None
    """The constants that a module's texts leave out, up to a stage."""

    @property
    def contents(self) -> wire.DumpContents:
        """Modules, stages and files, by their numbers."""
        numbers = {file.path: number for number, file in enumerate(self.dump.files)}
        return {
            "modules": [_module(module, numbers) for module in self.dump.modules],
            "files": [_file(file) for file in self.dump.files],
        }

    def answer(self, question: Question[A]) -> Answer[A]:
        """The answer to a question; `NotThere` if its subject does not exist."""
        return ANSWERS[type(question)](self, question)

    def module(self, number: int) -> DumpedModule:
        """The module with that number."""
        if not 0 <= number < len(self.dump.modules):
            raise NotThere
        return self.dump.modules[number]

    def stage(self, module: int, number: int) -> Stage:
        """The stage with that number."""
        stages = self.module(module).stages
        if not 0 <= number < len(stages):
            raise NotThere
        return stages[number]

    def file(self, number: int) -> DumpedFile:
        """The file with that number."""
        if not 0 <= number < len(self.dump.files):
            raise NotThere
        return self.dump.files[number]

    def text(self, stage: Stage) -> _Text:
        """The text of a stage, as lines and as a table."""
        found = self._texts.get(stage.path)
        if found is None:
            found = self._texts[stage.path] = self._read(stage)
        return found

    def _read(self, stage: Stage) -> _Text:
        text = self.dump.text(stage.path)
        table = read_instructions(text) if stage.file.content == "hlo" else None
        named = {found.line: found.name for found in table.instructions.values()} if table else {}
        return _Text(text.splitlines(), table, named)

    def lines(self, number: int) -> list[str]:
        """The lines of a text file, or of a log of checksums as people read it."""
        found = self._files.get(number)
        if found is None:
            file = self.file(number)
            is_log = file.content == "checksums"
            found = dumped_log_lines(self.dump, file) if is_log else self.dump.text(file.path).splitlines()
            self._files[number] = found
        return found

    def constants(self, module: int, read: ReadModule, last: int) -> list[StageConstants]:
        """The constants that texts leave out, up to a stage.

        Each text has to be compared with the one before to find them.
        """
        known = self._constants
        if known is None or known[0] != module or known[1] < last:
            known = self._constants = (module, last, find_constants(read, self.limits, last))
        return known[2]

    def side_by_side(self, module: int, at: int) -> SideBySide | None:
        """The text of a stage beside the one before; `None` unless both exist and are HLO."""
        if self._placed is not None and self._placed[0] == (module, at):
            return self._placed[1]
        stages = self.module(module).stages
        before, after = (self.text(stages[at - 1]), self.text(stages[at])) if at else (None, None)
        if before is None or after is None or before.table is None or after.table is None:
            return None
        changes = compare_texts(before.table, after.table)
        found = place_side_by_side(changes, (len(before.lines), len(after.lines)))
        self._placed = (module, at), found
        return found


def open_for_page(task: OpenDump) -> OpenedDump:
    """The dump in an archive; `InputError` if there is none, `LimitError` if it is too large."""
    limits = Limits(**task.limits)
    most = DumpLimits(limits.max_program_bytes, bytes=task.most_bytes)
    # The process of a dump is confined: it cannot start XLA. The archive has texts of its protocol buffers.
    dump = open_dump(task.path, most, task.called, converts=False)
    return OpenedDump(dump, limits)


def count_protocol_buffers(task: CountProtocolBuffers) -> int:
    """The number of protocol buffers in an archive that have no text beside them."""
    most = DumpLimits(Limits(**task.limits).max_program_bytes, bytes=task.most_bytes)
    return len(open_dump_files(task.path, most, task.called).lone_protocol_buffers)


# Contents.


def _module(module: DumpedModule, numbers: dict[str, int]) -> wire.DumpModule:
    return {
        "key": module.key,
        "stages": [_stage(stage, numbers) for stage in module.stages],
        "others": [numbers[file.path] for file in module.attachments],
    }


def _stage(stage: Stage, numbers: dict[str, int]) -> wire.DumpStage:
    return encoded(wire.DumpStage, stage, file=numbers[stage.path])


def _file(file: DumpedFile) -> wire.DumpFile:
    return {
        "path": file.path,
        "size": file.size,
        "content": file.content,
        "described": DESCRIBED[file.content],
        "is_text": file.content in IS_TEXT,
    }


# Texts side by side.


def _difference(opened: OpenedDump, question: StageDifferenceQuestion) -> Answer[wire.StageDifference]:
    stage = opened.stage(question.module, question.stage)
    limit = min(question.limit, MOST_LINES)
    placed = opened.side_by_side(question.module, question.stage)
    if placed is None:
        return json_answer(_one_text(opened, question, stage, limit))
    before = opened.text(opened.stage(question.module, question.stage - 1))
    after = opened.text(stage)
    items = placed.items if question.folded else range(len(placed.rows))
    counts = placed.changes.counts
    shown = islice(items, question.start, question.start + limit)
    return json_answer(
        {
            "before": question.stage - 1,
            "total": len(items),
            "added": counts.added,
            "removed": counts.removed,
            "changed": counts.changed,
            "items": [_item(item, placed, before, after) for item in shown],
            "note": _note_on_equal(before, after) if counts.is_empty else "",
        }
    )


def _note_on_equal(before: _Text, after: _Text) -> str:
    """The note on two texts without a changed instruction."""
    if before.lines == after.lines:
        return "The texts are identical."
    return (
        "No instruction changed: the texts differ only in names, metadata, the header, "
        "the order of lines, or attributes that change no value."
    )


def _item(item: int | Fold, placed: SideBySide, before: _Text, after: _Text) -> wire.DiffRow | wire.DiffFold:
    if isinstance(item, Fold):
        return {"kind": "fold", "row": item.start, "count": item.count}
    row: Row = placed.rows[item]
    return {
        "kind": row.kind,
        "row": item,
        "before": _line(before, row.before),
        "after": _line(after, row.after),
        "partner": row.partner,
    }


def _line(text: _Text, number: int | None) -> wire.DiffLine | None:
    if number is None:
        return None
    return {"line": number, "text": _cut(text.lines[number - 1]), "name": text.names.get(number, "")}


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} …"


def _one_text(
    opened: OpenedDump, question: StageDifferenceQuestion, stage: Stage, limit: int
) -> wire.StageDifference:
    """The text alone, if there is nothing to compare it with."""
    text = opened.text(stage)
    last = min(len(text.lines), question.start + limit)
    rows: list[wire.DiffRow | wire.DiffFold] = [
        {"kind": "same", "row": number, "before": None, "after": _line(text, number + 1), "partner": None}
        for number in range(question.start, last)
    ]
    note = (
        "This is the first text of the module."
        if question.stage == 0
        else "One of the two texts is MLIR: lines of the two languages are not matched. Stepping through both matches their values."
    )
    return {
        "before": None, "total": len(text.lines), "added": 0, "removed": 0, "changed": 0, "items": rows, "note": note,
    }  # fmt: skip


def _text(opened: OpenedDump, question: StageTextQuestion) -> Answer[bytes]:
    stage = opened.stage(question.module, question.stage)
    return bytes_answer(opened.dump.text(stage.path).encode(), final=False)


# Other files.


def _file_part(opened: OpenedDump, question: FilePartQuestion) -> Answer[wire.FilePart]:
    file = opened.file(question.file)
    last = question.start + min(question.limit, MOST_LINES)
    found: wire.FilePart = {"start": question.start, "total": 0, "lines": [], "allocations": [], "note": ""}
    if file.content == "buffers":
        allocations = read_allocations(opened.dump.text(file.path))
        shown = [_allocation(each) for each in allocations[question.start : last]]
        return json_answer({**found, "total": len(allocations), "allocations": shown})
    if file.content in IS_TEXT or file.content == "checksums":
        lines = opened.lines(question.file)
        return json_answer(
            {**found, "total": len(lines), "lines": [_cut(line) for line in lines[question.start : last]]}
        )
    return json_answer({**found, "note": _note(opened, file)})


def _allocation(found: Allocation) -> wire.AllocationInfo:
    return encoded(
        wire.AllocationInfo,
        found,
        values=[
            {"name": value.name, "size": value.size, "offset": value.offset, "shape": value.shape}
            for value in found.values
        ],
    )


def _note(opened: OpenedDump, file: DumpedFile) -> str:
    """A remark on a file that is not text."""
    if file.content == "saved_buffers":
        return _buffers_note(opened, file)
    if file.content not in ("snapshot", "unoptimized_snapshot"):
        return f"{DESCRIBED[file.content].capitalize()}: it is not shown."
    try:
        found = read_snapshot(opened.dump.bytes(file.path), file.content == "unoptimized_snapshot")
    except (WireError, InputError) as error:
        return f"The snapshot cannot be read: {error}"
    arrays = (_type_text(array) for part in found.arguments for array in part)
    return f"One execution of {found.module}, with the arguments {', '.join(arrays) or 'of no array'}."


def _buffers_note(opened: OpenedDump, file: DumpedFile) -> str:
    try:
        found = [
            f"{name} {_type_text(array)}" for name, array in read_saved_buffers(opened.dump.bytes(file.path))
        ]
    except (WireError, InputError) as error:
        return f"The buffers cannot be read: {error}"
    return f"Buffers, in the order in which XLA saved them: {', '.join(found)}."


def _type_text(array: Array) -> str:
    return f"{array.dtype.name}{list(array.shape)}"


def _file_bytes(opened: OpenedDump, question: FileBytesQuestion) -> Answer[bytes]:
    return bytes_answer(opened.dump.bytes(opened.file(question.file).path))


# Memory.


def _memory(opened: OpenedDump, question: DumpMemoryQuestion) -> Answer[list[wire.ModuleMemoryDifference]]:
    most = DumpLimits(opened.limits.max_program_bytes, bytes=question.most_bytes)
    other = open_dump(question.path, most, question.called, converts=False)
    reports = [dump_reports(dump, None, opened.limits) for dump in (opened.dump, other)]
    files = [{file.path: at for at, file in enumerate(dump.files)} for dump in (opened.dump, other)]
    return json_answer(
        [
            {
                "before": before.title,
                "after": after.title,
                "beforeFile": files[0][before.path],
                "afterFile": files[1][after.path],
                "beforeLine": _peak_line(before),
                "afterLine": _peak_line(after),
                "difference": report_difference(before, after),
            }
            for before, after in matching_reports(*reports)
        ]
    )


def _peak_line(report: MemoryReport) -> int:
    return report.program.line_of(report.memory.peak) if report.memory.schedule else 1


# Inputs.


def given_arrays(path: str, called: str, limits: Limits) -> dict[str, Array] | None:
    """The arrays of an uploaded file, under its user's name; `None` without one."""
    if not path:
        return None
    with naming_file(called, Path(path)):
        return dict(read_arrays(Path(path), budget=limits.session_memory_bytes))


def _inputs(opened: OpenedDump, question: StageInputsQuestion) -> Answer[bytes]:
    for number in question.stages:
        opened.stage(question.module, number)
    read = read_module(opened.dump, opened.module(question.module))
    given = given_arrays(question.inputs, question.inputs_name, opened.limits)
    request = Request(inputs=given, seed=question.seed, limits=opened.limits)
    with Pool(1, opened.limits.run_seconds) as pool:
        constants = opened.constants(question.module, read, max(question.stages))
        texts = prepare_texts(read, pool, opened.limits, constants)
        made = make_inputs(pool, texts, request)
        replies = dict(pool.run([texts.task("rows", [read.keys[number]]) for number in question.stages]))
    arrays: dict[str, Array] = {}
    names = [
        list(
            _name_rows(
                replies[at].message.get("rows", []), made.arrays, texts.constants[number].arrays, arrays
            )
        )
        for at, number in enumerate(question.stages)
    ]
    stream = BytesIO()
    np.savez(stream, **cast(Any, arrays))
    return bytes_answer(stream.getvalue(), final=False, headers={"X-Inputs": dumps(names)})


def _name_rows(
    rows: Sequence[Mapping[str, Any]],
    made: Sequence[Array],
    constants: Mapping[str, Array],
    arrays: dict[str, Array],
) -> Iterator[str | None]:
    """The array name of each row, with its array added to `arrays`; `None` for tuples and others."""
    leaves = iter(made)
    for number, row in enumerate(rows):
        is_argument = "leaves" in row
        found = list(islice(leaves, row["leaves"])) if is_argument else [constants.get(row["constant"])]
        if len(found) != 1 or found[0] is None:
            yield None
            continue
        name = f"in_{number}" if is_argument else f"constant_{len(arrays)}"
        arrays[name] = as_plain(found[0])
        yield name


ANSWERS: dict[type[Question[Any]], Callable[[OpenedDump, Any], Answer[Any]]] = {
    StageDifferenceQuestion: _difference,
    StageTextQuestion: _text,
    FilePartQuestion: _file_part,
    DumpMemoryQuestion: _memory,
    FileBytesQuestion: _file_bytes,
    StageInputsQuestion: _inputs,
}
