"""Index from the key of a recording to the session and run that made it."""

from __future__ import annotations

from collections import OrderedDict

from ..base.errors import not_found
from ..store.pending_writes import StoreThread
from .complete_answers import CompleteAnswers

MOST_KEYS = 1_000
"""Maximum number of cached recordings."""


class KnownRuns:
    """The runs that made the recently requested recordings, cached from the store."""

    def __init__(self, thread: StoreThread, answers: CompleteAnswers) -> None:
        """`answers`: the cached answers, which are dropped with the session of their recording."""
        self._thread, self._answers = thread, answers
        self._runs: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._numbers: dict[tuple[str, str], int] = {}
        """The run number by session and recording; two sessions may share a recording."""

    def number(self, session: str, key: str) -> int | None:
        """The number of the session's run that made a recording, or None."""
        return self._numbers.get((session, key))

    def know(self, key: str, session: str, number: int) -> None:
        """Record that a run made the recording `key`."""
        self._numbers[session, key] = number
        self._runs[key] = (session, number)
        self._runs.move_to_end(key)
        while len(self._runs) > MOST_KEYS:
            self._runs.popitem(last=False)

    def forget(self, session: str) -> None:
        """Drop the recordings of a deleted session, and the cached answers about them."""
        keys = [key for owner, key in self._numbers if owner == session]
        for key in keys:
            del self._numbers[session, key]
            if self._runs.get(key, ("", 0))[0] == session:
                del self._runs[key]
        self._answers.forget(keys)

    async def locate(self, key: str, active: str | None) -> tuple[str, int]:
        """The session and run of a recording; prefers `active`, whose worker has it open."""
        if active is not None and (active, key) in self._numbers:
            return active, self._numbers[active, key]
        if key in self._runs:
            self._runs.move_to_end(key)
            return self._runs[key]
        found = await self._thread.call(self._thread.store.runs_with_key, key)
        if not found:
            raise not_found("recording")
        session, number = next((run for run in found if run[0] == active), found[0])
        self.know(key, session, number)
        return session, number
