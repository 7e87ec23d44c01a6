"""The server's lessons: each is resolved once, and all its readers share one session.

Readers open the session by a read-only link, derived from the server's secret and the session's contents. The link is
therefore the same after a restart, and a session missing in the store is created again.
"""

import asyncio
import hashlib
import json
from typing import Any

from ..base.cache import Cache
from ..base.errors import ApiError, not_found
from ..base.keys import session_hash
from ..base.large_texts import check_size
from ..base.shared_work import SharedWork
from ..lessons.format import LessonErrors
from ..lessons.shipped import Shelf
from ..lessons.sources import parse_source
from ..lessons.tasks import problems_json
from ..sessions.sessions import Sessions
from ..sessions.view_links import derived_link
from ..store import Position
from ..wire import lessons as wire

LOOK_SECONDS = 0.02
"""Interval between checks whether a run is recorded."""
MOST_KEPT = 200
"""Maximum resolved lessons in memory: languages and revisions count separately."""


class LessonProblems(ApiError):
    """A lesson in preparation has problems and cannot be shown."""

    def __init__(self, problems: list[wire.LessonProblem]) -> None:
        first = problems[0]
        text = f"{first['file']}:{first['line']}: {first['message']}"
        super().__init__(422, "lesson", text, hint=first["hint"])
        self.problems = problems


class Lessons:
    """Lessons by name; independent of HTTP."""

    def __init__(self, sessions: Sessions, shelf: Shelf, secret: str) -> None:
        self.shelf, self._sessions, self._secret = shelf, sessions, secret
        self._resolved = Cache[str, wire.ResolvedLesson](MOST_KEPT)
        self._resolving = SharedWork[wire.ResolvedLesson](outlives_callers=True)
        self._creating = SharedWork[None](outlives_callers=True)

    async def titles(self, language: str | None = None) -> list[wire.LessonTitle]:
        """All lessons, in reading order."""
        return await asyncio.to_thread(self.shelf.titles, language)

    async def info(self, name: str, language: str | None = None) -> wire.LessonInfo:
        """A lesson with its session; `ApiError` if it does not exist, or `LessonProblems`."""
        lesson, runs = await self._lesson(name, language)
        session = await self._session(runs, lesson["title"])
        info: wire.LessonInfo = {**lesson, "session": session}
        if self.shelf.is_own(name):
            info["revision"] = await self.revision(name)
        return info

    async def steps(self, name: str) -> list[wire.LessonStep]:
        """The steps of a lesson, without its session; raises as `info` does."""
        return (await self._lesson(name, None))[0]["steps"]

    async def _lesson(self, name: str, language: str | None) -> tuple[wire.LessonInfo, list[wire.LessonRun]]:
        found = await self._resolve(await self._source(name, language))
        if found["lesson"] is None:
            raise LessonProblems(found["problems"])
        return found["lesson"], found["runs"]

    async def shown(self, name: str, language: str | None = None) -> wire.LessonInfo:
        """A lesson with its session, the lessons to read before it, and the one that follows it in the list."""
        info = await self.info(name, language)
        needs, after = await asyncio.to_thread(self.shelf.neighbours, name, language)
        return {**info, "needs": needs, "next": after}

    async def check_change(
        self, name: str, step: str, text: str, language: str | None = None
    ) -> wire.ChangeResult:
        """Whether a student's program passes the exercise of a step, within the trial limits."""
        await check_size(text, self._sessions.settings.max_program_bytes)
        source = await self._source(name, language)
        try:
            lesson = parse_source(source)
        except LessonErrors as errors:
            raise LessonProblems(problems_json(errors.found, source["file"])) from None
        if not any(each.id == step and each.change for each in lesson.steps):
            raise not_found("exercise in this lesson")
        return await self._sessions.supervisor.checkers.change(source, step, text)

    async def revision(self, name: str) -> str:
        """A hash of a lesson's files, which changes while the lesson is edited."""
        try:
            return await asyncio.to_thread(self.shelf.revision, name)
        except KeyError:
            raise not_found("lesson") from None

    async def stop(self) -> None:
        """Cancel the running tasks."""
        await self._resolving.stop()
        await self._creating.stop()

    async def _source(self, name: str, language: str | None) -> wire.LessonSource:
        try:
            return await asyncio.to_thread(self.shelf.source, name, language)
        except KeyError:
            raise not_found("lesson") from None
        except LessonErrors as errors:
            raise LessonProblems(problems_json(errors.found, name)) from None
        except (OSError, UnicodeDecodeError) as error:
            problem: wire.LessonProblem = {
                "file": name,
                "line": 1,
                "message": f"the file cannot be read: {error}",
                "hint": None,
            }
            raise LessonProblems([problem]) from None

    async def _resolve(self, source: wire.LessonSource) -> wire.ResolvedLesson:
        key = _digest(source)
        if (known := self._resolved.get(key)) is not None:
            return known
        found = await self._resolving.join(key, lambda: self._sessions.supervisor.checkers.lesson(source))
        self._resolved[key] = found
        return found

    async def _session(self, runs: list[wire.LessonRun], title: str) -> str:
        """The link to the session with these runs, which is created if missing."""
        link = derived_link(self._secret, f"lesson {_digest(runs)}")
        if not await self._exists(link):
            await self._creating.join(link, lambda: self._create(link, runs, title))
        return link

    async def _exists(self, link: str) -> bool:
        try:
            await self._sessions.session(link)
        except ApiError as error:
            if error.status != 404:
                raise
            return False
        return True

    async def _create(self, link: str, runs: list[wire.LessonRun], title: str) -> None:
        """Create a session with a run of each program; the link is added after all runs."""
        if await self._exists(link):
            return
        first, *others = runs
        identifier = await self._sessions.create(
            first["text"], title, first["entry"], first["inputs"], first["grid"]
        )
        try:
            await self._record(identifier, 1)
            for number, run in enumerate(others, 2):
                started = await self._sessions.start_run(
                    identifier, run["text"], run["entry"], run["inputs"], None, run["grid"]
                )
                if started["run"] is None or started["run"]["number"] != number:
                    raise ApiError(
                        503,
                        "lesson",
                        f"The program {run['name']} of this lesson cannot be opened.",
                        parts=[run["name"]],
                    )
                await self._record(identifier, number)
            await self._sessions.move(identifier, Position(run=1))
            await self._sessions.links.create_named(link, session_hash(identifier))
        except BaseException:
            await self._sessions.stored.delete(identifier)
            raise

    async def _record(self, identifier: str, number: int) -> None:
        """Record a run to its end before the next: a worker keeps two and truncates closed ones."""
        await self._sessions.record(identifier, number, None)
        while (await self._sessions.run_info(identifier, number))["state"]["kind"] == "recording":
            await asyncio.sleep(LOOK_SECONDS)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
