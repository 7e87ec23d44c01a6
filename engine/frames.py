"""The state of a run as data: a stack of frames that can be copied and continued."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .ops.core.exchanges import Exchange
from .ops.core.op import Array, Ask, CallFunction, RunRegion
from .ops.packed import unpack
from .program import BoundBlock, BoundOperation

Values = dict[int, Array]
"""The values of one activation of a function, including its regions, by number."""


@dataclass(slots=True)
class Frame:
    """One activation of a block; `step` opened it, and `state` is the state of its current op."""

    number: int
    block: BoundBlock
    values: Values
    opener: BoundOperation | None = None
    step: int | None = None
    state: Any = None
    next: int = 0
    asynchronous: bool = False
    """Whether its collective ops are only started."""
    is_inside: bool = False
    """Whether it runs the body of an op on elements, which an executor computes as a whole or not at all."""
    ahead: dict[int, tuple[Array, ...]] = field(default_factory=dict)
    """Results of its next ops that an executor has computed, by op."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An op that waits for other processes."""

    bound: BoundOperation
    step: int
    state: Any
    request: Exchange
    started: bool = False
    """Whether the whole op is only started, so that placeholders are its results."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """State of a body that cannot be lifted and runs once per lane, with the answers in order."""

    ask: Ask
    answers: tuple[tuple[Array, ...], ...] = ()

    @property
    def request(self) -> RunRegion | CallFunction:
        """The request for all lanes."""
        assert isinstance(self.ask.request, RunRegion | CallFunction)
        return self.ask.request

    def lane(self) -> RunRegion | CallFunction:
        """The request for the current lane."""
        shape = self.request.lanes or ()
        index = np.unravel_index(len(self.answers), shape)
        arguments = tuple(np.asarray(argument[index]) for argument in self.request.arguments)
        return replace(self.request, arguments=arguments, iteration=len(self.answers), lanes=None)

    def join(self) -> tuple[Array, ...]:
        """Join the answers of all lanes into arrays of the lanes' shape."""
        shape = self.request.lanes or ()
        answers = map(unpack, self.answers)
        return tuple(np.stack(column).reshape(shape) for column in zip(*answers, strict=True))


@dataclass(frozen=True)
class Snapshot:
    """A run at a position; it shares its arrays with the run, which never writes to them."""

    frames: tuple[Frame, ...]
    step_count: int
    frame_count: int
    probes: Mapping[str, tuple[Array, ...]]
    """Values recorded by probes, by name."""
    counters: Mapping[str, int]
    """The values of the run's counters, by name."""
    waiting: Pending | None = None
    """The op that waits, if one does."""


def copy_frames(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """Copy frames with their values; frames of one activation still share them."""
    values = {id(frame.values): dict(frame.values) for frame in frames}
    return tuple(replace(frame, values=values[id(frame.values)], ahead=dict(frame.ahead)) for frame in frames)
