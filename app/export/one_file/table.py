"""Answers by their paths, packed: what is alike lies together, and the same bytes are there once."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

DEFAULT_BUDGET = 360 << 10
"""Bytes that answers about a recording may take, packed: so that a page has at most a megabyte, with its code and in base64.
What there is no room for is left out, the largest values first."""
PACK_BYTES = 256 << 10
"""A page unpacks so much when it looks at one of the answers in it."""


def deflate(data: bytes) -> bytes:
    """`data` as a browser's `DecompressionStream("deflate-raw")` reads it."""
    packer = _packer()
    return packer.compress(data) + packer.flush()


def _packer() -> zlib._Compress:
    return zlib.compressobj(9, zlib.DEFLATED, -15)


class _Pack:
    """Answers that are packed and unpacked together."""

    def __init__(self) -> None:
        self.raw = bytearray()
        self.size = 0
        """Bytes that packing has given so far: a little less than it will be."""
        self._packed: list[bytes] = []
        self._packer = _packer()

    def add(self, body: bytes) -> int:
        """Where it begins."""
        start = len(self.raw)
        self.raw += body
        self._keep(self._packer.compress(body))
        return start

    def _keep(self, data: bytes) -> None:
        self._packed.append(data)
        self.size += len(data)

    def packed(self) -> bytes:
        """All of them; nothing is added from then on."""
        self._keep(self._packer.flush())
        return b"".join(self._packed)


class Table:
    """The answers of a page, in the order in which they come. Those of a `kind` lie together."""

    def __init__(self) -> None:
        self._packs: list[_Pack] = []
        self._open: dict[str, int] = {}
        """Of each kind the pack that its next answer is added to."""
        self._places: dict[bytes, list[int]] = {}
        self._answers: dict[str, list[Any]] = {}
        self.about: dict[str, Any] = {}
        """What the page says of itself: what is in it, and what is not."""

    def add(self, kind: str, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """The answer to the question of a path, relative to the recording's."""
        name = hashlib.sha256(body).digest()
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = self._store(kind, body)
        self._answers[path] = [*place, dict(headers)] if headers else list(place)

    def _store(self, kind: str, body: bytes) -> list[int]:
        if kind not in self._open:
            self._open[kind] = len(self._packs)
            self._packs.append(_Pack())
        number = self._open[kind]
        pack = self._packs[number]
        place = [number, pack.add(body), len(body)]
        if len(pack.raw) >= PACK_BYTES:
            del self._open[kind]
        return place

    @property
    def packed_bytes(self) -> int:
        """What the answers take so far, packed."""
        return sum(pack.size for pack in self._packs)

    def __contains__(self, path: str) -> bool:
        return path in self._answers

    @property
    def paths(self) -> list[str]:
        """All paths that are answered."""
        return list(self._answers)

    def body(self, path: str) -> bytes:
        """The answer to a path; `KeyError` where it is not in it."""
        number, start, size, *_ = self._answers[path]
        return bytes(self._packs[number].raw[start : start + size])

    def parts(self) -> dict[str, bytes]:
        """The parts of the page that hold the table, packed: `index`, and `pack-0`, `pack-1`, …"""
        index = {"about": self.about, "answers": self._answers}
        text = json.dumps(index, separators=(",", ":"), allow_nan=False).encode()
        packs = {f"pack-{number}": pack.packed() for number, pack in enumerate(self._packs)}
        return {"index": deflate(text), **packs}
