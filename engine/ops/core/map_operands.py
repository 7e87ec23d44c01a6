"""What the runtime variables of an op's index maps are read from, in the order in which the maps number it.

These are the tensors of the operands, tuples taken apart; then the auxiliary values that the op computes from them
(`Op.map_operands`); then the values that depend on the process that runs it (`Op.process_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.types import FutureType, TupleType, Type
from .exchanges import MeetPeers, Place, meet_nobody
from .op import Array, Op
from .process_groups import ALONE, ProcessId
from .values import leaves

HERE = Place(ProcessId(0, 0), ALONE)
"""Where the only process of a run is."""


def map_operands(
    op: Op, operands: Sequence[Array], place: Place = HERE, meet: MeetPeers = meet_nobody
) -> tuple[Array | None, ...]:
    """The values that the maps of an executed op read their runtime variables from, in the maps' numbering;
    `None` where
    a value is not known.

    `place` is where the process is that ran it, and `meet` gives what it met there.
    """
    given = tuple(operands)
    auxiliary = op.runtime_variables.map_operands(op, given)[len(given) :]
    return (
        *(leaf for value in given for leaf in leaves(value)),
        *auxiliary,
        *op.runtime_variables.process_values(op, place, meet),
    )


def leaf_names(names: Sequence[str], types: Sequence[Type]) -> tuple[str, ...]:
    """Names for all that is in values of such names and types: `%x`, or `%x#1` for element 1 of a tuple."""
    return tuple(found for pair in zip(names, types, strict=True) for found in _leaf_names(*pair))


def _leaf_names(name: str, found: Type) -> Iterator[str]:
    if not isinstance(found, TupleType | FutureType):
        yield name
        return
    for number, part in enumerate(found.types):
        yield from _leaf_names(f"{name}#{number}", part)
