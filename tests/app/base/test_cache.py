"""The cache: the least recently used entries go first, by number or by size."""

from hloscope.app.base.cache import Cache


def test_the_least_recently_used_entry_is_evicted() -> None:
    cache = Cache[str, int](2)
    cache["a"], cache["b"] = 1, 2
    assert cache.get("a") == 1
    cache["c"] = 3
    assert list(cache) == ["a", "c"]
    assert cache.get("b") is None
    assert "b" not in cache


def test_entries_have_a_total_size() -> None:
    cache = Cache[str, bytes](10, len)
    cache["a"], cache["b"] = bytes(4), bytes(6)
    assert cache.size == 10
    cache["a"] = bytes(3)
    assert cache.size == 9
    cache["c"] = bytes(5)
    assert list(cache) == ["a", "c"]
    cache["a"] = bytes(11)  # larger than the cache: neither kept, nor is its predecessor
    assert (list(cache), cache.size) == (["c"], 5)
    cache.drop("a")
    cache.clear()
    assert (list(cache), cache.size) == ([], 0)
