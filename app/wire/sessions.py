"""Sessions and their runs in the API; specifications of inputs."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from hloscope.engine.source import Phase

from .program import Diagnostic, GridSize, Wanted
from .stops import BreakpointInfo
from .values import ThumbnailInfo

StateKind: TypeAlias = Literal["recording", "done", "failed", "paused"]


GeneratedKind: TypeAlias = Literal["zeros", "ones", "iota", "uniform", "normal"]


class GeneratedSpec(TypedDict):
    """Numbers made from a seed."""

    kind: GeneratedKind
    seed: int
    scale: NotRequired[float]


class DenseSpec(TypedDict):
    """A literal: `1.5`, `[[1, 2], [3, 4]]`."""

    kind: Literal["dense"]
    text: str


class FileSpec(TypedDict):
    """An array of an uploaded file; `path`: its location, for workers only."""

    kind: Literal["file"]
    file: str
    array: str
    path: NotRequired[str]


class OutsideSpec(TypedDict):
    """For results from outside of the program: stop there, or skip ops without results."""

    kind: Literal["stop", "skip"]


ValueSpec: TypeAlias = GeneratedSpec | DenseSpec | FileSpec | OutsideSpec


class SameSpec(TypedDict):
    """The same part for every process."""

    kind: Literal["same"]
    base: ValueSpec


class EachSpec(TypedDict):
    """A value for each process, by its number."""

    kind: Literal["each"]
    specs: list[ValueSpec]


class ApartSpec(TypedDict):
    """Numbers generated for each process, from the seed of `base` plus its number."""

    kind: Literal["apart"]
    base: GeneratedSpec


InputSpec: TypeAlias = ValueSpec | SameSpec | EachSpec | ApartSpec


class StatedInput(TypedDict):
    """A placeholder in a run that was never opened: the input that the text states."""


class RunState(TypedDict):
    """Whether a run is being recorded, or the reason why it stopped."""

    kind: StateKind
    reason: str
    diagnostic: Diagnostic | None


class Argument(Wanted):
    """An input of a run, and its specification."""

    input: InputSpec


class Feed(TypedDict):
    """Items for a queue that the program takes from: of all processes, or of one."""

    queue: str
    process: int | None
    items: list[list[ValueSpec]]


class Feeds(TypedDict):
    """Items of a run's queues: `given` at its start, `later` while it waited; `mark` distinguishes its key."""

    mark: str
    given: list[Feed]
    later: list[Feed]
    kept: NotRequired[bool]


class DroppedInput(TypedDict):
    """An input of the run before that this run cannot use."""

    name: str
    reason: str


class Progress(TypedDict):
    """The progress of a grid; `queues` grows when a queue changes.

    `awaiting_item`: the last step waits for an item.
    """

    processes: int
    ticks: int
    collective_executions: int
    queues: int
    awaiting_item: bool


class RunStatus(Progress):
    """The recording progress of a run."""

    state: RunState
    steps: int
    frames: int
    prints: int
    findings: int
    """The number of findings, which grows while the run is recorded."""


class LaterStart(TypedDict):
    """The later start of a run, and the values computed before it."""

    at: int | str
    """The requested line, or the name of a value."""
    line: int
    by: str
    """The engine that computed the values before the start: `XLA of jaxlib 0.10.2 on cpu`."""
    note: str
    """Why the start differs from the requested line."""
    values: list[FileSpec]
    """Each under its name in the program; those of a `whole` run are two arrays of all values."""
    whole: NotRequired[bool]
    """Whether the run begins at its beginning, and the engine computed the values of all of its operations.

    `note` then compares it with the unmodified program.
    """


class RunParameters(TypedDict):
    """The parameters of a run, and the facts derived from them."""

    key: str
    entry: str
    arguments: list[Argument]
    results: list[str]
    grid: GridSize
    needed_grid: GridSize
    user_queues: list[str]
    feeds: Feeds | None
    start: LaterStart | None
    """None for a run that begins at the first operation."""


class LongText(TypedDict):
    """A text that is requested in windows of whole characters: its hash, and the number of windows."""

    hash: str
    windows: int


class RunInfo(RunParameters, RunStatus):
    """The page's data about a run. `text` is empty where the session's answer has it once, or apart (`long_text`)."""

    number: int
    text: str
    long_text: LongText | None


class RunTitle(TypedDict):
    """A run in the list of a session's runs."""

    number: int
    created: str
    title: str


class SavedPosition(TypedDict):
    """The user's last position: the step is a hint, the pairs of an op and an iteration decide."""

    step: int
    path: list[tuple[int, int]]


class Turn(TypedDict):
    """The position of a session in the queue for a worker, and the length of the queue.

    `seconds`: the estimated waiting time, from recent turns; null if unknown.
    """

    before: int
    of: int
    seconds: int | None


class Verifying(TypedDict):
    """What is made of a program's text, and the line that this has reached, of their total."""

    phase: Phase
    line: int
    lines: int


class SessionInfo(TypedDict):
    """The page's data about a session. `verifying`: the progress of verification, before there is a run."""

    id: str
    name: str
    read_only: bool
    """Whether the request used a read-only link, which is the `id` then."""
    text: str
    long_text: LongText | None
    """Instead of a long `text`, which is empty then, if the request wants it apart."""
    run: RunInfo | None
    runs: list[RunTitle]
    diagnostics: list[Diagnostic]
    breakpoints: list[int | tuple[int, list[int]] | BreakpointInfo]
    position: SavedPosition
    limits: dict[str, int | float]
    waiting: Turn | None
    verifying: Verifying | None


class NewViewLink(TypedDict):
    """A new read-only link, with its address on this server."""

    id: str
    url: str
    embed_url: str


class ViewLinkCount(TypedDict):
    """The number of read-only links to a session, and the sites that may embed them."""

    links: int
    embed_sites: list[str]


class OpenSize(TypedDict):
    """A symbolic size of a function serialised by `jax.export`, with the proposed value."""

    name: str
    size: int


class OpenChoices(TypedDict):
    """The choices to make before a program can be opened."""

    sizes: list[OpenSize]
    platforms: list[str]
    """The platforms of the export."""
    platform: str
    """The proposed platform."""


class OpenedFile(TypedDict):
    """The result of opening a program file: a session, or choices to make first."""

    id: str | None
    url: str | None
    name: str
    notes: list[str]
    """The file's original form, in sentences; empty for a text."""
    choices: OpenChoices | None
    """The choices to make; null once there is a session."""


class NewSession(TypedDict):
    """The address of a new session."""

    id: str
    url: str


class SessionTitle(TypedDict):
    """A session in a list. `steps`: of its current run, null if it has none."""

    name: str
    step: int
    steps: int | None


class StartedRun(TypedDict):
    """A new run; null if the program is wrong."""

    run: RunInfo | None
    diagnostics: list[Diagnostic]
    dropped_inputs: list[DroppedInput]


class FileArray(TypedDict):
    """An array of a file."""

    name: str
    dtype: str
    shape: list[int]


class FileMatch(TypedDict):
    """The argument that an array fits; `replica` and `partition`: of an array for one process."""

    argument: int
    array: str
    replica: NotRequired[int]
    partition: NotRequired[int]


class FileMatches(TypedDict):
    """The arrays of a file, and the arguments that they fit."""

    arrays: list[FileArray]
    matches: list[FileMatch]


class UploadedFile(FileMatches):
    """The contents of a stored file, and its name in the store."""

    file: str


class ExampleTitle(TypedDict):
    """An example of the gallery."""

    name: str
    title: str
    description: str
    file: str
    parallel: bool
    picture: ThumbnailInfo
    """A picture of its result."""


class ExampleText(TypedDict):
    """An example with its text."""

    name: str
    title: str
    description: str
    text: str


class Setting(TypedDict):
    """A setting of the server, except secrets."""

    name: str
    value: int | str
    default: int | str
    public: int | str
    """The default of a server of strangers: the setting `public`."""
    text: str


class Health(TypedDict):
    """The server's response to a health check."""

    status: Literal["ok", "full", "gone", "forbidden", "damaged", "version", "busy", "down", "other"]
