"""Search over the values of a recording, and the names that its ops have in the user's framework."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

SearchKind: TypeAlias = Literal["nan", "inf", "nonfinite", "number", "range", "equal", "zero", "any"]
"""What elements are to be: NaN, infinite, either; a number, within a range; all equal, all zero; anything at all."""


class SearchHit(TypedDict):
    """A value with `count` elements of `size` that are so. `step`: null for an argument of the run; `index` is that of
    the first such element, `element` the element as text."""

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
    """What was found until the time was up; the search goes on at position `next`, null at the end of what is recorded.

    Position 0 are the arguments of the process, each step is one more; `looked` are positions.
    """

    hits: list[SearchHit]
    next: int | None
    looked: int


class OpNames(TypedDict):
    """The names of ops in the user's framework, `jit(f)/attention/dot_general`: those there are, and for each op the
    number of its, -1 where it has none."""

    names: list[str]
    ops: list[int]
