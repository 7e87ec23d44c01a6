"""Listens to a part of a run that is done again; what was dropped is kept once more."""

from __future__ import annotations

from ..events import FrameEntered, Listener, Loops, Unheard
from ..ops.op import Array
from ..process_grid.events import Team, UnheardGrid
from .track import PROCESS_BITS
from .value_store import ValueStore

Arrays = tuple[Array, ...]


class Replay(UnheardGrid):
    """All processes of a run that is done again."""

    def __init__(self, store: ValueStore, wanted: int) -> None:
        self.store, self.wanted = store, wanted
        self.found: Arrays | None = None

    def process_began(self, number: int, team: Team) -> Listener:
        """Whoever keeps the values of a process."""
        return _Process(self, number << PROCESS_BITS)

    def keep(self, key: int, arrays: Arrays) -> None:
        """Keeps values; those that are wanted are found."""
        if key == self.wanted:
            self.found = arrays
        if arrays:
            self.store.put(key, arrays)


class _Process(Unheard):
    """One process of the run."""

    loops = Loops.STEP_BY_STEP

    def __init__(self, replay: Replay, base: int) -> None:
        super().__init__()
        self._replay, self._base = replay, base

    def op_finished(self, step: int, results: Arrays) -> None:
        """Keeps the results of a step."""
        self._replay.keep(self._base + 2 * step, results)

    def frame_entered(self, entered: FrameEntered) -> None:
        """Keeps the arguments of a frame."""
        self._replay.keep(self._base + 2 * entered.frame + 1, entered.arguments)
