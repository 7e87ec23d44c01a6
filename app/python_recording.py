"""The recording that `import hloscope` gives: a run with every value, and what went wrong in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording as EngineRecording
from hloscope.engine.findings import BadInput, Cause, Finding

__all__ = ["BadInput", "Cause", "Finding", "Recording"]


class Recording(EngineRecording):
    """A run of a program: `value` has what each step has made, `findings` what went wrong."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._report = FindingReport(self)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What ops did wrong, one finding for each op and kind, in the order in which each was first found.

        `finding.sentence` says what, `finding.grade` whether it does harm; see `/help/findings`.
        """
        return self._report.findings

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, one for each input and kind: no op has given birth to these."""
        return self._report.bad_inputs

    def origin_of_nan(
        self, address: Address | None = None, index: Sequence[int] | None = None
    ) -> Cause | None:
        """Where the NaN of a value came from, or its infinity where it has no NaN: the op that gave birth to it, or the
        input or constant that it was given in. `None` if the value is finite.

        `address` is a value's, as of a finding or a step; without it the first result that is not finite is meant.
        `index` is one of its elements; without it the first that is bad.
        """
        return self._report.origin_of(address, None if index is None else tuple(index))
