"""A room in a process that generates load: followers, and in the first process the teacher too."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict
from time import perf_counter, time
from typing import Any

from .follower import Follower, Line, RoomTally, Teacher
from .page_requests import page_requests
from .reader import Reader

JSON = dict[str, Any]
OPEN_WITHIN = 2.0
AFTER_SECONDS = 6.0
"""So long the teacher goes on after a line that was lost, however long the server took to start."""
LONGEST_SECONDS = 120.0
STEPS_BEFORE_RETURN = 55
"""The teacher goes so far, and begins again: what is asked for was recorded for so many steps."""


async def room(job: JSON) -> JSON:
    """Members come in, follow from `lead_at` on for `seconds`, and answer the poll of `ask_at`, if that is given."""
    tally, recorded = RoomTally(), page_requests()

    def reader() -> Reader:
        page = f"/room/{job['room']}"
        return Reader(job["port"], job["link"], job["key"], "tensor", recorded, page)

    followers = [
        Follower(reader(), job["room"], number, tally, job.get("steps", []))
        for number in range(job["first"], job["first"] + job["count"])
    ]
    teacher = Teacher(reader(), job["room"], job["owner"], tally) if job["first"] == 0 else None
    await _until(job["begin"])
    await asyncio.gather(*(_come(follower, job, tally) for follower in followers))
    staying = [asyncio.create_task(follower.stay()) for follower in followers]
    found: JSON = {"count": 0, "inside": sum(follower.welcome.is_set() for follower in followers)}
    if teacher is not None:
        await teacher.come()
        found["count"] = await _teach(teacher, job)
    else:
        await _until(job["begin"] + job["lead_at"] + job["seconds"] + 3)
    if job["ask_at"] is not None:
        revealed = (follower.revealed.wait() for follower in followers)
        with suppress(TimeoutError):  # what is missing then is seen in what is counted
            await asyncio.wait_for(asyncio.gather(*revealed), LONGEST_SECONDS)
    await asyncio.gather(*(follower.settle() for follower in followers))
    at_end = {follower.step for follower in followers}
    for task in staying:
        task.cancel()
    lines: list[Line] = [*followers, *([teacher] if teacher else [])]
    for line in lines:
        line.close()
    return {**asdict(tally), **found, "steps_at_end": sorted(at_end), "lines": len(followers)}


async def _come(follower: Follower, job: JSON, tally: RoomTally) -> None:
    await asyncio.sleep(OPEN_WITHIN * follower.number / job["of"])
    await follower.reader.open(tally)
    await follower.come()


async def _teach(teacher: Teacher, job: JSON) -> int:
    """Steps as often as `rate` a second; the number of answers to the poll."""
    start, has_asked = job["begin"] + job["lead_at"], False
    await _until(start)
    for number in range(int(job["seconds"] * job["rate"])):
        await _until(start + number / job["rate"])
        teacher.step = number % STEPS_BEFORE_RETURN
        teacher.lead()
        if job["ask_at"] is not None and not has_asked and time() >= job["begin"] + job["ask_at"]:
            teacher.ask()
            has_asked = True
    while teacher.back_at is not None and perf_counter() < teacher.back_at + AFTER_SECONDS:
        teacher.step = (teacher.step + 1) % STEPS_BEFORE_RETURN
        teacher.lead()
        await asyncio.sleep(1 / job["rate"])
    return await teacher.count(job["of"]) if has_asked else 0


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time()))
