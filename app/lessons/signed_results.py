"""Signatures of results of lessons, which a server gives and `hloscope lesson verify` tests.

A signature proves that the server judged these answers for this name; it proves neither who gave them nor without which help.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..wire.lessons import LessonInfo, LessonResult, Outcome

FORMAT = 1
PURPOSE = b"hloscope lesson result"
"""Derives the key of signatures from the server's token, so that a signature is of no other use."""


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
