"""Frames come back as they went, and what is no frame is told from one before anything is believed."""

import asyncio
import socket
import struct
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.processes import framing
from hloscope.app.processes.framing import (
    HEADER,
    MAGIC,
    MAX_BUFFERS,
    MAX_FRAME_BYTES,
    VERSION,
    Channel,
    Frame,
    FrameError,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
messages = st.dictionaries(texts, values, max_size=5)
buffers = st.lists(st.binary(max_size=300), max_size=5)


def read(data: bytes) -> Frame | None:
    """As the supervisor reads."""

    async def reading() -> Frame | None:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        return await framing.read(reader)

    return asyncio.run(reading())


def receive(data: bytes) -> Frame | None:
    """As a worker reads."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        return Channel(theirs).receive()


READERS = pytest.mark.parametrize("reader", [read, receive])


def joined(message: dict[str, Any], parts: list[bytes]) -> bytes:
    return b"".join(bytes(piece) for piece in framing.encode(message, parts))


@READERS
@given(message=messages, parts=buffers)
def test_what_is_sent_arrives(reader: Any, message: dict[str, Any], parts: list[bytes]) -> None:
    frame = reader(joined(message, parts))
    assert frame.message == message
    assert [bytes(buffer) for buffer in frame.buffers] == parts


@READERS
@given(message=messages, parts=buffers, data=st.data())
def test_what_is_cut_off_is_no_frame(reader: Any, message: Any, parts: list[bytes], data: Any) -> None:
    whole = joined(message, parts)
    end = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(FrameError):
        reader(whole[:end])


@READERS
@given(noise=st.binary(min_size=1, max_size=100).filter(lambda data: not data.startswith(MAGIC)))
def test_noise_is_no_frame(reader: Any, noise: bytes) -> None:
    with pytest.raises(FrameError):
        reader(noise + b"\0" * HEADER.size)


@READERS
def test_the_end_of_the_stream_is_no_mistake(reader: Any) -> None:
    assert reader(b"") is None


@READERS
@pytest.mark.parametrize(
    "data",
    [
        HEADER.pack(MAGIC, VERSION + 1, 0, 2) + b"{}",
        HEADER.pack(MAGIC, VERSION, MAX_BUFFERS + 1, 2),
        HEADER.pack(MAGIC, VERSION, 0, 0xFFFFFFFF),
        HEADER.pack(MAGIC, VERSION, 1, 2) + struct.pack("<Q", MAX_FRAME_BYTES + 1),
        HEADER.pack(MAGIC, VERSION, 2, 2) + struct.pack("<QQ", 2**63, 2**63),
        HEADER.pack(MAGIC, VERSION, 0, 2) + b"[]",
        HEADER.pack(MAGIC, VERSION, 0, 2) + b"\xff\xff",
        HEADER.pack(MAGIC, VERSION, 0, 200_000) + b"[" * 200_000,
    ],
    ids=["version", "buffers", "JSON size", "buffer size", "sum", "no object", "no text", "nesting"],
)
def test_what_lies_about_itself_is_no_frame(reader: Any, data: bytes) -> None:
    with pytest.raises(FrameError):
        reader(data)


@READERS
def test_a_stated_size_takes_no_memory(reader: Any) -> None:
    data = HEADER.pack(MAGIC, VERSION, 1, 2) + struct.pack("<Q", MAX_FRAME_BYTES) + b"{}abc"
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            reader(data)
        assert tracemalloc.get_traced_memory()[1] < MAX_FRAME_BYTES // 100
    finally:
        tracemalloc.stop()


def test_numbers_that_JSON_lacks_are_not_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        framing.encode({"value": float("nan")})
