"""What of a map belongs together: expressions that share a variable, directly or through others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .expressions import Expression


@dataclass
class Group:
    """Numbers of sets that share variables, and all variables in them."""

    variables: set[Expression]
    numbers: list[int]


def connected_groups(sets: Iterable[Collection[Expression]]) -> list[Group]:
    """The smallest groups of sets such that no two share a variable, in order of their first set.

    A set without variables is a group of its own.
    """
    groups: list[Group] = []
    for number, variables in enumerate(sets):
        found = Group(set(variables), [number])
        place = len(groups)
        for k in reversed(range(len(groups))):
            if not groups[k].variables.isdisjoint(variables):
                other, place = groups.pop(k), k
                found.variables |= other.variables
                found.numbers += other.numbers
        groups.insert(place, found)
    return groups
