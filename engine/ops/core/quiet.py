"""NumPy's warnings, which runs suppress: overflows and NaN are ordinary values here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import IntFlag
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Signals(IntFlag):
    """The flags of the processor, as NumPy numbers them, and one that ops raise."""

    NONE = 0
    DIVIDED_BY_ZERO = 1
    OVERFLOW = 2
    UNDERFLOW = 4
    INVALID = 8
    MOVED = 16
    """Raised by an op that moves a window inside: it knows while it computes, and checking it afterwards takes longer."""

    @property
    def tells_birth(self) -> bool:
        """Whether a value that is not finite may have come into being."""
        return bool(int(self) & _OF_BIRTHS)


# As a number: each operation of an `IntFlag` looks its result up, and ops are checked after each step.
_OF_BIRTHS = int(Signals.DIVIDED_BY_ZERO | Signals.OVERFLOW | Signals.INVALID)


Glance = Callable[[tuple[NDArray[Any], ...], NDArray[Any]], bool]
"""Whether an op may have gone wrong, by its operands and its result."""
_IN_A_RUN: ContextVar[bool] = ContextVar("in_a_run", default=False)
_NOTHING = nullcontext()
_COLLECTED: ContextVar[Flags | None] = ContextVar("collected", default=None)


def quiet() -> AbstractContextManager[Any]:
    """Switches NumPy's warnings off; does nothing in a run, where they are off: `errstate` costs as much as a
    small op.
    """
    return _NOTHING if _IN_A_RUN.get() else np.errstate(all="ignore")


@contextmanager
def quiet_run(flags: Flags | None = None) -> Iterator[None]:
    """Switches NumPy's warnings off for everything that is computed inside; the processor's flags are collected in `flags`."""
    before, others = _IN_A_RUN.set(True), _COLLECTED.set(flags)
    try:
        with np.errstate(all="ignore") if flags is None else np.errstate(all="call", call=flags.add):
            yield
    finally:
        _COLLECTED.reset(others)
        _IN_A_RUN.reset(before)


def collected_flags() -> Flags | None:
    """The flags that a run collects."""
    return _COLLECTED.get()


def raise_flag(signal: Signals) -> None:
    """Raises a flag as the processor would, if a run collects them."""
    flags = _COLLECTED.get()
    if flags is not None:
        flags.raised |= signal.value


class Flags:
    """The flags that the processor and ops have raised since they were last taken.

    They are raised by what makes an infinity or a NaN, never by what hands one on, and cost nothing until then.
    """

    def __init__(
        self,
        checked: Collection[int] = (),
        in_loops: Collection[int] = (),
        glances: Mapping[int, Glance] = MappingProxyType({}),
    ) -> None:
        self.raised = 0
        self.checked = set(checked)
        """The numbers of the ops that are checked after each step, whether flags are raised or not."""
        self.in_loops = frozenset(in_loops)
        """Those of them that are also checked in loops over scalars, whose iterations run at once."""
        self.glances = glances
        """For some of them, what tells in most steps that a check would find nothing, unless flags are raised."""

    def add(self, _kind: str, raised: int) -> None:
        """The handler that NumPy calls where a function has raised flags."""
        self.raised |= raised

    def take(self) -> Signals:
        """The flags, which are lowered."""
        if not self.raised:
            return Signals.NONE
        raised, self.raised = self.raised, 0
        return Signals(raised)
