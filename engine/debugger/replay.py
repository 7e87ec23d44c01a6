"""Listener of a replay: stores dropped values again."""

from __future__ import annotations

from ..events import FrameEntered, Listener, Loops, NullListener
from ..ops.core.op import Array
from ..process_grid.grid_events import LaunchGroup, NullGridListener
from .track import PROCESS_BITS
from .value_store import ValueStore

Arrays = tuple[Array, ...]


class Replay(NullGridListener):
    """Listener of a run that is repeated from a checkpoint; stores the values of all processes."""

    def __init__(self, store: ValueStore, wanted: int) -> None:
        self.store, self.wanted = store, wanted
        self.found: Arrays | None = None

    def process_began(self, number: int, launch_group: LaunchGroup) -> Listener:
        """The listener for a process."""
        return _Process(self, number << PROCESS_BITS)

    def keep(self, key: int, arrays: Arrays) -> None:
        """Store values, and note the wanted ones."""
        if key == self.wanted:
            self.found = arrays
        if arrays:
            self.store.put(key, arrays)


class _Process(NullListener):
    """Stores the values of one process of the replay."""

    loops = Loops.STEP_BY_STEP

    def __init__(self, replay: Replay, base: int) -> None:
        super().__init__()
        self._replay, self._base = replay, base

    def op_finished(self, step: int, results: Arrays) -> None:
        """Store the results of a step."""
        self._replay.keep(self._base + 2 * step, results)

    def frame_entered(self, entered: FrameEntered) -> None:
        """Store the arguments of a frame."""
        self._replay.keep(self._base + 2 * entered.frame + 1, entered.arguments)
