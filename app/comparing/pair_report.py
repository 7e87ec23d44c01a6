"""The report of two engines on one program: lines for people, and JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hloscope.engine.comparison.difference import Difference, Verdict, join
from hloscope.engine.comparison.sentences import difference_text
from hloscope.engine.passes.instructions import HloText, Instruction

from ..present.differences import difference_json
from .divergence import Divergent
from .hlo_texts import lines_of_instruction
from .optimised_texts import OptimisedTexts, op_name
from .our_runs import OurRun
from .report import EngineComparison, verdict_sentence

MOST_ROWS = 40
"""Maximum number of values, and of instructions of each kind, without `--all`."""
MOST_CHARACTERS = 120
"""Maximum length of an instruction in a line."""


@dataclass(frozen=True)
class Side:
    """One of the engines."""

    name: str
    """As it was named: `jaxlib==0.9.2`."""
    found: EngineComparison
    """Its results, compared with ours; no search for a culprit."""
    text: str = field(default="", repr=False)
    """The optimised HLO; empty without results."""

    def verdict(self, number: int | None = None) -> Verdict:
        """The verdict on a result against ours, by its number, or on all of them."""
        if self.found.is_fine:
            return "same"
        return join(self.found.results).verdict if number is None else self.found.results[number].verdict


@dataclass(frozen=True)
class EnginePair:
    """Two engines on one program."""

    run: OurRun = field(repr=False)
    first: Side
    second: Side
    results: tuple[Difference, ...] = ()
    """The results of the second, compared with those of the first."""
    result_names: tuple[str, ...] = ()
    values: tuple[Divergent, ...] = ()
    """Intermediate values that differ, where a result does, in the order of the program."""
    values_problem: str = ""
    """The reason if there are none."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both engines."""
        return self.first, self.second

    @property
    def verdict(self) -> Verdict:
        """The verdict on the results; *different* too if only one engine has any."""
        failed = [side.found.verdict == "failed" for side in self.sides]
        return join(self.results).verdict if not any(failed) else "unknown" if all(failed) else "different"

    @cached_property
    def texts(self) -> OptimisedTexts | None:
        """What appeared and what went in the optimised text; `None` if an engine has none."""
        texts = [side.text for side in self.sides]
        return OptimisedTexts.of(*texts) if all(texts) else None

    def __str__(self) -> str:
        return "\n".join(lines_of_pair(self))


def lines_of_pair(found: EnginePair, *, whole: bool = False) -> Iterator[str]:
    """The verdict, what differs in the results, and what appeared and went in the optimised text."""
    yield pair_sentence(found)
    for number, result in enumerate(found.results):
        if result.kind != "same_bits":
            agrees = "" if result.is_fine else f"; {_agreement(found, number)}"
            yield f"{result.kind:9} {found.result_names[number]}: {difference_text(result)}{agrees}"
    values = [
        f"{value.difference.kind:9} line {value.line}: {value.op} {value.name}: {difference_text(value.difference)}"
        for value in found.values
    ]
    yield from _limited(values, whole)
    if found.values_problem:
        yield f"intermediate values: {found.values_problem}"
    if found.texts is not None:
        yield from _text_lines(found, found.texts, whole)


def pair_sentence(found: EnginePair) -> str:
    """The verdict in one sentence, and which engine agrees with hloscope."""
    first, second = found.first.name, found.second.name
    failed = [side for side in found.sides if side.found.verdict == "failed"]
    if failed:
        told = "; ".join(f"{side.name} has no answer: {side.found.failure}" for side in failed)
        return told + "".join(
            f"; {side.name} has one: {verdict_sentence(side.found)}"
            for side in found.sides
            if side not in failed
        )
    worst, agrees = join(found.results), _agreement(found)
    if worst.verdict == "unknown":
        return (
            f"unknown whether {first} and {second} agree: rounding alone may make such a difference; {agrees}"
        )
    if worst.is_different:
        return f"{first} and {second} differ beyond rounding; {agrees}"
    how = "to the bit" if worst.kind == "same_bits" else "but for rounding"
    return f"{first} and {second} agree {how}; {agrees}"


def _agreement(found: EnginePair, number: int | None = None) -> str:
    """Which of the engines agree with hloscope in a result, by its number, or in all."""
    verdicts = {side.name: side.verdict(number) for side in found.sides}
    agreeing, differing = (
        [name for name in verdicts if verdicts[name] == verdict] for verdict in ("same", "different")
    )
    if agreeing:
        return f"hloscope agrees with {agreeing[0] if len(agreeing) < len(verdicts) else 'both'}"
    if differing:
        return f"hloscope {f'differs from {differing[0]}' if len(differing) < len(verdicts) else 'agrees with neither'}"
    return "it is unknown whether hloscope agrees with either"


def _text_lines(found: EnginePair, texts: OptimisedTexts, whole: bool) -> Iterator[str]:
    if not (texts.went or texts.appeared or texts.changed):
        yield "both launch the same instructions"
        return
    yield from _table(texts.counts, found.first.name, found.second.name)
    before, after = texts.changes.before, texts.changes.after
    yield from _limited([f"- {_line(found, before, each)}" for each in texts.went], whole)
    yield from _limited([f"+ {_line(found, after, each)}" for each in texts.appeared], whole)
    yield from _limited([f"~ {_line(found, after, each)}" for _, each in texts.changed], whole)


def _table(counts: Mapping[str, tuple[int, int]], first: str, second: str) -> Iterator[str]:
    if not counts:
        return
    width = max(len("launched"), *map(len, counts))
    yield f"{'launched':{width}}  {first}  {second}"
    for name, (one, other) in counts.items():
        yield f"{name:{width}}  {one:>{len(first)},}  {other:>{len(second)},}"


def _line(found: EnginePair, text: HloText, instruction: Instruction) -> str:
    """The instruction without attributes, and the lines of the program that it computes, where XLA states them."""
    written = instruction.written
    operands = ", ".join(f"%{name}" for name in written.operands)
    told = f"%{written.name} = {written.shape} {written.opcode}({operands})"
    short = told if len(told) <= MOST_CHARACTERS else f"{told[:MOST_CHARACTERS]}…"
    lines = lines_of_instruction(text, instruction, found.run)
    return f"{short}, line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}" if lines else short


def _limited(lines: list[str], whole: bool) -> Iterator[str]:
    yield from lines if whole else lines[:MOST_ROWS]
    if not whole and len(lines) > MOST_ROWS:
        yield f"… {len(lines) - MOST_ROWS:,} more (--all lists them)"


# JSON


def pair_json(found: EnginePair) -> dict[str, Any]:
    """The whole report in types of JSON."""
    return {
        "verdict": found.verdict,
        "sentence": pair_sentence(found),
        "engines": [
            {
                "name": side.name,
                "engine": side.found.engine,
                "verdict": side.found.verdict,
                "sentence": verdict_sentence(side.found),
            }
            for side in found.sides
        ],
        "results": [
            {**difference_json(result), "hloscope": [side.verdict(number) for side in found.sides]}
            for number, result in enumerate(found.results)
        ],
        "values": [
            {"value": value.name, "op": value.op, "line": value.line, **difference_json(value.difference)}
            for value in found.values
        ],
        "texts": None if found.texts is None else _texts_json(found, found.texts),
    }


def _texts_json(found: EnginePair, texts: OptimisedTexts) -> dict[str, Any]:
    def described(text: HloText, instruction: Instruction) -> dict[str, Any]:
        written = instruction.written
        return {
            "name": written.name,
            "op": op_name(written),
            "shape": written.shape,
            "line": instruction.line,
            "program_lines": list(lines_of_instruction(text, instruction, found.run)),
        }

    before, after = texts.changes.before, texts.changes.after
    return {
        "counts": {name: list(counts) for name, counts in texts.counts.items()},
        "went": [described(before, each) for each in texts.went],
        "appeared": [described(after, each) for each in texts.appeared],
        "changed": [[described(before, one), described(after, other)] for one, other in texts.changed],
    }
