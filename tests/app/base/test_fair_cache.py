"""A cache that principals share: who fills it loses entries, and others keep theirs."""

from contextvars import copy_context

from hloscope.app.base.fair_cache import FairCache
from hloscope.app.base.fair_shares import Principal, act_for

GREEDY, MODEST, NEIGHBOUR = Principal("network a", "1"), Principal("network b"), Principal("network a", "2")


def add(cache: FairCache[str, bytes], principal: Principal, key: str, size: int = 1) -> None:
    """What a request of `principal` adds."""

    def request() -> None:
        act_for(principal)
        cache[key] = bytes(size)

    copy_context().run(request)


def test_one_principal_may_have_everything_until_others_come() -> None:
    cache = FairCache[str, bytes](10, len)
    for number in range(12):
        add(cache, GREEDY, f"g{number}")
    assert list(cache) == [f"g{number}" for number in range(2, 12)]
    add(cache, MODEST, "m", 3)
    assert list(cache) == [*(f"g{number}" for number in range(5, 12)), "m"]
    for number in range(100):
        add(cache, GREEDY, f"h{number}")
    assert "m" in cache
    assert cache.size == 10


def test_groups_share_first_and_then_the_principals_of_each() -> None:
    cache = FairCache[str, bytes](10, len)
    for number in range(8):
        add(cache, GREEDY, f"g{number}")
    add(cache, NEIGHBOUR, "n")
    add(cache, MODEST, "m", 4)
    assert list(cache) == ["g3", "g4", "g5", "g6", "g7", "n", "m"]
    for number in range(100):
        add(cache, NEIGHBOUR, f"n{number}")
    held = list(cache)
    assert "m" in held
    assert [key for key in held if key[0] == "g"] == ["g5", "g6", "g7"]  # half of what the group has


def test_the_least_recently_used_of_a_principal_leaves() -> None:
    cache = FairCache[str, bytes](3, len)
    for key in "abc":
        add(cache, GREEDY, key)
    assert cache.get("a") is not None
    add(cache, GREEDY, "d")
    assert list(cache) == ["c", "a", "d"]
    add(cache, MODEST, "c")  # computed again, and so theirs
    for key in "efg":
        add(cache, GREEDY, key)
    assert "c" in cache
    add(cache, GREEDY, "large", 4)
    assert ("large" in cache, cache.size) == (False, 3)
    cache.drop("c")
    cache.clear()
    assert (list(cache), cache.size) == ([], 0)
    add(cache, GREEDY, "a")
    assert list(cache) == ["a"]
