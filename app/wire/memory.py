"""Memory and traffic of a program: live bytes at each op, the buffers that are live, and collectives."""

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

BufferKind: TypeAlias = Literal["argument", "result", "temporary"]


class LiveBufferInfo(TypedDict):
    """A buffer that is live at an op: `value` and `path` lead to the first of its `values`.

    `birth`: the op that fills it first, null for an argument; `death`: the last op that reads it, null if it is live to the
    end of its block. `line`: that of the first value in the program; `location`: in the user's source.
    """

    value: int
    path: list[int]
    name: str
    bytes: int
    kind: BufferKind
    values: int
    isDonated: bool
    birth: int | None
    death: int | None
    line: int
    location: str | None


class CollectiveInfo(TypedDict):
    """A collective: the bytes of one process and one execution; `runs` and `total` are null if a loop's length is unknown.

    `sent`: the bytes that a process sends, at most, by the ring algorithm. `members`: the processes of the largest group.
    """

    op: int
    name: str
    opcode: str
    line: int
    members: int
    operandBytes: int
    resultBytes: int
    sent: int
    runs: int | None
    total: int | None
    operandSharding: str
    resultSharding: str
    opName: str
    location: str | None
    rematerialised: Literal["xla", "checkpoint"] | None


class CopiesInfo(TypedDict):
    """The copies outside of kernels; `bytes` is null if a loop's length is unknown."""

    count: int
    bytes: int | None


class PeakBytes(TypedDict):
    """The bytes of the buffers at the peak, by kind."""

    argument: int
    result: int
    temporary: int


class MemoryInfo(TypedDict):
    """Live bytes from the text alone.

    `bytes`: for each op by its number the bytes live while it executes, -1 for an op that does not execute. `schedule`: the
    ops in the order of execution, each loop and function once. `isWhole`: whether several processes run the program and its
    arrays outside of manual computations are not yet partitioned among them. `openSizes`: values whose bytes the text does not bound;
    `spaces`: bytes in other memory spaces; neither they nor constants are part of the live bytes.
    """

    isScheduled: bool
    isWhole: bool
    peak: int
    peakBytes: int
    atPeak: PeakBytes
    bytes: list[int]
    schedule: list[int]
    constants: int
    openSizes: int
    spaces: dict[str, int]
    donated: int
    copies: CopiesInfo
    collectives: list[CollectiveInfo]


class LiveInfo(TypedDict):
    """The buffers live while an op executes, the largest first; `others` of together `otherBytes` are left out."""

    op: int
    bytes: int
    buffers: list[LiveBufferInfo]
    others: int
    otherBytes: int


class MemoryChange(TypedDict):
    """A figure of two programs: bytes, or a number of ops; `name`: `peak`, `sent`, `copied`, `copies` or an opcode."""

    name: str
    unit: Literal["bytes", "ops"]
    before: int
    after: int


class PeakBuffers(TypedDict):
    """Buffers at a peak with equal bytes, kind and location in the user's source, which is empty if unknown.

    `name` and `line`: of the first of them, in the program.
    """

    count: int
    bytes: int
    kind: BufferKind
    location: str
    name: str
    line: int


class MemoryDifference(TypedDict):
    """The figures of two programs, and the buffers that only one of their peaks has, the most bytes first.

    Figures that both programs have as 0, or that one of them does not determine, are left out.
    """

    changes: list[MemoryChange]
    onlyBefore: list[PeakBuffers]
    onlyAfter: list[PeakBuffers]
