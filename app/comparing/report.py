"""The report of a comparison with a second engine: the verdict and its evidence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hloscope.engine.comparison.difference import Difference, Test, join

from ..present.differences import difference_json, number_text
from ..processes.arrays import Array
from .between_passes import Answer, Changed, Text
from .divergence import Located
from .isolation import Isolation
from .repeated import Repeated, lines_of_repeated, repeated_json

MOST_NAMES = 6
MOST_ROWS = 2
"""Maximum rows of a device's table in a sentence."""
Verdict = Literal["same_bits", "rounding", "amplified", "flushed", "unknown", "identity", "wrong", "failed"]
"""`amplified`: rounding, which an op has made large. `flushed`: equal but for denormals that are 0 on the other side.
`unknown`: rounding may make as large a difference, so it proves nothing. `identity`: beyond rounding, by an
identity of real numbers, which XLA intends. `failed`: the second engine has no answer."""
FINE: tuple[Verdict, ...] = ("same_bits", "rounding", "amplified", "flushed")


@dataclass(frozen=True)
class SwitchedOff:
    """The outcome of compiling without a pass."""

    pass_name: str
    is_cured: bool | None
    """`None` if XLA does not compile without it."""
    problem: str = ""


@dataclass(frozen=True)
class Attribution:
    """The attribution of a difference beyond rounding."""

    answers: tuple[Answer, ...] = ()
    """Code generation's results for each text between the passes."""
    turned: Answer | None = None
    """The first text from which XLA's own result is wrong."""
    changed: Changed | None = None
    """The pass that changed the values of the text; `None` if there is none."""
    isolation: Isolation | None = None
    made_by: Text | None = None
    """The first text that has the culprit instruction."""
    switched_off: tuple[SwitchedOff, ...] = ()
    lines: tuple[int, ...] = ()
    """The lines of the program that the culprit instruction computes."""
    text_is_right: bool = False
    """Whether our engine computes the program's own values from the optimised text."""
    problem: str = ""
    """The reason why the texts could not be examined."""

    @property
    def culprit(self) -> Literal["pass", "code generation", "unknown"]:
        """The culprit component."""
        if self.changed is not None:
            return "pass"
        return "code generation" if self.text_is_right else "unknown"

    @property
    def suspect(self) -> Text | None:
        """The text after the most suspect pass."""
        if self.changed is not None:
            return self.changed.after
        return self.made_by or (self.turned.text if self.turned else None)


@dataclass(frozen=True)
class EngineComparison:
    """Our run, and the results of a second engine."""

    engine: str
    """`XLA of jaxlib 0.10.2 on cpu`."""
    verdict: Verdict
    results: tuple[Difference, ...] = ()
    result: int = 0
    """The number of the result with the worst difference."""
    result_name: str = "result 0"
    """Its name: `result 1`, `result 1 of process (0, 3)`."""
    amplified: str = ""
    """The op that amplified rounding, and the factor."""
    rows: Sequence[str] = ()
    """The rows of the device's table without which the difference would exceed its bound, as sentences."""
    located: Located | None = None
    attribution: Attribution | None = None
    failure: str = ""
    """The reason why the second engine has no result."""
    failed_pass: str = ""
    """The pass of XLA in which the compilation fails, if it does."""
    against_exact: float | None = None
    """For rounding beyond its bound: the error of the results, as a multiple of ours.

    Errors are measured against the same program in more digits.
    """
    values: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """Its results and intermediate values by name, in the form of files, if requested."""
    repeated: Repeated | None = None
    """Several runs of the same code, if requested."""
    values_problem: str = ""
    """The reason why some of them are missing."""

    @property
    def is_fine(self) -> bool:
        """Whether they agree within rounding."""
        return self.verdict in FINE

    @property
    def worst(self) -> Difference:
        """The worst difference of all results."""
        return join(self.results)

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def lines_of(found: EngineComparison) -> Iterator[str]:
    """The verdict in one sentence, then its evidence."""
    yield verdict_sentence(found)
    if found.repeated is not None:
        yield from lines_of_repeated(found.repeated)
    if found.located is not None:
        yield from _located(found.located)
    if found.attribution is not None:
        yield from _attribution_lines(found.attribution)


def verdict_sentence(found: EngineComparison) -> str:
    """The verdict on the results, and the culprit."""
    if found.verdict == "failed":
        return f"{found.engine} has no answer: {found.failure}"
    if found.verdict == "same_bits" or not found.results:
        return f"{found.engine} agrees to the bit"
    where = f"{found.result_name}: {element_text(found.results[found.result])}"
    if found.is_fine:
        rows = f"; {_rows_text(found.rows)}" if found.rows else ""
        return f"{found.engine} agrees but for {_FINE_WORDS[found.verdict](found)}; worst in {where}{rows}"
    if found.verdict == "unknown":
        by = f" (amplified {found.amplified})" if found.amplified else ""
        return (
            f"unknown whether {found.engine} is right: rounding alone may make such a difference{by}; {where}"
        )
    if found.verdict == "identity":
        by = (
            f" by {_pass_text(found.attribution.suspect)}"
            if found.attribution and found.attribution.suspect
            else ""
        )
        return f"{found.engine} differs beyond rounding{by}, by an identity of real numbers that XLA intends; {where}"
    return f"{found.engine} is wrong{_culprit_text(found.attribution)}; {where}"


def _rows_text(rows: Sequence[str]) -> str:
    more = f" and {len(rows) - MOST_ROWS:,} more" if len(rows) > MOST_ROWS else ""
    return "; ".join(rows[:MOST_ROWS]) + more


_ROUNDING_WORDS: dict[Test, str] = {
    "bits": "signs of zeros and denormals",
    "bound": "rounding, within its bound",
    "noise": "rounding, as large as that of randomly rounded runs",
    "tolerance": "differences within the tolerance",
    "witness": "rounding, as a run in more digits shows",
}
_FINE_WORDS: dict[str, Any] = {
    "rounding": lambda found: _ROUNDING_WORDS[found.results[found.result].decided_by],
    "amplified": lambda found: f"rounding, amplified {found.amplified}{_against_exact(found)}",
    "flushed": lambda found: "denormals, which it takes for 0",
}


def _against_exact(found: EngineComparison) -> str:
    if found.against_exact is None:
        return ""
    return f" (it is {found.against_exact:.2g} times as far from the result in more digits as ours)"


def _culprit_text(attribution: Attribution | None) -> str:
    if attribution is None or attribution.culprit == "unknown":
        return ""
    if attribution.culprit == "pass":
        return f": {_pass_text(attribution.suspect)} changed the values" if attribution.suspect else ""
    culprit = attribution.isolation.culprit if attribution.isolation else None
    what = f" for %{culprit.instruction.name}" if culprit else ""
    return f": the passes are right, but not the code that XLA generates{what}"


def element_text(found: Difference) -> str:
    """`element [3, 17] is 2.5, not 2.0 (8 of 64 elements)`."""
    if found.kind == "shape":
        return f"it is {found.after}, not {found.before}"
    if found.kind == "same_bits":
        return "the same bits"
    ulps = f", {found.ulps:,.4g} ULP" if found.ulps is not None and found.ulps == found.ulps else ""
    count = f"{found.count:,} of {found.size:,} elements differ"
    index = list(found.index or ())
    return f"element {index} is {number_text(found.after)}, not {number_text(found.before)} ({count}{ulps})"


def _pass_text(text: Text | None) -> str:
    if text is None:
        return "an unknown pass"
    stage = text.stage
    if not stage.changed_by or stage.number is None:
        return f"`{stage.title}`"
    since = f", or a pass since `{stage.since}`," if stage.since else ""
    return f"`{stage.changed_by}` (pass {stage.number}){since}"


def _located(found: Located) -> Iterator[str]:
    if found.first is not None:
        first = found.first
        yield f"first divergence: {first.op} {first.name} (line {first.line}): {element_text(first.difference)}"
    if found.problem:
        yield f"intermediate values: {found.problem}"
    if not found.is_hidden:
        return
    yield f"the fault is hidden when all {found.asked:,} intermediate values are results too"
    if found.hiding:
        yield f"  also when only one is: {_names(found.hiding)}"
    if found.harmless:
        yield f"  right, and does not hide it: {_names(found.harmless)}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[-MOST_NAMES:]) + more


def _attribution_lines(found: Attribution) -> Iterator[str]:
    if found.problem:
        yield f"texts between the passes: {found.problem}"
    if found.changed is not None:
        change = found.changed
        yield f"our engine runs each text: {_pass_text(change.after)} changed the values: {element_text(change.difference)}"
    elif found.culprit == "code generation":
        yield "our engine runs the optimised text: its values are right, no pass changed them"
    yield from _emitted(found)
    yield from _instruction(found)
    yield from (_switched_off(trial) for trial in found.switched_off)


def _emitted(found: Attribution) -> Iterator[str]:
    asked = [answer for answer in found.answers if answer.difference is not None or answer.crash]
    if not asked:
        return
    if found.turned is None:
        yield f"compiled without further passes, the last of {len(asked):,} texts gives the right result"
    elif found.turned.crash:
        yield f"compiled without further passes, the text after {_pass_text(found.turned.text)} crashes XLA"
    elif found.changed is not None:
        yield f"compiled without further passes, the texts from {_pass_text(found.turned.text)} on give XLA's wrong result"
    elif found.turned is asked[0]:
        yield f"compiled without further passes, each of {len(asked):,} texts gives a wrong result"
    else:
        yield f"compiled without further passes, the texts from {_pass_text(found.turned.text)} on give a wrong result"


def _instruction(found: Attribution) -> Iterator[str]:
    alone = found.isolation
    if alone is None:
        return
    if not alone.tried and alone.skipped:
        yield f"no instruction could be run alone: {alone.skipped[0]}"
        return
    if alone.culprit is None:
        end = "" if alone.is_complete else ", and time was not enough for the others"
        yield f"each of {alone.tried:,} instructions is right in isolation{end}"
        return
    culprit = alone.culprit
    kind = culprit.instruction.written.opcode
    yield f"{kind} %{culprit.instruction.name} is wrong in isolation: {element_text(culprit.difference)}"
    if found.lines:
        lines = ", ".join(map(str, found.lines))
        yield f"  it computes line{'s' if len(found.lines) > 1 else ''} {lines} of the program"
    if found.made_by is not None:
        yield f"  {_pass_text(found.made_by)} made it"


def _switched_off(trial: SwitchedOff) -> str:
    if trial.is_cured is None:
        return f"without the pass `{trial.pass_name}` XLA has no answer: {trial.problem}"
    return (
        f"without the pass `{trial.pass_name}` the results are {'right' if trial.is_cured else 'still wrong'}"
    )


# JSON


def as_json(found: EngineComparison) -> dict[str, Any]:
    """The whole report in types of JSON; numbers that are not finite as text."""
    return {
        "verdict": found.verdict,
        "sentence": verdict_sentence(found),
        "device_rounding": list(found.rows),
        "engine": found.engine,
        "failed_pass": found.failed_pass or None,
        "results": [difference_json(result) for result in found.results],
        "repeated": repeated_json(found.repeated),
        "first_divergence": _located_json(found.located),
        "attribution": None if found.attribution is None else _attribution_json(found.attribution),
    }


def _located_json(found: Located | None) -> dict[str, Any] | None:
    if found is None:
        return None
    first = found.first
    return {
        "value": None if first is None else first.name,
        "op": None if first is None else first.op,
        "line": None if first is None else first.line,
        "difference": None if first is None else difference_json(first.difference),
        "asked": found.asked,
        "hidden": found.is_hidden,
        "hiding": list(found.hiding),
        "problem": found.problem,
    }


def _attribution_json(found: Attribution) -> dict[str, Any]:
    culprit = found.isolation.culprit if found.isolation else None
    suspect = found.suspect
    return {
        "culprit": found.culprit,
        "pass": None if suspect is None else suspect.stage.changed_by,
        "number": None if suspect is None else suspect.stage.number,
        "instruction": None if culprit is None else culprit.instruction.name,
        "lines": list(found.lines),
        "texts": [_answer_json(answer) for answer in found.answers],
        "switched_off": [{"pass": trial.pass_name, "cured": trial.is_cured} for trial in found.switched_off],
        "problem": found.problem,
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    stage = answer.text.stage
    verdict = None if answer.difference is None else answer.difference.kind
    return {"number": stage.number, "pass": stage.pass_name, "emitted": verdict, "problem": answer.problem}
