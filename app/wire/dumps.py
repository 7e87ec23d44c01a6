"""Dumps of XLA's passes in the API."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

PassVerdict: TypeAlias = Literal[
    "same_text", "same_bits", "rounding", "wrong", "nan", "signature", "cannot_run"
]
ExaminationKind: TypeAlias = Literal["none", "waiting", "texts", "runs", "done", "failed", "stopped"]
"""Not requested; queued; texts are compared; stages are run; complete; failed; stopped."""
DiffRowKind: TypeAlias = Literal["same", "changed", "replaced", "added", "removed", "moved", "other"]


class DumpFile(TypedDict):
    """A file of a dump. `content` is what it was recognised as, `described` the same in words; `size` in bytes as it lies there."""

    path: str
    size: int
    content: str
    described: str
    is_text: bool


class DumpStage(TypedDict):
    """The text of a module after a pass. `number` is null at the two ends; `file` is its number among the dump's files."""

    number: int | None
    pipeline: str
    round: int
    pass_name: str
    occurrence: int
    title: str
    changed_by: str
    since: str
    file: int


class DumpModule(TypedDict):
    """A compilation. `others` are the numbers of its files that are no stages."""

    key: str
    stages: list[DumpStage]
    others: list[int]


class DumpContents(TypedDict):
    """What a dump holds."""

    modules: list[DumpModule]
    files: list[DumpFile]


class WorstInPass(TypedDict):
    """Element with the largest difference, or the culprit's. `value`: its instruction after the pass."""

    value: str
    replaced: str
    index: list[int]
    before: str
    after: str
    ulps: float | None
    process: int | None


class StageFound(TypedDict):
    """What is known of a stage. `verdict` is null where nothing was run yet, or where it differs and it is not known how far."""

    module: int
    stage: int
    verdict: PassVerdict | None
    has_run: bool
    added: int
    removed: int
    changed: int
    worst: WorstInPass | None
    reason: str
    hint: str


class InputsMade(TypedDict):
    """The inputs of a module: origin of their values, and their types."""

    module: int
    origin: str
    types: list[str]


class ModuleProblem(TypedDict):
    """Why a module could not be examined."""

    module: int
    message: str
    hint: str


class FirstWrong(TypedDict):
    """The first stage whose pass introduced a wrong value."""

    module: int
    stage: int


class ExaminationWishes(TypedDict):
    """What stages are run on: numbers from a seed, or for one module the arrays of a file. `file`: null, or the name that it is kept under."""

    seed: int
    file: str | None
    file_name: str
    module: int


class ExaminationProgress(TypedDict):
    """How far an examination is. `found`: what is new since the version that was asked about; `done` of `total` stages have come."""

    version: int
    kind: ExaminationKind
    reason: str
    done: int
    total: int
    found: list[StageFound]
    inputs: list[InputsMade]
    problems: list[ModuleProblem]
    sentence: str
    first_wrong: FirstWrong | None
    wishes: ExaminationWishes


class DumpInfo(DumpContents):
    """All that the page of a dump needs."""

    id: str
    name: str
    examination: ExaminationProgress


class NewDump(TypedDict):
    """The address of a new dump."""

    id: str
    url: str


class DumpTitle(TypedDict):
    """A dump in a list: its sentence is empty before the examination."""

    name: str
    sentence: str
    is_wrong: bool


class SteppedPair(TypedDict):
    """A session with the texts before and after a pass as its runs. `url` leads to their comparison; `problem`: why there are not two."""

    id: str
    url: str
    name: str
    problem: str


class KeptInputs(TypedDict):
    """A file of arrays that was uploaded for a dump."""

    file: str
    name: str


class DiffLine(TypedDict):
    """A line of a text, counted from 1. `name` is that of the instruction that it states; a very long line is cut."""

    line: int
    text: str
    name: str


class DiffRow(TypedDict):
    """Lines beside each other; null: the text has nothing here. `row` is its number among all rows.

    `partner`: of an instruction that has moved, the line of the other text that it is on.
    """

    kind: DiffRowKind
    row: int
    before: DiffLine | None
    after: DiffLine | None
    partner: int | None


class DiffFold(TypedDict):
    """Rows that do not differ, from number `row` on; `computation` is the one that they begin in, if any."""

    kind: Literal["fold"]
    row: int
    count: int


class StageDifference(TypedDict):
    """Two texts side by side. `total` items; `before` is the stage before, null where the text is the first or of another language."""

    before: int | None
    total: int
    added: int
    removed: int
    changed: int
    items: list[DiffRow | DiffFold]
    note: str


class BufferInfo(TypedDict):
    """A value in an allocation; sizes in bytes."""

    name: str
    size: int
    offset: int
    shape: str


class AllocationInfo(TypedDict):
    """A piece of memory of a compiled module; sizes in bytes."""

    number: int
    size: int
    kinds: list[str]
    shape: str
    values: list[BufferInfo]


class FilePart(TypedDict):
    """Part of a file: lines from number `start` on, counted from 0, of `total`; or of buffers the allocations.

    `note` says what there is of a file that is no text.
    """

    start: int
    total: int
    lines: list[str]
    allocations: list[AllocationInfo]
    note: str


# Events of the process that reads a dump.


class StagesEvent(TypedDict):
    """Stages were examined."""

    event: Literal["stages"]
    phase: Literal["texts", "runs"]
    stages: list[StageFound]
    sentence: str
    first_wrong: FirstWrong | None


class InputsEvent(InputsMade):
    """The inputs of a module are made."""

    event: Literal["inputs"]


class ProblemEvent(ModuleProblem):
    """A module cannot be examined."""

    event: Literal["problem"]


DumpEvent: TypeAlias = StagesEvent | InputsEvent | ProblemEvent
