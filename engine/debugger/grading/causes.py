"""Where elements that are not finite came from: back over such elements alone, to where there were none before."""

from __future__ import annotations

from ...findings import Cause
from ...findings.sentences import value_name
from ...indexing.elements.element_sets import ElementSet
from ..address import Address
from ..provenance import BadElements, Budget, Links, walk_back

SECONDS = 1.0


def find_cause(
    links: Links, bad: BadElements, address: Address, elements: ElementSet, seconds: float = SECONDS
) -> Cause | None:
    """The value in which the first of what made `elements` bad was not finite; `None` if they were born here, or
    there was no time to find out.
    """
    found = find_origin(links, bad, address, elements, seconds)
    return None if found is None or found.address == str(address) else found


def find_origin(
    links: Links, bad: BadElements, address: Address, elements: ElementSet, seconds: float = SECONDS
) -> Cause | None:
    """The same, which is the value itself where they were born in it."""
    walk = walk_back(links, address, elements, Budget(seconds), only=bad.of)
    made = {edge.made for edge in walk.edges.values()}
    first = [found for found in walk.nodes if found not in made]
    if not first or (not walk.complete and walk.waiting):
        return None
    time = links.run.steps
    origin = min(first, key=lambda found: (time(found.process).creation_time(found), found))
    index = next(iter(walk.nodes[origin].elements))
    return _cause(links, origin, tuple(map(int, index)))


def _cause(links: Links, origin: Address, index: tuple[int, ...]) -> Cause:
    program = links.run.program
    name = value_name(program, links.run.value_number(origin))
    if origin.kind == "f":
        return Cause("given", str(origin), name, None, index)
    bound = links.run.bound_operation(origin.process, origin.number)
    is_given = bound.op.unpacked.moves_elements or bound.op.traits.is_constant
    return Cause("given" if is_given else "op", str(origin), name, bound.id, index)
