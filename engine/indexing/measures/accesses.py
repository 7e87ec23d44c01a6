"""Memory accesses of a grid of threads, vectorised over accesses: addresses, sectors, lines, banks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ..core.expressions import Constant, Expression, Runtime
from ..core.index_map import IndexMap
from ..evaluation.array_values import BoolArray, Int64Array
from ..evaluation.bound_map import BoundMap, Operands
from ..transforms.composition import compose
from .thread_maps import WARP, Threads, physical_map
from .tiled_layouts import Tile

SECTOR = 32
LINE = 128
BANKS = 32
BANK_BYTES = 4
MAX_ACCESSES = 2048
"""Maximum number of sampled accesses, evenly spaced; fewer if threads read vectors."""


@dataclass(frozen=True)
class Memory:
    """Memory layout of an operand."""

    shape: tuple[int, ...]
    bits: int
    minor_to_major: tuple[int, ...] | None = None
    padding: int = 0
    """Elements of padding after each line of the minor dimension (shared memory)."""
    tiles: tuple[Tile, ...] = ()

    @property
    def map(self) -> IndexMap:
        """Map from an index to its address, in elements."""
        return physical_map(self.shape, self.minor_to_major, self.padding, self.tiles)


@dataclass(frozen=True)
class Access:
    """The read of one warp by one instruction."""

    block: tuple[int, int, int]
    warp: int
    step: tuple[int, ...]
    """Positions in the loops other than the vector."""
    addresses: tuple[int | None, ...]
    """For each thread, the address in elements of its first read; `None` if it reads nothing."""
    bytes: int
    """Number of distinct bytes requested."""
    sectors: int
    lines: int
    least_sectors: int
    least_lines: int
    conflicts: int
    """For shared memory, requests to the busiest bank; 1 means no conflict."""


@dataclass(frozen=True)
class Numbers:
    """Statistics of several accesses: one number per access in each array."""

    active: Int64Array
    bytes: Int64Array
    sectors: Int64Array
    lines: Int64Array
    least_sectors: Int64Array
    least_lines: Int64Array
    piece_lines: Int64Array
    """Lines that the contiguous pieces would fill if each began at a line."""
    conflicts: Int64Array
    first: Int64Array
    """[accesses, 32]: the address of each thread's first element; -1 for none."""


class Kernel:
    """All accesses of a grid of threads, numbered by block, warp and loop steps."""

    def __init__(
        self, threads: Threads, maps: Sequence[IndexMap], memory: Memory, operands: Operands | None
    ) -> None:
        self.threads, self.memory = threads, memory
        whole = [compose(compose(threads.map, each), memory.map) for each in maps]
        self.maps = [each if operands is not None else _fix_runtimes(each) for each in whole]
        self.operands = operands or ()
        own = len(threads.map.ranges)
        self.loops = [
            [k for k in range(len(each.ranges)) if self._vector_of(each, own) != k] for each in self.maps
        ]
        alive = [each for each in self.maps if not each.is_known_empty]
        sizes = [[m.ranges[k].size for k in loops] for m, loops in zip(self.maps, self.loops, strict=True)]
        self.steps = max(sizes, key=prod) if alive else []
        self.vector = max(1, threads.map.ranges[threads.vector].size) if threads.vector is not None else 1

    def _vector_of(self, index_map: IndexMap, own: int) -> int | None:
        """Number of the vector's range variable; those of the thread map come last."""
        chosen = self.threads.vector
        return None if chosen is None else len(index_map.ranges) - own + chosen

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes along which accesses are numbered."""
        x, y, z = self.threads.blocks
        return (z, y, x, self.threads.warps, *self.steps)

    @property
    def count(self) -> int:
        """Number of accesses."""
        return prod(self.shape)

    def number(self, block: tuple[int, int, int], warp: int, step: Sequence[int]) -> int:
        """The number of an access; raises ValueError if it is out of range."""
        x, y, z = block
        place = (z, y, x, warp, *step, *([0] * (len(self.steps) - len(step))))
        if len(place) != len(self.shape):
            raise ValueError(f"there are {len(self.steps)} loops, not {len(step)}")
        if not all(0 <= i < size for i, size in zip(place, self.shape, strict=True)):
            raise ValueError("the block, warp or step is out of range")
        return int(np.ravel_multi_index(place, self.shape))

    def sample(self) -> Int64Array:
        """Numbers of all accesses, or of an evenly spaced sample."""
        most = max(1, MAX_ACCESSES // self.vector)
        if self.count <= most:
            return np.arange(self.count)
        return np.unique(np.linspace(0, self.count - 1, most).astype(np.int64))

    def reads_vectors(self) -> bool:
        """Whether each thread's vector is contiguous in memory, so that one instruction can read it."""
        some = np.unique(np.linspace(0, self.count - 1, 64).astype(np.int64))
        for index_map, loops in zip(self.maps, self.loops, strict=True):
            if self.vector > 1 and not index_map.is_known_empty:
                places, mask = self._addresses(index_map, loops, some)
                both = mask[:, :, 1:] & mask[:, :, :-1]
                if not np.all((np.diff(places, axis=2) == 1)[both]):
                    return False
        return True

    def numbers(self, accesses: Int64Array) -> Numbers:
        """Statistics of the given accesses."""
        tables = [
            self._addresses(index_map, loops, accesses)
            for index_map, loops in zip(self.maps, self.loops, strict=True)
            if not index_map.is_known_empty
        ]
        count = len(accesses)
        first = np.full((count, WARP), -1, np.int64)
        for places, mask in tables:
            here = mask[:, :, 0]
            first[here] = places[:, :, 0][here]
        which = np.concatenate([np.nonzero(mask)[0] for _, mask in tables] or [np.zeros(0, np.int64)])
        where = np.concatenate([places[mask] for places, mask in tables] or [np.zeros(0, np.int64)])
        active = np.zeros((count, WARP), np.bool_)
        for _, mask in tables:
            active |= mask.any(axis=2)
        return self._count(which, where, active.sum(axis=1), first)

    def _count(self, which: Int64Array, where: Int64Array, active: Int64Array, first: Int64Array) -> Numbers:
        count, bits = len(active), self.memory.bits
        owners, elements = _unique_pairs(which, where)
        size = -(-np.bincount(owners, minlength=count) * bits // 8)
        begin, end = elements * bits // 8, (elements * bits + bits - 1) // 8

        def count_units(unit: int) -> Int64Array:
            both = _unique_pairs(
                np.concatenate([owners, owners]), np.concatenate([begin // unit, end // unit])
            )
            return np.bincount(both[0], minlength=count)

        return Numbers(
            active,
            size,
            count_units(SECTOR),
            count_units(LINE),
            -(-size // SECTOR),
            -(-size // LINE),
            _lines_of_pieces(owners, elements, bits, count),
            self._conflicts(first),
            first,
        )

    def _conflicts(self, first: Int64Array) -> Int64Array:
        """For each access, the words requested from its busiest bank.

        Threads are counted together if one transaction serves them: a warp, half of it or a quarter.
        """
        width = max(1, self.memory.bits * self.vector // 8)
        served = WARP if width <= BANK_BYTES else max(1, WARP * BANK_BYTES // width)
        words = max(1, width // BANK_BYTES)
        start = first * self.memory.bits // 8 // BANK_BYTES
        asked = start[:, :, None] + np.arange(words)
        transactions = WARP // served
        groups = np.arange(len(first))[:, None] * transactions + np.arange(WARP) // served
        inside = np.broadcast_to((first >= 0)[:, :, None], asked.shape)
        owners, own = _unique_pairs(np.broadcast_to(groups[:, :, None], asked.shape)[inside], asked[inside])
        banks = np.bincount(owners * BANKS + own % BANKS, minlength=len(first) * transactions * BANKS)
        busiest: Int64Array = banks.reshape(len(first), -1).max(axis=1)
        return busiest

    def _addresses(
        self, index_map: IndexMap, loops: Sequence[int], accesses: Int64Array
    ) -> tuple[Int64Array, BoolArray]:
        """[accesses, 32, vector]: addresses, and whether they exist."""
        z, y, x, warp, *steps = np.unravel_index(accesses, self.shape)
        grid = (len(accesses), WARP, self.vector)
        lane = warp[:, None] * WARP + np.arange(WARP)
        threads_x, threads_y, threads_z = self.threads.block
        exists = lane < threads_x * threads_y * threads_z
        place = (lane % threads_x, lane // threads_x % threads_y, lane // (threads_x * threads_y))
        dims = [np.broadcast_to(each[:, :, None], grid).ravel() for each in place]
        dims += [np.broadcast_to(each[:, None, None], grid).ravel() for each in (x, y, z)]
        ranges = np.zeros((prod(grid), len(index_map.ranges)), np.int64)
        inside = np.broadcast_to(exists[:, :, None], grid).ravel()
        for axis, k in enumerate(loops):
            ranges[:, k] = np.broadcast_to(steps[axis][:, None, None], grid).ravel()
        vector = self._vector_of(index_map, len(self.threads.map.ranges))
        if vector is not None:
            ranges[:, vector] = np.broadcast_to(np.arange(self.vector), grid).ravel()
        lowest = np.array([interval.lower for interval in index_map.ranges], np.int64)
        found, mask = BoundMap(index_map, self.operands).evaluate(np.stack(dims, axis=1), ranges + lowest)
        return found[:, 0].reshape(grid), (mask & inside).reshape(grid)

    def access(self, number: int, numbers: Numbers) -> Access:
        """The last of the given accesses in full."""
        z, y, x, warp, *step = (int(i) for i in np.unravel_index(number, self.shape))
        lanes = tuple(None if at < 0 else at for at in numbers.first[-1].tolist())
        counts = (
            int(each[-1])
            for each in (
                numbers.bytes,
                numbers.sectors,
                numbers.lines,
                numbers.least_sectors,
                numbers.least_lines,
                numbers.conflicts,
            )
        )
        return Access((x, y, z), warp, tuple(step), lanes, *counts)


def _fix_runtimes(index_map: IndexMap) -> IndexMap:
    """Replace runtime variables by the middle of their intervals, as XLA does."""
    values: dict[Expression, Expression] = {
        Runtime(k): Constant((variable.interval.lower + variable.interval.upper) // 2)
        for k, variable in enumerate(index_map.runtimes)
    }
    results, constraints = index_map.substitute(values)
    return replace(index_map, results=results, constraints=constraints, runtimes=())


def _unique_pairs(owners: Int64Array, values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Unique pairs, sorted."""
    if not len(owners):
        return owners, values
    span = int(values.max()) + 1
    keys = np.unique(owners * span + values)
    return keys // span, keys % span


def _lines_of_pieces(owners: Int64Array, elements: Int64Array, bits: int, count: int) -> Int64Array:
    """Lines that runs of contiguous elements would fill if each began at a line."""
    if not len(owners):
        return np.zeros(count, np.int64)
    begins = np.flatnonzero(np.append(True, (np.diff(elements) != 1) | (np.diff(owners) != 0)))
    lengths = np.diff(np.append(begins, len(elements)))
    lines = -(-lengths * bits // (8 * LINE))
    return np.bincount(owners[begins], weights=lines, minlength=count).astype(np.int64)
