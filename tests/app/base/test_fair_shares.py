"""Fair shares: nobody is refused for somebody who has more, and who is alone may have everything."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.base.errors import ApiError
from hloscope.app.base.fair_shares import (
    LOCAL,
    FairQueue,
    Full,
    Principal,
    Shares,
    Turns,
    act_for,
    current_principal,
    network_of,
)

OWNER = Principal("token 10.0.0.1", is_trusted=True)
LINK, COPY, OTHER_COPY = (Principal("network 10.0.0.2", name) for name in ("view-a", "own-a", "own-b"))
ELSEWHERE = Principal("network 10.0.0.3")
ALL = (OWNER, LINK, COPY, OTHER_COPY, ELSEWHERE)


def test_one_principal_may_have_everything_until_another_comes() -> None:
    shares = Shares[int](4)
    for item in range(4):
        assert shares.admit(item, LINK) is None
    with pytest.raises(Full):
        shares.admit(4, LINK)
    assert shares.admit(5, OWNER) == 3  # the latest one gives way
    assert shares.admit(6, OWNER) == 2
    with pytest.raises(Full):
        shares.admit(7, OWNER)
    assert shares.counts(LINK) == (2, 2)
    assert list(shares) == [0, 1, 5, 6]


def test_a_network_gains_nothing_by_pretending_to_be_many() -> None:
    shares = Shares[int](4)
    for item in range(4):
        shares.admit(item, Principal("network 10.0.0.2", f"own-{item}"))
    assert shares.admit(4, ELSEWHERE) == 3
    assert shares.admit(5, ELSEWHERE) == 2
    with pytest.raises(Full):
        shares.admit(6, ELSEWHERE)


def test_within_a_network_the_one_with_the_most_gives_way() -> None:
    shares = Shares[int](4)
    for item, principal in enumerate((COPY, LINK, LINK, LINK)):
        shares.admit(item, principal)
    assert shares.admit(4, OTHER_COPY) == 3
    assert shares.counts(LINK) == (4, 2)


def test_who_has_the_token_takes_over_what_is_there() -> None:
    shares = Shares[str](2)
    shares.add("session", LINK)
    shares.add("session", OWNER)
    shares.add("session", COPY)
    assert shares.principal("session") == OWNER
    assert (shares.counts(LINK), shares.counts(OWNER)) == ((0, 0), (1, 1))


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 9), st.sampled_from(ALL), st.booleans())))
def test_shares_are_bounded_and_never_get_less_fair(
    most: int, events: list[tuple[int, Principal, bool]]
) -> None:
    shares = Shares[int](most)
    for item, principal, comes in events:
        if not comes:
            shares.remove(item)
            continue
        groups = Counter(shares.principal(one).group for one in shares)
        try:
            leaves = shares.admit(item, principal)
        except Full:
            assert len(shares) == most
            assert max(groups.values()) <= groups[principal.group] + 1
        else:
            assert item in shares
            assert len(shares) <= most
            assert leaves is None or leaves not in shares
    assert sum(shares.counts(Principal(group))[0] for group in {one.group for one in ALL}) == len(shares)


def test_the_queue_serves_networks_in_turn() -> None:
    held = Shares[str](1)
    queue = FairQueue[str](held, 100)
    for name in ("a1", "a2", "a3"):
        queue.join(name, COPY)
    for name in ("b1", "b2"):
        queue.join(name, OTHER_COPY)
    queue.join("o1", OWNER)
    queue.join("e1", ELSEWHERE)
    expected = ["a1", "o1", "e1", "b1", "a2", "b2", "a3"]
    assert queue.order() == expected
    served = []
    while queue:
        served.append(queue.order()[0])
        queue.serve(served[-1])
    assert served == expected


def test_who_has_nothing_goes_first() -> None:
    held = Shares[str](2)
    for name in ("x", "y"):
        held.add(name, LINK)
    queue = FairQueue[str](held, 3)
    queue.join("more", LINK)
    queue.join("mine", OWNER)
    queue.join("still more", LINK)
    assert queue.order() == ["mine", "more", "still more"]
    assert queue.join("theirs", ELSEWHERE) == "still more"  # the queue is shared too
    with pytest.raises(Full):
        queue.join("again", ELSEWHERE)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class _Work:
    """Work in a place until it may end."""

    def __init__(self, turns: Turns[str], principal: Principal) -> None:
        self.place, self.may_end = "", asyncio.Event()
        self.task = asyncio.create_task(self._do(turns, principal))

    async def _do(self, turns: Turns[str], principal: Principal) -> None:
        act_for(principal)
        async with turns.turn() as self.place:
            await self.may_end.wait()
        self.place = ""

    async def end(self) -> None:
        """End it, and let others begin."""
        self.may_end.set()
        await self.task
        await settle()


def test_strangers_of_one_network_leave_a_place() -> None:
    async def work() -> None:
        turns = Turns(["first", "second"], 100)
        many = [_Work(turns, Principal("network 10.0.0.2", f"own-{number}")) for number in range(20)]
        await settle()
        assert [one.place for one in many[:3]] == ["first", "", ""]
        owner = _Work(turns, OWNER)
        await settle()
        assert owner.place == "second"
        await owner.end()
        other = _Work(turns, ELSEWHERE)
        await settle()
        assert other.place == "second"
        await many[0].end()
        assert many[1].place == "first"
        for one in [*many[1:], other]:
            one.may_end.set()
        await asyncio.gather(*(one.task for one in [*many, other]))

    run(work())


def test_who_has_the_token_may_have_all_places_and_one_place_is_for_all() -> None:
    async def work() -> None:
        turns, single = Turns(["a", "b"], 100), Turns(["a"], 100)
        ours = [_Work(turns, OWNER), _Work(turns, OWNER), _Work(single, COPY)]
        await settle()
        assert [one.place for one in ours] == ["a", "b", "a"]
        for one in ours:
            await one.end()

    run(work())


def test_a_place_is_never_lost() -> None:
    """Who is cancelled while waiting, or as the turn comes, gives the place to the next."""

    async def work() -> None:
        turns = Turns(["a"], 2)
        first, second, third = (_Work(turns, OWNER) for _ in range(3))
        await settle()
        with pytest.raises(ApiError) as refused:
            await _Work(turns, OWNER).task
        assert (refused.value.status, refused.value.limit) == (503, "max_waiting")
        first.may_end.set()
        await first.task  # the second has its turn, and does not know it yet
        second.task.cancel()
        await settle()
        assert third.place == "a"
        fourth = _Work(turns, OWNER)
        await settle()
        fourth.task.cancel()
        await third.end()
        async with turns.turn() as place:
            assert place == "a"

    run(work())


def test_a_queue_that_is_full_makes_room_for_others() -> None:
    async def work() -> None:
        turns = Turns(["a"], 3)
        many = [_Work(turns, COPY) for _ in range(4)]
        await settle()
        owner = _Work(turns, OWNER)
        await settle()
        with pytest.raises(ApiError, match="Too many programs"):
            await many[3].task
        await many[0].end()
        assert owner.place == "a"
        for one in [owner, *many[1:3]]:
            await one.end()

    run(work())


def test_work_counts_for_who_began_it() -> None:
    async def work() -> None:
        assert current_principal() == LOCAL
        act_for(LINK)

        async def inner() -> Principal:
            return current_principal()

        assert await asyncio.create_task(inner()) == LINK

    run(work())
    assert current_principal() == LOCAL


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_network_is_an_address_or_64_bits_of_one(address: str, network: str) -> None:
    assert network_of(address) == network
