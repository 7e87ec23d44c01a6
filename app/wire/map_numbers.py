"""Numbers of an op's index maps: what is read and how often, tiles, accesses of warps."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from .maps import MapDirection
from .numbers import JsonNumber


class CountInfo(TypedDict):
    """A number, or between which numbers it lies."""

    least: JsonNumber
    most: JsonNumber


class Reuse(TypedDict):
    """How often an element is read."""

    least: CountInfo
    most: CountInfo
    mean: float | None


class Utilisation(TypedDict):
    """Which share of an operand is read."""

    least: float
    most: float


class MeasureInfo(TypedDict):
    """What a result reads of an operand."""

    operand: int
    result: int
    size: JsonNumber
    bits: int
    elements: CountInfo
    bytes: CountInfo
    reads: CountInfo
    reuse: Reuse
    utilisation: Utilisation
    bijection: bool | None
    injective: bool | None
    single_valued: bool | None
    covers: bool | None
    perIndex: int | None
    shared: list[int]
    note: str


class OverlapInfo(TypedDict):
    """What operands that are one value both read of it."""

    operands: list[int]
    result: int
    elements: CountInfo


class StartOf(TypedDict):
    """The dimension that starts are of, of an operand or of a result."""

    operand: NotRequired[int]
    result: NotRequired[int]
    dimension: int


class StartExample(TypedDict):
    """A start that was not in its interval; `used`: what it was clamped to."""

    at: list[int]
    value: JsonNumber
    used: int | None


class StartsInfo(TypedDict):
    """The starts that a run has read from an operand, and how many lie outside of their interval."""

    operand: int
    of: StartOf
    interval: tuple[int, int]
    clamped: bool
    count: int
    below: int
    above: int
    complete: bool
    examples: list[StartExample]


class WriteExample(TypedDict):
    """An element that several updates write."""

    element: list[int]
    updates: list[list[int]]


class WritersInfo(TypedDict):
    """How many updates write elements of a result."""

    operand: int
    result: int
    updates: JsonNumber
    written: JsonNumber
    several: JsonNumber
    dropped: JsonNumber
    most: JsonNumber
    examples: list[WriteExample]


class MeasuresInfo(TypedDict):
    """The numbers of each operand for each result; `bound`: with what the maps read in a run."""

    bound: bool
    operands: list[MeasureInfo]
    overlaps: list[OverlapInfo]
    starts: list[StartsInfo]
    writers: list[WritersInfo]


class SideInfo(TypedDict):
    """A tile along one dimension; an offset that is no number is a formula."""

    offset: int | str
    size: int
    stride: int


class TileRuntime(TypedDict):
    """A runtime variable of an offset: what it is read from, and where."""

    name: str
    read: str
    at: list[int | str]
    interval: tuple[int, int]
    clamped: bool


class TilePiece(TypedDict):
    """What of an operand (or result) a tile needs (or goes to); `tile` is null where no tile holds it."""

    tile: list[SideInfo] | None
    count: JsonNumber | None
    exact: bool
    nothing: bool
    reason: str
    runtimes: list[TileRuntime]


class TileAnswer(TypedDict):
    """The pieces of one operand or result."""

    of: int
    pieces: list[TilePiece]


class TileInfo(TypedDict):
    """What the maps make of a tile."""

    direction: MapDirection
    of: int
    tile: list[SideInfo]
    numbers: list[int]
    bound: bool
    answers: list[TileAnswer]


class SpreadInfo(TypedDict):
    """The least, the mean and the most of all accesses."""

    least: int
    mean: float
    most: int


class AccessInfo(TypedDict):
    """One access of a warp: the addresses of its threads, null for those that read nothing."""

    block: list[int]
    warp: int
    step: list[int]
    addresses: list[JsonNumber | None]
    bytes: int
    sectors: int
    lines: int
    leastSectors: int
    leastLines: int
    conflicts: int


class ThreadsInfo(TypedDict):
    """Which threads compute the result."""

    block: list[int]
    blocks: list[int]
    warps: int
    steps: list[int]
    map: str


class CoalescingInfo(TypedDict):
    """Sectors, lines and conflicts of banks, of one access and of all."""

    bits: int
    memory: str
    coalesced: bool
    reason: str
    ideal: float
    assumed: bool
    accesses: JsonNumber
    lookedAt: int
    sectors: SpreadInfo
    lines: SpreadInfo
    conflicts: SpreadInfo
    access: AccessInfo
    threads: ThreadsInfo
