"""Positions on their way to the disk: acknowledged when they are there, and many of them by one visit to it."""

import asyncio
import errno
import threading
from collections.abc import Callable
from typing import Any

import pytest

from hloscope.app.base.errors import ApiError
from hloscope.app.store import Position, Store, StoreError
from hloscope.app.store.pending_writes import Progress, StoreThread
from hloscope.app.store.reserve import FILE
from tests.app.serving import PATIENCE
from tests.app.store.places import Place
from tests.app.store.test_store import RUN, store_with_session

MOVES = 1000


class Disk:
    """A disk that is as slow as one wants, and what the store asked of it."""

    def __init__(self, store: Store) -> None:
        self.store, self.syncs, self.written = store, 0, 0
        self.turning = threading.Event()
        sync = store.sync

        def slow() -> None:
            self.turning.wait(PATIENCE)
            self.syncs += 1
            sync()

        store.sync = slow
        write = store.write_progress

        def counted(positions: dict[str, Position], steps: dict[tuple[str, int], int]) -> set[str]:
            self.written += 1
            return write(positions, steps)

        store.write_progress = counted  # type: ignore[method-assign]


def step_of(store: Store) -> int:
    session = store.session("s")
    assert session is not None
    return session.position.step


def test_a_move_returns_once_it_is_on_the_disk(place: Place) -> None:
    store = store_with_session(place)
    store.add_run("s", "p", RUN)
    disk = Disk(store)

    async def moving() -> None:
        thread = StoreThread(store)
        progress = Progress(thread)
        moved = asyncio.create_task(progress.move("s", Position(1, 12)))
        # Another process sees it as soon as it is written; whoever moved waits for the disk as well.
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(lambda: step_of(place.open())) != 12:
                await asyncio.sleep(0.01)
        assert not moved.done()
        assert progress.position("s") == Position(1, 12)
        disk.turning.set()
        await moved
        assert disk.syncs == 1
        thread.close()

    asyncio.run(moving())


def test_a_thousand_moves_share_few_writes(place: Place) -> None:
    store = store_with_session(place)
    store.add_run("s", "p", RUN)
    disk = Disk(store)
    disk.turning.set()

    async def moving() -> None:
        progress = Progress(StoreThread(store))
        await asyncio.gather(*(progress.move("s", Position(1, step)) for step in range(MOVES)))

    asyncio.run(moving())
    assert (disk.written, disk.syncs) == (1, 1)
    assert step_of(store) == MOVES - 1


def test_counts_of_steps_do_not_hurry(place: Place) -> None:
    store = store_with_session(place)
    store.add_run("s", "p", RUN)
    disk = Disk(store)
    disk.turning.set()

    async def counting() -> None:
        progress = Progress(StoreThread(store))
        for steps in range(MOVES):
            progress.note_steps("s", 1, steps)
            await asyncio.sleep(0)
        assert disk.written == 0
        await progress.close()

    asyncio.run(counting())
    session = store.session("s")
    assert session is not None
    assert session.runs[0].steps == MOVES - 1
    assert disk.written == 1


@pytest.mark.parametrize("fails", [False, True], ids=["noted late", "failed"])
def test_nothing_is_written_after_the_end(place: Place, fails: bool) -> None:
    """A timer would find the store closed, and fail with a traceback in the log."""
    store = store_with_session(place)

    async def ending() -> None:
        thread = StoreThread(store)
        progress = Progress(thread)
        if fails:
            store.write_progress = lambda *_: (_ for _ in ()).throw(StoreError("full"))  # type: ignore
        progress.note("s", Position(1, 2))
        await progress.close()
        progress.note("s", Position(1, 3))
        thread.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(ending())


def test_what_cannot_be_written_is_told_and_written_later(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_with_session(place)
    monkeypatch.setattr("hloscope.app.store.pending_writes.PAUSE_AFTER_FAILURE", 0.01)

    async def failing() -> None:
        progress = Progress(StoreThread(store))
        write = store.write_progress
        store.write_progress = lambda *_: (_ for _ in ()).throw(StoreError("full"))  # type: ignore
        with pytest.raises(ApiError) as refused:
            await progress.move("s", Position(None, 3))
        assert refused.value.status == 503
        assert progress.position("s") == Position(None, 3)
        store.write_progress = write  # type: ignore[method-assign]
        async with asyncio.timeout(PATIENCE):
            while progress.position("s") is not None:
                await asyncio.sleep(0.01)

    asyncio.run(failing())
    assert step_of(store) == 3


def test_a_full_disk_has_space_for_a_deletion(place: Place) -> None:
    """As long as the reserve is there, the disk is full."""
    store = store_with_session(place)
    store.reserve.keep()

    def write(method: Callable[..., Any], *given: Any) -> Any:
        if (place.folder / FILE).exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return method(*given)

    async def deleting() -> None:
        thread = StoreThread(store)
        with pytest.raises(ApiError, match="no space"):
            await thread.call(write, store.set_draft, "s", "text")
        assert thread.trouble == "full"
        assert await thread.free(write, store.delete_session, "s")
        assert thread.trouble is None

    asyncio.run(deleting())
    assert store.session("s") is None
    assert (place.folder / FILE).exists()


def test_a_disk_that_refuses_is_told(place: Place) -> None:
    store = store_with_session(place)
    store.sync = lambda: (_ for _ in ()).throw(OSError(5, "Input/output error"))
    with pytest.raises(ApiError, match="cannot be written"):
        asyncio.run(StoreThread(store).call(store.set_draft, "s", "text"))
