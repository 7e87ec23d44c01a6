"""Every op of every worked example answers for its births, whatever is not finite in its operands and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hloscope.engine.debugger import recording as recordings
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.ops.core.faults import Fault, Signals
from hloscope.engine.ops.core.quiet import Flags
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.ops.core.watched import Watched
from tests.conformance.catalogue import WORKED, Worked, name_of, recording_of

ASKED = 3
"""Times that each op is asked about ranks of its operands that are drawn by chance."""


class _AlwaysRaised(Flags):
    """Flags that are raised in each step, so that each op is asked."""

    @property
    def raised(self) -> int:
        return 15

    @raised.setter
    def raised(self, raised: int) -> None:
        """They stay as they are."""

    def take(self) -> Signals:
        return Signals(15)


@pytest.mark.parametrize("example", WORKED, ids=name_of)
def test_ops_say_what_each_element_reads(example: Worked, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    monkeypatch.setattr(recordings, "Flags", _AlwaysRaised)
    own = Watched.births

    def births(op: Watched, operands: tuple[Any, ...], results: tuple[Any, ...]) -> Iterator[Fault]:
        for _ in range(ASKED):
            ranks = tuple(
                np.asarray(random.integers(0, 3, operand.shape), np.uint8)
                if is_inexact(operand.dtype)
                else None
                for operand in operands
            )
            read = op.ranks_read(operands, ranks, results)
            assert len(read) == len(results)
            for result, given in zip(results, read, strict=True):
                shape = np.broadcast_shapes(result.shape, np.shape(given))
                assert shape == result.shape or not is_inexact(result.dtype), op
                assert not np.size(given) or int(np.max(given)) <= 2
        yield from own(op, operands, results)

    monkeypatch.setattr(Watched, "births", births)
    recording = recording_of(example)
    recording.record()
    assert FindingReport(recording).findings is not None
