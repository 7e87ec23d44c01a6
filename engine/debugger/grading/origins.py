"""The origins of wrong elements: back over such elements alone, to the value that first holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...findings import Cause, Occurrence
from ...findings.sentences import value_name
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.values import leaves
from ...value_walks import ops_behind
from ..address import Address
from ..origins import address_of
from ..outcome_addresses import leaf_address
from ..provenance import BadElements, Budget, Links, RecordedRun, walk_back
from ..recording import Recording

ORIGIN_SECONDS = 1.0
"""Time limit of the search for one origin."""
_NUMBER_SECONDS = 0.5
"""Time limit of the search for the origins of an index."""


def fault_address(recording: Recording, op: int, occurrence: Occurrence) -> Address:
    """The address of the value that `Fault.index` refers to: a result of the op, or the operand that the fault names."""
    bound, fault = recording.program.ops[op], occurrence.fault
    if fault.result is None and fault.operand is not None:
        track = recording.tracks[occurrence.process]
        operand = address_of(recording.program, track, occurrence.step, bound.operands[fault.operand])
        if operand is not None:
            return operand
    number = fault.result or 0
    if bound.op.unpacked.findings.awaits_outcomes:
        return leaf_address(recording, occurrence.process, occurrence.step, number)
    # An op of HLO text may have its results in one tuple.
    index, path = (number, ()) if bound.op.unpacked is bound.op else (0, (number,))
    return Address(occurrence.process, "s", occurrence.step, index, path)


def find_origin(
    links: Links, bad: BadElements, address: Address, elements: ElementSet, seconds: float = ORIGIN_SECONDS
) -> Cause | None:
    """The first value whose bad elements made `elements` bad, perhaps the value itself; `None` after `seconds`."""
    walk = walk_back(links, address, elements, Budget(seconds), only=bad.of)
    made = {edge.made for edge in walk.edges.values()}
    first = [node for node in walk.nodes if node not in made]
    if not first or (not walk.complete and walk.waiting):
        return None
    steps = links.run.steps
    origin = min(first, key=lambda node: (steps(node.process).creation_time(node), node))
    index = next(iter(walk.nodes[origin].elements))
    return _cause(links, origin, tuple(map(int, index)))


def find_failure(run: RecordedRun, op: int, process: int) -> Cause | None:
    """The op that failed, by its status, where a select takes NaN constants instead of what it computed."""
    program, track = run.program, run.recording.tracks[process]
    for maker in sorted(ops_behind(program, program.ops[op].operands[0])):
        bound = program.ops[maker]
        if not bound.op.unpacked.findings.failure(bound.op.unpacked):
            continue
        for step in np.flatnonzero(track.op_column == maker).tolist():
            for index in range(len(bound.results)):
                address = Address(process, "s", step, index)
                parts = leaves(run.recording.value(address))
                if any(part.dtype.kind == "i" and part.any() for part in parts):
                    return Cause("op", str(address), value_name(program, bound.results[index]), maker)
    return None


def _cause(links: Links, origin: Address, index: tuple[int, ...]) -> Cause:
    program = links.run.program
    name = value_name(program, links.run.value_number(origin))
    if origin.kind == "f":
        return Cause("given", str(origin), name, None, index)
    bound = links.run.bound_operation(origin.process, origin.number)
    is_given = bound.op.unpacked.findings.moves_elements or bound.op.traits.is_constant
    return Cause("given" if is_given else "op", str(origin), name, bound.id, index)


@dataclass(frozen=True)
class IndexOrigin:
    """A value in which the number of an index first appeared."""

    links: Links
    address: Address

    @property
    def is_given(self) -> bool:
        """Whether it is an argument or a constant of the program."""
        return self.address.kind == "f" or self._is_constant

    @property
    def is_uniform_constant(self) -> bool:
        """Whether it is a constant of one number."""
        if self.address.kind == "f" or not self._is_constant:
            return False
        value = self.links.run.recording.value(self.address)
        return bool((value == value.flat[0]).all())

    @property
    def _is_constant(self) -> bool:
        run = self.links.run
        return run.bound_operation(self.address.process, self.address.number).op.unpacked.traits.is_constant


def index_origins(links: Links, address: Address, index: tuple[int, ...], number: int) -> list[IndexOrigin]:
    """The values in which `number`, an element of a value, first appeared: back over elements that are the same number."""

    def same(here: Address) -> ElementSet:
        value, shape = links.run.recording.value(here), links.run.shape(here)
        is_integer = value.dtype.kind in "iu"
        return ElementSet.of_mask(shape, value == number) if is_integer else ElementSet.empty(shape)

    start = ElementSet.of_index(links.run.shape(address), index)
    walk = walk_back(links, address, start, Budget(_NUMBER_SECONDS), only=same)
    sources: dict[Address, list[Address]] = {}
    for edge in walk.edges.values():
        if not _is_computed(links, edge.made):
            sources.setdefault(edge.made, []).append(edge.read)
    waiting, seen = [address], {address}
    while waiting:
        fresh = set(sources.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return [IndexOrigin(links, here) for here in seen if here not in sources]


def _is_computed(links: Links, address: Address) -> bool:
    """Whether an op computed a number that equals one of its operands by chance: 0 plus -1."""
    if address.kind == "f":
        return False
    op = links.run.bound_operation(address.process, address.number).op.unpacked
    return op.traits.is_elementwise and op.findings.may_wrap(op) and not op.findings.converts
