"""Which run of which session made a recording: a recording is asked for by its key alone."""

from __future__ import annotations

from collections import OrderedDict

from ..base.errors import not_found
from ..store.pending_writes import StoreThread
from .complete_answers import CompleteAnswers

MOST_KEYS = 1_000


class KnownRuns:
    """Which run made a recording, for recordings that were asked for lately, so that the store need not be asked."""

    def __init__(self, thread: StoreThread, answers: CompleteAnswers) -> None:
        """`answers` are those about the recordings that are kept: they go with the session that made them."""
        self._thread, self._answers = thread, answers
        self._places: OrderedDict[str, tuple[str, int]] = OrderedDict()
        self._numbers: dict[tuple[str, str], int] = {}
        """The run of a session that made a recording; two sessions may have made the same."""

    def number(self, session: str, key: str) -> int | None:
        """The run of the session that made a recording."""
        return self._numbers.get((session, key))

    def know(self, key: str, session: str, number: int) -> None:
        """Notes that a run has made the recording `key`."""
        self._numbers[session, key] = number
        self._places[key] = (session, number)
        self._places.move_to_end(key)
        while len(self._places) > MOST_KEYS:
            self._places.popitem(last=False)

    def forget(self, session: str) -> None:
        """The session is deleted: nothing is known of its recordings, and no answer about them is kept."""
        keys = [key for owner, key in self._numbers if owner == session]
        for key in keys:
            del self._numbers[session, key]
            if self._places.get(key, ("", 0))[0] == session:
                del self._places[key]
        self._answers.forget(keys)

    async def place(self, key: str, active: str | None) -> tuple[str, int]:
        """Session and run that made a recording: `active`, where it has it open, so that no other need be asked."""
        if active is not None and (active, key) in self._numbers:
            return active, self._numbers[active, key]
        if key in self._places:
            self._places.move_to_end(key)
            return self._places[key]
        found = await self._thread.call(self._thread.store.runs_with_key, key)
        if not found:
            raise not_found("recording")
        session, number = next((place for place in found if place[0] == active), found[0])
        self.know(key, session, number)
        return session, number
