"""Keep pages of memory shared between a process and its forks while the forks use them.

A process writes to an object when it takes or drops a reference to it, and the system copies the page for the process. From
3.12 on, CPython leaves the counts of some objects alone, `None` among them (PEP 683): it never frees an object that has the
count of `None`. A small object of a fork's own also changes a page, if it lies in a gap among older ones.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from itertools import pairwise
from types import CodeType

from ..base.loading import loading

POOL_BYTES = 1 << 14
"""The interpreter takes memory for small objects in pools of this size, each for objects of one size."""
STEP_BYTES, LARGEST_BYTES = 16, 512
"""Sizes of small objects are multiples of the one, up to the other."""
IN_A_ROW = 0.8
"""Share of new objects that lie one after the other in a pool that had none."""
MOST_POOLS = 1_000
"""Maximum number of pools of one size that are filled."""
_fillers: list[list[object]] = []


def make_immortal() -> int:
    """Give all objects of this process, which has one thread, the count of `None`; returns their number.

    0 where the interpreter counts the references to `None` too, or counts elsewhere.
    """
    if not _spares_immortal_objects():
        return 0
    gc.unfreeze()  # the collector lists no frozen object
    with loading():  # no object may be freed meanwhile
        addresses = _addresses()
        immortal = _count(None).value
        for address in addresses:
            ctypes.c_uint32.from_address(address).value = immortal
    return len(addresses)


def _addresses() -> set[int]:
    """The addresses of all objects; the collector tells what an object refers to, except for code."""
    near = gc.get_objects()
    found = {id(each) for each in near}
    while near:
        codes = [part for each in near if type(each) is CodeType for part in (each.co_consts, each.co_names)]
        reached = {id(each): each for each in gc.get_referents(*near) + codes}
        near = [reached[address] for address in reached.keys() - found]
        found |= reached.keys()
    return found


def _count(thing: object) -> ctypes.c_uint32:
    return ctypes.c_uint32.from_address(id(thing))


def _spares_immortal_objects() -> bool:
    """Whether an object begins with its count, and keeps the count of `None` while references to it come and go."""
    if sys.implementation.name != "cpython" or sys.byteorder != "little":
        return False
    thing = object()
    count = _count(thing)
    before = count.value
    references = [thing] * 7
    if count.value != before + len(references):
        return False
    count.value = immortal = _count(None).value
    references += [thing]
    spared = count.value == immortal
    count.value = before + len(references)
    return spared


def fill_pools() -> None:
    """Fill the pools of small objects, so that a fork makes its own in other pools: these stay shared."""
    for size in range(STEP_BYTES, LARGEST_BYTES + 1, STEP_BYTES):
        make, count = _maker(size), POOL_BYTES // size - 1
        for _ in range(MOST_POOLS):
            _fillers.append(made := [make() for _ in range(count)])
            if sum(id(after) - id(before) == size for before, after in pairwise(made)) > IN_A_ROW * count:
                break


def _maker(size: int) -> Callable[[], object]:
    """A function that makes an untracked object of a size."""
    if size == sys.getsizeof(object()):
        return object
    if size < sys.getsizeof(b" "):
        return lambda: float("1")
    return lambda: bytes(size - sys.getsizeof(b""))
