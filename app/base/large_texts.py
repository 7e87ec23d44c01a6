"""Large texts, processed in a thread and in pieces.

A program may have tens of megabytes. Parsing or writing it as JSON, encoding or hashing it takes a large part of a second
and would stall every other request: on the event loop, and in a thread too, because it holds the interpreter's lock.
A thread that processes one piece at a time releases the lock in between.
"""

import asyncio
import gzip
import json
import re
import secrets
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .errors import over_limit

T = TypeVar("T")
LARGE = 1 << 16
"""Minimum length of a large text, in characters or bytes."""
APART = 1 << 12
"""Minimum length of a string in a request that is parsed separately: a program, a file of source."""
PIECE = 1 << 18
"""Length of a piece, in characters or bytes."""
DECODER = json.JSONDecoder()
SHORT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
"""A JSON string with its quotes."""
CUT = re.compile(rb"[^\\]{12}(?=[^\x80-\xbf])")
"""Bytes of a JSON string that end between characters: not within an escape, a pair of escapes or a UTF-8 sequence."""
STRETCH = re.compile(
    rb'(?:[^"\\\x00-\x1f\x80-\xff]++|[\x80-\xff]++|\\[^u]|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[0-9a-fA-F]{4}){0,32768}+',
    re.DOTALL,
)
"""A piece of a JSON string that ends between characters even where escapes are dense."""


async def run_apart(size: int, work: Callable[[], T]) -> T:
    """The result of `work` on a text of that size, computed in a thread if the text is large."""
    return work() if size < LARGE else await asyncio.to_thread(work)


def pieces_of(text: str) -> Iterator[str]:
    """The text in pieces, in order."""
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))


async def encode_text(text: str) -> bytes:
    """The text as UTF-8; a large one is encoded in a thread."""
    return await run_apart(len(text), lambda: b"".join(piece.encode() for piece in pieces_of(text)))


async def byte_count(text: str) -> int:
    """The length of the text in UTF-8 bytes."""
    if text.isascii():
        return len(text)
    return await run_apart(len(text), lambda: sum(len(piece.encode()) for piece in pieces_of(text)))


async def check_size(text: str, limit: int) -> None:
    """Raise `ApiError` for a program of more than `limit` bytes."""
    if len(text) > limit or await byte_count(text) > limit:
        raise over_limit(413, "max_program_bytes", limit, f"The program is larger than {limit:,} bytes.")


# JSON that comes in.


def loads(body: bytes | bytearray, most: int) -> Any:
    """The value of JSON; `ApiError` if more than `most` bytes of it are outside long strings, which are parsed separately."""
    mark, texts, kept, at = secrets.token_hex(16), dict[str, str](), bytearray(), 0
    while (start := body.find(b'"', at)) >= 0:
        if short := SHORT.match(body, start, start + APART):
            kept += body[at : short.end()]
            at = short.end()
        else:
            name = f"{mark} {len(texts)}"
            kept += body[at:start] + json.dumps(name).encode()
            texts[name], at = _read_string(body, start + 1)
        _check_rest(len(kept), most)
    _check_rest(len(kept) + len(body) - at, most)
    kept += body[at:]
    return _restore(json.loads(kept), texts)


def _read_string(body: bytes | bytearray, start: int) -> tuple[str, int]:
    """The string whose first character is at `start`, read in pieces, and the position after its closing quote."""
    pieces, size = list[str](), APART
    while start < len(body):
        end = _end_of_piece(body, start, start + size)
        piece = body[start:end].decode()
        text, read = DECODER.raw_decode(f'"{piece}"')
        pieces.append(text)
        if read <= len(piece) + 1:
            return "".join(pieces), start + len(piece[: read - 1].encode())
        start, size = end, min(2 * size, PIECE)
    raise json.JSONDecodeError("Unterminated string", "", start)


def _end_of_piece(body: bytes | bytearray, start: int, wanted: int) -> int:
    """Where a piece ends that starts at `start` and is about as long as wanted."""
    if wanted >= len(body):
        return len(body)
    if cut := CUT.search(body, wanted, wanted + APART):
        return cut.end()
    stretch = STRETCH.match(body, start)
    return max(stretch.end() if stretch else 0, start + 1)


def _check_rest(size: int, most: int) -> None:
    if size > most:
        raise over_limit(
            413, "max_body_bytes", most, f"The request has more than {most:,} bytes beside its texts."
        )


def _restore(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, list):
        return [_restore(item, texts) for item in value]
    if isinstance(value, dict):
        return {texts.get(name, name): _restore(item, texts) for name, item in value.items()}
    return value


# JSON that goes out.


def dumps(value: Any) -> bytes:
    """The value as JSON in UTF-8; large strings in it are encoded in pieces."""
    mark, texts = secrets.token_hex(16), list[str]()
    skeleton = json.dumps(
        _without_texts(value, mark, texts), allow_nan=False, separators=(",", ":"), ensure_ascii=False
    )
    parts = skeleton.split(mark)
    found = [parts[0].encode()]
    for text, part in zip(texts, parts[1:], strict=True):
        found += (json.dumps(piece, ensure_ascii=False)[1:-1].encode() for piece in pieces_of(text))
        found.append(part.encode())
    return b"".join(found)


def _without_texts(value: Any, mark: str, texts: list[str]) -> Any:
    if isinstance(value, str) and len(value) >= LARGE:
        texts.append(value)
        return mark
    if isinstance(value, list | tuple):
        return [_without_texts(item, mark, texts) for item in value]
    if isinstance(value, dict):
        return {name: _without_texts(item, mark, texts) for name, item in value.items()}
    return value


# Windows of a text.

ESCAPES = 6
"""Maximum bytes of JSON for a byte of a text, if every character is escaped."""
LONG_TEXT = LARGE
"""Maximum length of a text that a page receives in one answer, in characters."""
FIRST_WINDOW = 1 << 16
"""Length of the first window, in characters: the first screen, with room to scroll."""
WINDOW = 1 << 20
"""Length of each later window."""
LEVEL = 3
"""Of compression: half the time of the usual level 6, for a quarter more of the few bytes that remain."""


def window_count(text: str) -> int:
    """The number of windows of a text."""
    return 1 + max(0, -(-(len(text) - FIRST_WINDOW) // WINDOW))


def packed_window(text: str, number: int, is_packed: bool) -> tuple[bytes, dict[str, str]]:
    """A window of a text in UTF-8 and, if it is packed, the header that says so."""
    start = number and FIRST_WINDOW + (number - 1) * WINDOW
    body = text[start : start + (WINDOW if number else FIRST_WINDOW)].encode()
    return (gzip.compress(body, LEVEL, mtime=0), {"Content-Encoding": "gzip"}) if is_packed else (body, {})
