"""Dumps of XLA's passes: examined, and their stages as `hloscope passes --json` prints them."""

from collections.abc import Iterator
from time import monotonic

from ..answers.lines import Line
from ..base.errors import ApiError
from ..passes.dumps.examinations import ACTIVE
from ..wire.dumps import DumpInfo, ExaminationWishes, StageFound
from .desk import Desk

EXAMINE_SECONDS = 45.0
DULL = ("same_text", "same_bits")


async def examined(desk: Desk, dump: str, wishes: ExaminationWishes) -> DumpInfo:
    """The dump with the results that its examination has after some seconds."""
    info = await desk.dumps.info(dump)
    if info["examination"]["kind"] in ("none", "stopped"):
        await desk.dumps.examine(dump, wishes)
    end = monotonic() + EXAMINE_SECONDS
    while (info := await desk.dumps.info(dump))["examination"]["kind"] in ACTIVE and monotonic() < end:
        await desk.dumps.progress(dump, info["examination"]["version"])
    if info["examination"]["kind"] == "failed":
        raise ApiError(422, "passes", info["examination"]["reason"])
    return info


def stage_lines(info: DumpInfo, limit: int) -> tuple[list[Line], str]:
    """The verdict, and the stages whose pass changed something; and the call that continues."""
    examination = info["examination"]
    wrong = examination["first_wrong"]
    about: Line = {
        "verdict": examination["sentence"],
        "done": f"{examination['done']} of {examination['total']}",
        "problems": [each["message"] for each in examination["problems"]] or None,
    }
    if wrong is not None:
        about["next"] = f"passes(id='dump-{info['id']}', module={wrong['module']}, stage={wrong['stage']})"
    found = list(_changed(info))
    left = len(found) - limit
    more = f"{left:,} more stages changed something: limit" if left > 0 else ""
    if examination["kind"] in ACTIVE:
        more = "The examination continues: call passes again."
    # Stages with a wrong verdict are never left out.
    found.sort(key=lambda line: line["verdict"] not in ("wrong", "nan", "signature"))
    return [about, *found[:limit]], more


def _changed(info: DumpInfo) -> Iterator[Line]:
    for found in info["examination"]["found"]:
        if found["verdict"] not in DULL:
            yield _stage(info, found)


def _stage(info: DumpInfo, found: StageFound) -> Line:
    """A stage with the fields of `hloscope passes --json`; `stage` is its number in lists."""
    module = info["modules"][found["module"]]
    stage = module["stages"][found["stage"]]
    worst = found["worst"]
    return {
        "stage": found["stage"],
        "module": module["key"],
        "number": stage["number"],
        "pipeline": stage["pipeline"],
        "pass": stage["pass_name"],
        "file": info["files"][stage["file"]]["path"],
        "verdict": found["verdict"],
        "worst": None
        if worst is None
        else {part: worst[part] for part in ("value", "index", "before", "after", "ulps")},
        "instructions": {part: found[part] for part in ("added", "removed", "changed")},
        "reason": found["reason"] or None,
    }
