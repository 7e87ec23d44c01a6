"""A cache that principals share: whoever has the most in it loses entries first."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import TypeVar

from .cache import Cache
from .fair_shares import Principal, current_principal

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FairCache(Cache[K, V]):
    """A cache whose entries are charged to the principal that the running task acts for.

    Beyond its limit, the group with the most evicts an entry: of its principal with the most, the one used least recently.
    """

    def __init__(self, limit: int, size_of: Callable[[V], int] = lambda value: 1) -> None:
        super().__init__(limit, size_of)
        self._owners: dict[K, Principal] = {}
        self._parts: dict[Principal, Cache[K, V]] = {}

    def __getitem__(self, key: K) -> V:
        value = super().__getitem__(key)
        self._parts[self._owners[key]].get(key)  # counts as used there as well
        return value

    def drop(self, key: K) -> None:
        """Remove an entry if it exists."""
        if (owner := self._owners.pop(key, None)) is not None:
            self._parts[owner].drop(key)
            if next(iter(self._parts[owner]), None) is None:
                del self._parts[owner]
        super().drop(key)

    def clear(self) -> None:
        """Remove all entries."""
        super().clear()
        self._owners.clear()
        self._parts.clear()

    def _note(self, key: K, value: V) -> None:
        owner = self._owners[key] = current_principal()
        # Only the whole cache evicts, so a part has room for one entry beyond the limit.
        self._parts.setdefault(owner, Cache(2 * self._limit, self._size_of))[key] = value

    def _next_to_leave(self) -> K:
        sizes = Counter[str]()
        for principal, part in self._parts.items():
            sizes[principal.group] += part.size
        largest = max(sizes, key=lambda group: sizes[group])
        parts = [part for principal, part in self._parts.items() if principal.group == largest]
        largest_part = max(parts, key=lambda part: part.size)
        return next(iter(largest_part))
