"""Evaluate each text between XLA's passes with our engine and with XLA's code generation."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hloscope.engine.comparison.difference import Difference, Tolerance, compare_arrays, join
from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.passes.stages import Stage

from ..passes.dump_files import DumpLimits, open_dump
from ..processes.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaCrashed, XlaFailed
from .budget import Budget
from .engines import SecondEngine
from .hlo_texts import is_plain, widened
from .our_runs import OurRun, run_ours

SAFE_FROM = "copy-insertion"
"""After this pass, code generation accepts any text."""
UNSAFE = "buffers are shared wrongly before copy-insertion"
NO_TIME = "there was no time left"
IN_WIDE = Tolerance(relative=1e-5)
"""Literals in the texts are rounded to the narrow type."""


@dataclass(frozen=True)
class Text:
    """A text of the dump, and its results."""

    stage: Stage
    text: str = field(repr=False)
    may_be_emitted: bool

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


def read_texts(engine: SecondEngine, program: str, overrides: Overrides, limits: Limits) -> list[Text]:
    """The distinct HLO texts between XLA's passes, each at the pass that first wrote it."""
    with tempfile.TemporaryDirectory(prefix="hloscope-xla-") as folder:
        engine.dump(program, Path(folder), overrides)
        return list(_texts(Path(folder), limits))


def _texts(folder: Path, limits: Limits) -> Iterator[Text]:
    dump = open_dump(folder, DumpLimits(limits.max_program_bytes))
    modules = [module for module in dump.modules if module.stages]
    if not modules:
        return
    longest = max(modules, key=lambda module: len(module.stages))
    key, is_safe = "", False
    for stage in longest.stages:
        if stage.file.content != "hlo":
            continue
        is_safe = is_safe or SAFE_FROM in stage.pass_name
        text = dump.text(stage.path)
        found = read_instructions(text)
        last = stage is longest.stages[-1]
        if found.key != key or last:
            key = found.key
            yield Text(stage, text, is_safe or last or is_plain(text, found))


def emitted_answers(
    engine: SecondEngine, texts: Sequence[Text], run: OurRun, overrides: Overrides, budget: Budget
) -> Iterator[Answer]:
    """The result of code generation for each text that it accepts."""
    for number, text in enumerate(texts):
        budget.tell(f"handing XLA text {number + 1:,} of {len(texts):,} past its passes")
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
        budget.tell(f"handing XLA text {number + 1:,} of {len(texts):,} past its passes")
        found[number] = answer = _emitted(engine, texts[number], run, overrides, budget)
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
        theirs = engine.run(text.text, run.arguments, overrides, as_written=True)
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
            ours = run_ours(text.text, run.arguments, budget.within(limits))
            difference = join(run.compare(ours.results))
        except ProgramError:
            continue
        if difference.is_different and before is not None:
            same = same_in_wide(before.text, text.text, run.arguments, limits)
            return Changed(before, text, difference, same)
        before = text
    return None


def same_in_wide(before: str, after: str, arguments: Sequence[Array], limits: Limits) -> bool | None:
    """Whether two texts agree with all floats as f64; `None` if one of them does not run so."""
    try:
        one = run_ours(widened(before), wide_arrays(arguments), limits)
        other = run_ours(widened(after), wide_arrays(arguments), limits)
    except ProgramError:
        return None
    return all(
        compare_arrays(left, right, None, IN_WIDE).is_fine
        for left, right in zip(one.results, other.results, strict=False)
    )


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
