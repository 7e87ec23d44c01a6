"""Correct answers of polls, read from the recording by the server."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

from ..answers.provenance import ProvenanceQuestion
from ..answers.repeats import RepeatsQuestion
from ..answers.values import ElementQuestion, SummaryQuestion
from ..base.errors import ApiError
from ..present.typed_answers import NumberKind, clean, digits_of
from ..sessions.sessions import Sessions
from ..sessions.view_links import key_for
from ..wire.provenance import WireSet
from ..wire.rooms import PollCover, PollSource, PollTarget, PollTruth, PollValue, RoomPoll
from .polls import is_right

MOST_CELLS = 10_000
"""Maximum elements that may be correct answers."""


async def target_type(
    sessions: Sessions, link: str, target: PollTarget
) -> tuple[list[int], NumberKind | None]:
    """The shape of a poll's value and the kind of its element; `ApiError` if missing."""
    key = await _key(sessions, link, target["run"])
    summary = (await sessions.recordings.ask(key, SummaryQuestion(target["address"]))).json()
    if summary["shape"] is None:
        text = summary["text"]
        raise ApiError(422, "no_elements", f"{text} has no elements to ask about.", parts=[text])
    kind = None
    if target["element"] is not None:
        _, kind = await _element(sessions, key, target["address"], target["element"])
    if target["read_by"] is not None:
        await _cells(sessions, key, target["address"], target["read_by"])
    return summary["shape"], kind


async def cover_of(sessions: Sessions, link: str, target: PollTarget) -> PollCover | None:
    """What members' pages cover while the poll is open; None if it has no recorded answer."""
    asked = target["read_by"] or (target if target["element"] is not None else None)
    if asked is None:
        return None
    key = await _key(sessions, link, target["run"])
    question = RepeatsQuestion(asked["address"], asked["element"] or [])
    return (await sessions.recordings.ask(key, question)).json()


async def truth_of(
    sessions: Sessions, link: str, poll: RoomPoll, answers: Mapping[str, PollValue]
) -> PollTruth | None:
    """The recorded truth of a poll and its number of correct answers; None without one."""
    target = poll["target"]
    if target is None or target["element" if poll["kind"] != "cell" else "read_by"] is None:
        return None
    key = await _key(sessions, link, target["run"])
    found = no_truth()
    if target["element"] is not None:
        shown, kind = await _element(sessions, key, target["address"], target["element"])
        found["shown"], found["number_kind"] = shown, kind
        found["digits"] = digits_of(shown, None) if kind == "float" else None
        found["options"] = [
            number for number, option in enumerate(poll["options"]) if is_right(clean(option), found)
        ]
    if poll["kind"] == "cell" and target["read_by"] is not None:
        found["cells"] = await _cells(sessions, key, target["address"], target["read_by"])
    return counted(found, answers.values())


def counted(truth: PollTruth, answers: Iterable[PollValue]) -> PollTruth:
    """The truth with the number of correct answers."""
    return {**truth, "right": sum(is_right(value, truth) for value in answers)}


def no_truth() -> PollTruth:
    """A truth without correct answers."""
    return {"shown": None, "number_kind": None, "digits": None, "options": [], "cells": [], "right": 0}


async def _element(
    sessions: Sessions, key: str, address: str, element: Sequence[int]
) -> tuple[str, NumberKind]:
    """An element as the page prints it, and its kind."""
    found = (await sessions.recordings.ask(key, ElementQuestion(address, list(element)))).json()
    if found["kind"] == "complex":
        raise ApiError(
            422, "complex", "A poll cannot ask for a complex number.", hint="Ask for its real part."
        )
    return found["text"], found["kind"]


async def _cells(sessions: Sessions, key: str, address: str, source: PollSource) -> list[list[int]]:
    """The elements of the value at `address` that the source element depends on."""
    elements = "@" + ",".join(map(str, source["element"]))
    if not source["element"]:
        elements = ""  # a scalar has only one element
    question = ProvenanceQuestion(source["address"], elements, "back", "all")
    found = (await sessions.recordings.ask(key, question)).json()
    sets = [node["elements"] for node in found["nodes"] if node["address"] == address]
    if not sets:
        raise ApiError(
            422, "no_dependence", "That element does not depend on the value.",
            hint="Choose an element that reads the value, and the value that it reads.",
        )  # fmt: skip
    cells = {cell for one in sets for cell in itertools.islice(_elements(one), MOST_CELLS)}
    return [list(cell) for cell in sorted(cells)[:MOST_CELLS]]


def _elements(found: WireSet) -> Iterator[tuple[int, ...]]:
    """The indices of the elements in a set."""
    for box in found.get("boxes", []):
        ranges = (
            range(start, start + size * stride, stride)
            for start, size, stride in zip(box["start"], box["sizes"], box["strides"], strict=True)
        )
        yield from itertools.product(*ranges)
    for first, length in found.get("runs", []):
        yield from (_index(position, found["shape"]) for position in range(first, first + length))


def _index(position: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of a position in row-major order."""
    return tuple(position // prod(shape[axis + 1 :]) % size for axis, size in enumerate(shape))


async def _key(sessions: Sessions, link: str, run: int) -> str:
    return key_for(link, (await sessions.run_info(link, run))["key"])
