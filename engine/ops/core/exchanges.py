"""Requests of an op to the process grid: collective executions, transfers, and waiting for placeholders.

The grid answers; an op never accesses another process. A request with `placeholders` does not wait: the placeholders
are arrays, each a distinct object, that stand for later results, and `Await` of one of them waits for its result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar

from numpy.typing import NDArray

from ...ir.types import Type
from .process_groups import Grid, ProcessId

Array = NDArray[Any]
Arrays = tuple[Array, ...]
Made = TypeVar("Made")


@dataclass(frozen=True)
class GridPosition:
    """The process that runs an op, and its grid."""

    process: ProcessId
    grid: Grid

    @property
    def number(self) -> int:
        """The number of the process."""
        return self.process.replica_id * self.grid.num_partitions + self.process.partition_id

    @classmethod
    def of(cls, number: int, grid: Grid) -> Self:
        """The process with a number."""
        return cls(ProcessId(*divmod(number, grid.num_partitions)), grid)

    @classmethod
    def all_of(cls, grid: Grid) -> Iterator[Self]:
        """The processes of a grid, in the order of their numbers."""
        return (cls.of(number, grid) for number in range(grid.num_processes))


@dataclass(frozen=True)
class Peers:
    """The participants of a collective execution."""

    group: tuple[ProcessId, ...]
    """All participants, in the group's order; together with the channel they identify a rendezvous."""
    awaited: tuple[ProcessId, ...]
    """The participants that a process waits for, including itself, in the op's own order."""


RouteKind = Literal["channel", "host", "feed"]


@dataclass(frozen=True)
class Route:
    """The two ends of a transfer. An end that is `None` lies outside the grid: the host or a queue."""

    kind: RouteKind
    channel: int = 0
    source: ProcessId | None = None
    target: ProcessId | None = None


@dataclass(slots=True)
class PeerValues:
    """The result of a rendezvous: the values of all awaited participants, in order."""

    brought: tuple[Arrays, ...]
    position: int
    """The position of this process among them."""
    shared: dict[str, Any] = field(default_factory=dict)
    """Results computed once per group; processes that waited for the same participants share the dictionary."""

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """The result of `make`, computed once for the whole group."""
        if name not in self.shared:
            self.shared[name] = make()
        found: Made = self.shared[name]
        return found


FetchPeers = Callable[[], PeerValues | None]
"""The values of a process's peers in an op; `None` if it does not take part, or if they are unknown."""


def no_peers() -> PeerValues | None:
    """A `fetch_peers` without peers: it returns `None`."""
    return None


@dataclass(slots=True)
class Where:
    """Request for the `GridPosition` of the process, which is the answer."""


@dataclass(slots=True)
class ExecuteCollective:
    """Request for a collective execution with the op's `peers`, to which the process brings `values`.

    The answer is `PeerValues`, or `None` where the process takes no part. With placeholders it is `()`, at once, unless the
    process waits for no other.
    """

    values: Arrays
    placeholders: Arrays = ()


@dataclass(slots=True)
class Send:
    """Request to send `values` along the op's `route`. The answer is `()`, after they were received."""

    values: Arrays
    placeholders: Arrays = ()


@dataclass(slots=True)
class Receive:
    """Request for values of `types` along the op's `route`. The answer is the values; with placeholders `()`."""

    types: tuple[Type, ...]
    placeholders: Arrays = ()


@dataclass(slots=True)
class Await:
    """Request for the value behind a placeholder. The answer is `Arrived`."""

    placeholder: Array


@dataclass(frozen=True, slots=True)
class Arrived:
    """The `outputs` of the op that started the placeholder; `None` if the array is no placeholder."""

    outputs: Arrays | None


@dataclass(slots=True)
class RunGrid:
    """Request to run functions on a separate grid. The answer is the results of all, process after process."""

    programs: tuple[tuple[str, ...], ...]
    """Rows of functions: a row for each replica, with one function for each partition."""
    arguments: Arrays
    """The arguments of all functions, concatenated."""
    infeed: tuple[str, ...] = ()
    """Functions that fill the processes' common infeed queue, in order."""

    @property
    def grid(self) -> Grid:
        """The grid of the functions' replicas and partitions."""
        return Grid(len(self.programs), len(self.programs[0]))


Exchange = ExecuteCollective | Send | Receive | Await | RunGrid
"""Requests that may wait for other processes."""


@dataclass(frozen=True)
class Box:
    """A box of a tensor: its start in each dimension, and its sizes."""

    start: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """A box that one process receives of another's values, for pictures of moving data."""

    source: int
    """The source: its position among the awaited participants."""
    operand: int
    read: Box
    result: int
    written: Box
    combined: bool = False
    """Whether the target combines it with pieces of other processes."""
