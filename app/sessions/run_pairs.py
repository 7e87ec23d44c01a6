"""Questions about two runs of one session, both of which must be open in its worker."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from ..answers.program import OpenQuestion
from ..answers.question import OTHER_CLOSED, VALUES, PairQuestion
from ..base.errors import ApiError, not_found
from ..store import RunRecord, SessionRecord
from ..store.files import InputFiles
from ..store.pending_writes import StoreThread
from ..wire.questions import Answer
from ..workers.session_worker import OpenRequest
from ..workers.supervisor import Opener, Supervisor
from .view_links import ViewLinks

A = TypeVar("A")
ATTEMPTS = 3
"""Maximum attempts to open the second run, which other runs may displace."""


class RunPairs:
    """Finds the session with both recordings, and sends the question to its worker."""

    def __init__(
        self,
        thread: StoreThread,
        supervisor: Supervisor,
        request: Callable[[SessionRecord, RunRecord], Awaitable[OpenRequest]],
        files: InputFiles,
        links: ViewLinks,
    ) -> None:
        """`request` builds the request that opens a run of a session."""
        self._thread, self._supervisor, self._request, self._files = thread, supervisor, request, files
        self._links = links

    def opener_of(self, hash: str, number: int, key: str) -> Opener:
        """The opener of a run that is known only by its session and number."""

        async def opener() -> OpenRequest:
            session = await self._thread.call(self._thread.store.session, hash)
            run = session.run(number) if session else None
            if session is None or run is None or run.key != key:
                raise not_found("recording")
            return await self._request(session, run)

        return opener

    async def ask(self, key: str, question: PairQuestion[A]) -> Answer[A]:
        """The answer about the recording `key` and the question's other recording or values file."""
        key = await self._links.recording_of(key)
        if question.other.startswith(VALUES):
            return await self._ask_of_values(key, question)
        question = replace(question, other=await self._links.recording_of(question.other))
        session, number, other_number = await self._shared_session(key, question.other)
        opener = self.opener_of(session, number, key)
        other = self.opener_of(session, other_number, question.other)
        for attempt in range(ATTEMPTS):
            await self._supervisor.ask(session, question.other, other, OpenQuestion())
            try:
                return await self._supervisor.ask(session, key, opener, question)
            except ApiError as error:
                if error.kind != OTHER_CLOSED or attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError  # the last attempt returns or raises

    async def _ask_of_values(self, key: str, question: PairQuestion[A]) -> Answer[A]:
        path = self._files.path(question.other.removeprefix(VALUES))
        if path is None:
            raise not_found("file of values")
        known = await self._thread.call(self._thread.store.runs_with_key, key)
        if not known:
            raise not_found("recording")
        active = self._supervisor.active_session(key)
        session, number = next((run for run in known if run[0] == active), known[0])
        located = replace(question, other=f"{VALUES}{path}")
        return await self._supervisor.ask(session, key, self.opener_of(session, number, key), located)

    async def _shared_session(self, key: str, other: str) -> tuple[str, int, int]:
        """A session with both runs, and their numbers; prefers the session whose run is open."""
        ours, theirs = [
            dict(await self._thread.call(self._thread.store.runs_with_key, each)) for each in (key, other)
        ]
        if not ours or not theirs:
            raise not_found("recording")
        shared = [session for session in ours if session in theirs]
        if not shared:
            raise ApiError(
                422, "request", "These runs belong to different sessions.",
                hint="Add the other program or its inputs to this session as a run, and compare with that.",
            )  # fmt: skip
        active = self._supervisor.active_session(key)
        session = active if active is not None and active in shared else shared[0]
        return session, ours[session], theirs[session]
