"""The cause of a difference or a crash, from the report of a comparison."""

from __future__ import annotations

from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.rewriting import Rewrite, describe_rewrite
from hloscope.engine.passes.text_changes import compare_texts

from ...passes.culprit import Executed, Search
from ..between_passes import Changed
from ..our_runs import OurRun, run_ours
from ..report import EngineComparison
from .records import Cause

IDENTITY = "an identity of real numbers"


def cause_of(found: EngineComparison, run: OurRun, limits: Limits) -> Cause | None:
    """The cause; `None` if the results are the same, or may be."""
    if found.is_fine or found.verdict == "unknown":
        return None
    attribution = found.attribution
    suspect = attribution.suspect if attribution is not None else None
    pass_name = suspect.stage.changed_by if suspect is not None else ""
    if found.verdict == "failed":
        return Cause("no answer", pass_name, detail=found.failure)
    if attribution is not None and attribution.changed is not None:
        told = _rewrite(attribution.changed, run, limits)
        detail = IDENTITY if found.verdict == "identity" else ""
        return Cause("pass", pass_name, told.before, told.after, detail, told.change)
    first = found.located.first if found.located is not None else None
    alone = attribution.isolation.culprit if attribution is not None and attribution.isolation else None
    return Cause(
        "unknown" if attribution is None else attribution.culprit,
        pass_name,
        after=alone.instruction.written.opcode if alone is not None else "",
        detail=IDENTITY if found.verdict == "identity" else first.op if first is not None else "",
    )


def _rewrite(changed: Changed, run: OurRun, limits: Limits) -> Rewrite:
    """The rewrite of the culprit instruction; empty if it is unknown."""
    texts = changed.before.instructions, changed.after.instructions
    try:
        runs = [run_ours(text.text, run.arguments, limits) for text in (changed.before, changed.after)]
    except ProgramError:
        return Rewrite("", "")
    wrong = [number for number, result in enumerate(runs[0].compare(runs[1].results)) if result.is_different]
    one, other = (Executed.of(run.recording, text) for run, text in zip(runs, texts, strict=True))
    changes = compare_texts(*texts)
    found = Search(one, other, changes, runs[0].judge).find(wrong)
    return Rewrite("", "") if found is None else describe_rewrite(changes, found.before, found.after)
