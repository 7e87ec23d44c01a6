"""Results for a dump: a line for each stage, and the first wrong one."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from hloscope.engine.comparison.difference import Test
from hloscope.engine.passes.stages import DumpedModule, Stage
from hloscope.engine.passes.text_changes import Counts

from ..present.differences import Number, number_or_text, number_text
from .original_values import OriginalValues

Verdict = Literal["same_text", "same_bits", "rounding", "unknown", "wrong", "nan", "signature", "cannot_run"]
WRONG: tuple[Verdict, ...] = ("wrong", "nan", "signature")
"""The verdicts that incriminate a pass."""


@dataclass(frozen=True)
class Worst:
    """The worst element, or that of the culprit instruction if one is found."""

    value: str
    """`%add.9`: the instruction after the pass."""
    index: tuple[int, ...]
    before: Number
    after: Number
    ulps: float | None
    """Units in the last place between the two; `None` for integers and NaN."""
    replaced: str = ""
    """The instruction before the pass that it replaced; empty if unknown."""
    process: int | None = None
    """The process of a grid; `None` for whole values."""


@dataclass(frozen=True)
class StageReport:
    """The changes that a pass made to a module."""

    module: DumpedModule = field(repr=False)
    stage: Stage
    counts: Counts
    verdict: Verdict | None
    """`None` for a changed text if nothing was run."""
    worst: Worst | None = None
    """Set if values differ, also within rounding."""
    reason: str = ""
    """The reason why it cannot run, or the difference of its signature."""
    hint: str = ""
    seconds: float = 0.0
    """Duration of the run; 0 for a text that was run before."""
    decided_by: Test = "bits"
    """The test that decided on values that differ."""

    @property
    def is_wrong(self) -> bool:
        """Whether the pass is the culprit."""
        return self.verdict in WRONG

    def as_json(self) -> dict[str, Any]:
        """The line of `--json`, without the names for people."""
        worst = self.worst
        return {
            "module": self.module.key,
            "number": self.stage.number,
            "pipeline": self.stage.pipeline,
            "pass": self.stage.pass_name,
            "file": self.stage.path,
            "verdict": self.verdict,
            "worst": None if worst is None else _worst_json(worst),
            "decided_by": None if worst is None else self.decided_by,
            "instructions": {
                "added": self.counts.added,
                "removed": self.counts.removed,
                "changed": self.counts.changed,
            },
        }


def _worst_json(worst: Worst) -> dict[str, Any]:
    return {
        "value": worst.value,
        "index": list(worst.index),
        "before": number_or_text(worst.before),
        "after": number_or_text(worst.after),
        "ulps": None if worst.ulps is None else number_or_text(float(worst.ulps)),
    }


@dataclass(frozen=True)
class ModuleReport:
    """All stages of one module."""

    module: DumpedModule = field(repr=False)
    stages: tuple[StageReport, ...]
    inputs: tuple[str, ...] = ()
    """The types of the arguments, the same for all stages."""
    origin: str = ""
    """The source of the argument values: `seed 0`, a file, a snapshot of the dump."""
    original_values: OriginalValues | None = None
    """What `original_value` recovers; `None` for texts without it."""

    @property
    def first_wrong(self) -> StageReport | None:
        """The first stage that a pass made wrong."""
        return next((found for found in self.stages if found.is_wrong), None)


@dataclass(frozen=True)
class Report:
    """The results for all requested modules."""

    modules: tuple[ModuleReport, ...]

    @property
    def stages(self) -> tuple[StageReport, ...]:
        """The stages of all modules, in order."""
        return tuple(stage for module in self.modules for stage in module.stages)

    @property
    def first_wrong(self) -> StageReport | None:
        """The first stage of any module that a pass made wrong."""
        return next((found for found in self.stages if found.is_wrong), None)

    @property
    def verdict(self) -> Literal["same", "different", "unknown"] | None:
        """`unknown` if a stage cannot run, or rounding alone may change its results as much.

        `None` if only the texts were compared.
        """
        if any(stage.verdict is None for stage in self.stages):
            return None
        if self.first_wrong is not None:
            return "different"
        is_open = any(stage.verdict in ("cannot_run", "unknown") for stage in self.stages)
        return "unknown" if is_open or not self.has_passes else "same"

    @property
    def has_passes(self) -> bool:
        """Whether any module has a text after a pass."""
        return any(len(module.stages) > 1 for module in self.modules)

    @property
    def sentence(self) -> str:
        """The verdict: the pass, the instruction, the element; or that there is no error."""
        return verdict_sentence(self)

    def json_lines(self) -> list[str]:
        """A line of JSON for each stage, and a last one for the first wrong stage."""
        lines = [json.dumps(stage.as_json(), allow_nan=False, ensure_ascii=False) for stage in self.stages]
        return [*lines, self.last_json_line()]

    def last_json_line(self) -> str:
        """`{"verdict": …, "first_wrong": …}`: that stage's line, or null; `original_values` by module, if any."""
        wrong = self.first_wrong
        found: dict[str, Any] = {"verdict": self.verdict, "first_wrong": wrong.as_json() if wrong else None}
        traced = {each.module.key: each.original_values for each in self.modules}
        if recovered := {key: each.as_json() for key, each in traced.items() if each}:
            found["original_values"] = recovered
        return json.dumps(found, allow_nan=False, ensure_ascii=False)


def verdict_sentence(report: Report, arrow: str = "->") -> str:
    """The verdict sentence of a wrong stage.

    `algsimp` (pass 14, 3rd run) first changed values beyond rounding: %multiply.7 became %add.9; element [3,
    17] 2.0 -> 2.5.
    """
    wrong = report.first_wrong
    if wrong is None:
        return _healthy_sentence(report)
    named = pass_text(wrong)
    if wrong.verdict == "signature":
        return f"{named} changed what the module takes or gives: {wrong.reason}"
    done = "first made values NaN" if wrong.verdict == "nan" else "first changed values beyond rounding"
    return f"{named} {done}: {_worst_text(wrong.worst, arrow)}" if wrong.worst else f"{named} {done}"


def pass_text(found: StageReport) -> str:
    """`algsimp` (pass 14, 3rd run)."""
    stage = found.stage
    # For a pass that contains an inner pipeline, no text has the number of its run.
    runs = [other for other in found.module.stages if stage.changed_by == other.pass_name == stage.pass_name]
    told = [] if stage.number is None else [f"pass {stage.number}"]
    told += [f"{_ordinal(stage.occurrence)} run"] if len(runs) > 1 else []
    since = f", or a pass since `{stage.since}`," if stage.since else ""
    place = f" ({', '.join(told)})" if told else ""
    return f"`{stage.changed_by}`{place}{since}"


def _worst_text(worst: Worst, arrow: str) -> str:
    change = f"{worst.replaced} became {worst.value}" if worst.replaced else worst.value
    if worst.replaced == worst.value:
        change = f"{worst.value} differs"
    where = f" of process {worst.process}" if worst.process is not None else ""
    element = f"element {list(worst.index)} {number_text(worst.before)} {arrow} {number_text(worst.after)}"
    return f"{change}; {element}{where}"


def _healthy_sentence(report: Report) -> str:
    ran = [stage for stage in report.stages if stage.verdict in ("same_text", "same_bits", "rounding")]
    broken = [stage for stage in report.stages if stage.verdict == "cannot_run"]
    unknown = [stage for stage in report.stages if stage.verdict is None]
    if unknown:
        return f"{len(unknown):,} of {len(report.stages):,} texts have changed; nothing was run"
    if not ran:
        return "nothing could be compared: no stage can run"
    if not report.has_passes:
        return "unknown: there is no text after a pass; dump with --xla_dump_hlo_pass_re=.* and --xla_dump_hlo_as_text"
    rounded = any(stage.verdict == "rounding" for stage in ran)
    told = "the same values but for rounding" if rounded else "the same values"
    open_ones = [stage for stage in report.stages if stage.verdict == "unknown"]
    if open_ones:
        told = f"rounding alone may change the values as much as {pass_text(open_ones[0])} does; {told} after the others"
    if broken:
        after = "" if open_ones else " after every pass that can be run"
        return f"unknown: {len(broken):,} of {len(report.stages):,} stages cannot run; {told}{after}"
    return f"unknown: {told}" if open_ones else f"{told} after every pass"


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
