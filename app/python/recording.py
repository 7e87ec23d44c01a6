"""The recording behind `import hloscope`: a run with every value and every error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, get_args, overload

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.profile import By
from hloscope.engine.debugger.recording import Recording as EngineRecording
from hloscope.engine.errors import InputError
from hloscope.engine.findings import BadInput, Cause, Finding

from ..comparing.on_device import UnmodifiedRun, device_run
from ..present.precision import Precision
from ..present.profile import Profile
from ..runs.recorded import places
from ..runs.recorded.values import RecordedFrame, RecordedStep, RecordedValue
from ..runs.saved_runs import save_recording
from .hosts.host_program import HostArgument, HostProgram
from .recorded.maps import RecordedMaps, maps_of_step
from .recorded.provenance import Provenance, provenance_of
from .recorded.recording_html import recording_html


class Recording(EngineRecording):
    """A run of a program: `value` returns the values of its steps, `findings` its problems.

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
        """The source function, with the names of its arguments; `None` for a text."""

    # Who computed it.

    @property
    def computed_by(self) -> str:
        """`hloscope`, or the engine and the device that computed the values: `XLA of jaxlib 0.10.2 on cpu`."""
        found = device_run(self)
        return "hloscope" if found is None else found.computed_by

    @cached_property
    def unmodified(self) -> UnmodifiedRun | None:
        """The comparison with the results of the unmodified program on the same device; `None` without one.

        The device runs the program for it, on first access. `is_same` is whether all results have the same bits,
        `sentence` which do not.
        """
        found = device_run(self)
        return None if found is None else found.unmodified

    def __repr__(self) -> str:
        return f"<hloscope.Recording {self.name}: {self.step_count:,} steps, computed by {self.computed_by}>"

    # Steps, frames and values.

    @property
    def arguments(self) -> tuple[HostArgument, ...]:
        """The arguments of the recorded function by tree path, also unused ones; empty for a text."""
        return self.host.arguments if self.host is not None else ()

    @overload
    def __getitem__(self, place: str | Address) -> RecordedValue: ...

    @overload
    def __getitem__(self, place: int) -> RecordedStep: ...

    def __getitem__(self, place: str | Address | int) -> RecordedValue | RecordedStep:
        """A value by name (`%5`, `%5#1`, `@f:%5`, `params['w']`) or address; a step by its number.

        An address may be text; a number is a step of process 0. For a name that was computed several times, the
        last value; `values` returns all. `InputError` if there is none.
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
        """Every value of a name, in order of computation; in a loop's body one per iteration."""
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
        """The frames of a process, in order of entry: calls, branches, iterations of loops."""
        return (RecordedFrame(self, number, process) for number in range(self.tracks[process].frame_count))

    def on_line(self, line: int) -> tuple[RecordedStep, ...]:
        """The steps of the ops that start on a line of the program's text."""
        return places.steps_where(self, lambda bound: self.program.line_of(bound.id) == line)

    def from_source(self, place: str) -> tuple[RecordedStep, ...]:
        """The steps that come from a line of the user's own code, `train.py:12`."""
        return places.steps_of_source(self, place)

    def in_scope(self, scope: str) -> tuple[RecordedStep, ...]:
        """The steps within a framework scope: that of `jax.named_scope` or of a function's name."""
        return places.steps_in_scope(self, scope)

    def of_op(self, name: str) -> tuple[RecordedStep, ...]:
        """The steps of an op: `stablehlo.dot_general`, or `dot_general`."""
        return places.steps_where(
            self, lambda bound: name in (bound.operation.name, bound.operation.name.partition(".")[2])
        )

    def step_at(self, place: Address | int | str) -> int:
        """The step number at a number, a value's address or name, or a line of Python."""
        return places.step_at(self, place)

    def path_of(self, step: int) -> list[tuple[int, int]]:
        """The frames around a step, outermost first: the opening op's number, and the iteration."""
        return places.path_of(self, step)

    def provenance(
        self,
        address: Address | RecordedValue | str,
        index: Sequence[int] | None = None,
        *,
        forward: bool = False,
        seconds: float = 10.0,
    ) -> Provenance:
        """The provenance of an element back to the inputs; without `index`, of all elements.

        With `forward`, everything that was computed from it. `complete` is false if the time ran out.
        """
        if isinstance(address, str):
            address = self[address]
        at = address.address if isinstance(address, RecordedValue) else address
        return provenance_of(self, at, index, forward=forward, seconds=seconds)

    def map(self, op: str | int | RecordedStep | RecordedValue) -> RecordedMaps:
        """The elements that an op reads, for a step or a value's name. `print` shows the formulas."""
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
        """Write the program and all inputs to a file, for `hloscope.load` and the commands `run`, `findings` and `compare`.

        If another engine computed the recording, the file has its values too, so that it opens without the device.
        """
        name = self.host.name if self.host is not None else ""
        found = device_run(self)
        device = found.json() if found is not None else None
        save_recording(self, Path(path), name, self.entry, self.bindings, device)

    @property
    def name(self) -> str:
        """The name of the recorded function, or of the file with the text."""
        return self.host.name if self.host is not None else self.program.module.source.name

    def show(self, place: Address | int | str = 0, height: int = 620) -> Any:
        """Show the debugger in a notebook cell, at a step; `position` and `selection` are its state.

        `height` is in pixels; `place` is that of `step_at`. The cell needs `pip install 'hloscope[notebook]'`;
        without it, it shows tables and pictures.
        """
        from .notebook.cell import CellContent
        from .notebook.view import shown_view

        return shown_view(
            CellContent(self, self.name, self._repr_html_, self._value_at), self.step_at(place), height
        )

    def _value_at(self, place: Address | str) -> RecordedValue:
        return self[place]

    def _repr_html_(self) -> str:
        """The steps with pictures, and the errors, for notebooks."""
        return recording_html(self, self.name, self.findings, self.bad_inputs, self.findings_rest)

    # Errors.

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings: one for each op and kind, in order of first occurrence.

        `finding.sentence` describes it, `finding.grade` whether it is harmful; see `/help/findings`.
        """
        return self._report.findings

    def follow_findings(self, seconds: float = 60.0) -> bool:
        """Follow the findings that ran out of time (see `finding.followed`), to prove their grades.

        Returns whether all are followed after about `seconds`; `findings_rest` says what is left.
        """
        self._report.follow(seconds)
        return self._report.complete

    @property
    def findings_rest(self) -> str:
        """What the findings leave open, as a sentence: what ran out of time, and values of other hosts; empty if nothing."""
        return "; ".join(filter(None, (self._report.rest, self._report.elsewhere)))

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, one for each input and kind: no op produced these."""
        return self._report.bad_inputs

    def precision(self, what_if: str = "") -> Precision:
        """What each op loses to rounding, from a second run in more digits with the same decisions; printed, the report.

        `json()` has the errors of the results, the ops that lose most bits and the op to blame. With `what_if`
        (`bf16`, `f16`, `f8E4M3FN`, `f8E5M2`) its `trials` are the errors if ops rounded to that type. See `/help/precision`.
        """
        found = Precision(self, what_if)
        while not found.done:
            found.go_on(self.limits.run_seconds)
        return found

    def profile(self, by: By = "op") -> Profile:
        """Time, bytes, floating-point operations and live memory by `op`, `kind` of op, `function` or `scope`; printed, a table.

        `rows` has the groups with the most time first, `json()` all ops as columns. Times are measured, all else follows
        from types. See `/help/profile`.
        """
        if by not in get_args(By):
            raise InputError(
                f"ops are not grouped by '{by:.80}'", hint=f"Group by {', '.join(get_args(By))}."
            )
        return Profile(self, by)

    def to_html(self, path: str | Path, budget: int | None = None) -> None:
        """Write the recording as one page that works offline, to step through it and to share it.

        It holds the program, the inputs, all steps, and of every value statistics and a small picture; the elements
        of large values take at most `budget` bytes, compressed (default: 360 KiB). `hloscope serve x.html` opens it
        again. Raises `ValueError` if the inputs are too large for a page.
        """
        # Imported here because they need much that a run does not.
        from ..base.settings import Settings
        from ..export.one_file.table import DEFAULT_BUDGET
        from ..export.one_file.writing import write_page
        from ..sessions.collected_sources import texts_of_module

        sources = texts_of_module(self.program.module, Settings(), Path())
        most, device = DEFAULT_BUDGET if budget is None else budget, device_run(self)
        write_page(path, self, sources=sources, budget=most, device=None if device is None else device.json())

    def origin_of_nan(
        self, address: Address | None = None, index: Sequence[int] | None = None
    ) -> Cause | None:
        """The origin of a value's NaN, or of its infinity if it has no NaN; `None` if it is finite.

        The origin is an op, or the input or constant that held it. `address` is that of a value, a finding or a
        step; the default is the first result that is not finite. `index` is one of its elements; the default is
        the first that is not finite.
        """
        return self._report.origin_of(address, None if index is None else tuple(index))
