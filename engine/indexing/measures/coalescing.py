"""How the threads of a warp read memory: sectors and lines that they touch, and conflicts of banks.

A thread map composed with an op's map and the layout of its operand gives each thread's addresses. One access is what
one instruction of a warp reads: 32 threads, each a vector, at one step of the other loops (docs/index-maps.md,
"Memory accesses").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..array_values import Int64Array
from ..evaluation import Operands
from ..index_map import IndexMap
from .accesses import BANK_BYTES, BANKS, LINE, SECTOR, Access, Kernel, Memory, Numbers
from .thread_maps import Threads

COALESCED = 0.9
"""Accesses are coalesced where the fewest lines that could hold the bytes are more than this part of those needed."""

_SPLIT = " A thread's vector is not together in memory, so it is read element by element."


@dataclass(frozen=True)
class Spread:
    """The least, the mean and the most of a number over accesses."""

    least: int
    mean: float
    most: int


@dataclass(frozen=True)
class Coalescing:
    """The accesses of a kernel to one operand."""

    access: Access
    """The one that was asked about."""
    steps: tuple[int, ...]
    """Sizes of the loops beside the vector."""
    accesses: int
    looked_at: int
    sectors: Spread
    lines: Spread
    conflicts: Spread
    ideal: float
    """The fewest sectors that could hold the bytes, as a part of those touched."""
    coalesced: bool
    reason: str
    assumed: bool = False
    """Whether runtime variables are taken in the middle of their intervals, for want of a run."""


def coalescing(
    threads: Threads,
    maps: Sequence[IndexMap],
    memory: Memory,
    operands: Operands | None = None,
    block: tuple[int, int, int] = (0, 0, 0),
    warp: int = 0,
    step: Sequence[int] = (),
) -> Coalescing:
    """How `threads`, each computing what the thread map says, read an operand by a union of maps.

    `block`, `warp` and `step` (the loops beside the vector: those of the op, then those of the thread) choose the
    access that is shown in full; loops that are left out are at their first value.
    """
    kernel, split = _kernel(threads, maps, memory, operands)
    chosen = kernel.number(block, warp, step)
    sample = kernel.sample()
    numbers = kernel.numbers(np.append(sample, chosen))
    access = kernel.access(chosen, numbers)
    seen = numbers.active[:-1] > 0
    coalesced = _is_coalesced(numbers)
    reason = _reason(access, kernel, coalesced) + (_SPLIT if split else "")
    assumed = operands is None and any(each.runtimes for each in maps)
    kinds = (numbers.sectors, numbers.lines, numbers.conflicts)
    sectors, lines, conflicts = (_spread(each[:-1][seen]) for each in kinds)
    counts = kernel.count, len(sample), sectors, lines, conflicts
    return Coalescing(access, tuple(kernel.steps), *counts, _ideal(numbers), coalesced, reason, assumed)


def _kernel(
    threads: Threads, maps: Sequence[IndexMap], memory: Memory, operands: Operands | None
) -> tuple[Kernel, bool]:
    """The kernel, and whether the vectors of its threads are read element by element."""
    kernel = Kernel(threads, maps, memory, operands)
    if kernel.reads_vectors():
        return kernel, False
    return Kernel(Threads(threads.map), maps, memory, operands), True


def _is_coalesced(numbers: Numbers) -> bool:
    """Of the sampled accesses, which are all but the last."""
    needed, pieces = int(numbers.least_lines[:-1].sum()), int(numbers.piece_lines[:-1].sum())
    return needed > COALESCED * pieces or not pieces


def _ideal(numbers: Numbers) -> float:
    """The fewest sectors of the sampled accesses, as a part of those that they touch."""
    touched = int(numbers.sectors[:-1].sum())
    return int(numbers.least_sectors[:-1].sum()) / touched if touched else 1.0


def _spread(values: Int64Array) -> Spread:
    if not len(values):
        return Spread(0, 0.0, 0)
    return Spread(int(values.min()), float(values.mean()), int(values.max()))


def _reason(access: Access, kernel: Kernel, coalesced: bool) -> str:
    """Why the accesses are coalesced or not, from the one that is shown."""
    places = [at for at in access.addresses if at is not None]
    if not places:
        return "This warp reads nothing here." if kernel.maps else "Nothing is read."
    steps = {there - here for here, there in pairwise(places)}
    if not steps or steps == {0}:
        return "All threads of the warp read the same place: one transaction serves them all."
    if len(steps) > 1:
        verdict = "close enough together" if coalesced else "apart"
        return f"The places that the warp's threads read do not follow each other by one step; they lie {verdict}."
    (step,) = steps
    if abs(step) <= kernel.vector:
        return "Neighbouring threads read neighbouring elements." + _alignment_note(access)
    apart = abs(step) * kernel.memory.bits / 8
    share = access.bytes / (access.sectors * SECTOR)
    return f"Neighbouring threads read places {apart:,.10g} bytes apart: of each sector {share * 100:.3g}% is used."


def _alignment_note(access: Access) -> str:
    if access.lines <= access.least_lines:
        return ""
    return " They do not begin at a line of 128 bytes, so they touch one more."


__all__ = ["BANKS", "BANK_BYTES", "LINE", "SECTOR", "Access", "Coalescing", "Memory", "Spread", "coalescing"]
