"""Polls that are questions of a lesson: their truth is what the lesson has looked up in its recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..errors import ApiError, not_found
from ..wire.lessons import AskBlock, ChangeResult, LessonInfo
from ..wire.rooms import PollKind, PollTarget, PollTruth, PollValue, RoomPoll
from .truths import counted

KINDS: Mapping[str, PollKind] = {"number": "number", "choice": "choice", "cell": "cell"}


class Lessons(Protocol):
    """What a room needs of lessons."""

    async def lesson(self, name: str) -> LessonInfo:
        """The lesson, with its answers looked up; `ApiError` 404 where there is none."""

    async def check_change(self, name: str, step: str, text: str) -> ChangeResult:
        """Whether a changed program passes the exercise of a step."""


class NoLessons:
    """For a server without lessons."""

    async def lesson(self, name: str) -> LessonInfo:
        """There is none."""
        raise not_found("lesson")

    async def check_change(self, name: str, step: str, text: str) -> ChangeResult:
        """There is none."""
        raise not_found("lesson")


async def poll_of_lesson(lessons: Lessons, lesson: str | None, poll: RoomPoll) -> RoomPoll:
    """The poll with the kind, options and value of the question that it names."""
    ask = await _ask(lessons, lesson, poll["lesson_ask"] or "")
    if ask["ask"] not in KINDS:
        raise ApiError(
            422, "poll", f"A question of the kind {ask['ask']} cannot be asked as a poll.",
            hint="Questions for a number, a choice and a cell can.",
        )  # fmt: skip
    options = [str(number + 1) for number in range(len(ask["options"]))]
    return {**poll, "kind": KINDS[ask["ask"]], "question": "", "options": options, "target": _target(ask)}


def _target(ask: AskBlock) -> PollTarget | None:
    if ask["address"] is None:
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
        "shown": truth if isinstance(truth, str) else None,
        "options": [number for number, option in enumerate(ask["options"]) if option["right"]],
        "cells": ask["cells"] or [],
        "right": 0,
    }
    return counted(found, answers.values())


async def _ask(lessons: Lessons, lesson: str | None, wanted: str) -> AskBlock:
    if lesson is None:
        raise ApiError(422, "poll", "This room has no lesson whose questions could be asked.")
    for step in (await lessons.lesson(lesson))["steps"]:
        for block in step["blocks"]:
            if block["kind"] == "ask" and block["id"] == wanted:
                return block
    raise not_found("question in the lesson")
