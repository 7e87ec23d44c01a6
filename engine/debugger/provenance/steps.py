"""Indexed columns of one process: steps of ops in frames, opened frames, creation times."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...program import BoundBlock, BoundProgram
from ..address import Address
from ..origins import step_in
from ..track import NONE, Track

Numbers = NDArray[np.int64]


class Steps:
    """The steps and frames of a track up to its current end."""

    def __init__(self, program: BoundProgram, track: Track) -> None:
        self.program, self.track = program, track
        self.count, self.frame_count = track.step_count, track.frame_count

    @property
    def is_current(self) -> bool:
        """Whether the track has not grown since."""
        return self.count == self.track.step_count and self.frame_count == self.track.frame_count

    @cached_property
    def _by_opener(self) -> tuple[Numbers, Numbers]:
        """All frames sorted by their opening step, and these steps."""
        openers = self.track.frame_opener[: self.frame_count]
        order = np.argsort(openers, kind="stable")
        return order, openers[order].astype(np.int64)

    @cached_property
    def blocks(self) -> NDArray[np.uint32]:
        """The block that each frame runs."""
        return self.track.frame_block[: self.frame_count]

    @cached_property
    def parents(self) -> NDArray[np.uint32]:
        """The frame that each frame was opened from."""
        return self.track.frame_parent[: self.frame_count]

    @cached_property
    def openers(self) -> NDArray[np.uint32]:
        """The step that opened each frame."""
        return self.track.frame_opener[: self.frame_count]

    @cached_property
    def iterations(self) -> NDArray[np.uint32]:
        """The iteration of each frame's region, from 0."""
        return self.track.frame_iteration[: self.frame_count]

    def block_of(self, frame: int) -> BoundBlock:
        """The block that a frame runs."""
        return self.program.blocks[int(self.blocks[frame])]

    def opener_of(self, frame: int) -> int | None:
        """The step that opened a frame; `None` for the entry."""
        return self.track.opener_of(frame)

    def parent_of(self, frame: int) -> int | None:
        """The frame that a frame was opened from; `None` for the entry."""
        found = int(self.parents[frame])
        return None if found == NONE else found

    def at(self, frame: int, position: int) -> int | None:
        """The step that ran the op at a position of the frame's block; each op runs once per frame."""
        return step_in(self.program, self.track, frame, position)

    def end_of(self, frame: int) -> int | None:
        """The step that ended a frame, its terminator."""
        return self.at(frame, len(self.block_of(frame).operations) - 1)

    def opened_frames(self, step: int) -> Numbers:
        """The frames that a step opened, in order."""
        order, openers = self._by_opener
        low, high = np.searchsorted(openers, [step, step + 1])
        return order[low:high]

    def frames_of(self, block: int, ancestor: int, depth: int) -> Numbers:
        """The frames of a block with a given ancestor some levels up."""
        found: Numbers = np.flatnonzero(self.blocks == block)
        above: Numbers = found
        for _ in range(depth):
            above = self.parents[above].astype(np.int64)
        chosen: Numbers = found[above == ancestor]
        return chosen

    def creation_time(self, address: Address) -> int:
        """The creation time of a value, which increases from operands to results.

        It is twice the number of the next tick, minus one; `KeyError` if the value is not recorded.
        """
        made = self.track.creation_step(address.kind, address.number)
        if address.kind == "f" and address.number == 0:
            return 2 * self.track.tick_of(0) - 1
        return 2 * self.track.tick_of(made + 1) - 1
