"""What is watched from the beginning of a run: whether there is a NaN in what it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir.types import TensorType
from ..ops.core.faults import Watch
from ..ops.core.op import Array
from ..ops.core.ranks import holds_nan
from ..ops.core.values import leaves
from ..program import BoundProgram
from .log import FindingLog

_MOST_ELEMENTS = 1 << 12
"""Of a constant that is looked at: a NaN that stands for something is alone, or there are few."""


def watch_run(program: BoundProgram, given: Iterable[Array], asked: set[int]) -> FindingLog:
    """The log of a run that begins with values that are given; `asked` are the ops that are asked after each step."""
    wary = program.derive(wary_ops)
    log = FindingLog(asked, wary)
    if bool(wary) and (program.derive(_has_nan) or _hold_nan(given)):
        log.note_nan()
    return log


def wary_ops(program: BoundProgram) -> frozenset[int]:
    """The ops that are asked once there has been a NaN."""
    return frozenset(bound.id for bound in program.ops if bound.watch is Watch.WARY)


def _has_nan(program: BoundProgram) -> bool:
    return _hold_nan(_constants(program))


def _hold_nan(values: Iterable[Array]) -> bool:
    return any(holds_nan(leaf) for value in values for leaf in leaves(value))


def _constants(program: BoundProgram) -> Iterator[Array]:
    for bound in program.ops:
        if not (bound.op.is_constant and bound.results) or bound.op.outside is not None:
            continue
        found = program.values[bound.results[0]].type
        if isinstance(found, TensorType) and found.is_static and found.element_count <= _MOST_ELEMENTS:
            value = bound.op.evaluate()
            assert not isinstance(value, tuple), "a constant has one result"
            yield value
