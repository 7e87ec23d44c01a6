"""The cause of a difference or a crash, from the report of a comparison."""

from __future__ import annotations

from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits
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
        before, after = _rewrite(attribution.changed, run, limits)
        return Cause("pass", pass_name, before, after, IDENTITY if found.verdict == "identity" else "")
    first = found.located.first if found.located is not None else None
    alone = attribution.isolation.culprit if attribution is not None and attribution.isolation else None
    return Cause(
        "unknown" if attribution is None else attribution.culprit,
        pass_name,
        after=alone.instruction.written.opcode if alone is not None else "",
        detail=IDENTITY if found.verdict == "identity" else first.op if first is not None else "",
    )


def _rewrite(changed: Changed, run: OurRun, limits: Limits) -> tuple[str, str]:
    """The opcodes of the culprit instruction before and after the pass; empty if it is unknown."""
    texts = changed.before.instructions, changed.after.instructions
    try:
        runs = [run_ours(text.text, run.arguments, limits) for text in (changed.before, changed.after)]
    except ProgramError:
        return "", ""
    wrong = [number for number, result in enumerate(runs[0].compare(runs[1].results)) if result.is_different]
    one, other = (Executed.of(run.recording, text) for run, text in zip(runs, texts, strict=True))
    found = Search(one, other, compare_texts(*texts), runs[0].judge).find(wrong)
    if found is None:
        return "", ""
    before = texts[0].instructions.get(found.before)
    after = texts[1].instructions.get(found.after)
    return before.written.opcode if before else "", after.written.opcode if after else ""
