"""Schemas of requests. pydantic is used only here; everything behind the API is dataclasses."""

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, model_validator

from . import dumps, playground, program, sessions, stops
from .surrogates import NO_TEXT, all_text

LARGEST_SEED = 2**63 - 1
LONGEST_PATH = 4_096
MOST_STEPS = 2**31
MOST_INPUTS = 10_000
MOST_TITLES = 100
MOST_PROCESSES = 65_536
"""Maximum number of processes in any request; the limit of a run is a separate setting."""


Name = Annotated[str, Field(min_length=1, max_length=200)]
Step = Annotated[int, Field(ge=0, le=2**53)]
Line = Annotated[int, Field(ge=1, le=2**31)]
RunNumber = Annotated[int, Field(ge=1, le=2**31)]
SomeProcesses = Annotated[
    list[Annotated[int, Field(ge=0, le=MOST_PROCESSES)]], Field(min_length=1, max_length=MOST_PROCESSES)
]
PathNumber = Annotated[int, Field(ge=-(2**53), le=2**53)]
Path = Annotated[list[tuple[PathNumber, PathNumber]], Field(max_length=LONGEST_PATH)]
"""Pairs of an op and an iteration, outermost first."""


BreakpointText = Annotated[str, Field(max_length=4_000)]
BreakpointPlace = Annotated[str, Field(min_length=1, max_length=400)]


class Schema(BaseModel):
    """Base of all schemas: unknown fields are errors, and all strings are valid text."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _check_text(cls, given: Any) -> Any:
        if not all_text(given):
            raise ValueError(NO_TEXT)
        return given


class Part(Schema):
    """A part of a request, or a message of a socket: pydantic builds its validator with the first that holds one."""

    model_config = ConfigDict(defer_build=True)


class SetBreakpoint(Part):
    """Any breakpoint but a line alone, or a line with processes; see `BreakpointInfo`."""

    kind: stops.BreakpointKind
    at: Line | BreakpointPlace
    off: bool = False
    condition: BreakpointText = ""
    hits: BreakpointText = ""
    log: BreakpointText = ""
    processes: SomeProcesses | None = None

    def plain(self) -> stops.BreakpointInfo:
        """The stored form."""
        return cast(stops.BreakpointInfo, self.model_dump(exclude_defaults=True))


PlainBreakpoint = Annotated[
    SetBreakpoint, AfterValidator(SetBreakpoint.plain), PlainSerializer(lambda plain: plain)
]
Breakpoints = Annotated[list[Line | tuple[Line, SomeProcesses] | PlainBreakpoint], Field(max_length=10_000)]
"""Lines; a line with processes stops only these."""


class GeneratedInput(Part):
    """Numbers made from a seed."""

    kind: Literal["zeros", "ones", "iota", "uniform", "normal"]
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0
    scale: Annotated[float, Field(allow_inf_nan=False)] | None = None


class DenseInput(Part):
    """A literal: `1.5`, `[[1, 2], [3, 4]]`."""

    kind: Literal["dense"]
    text: str


class FileInput(Part):
    """An array of an uploaded file."""

    kind: Literal["file"]
    file: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    array: Annotated[str, Field(max_length=200)]


class OutsideInput(Part):
    """For results from outside of the program: stop there, or skip ops without results."""

    kind: Literal["stop", "skip"]


Value = Annotated[GeneratedInput | DenseInput | FileInput, Field(discriminator="kind")]


class SameInput(Part):
    """The same value for every process, in the shape of a process's part."""

    kind: Literal["same"]
    base: Value


class EachInput(Part):
    """A value for each process, by its number."""

    kind: Literal["each"]
    specs: Annotated[list[Value], Field(min_length=1, max_length=MOST_PROCESSES)]


class ApartInput(Part):
    """Numbers generated for each process, from the seed of `base` plus its number."""

    kind: Literal["apart"]
    base: GeneratedInput


Input = Annotated[
    GeneratedInput | DenseInput | FileInput | OutsideInput | SameInput | EachInput | ApartInput,
    Field(discriminator="kind"),
]
Inputs = Annotated[list[Input | None], Field(max_length=MOST_INPUTS)]


class GridSize(Part):
    """The number of processes that run a program."""

    replicas: Annotated[int, Field(ge=1, le=MOST_PROCESSES)]
    partitions: Annotated[int, Field(ge=1, le=MOST_PROCESSES)]


class Feed(Schema):
    """Items for a queue that the program takes from: of all processes, or of one."""

    queue: Annotated[str, Field(pattern=r"^(infeed|host:\d{1,18})$")]
    process: Annotated[int, Field(ge=0, le=MOST_PROCESSES)] | None = None
    items: Annotated[list[Annotated[list[Value], Field(max_length=64)]], Field(max_length=10_000)]


Feeds = Annotated[list[Feed], Field(max_length=1_000)]


class CheckRequest(Schema):
    """A program to check."""

    text: str
    name: Name = "program.mlir"
    entry: Name | None = None


class DerivationsRequest(Part):
    """Elements of one result, in one process, of which the terms are requested."""

    process: Annotated[int, Field(ge=0, le=MOST_PROCESSES)] = 0
    result: Annotated[int, Field(ge=0, le=1_000)] = 0
    elements: Annotated[
        list[Annotated[list[Annotated[int, Field(ge=0, le=2**53)]], Field(max_length=64)]],
        Field(max_length=64),
    ]

    def plain(self) -> playground.DerivedElements:
        """The task's form."""
        return {"process": self.process, "result": self.result, "elements": self.elements}


class PlaygroundRequest(Schema):
    """The contents of an op's form; `app/reference/playground` checks it by the op's own fields.

    With `derive`, the answer has the derivations of these elements in place of the picture.
    """

    op: Name
    operands: Annotated[dict[str, Any], Field(max_length=64)] = Field(default_factory=dict)
    fields: Annotated[dict[str, Any], Field(max_length=64)] = Field(default_factory=dict)
    derive: DerivationsRequest | None = None


class SessionRequest(Schema):
    """A new session: from a text, from an example, or as a copy of a readable session.

    `copy_of`: its id or a read-only link to it; `run`: which of its runs, by default the current one.
    `sources`: the Python files that the program's locations name, by these names.
    """

    text: str | None = None
    example: Name | None = None
    copy_of: Annotated[str, Field(max_length=100)] | None = None
    run: RunNumber | None = None
    name: Name | None = None
    entry: Name | None = None
    inputs: Inputs | None = None
    grid: GridSize | None = None
    feeds: Feeds | None = None
    sources: dict[Annotated[str, Field(min_length=1, max_length=LONGEST_PATH)], str] = Field(
        default_factory=dict
    )


class ChangeRequest(Schema):
    """A student's solution of an exercise."""

    text: str


class ResultRequest(Schema):
    """A student's answers to the questions of a lesson, as typed, and solutions of its exercises, by their ids."""

    student: Annotated[str, Field(min_length=1, max_length=60)]
    answers: dict[Annotated[str, Field(max_length=120)], Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict, max_length=200
    )
    programs: dict[Annotated[str, Field(max_length=120)], str] = Field(default_factory=dict, max_length=20)


class RunRequest(Schema):
    """A new run of a session. Without `inputs` and `feeds` it has those of the run before, where they still fit."""

    text: str
    entry: Name | None = None
    inputs: Inputs | None = None
    grid: GridSize | None = None
    feeds: Feeds | None = None
    breakpoints: Breakpoints | None = None
    start: Annotated[str, Field(max_length=100)] | None = None
    """The job of a second engine that has computed the values before the start of the run."""


class EngineRequest(Schema):
    """The second engine to compare a run with."""

    against: Annotated[str, Field(pattern=r"^(xla|device|gpu|tpu|cpu)(:|$)", max_length=2_000)]
    """The platform, and after a colon XLA's flags, separated by spaces.

    `xla` is the CPU's, `gpu` or `tpu` another platform, `device` jax's default.
    """
    start_at: Annotated[int, Field(ge=1, le=2**31)] | Name | None = None
    """A line of the program, or the name of a value, where a later run begins.

    Nothing is compared then; the values before it are computed.
    """
    records: bool = False
    """Compute the values of all operations, for a run that has these. Nothing is compared then."""


class DraftRequest(Schema):
    """The draft of a program."""

    text: str


class NameRequest(Schema):
    """The new name of a session."""

    name: Name


class TitlesRequest(Schema):
    """Sessions, by their ids."""

    sessions: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=MOST_TITLES)]


class DumpTitlesRequest(Schema):
    """Dumps, by their ids."""

    dumps: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=MOST_TITLES)]


class ExaminationRequest(Schema):
    """Inputs of a dump's stages: numbers from a seed, or one module's arrays from a file."""

    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0
    file: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    file_name: Annotated[str, Field(max_length=200)] = ""
    module: Annotated[int, Field(ge=0, le=2**31)] = 0

    def plain(self) -> dumps.ExaminationWishes:
        """The stored form."""
        return {
            "seed": self.seed,
            "file": self.file,
            "file_name": self.file_name or "inputs",
            "module": self.module,
        }


class PositionRequest(Schema):
    """The user's position."""

    run: RunNumber | None = None
    step: Step
    path: Path = Field(default_factory=list)
    breakpoints: Breakpoints = Field(default_factory=list)


class RecordMessage(Part):
    """Over the socket: record more."""

    type: Literal["record"]
    run: RunNumber
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)] | None = None


class PauseMessage(Part):
    """Over the socket: stop recording."""

    type: Literal["pause"]
    run: RunNumber | None = None


class PositionMessage(PositionRequest):
    """Over the socket: the user's position."""

    type: Literal["position"]


LiveMessage = Annotated[RecordMessage | PauseMessage | PositionMessage, Field(discriminator="type")]


def plain_feeds(feeds: list[Feed] | None) -> list[sessions.Feed]:
    """Feeds in their stored form."""
    found = (feed.model_dump(exclude_none=True) | {"process": feed.process} for feed in feeds or [])
    return [cast(sessions.Feed, feed) for feed in found]


def plain_inputs(inputs: list[Input | None] | None) -> list[sessions.InputSpec | None]:
    """Specifications in their stored form."""
    return [
        cast(sessions.InputSpec, item.model_dump(exclude_none=True)) if item else None
        for item in inputs or []
    ]


def plain_grid(grid: GridSize | None) -> program.GridSize | None:
    """A grid in its stored form."""
    return {"replicas": grid.replicas, "partitions": grid.partitions} if grid else None
