"""What an op asks of the grid that its process is in: to meet others, to hand values over, to wait for what comes.

The grid answers; an op never reaches for another process. With `placeholders` a request does not wait: they are
arrays that stand for what will come, each one an object of its own, and `Await` of one of them waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from numpy.typing import NDArray

from ...ir.types import Type
from .process_groups import Grid, ProcessId

Array = NDArray[Any]
Arrays = tuple[Array, ...]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Place:
    """The process that runs an op, and the grid that it is in."""

    process: ProcessId
    grid: Grid


@dataclass(frozen=True)
class Peers:
    """The processes that meet in an op."""

    group: tuple[ProcessId, ...]
    """All that take part, in the group's order: with the channel they are what a rendezvous is known by."""
    awaited: tuple[ProcessId, ...]
    """Those without whom a process cannot go on, itself among them, in the op's own order."""


RouteKind = Literal["channel", "host", "feed"]


@dataclass(frozen=True)
class Route:
    """The two ends of a transfer. An end that is `None` is outside of the grid: the host or a queue."""

    kind: RouteKind
    channel: int = 0
    source: ProcessId | None = None
    target: ProcessId | None = None


@dataclass(slots=True)
class Met:
    """What a rendezvous gives: what each of those has brought who were waited for, in their order."""

    brought: tuple[Arrays, ...]
    place: int
    """Which of them this process is."""
    shared: dict[str, Any] = field(default_factory=dict)
    """What has been made of it already; everyone who waited for the same processes has the same one."""

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` makes, made for the whole group once."""
        if name not in self.shared:
            self.shared[name] = make()
        found: Made = self.shared[name]
        return found


MeetPeers = Callable[[], Met | None]
"""What a process met in an op; `None` where it takes no part, or that is not known."""


def meet_nobody() -> Met | None:
    """A `meet` for processes that meet nobody: `None`."""
    return None


@dataclass(slots=True)
class Where:
    """Ask for the `Place` of the process: it is the answer."""


@dataclass(slots=True)
class Meet:
    """Ask to meet the op's `peers`, bringing `values`.

    The answer is `Met`, or `None` where the process takes no part. With placeholders it is `()`, at once, unless the
    process waits for nobody else.
    """

    values: Arrays
    placeholders: Arrays = ()


@dataclass(slots=True)
class Send:
    """Ask to hand `values` over along the op's `route`. The answer is `()`, once they have been received."""

    values: Arrays
    placeholders: Arrays = ()


@dataclass(slots=True)
class Receive:
    """Ask for values of `types` along the op's `route`. The answer is the values; with placeholders `()`."""

    types: tuple[Type, ...]
    placeholders: Arrays = ()


@dataclass(slots=True)
class Await:
    """Ask for what a placeholder stands for. The answer is `Arrived`."""

    placeholder: Array


@dataclass(frozen=True, slots=True)
class Arrived:
    """What has come: `outputs` of the op that began it. `None` where the array stands for nothing but itself."""

    outputs: Arrays | None


@dataclass(slots=True)
class RunGrid:
    """Ask to run functions on a grid of their own. The answer is the results of all, process after process."""

    programs: tuple[tuple[str, ...], ...]
    """Rows of functions: a row for each replica, in it one for each partition."""
    arguments: Arrays
    """Those of all functions, one behind the other."""
    infeed: tuple[str, ...] = ()
    """Functions that make what the processes take from their common infeed queue, in order."""

    @property
    def grid(self) -> Grid:
        """The grid that the functions of replicas and partitions make."""
        return Grid(len(self.programs), len(self.programs[0]))


Exchange = Meet | Send | Receive | Await | RunGrid
"""What may take time: others have to come."""


@dataclass(frozen=True)
class Box:
    """A rectangle of a tensor: where it begins in each dimension, and its sizes."""

    start: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """What one process gets of what another has brought: for pictures of what moves where."""

    source: int
    """Which of those that were waited for, in their order, it came from."""
    operand: int
    read: Box
    result: int
    written: Box
    combined: bool = False
    """Whether it is combined there with pieces of others, rather than put there alone."""
