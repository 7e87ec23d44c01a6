"""Listener of a replay: stores dropped values again."""

from __future__ import annotations

from collections.abc import Sequence

from ..events import FrameEntered, Iterated, Listener, Loops, LoopStart
from ..ops.core.op import Array
from ..process_grid.grid_events import GridListener, LaunchGroup
from .loop_values import LoopValues
from .track import Track
from .value_store import ValueStore

Arrays = tuple[Array, ...]


class Replay(GridListener):
    """Listener of a run that is repeated from a checkpoint; stores the values of all processes."""

    def __init__(self, store: ValueStore, tracks: Sequence[Track], wanted: int) -> None:
        self.store, self.tracks, self.wanted = store, tracks, wanted
        self.found: Arrays | None = None

    def process_began(self, number: int, launch_group: LaunchGroup) -> Listener:
        """The listener for a process."""
        return _Process(self, self.tracks[number])

    def keep(self, key: int, arrays: Arrays) -> None:
        """Store values, and note the wanted ones."""
        if key == self.wanted:
            self.found = arrays
        if arrays:
            self.store.put(key, arrays)


class _Process(Listener):
    """Stores the values of one process of the replay, and passes over loops that ran at once."""

    loops = Loops.TOGETHER

    def __init__(self, replay: Replay, track: Track) -> None:
        self._replay, self._track, self._base = replay, track, track.base

    def op_finished(self, step: int, results: Arrays) -> None:
        """Store the results of a step."""
        self._replay.keep(self._base + 2 * step, results)

    def frame_entered(self, entered: FrameEntered) -> None:
        """Store the arguments of a frame."""
        self._replay.keep(self._base + 2 * entered.frame + 1, entered.arguments)

    def known_starts(self, opener: int, start: LoopStart) -> Sequence[LoopStart]:
        """The later starts of the loop in the recording."""
        return self._track.loops_at_once.starts_after(opener, start.iteration)

    def loop_iterated(self, told: Iterated) -> None:
        """Note the wanted values if they are those of an iteration."""
        loop, wanted = LoopValues(told, self._base, self._replay.store.batches), self._replay.wanted
        if (found := loop.get(wanted)) is not None:
            self._replay.found = found
