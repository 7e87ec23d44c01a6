"""Polls that are questions of a lesson: their truth is what the lesson has looked up in its recording."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ApiError, not_found
from ..lesson_sessions import Lessons
from ..lessons.answers import NumberKind
from ..wire.lessons import AskBlock
from ..wire.rooms import PollKind, PollTarget, PollTruth, PollValue, RoomPoll
from .truths import counted, no_truth

KINDS: Mapping[str, PollKind] = {"number": "number", "choice": "choice", "cell": "cell"}


async def poll_of_lesson(
    lessons: Lessons, lesson: str | None, poll: RoomPoll
) -> tuple[RoomPoll, NumberKind | None]:
    """The poll with the kind, options and value of the question that it names, and what kind of number it asks for."""
    ask = await _ask(lessons, lesson, poll["lesson_ask"] or "")
    if ask["ask"] not in KINDS:
        raise ApiError(
            422, "poll", f"A question of the kind {ask['ask']} cannot be asked as a poll.",
            hint="Questions for a number, a choice and a cell can.",
        )  # fmt: skip
    options = [str(number + 1) for number in range(len(ask["options"]))]
    kind = KINDS[ask["ask"]]
    found: RoomPoll = {**poll, "kind": kind, "question": "", "options": options, "target": _target(ask)}
    return found, ask["number_kind"]


def _target(ask: AskBlock) -> PollTarget | None:
    if ask["address"] is None or ask["ask"] != "cell":  # what others are about the lesson knows
        return None
    return {
        "run": ask["run"], "process": ask["process"], "address": ask["address"], "element": ask["element"],
        "read_by": None,
    }  # fmt: skip


async def truth_of_lesson(
    lessons: Lessons, lesson: str | None, poll: RoomPoll, answers: Mapping[str, PollValue]
) -> PollTruth:
    """What the lesson has looked up."""
    ask = await _ask(lessons, lesson, poll["lesson_ask"] or "")
    truth = ask["truth"]
    found: PollTruth = {
        **no_truth(),
        "shown": truth if isinstance(truth, str) else None,
        "number_kind": ask["number_kind"],
        "digits": ask["digits"],
        "options": [number for number, option in enumerate(ask["options"]) if option["right"]],
        "cells": ask["cells"] or [],
    }
    return counted(found, answers.values())


async def _ask(lessons: Lessons, lesson: str | None, wanted: str) -> AskBlock:
    if lesson is None:
        raise ApiError(422, "poll", "This room has no lesson whose questions could be asked.")
    for step in (await lessons.info(lesson))["steps"]:
        for block in step["blocks"]:
            if block["kind"] == "ask" and block["id"] == wanted:
                return block
    raise not_found("question in the lesson")
