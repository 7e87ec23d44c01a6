"""Complete responses of the application, which several clients get, and which the cache holds."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from hashlib import blake2b

from starlette.types import Message, Scope, Send

from ..base.assets import takes_gzip

GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6
WORTH_IT = 0.9
"""Maximum compression ratio; bodies that compress worse are sent uncompressed."""
SHORT = 256
"""Minimum bytes of a body that is compressed."""


@dataclass(frozen=True)
class CompleteResponse:
    """A successful response."""

    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    hash: str = ""
    """Hash of the uncompressed body, from which the ETag is made; empty if the response is sent as it is."""
    is_compressed: bool = False

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return len(self.body) + sum(len(name) + len(value) for name, value in self.headers)

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON, of which compression saves most."""
        return any(name == b"content-type" and value == b"application/json" for name, value in self.headers)

    @property
    def plain(self) -> bytes:
        """The uncompressed body, for clients other than browsers."""
        return zlib.decompress(self.body, GZIP) if self.is_compressed else self.body

    def tagged(self) -> CompleteResponse:
        """The response with an ETag; it can be compressed."""
        return replace(self, hash=blake2b(self.body, digest_size=12).hexdigest())

    def compressed(self) -> CompleteResponse:
        """The response compressed, if that saves enough; slow for a large body."""
        if len(self.body) < SHORT or self.is_compressed:
            return self
        packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
        body = packer.compress(self.body) + packer.flush()
        return (
            replace(self, body=body, is_compressed=True) if len(body) <= WORTH_IT * len(self.body) else self
        )

    async def send(self, scope: Scope, send: Send) -> None:
        """Answer a request, in the encoding that its client accepts; 304 if the client has the body."""
        if not self.hash:
            await _send(200, [*self.headers], self.body, send)
            return
        request = dict(scope["headers"])
        accepted = request.get(b"accept-encoding", b"").decode("latin-1")
        is_packed = self.is_compressed and takes_gzip(accepted)
        tag = f'"{self.hash}{"-gzip" if is_packed else ""}"'
        common = [(b"vary", b"Accept-Encoding"), (b"etag", tag.encode())]
        if self.hash.encode() in request.get(b"if-none-match", b""):
            kept = [pair for pair in self.headers if pair[0] == b"cache-control"]
            await _send(304, [*kept, *common], b"", send)
            return
        body = self.body if is_packed else self.plain
        own = [pair for pair in self.headers if pair[0] != b"content-length"]
        encoding = [(b"content-encoding", b"gzip")] if is_packed else []
        length = (b"content-length", str(len(body)).encode())
        await _send(200, [*own, *common, length, *encoding], body, send)


def is_small_success(start: Message, most_bytes: int) -> bool:
    """Whether a response with this start is a success with a body of at most `most_bytes`."""
    length = next((value for name, value in start["headers"] if name == b"content-length"), b"")
    return start["status"] == 200 and length.isdigit() and int(length) <= most_bytes


async def _send(status: int, headers: list[tuple[bytes, bytes]], body: bytes, send: Send) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
