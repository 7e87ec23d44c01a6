"""Messages between supervisor and worker: a fixed header, JSON, raw buffers. Nothing is ever unpickled.

    magic "HLOS" | version u16 | buffers u16 | JSON bytes u32 | length of each buffer u64 … | JSON | buffers

All numbers are little-endian. The reader checks every length before it reads, because a program may have
corrupted the worker that sends.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

MAGIC = b"HLOS"
VERSION = 1
HEADER = struct.Struct("<4sHHI")
MAX_BUFFERS = 256
MAX_JSON_BYTES = 64 << 20
MAX_FRAME_BYTES = 1 << 31
PIECE_BYTES = 1 << 18

Buffer: TypeAlias = bytes | bytearray | memoryview


class FrameError(Exception):
    """The received bytes are not a frame; nothing later on the connection can be read."""


@dataclass(frozen=True)
class Frame:
    """One message: a JSON object and the buffers that it refers to."""

    message: dict[str, Any]
    buffers: tuple[Buffer, ...] = ()


def encode(message: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> list[Buffer]:
    """The pieces of a frame, in order; buffers are not copied."""
    text = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    sizes = [memoryview(buffer).nbytes for buffer in buffers]
    if len(sizes) > MAX_BUFFERS or len(text) > MAX_JSON_BYTES or sum(sizes) > MAX_FRAME_BYTES:
        raise FrameError("the message is too large")
    head = HEADER.pack(MAGIC, VERSION, len(sizes), len(text)) + struct.pack(f"<{len(sizes)}Q", *sizes)
    return [head, text, *buffers]


def _parse_header(header: bytes) -> tuple[int, int]:
    magic, version, buffers, json_bytes = HEADER.unpack(header)
    if magic != MAGIC or version != VERSION:
        raise FrameError("not a frame of this version")
    if buffers > MAX_BUFFERS or json_bytes > MAX_JSON_BYTES:
        raise FrameError("the frame says that it is too large")
    return buffers, json_bytes


def _sizes(table: bytes) -> tuple[int, ...]:
    sizes = struct.unpack(f"<{len(table) // 8}Q", table)
    if sum(sizes) > MAX_FRAME_BYTES:
        raise FrameError("the frame says that its buffers are too large")
    return sizes


def _message(text: Buffer) -> dict[str, Any]:
    try:
        message = json.loads(bytes(text))
    except (ValueError, RecursionError) as error:
        raise FrameError("the frame's JSON cannot be read") from error
    if not isinstance(message, dict):
        raise FrameError("the frame's JSON is not an object")
    return message


async def read(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame, or None at the end of the stream."""
    try:
        buffers, json_bytes = _parse_header(await reader.readexactly(HEADER.size))
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise FrameError("the stream ended inside a frame") from error
    try:
        sizes = _sizes(await reader.readexactly(8 * buffers))
        message = _message(await reader.readexactly(json_bytes))
        return Frame(message, tuple([await reader.readexactly(size) for size in sizes]))
    except asyncio.IncompleteReadError as error:
        raise FrameError("the stream ended inside a frame") from error


class Channel:
    """Frames over a blocking socket, for the worker's side."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def send(self, message: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> None:
        """Write one frame, whole."""
        for piece in encode(message, buffers):
            self.connection.sendall(piece)

    def receive(self) -> Frame | None:
        """The next frame, or None at the end of the stream."""
        first = self.connection.recv(1)
        if not first:
            return None
        buffers, json_bytes = _parse_header(first + self._receive_exactly(HEADER.size - 1))
        sizes = _sizes(bytes(self._receive_exactly(8 * buffers)))
        message = _message(self._receive_exactly(json_bytes))
        return Frame(message, tuple([self._receive_exactly(size) for size in sizes]))

    def _receive_exactly(self, size: int) -> bytearray:
        data = bytearray()
        while len(data) < size:
            # Memory is taken only for bytes that arrive, whatever size the frame states.
            piece = self.connection.recv(min(size - len(data), PIECE_BYTES))
            if not piece:
                raise FrameError("the stream ended inside a frame")
            data += piece
        return data
