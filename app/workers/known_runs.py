"""Runs that have ended on this server, by the requests that opened them.

A run is determined by its program and inputs. A session that opens the same program with the same inputs has the same
recording, and needs no worker until a question comes whose answer is not kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace

from ..base.fair_cache import FairCache
from ..wire.tasks import OpenedRun
from .session_worker import OpenRequest, Status

LONGEST_TEXT = 400_000
"""Maximum length of a program: hashing a longer one takes long."""
MOST_ENDS = 10_000
"""Maximum number of recordings whose end is known."""


class KnownRuns:
    """The results of opening runs, up to `most_bytes` of them, and how these runs ended; principals share both."""

    def __init__(self, most_bytes: int) -> None:
        self._opened = FairCache[str, tuple[str, bytes]](most_bytes, lambda item: len(item[1]))
        """The recording and the result, as JSON, by the name of the request."""
        self._ends = FairCache[str, Status](MOST_ENDS)

    def opened(self, request: OpenRequest, result: OpenedRun) -> None:
        """Note the result of opening a run, unless it reads from queues that the user fills."""
        if result["feeds"] is None and (name := _name(request)) is not None:
            self._opened[name] = (result["key"], json.dumps(result).encode())

    def ended(self, key: str, status: Status) -> None:
        """Note how the run with this recording ended."""
        self._ends[key] = replace(status)

    def find(self, request: OpenRequest) -> OpenedRun | None:
        """The result of opening a run that has ended since then, or None."""
        name = _name(request)
        known = self._opened.get(name) if name is not None else None
        if known is None:
            return None
        result: OpenedRun = json.loads(known[1])
        end = self._ends.get(known[0])
        return None if end is None else {**result, "state": end.state, "steps": end.steps}

    def end(self, key: str) -> Status | None:
        """The final status of a recording, for another session that has it; None if it is unknown."""
        end = self._ends.get(key)
        return None if end is None else Status(
            end.state, end.steps, end.frames, None, prints=end.prints, findings=end.findings,
            progress=end.progress, end=end.end,
        )  # fmt: skip

    def forget(self, recordings: Iterable[str]) -> None:
        """Drop these recordings and the results of opening their runs."""
        gone = set(recordings)
        for key in gone:
            self._ends.drop(key)
        for name in [name for name in list(self._opened) if self._opened[name][0] in gone]:
            self._opened.drop(name)


def _name(request: OpenRequest) -> str | None:
    """The hash of a request; None if its program is too long."""
    if len(request.text) > LONGEST_TEXT:
        return None
    feeds = request.feeds and {**request.feeds, "mark": ""}  # irrelevant without queues that the user fills
    parts = asdict(replace(request, steps=0, feeds=feeds))  # files are named by their contents
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
