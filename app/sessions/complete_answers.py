"""Memory cache of immutable answers about recordings; a class sends the same requests."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

FINAL = "private, max-age=31536000, immutable"
"""The Cache-Control header of an immutable answer."""
GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6
WORTH_IT = 0.9
"""Maximum compression ratio; bodies that compress worse are sent uncompressed."""
SHORT = 256
"""Minimum bytes of a body that is compressed."""
LARGEST_PART = 8
"""Maximum share of the cache for one answer, as a divisor; larger ones are not cached."""

CacheKey = tuple[str, str]
"""The key of a recording, and the path and query of the request."""


@dataclass(frozen=True)
class KeptAnswer:
    """The stored body of an answer, and its headers that are independent of the encoding."""

    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    name: str
    """Hash of the uncompressed body, from which the ETag is made."""
    compressed: bool = False

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return len(self.body) + sum(len(name) + len(value) for name, value in self.headers)

    @property
    def plain(self) -> bytes:
        """The uncompressed body, for clients other than browsers."""
        return zlib.decompress(self.body, GZIP) if self.compressed else self.body

    def shrunk(self) -> KeptAnswer:
        """The answer compressed, if that saves enough; slow for a large body."""
        if len(self.body) < SHORT or self.compressed:
            return self
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
        body = packer.compress(self.body) + packer.flush()
        if len(body) > WORTH_IT * len(self.body):
            return self
        return KeptAnswer(body, self.headers, self.name, compressed=True)


def kept_answer(body: bytes, headers: Iterable[tuple[bytes, bytes]]) -> KeptAnswer:
    """An uncompressed answer."""
    return KeptAnswer(body, tuple(headers), blake2b(body, digest_size=12).hexdigest())


class CompleteAnswers:
    """The most recently requested answers, up to `most_bytes`."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[CacheKey, KeptAnswer] = OrderedDict()
        self.bytes = 0
        """Total size of the cached answers."""

    @property
    def largest(self) -> int:
        """Maximum bytes of a cached answer."""
        return self._most_bytes // LARGEST_PART

    def get(self, cache_key: CacheKey) -> KeptAnswer | None:
        """The cached answer, or None."""
        found = self._kept.get(cache_key)
        if found is not None:
            self._kept.move_to_end(cache_key)
        return found

    def keep(self, cache_key: CacheKey, answer: KeptAnswer) -> None:
        """Cache an answer, and evict the least recently used ones beyond the limit."""
        if answer.size > self.largest:
            return
        self._drop(cache_key)
        self._kept[cache_key] = answer
        self.bytes += answer.size
        while self.bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def replace(self, cache_key: CacheKey, answer: KeptAnswer) -> None:
        """Replace a cached answer by the same answer in another encoding."""
        if (old := self._kept.get(cache_key)) is not None and old.name == answer.name:
            self._kept[cache_key] = answer
            self.bytes += answer.size - old.size

    def forget(self, keys: Iterable[str]) -> None:
        """Drop all answers about these recordings."""
        gone = set(keys)
        for cache_key in [cache_key for cache_key in self._kept if cache_key[0] in gone]:
            self._drop(cache_key)

    def clear(self) -> None:
        """Drop all answers."""
        self._kept.clear()
        self.bytes = 0

    def _drop(self, cache_key: CacheKey) -> None:
        if (old := self._kept.pop(cache_key, None)) is not None:
            self.bytes -= old.size
