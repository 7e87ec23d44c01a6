"""Answers about recordings that will never change, in memory, up to a number of bytes: a class asks the same things."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

FINAL = "private, max-age=31536000, immutable"
"""The Cache-Control of an answer that will always be the same."""
GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6
WORTH_IT = 0.9
"""What compresses to more than this part of itself is sent as it is: numbers that look like noise."""
SHORT = 256
"""Bytes below which nothing is compressed."""
LARGEST_PART = 8
"""One answer may take this part of all bytes; what is larger is asked for each time."""

Place = tuple[str, str]
"""The key of a recording, and what is asked of it: path and query."""


@dataclass(frozen=True)
class KeptAnswer:
    """The body of an answer as it is stored, and the headers that go with it whatever it is encoded in."""

    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    name: str
    """Of the content: what the ETag is made of."""
    compressed: bool = False

    @property
    def size(self) -> int:
        """Bytes that it takes, nearly."""
        return len(self.body) + sum(len(name) + len(value) for name, value in self.headers)

    @property
    def plain(self) -> bytes:
        """The body for who takes nothing compressed, which no browser is."""
        return zlib.decompress(self.body, GZIP) if self.compressed else self.body

    def shrunk(self) -> KeptAnswer:
        """Compressed, if that is worth it; takes a while where it is large."""
        if len(self.body) < SHORT or self.compressed:
            return self
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
        body = packer.compress(self.body) + packer.flush()
        if len(body) > WORTH_IT * len(self.body):
            return self
        return KeptAnswer(body, self.headers, self.name, compressed=True)


def kept_answer(body: bytes, headers: Iterable[tuple[bytes, bytes]]) -> KeptAnswer:
    """An answer as it came, not compressed yet."""
    return KeptAnswer(body, tuple(headers), blake2b(body, digest_size=12).hexdigest())


class CompleteAnswers:
    """The answers that were asked for last, up to `most_bytes`."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Place, KeptAnswer] = OrderedDict()
        self.bytes = 0
        """What all of them take."""

    @property
    def largest(self) -> int:
        """Bytes of the largest answer that is kept."""
        return self._most_bytes // LARGEST_PART

    def get(self, place: Place) -> KeptAnswer | None:
        """The answer, if it is kept."""
        found = self._kept.get(place)
        if found is not None:
            self._kept.move_to_end(place)
        return found

    def keep(self, place: Place, answer: KeptAnswer) -> None:
        """Keep it, and of the others what there is room for."""
        if answer.size > self.largest:
            return
        self._drop(place)
        self._kept[place] = answer
        self.bytes += answer.size
        while self.bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def replace(self, place: Place, answer: KeptAnswer) -> None:
        """The same answer in another form, if it is kept still."""
        if (old := self._kept.get(place)) is not None and old.name == answer.name:
            self._kept[place] = answer
            self.bytes += answer.size - old.size

    def forget(self, keys: Iterable[str]) -> None:
        """Drop all answers about these recordings."""
        gone = set(keys)
        for place in [place for place in self._kept if place[0] in gone]:
            self._drop(place)

    def clear(self) -> None:
        """Drop all answers."""
        self._kept.clear()
        self.bytes = 0

    def _drop(self, place: Place) -> None:
        if (old := self._kept.pop(place, None)) is not None:
            self.bytes -= old.size
