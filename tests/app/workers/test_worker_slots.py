"""Places for workers: never more than there are, in the order in which sessions came, and none is ever lost."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.base.errors import ApiError
from hloscope.app.base.fair_shares import Principal, act_for
from hloscope.app.workers import worker_slots as module
from hloscope.app.workers.worker_slots import LeftQueue, WorkerSlots

SESSIONS = tuple("abcdefgh")


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


def slots(count: int, most_waiting: int = 100) -> WorkerSlots:
    return WorkerSlots(count, most_waiting, lambda: None)


async def settle() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_a_place_is_reserved_before_anything_is_started() -> None:
    found = slots(2)
    assert [found.reserve(name) for name in "aabc"] == [True, True, True, False]
    found.release("a")
    assert found.reserve("c")


def test_who_came_first_is_first_whatever_asks_how_often() -> None:
    async def work() -> None:
        found = slots(1)
        assert found.reserve("a")
        order: list[str] = []

        async def take(name: str) -> None:
            await found.take(name)
            order.append(name)

        tasks = [asyncio.create_task(take(name)) for name in "bcbbd"]
        await settle()
        assert found.waiting == ["b", "c", "d"]
        assert [found.before(name) for name in "abcd"] == [None, 0, 1, 2]
        assert not found.reserve("e")  # nobody overtakes
        for name in "abc":
            found.release(name)
            await settle()
        assert order == ["b", "b", "b", "c", "d"]
        await asyncio.gather(*tasks)

    run(work())


def test_who_leaves_frees_the_place_and_is_told() -> None:
    async def work() -> None:
        found = slots(1)
        found.reserve("a")
        one, other = (asyncio.create_task(found.take(name)) for name in "bc")
        await settle()
        found.leave("b")
        with pytest.raises(LeftQueue):
            await one
        assert found.before("c") == 0
        found.release("a")
        await other
        assert found.holders() == {"c"}

    run(work())


def test_one_request_that_is_given_up_ends_no_other() -> None:
    async def work() -> None:
        found = slots(1)
        found.reserve("a")
        one, other = (asyncio.create_task(found.take("b")) for _ in range(2))
        await settle()
        one.cancel()
        await settle()
        assert found.before("b") == 0
        found.release("a")
        await other

    run(work())


def test_nobody_keeps_a_place_for_whom_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        found = slots(1)
        found.reserve("a")
        tasks = [asyncio.create_task(found.take(name)) for name in "bc"]
        await settle()
        found.drop_absent(lambda session: False)
        assert found.waiting == ["b", "c"]  # not at once: a page may just be loaded again
        monkeypatch.setattr(module, "AWAY_SECONDS", -1.0)
        found.drop_absent("c".__eq__)
        assert found.waiting == ["c"]
        for task in tasks:
            task.cancel()

    run(work())


def test_a_queue_that_is_full_says_so() -> None:
    async def work() -> None:
        found = slots(1, most_waiting=1)
        found.reserve("a")
        waits = asyncio.create_task(found.take("b"))
        await settle()
        with pytest.raises(ApiError) as refused:
            await found.take("c")
        assert (refused.value.status, refused.value.limit) == (503, "max_waiting")
        waits.cancel()

    run(work())


def test_idle_slots_go_to_who_has_fewer() -> None:
    async def work() -> None:
        found = slots(4)
        owner, one, other = (
            Principal("token a", is_trusted=True), Principal("network b", "own-1"), Principal("network b", "own-2")
        )  # fmt: skip

        def reserve(session: str, principal: Principal) -> bool:
            act_for(principal)
            return found.reserve(session)

        assert found.yields("nobody")
        assert all(reserve(name, who) for name, who in zip("abcd", (owner, one, one, other), strict=True))
        act_for(one)
        first = asyncio.create_task(found.take("e"))
        await settle()
        assert {name: found.yields(name) for name in "abcd"} == {"a": False, "b": True, "c": True, "d": False}
        assert found.in_excess() == []
        act_for(Principal("network c"))
        second = asyncio.create_task(found.take("f"))
        await settle()
        assert found.waiting == ["f", "e"]
        assert all(map(found.yields, "abcd"))
        assert found.in_excess() == ["c", "b", "d"]
        for task in (first, second):
            task.cancel()

    run(work())


def test_strangers_displace_nobody_with_the_token() -> None:
    async def work() -> None:
        found = slots(3)
        act_for(Principal("token a", is_trusted=True))
        assert all(map(found.reserve, "abc"))
        act_for(Principal("network b"))
        waits = asyncio.create_task(found.take("d"))
        await settle()
        assert found.in_excess() == []
        waits.cancel()

    run(work())


@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(("take", "give back", "leave", "cancel")), st.sampled_from(SESSIONS))),
)
def test_whatever_happens_no_place_is_lost_or_given_twice(count: int, events: list[tuple[str, str]]) -> None:
    async def work() -> None:
        found = slots(count)
        tasks: list[tuple[str, asyncio.Task[None]]] = []
        for event, name in events:
            before = found.waiting
            match event:
                case "take":
                    tasks.append((name, asyncio.create_task(found.take(name))))
                case "give back":
                    found.release(name)
                case "leave":
                    found.leave(name)
                case "cancel":
                    [task.cancel() for whose, task in tasks if whose == name]
            await settle()
            waiting = found.waiting
            assert len(found.holders()) <= count
            assert not waiting or len(found.holders()) == count
            assert not found.holders() & set(waiting)
            assert [item for item in before if item in waiting] == [
                item for item in waiting if item in before
            ]
        for name in SESSIONS:
            found.leave(name)
            found.release(name)
        assert not found.holders()
        assert not found.full
        await asyncio.gather(*(task for _, task in tasks), return_exceptions=True)

    run(work())
