"""Starts of loops from an earlier recording of the same run, with which a later one need not iterate them again.

Execution is deterministic, so the carried scalars of an iteration are the same in each recording of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..events import LoopStart

LoopLink = tuple[int, int, int, int, tuple[bytes, ...]]
"""Process, step of the `while`, an iteration, a later one, and the bytes of the scalars with which that one starts.

No op between the two was at fault, so that nothing is missed without running them."""


def link(process: int, opener: int, iteration: int, later: LoopStart) -> LoopLink:
    """The link between two starts of a loop."""
    return process, opener, iteration, later.iteration, tuple(value.tobytes() for value in later.values)


class KnownStarts:
    """The links between starts of loops that are known."""

    def __init__(self) -> None:
        self._links: dict[tuple[int, int, int], tuple[int, tuple[bytes, ...]]] = {}

    def __bool__(self) -> bool:
        return bool(self._links)

    def add(self, links: Iterable[LoopLink]) -> None:
        """Add links; the first one from an iteration stays."""
        for process, opener, iteration, later, values in links:
            if later > iteration:
                self._links.setdefault((process, opener, iteration), (later, values))

    def clear(self) -> None:
        """Drop all links, once the earlier recording is reached."""
        self._links.clear()

    def after(self, process: int, opener: int, start: LoopStart) -> Sequence[LoopStart]:
        """The starts that follow a start without a gap."""
        found: list[LoopStart] = []
        while known := self._links.get((process, opener, start.iteration)):
            values = _scalars(known[1], start.values)
            if values is None:
                break
            start = LoopStart(known[0], values)
            found.append(start)
        return found


def _scalars(data: tuple[bytes, ...], like: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The scalars with these bytes, of the types of others; `None` if they have other sizes."""
    if [len(each) for each in data] != [each.dtype.itemsize for each in like]:
        return None
    return tuple(np.frombuffer(each, old.dtype)[0] for each, old in zip(data, like, strict=True))
