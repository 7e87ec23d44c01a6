"""The facet of every op in every worked example, with NaN and infinities anywhere in its operands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hloscope.engine.debugger import recording as recordings
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.findings import Fault
from hloscope.engine.findings.births import Birth
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.quiet import Flags, Signals
from hloscope.engine.ops.core.ranks import is_inexact
from tests.conformance.catalogue import WORKED, Worked, name_of, recording_of
from tests.each import for_each

ASKED = 3
"""Number of random ranks of its operands that each op is tested with."""


class _AlwaysRaised(Flags):
    """Flags that are raised in each step, so that each op is checked."""

    @property
    def raised(self) -> int:
        return 15

    @raised.setter
    def raised(self, raised: int) -> None:
        """Ignore the change."""

    def take(self) -> Signals:
        return Signals(15)


@for_each("example", WORKED, ids=name_of)
def test_ops_say_what_each_element_reads(example: Worked, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    own = Birth.faults

    def births(
        rule: Birth, op: Op, operands: tuple[Any, ...], results: tuple[Any, ...], signals: Signals
    ) -> Iterator[Fault]:
        for _ in range(ASKED):
            ranks = tuple(
                np.asarray(random.integers(0, 3, operand.shape), np.uint8)
                if is_inexact(operand.dtype)
                else None
                for operand in operands
            )
            read = op.findings.ranks_read(op, operands, ranks, results)
            assert len(read) == len(results)
            for result, given in zip(results, read, strict=True):
                shape = np.broadcast_shapes(result.shape, np.shape(given))
                assert shape == result.shape or not is_inexact(result.dtype), op
                assert not np.size(given) or int(np.max(given)) <= 2
        yield from own(rule, op, operands, results, signals)

    with monkeypatch.context() as patched:
        patched.setattr(recordings, "Flags", _AlwaysRaised)
        patched.setattr(Birth, "faults", births)
        recording = recording_of(example)
        recording.record()
        assert FindingReport(recording).findings is not None
