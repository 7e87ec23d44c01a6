"""Search over the values of a recording, and the names that its ops have in the user's framework."""

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

SearchKind: TypeAlias = Literal["nan", "inf", "nonfinite", "number", "range", "equal", "zero", "any"]
"""The condition on elements: NaN, infinite, either; a number, within a range; all equal, all zero; none."""


class SearchHit(TypedDict):
    """A value of which `count` elements of `size` match. `step`: null for an argument of the run.

    `index`: that of the first match; `element`: the first match as text.
    """

    address: str
    step: int | None
    value: int
    line: int
    name: str
    type: str
    count: int
    size: int
    shape: list[int]
    index: list[int]
    element: str


class SearchResult(TypedDict):
    """The matches within the time limit; the search continues at position `next`, null at the end of the recording.

    Position 0 is the arguments of the process, position n the results of step n - 1; `looked` counts positions.
    """

    hits: list[SearchHit]
    next: int | None
    looked: int


class OpNames(TypedDict):
    """The names of ops in the user's framework, `jit(f)/attention/dot_general`.

    `shared`: the characters that each has in common with the name before it, and `rests`: what follows these.
    `ops`: for each op the number of its name, -1 without one.
    """

    shared: list[int]
    rests: list[str]
    ops: list[int]
