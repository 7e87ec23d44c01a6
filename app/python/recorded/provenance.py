"""The provenance of elements of a value, for Python code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import Budget, Links, RecordedRun, Walk, Walking
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ir.types import TensorType

from ...runs.recorded.values import RecordedValue


@dataclass(frozen=True)
class Provenance:
    """The elements that others were computed from, or that they became, with `forward`."""

    recording: Recording = field(repr=False)
    walk: Walk = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether the walk is complete; otherwise it ran out of time."""
        return self.walk.complete

    @property
    def elements(self) -> Mapping[Address, ElementSet]:
        """The reached elements of each value, in the order of the walk."""
        return {address: node.elements for address, node in self.walk.nodes.items()}

    @property
    def values(self) -> tuple[RecordedValue, ...]:
        """The values that were reached."""
        return tuple(RecordedValue(self.recording, address) for address in self.walk.nodes)

    @property
    def inputs(self) -> tuple[RecordedValue, ...]:
        """The reached inputs of the run: the origins of a backward walk."""
        return tuple(
            value for value in self.values if value.address.kind == "f" and value.frame.parent is None
        )

    def __repr__(self) -> str:
        told = "" if self.complete else ", not complete"
        return f"<provenance of {len(self.walk.nodes)} values{told}>"


def provenance_of(
    recording: Recording, address: Address, index: Sequence[int] | None, *, forward: bool, seconds: float
) -> Provenance:
    """The walk from one element of a value, or from all; `InputError` for an invalid element."""
    links = Links(RecordedRun(recording))
    try:
        type, shape = links.run.type_of(address), None
        if isinstance(type, TensorType) and links.run.is_made(address):
            shape = links.run.shape(address)
    except KeyError:
        raise InputError(f"there is no value {address} in this run") from None
    if shape is None:
        raise InputError(f"{address} is not a tensor that the run has made")
    walk = Walking(links, address, _elements(shape, index), Budget(seconds), forward=forward).on()
    return Provenance(recording, walk)


def _elements(shape: Sequence[int], index: Sequence[int] | None) -> ElementSet:
    if index is None:
        return ElementSet.of_boxes(tuple(shape), [tuple(range(size) for size in shape)])
    found = tuple(int(at) for at in index)
    if len(found) != len(shape) or any(not 0 <= at < size for at, size in zip(found, shape, strict=True)):
        raise InputError(f"there is no element {list(found)} of a value of the shape {list(shape)}")
    return ElementSet.of_boxes(tuple(shape), [tuple(range(at, at + 1) for at in found)])
