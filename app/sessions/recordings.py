"""Recordings: the run that made each, and questions about one or two of them, sent to the session's worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ..answers.program import OpenQuestion
from ..answers.question import NOT_RECORDED, OTHER_CLOSED, VALUES, PairQuestion
from ..base.cache import Cache
from ..base.errors import ApiError, not_found
from ..store import RunRecord, SessionRecord
from ..store.files import InputFiles
from ..store.pending_writes import StoreThread
from ..wire.questions import Answer, Question
from ..workers.session_worker import OpenRequest
from ..workers.supervisor import Opener, Supervisor
from .view_links import ViewLinks

A = TypeVar("A")
MOST_KEYS = 1_000
"""Maximum number of recordings whose runs are cached."""
LOOK_SECONDS = 0.05
"""Interval between checks whether something is recorded."""
ATTEMPTS = 3
"""Maximum attempts to open the second run, which other runs may displace."""


async def ask_until_recorded(
    ask: Callable[[], Awaitable[Answer[A]]], may_come: Callable[[], Awaitable[bool]], seconds: float
) -> Answer[A]:
    """The answer once what it is about is recorded: asks again while that `may_come`, and once more afterwards."""
    end, is_coming = time.monotonic() + seconds, True
    while True:
        try:
            return await ask()
        except ApiError as error:
            if error.kind != NOT_RECORDED or not is_coming or time.monotonic() > end:
                raise
        is_coming = await may_come()
        await asyncio.sleep(LOOK_SECONDS)


class Recordings:
    """The recordings of all sessions, by key. Two sessions may share one."""

    def __init__(
        self,
        thread: StoreThread,
        supervisor: Supervisor,
        request: Callable[[SessionRecord, RunRecord], Awaitable[OpenRequest]],
        files: InputFiles,
        links: ViewLinks,
        drop_answers: Callable[[Iterable[str]], None],
    ) -> None:
        """`request` builds the request that opens a run; `drop_answers` drops cached answers about recordings."""
        self._thread, self._supervisor, self._request, self._files = thread, supervisor, request, files
        self._links, self._drop_answers = links, drop_answers
        self._runs = Cache[str, tuple[str, int]](MOST_KEYS)
        """Session and number of a run that made the recording."""
        self._numbers: dict[str, dict[str, int]] = {}
        """The run numbers of a session by recording."""

    # The runs that made them.

    def number(self, session: str, key: str) -> int | None:
        """The number of the session's run that made a recording, or None."""
        return self._numbers.get(session, {}).get(key)

    def has_run(self, session: str, number: int | None) -> bool:
        """Whether a run of the session with this number has made a recording here."""
        return number in self._numbers.get(session, {}).values()

    def add(self, key: str, session: str, number: int) -> None:
        """Note that a run made the recording `key`."""
        self._numbers.setdefault(session, {})[key] = number
        self._runs[key] = (session, number)

    def forget(self, session: str) -> None:
        """Drop the recordings of a deleted session, and the cached answers about them."""
        keys = self._numbers.pop(session, {})
        for key in keys:
            if key in self._runs and self._runs[key][0] == session:
                self._runs.drop(key)
        self._drop_answers(keys)
        self._supervisor.forget_recordings(keys)

    async def _locate(self, key: str) -> tuple[str, int]:
        """The session and run of a recording; prefers the session whose worker has it open."""
        active = self._supervisor.active_session(key)
        if active is not None and (number := self.number(active, key)) is not None:
            return active, number
        if (known := self._runs.get(key)) is not None:
            return known
        runs = await self._stored_runs(key)
        session, number = next((run for run in runs if run[0] == active), runs[0])
        self.add(key, session, number)
        return session, number

    async def _stored_runs(self, key: str) -> list[tuple[str, int]]:
        """The sessions and numbers of all runs that made a recording; `ApiError` if there is none."""
        runs = await self._thread.call(self._thread.store.runs_with_key, key)
        if not runs:
            raise not_found("recording")
        return runs

    # Questions.

    async def ask(self, key: str, question: Question[A], *, patient: bool = True) -> Answer[A]:
        """The answer to a question about a recording, which is recorded again if necessary.

        Without `patient`, the request soon fails with `ApiError` if the session is queued or its subject is not yet recorded
        again, and the caller repeats it. A `PairQuestion` names another recording or a file of values, to compare with.
        """
        key = await self._links.recording_of(key)
        if isinstance(question, PairQuestion):
            if not question.other.startswith(VALUES):
                return await self._ask_pair(key, question)
            question = self._with_path(question)
        session, number = await self._locate(key)
        opener = self._opener_of(session, number, key)
        ask = partial(self._supervisor.ask, session, key, opener, question, patient=patient)
        if not patient:
            return await ask()

        async def is_replaying() -> bool:
            return self._supervisor.is_replaying(session, key)

        seconds = self._supervisor.settings.request_time_limit_ms / 1000
        return await ask_until_recorded(ask, is_replaying, seconds)

    def _with_path(self, question: PairQuestion[A]) -> PairQuestion[A]:
        path = self._files.path(question.other.removeprefix(VALUES))
        if path is None:
            raise not_found("file of values")
        return replace(question, other=f"{VALUES}{path}")

    async def _ask_pair(self, key: str, question: PairQuestion[A]) -> Answer[A]:
        """The answer of a worker that has both recordings open."""
        question = replace(question, other=await self._links.recording_of(question.other))
        session, number, other_number = await self._shared_session(key, question.other)
        opener = self._opener_of(session, number, key)
        other = self._opener_of(session, other_number, question.other)
        for attempt in range(ATTEMPTS):
            await self._supervisor.ask(session, question.other, other, OpenQuestion())
            try:
                return await self._supervisor.ask(session, key, opener, question)
            except ApiError as error:
                if error.kind != OTHER_CLOSED or attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError  # the last attempt returns or raises

    def _opener_of(self, session: str, number: int, key: str) -> Opener:
        """The opener of a run that is known only by its session and number."""

        async def opener() -> OpenRequest:
            found = await self._thread.call(self._thread.store.session, session)
            run = found.run(number) if found else None
            if found is None or run is None or run.key != key:
                raise not_found("recording")
            return await self._request(found, run)

        return opener

    async def _shared_session(self, key: str, other: str) -> tuple[str, int, int]:
        """A session with both runs, and their numbers; prefers the session whose run is open."""
        ours, theirs = dict(await self._stored_runs(key)), dict(await self._stored_runs(other))
        shared = [session for session in ours if session in theirs]
        if not shared:
            raise ApiError(
                422, "request", "These runs belong to different sessions.",
                hint="Add the other program or its inputs to this session as a run, and compare with that.",
            )  # fmt: skip
        active = self._supervisor.active_session(key)
        session = active if active is not None and active in shared else shared[0]
        return session, ours[session], theirs[session]
