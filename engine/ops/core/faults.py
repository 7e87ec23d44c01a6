"""What an op did in one step that a person should hear of: a NaN that it made, an index that it moved.

An op answers for itself (`Watched.faults`), on the operands and results of the step. Who runs ops asks only where there
may be something: where the processor raised one of its flags during the step, or where an op is to be asked each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntFlag, auto
from typing import Literal, get_args

FaultKind = Literal[
    "nan",
    "inf",
    "denormal",
    "wrap",
    "zero_division",
    "clamped_start",
    "dropped_update",
    "out_of_bounds",
    "swallowed_nan",
    "collision",
    "divergence",
]
"""`nan` and `inf`: an element is worse than all that it was computed from."""
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


class Signals(IntFlag):
    """The flags that the processor raises when a result is not what arithmetic says, as NumPy numbers them, and our own."""

    NONE = 0
    DIVIDED_BY_ZERO = 1
    OVERFLOW = 2
    UNDERFLOW = 4
    INVALID = 8
    MOVED = 16
    """Raised by an op that has moved a window inside: it knows while it computes, and asking it afterwards takes longer."""

    @property
    def tells_birth(self) -> bool:
        """Whether a value that is not finite may have come into being."""
        return bool(self & (self.DIVIDED_BY_ZERO | self.OVERFLOW | self.INVALID))


class Watch(Enum):
    """When an op is asked for its faults."""

    NEVER = auto()
    """It moves elements, or makes none that could be at fault."""
    SIGNALLED = auto()
    """Where a flag was raised while it was computed, by the processor or by the op itself."""
    ALWAYS = auto()
    """After each step: no flag tells."""
    DECISIVE = auto()
    """After each step if its result goes on to say where something lies, how much there is or what runs."""
    WARY = auto()
    """After each step, once there has been a NaN in the run."""


@dataclass(frozen=True)
class Fault:
    """One thing that an op did in one step."""

    kind: FaultKind
    elements: int
    """How many elements it did it to."""
    size: int
    """How many elements there are."""
    index: tuple[int, ...]
    """The index of the worst of them, or of the first."""
    cause: str = ""
    """Why, in words that follow the sentence: `where {0} is above 88.72`. `{0}` stands for the name of operand 0."""
    result: int | None = 0
    """The number of the result that `index` is in; `None` if it is in an operand."""
    operand: int | None = None
    """The number of the operand that `index` is in, or that did it."""
    value: float | None = None
    """The element at `index`, where it is a real number."""
    from_inf: bool = False
    """Of a NaN: whether an infinity that the op was given became it."""
    stated: bool = False
    """Of a NaN: whether the op has only chosen it, among others, from what the program states."""
    deliberate: bool = False
    """Whether it looks as if it were meant: indices of -1 or just behind the end, which may stand for nothing."""
