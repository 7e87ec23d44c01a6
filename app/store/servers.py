"""This server among those that share its store: its sessions and rooms, and the changes of the others.

A server that is alone has all of them, and nothing here does anything.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic
from typing import Protocol

from ..base.errors import ApiError
from .leases import TERM_SECONDS
from .pending_writes import StoreThread
from .postgresql import PostgresqlDatabase

RENEW_SECONDS = 1.0
"""Interval between renewals of all leases."""
SURE_SECONDS = 0.7 * TERM_SECONDS
"""Seconds after the last renewal for which the leases are known to be valid."""
USED_SECONDS = 1.0
"""Seconds after a request during which no other server gets its session."""
KEPT_SECONDS = 30.0
"""Seconds without a request after which an unused lease is released."""
YIELD_SECONDS = 3.0
"""Timeout for another server to release what it does not use."""
AGAIN_SECONDS = 0.25
"""Interval between attempts until then: that server may be dead."""
log = logging.getLogger("hloscope")

News = Callable[[str], Awaitable[None]]
"""Called with the hash of a session or room that another server changed; empty if that is unknown."""


class Tenant(Protocol):
    """The sessions, or the rooms, of this server."""

    def needs(self, hash: str) -> bool:
        """Whether somebody uses this session or room here."""

    async def leave(self, hash: str) -> None:
        """Write everything pending and drop it, before another server gets it."""

    def lost(self, hash: str) -> None:
        """Drop it: another server has it."""


class Servers:
    """The leases of this server, renewed while they are used, and the news of the others."""

    def __init__(self, thread: StoreThread, address: str) -> None:
        """`address`: where this server's pages are."""
        self._thread, self._database = thread, thread.store.shared
        self._tenants: list[Tenant] = []
        self._news: dict[str, News] = {}
        self._used: dict[str, float] = {}
        self._sure_until = 0.0
        self._released: dict[str, asyncio.Event] = {}
        """The hashes that callers wait for."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = threading.Event()
        self._listener: threading.Thread | None = None
        if self._database is not None:
            self._database.leases.address = address

    def add(self, tenant: Tenant, **news: News) -> None:
        """Add the sessions or rooms, and what to do on each kind of news."""
        self._tenants.append(tenant)
        self._news |= news

    def start(self) -> None:
        """Renew leases and listen from now on."""
        if (database := self._database) is None:
            return
        loop = asyncio.get_running_loop()

        def hear(kind: str, hash: str) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._on_news, kind, hash)

        self._listener = threading.Thread(target=database.listen, args=(hear, self._stopping), daemon=True)
        self._listener.start()
        self._spawn(self._renew())

    async def stop(self) -> None:
        """Stop listening; the leases are released when the store is closed."""
        self._stopping.set()
        for task in self._tasks:
            task.cancel()
        if self._listener is not None:
            await asyncio.to_thread(self._listener.join)

    # Leases.

    def check(self) -> None:
        """`ApiError` 503 if another server may take what this one has, because the leases could not be renewed."""
        if self._database is not None and monotonic() >= self._sure_until:
            raise ApiError(
                503, "store", "The database does not answer, so this room waits for it.",
                hint="Try again once the database is back.",
            )  # fmt: skip

    async def take(self, hash: str) -> bool:
        """Take a session or room; returns whether it is new here, so that earlier reads may be out of date.

        `ApiError` 409 if another server has it and does not release it.
        """
        if (database := self._database) is None:
            return False
        self._used[hash] = monotonic()
        is_new = hash not in database.leases.held
        if not is_new and monotonic() < self._sure_until:
            return False
        try:
            await self._thread.call(database.take, hash)
        except ApiError as error:
            if error.kind != "moved":
                raise
            self._lost([hash])
            await self._take_over(database, hash)
            return True
        return is_new

    async def _take_over(self, database: PostgresqlDatabase, hash: str) -> None:
        """Ask the server that has it to release it; take it once that server has done so or is dead."""
        released = self._released.setdefault(hash, asyncio.Event())
        until = monotonic() + YIELD_SECONDS
        await self._thread.call(database.ask_for, hash)
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(released.wait(), AGAIN_SECONDS)
                try:
                    return await self._thread.call(database.take, hash)
                except ApiError as error:
                    if error.kind != "moved" or monotonic() > until:
                        raise
                released.clear()
        finally:
            self._released.pop(hash, None)

    async def _renew(self) -> None:
        assert self._database is not None
        while True:
            self._used = {hash: at for hash, at in self._used.items() if monotonic() - at < KEPT_SECONDS}
            with contextlib.suppress(ApiError):  # it is in the log, and tried again
                await self._release(
                    [hash for hash in list(self._database.leases.held) if self._is_idle(hash)]
                )
                begun = monotonic()
                self._lost(await self._thread.call(self._database.renew))
                self._sure_until = begun + SURE_SECONDS
            await asyncio.sleep(RENEW_SECONDS)

    def _is_idle(self, hash: str, seconds: float = KEPT_SECONDS) -> bool:
        used = monotonic() - self._used.get(hash, 0.0) < seconds
        return not used and not any(tenant.needs(hash) for tenant in self._tenants)

    async def _release(self, hashes: list[str]) -> None:
        assert self._database is not None
        for hash in hashes:
            for tenant in self._tenants:
                await tenant.leave(hash)
        if left := {hash for hash in hashes if self._is_idle(hash, USED_SECONDS)}:
            self._database.leases.forget(left)  # a request that arrives meanwhile takes them again
            await self._thread.call(self._database.release, left)

    def _lost(self, hashes: Iterable[str]) -> None:
        for hash in hashes:
            for tenant in self._tenants:
                tenant.lost(hash)

    # News.

    def _on_news(self, kind: str, hash: str) -> None:
        match kind:
            case "released":
                if (waiting := self._released.get(hash)) is not None:
                    waiting.set()
            case "wanted":
                self._spawn(self._yield(hash))
            case "all":
                for act in self._news.values():
                    self._spawn(act(""))
            case _ if kind in self._news:
                self._spawn(self._news[kind](hash))

    async def _yield(self, hash: str) -> None:
        await asyncio.sleep(self._used.get(hash, 0.0) + USED_SECONDS - monotonic())
        assert self._database is not None
        if hash in self._database.leases.held and self._is_idle(hash, USED_SECONDS):
            await self._release([hash])

    def _spawn(self, work: Awaitable[None]) -> None:
        async def quietly() -> None:
            with contextlib.suppress(ApiError):  # it is in the log
                await work

        task = asyncio.get_running_loop().create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
