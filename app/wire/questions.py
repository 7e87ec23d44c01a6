"""Questions about a recording: each is a class, which says what its answer holds.

A worker answers with bytes as they go to the browser, so the server passes them on without reading them; the types are
proved where an answer is made (`question.answer`) and where it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, cast

from typing_extensions import TypedDict

from .findings import FindingsInfo, OriginStop
from .grid import GridInfo, MeetingInfo, MeetingPieces, QueueTaker, ShardingInfo
from .map_numbers import CoalescingInfo, MeasuresInfo, TileInfo
from .maps import OpMapsInfo, PlaceInfo
from .program import OpDetails, ProgramInfo
from .provenance import Provenance
from .search import OpNames, SearchKind, SearchResult
from .values import (
    Comparison,
    ElementText,
    JointRange,
    NonfiniteElement,
    PlainSummary,
    PrintedText,
    ThumbnailInfo,
    ValueSummary,
)

A = TypeVar("A")
JSON_TYPE = "application/json"
BINARY_TYPE = "application/octet-stream"


class AnswerHead(TypedDict):
    """What goes before the body of an answer."""

    type: str
    final: bool
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer(Generic[A]):
    """The body of an HTTP answer, which holds an `A`."""

    body: bytes | bytearray | memoryview
    type: str = BINARY_TYPE
    final: bool = True
    """Whether it will always be the same, so that the browser may keep it."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def head(self) -> AnswerHead:
        """All but the body."""
        return {"type": self.type, "final": self.final, "headers": dict(self.headers)}

    def json(self) -> A:
        """What it holds, if it is JSON."""
        return cast(A, json.loads(bytes(self.body)))


@dataclass(frozen=True)
class Question(Generic[A]):
    """A question about a recording."""


@dataclass(frozen=True)
class JsonQuestion(Question[A]):
    """A question that is answered with JSON."""

    def answer(self, value: A, *, final: bool = True) -> Answer[A]:
        """`value` as the answer."""
        return Answer(json.dumps(value, allow_nan=False).encode(), JSON_TYPE, final)


@dataclass(frozen=True)
class BytesQuestion(Question[bytes]):
    """A question that is answered with columns or elements."""

    def answer(
        self, body: bytes, *, final: bool = True, headers: Mapping[str, str] | None = None
    ) -> Answer[bytes]:
        """`body` as the answer."""
        return Answer(body, BINARY_TYPE, final, headers or {})


# The program.


@dataclass(frozen=True)
class ProgramQuestion(JsonQuestion[ProgramInfo]):
    """Ops, values, blocks and functions of the program."""


@dataclass(frozen=True)
class OpQuestion(JsonQuestion[OpDetails]):
    """Documentation, constraints, cost and maps of one op of the program."""

    op: int


# Steps and values.


@dataclass(frozen=True)
class OutlineQuestion(BytesQuestion):
    """4,096 steps of a process as columns; `X-Steps` says how many there are."""

    chunk: int
    process: int = 0


@dataclass(frozen=True)
class FramesQuestion(BytesQuestion):
    """4,096 frames of a process as columns; `X-Frames` says how many there are."""

    chunk: int
    process: int = 0


@dataclass(frozen=True)
class SummaryQuestion(JsonQuestion[ValueSummary | PlainSummary]):
    """Type, shape, statistics and histogram of a value."""

    address: str


@dataclass(frozen=True)
class SummariesQuestion(JsonQuestion[dict[str, ValueSummary | PlainSummary]]):
    """The same of several values, by their addresses; what is not recorded is left out."""

    addresses: Sequence[str]


@dataclass(frozen=True)
class ElementQuestion(JsonQuestion[ElementText]):
    """One element of a value, in all its digits."""

    address: str
    element: Sequence[int]


@dataclass(frozen=True)
class NonfiniteQuestion(JsonQuestion[NonfiniteElement]):
    """The next element that is not finite, after or before an element's number in row-major order."""

    address: str
    after: int
    direction: Literal["forward", "back"]


@dataclass(frozen=True)
class WindowQuestion(BytesQuestion):
    """A rectangle of a value, exact or downsampled; all fields as the query has them."""

    address: str
    rows: str
    columns: str
    at: str
    start: str
    size: str
    level: str


@dataclass(frozen=True)
class WindowsQuestion(BytesQuestion):
    """Several windows, in the order asked for; one that is not recorded, or too much at once, is empty."""

    windows: Sequence[Sequence[str]]
    """The fields of a `WindowQuestion` each, in its order."""


@dataclass(frozen=True)
class ThumbnailsQuestion(JsonQuestion[dict[str, ThumbnailInfo]]):
    """Small pictures of values, by their addresses; what is not recorded is left out."""

    addresses: Sequence[str]


@dataclass(frozen=True)
class NpyQuestion(BytesQuestion):
    """A piece of a value as a file for NumPy; `X-Total` says how many bytes the whole has."""

    address: str
    start: int


@dataclass(frozen=True)
class PrintsQuestion(JsonQuestion[list[PrintedText]]):
    """What the program has printed in a process, from a number on, some at a time."""

    start: int
    process: int = 0


# The grid.


@dataclass(frozen=True)
class GridQuestion(JsonQuestion[GridInfo]):
    """Teams of processes, queues, and why nobody goes on."""


@dataclass(frozen=True)
class TicksQuestion(BytesQuestion):
    """256 ticks of all processes of a team: step, op, meeting and state of each; `X-Ticks` counts them."""

    chunk: int
    team: int


@dataclass(frozen=True)
class ClockQuestion(BytesQuestion):
    """Pairs of a step and the tick at which it begins, where a process has waited."""

    process: int


@dataclass(frozen=True)
class StripsQuestion(BytesQuestion):
    """Which share of each stretch of ticks each process of a team was running in."""

    team: int
    start: int
    stop: int
    columns: int


@dataclass(frozen=True)
class MeetingsQuestion(JsonQuestion[list[MeetingInfo]]):
    """Who met whom where and when, from a number on, some at a time."""

    start: int


@dataclass(frozen=True)
class PiecesQuestion(JsonQuestion[MeetingPieces]):
    """Which box of whose value ends up where in what a process, or each, gets from a meeting."""

    meeting: int
    process: int | None


@dataclass(frozen=True)
class CompareQuestion(JsonQuestion[Comparison]):
    """Which of these values are equal, and how the others differ from the first."""

    addresses: Sequence[str]


@dataclass(frozen=True)
class RangeQuestion(JsonQuestion[JointRange]):
    """The range that all of these values lie in."""

    addresses: Sequence[str]


@dataclass(frozen=True)
class TakersQuestion(JsonQuestion[list[QueueTaker]]):
    """The queues that the user fills, and what the program's ops take from each."""


@dataclass(frozen=True)
class ShardedQuestion(JsonQuestion[list[int]]):
    """The values whose parts have a place in a whole, by their numbers."""


@dataclass(frozen=True)
class ShardingQuestion(JsonQuestion[ShardingInfo | None]):
    """How the whole of a value, or of the first result of an op, is cut into the parts of the processes."""

    op: int | None
    value: int | None
    process: int


# Index maps.


@dataclass(frozen=True)
class MapsQuestion(JsonQuestion[OpMapsInfo]):
    """The maps of an op in both directions."""

    op: int


@dataclass(frozen=True)
class RuntimeValuesQuestion(BytesQuestion):
    """What runtime variables read at a step: int64, in row-major order; `X-Shape` is the shape of all of it."""

    op: int
    process: int
    step: int
    number: int
    start: int
    count: int


@dataclass(frozen=True)
class PlacesQuestion(JsonQuestion[list[PlaceInfo]]):
    """The processes that the place of a map counts, and where each keeps operands and results of the op."""

    op: int
    process: int
    step: int


@dataclass(frozen=True)
class MapNumbersQuestion(JsonQuestion[A]):
    """A question about the maps of an op; with a step, about what they read at that step of a process."""

    op: int
    process: int
    step: int | None


@dataclass(frozen=True)
class MeasuresQuestion(MapNumbersQuestion[MeasuresInfo]):
    """Elements and bytes read, reuse, utilisation; of a step also starts and duplicate writers."""


@dataclass(frozen=True)
class TileQuestion(MapNumbersQuestion[TileInfo]):
    """What of each operand a tile of result `number` needs; `inverse`: of each result a tile of an operand goes to.

    Without offsets it is any tile of the grid of such tiles.
    """

    number: int
    sizes: Sequence[int]
    offsets: Sequence[int] | None = None
    strides: Sequence[int] = ()
    inverse: bool = False


@dataclass(frozen=True)
class CoalescingQuestion(MapNumbersQuestion[CoalescingInfo]):
    """How warps that compute a result would read an operand, and which of their accesses is shown."""

    operand: int
    result: int
    kind: Literal["linear", "tiled"] = "linear"
    """`linear`: threads in the order of the result in memory. `tiled`: a block for a tile of two dimensions."""
    threads: int = 128
    vector: int = 1
    x: int = -1
    """Of `tiled`: the dimension along which neighbouring threads lie."""
    y: int = -2
    columns: int = 32
    rows: int = 8
    steps: int = 4
    padding: int = 0
    """Elements behind each line of the operand, as if it were in shared memory."""
    order: Sequence[int] = ()
    """The operand's dimensions, the minor one first; its own layout if there are none."""
    block: Sequence[int] = (0, 0, 0)
    warp: int = 0
    loops: Sequence[int] = ()
    """Values of the loops beside a thread's vector."""


# Findings.


@dataclass(frozen=True)
class FindingsQuestion(JsonQuestion[FindingsInfo]):
    """What ops did wrong in the steps recorded so far; `further`: follow what there was no time for."""

    further: bool = False


@dataclass(frozen=True)
class OriginQuestion(JsonQuestion[OriginStop | None]):
    """The nearest step after or before a step in which a value that is not finite was born and does harm."""

    process: int
    step: int
    direction: Literal["forward", "back"]


# Search.


@dataclass(frozen=True)
class SearchQuestion(JsonQuestion[SearchResult]):
    """The values of a process with elements that are so, from a position on; all fields as the query has them."""

    find: SearchKind
    number: str
    tolerance: str
    low: str
    high: str
    shape: str
    process: int
    start: int


@dataclass(frozen=True)
class OpNamesQuestion(JsonQuestion[OpNames]):
    """What the user's framework called the ops."""


# Provenance.


@dataclass(frozen=True)
class StepOperandsQuestion(JsonQuestion[list[str | None]]):
    """The addresses of the operands of a step's op; null where one is not recorded."""

    process: int
    step: int


@dataclass(frozen=True)
class ProvenanceQuestion(JsonQuestion[Provenance]):
    """The values on the way from elements of a value; with `to`, a path to an element of another as well.

    A walk that has stopped before its end goes on from there when it is asked for again with another `more`. With `only`
    it goes by elements that are not finite alone.
    """

    address: str
    elements: str
    direction: Literal["back", "forward"]
    reach: Literal["step", "all"]
    to: str
    element: str
    more: int
    only: Literal["", "not_finite"] = ""
