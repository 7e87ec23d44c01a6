"""What a run tells whoever records it, in order."""

from __future__ import annotations

from dataclasses import dataclass

from .ops.op import Array


@dataclass(frozen=True, slots=True)
class OpStarted:
    """Step `step` begins: an op of the frame `frame`, `depth` frames below the entry."""

    step: int
    op: int
    frame: int
    depth: int


@dataclass(frozen=True, slots=True)
class OpFinished:
    """The op of step `step` has its results."""

    step: int
    results: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class FrameEntered:
    """A function or a region begins; `opener` is the step that asked for it."""

    frame: int
    block: int
    parent: int | None
    opener: int | None
    iteration: int
    lanes: tuple[int, ...] | None
    arguments: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The entry function has returned."""

    results: tuple[Array, ...]


Event = OpStarted | OpFinished | FrameEntered | RunFinished
