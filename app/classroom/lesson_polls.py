"""Polls from questions of a lesson, whose truth the lesson has resolved."""

from collections.abc import Mapping, Sequence

from ..base.errors import ApiError, not_found
from ..present.typed_answers import NumberKind, clean, read_shape
from ..wire.lessons import AskBlock
from ..wire.rooms import PollTarget, PollTruth, PollValue, RoomPoll
from .lesson_sessions import Lessons
from .polls import is_right, label_of, words_of
from .truths import counted, no_truth


async def poll_of_lesson(
    lessons: Lessons, lesson: str | None, poll: RoomPoll
) -> tuple[RoomPoll, NumberKind | None]:
    """The poll completed from the lesson's question, and the kind of number it asks for."""
    ask = await ask_of(lessons, lesson, poll["lesson_ask"] or "")
    options = [str(number + 1) for number in range(len(ask["options"]))]
    found: RoomPoll = {**poll, "kind": ask["ask"], "question": "", "options": options, "target": _target(ask)}
    return found, ask["number_kind"]


def _target(ask: AskBlock) -> PollTarget | None:
    if ask["address"] is None or ask["ask"] != "cell":  # the lesson resolves the targets of other kinds
        return None
    return {
        "run": ask["run"], "process": ask["process"], "address": ask["address"], "element": ask["element"],
        "read_by": None,
    }  # fmt: skip


async def truth_of_lesson(
    lessons: Lessons, lesson: str | None, poll: RoomPoll, answers: Mapping[str, PollValue]
) -> PollTruth:
    """The truth resolved by the lesson, with the number of correct answers."""
    return counted(truth_of_ask(await ask_of(lessons, lesson, poll["lesson_ask"] or "")), answers.values())


def truth_of_ask(ask: AskBlock) -> PollTruth:
    """The truth of a question."""
    cells = _answers(ask)
    return {
        **no_truth(),
        "shown": _shown(ask, cells),
        "number_kind": ask["number_kind"],
        "digits": ask["digits"],
        "options": [number for number, option in enumerate(ask["options"]) if option["right"]],
        "cells": cells,
    }


def is_typed_right(ask: AskBlock, said: str) -> bool | None:
    """Whether an answer is right, as typed on the page; None if it does not answer the question.

    An option is its number from 0, and a step `process, step`.
    """
    value = _read(ask, said)
    return None if value is None else is_right(value, truth_of_ask(ask))


def _read(ask: AskBlock, said: str) -> PollValue | None:
    if ask["ask"] == "number":
        return clean(said) if label_of(said, ask["number_kind"]) is not None else None
    if ask["ask"] == "choice":
        return int(said) if said.isascii() and said.isdecimal() and len(said) < 4 else None
    return read_shape(said)


def _answers(ask: AskBlock) -> list[list[int]]:
    """The correct answers of a question whose answers are lists of numbers."""
    truth = ask["truth"]
    if not isinstance(truth, list):
        return ask["cells"] or []
    if ask["ask"] == "shape":
        return [truth]
    process = ask["place"]["process"] if ask["place"] else 0
    return [[process, step] for step in truth]


def _shown(ask: AskBlock, answers: Sequence[Sequence[int]]) -> str | None:
    if ask["ask"] in ("shape", "step"):
        return " or ".join(words_of(ask["ask"], answer) for answer in answers)
    return ask["truth"] if isinstance(ask["truth"], str) else None


async def ask_of(lessons: Lessons, lesson: str | None, identifier: str) -> AskBlock:
    """A question of a lesson, by its id; `ApiError` if there is none."""
    if lesson is None:
        raise ApiError(422, "poll", "This room has no lesson with questions.")
    for step in await lessons.steps(lesson):
        for block in step["blocks"]:
            if block["kind"] == "ask" and block["id"] == identifier:
                return block
    raise not_found("question in the lesson", "no_question")
