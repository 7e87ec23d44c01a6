"""Memory coalescing: sectors and lines that the threads of a warp touch, and bank conflicts.

A thread map, composed with an op's map and the layout of its operand, gives each thread's addresses. One
access is one read instruction of a warp: 32 threads, each reading a vector, at one step of the other loops
(docs/index-maps.md, "Memory accesses").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..core.index_map import IndexMap
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import Operands
from .accesses import SECTOR, Access, Kernel, Memory, Numbers
from .thread_maps import Threads

COALESCED = 0.9
"""Minimum ratio of the fewest possible lines to the lines needed, for coalesced accesses."""

_SPLIT = " A thread's vector is not contiguous in memory, so it is read element by element."


@dataclass(frozen=True)
class Spread:
    """Minimum, mean and maximum of a number over accesses."""

    least: int
    mean: float
    most: int


@dataclass(frozen=True)
class Coalescing:
    """Statistics of a kernel's accesses to one operand."""

    access: Access
    """The access shown in full."""
    steps: tuple[int, ...]
    """Sizes of the loops other than the vector."""
    accesses: int
    looked_at: int
    sectors: Spread
    lines: Spread
    conflicts: Spread
    ideal: float
    """Ratio of the fewest possible sectors to those touched."""
    coalesced: bool
    reason: str
    assumed: bool = False
    """Whether runtime variables are fixed at the middle of their intervals, without a run."""


def coalescing(
    threads: Threads,
    maps: Sequence[IndexMap],
    memory: Memory,
    operands: Operands | None = None,
    block: tuple[int, int, int] = (0, 0, 0),
    warp: int = 0,
    step: Sequence[int] = (),
) -> Coalescing:
    """Analyse how `threads`, computing the results of the thread map, read an operand by a union of maps.

    `block`, `warp` and `step` choose the access shown in full. `step` has the loops of the op, then those of
    the thread, without the vector; missing loops are at their first value.
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
    """The kernel, and whether its vectors are read element by element."""
    kernel = Kernel(threads, maps, memory, operands)
    if kernel.reads_vectors():
        return kernel, False
    return Kernel(Threads(threads.map), maps, memory, operands), True


def _is_coalesced(numbers: Numbers) -> bool:
    """Whether the sampled accesses (all but the last) are coalesced."""
    needed, pieces = int(numbers.least_lines[:-1].sum()), int(numbers.piece_lines[:-1].sum())
    return needed > COALESCED * pieces or not pieces


def _ideal(numbers: Numbers) -> float:
    """Ratio of the fewest possible sectors of the sampled accesses to those touched."""
    touched = int(numbers.sectors[:-1].sum())
    return int(numbers.least_sectors[:-1].sum()) / touched if touched else 1.0


def _spread(values: Int64Array) -> Spread:
    if not len(values):
        return Spread(0, 0.0, 0)
    return Spread(int(values.min()), float(values.mean()), int(values.max()))


def _reason(access: Access, kernel: Kernel, coalesced: bool) -> str:
    """Explain the verdict by the access shown in full."""
    places = [at for at in access.addresses if at is not None]
    if not places:
        return "This warp reads nothing here." if kernel.maps else "Nothing is read."
    steps = {there - here for here, there in pairwise(places)}
    if not steps or steps == {0}:
        return "All threads of the warp read the same address: one transaction serves them all."
    if len(steps) > 1:
        verdict = "close enough together" if coalesced else "apart"
        return f"The addresses that the warp's threads read are not evenly spaced; they lie {verdict}."
    (step,) = steps
    if abs(step) <= kernel.vector:
        return "Neighbouring threads read neighbouring elements." + _alignment_note(access)
    apart = abs(step) * kernel.memory.bits / 8
    share = access.bytes / (access.sectors * SECTOR)
    return f"Neighbouring threads read addresses {apart:,.10g} bytes apart: {share * 100:.3g}% of each sector is used."


def _alignment_note(access: Access) -> str:
    if access.lines <= access.least_lines:
        return ""
    return " They do not begin at a 128-byte line, so they touch one more."
