"""The steps at which a breakpoint stops."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

OneRunKind: TypeAlias = Literal["line", "op", "function", "source", "scope", "finding", "value", "read"]
"""Kinds of breakpoints whose stops one run determines; those of `differs` depend on the run it is compared with."""
BreakpointKind: TypeAlias = Literal[OneRunKind, "differs"]
BreakpointPart: TypeAlias = Literal["at", "condition", "hits", "log"]


class BreakpointInfo(TypedDict):
    """A breakpoint. `at`: a line of the text, or the name that the kind describes.

    `off`: it does not stop. `condition`: an expression. `hits`: `3`, `>= 3`, `% 3`. `log`: a message with expressions in
    braces; the breakpoint then does not stop. `processes`: the only ones that stop.
    """

    kind: BreakpointKind
    at: int | str
    off: NotRequired[bool]
    condition: NotRequired[str]
    hits: NotRequired[str]
    log: NotRequired[str]
    processes: NotRequired[list[int]]


class BreakpointProblem(TypedDict):
    """An error in a text of a breakpoint, between two positions of it."""

    part: BreakpointPart
    message: str
    hint: str | None
    start: int
    end: int


class StopError(TypedDict):
    """A stop at which the condition cannot be evaluated."""

    step: int
    message: str


class StopsInfo(TypedDict):
    """The stops of a breakpoint before step `next`, from which the next request continues.

    `texts`: the log messages of the last of them, if requested. `empty`: the program has no such op or value.
    """

    steps: list[int]
    texts: list[str]
    errors: list[StopError]
    next: int
    problem: BreakpointProblem | None
    empty: bool
