"""Recordings whose values XLA computes, held against the unmodified programs, our engine, and planted NaN.

`python -m tests.device recordings FOLDER --on gpu` takes every `NAME.mlir` of a folder with `NAME.npz`, its inputs
`in_0`, …, and prints a line per program.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.app.comparing.on_device import DeviceRun, executor_on
from hloscope.app.comparing.our_runs import OurRun
from hloscope.app.xla.executor import XlaExecutor
from hloscope.app.xla.failures import XlaFailed
from hloscope.app.xla.resident import LEAST_BYTES
from hloscope.engine.comparison.bounds import narrowing_errors
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import ProgramError
from hloscope.engine.executor import Segments
from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Module, Operation, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.devices import Device, rounding_of
from hloscope.engine.ops.core.nudging import widest
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.program import BoundProgram
from hloscope.engine.segment_text import segment_text
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from hloscope.engine.value_facts import ValueFacts, facts_of

from .compare import stored_arguments

MOST_EXECUTIONS = 3
"""Maximum executions of an op that are compared with our engine."""
SECONDS = 540.0
SUFFIXES = (".mlir", ".hlo")


@dataclass
class Row:
    """What was measured of one program."""

    name: str
    problem: str = ""
    unmodified: str = ""
    steps: int = 0
    executed: int = 0
    same_bits: int = 0
    within: int = 0
    beyond: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    repeated: int = 0
    findings: str = ""
    planted: str = ""
    stayed: int = 0
    """Values of which statistics were computed on the device, and compared with those of the fetched value."""
    wrong_statistics: list[str] = field(default_factory=list)
    fetching: float = 0.0
    """The seconds until a value in the middle of the run is here, of which only statistics were kept."""
    compiling: float = 0.0
    recording: float = 0.0
    plain: float = 0.0

    @property
    def is_right(self) -> bool:
        """Whether findings agree with ours, planted NaN were found, and statistics are those of the values."""
        found = self.findings == "same" and self.planted in ("found", "none planted")
        return not self.problem and found and not self.wrong_statistics

    def lines(self) -> Iterator[str]:
        """The row, and what needs a line of its own."""
        if self.problem:
            yield f"{self.name:24} {self.problem}"
            yield from (f"{'':24} - {text}" for text in self.refused)
            return
        times = f"{self.compiling:.2f} s first, then {self.recording:.3f} s; plain {self.plain:.4f} s"
        factor = f" ({self.recording / self.plain:.1f} times)" if self.plain else ""
        yield (
            f"{self.name:24} {self.steps:,} steps; of {self.executed:,} values checked "
            f"{self.same_bits:,} same bits, {self.within:,} within rounding, {len(self.beyond):,} beyond; "
            f"findings {self.findings}; planted NaN {self.planted}; {times}{factor}"
        )
        yield f"{'':24} {self.unmodified}"
        if self.stayed:
            wrong = len(self.wrong_statistics)
            fetched = f"a value in the middle of the run after {self.fetching:.3f} s"
            yield f"{'':24} statistics of {self.stayed:,} values checked, {wrong:,} wrong; {fetched}"
        for text in (*self.refused, *self.beyond[:4], *self.wrong_statistics[:4]):
            yield f"{'':24} - {text}"
        if self.repeated:
            yield f"{'':24} - {self.repeated} segments had other bits when they were repeated"


def main(given: Sequence[str]) -> int:
    """Print a line per program; the exit status is 1 if findings differ or a planted NaN was not found."""
    parser = argparse.ArgumentParser(prog="python -m tests.device recordings")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--on", default="device", help="the platform (default: that of jax)")
    parser.add_argument("--only", default="", metavar="NAME", help="programs whose names hold this")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="no program is begun after these")
    parser.add_argument(
        "--stay", type=int, default=LEAST_BYTES, metavar="BYTES",
        help="size from which values stay on the device (default: %(default)s)",
    )  # fmt: skip
    options = parser.parse_args(given)
    begin = time.monotonic()
    rows: list[Row] = []
    files = sorted(found for found in options.folder.iterdir() if found.suffix in SUFFIXES)
    files = [found for found in files if options.only in found.name and found.with_suffix(".npz").is_file()]
    for number, file in enumerate(files):
        if time.monotonic() - begin > options.seconds:
            print(f"{len(files) - number} programs are left out: no time")
            break
        rows.append(measure(file, options.on, options.stay))
        print("\n".join(rows[-1].lines()), flush=True)
    _print_totals(rows)
    return 0 if all(row.is_right or row.problem for row in rows) else 1


def _print_totals(rows: Sequence[Row]) -> None:
    done = [row for row in rows if not row.problem]
    stayed, wrong = sum(row.stayed for row in done), sum(len(row.wrong_statistics) for row in done)
    same = sum("same bits" in row.unmodified for row in done)
    values = sum(row.executed for row in done)
    print(
        f"{len(done)} of {len(rows)} programs recorded; results of {same} are those of the unmodified program; "
        f"{sum(row.same_bits for row in done):,} of {values:,} values have the bits of our engine, "
        f"{sum(row.within for row in done):,} differ within rounding, {sum(len(row.beyond) for row in done):,} beyond; "
        f"statistics of {stayed:,} values by the device, {wrong:,} of them wrong; "
        f"findings agree in {sum(row.findings == 'same' for row in done)}; "
        f"planted NaN found in {sum(row.planted == 'found' for row in done)} of "
        f"{sum(row.planted != 'none planted' for row in done)}"
    )


def measure(file: Path, on: str, stay: int = LEAST_BYTES) -> Row:
    """Record one program on a device, twice, and its twin with a planted NaN."""
    row = Row(file.stem)
    try:
        program = _program(file.read_text(), file.name)
        with np.load(file.with_suffix(".npz")) as arrays:
            inputs = stored_arguments(program, arrays)
        executor = executor_on(on)
        assert executor.resident is not None
        executor.resident.least_bytes = stay
        _measure(row, program, inputs, executor)
    except (ProgramError, XlaFailed, MemoryError) as failure:
        row.problem = f"{type(failure).__name__}: {str(failure).partition(chr(10))[0]}"
    return row


def _measure(row: Row, program: BoundProgram, inputs: list[Array], executor: XlaExecutor) -> None:
    for array in inputs:
        array.setflags(write=False)  # so it is sent once
    recording, row.compiling = timed(program, inputs, executor)
    if recording.state.kind != "done":
        row.problem = recording.state.describe(program.module.source).partition("\n")[0]
        row.refused = list(DeviceRun(recording, executor).engine_ops())
        return
    again, row.recording = timed(program, inputs, executor)
    run = DeviceRun(recording, executor)
    row.unmodified, row.refused, row.steps = run.unmodified.sentence, list(run.engine_ops()), again.step_count
    row.repeated = len(executor.repeated_differently)
    row.plain = plain_seconds(program, OurRun(recording).arguments, executor)
    row.fetching = fetching_seconds(again)
    _check_values(row, recording)
    ours = Recording(program, inputs)
    ours.record()
    known, found = (_found(each) for each in (ours, recording))
    row.findings = (
        "same" if known == found else f"differ: ours {known - found}, on the device {found - known}"
    )
    if ours.state.kind != "done":
        row.findings = "same"  # our engine has none of its own to compare with
    row.planted = _planted(program, inputs, executor)


def timed(
    program: BoundProgram, inputs: Sequence[Array], executor: XlaExecutor, limits: Limits = DEFAULT_LIMITS
) -> tuple[Recording, float]:
    """A recording, and how long it took."""
    begin = time.perf_counter()
    recording = Recording(program, inputs, limits, executor=executor)
    recording.record()
    return recording, time.perf_counter() - begin


def plain_seconds(program: BoundProgram, arguments: Sequence[Array], executor: XlaExecutor) -> float:
    """The time of the unmodified program, compiled before, whose arguments and large results stay on the device."""
    assert executor.resident is not None
    try:
        for _ in range(2):
            begin = time.perf_counter()
            executor.resident.run(program.module.source.text, arguments, executor.overrides)
            taken = time.perf_counter() - begin
    except XlaFailed:
        return 0.0
    return taken


def fetching_seconds(recording: Recording) -> float:
    """The time to fetch a value in the middle of the run, once only its statistics are kept."""
    track = recording.tracks[0]
    stay = [step for step in range(track.step_count) if recording.facts(result(step)) is not None]
    if not stay:
        return 0.0
    recording._store.lose()
    begin = time.perf_counter()
    recording.value(result(stay[len(stay) // 2]))
    return time.perf_counter() - begin


def _found(recording: Recording) -> set[tuple[int, str]]:
    return {(finding.op, finding.kind) for finding in FindingReport(recording).findings}


# Values


def _check_values(row: Row, recording: Recording) -> None:
    """Compare each value with what our engine computes for that op alone, from the same operands."""
    program, run = recording.program, OurRun(recording).bounds.run
    segments, counts = Segments(program, DEFAULT_LIMITS), dict[int, int]()
    executor = recording.executor
    assert isinstance(executor, XlaExecutor)
    device = executor.engine.versions().rounding
    for step, op in enumerate(recording.tracks[0].op_column.tolist()):
        counts[op] = counts.get(op, 0) + 1
        if op not in segments or op in executor.refused or counts[op] > MOST_EXECUTIONS:
            continue
        bound = program.ops[op]
        operands = tuple(recording.value(address) for address in run.operands(0, step))
        theirs = tuple(recording.value(result(step, number)) for number in range(len(bound.results)))
        _check_statistics(row, recording, step, theirs)
        ours = _our_results(segments, op, dict(zip(bound.operands, operands, strict=True)))
        if ours is None:
            continue
        row.executed += 1
        verdict = judged(program, op, operands, ours, theirs, device)
        row.same_bits += verdict == "same"
        row.within += verdict == "within"
        if verdict not in ("same", "within"):
            row.beyond.append(f"line {program.line_of(op)}, {bound.operation.spelled}: {verdict}")


def _check_statistics(row: Row, recording: Recording, step: int, values: tuple[Array, ...]) -> None:
    """Compare what the device counted with the fetched values; the mean is rounded."""
    for number, value in enumerate(values):
        if (facts := recording.facts(result(step, number))) is not None:
            row.stayed += 1
            known = facts_of(value)
            if _exact(facts) != _exact(known):
                line = recording.program.line_of(recording.tracks[0].op_of(step))
                row.wrong_statistics.append(f"line {line}: {facts}, but {known}")


def _exact(facts: ValueFacts) -> list[Any]:
    """The facts without the mean, which may be rounded in another way."""
    found = facts.json()
    return [*found[:3], *found[4:]]


def _our_results(segments: Segments, op: int, values: dict[int, Array]) -> tuple[Array, ...] | None:
    segment = segments.beginning_at(op).first(1)
    try:
        written = segment_text(segment)
        arguments = written.arguments_in(values)
    except (KeyError, ValueError):
        return None  # its region reads values of the function
    recording = Recording(_program(written.text, "one.mlir"), arguments)
    if recording.record().kind != "done":
        return None
    return written.results_of(recording.results() or ())[op]


def judged(
    program: BoundProgram,
    op: int,
    operands: tuple[Array, ...],
    ours: tuple[Array, ...],
    theirs: tuple[Array, ...],
    device: Device,
) -> str:
    """`same`, `within` the rounding of the device, or the first difference."""
    if all(_same_bits(one, other) for one, other in zip(ours, theirs, strict=True)):
        return "same"
    found = program.ops[op].op.unpacked
    if any(map(is_tuple, theirs)):
        ours, theirs = (tuple(leaf for value in side for leaf in value) for side in (ours, theirs))
    with np.errstate(all="ignore"), rounding_of(device):
        given = narrowing_errors(found, operands, device)
        errors = found.rounding.error_bound(found, operands, given, ours)
        problems = [
            problem
            for one, other, error in zip(ours, theirs, errors, strict=True)
            if (problem := _beyond(one, other, error))
        ]
    return problems[0] if problems else "within"


def _beyond(ours: Array, theirs: Array, error: Any) -> str:
    """The first element that differs beyond the rounding error of two computations, in words."""
    one, other = widest(ours), widest(theirs)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    far = ~same & ~(np.abs(one - other) <= 2 * np.asarray(error)) & np.isfinite(np.asarray(error))
    if not far.any():
        return ""
    at = tuple(map(int, np.unravel_index(int(far.argmax()), far.shape)))
    return (
        f"{int(far.sum()):,} of {far.size:,} elements, first {list(at)}: ours {one[at]}, theirs {other[at]}"
    )


def _same_bits(one: Array, other: Array) -> bool:
    if is_tuple(one):
        return all(map(_same_bits, one, other))
    return one.shape == other.shape and one.tobytes() == other.tobytes()


# Programs


def _program(text: str, name: str) -> BoundProgram:
    source = Source(text, name)
    loaded = load(source)
    if loaded.program is None:
        raise ProgramError("\n".join(found.format(source) for found in loaded.diagnostics))
    return loaded.program


def _planted(program: BoundProgram, inputs: list[Array], executor: XlaExecutor) -> str:
    """Whether the finding of a NaN that is planted in the middle of the program names its op."""
    module = _with_nan(program)
    if module is None:
        return "none planted"
    faulty = _program(print_module(module, op_table()), "planted.mlir")
    recording = Recording(faulty, inputs, executor=_same_engine(executor))
    if recording.record().kind != "done":
        return "failed: " + recording.state.describe(faulty.module.source).partition("\n")[0]
    planted = next(
        bound.id for bound in faulty.ops if bound.results and faulty.values[bound.results[0]].name == PLANTED
    )
    return "found" if (planted, "nan") in _found(recording) else "not found"


def _same_engine(executor: XlaExecutor) -> XlaExecutor:
    """An executor for another program, on the same process of XLA."""
    return XlaExecutor(executor.engine, executor.overrides)


PLANTED = "%planted_nan"


def _with_nan(program: BoundProgram) -> Module | None:
    """The program with a division of 0 by 0 instead of a float in the middle; `None` if it has none."""
    entry = program.entry
    if entry is None or entry.function.body is None or program.module.language == "hlo":
        return None
    function, region = entry.function, entry.function.body
    block = region.block
    floats = [
        number
        for number, operation in enumerate(block.operations)
        if operation.name.startswith("stablehlo.")
        and operation.name != "stablehlo.constant"
        and len(operation.results) == 1
        and _is_float(operation.results[0])
        and any(operation.results[0] in later.operands for later in block.operations[number + 1 :])
    ]
    if not floats:
        return None
    at = floats[len(floats) // 2]
    value = block.operations[at].results[0]
    zero, planted = Value("%planted_zero", value.type), Value(PLANTED, value.type)
    lines = [
        Operation("stablehlo.subtract", (value, value), (zero,)),
        Operation("stablehlo.divide", (zero, zero), (planted,)),
    ]
    later = [
        replace(
            operation,
            operands=tuple(planted if operand == value else operand for operand in operation.operands),
            operand_spans=(),
        )
        for operation in block.operations[at + 1 :]
    ]
    body = replace(region, blocks=(replace(block, operations=(*block.operations[: at + 1], *lines, *later)),))
    changed = replace(function, body=body)
    functions = tuple(changed if each is function else each for each in program.module.functions)
    return replace(program.module, functions=functions)


def _is_float(value: Value) -> bool:
    return (
        isinstance(value.type, TensorType)
        and value.type.is_static
        and value.type.element_type.name in ("f16", "bf16", "f32", "f64")
    )
