"""What is watched from the beginning of a run: the ops that are asked, and what it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir.types import TensorType
from ..ops.core.faults import Watch
from ..ops.core.op import Array
from ..ops.core.ranks import holds_nan
from ..ops.core.values import leaves
from ..program import BoundProgram
from .given_values import GivenValues
from .log import FindingLog
from .stated_nans import choosing_ops
from .wariness import Wariness

_MOST_ELEMENTS = 1 << 12
"""Of a constant that is looked at: a NaN that stands for something is alone, or there are few."""


def watch_run(program: BoundProgram, given: Iterable[Array], asked: set[int]) -> FindingLog:
    """The log of a run that begins with values that are given; `asked` are the ops that are asked after each step."""
    choosing = program.derive(choosing_ops)
    asked.update(choosing)
    values = GivenValues(given)
    wariness = Wariness(asked, program.derive(wary_ops), values)
    if program.derive(_has_nan):
        wariness.note_nan()
    return FindingLog(values, wariness, choosing)


def wary_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that are asked once there has been a NaN."""
    return frozenset(bound.id for bound in program.ops if bound.watch is Watch.WARY)


def _has_nan(program: BoundProgram) -> bool:
    return any(holds_nan(leaf) for value in _constants(program) for leaf in leaves(value))


def _constants(program: BoundProgram) -> Iterator[Array]:
    for bound in program.ops:
        if not (bound.op.traits.is_constant and bound.results) or bound.op.outside is not None:
            continue
        found = program.values[bound.results[0]].type
        if isinstance(found, TensorType) and found.is_static and found.element_count <= _MOST_ELEMENTS:
            value = bound.op.evaluate()
            assert not isinstance(value, tuple), "a constant has one result"
            yield value
