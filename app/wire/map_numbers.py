"""Measures of an op's index maps: elements read, reuse, tiles, accesses of warps."""

from typing import NotRequired

from typing_extensions import TypedDict

from .maps import MapDirection
from .numbers import JsonNumber


class CountInfo(TypedDict):
    """A number, or its lower and upper bound."""

    least: JsonNumber
    most: JsonNumber


class Reuse(TypedDict):
    """The number of reads per element."""

    least: CountInfo
    most: CountInfo
    mean: float | None


class Utilisation(TypedDict):
    """The share of an operand that is read."""

    least: float
    most: float


class MeasureInfo(TypedDict):
    """The elements of an operand that a result reads."""

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
    """The elements of one value that several of its operands read."""

    operands: list[int]
    result: int
    elements: CountInfo


class StartOf(TypedDict):
    """The dimension of an operand or result to which the starts apply."""

    operand: NotRequired[int]
    result: NotRequired[int]
    dimension: int


class StartExample(TypedDict):
    """A start outside of its interval; `used`: the clamped value."""

    at: list[int]
    value: JsonNumber
    used: int | None


class StartsInfo(TypedDict):
    """The starts that a run read from an operand, and the counts outside of their interval."""

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
    """The number of updates that write elements of a result."""

    operand: int
    result: int
    updates: JsonNumber
    written: JsonNumber
    several: JsonNumber
    dropped: JsonNumber
    most: JsonNumber
    examples: list[WriteExample]


class MeasuresInfo(TypedDict):
    """The measures of each operand for each result; `bound`: with the values read in a run."""

    bound: bool
    operands: list[MeasureInfo]
    overlaps: list[OverlapInfo]
    starts: list[StartsInfo]
    writers: list[WritersInfo]


class SideInfo(TypedDict):
    """A tile along one dimension; the offset is a number or a formula."""

    offset: int | str
    size: int
    stride: int


class TileRuntime(TypedDict):
    """A runtime variable of an offset: its source and its position."""

    name: str
    read: str
    at: list[int | str]
    interval: tuple[int, int]
    clamped: bool


class TilePiece(TypedDict):
    """The elements of an operand that a tile reads, or of a result that it writes; `tile`: null if they form no tile."""

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
    """The image of a tile in the maps."""

    direction: MapDirection
    of: int
    tile: list[SideInfo]
    numbers: list[int]
    bound: bool
    answers: list[TileAnswer]


class SpreadInfo(TypedDict):
    """Minimum, mean and maximum over all accesses."""

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
    """The threads that compute the result."""

    block: list[int]
    blocks: list[int]
    warps: int
    steps: list[int]
    map: str


class CoalescingInfo(TypedDict):
    """Sectors, lines and bank conflicts, of one access and in total."""

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
