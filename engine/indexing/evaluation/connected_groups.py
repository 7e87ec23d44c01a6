"""Connected components of expressions that share variables, directly or indirectly."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..core.expressions import Expression


@dataclass
class Group:
    """Numbers of the sets in a component, and all variables in them."""

    variables: set[Expression]
    numbers: list[int]


def connected_groups(sets: Iterable[Collection[Expression]]) -> list[Group]:
    """The connected components of sets that share variables, in order of their first set.

    A set without variables is one component.
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
