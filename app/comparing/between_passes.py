"""Evaluate each text between XLA's passes with our engine and with XLA's code generation, and name a pass that fails."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hloscope.engine.comparison.difference import Difference, Tolerance, compare_arrays, join
from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.passes.carried_shardings import CarriedShardings
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.passes.names import DumpName, parse_name
from hloscope.engine.passes.stages import DumpedModule, Stage

from ..passes.dump_files import Dump, DumpLimits, open_dump
from ..passes.read_modules import read_module
from ..passes.stage_program import finish, join_leaves, leaves_of, load_stage, shardings_in, start
from ..passes.stage_runs import sharding_carriers, texts_of
from ..processes.arrays import Array
from ..xla.engine import ALONE, Grid, Overrides
from ..xla.failures import XlaCrashed, XlaFailed, XlaRefused
from .budget import Budget
from .engines import SecondEngine, TimedEngine
from .hlo_texts import is_plain, widened
from .our_runs import OurRun, run_ours

SAFE_FROM = "copy-insertion"
"""After this pass, code generation accepts any text. Without it, or between its steps, code generation may never end."""
SHARE = 1 / 4
"""The part of the budget that one text may use, so that a text on which XLA hangs leaves time for others."""
UNSAFE = "buffers are shared wrongly before copy-insertion ends"
NO_TIME = "there was no time left"
IN_WIDE = Tolerance(relative=1e-5)
"""Literals in the texts are rounded to the narrow type."""


@dataclass(frozen=True)
class Text:
    """A text of the dump, and its results."""

    stage: Stage
    text: str = field(repr=False)
    may_be_emitted: bool
    shardings: CarriedShardings = field(default_factory=CarriedShardings, repr=False)
    """Those of the whole program's arguments and results, which later texts no longer state."""

    @cached_property
    def instructions(self) -> HloText:
        """The table of its instructions."""
        return read_instructions(self.text)


@dataclass(frozen=True)
class Answer:
    """The result of XLA's code generation for one text."""

    text: Text
    difference: Difference | None = None
    """The difference to our run of the program; `None` without a result."""
    problem: str = ""
    crash: str = ""
    """The cause of a crash, if there was one."""

    @property
    def is_wrong(self) -> bool:
        """Whether the result differs beyond rounding, or XLA crashed."""
        return bool(self.crash) or (self.difference is not None and self.difference.is_different)


def read_texts(
    engine: SecondEngine, program: str, overrides: Overrides, limits: Limits, grid: Grid = ALONE
) -> list[Text]:
    """The distinct HLO texts between XLA's passes, each at the pass that first wrote it."""
    with tempfile.TemporaryDirectory(prefix="hloscope-xla-") as folder:
        engine.dump(program, Path(folder), overrides, grid)
        return list(_texts(Path(folder), limits, is_alone=grid == ALONE))


def _texts(folder: Path, limits: Limits, *, is_alone: bool) -> Iterator[Text]:
    dump = open_dump(folder, DumpLimits(limits.max_program_bytes))
    modules = [module for module in dump.modules if module.stages]
    if not modules:
        return
    longest = max(modules, key=lambda module: len(module.stages))
    shardings = CarriedShardings() if is_alone else _shardings(dump, longest, limits)
    key, copies = "", False
    for stage in longest.stages:
        if stage.file.content != "hlo":
            continue
        copies = copies or SAFE_FROM in stage.pass_name
        is_safe = copies and not stage.file.name.step
        text = dump.text(stage.path)
        found = read_instructions(text)
        last = stage is longest.stages[-1]
        if found.key != key or last:
            key = found.key
            # Before layout assignment, code generation reads the operands of collectives in a wrong order.
            may_be_emitted = is_safe or last or (is_alone and is_plain(text, found))
            yield Text(stage, text, may_be_emitted, shardings)


def _shardings(dump: Dump, module: DumpedModule, limits: Limits) -> CarriedShardings:
    texts = texts_of(read_module(dump, module), (), limits)
    return shardings_in(sharding_carriers(texts), limits)


def emitted_answers(
    engine: SecondEngine, texts: Sequence[Text], run: OurRun, overrides: Overrides, budget: Budget
) -> Iterator[Answer]:
    """The result of code generation for each text that it accepts."""
    for number, text in enumerate(texts):
        budget.tell(f"compiling text {number + 1:,} of {len(texts):,} without further passes")
        yield _emitted(engine, text, run, overrides, budget)


def boundary_answers(
    engine: SecondEngine, texts: Sequence[Text], run: OurRun, overrides: Overrides, budget: Budget
) -> list[Answer]:
    """The same for as many texts as needed to find the first wrong one, in order.

    The search begins with the last texts: they are fused, and XLA takes minutes for each unfused text of a
    large program.
    """
    found: dict[int, Answer] = {
        number: Answer(text, problem=UNSAFE) for number, text in enumerate(texts) if not text.may_be_emitted
    }
    open_ones = [number for number in range(len(texts)) if number not in found]
    low, high = 0, len(open_ones)  # texts below `low` are right, and all from `high` on are wrong
    while low < high and not budget.is_spent:
        at = high - 1 if high == len(open_ones) else (low + high) // 2
        number = open_ones[at]
        budget.tell(f"compiling text {number + 1:,} of {len(texts):,} without further passes")
        share = Budget(min(budget.left, budget.seconds * SHARE))
        found[number] = answer = _emitted(TimedEngine(engine, share), texts[number], run, overrides, budget)
        if answer.is_wrong:
            high = at
        elif answer.difference is None:  # XLA has no result here; the other texts tell more
            open_ones.pop(at)
            high -= 1
        else:
            low = at + 1
    return [found[number] for number in sorted(found)]


def _emitted(engine: SecondEngine, text: Text, run: OurRun, overrides: Overrides, budget: Budget) -> Answer:
    if not text.may_be_emitted:
        return Answer(text, problem=UNSAFE)
    if budget.is_spent:
        return Answer(text, problem=NO_TIME)
    try:
        theirs = run_emitted(engine, text, run, overrides, budget.within(DEFAULT_LIMITS))
    except ProgramError as problem:
        return Answer(text, problem=str(problem))
    except XlaFailed as failure:
        crash = failure.cause if isinstance(failure, XlaCrashed) else ""
        return Answer(text, problem=str(failure), crash=crash)
    return Answer(text, join(run.compare(theirs)))


def first_wrong(answers: Sequence[Answer]) -> Answer | None:
    """The first answer after which all are wrong."""
    found = None
    for answer in reversed([answer for answer in answers if answer.difference is not None or answer.crash]):
        if not answer.is_wrong:
            break
        found = answer
    return found


@dataclass(frozen=True)
class Changed:
    """The pass that changed the values of the text."""

    before: Text
    after: Text
    difference: Difference
    """The difference between our run of the text after the pass and our run of the program."""
    is_identity: bool | None
    """Whether both texts are equal in nearly real numbers; `None` if unknown."""


def find_change(texts: Sequence[Text], run: OurRun, limits: Limits, budget: Budget) -> Changed | None:
    """The first text whose values in our engine differ from the program's, beyond rounding."""
    before: Text | None = None
    for number, text in enumerate(texts):
        if budget.is_spent:
            break
        budget.tell(f"running text {number + 1:,} of {len(texts):,} between the passes")
        try:
            ours = run_text(text, run, budget.within(limits))
            difference = join(run.compare(ours.results))
        except ProgramError:
            continue
        if difference.is_different and before is not None:
            same = same_in_wide(before, text, run, limits)
            return Changed(before, text, difference, same)
        before = text
    return None


def same_in_wide(before: Text, after: Text, run: OurRun, limits: Limits) -> bool | None:
    """Whether two texts agree with all floats as f64; `None` if one of them does not run so."""
    try:
        one = run_text(before, run, limits, is_wide=True)
        other = run_text(after, run, limits, is_wide=True)
    except ProgramError:
        return None
    return all(
        compare_arrays(left, right, None, IN_WIDE).is_fine
        for left, right in zip(one.results, other.results, strict=False)
    )


# Runs of a text on the program's inputs


@dataclass(frozen=True)
class TextRun:
    """Our run of a text between the passes."""

    run: OurRun
    results: list[Array]
    """In the form of the program's results: whole values if its arguments are."""


def run_text(text: Text, run: OurRun, limits: Limits, *, is_wide: bool = False) -> TextRun:
    """Our run of a text on the program's inputs, `is_wide` with floats as f64; `ProgramError` if it does not end."""
    written = widened(text.text) if is_wide else text.text
    arguments = wide_arrays(run.arguments) if is_wide else run.arguments
    if not run.grid[2]:
        ours = run_ours(written, arguments, limits, len(run.processes))
        return TextRun(replace(ours, device=run.device), ours.results)
    stage = load_stage(written, text.stage.path, limits, text.shardings)
    recording = start(stage, arguments, {}, limits)
    return TextRun(OurRun(recording, device=run.device), finish(stage, recording) * len(run.processes))


def run_emitted(
    engine: SecondEngine, text: Text, run: OurRun, overrides: Overrides, limits: Limits
) -> list[Array]:
    """XLA's results of a text that it compiles without further passes, in the form of the program's results."""
    replicas, partitions, is_whole = run.grid
    grid = (replicas, partitions, False)
    if not is_whole:
        return engine.run(text.text, run.arguments, overrides, grid, as_written=True)
    stage = load_stage(text.text, text.stage.path, limits, text.shardings)
    launched = start(stage, run.arguments, {}, limits).launch
    arguments = [leaf for given in launched.inputs for value in given for leaf in leaves_of(value)]
    found = engine.run(text.text, arguments, overrides, grid, as_written=True)
    each = len(found) // len(run.processes)
    parts = [found[process * each : (process + 1) * each] for process in run.processes]
    return join_leaves(stage, parts) * len(run.processes)


def wide_arrays(arrays: Sequence[Array]) -> list[Array]:
    """Widen floats to f64 and complex numbers to c128; leave other types."""
    return [_wide(array) for array in arrays]


def _wide(array: Array) -> Array:
    if array.dtype.kind == "c":
        return array.astype("complex128")
    is_float = array.dtype.kind == "f" or "float" in array.dtype.name
    return array.astype("float64") if is_float else array


def made_by(texts: Sequence[Text], name: str, opcode: str) -> Text | None:
    """The first text with an instruction of that name and opcode."""
    for text in texts:
        found = text.instructions.instructions.get(name)
        if found is not None and found.written.opcode == opcode:
            return text
    return None


EVERY_PASS = ".+"
PIPELINE_END = "pipeline-end"


def find_failing_pass(
    engine: SecondEngine, program: str, overrides: Overrides, failure: XlaFailed, grid: Grid = ALONE
) -> str:
    """The pass in which the compilation fails; compiles again if XLA's message does not name it.

    Empty if no pass fails: XLA refuses the program before them, or crashes behind them.
    """
    if isinstance(failure, XlaRefused) and failure.failed_pass:
        return failure.failed_pass
    if not isinstance(failure, XlaRefused | XlaCrashed):
        return ""
    with tempfile.TemporaryDirectory(prefix="hloscope-xla-") as folder:
        try:
            engine.dump(program, Path(folder), {**overrides, "xla_dump_hlo_pass_re": EVERY_PASS}, grid)
        except XlaFailed:
            return failing_pass(Path(folder), failure)
    return ""


def failing_pass(folder: Path, failure: XlaFailed) -> str:
    """The pass that XLA's message names, or the next after the last text of a dump of every pass."""
    if isinstance(failure, XlaRefused) and failure.failed_pass:
        return failure.failed_pass
    names = [parse_name(path.name) for path in folder.iterdir()]
    if any(name.end.endswith("after_optimizations") for name in names):
        return ""
    texts = sorted((name for name in names if name.number is not None and name.upcoming), key=_number)
    if not texts:
        return ""
    last = texts[-1]
    # At the end of an inner pipeline, the pass that ran it fails: the one that the outer pipeline announced.
    outer = [name for name in texts if name.pipeline != last.pipeline]
    return outer[-1].upcoming if last.upcoming == PIPELINE_END and outer else last.upcoming


def _number(name: DumpName) -> int:
    assert name.number is not None
    return name.number
