"""What the tools work with: the sessions and dumps of a server, or those of a process that serves one agent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..base.settings import Settings
from ..comparing.jobs import EngineJobs
from ..passes.dumps.service import Dumps
from ..runs.formats.program_file import ProgramFile
from ..sessions.sessions import Sessions
from ..store import Store
from ..store.files import InputFiles
from ..store.pending_writes import StoreThread

Page = Callable[[str], Awaitable[str]]
"""The address at which a person opens a path of the server."""
Reader = Callable[[Path], "ProgramFile | Path"]
"""A program of this machine; the path itself of a dump or a saved page."""


class Data(Protocol):
    """An open data folder."""

    @property
    def store(self) -> Store: ...

    @property
    def files(self) -> InputFiles: ...


@dataclass(frozen=True)
class Desk:
    """The services that the tools call, and what they may do."""

    settings: Settings
    sessions: Sessions
    dumps: Dumps
    engines: EngineJobs
    page: Page
    turn: asyncio.Semaphore
    """Limits the reductions that run at a time, each in a process."""
    may_start_processes: bool
    """Whether reductions may run, as the setting `second_engine` states."""
    read: Reader | None = None
    """Reads files of this machine for an agent that runs on it as its user; `None` on a server, which reads none."""


@asynccontextmanager
async def own_desk(settings: Settings, data: Data, page: Page, read: Reader) -> AsyncIterator[Desk]:
    """A desk for one agent that its user runs locally, with the workers and limits of a server."""
    thread = StoreThread(data.store)
    sessions = Sessions(settings, thread, data.files)
    may_start = settings.allows_second_engine(serves_others=False)
    dumps = Dumps(settings, thread, data.files, sessions, converts=may_start)
    engines = EngineJobs(settings, sessions, serves_others=False)
    sessions.start()
    dumps.start()
    try:
        yield Desk(
            settings,
            sessions,
            dumps,
            engines,
            page,
            asyncio.Semaphore(settings.max_second_engines or 1),
            may_start,
            read,
        )
    finally:
        await engines.close()
        await dumps.stop()
        await sessions.stop()
        thread.close()
