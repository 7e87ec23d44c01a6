"""The time that findings are followed for, and what comes of it: a grade, which may be assumed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from time import perf_counter

from ...findings import Grade
from .harm import Harm

SECONDS_OF_EACH = 1.0


class Clock:
    """What is left of a time that is shared, and may be given again."""

    def __init__(self, seconds: float) -> None:
        self._whole = seconds
        self.restart()

    def restart(self) -> None:
        """Gives the whole time again."""
        self._deadline = perf_counter() + self._whole

    @property
    def seconds(self) -> float:
        """How long the next search may take."""
        return max(0.0, min(SECONDS_OF_EACH, self._deadline - perf_counter()))


@dataclass(frozen=True)
class Graded:
    """The grade of a finding."""

    grade: Grade
    stays: bool
    """Whether it is the same when the run goes on."""
    followed: bool = True
    """Whether its steps were followed to the end, or until they did harm."""

    @classmethod
    def of(cls, harms: Collection[Harm | None], harmless: Grade, assumed: Grade = "harmful") -> Graded:
        """The grade by the harm that steps do; `harmless` where they do none, and `assumed` where that is not known."""
        if any(found not in (None, "pending", "unknown") for found in harms):
            return cls("harmful", stays=True)
        if "pending" in harms or "unknown" in harms:
            grade = "harmful" if "pending" in harms else assumed
            return cls(grade, stays=False, followed="unknown" not in harms)
        return cls(harmless, stays=False)
