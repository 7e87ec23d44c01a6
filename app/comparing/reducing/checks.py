"""Checks of a reduction: each tests a case, and keeps its first finding."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hloscope.engine.comparison.difference import Difference
from hloscope.engine.comparison.elements import nan_mask
from hloscope.engine.comparison.judge import Judge
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.reduction.case import Case
from hloscope.engine.reduction.recorded import Recorded
from hloscope.engine.reduction.rewrites import AFTER, BEFORE

from ...passes.dump_files import open_dump
from ...passes.examine import examine, pool_of
from ...passes.pool import Pool
from ...passes.read_modules import Request
from ...present.npy import as_plain
from ...processes.arrays import Array
from ...xla.engine import XlaEngine, dump_options
from ...xla.failures import XlaCrashed, XlaFailed, XlaRefused, XlaTimedOut, XlaUnusable, message_core
from ..between_passes import EVERY_PASS, failing_pass

Kind = Literal["differs", "crashes", "passes", "rewrite", "nan", "command", "python"]
COMMAND_SECONDS = 60.0
_NUMBER = re.compile(r"(?<![{\w])-?[\d.,]+(e[-+]?\d+)?(?!\w|})")
"""A number in the reason for a fault, but for that of an operand, as in `{0}`."""


class Check:
    """A property to preserve. `finding` describes the last case for which it held."""

    kind: Kind
    title: str
    """The property in words: `XLA's result differs`."""
    finding: str = ""
    stages: Collection[str] = ()
    """The stages of the search that keep the property meaningful; none: all."""
    fits: str = ""
    """A detail that all cases share, such as a signal or a pass; set by the first that holds."""

    def holds(self, case: Case) -> bool:
        """Whether it holds for a verified case."""
        raise NotImplementedError

    def close(self) -> None:
        """End its processes."""

    def _same(self, found: str) -> bool:
        """Whether a detail equals the first one, which it becomes if there was none."""
        self.fits = self.fits or found
        return self.fits == found


@dataclass
class DiffersFromXla(Check):
    """XLA's results differ from hloscope's beyond rounding."""

    xla: XlaEngine
    limits: Limits = DEFAULT_LIMITS
    kind: Kind = field(default="differs", init=False)
    title: str = field(default="XLA's result differs from hloscope's", init=False)
    differences: list[Difference] = field(default_factory=list)
    """Of each result, in the last case for which it held."""
    expected: list[Array] = field(default_factory=list)
    """The results of hloscope in that case."""

    def holds(self, case: Case) -> bool:
        recorded = Recorded(case, self.limits)
        if recorded.problem:
            return False
        theirs = _asked(lambda: self.xla.run(case.text, case.inputs, {}, grid_of(case)))
        count = case.grid.num_processes
        ours = [leaf for result in recorded.results for leaf in leaves(result)] * count
        if theirs is None or len(theirs) != len(ours):
            return False
        if all(_same_bits(one, other) for one, other in zip(ours, theirs, strict=True)):
            return False
        judge = Judge(recorded.recording, device=self.xla.versions().rounding)
        each = len(ours) // count
        found = [
            judge.result_difference(number // each, number % each, *pair, None)
            for number, pair in enumerate(zip(ours, theirs, strict=True))
        ]
        if not any(difference.is_different for difference in found):
            return False
        self.differences, self.expected = found, ours
        worst = max(range(len(found)), key=lambda number: found[number].severity)
        where = _result_name(worst, each, case)
        self.finding = difference_sentence(where, found[worst])
        return True

    def close(self) -> None:
        self.xla.close()


def grid_of(case: Case) -> tuple[int, int, bool]:
    """The devices of a case, which takes and returns whole values, in the form that XLA takes."""
    return case.grid.num_replicas, case.grid.num_partitions, case.grid.num_processes > 1


def _result_name(number: int, each: int, case: Case) -> str:
    name = f"result {number % each}"
    return name if case.grid.num_processes == 1 else f"{name} of process {number // each}"


def difference_sentence(result: str, found: Difference) -> str:
    """The worst difference as a sentence.

    `result 0, element [32768]: 1073741824.0, but XLA gives 1065361472.0; 1 of 32,769 elements differs beyond
    rounding`.
    """
    if found.index is None:
        return f"{result}: {found.before}, but XLA gives {found.after}"
    differs = "elements differs" if found.beyond == 1 else "elements differ"
    return (
        f"{result}, element {list(found.index)}: {found.before}, but XLA gives {found.after}; "
        f"{found.beyond:,} of {found.size:,} {differs} beyond rounding"
    )


def _same_bits(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def _asked(question: Callable[[], list[Array]]) -> list[Array] | None:
    """XLA's results, or `None` without any. The caller reports an engine that cannot run at all."""
    try:
        return question()
    except XlaUnusable:
        raise
    except XlaFailed:
        return None


@dataclass
class CrashesXla(Check):
    """XLA crashes, does not end, or fails within itself: always in the same pass, with the same signal and message."""

    xla: XlaEngine
    kind: Kind = field(default="crashes", init=False)
    title: str = field(default="XLA crashes", init=False)

    def holds(self, case: Case) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            try:
                self.xla.run(case.text, case.inputs, dump_options(Path(folder), EVERY_PASS), grid_of(case))
            except XlaUnusable:
                raise
            except XlaFailed as failure:
                found = fault_of(failure)
                if not found or not self._same(f"{found} {failing_pass(Path(folder), failure)}"):
                    return False
                self.finding = fault_sentence(failure, failing_pass(Path(folder), failure))
                return True
        return False

    def close(self) -> None:
        self.xla.close()


def fault_of(failure: XlaFailed) -> str:
    """What two failures of XLA with the same fault have in common; empty if the fault is in the program."""
    match failure:
        case XlaCrashed():
            return f"{failure.cause} {message_core(failure.message)}"
        case XlaTimedOut():
            return str(failure)
        case XlaRefused() if failure.is_internal:
            return message_core(str(failure))
    return ""


def fault_sentence(failure: XlaFailed, failed_pass: str) -> str:
    """A failure in one line: `XLA crashes (signal 6, SIGABRT) in the pass algsimp: Check failed: …`."""
    where = f" in the pass {failed_pass}" if failed_pass else ""
    match failure:
        case XlaCrashed():
            message = f": {failure.message}" if failure.message else ""
            return f"XLA crashes ({failure.cause}){where}{message}"
        case XlaTimedOut():
            return f"no answer within {failure.seconds:g} s"
    return f"XLA fails{where}: {str(failure).partition('Failed after')[0].strip()}"


@dataclass
class PassChangesValues(Check):
    """A pass of XLA changes values beyond rounding: always the same as in the first case."""

    xla: XlaEngine
    limits: Limits = DEFAULT_LIMITS
    kind: Kind = field(default="passes", init=False)
    title: str = field(default="a pass of XLA changes values", init=False)
    differs: DiffersFromXla | None = None
    """The final difference of XLA's results, if there is one."""
    pool: Pool = field(init=False)
    """One for all cases: its process loads the engine once."""

    def __post_init__(self) -> None:
        self.pool = pool_of(self._request(()))

    def _request(self, inputs: Sequence[Array]) -> Request:
        return Request(inputs=list(inputs), jobs=1, limits=self.limits)

    def holds(self, case: Case) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            try:
                self.xla.dump(case.text, Path(folder), {}, grid_of(case))
            except XlaUnusable:
                raise
            except XlaFailed:
                return False
            report = examine(open_dump(folder), self._request(case.inputs), pool=self.pool)
        wrong = report.first_wrong
        if wrong is None or not self._same(wrong.stage.pass_name):
            return False
        differs = DiffersFromXla(self.xla, self.limits)
        self.differs = differs if differs.holds(case) else None
        self.finding = report.sentence
        return True

    def close(self) -> None:
        self.pool.close()
        self.xla.close()


@dataclass
class SidesDiffer(Check):
    """Both sides of a rewrite differ beyond rounding, in a program of `rewrite_case`."""

    limits: Limits = DEFAULT_LIMITS
    kind: Kind = field(default="rewrite", init=False)
    title: str = field(default="a pass changes values", init=False)
    stages: Collection[str] = ("shapes", "values")
    worst: tuple[int, ...] = ()
    """The worst element in the last case for which it held."""

    def holds(self, case: Case) -> bool:
        recorded = Recorded(case, self.limits)
        before, after = (recorded.address(name) for name in (BEFORE, AFTER))
        if recorded.problem or before is None or after is None:
            return False
        one, other = recorded.at(before), recorded.at(after)
        found = Judge(recorded.recording).difference(before, one, other, None, after=after)
        if not found.is_different or found.index is None:
            return False
        self.worst = tuple(found.index)
        differ = "element differs" if found.beyond == 1 else "elements differ"
        self.finding = (
            f"element {list(self.worst)}: {BEFORE} is {found.before}, {AFTER} is {found.after}; "
            f"{found.beyond:,} of {found.size:,} {differ} beyond rounding"
        )
        return True


@dataclass
class MakesNan(Check):
    """A NaN arises in our run: in results from inputs without NaN, always by the same op for the same reason.

    If the first inputs are finite, so are all.
    """

    limits: Limits = DEFAULT_LIMITS
    kind: Kind = field(default="nan", init=False)
    title: str = field(default="a NaN arises", init=False)

    def holds(self, case: Case) -> bool:
        if any(nan_mask(array).any() for array in case.inputs):
            return False
        inputs = "finite" if all(map(_is_finite, case.inputs)) else "infinite"
        if self.fits and inputs != self.fits.partition(" ")[0]:
            return False
        recorded = Recorded(case, self.limits)
        if recorded.problem:
            return False
        arrays = [leaf for result in recorded.results for leaf in leaves(result)]
        for number, array in enumerate(arrays):
            places = np.argwhere(nan_mask(array))
            if len(places):
                if not self._same(f"{inputs} {_birth_of_nan(recorded.recording)}"):
                    return False
                count = f"{len(places):,} of {array.size:,} elements"
                self.finding = f"result {number}, element {places[0].tolist()} is NaN; {count}"
                return True
        return False


def _birth_of_nan(recording: Recording) -> str:
    """The op that made the first NaN of the results, and the reason without its numbers: `multiply where {0} is 0 …`."""
    origin = FindingReport(recording).origin_of()
    if origin is None or origin.op is None:
        return "given"
    found = recording.log.tallies.get((origin.op, "nan"))
    cause = "" if found is None else _NUMBER.sub("", found.first.fault.cause)
    return f"{recording.program.ops[origin.op].op.unpacked.name} {cause}"


def _is_finite(array: Array) -> bool:
    if array.dtype.kind in "bui":
        return True
    with np.errstate(all="ignore"):
        return bool(np.isfinite(array.astype(np.complex128)).all())


@dataclass
class CommandSucceeds(Check):
    """A shell command exits with 0.

    It receives the program on standard input and as the file `$PROGRAM`, inputs as `$INPUTS`.
    """

    command: str
    seconds: float = COMMAND_SECONDS
    kind: Kind = field(default="command", init=False)

    @property
    def title(self) -> str:  # type: ignore[override]
        """The original command."""
        return f"`{self.command}` succeeds"

    def holds(self, case: Case) -> bool:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = folder / ("program.hlo" if case.module.language == "hlo" else "program.mlir")
            program.write_text(case.text, encoding="utf-8")
            save_inputs(folder / "inputs.npz", case)
            return self._succeeds(case.text, program, folder / "inputs.npz")

    def _succeeds(self, text: str, program: Path, inputs: Path) -> bool:
        environment = {**os.environ, "PROGRAM": str(program), "INPUTS": str(inputs)}
        try:
            ended = subprocess.run(
                self.command,
                shell=True,
                input=text.encode(),
                env=environment,
                timeout=self.seconds,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        self.finding = f"exit status {ended.returncode}"
        return ended.returncode == 0


@dataclass
class PythonHolds(Check):
    """A function of the program's text and its inputs returns a true value."""

    function: Callable[[str, Sequence[Array]], object]
    kind: Kind = field(default="python", init=False)
    title: str = field(default="the check holds", init=False)

    def holds(self, case: Case) -> bool:
        return bool(self.function(case.text, case.inputs))


def save_inputs(file: Path, case: Case) -> None:
    """Save the inputs as arrays `arg_0`, `arg_1`, …; as bits for types that NumPy lacks."""
    arrays: dict[str, Any] = {f"arg_{number}": as_plain(array) for number, array in enumerate(case.inputs)}
    with file.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
