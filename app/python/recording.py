"""The recording that `import hloscope` gives: a run with every value, and what went wrong in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording as EngineRecording
from hloscope.engine.errors import InputError
from hloscope.engine.findings import BadInput, Cause, Finding

from .hosts.host_program import HostArgument, HostProgram
from .recorded import places
from .recorded.maps import RecordedMaps, maps_of_step
from .recorded.provenance import Provenance, provenance_of
from .recorded.recording_html import recording_html
from .recorded.saving import save_recording
from .recorded.values import RecordedFrame, RecordedStep, RecordedValue

__all__ = [
    "BadInput",
    "Cause",
    "Finding",
    "Provenance",
    "RecordedFrame",
    "RecordedMaps",
    "RecordedStep",
    "RecordedValue",
    "Recording",
]


class Recording(EngineRecording):
    """A run of a program: `value` has what each step has made, `findings` what went wrong.

    >>> import hloscope
    >>> recording = hloscope.record(
    ...     '''func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ...   %0 = stablehlo.add %x, %x : tensor<3xf32>
    ...   %1 = stablehlo.log %0 : tensor<3xf32>
    ...   return %1 : tensor<3xf32>
    ... }''',
    ...     [[1.0, 2.0, -1.0]],
    ... )
    >>> recording["%0"]
    <%0: tensor<3xf32> at 0.s0.0>
    >>> recording["%0"].numpy()
    array([ 2.,  4., -2.], dtype=float32)
    >>> [step.op for step in recording]
    ['stablehlo.add', 'stablehlo.log', 'func.return']
    >>> recording.on_line(3)[0].operands
    (<%0: tensor<3xf32> at 0.s0.0>,)
    >>> [finding.grade for finding in recording.findings]
    ['harmful']
    >>> recording.origin_of_nan().index
    (2,)
    >>> print(recording.map("%1"))
    operand id = 0 (d0) -> (d0), domain: d0 in [0, 2]
    >>> recording.provenance("%1", (2,)).inputs
    (<%x: tensor<3xf32> at 0.f0.0>,)
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._report = FindingReport(self)
        self.host: HostProgram | None = None
        """The function that the program was made of, with the names of its arguments; `None` for a text."""

    # What there is.

    @property
    def arguments(self) -> tuple[HostArgument, ...]:
        """The arguments of the function that was recorded, by their tree paths, unused ones among them; nothing of a text."""
        return self.host.arguments if self.host is not None else ()

    @overload
    def __getitem__(self, place: str | Address) -> RecordedValue: ...

    @overload
    def __getitem__(self, place: int) -> RecordedStep: ...

    def __getitem__(self, place: str | Address | int) -> RecordedValue | RecordedStep:
        """A value by its name (`%5`, `%5#1`, `@f:%5`, `params['w']`) or address, also as text; a step of process 0 by its number.

        Of a name that was computed several times it is the last: `values` has all. `InputError` where there is none.
        """
        if isinstance(place, int):
            count = self.tracks[0].step_count
            if not -count <= place < count:
                raise IndexError(place)
            return RecordedStep(self, place % count)
        address = place if isinstance(place, Address) else places.address_in(place)
        if address is not None:
            try:
                self.value_number(address)
            except LookupError:
                raise InputError(f"this run has no value {address}") from None
            return RecordedValue(self, address)
        found = self.values(str(place))
        if not found:
            raise InputError(f"{place:.200} was not computed in this run")
        return found[-1]

    def values(self, name: str) -> tuple[RecordedValue, ...]:
        """Every value of a name, in the order in which they were computed: of a loop's body one for each iteration."""
        return places.values_named(self, name)

    def __iter__(self) -> Iterator[RecordedStep]:
        return self.steps()

    def __len__(self) -> int:
        return self.tracks[0].step_count

    def __bool__(self) -> bool:
        return True

    def steps(self, process: int = 0) -> Iterator[RecordedStep]:
        """The steps of a process, in order."""
        return (RecordedStep(self, number, process) for number in range(self.tracks[process].step_count))

    def frames(self, process: int = 0) -> Iterator[RecordedFrame]:
        """The frames of a process, in the order in which they were entered: calls, branches, iterations of loops."""
        return (RecordedFrame(self, number, process) for number in range(self.tracks[process].frame_count))

    def on_line(self, line: int) -> tuple[RecordedStep, ...]:
        """The steps of the ops that start on a line of the program's text."""
        return places.steps_on_line(self, line)

    def from_source(self, place: str) -> tuple[RecordedStep, ...]:
        """The steps that come from a line of the user's own code, `train.py:12`."""
        return places.steps_of_source(self, place)

    def in_scope(self, scope: str) -> tuple[RecordedStep, ...]:
        """The steps within a scope of the framework's: what `jax.named_scope` or a function's name says."""
        return places.steps_in_scope(self, scope)

    def of_op(self, name: str) -> tuple[RecordedStep, ...]:
        """The steps of an op: `stablehlo.dot_general`, or `dot_general`."""
        return places.steps_of_op(self, name)

    def step_at(self, place: Address | int | str) -> int:
        """The number of the step that a place means: a number, a value's address or name, a line of Python."""
        return places.step_at(self, place)

    def path_of(self, step: int) -> list[tuple[int, int]]:
        """The frames that a step is in: of each the number of the op that opened it, and the iteration; outermost first."""
        return places.path_of(self, step)

    def provenance(
        self,
        address: Address | RecordedValue | str,
        index: Sequence[int] | None = None,
        *,
        forward: bool = False,
        seconds: float = 10.0,
    ) -> Provenance:
        """What an element of a value was made from, all the way back to inputs; without `index` all of its elements.

        With `forward` what was made of it. `complete` says whether there was time enough.
        """
        if isinstance(address, str):
            address = self[address]
        at = address.address if isinstance(address, RecordedValue) else address
        return provenance_of(self, at, index, forward=forward, seconds=seconds)

    def map(self, op: str | int | RecordedStep | RecordedValue) -> RecordedMaps:
        """Which elements an op reads: that of a step, or the one that made a value, by its name. `print` shows the formulas."""
        step: RecordedStep | None
        if isinstance(op, RecordedStep):
            step = op
        elif isinstance(op, int):
            step = self[op]
        else:
            value = self[op] if isinstance(op, str) else op
            step = value.step
        if step is None:
            raise InputError(f"{op} is given to the program: no op computes it, so it reads nothing")
        return maps_of_step(self, step)

    def save(self, path: str | Path) -> None:
        """Writes the recording to a file, for `hloscope.load`: the program, and all that it was given."""
        name = self.host.name if self.host is not None else ""
        save_recording(self, Path(path), name, self.entry, self.bindings)

    @property
    def name(self) -> str:
        """The function that was recorded, or the file of the text."""
        return self.host.name if self.host is not None else self.program.module.source.name

    def show(self, place: Address | int | str = 0, height: int = 620) -> Any:
        """The debugger in a cell of a notebook, at a step, so many pixels high: `position` and `selection` are where it stands.

        `place` is as of `step_at`. The cell takes `pip install 'hloscope[notebook]'`; without it, it has tables and pictures.
        """
        from .notebook import CellContent, shown_view

        return shown_view(
            CellContent(self, self.name, self._repr_html_, self._value_at), self.step_at(place), height
        )

    def _value_at(self, place: Address | str) -> RecordedValue:
        return self[place]

    def _repr_html_(self) -> str:
        """The steps with pictures, and what went wrong, for notebooks."""
        return recording_html(self, self.name, self.findings, self.bad_inputs)

    # What went wrong.

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What ops did wrong, one finding for each op and kind, in the order in which each was first found.

        `finding.sentence` says what, `finding.grade` whether it does harm; see `/help/findings`.
        """
        return self._report.findings

    def follow_findings(self, seconds: float = 60.0) -> bool:
        """Follows what there was no time for, as `finding.followed` says of each: so grades are known, not assumed.

        Whether nothing is left after about so many seconds.
        """
        self._report.follow(seconds)
        return self._report.complete

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, one for each input and kind: no op has given birth to these."""
        return self._report.bad_inputs

    def to_html(self, path: str | Path, budget: int | None = None) -> None:
        """Writes the recording as one page that opens from the disk, offline: to step through it, and to be passed on.

        Summaries and elements of values take at most about `budget` bytes in it, packed; without one the page has less than
        a megabyte, for most runs. The values that it was given are always in it, and so is the program. The page opens
        in the debugger again: `hloscope serve x.html`. Raises `ValueError` if the inputs are too large for a page.
        """
        # These need much that a run does not.
        from ..base.settings import Settings
        from ..export.one_file import DEFAULT_BUDGET, write_page
        from ..sessions.python_sources import texts_of_module

        sources = texts_of_module(self.program.module, Settings(), Path())
        write_page(path, self, sources=sources, budget=DEFAULT_BUDGET if budget is None else budget)

    def origin_of_nan(
        self, address: Address | None = None, index: Sequence[int] | None = None
    ) -> Cause | None:
        """Where the NaN of a value came from, or its infinity where it has no NaN: the op that gave birth to it, or the
        input or constant that it was given in. `None` if the value is finite.

        `address` is a value's, as of a finding or a step; without it the first result that is not finite is meant.
        `index` is one of its elements; without it the first that is bad.
        """
        return self._report.origin_of(address, None if index is None else tuple(index))
