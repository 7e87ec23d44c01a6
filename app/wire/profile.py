"""Profile of a run: time, bytes, floating-point operations and live memory of each op, and its flame chart."""

from typing_extensions import TypedDict


class ProfileGroups(TypedDict):
    """Groups of ops: the title of each, empty for ops without one, and the group of each row; `totals` as in `ProfileInfo`."""

    titles: list[str]
    of: list[int]
    totals: list[float]


class ProfileInfo(TypedDict):
    """Columns with a row for each op that was executed, in the order of the text.

    `counts`: executions; `totals`: seconds with what the op runs, such as the body of a loop; `read`, `written`: bytes of
    operands and results, each in full; `flops`: floating-point operations, at most; `live`: bytes that are live during the
    op in one process. `measured`, `counted`: what times and counts mean.
    """

    ops: list[int]
    counts: list[int]
    seconds: list[float]
    totals: list[float]
    read: list[int]
    written: list[int]
    flops: list[int]
    live: list[int]
    kinds: ProfileGroups
    functions: ProfileGroups
    scopes: ProfileGroups
    measured: str
    counted: str


class FlameBar(TypedDict):
    """A function, a region, a scope or an op while it runs; with `count` above 1 that many, too narrow to be apart.

    `step` to `stop` are its steps, `left` and `right` its ends as shares of the width; `op` is the number of an op, null of others.
    """

    level: int
    title: str
    count: int
    step: int
    stop: int
    left: float
    right: float
    seconds: float
    op: int | None


class FlameInfo(TypedDict):
    """The flame chart of the steps from `start` to `stop` of a process, which took `seconds`."""

    bars: list[FlameBar]
    start: int
    stop: int
    seconds: float
