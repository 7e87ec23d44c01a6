"""What the results would be if ops rounded to a narrower type: one alone, or all that compute."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from ..debugger.recording import Recording
from ..ops.core.op import Array
from ..ops.core.quiet import quiet
from ..ops.core.rounding import unit_roundoff
from ..ops.core.values import is_tuple, tuple_of
from ..program import BoundOperation
from .shadow import Shadow, StepLoss, evaluated, find_suspects, finish, results_of

MOST_TRIALS = 32
"""Ops that are tried alone."""


@dataclass(frozen=True)
class Trial:
    """A run in which operands and results of one op, or of all that compute, are rounded to a narrower type."""

    op: int | None
    """The op; `None`: all that compute."""
    step: int
    """A step of the op."""
    process: int
    """The process of the step."""
    error: float
    """The largest distance of a result from the run in more digits, relative to the whole result; infinite if it fails."""
    elements: int
    """Elements that were rounded, in all executions."""
    overflowing: int
    """Those that leave the range of the type."""
    vanishing: int
    """Those that become 0."""


def what_if(shadow: Shadow, dtype: np.dtype[Any]) -> Generator[None, None, list[Trial]]:
    """The run with all computing ops rounded to `dtype`, then with each alone, the worst first; with pauses.

    Ops whose types have no more digits stay as they are. Of more than `MOST_TRIALS` ops, those are tried alone that make
    errors of their operands the largest.
    """
    suspects = yield from find_suspects(shadow)
    suspects = [found for found in suspects if found.unit < unit_roundoff(dtype)]
    suspects.sort(key=lambda found: found.amplification, reverse=True)
    everything = yield from _tried(shadow, [found.loss for found in suspects], dtype)
    alone = []
    for found in suspects[:MOST_TRIALS]:
        trial = yield from _tried(shadow, [found.loss], dtype)
        alone.append(replace(trial, op=found.loss.op, step=found.loss.step, process=found.loss.process))
    return [everything, *sorted(alone, key=lambda trial: (-trial.error, trial.step))]


def _tried(shadow: Shadow, losses: Sequence[StepLoss], dtype: np.dtype[Any]) -> Generator[None, None, Trial]:
    run = shadow.recording
    rounding = _Rounded(frozenset(loss.op for loss in losses), dtype)
    found = Recording(run.program, run.launch, run.limits, run.entry, run.bindings, rounding=rounding)
    yield from finish(found)
    error = max(shadow.apart(results_of(found)), default=0.0) if found.state.kind == "done" else inf
    return Trial(None, 0, 0, error, rounding.elements, rounding.overflowing, rounding.vanishing)


@dataclass
class _Rounded:
    """Rounds the operands and results of ops, and counts what leaves the range of the type."""

    ops: frozenset[int]
    dtype: np.dtype[Any]
    elements: int = 0
    overflowing: int = 0
    vanishing: int = 0

    def __call__(
        self,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        step: int,
        process: int,
    ) -> tuple[Array, ...]:
        if bound.id not in self.ops:
            return results
        found = evaluated(bound, [self._rounded(value) for value in operands])
        return tuple(self._rounded(value) for value in (results if found is None else found))

    def _rounded(self, value: Array) -> Array:
        if is_tuple(value):
            return tuple_of([self._rounded(part) for part in value])
        if value.dtype.kind == "c" or not 0 < unit_roundoff(value.dtype) < unit_roundoff(self.dtype):
            return value
        with quiet():
            found = value.astype(self.dtype).astype(value.dtype)
            self.elements += value.size
            self.overflowing += int(np.count_nonzero(np.isfinite(value) & ~np.isfinite(found)))
            self.vanishing += int(np.count_nonzero((value != 0) & (found == 0)))
        return found
