"""The cache of the server: a mapping of limited size that evicts the least recently used entries."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
S = TypeVar("S", bound=Hashable)


class Cache(Generic[K, V]):
    """Up to `limit` entries, or entries of that total size if `size_of` returns the size of a value."""

    def __init__(self, limit: int, size_of: Callable[[V], int] = lambda value: 1) -> None:
        self._limit, self._size_of = limit, size_of
        self._values: OrderedDict[K, V] = OrderedDict()
        self.size = 0
        """Total size of the entries."""

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[K]:
        """The keys, the least recently used first."""
        return iter(self._values)

    def __getitem__(self, key: K) -> V:
        """The value, which counts as used. Raises `KeyError`."""
        value = self._values[key]
        self._values.move_to_end(key)
        return value

    def get(self, key: K) -> V | None:
        """The value, which counts as used, or None."""
        return self[key] if key in self._values else None

    def __setitem__(self, key: K, value: V) -> None:
        """Add or replace an entry and evict others; a value above the limit is not cached."""
        self.drop(key)
        size = self._size_of(value)
        if size > self._limit:
            return
        self._values[key] = value
        self.size += size
        self._note(key, value)
        while self.size > self._limit:
            self.drop(self._next_to_leave())

    def _note(self, key: K, value: V) -> None:
        """Hear of a new entry, before others are evicted for it."""

    def _next_to_leave(self) -> K:
        """The entry to evict."""
        return next(iter(self._values))

    def drop(self, key: K) -> None:
        """Remove an entry if it exists."""
        if key in self._values:
            self.size -= self._size_of(self._values.pop(key))

    def clear(self) -> None:
        """Remove all entries."""
        self._values.clear()
        self.size = 0


def drop_about(cache: Cache[tuple[str, S], V], subjects: Iterable[str]) -> None:
    """Drop all entries about these subjects, with which their keys begin."""
    gone = set(subjects)
    for key in [key for key in cache if key[0] in gone]:
        cache.drop(key)
