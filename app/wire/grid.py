"""The grid of a recording: launch groups, collective executions, queues, and deadlocks."""

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .program import GridSize, InputType


class TeamOpener(TypedDict):
    """The step that launches a group of processes."""

    process: int
    step: int
    line: int


class TeamInfo(GridSize):
    """A launch group, processes with a separate grid: the number of the first, and the tick at which they begin."""

    first: int
    opener: TeamOpener | None
    begin: int


class TrackInfo(TypedDict):
    """The progress of a process; `like`: the first process with an equal outline."""

    steps: int
    frames: int
    prints: int
    state: str
    end: int
    like: int


class DeadlockWait(TypedDict):
    """A process of a deadlock: its waiting op, the group, and the missing processes."""

    process: int
    op: int
    line: int
    step: int
    channel: int | None
    group: list[int]
    missing: list[int]
    kind: str


class DeadlockReport(TypedDict):
    """The cause of a deadlock; `cycle`: processes that wait for each other."""

    kind: str
    sentence: str
    lines: list[str]
    waits: list[DeadlockWait]
    cycle: list[int]


class QueueMove(TypedDict):
    """An item that passed through a queue; addresses of values that were not recorded are null."""

    process: int
    step: int
    tick: int
    texts: list[str]
    addresses: list[str | None]


class QueueInfo(TypedDict):
    """A queue between the program and its host. `wanted`: the types of the item that a process waits for."""

    kind: Literal["infeed", "outfeed", "host", "to_host"]
    channel: int | None
    process: int | None
    awaited: list[int]
    wanted: list[InputType] | None
    waiting: list[list[str]]
    waitingCount: int
    moves: list[QueueMove]
    moveCount: int


class MeshAxis(TypedDict):
    """An axis of a mesh."""

    name: str
    size: int


class MeshInfo(TypedDict):
    """A mesh that the text states, over the processes of the run: their numbers in row-major order of the axes."""

    name: str
    axes: list[MeshAxis]
    processes: list[int]


class GridInfo(TypedDict):
    """The state of the whole grid. `assembled`: values outside of manual computations are whole.

    `meshes`: of the first launch group.
    """

    processes: int
    teams: list[TeamInfo]
    tracks: list[TrackInfo]
    ticks: int
    collective_executions: int
    assembled: bool
    deadlock: DeadlockReport | None
    queues: list[QueueInfo]
    meshes: list[MeshInfo]


class ExecutionInfo(TypedDict):
    """A collective execution or message: arrivals as (process, step, tick), releases as (process, tick).

    `awaited`: the processes that each process needs, if fewer than the group. `ends`: sender and receiver of a message
    that only one has reached; -1 for the missing one. `axes`: for each mesh of the grid, the axes along which the processes
    of each group differ; null if the groups are not those of any axes.
    """

    number: int
    kind: str
    op: int
    line: int
    channel: int | None
    team: int
    group: list[int]
    arrivals: list[tuple[int, int, int]]
    released: list[tuple[int, int]]
    awaited: list[tuple[int, list[int]]]
    ends: list[int] | None
    groups: list[list[int]]
    axes: list[list[str] | None]
    begin: int
    end: int | None


class BoxInfo(TypedDict):
    """A box of elements: its start and its sizes."""

    start: list[int]
    sizes: list[int]


PieceInfo = TypedDict(
    "PieceInfo",
    {
        "source": int,
        "from": str | None,
        "read": BoxInfo,
        "to": str | None,
        "written": BoxInfo,
        "combined": bool,
    },
)
"""A source box and the received box of a process; addresses of both values."""


class ReceivedPieces(TypedDict):
    """The pieces that one process receives from a collective execution."""

    pieces: list[PieceInfo]


class AllPieces(TypedDict):
    """The pieces that each process receives, by number; in large grids only the first processes."""

    receivers: dict[str, list[PieceInfo]]
    complete: bool


ExecutionPieces: TypeAlias = ReceivedPieces | AllPieces


class QueueTaker(TypedDict):
    """A queue that the user fills, and the items that ops take from it."""

    queue: str
    takes: list[list[InputType]]


class ShardPiece(TypedDict):
    """A box of the whole, and the processes that hold it."""

    processes: list[int]
    start: list[int]
    sizes: list[int]


class ShardingInfo(TypedDict):
    """The sharding of a value. `assembled`: every process holds the whole, and the pieces describe the sharding over devices."""

    value: int
    shape: list[int]
    assembled: bool
    text: str
    tiles: list[int]
    terms: int
    manual: bool
    fits: bool
    pieces: list[ShardPiece]
