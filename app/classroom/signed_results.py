"""A student's result in a lesson, judged and signed by the server, as a file that the student hands in.

The signature proves that this server judged these answers for this name; it proves neither who gave them nor without which help.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..wire.lessons import LessonInfo, LessonResult, Outcome
from .lesson_polls import is_typed_right
from .lesson_sessions import Lessons
from .records import name_typed

FORMAT = 1
PURPOSE = b"hloscope lesson result"
"""Derives the key of signatures from the server's token, so that a signature is of no other use."""


async def judged_result(
    lessons: Lessons,
    name: str,
    student: str,
    answers: Mapping[str, str],
    programs: Mapping[str, str],
    secret: str,
) -> LessonResult:
    """The signed result of a lesson; `answers` by question, as typed, and `programs` by exercise."""
    lesson = await lessons.info(name)
    outcomes: dict[str, Outcome] = {}
    for step in lesson["steps"]:
        for block in step["blocks"]:
            if block["kind"] == "ask":
                said = answers.get(block["id"])
                right = None if said is None else is_typed_right(block, said)
            elif block["kind"] == "change":
                text = programs.get(block["id"])
                right = (
                    None if text is None else (await lessons.check_change(name, block["id"], text))["passed"]
                )
            else:
                continue
            outcomes[block["id"]] = "none" if right is None else "right" if right else "wrong"
    return signed(lesson, name_typed(student), outcomes, secret)


def signed(lesson: LessonInfo, student: str, outcomes: dict[str, Outcome], secret: str) -> LessonResult:
    """The result with its signature."""
    unsigned: dict[str, Any] = {
        "format": FORMAT,
        "lesson": lesson["name"],
        "version": lesson["version"],
        "title": lesson["title"],
        "student": student,
        "signed_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "right": sum(outcome == "right" for outcome in outcomes.values()),
        "of": len(outcomes),
        "outcomes": outcomes,
    }
    result: LessonResult = {**unsigned, "signature": _signature(unsigned, secret)}  # type: ignore[typeddict-item]
    return result


def is_genuine(result: Mapping[str, Any], secret: str) -> bool:
    """Whether the server with this token signed exactly this result."""
    unsigned = {name: value for name, value in result.items() if name != "signature"}
    return hmac.compare_digest(str(result.get("signature")).encode(), _signature(unsigned, secret).encode())


def _signature(unsigned: Mapping[str, Any], secret: str) -> str:
    key = hmac.digest(secret.encode(), PURPOSE, "sha256")
    text = json.dumps(unsigned, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
