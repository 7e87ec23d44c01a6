"""Values of a recorded run as they would be without rounding, computed in f64 from the inputs of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...ops.core.nudging import widest
from ...ops.core.op import Array
from ...ops.core.quiet import quiet
from ...ops.core.ranks import is_inexact
from ...ops.core.rounding import unit_roundoff
from ..address import Address
from ..provenance import RecordedRun, frames

_MOST_ELEMENTS = 1 << 22
"""Maximum number of elements that are computed; beyond it nothing is known."""
_MEANT = 2.0**-44
"""Size of a value relative to another one below which f64 may have made it by rounding."""


@dataclass(frozen=True)
class _Way:
    """The values that one is computed from, and the function that computes it."""

    sources: Sequence[Address] = ()
    compute: Callable[..., Array | None] = lambda: None


@dataclass
class WideValues:
    """Computes values in f64, with the decisions, integers and unknown ops of the run; values are computed once."""

    run: RecordedRun
    known: dict[Address, Array] = field(default_factory=dict)
    """Values that are computed, or given instead."""
    _elements: int = 0

    def error(self, address: Address, beside: Address | None = None) -> float | None:
        """The error of a value relative to itself, in the 2-norm; `None` if it is unknown, or the value is 0 without rounding.

        `beside`: a value so large that f64 may not tell the other one from 0.
        """
        wide = self.of(address)
        value = widest(self.run.recording.value(address))
        if wide is None or not np.isfinite(wide).all() or not np.isfinite(value).all():
            return None
        size = float(np.linalg.norm(wide))
        least = 0.0 if beside is None else float(np.linalg.norm(widest(self.run.recording.value(beside))))
        return float(np.linalg.norm(value - wide)) / size if size > _MEANT * least and size else None

    def answer(self, address: Address) -> Array | None:
        """The integers or booleans that an op computes of its operands in f64; `None` if they are unknown."""
        operands = [self.of(operand) for operand in self.run.operands(address.process, address.number)]
        known = tuple(operand for operand in operands if operand is not None)
        op = self.run.op_at(address.process, address.number).unpacked
        if len(known) < len(operands) or not op.traits.is_elementwise:
            return None
        with quiet():
            return np.asarray(op.rounding.unrounded(op, known))

    def of(self, address: Address) -> Array | None:
        """A value in f64; `None` if it takes too much work."""
        waiting = [address]
        while waiting:
            here = waiting[-1]
            if here in self.known:
                waiting.pop()
                continue
            way = self._way(here)
            missing = [found for found in way.sources if found not in self.known]
            if missing:
                waiting += missing
                continue
            self.known[here] = self._computed(here, way)
            self._elements += self.known[here].size
            if self._elements > _MOST_ELEMENTS:
                return None
        return self.known[address]

    def _computed(self, address: Address, way: _Way) -> Array:
        """A value in f64; as it was recorded if the op does not compute it in f64."""
        value = self.run.recording.value(address)
        with quiet():
            found = way.compute(*(self.known[source] for source in way.sources))
        recorded = widest(value) if is_inexact(value.dtype) else value
        is_wide = found is not None and found.shape == value.shape and found.dtype == recorded.dtype
        return found if found is not None and is_wide else recorded

    def _way(self, address: Address) -> _Way:
        run = self.run
        if not run.is_tensor(address) or not unit_roundoff(run.recording.value(address).dtype):
            return _Way()
        source = self._forwarded(address)
        if source is not None:
            return _Way((source,), lambda found: found)
        if address.kind == "f":
            return _Way()
        op = run.op_at(address.process, address.number).unpacked
        if op.outside is not None or op.findings.orders(op) or op.explanation.combines_processes:
            return _Way()
        operands = run.operands(address.process, address.number)
        if not all(map(run.is_tensor, operands)):
            return _Way()

        def compute(*values: Array) -> Array | None:
            found = op.rounding.unrounded(op, values)
            results = found if isinstance(found, tuple) else (found,)
            result = results[address.index] if address.index < len(results) else None
            return np.asarray(result) if isinstance(result, np.ndarray | np.floating) else None

        return _Way(operands, compute)

    def _forwarded(self, address: Address) -> Address | None:
        """The value that this one is, through calls, loops, branches and tuples."""
        run, process = self.run, address.process
        if address.kind == "f":
            opener = run.steps(process).track.opener_of(address.number)
            op = None if opener is None else run.bound_operation(process, opener).op.unpacked
            if opener is None or op is None or not op.explanation.passes_values:
                return None
            return frames.argument_source(run, address, opener, op)
        op = run.bound_operation(process, address.number).op.unpacked
        opened = run.steps(process).opened_frames(address.number)
        if len(opened) and frames.results_are_returned(op, has_frames=True):
            return frames.result_source(run, address, op, opened)
        origin = op.explanation.origin(op, address.index, address.path)
        return None if origin is None else run.operand_leaf(process, address.number, origin)
