"""Dumps of XLA's passes in the API."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .memory import MemoryDifference

PassVerdict: TypeAlias = Literal[
    "same_text", "same_bits", "rounding", "unknown", "wrong", "nan", "signature", "cannot_run"
]
ExaminationKind: TypeAlias = Literal["none", "waiting", "texts", "runs", "done", "failed", "stopped"]
"""Not requested; queued; texts are compared; stages are run; complete; failed; stopped."""
DiffRowKind: TypeAlias = Literal["same", "changed", "replaced", "added", "removed", "moved", "other"]


class DumpFile(TypedDict):
    """A file of a dump. `content`: its detected type, `described`: the same in words; `size`: bytes on disk."""

    path: str
    size: int
    content: str
    described: str
    is_text: bool


class DumpStage(TypedDict):
    """The text of a module after a pass. `number`: null for the first and the last text; `file`: its index among the files."""

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
    """A compilation. `others`: the indices of its files other than stages."""

    key: str
    stages: list[DumpStage]
    others: list[int]


class DumpContents(TypedDict):
    """The contents of a dump."""

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
    """The results about a stage. `verdict`: null before its run, and if the size of a difference is unknown."""

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
    """The inputs of a module: origin of their values, and their types.

    `original_values`: a sentence about what `original_value` recovers, for texts that have it.
    """

    module: int
    origin: str
    types: list[str]
    original_values: NotRequired[str]


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
    """Inputs of the stages: numbers from a seed, or one module's arrays from a file. `file`: its name in the store, or null."""

    seed: int
    file: str | None
    file_name: str
    module: int


class ExaminationProgress(TypedDict):
    """The progress of an examination. `found`: results since the requested version; `done` of `total` stages are complete."""

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
    """The page's data about a dump."""

    id: str
    name: str
    examination: ExaminationProgress


class NewDump(TypedDict):
    """The address of a new dump."""

    id: str
    url: str


class DumpTitle(TypedDict):
    """A dump in a list; its sentence is empty before the examination."""

    name: str
    sentence: str
    is_wrong: bool


class SteppedPair(TypedDict):
    """A session whose runs are the texts before and after a pass. `url`: of their comparison; `problem`: why a run is missing."""

    id: str
    url: str
    name: str
    problem: str


class KeptInputs(TypedDict):
    """An uploaded file of arrays for a dump."""

    file: str
    name: str


class DiffLine(TypedDict):
    """A line of a text, from 1; very long lines are cut. `name`: of the line's instruction."""

    line: int
    text: str
    name: str


class DiffRow(TypedDict):
    """Two lines side by side; null: the text has no such line. `row`: its index among all rows.

    `partner`: for a moved instruction, its line in the other text.
    """

    kind: DiffRowKind
    row: int
    before: DiffLine | None
    after: DiffLine | None
    partner: int | None


class DiffFold(TypedDict):
    """`count` equal rows, from index `row` on."""

    kind: Literal["fold"]
    row: int
    count: int


class StageDifference(TypedDict):
    """Two texts side by side, `total` items. `before`: the previous stage, null for a first text or another language."""

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
    """An allocation of a compiled module; sizes in bytes."""

    number: int
    size: int
    kinds: list[str]
    shape: str
    values: list[BufferInfo]


class FilePart(TypedDict):
    """Part of a file: lines from index `start` on, of `total`; or the allocations of a buffer assignment.

    `note`: a description of a file that is not text.
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
    """The inputs of a module exist."""

    event: Literal["inputs"]


class ProblemEvent(ModuleProblem):
    """A module cannot be examined."""

    event: Literal["problem"]


DumpEvent: TypeAlias = StagesEvent | InputsEvent | ProblemEvent


class ModuleMemoryDifference(TypedDict):
    """The memory and traffic of a module in two dumps, by the last texts: files of the dumps, with the line of each peak."""

    before: str
    after: str
    beforeFile: int
    afterFile: int
    beforeLine: int
    afterLine: int
    difference: MemoryDifference
