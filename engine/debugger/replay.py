"""Replays: checkpoints of a run, and the listener of a run from one, which stores dropped values again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..events import FrameEntered, Iterated, Listener, Loops, LoopStart
from ..memory import Ledger, owner
from ..ops.core.op import Array
from ..ops.core.values import leaves
from ..process_grid.grid_events import GridListener, LaunchGroup
from ..process_grid.grid_run import GridSnapshot
from .loop_values import LoopValues
from .track import Track
from .value_store import ENTRY_BYTES, ValueStore

# Positions of a run from which it is executed again, as many as memory allows.


FEWEST = 4
"""Snapshots that are kept however large they are."""
MOST = 512
LEAST_BYTES = 16 << 20
"""For a smaller budget, which the snapshots of a long run of scalars would exceed too."""


class Checkpoints:
    """Snapshots in the order of the run; the first one is its start and always stays."""

    def __init__(self, start: GridSnapshot, budget: int) -> None:
        """`budget`: bytes of all values that the run has computed; buffers that several snapshots share count once."""
        given: list[Array] = []
        _visit(start, given.append)
        self._kept, self._budget, self._entries = [start], max(budget, LEAST_BYTES), 0
        self._ledger = Ledger(frozenset(id(owner(leaf)) for value in given for leaf in leaves(value)))

    @property
    def last(self) -> GridSnapshot:
        """The latest snapshot."""
        return self._kept[-1]

    def before(self, process: int, step: int) -> GridSnapshot:
        """The latest snapshot at which `process` has not passed `step`."""
        return next(found for found in reversed(self._kept) if found.steps_of(process) <= step)

    def add(self, snapshot: GridSnapshot) -> None:
        """Append a snapshot; if they are too many or too large, drop those that shorten replays least."""
        self._kept.append(snapshot)
        self._entries += _visit(snapshot, self._ledger.add)
        while len(self._kept) > MOST or (len(self._kept) > FEWEST and self._bytes > self._budget):
            self._drop(min(range(1, len(self._kept) - 1), key=self._gap_without))

    def _gap_without(self, position: int) -> int:
        """The steps between the neighbours of a snapshot."""
        return self._kept[position + 1].step_count - self._kept[position - 1].step_count

    def _drop(self, position: int) -> None:
        self._entries -= _visit(self._kept.pop(position), self._ledger.remove)

    def keep_start(self) -> None:
        """Drop all but the start, which alone needs no remote value."""
        while len(self._kept) > 1:
            self._drop(-1)

    @property
    def _bytes(self) -> int:
        return self._ledger.bytes + ENTRY_BYTES * self._entries


def _visit(snapshot: GridSnapshot, count: Callable[[Array], None]) -> int:
    """Count the values of a snapshot; returns their number."""
    frames = [frame for _, inside in snapshot.processes for frame in inside.frames]
    activations = {id(frame.values): frame.values for frame in frames}.values()
    ahead = [arrays for frame in frames for arrays in frame.ahead.values()]
    values = [value for held in activations for value in held.values()]
    values += [value for arrays in ahead for value in arrays]
    for value in values:
        count(value)
    return len(values)


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
