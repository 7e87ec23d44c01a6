"""Compressed responses by path: similar ones together, identical ones once."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

DEFAULT_BUDGET = 360 << 10
"""Maximum compressed bytes of the elements of large values. The largest are left out first."""
PACK_BYTES = 256 << 10
"""Bytes that a page decompresses to read one response."""


def deflate(data: bytes) -> bytes:
    """Compress `data` for a browser's `DecompressionStream("deflate-raw")`."""
    packer = _packer()
    return packer.compress(data) + packer.flush()


def json_bytes(value: Any) -> bytes:
    """A value as compact JSON."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _packer() -> zlib._Compress:
    return zlib.compressobj(9, zlib.DEFLATED, -15)


class _Pack:
    """Responses that are compressed together."""

    def __init__(self) -> None:
        self.raw = bytearray()
        self.size = 0
        """Compressed bytes so far: slightly less than the final size."""
        self._packed: list[bytes] = []
        self._packer = _packer()

    def add(self, body: bytes) -> int:
        """Append a response; its offset."""
        start = len(self.raw)
        self.raw += body
        self._keep(self._packer.compress(body))
        return start

    def _keep(self, data: bytes) -> None:
        self._packed.append(data)
        self.size += len(data)

    def packed(self) -> bytes:
        """The compressed responses; nothing can be added afterwards."""
        self._keep(self._packer.flush())
        return b"".join(self._packed)


class Table:
    """The responses of a page, in order of addition. Those of a `kind` are stored together."""

    def __init__(self) -> None:
        self._packs: list[_Pack] = []
        self._open: dict[str, int] = {}
        """The open pack of each kind."""
        self._places: dict[bytes, list[int]] = {}
        self._answers: dict[str, list[Any]] = {}
        self.about: dict[str, Any] = {}
        """The description of the page: its contents and omissions."""

    def add(self, kind: str, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Add the response to a path, relative to the recording's."""
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
        """The compressed size so far."""
        return sum(pack.size for pack in self._packs)

    def __contains__(self, path: str) -> bool:
        return path in self._answers

    @property
    def paths(self) -> list[str]:
        """All paths with a response."""
        return list(self._answers)

    def body(self, path: str) -> bytes:
        """The response to a path; `KeyError` if there is none."""
        number, start, size, *_ = self._answers[path]
        return bytes(self._packs[number].raw[start : start + size])

    def parts(self) -> dict[str, bytes]:
        """The compressed parts of the table: `index`, and `pack-0`, `pack-1`, …"""
        index = {"about": self.about, "answers": self._answers}
        packs = {f"pack-{number}": pack.packed() for number, pack in enumerate(self._packs)}
        return {"index": deflate(json_bytes(index)), **packs}
