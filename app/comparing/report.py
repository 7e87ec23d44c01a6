"""What came of comparing a run of ours with that of a second engine: the verdict, and what speaks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hloscope.engine.comparison.difference import Difference, join

from ..processes.arrays import Array
from .blame import Answer, Changed, Text
from .divergence import Located
from .isolation import Isolation
from .sentences import lines_of

Verdict = Literal["same_bits", "rounding", "amplified", "flushed", "identity", "wrong", "failed"]
"""`amplified`: rounding, which an op has made large. `flushed`: but for denormals that are 0 on the other side.
`identity`: beyond rounding, but right of real numbers: what XLA intends. `failed`: the second engine has no answer."""
FINE: tuple[Verdict, ...] = ("same_bits", "rounding", "amplified", "flushed")


@dataclass(frozen=True)
class SwitchedOff:
    """What came of compiling without a pass."""

    pass_name: str
    is_cured: bool | None
    """`None` where XLA does not compile without it."""
    problem: str = ""


@dataclass(frozen=True)
class Blame:
    """Who is guilty of a difference beyond rounding."""

    answers: tuple[Answer, ...] = ()
    """What code generation makes of each text between the passes."""
    turned: Answer | None = None
    """The text from which on XLA's own answer is wrong."""
    changed: Changed | None = None
    """The pass that changed the values of the text; `None`: none did."""
    isolation: Isolation | None = None
    made_by: Text | None = None
    """The text that has the guilty instruction first."""
    switched_off: tuple[SwitchedOff, ...] = ()
    lines: tuple[int, ...] = ()
    """The lines of the program that the guilty instruction computes."""
    text_is_right: bool = False
    """Whether our engine computes the optimised text to the program's own values."""
    problem: str = ""
    """Why the texts could not be looked at."""

    @property
    def guilty(self) -> Literal["pass", "code generation", "unknown"]:
        """Where the fault is."""
        if self.changed is not None:
            return "pass"
        return "code generation" if self.text_is_right else "unknown"

    @property
    def suspect(self) -> Text | None:
        """The text after the pass that is most likely to have a part in it."""
        if self.changed is not None:
            return self.changed.after
        return self.made_by or (self.turned.text if self.turned else None)


@dataclass(frozen=True)
class EngineComparison:
    """A run of ours and the results of a second engine."""

    engine: str
    """`XLA of jaxlib 0.10.2 on cpu`."""
    verdict: Verdict
    results: tuple[Difference, ...] = ()
    result: int = 0
    """The number of the result that differs most."""
    result_name: str = "result 0"
    """What it is called: `result 1`, `result 1 of process (0, 3)`."""
    amplified: str = ""
    """The op that amplified rounding, and how much."""
    located: Located | None = None
    blame: Blame | None = None
    failure: str = ""
    """Why the second engine has no answer."""
    against_exact: float | None = None
    """Of a difference beyond its bound that is rounding all the same: how many times as far as ours the results are from
    those of the same program in f64."""
    values: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """Its results and intermediate values by name, as files have them, if they were asked for."""
    values_problem: str = ""
    """Why some of them are not there."""

    @property
    def is_fine(self) -> bool:
        """Whether they agree within rounding."""
        return self.verdict in FINE

    @property
    def worst(self) -> Difference:
        """The worst difference of all results."""
        return join(self.results)

    def __str__(self) -> str:
        return "\n".join(lines_of(self))
