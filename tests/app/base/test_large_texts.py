"""Large texts: read, written and handed over as small ones are, but never at once."""

import asyncio
import hashlib
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.base import keys, large_texts
from hloscope.app.base.errors import ApiError
from hloscope.app.base.keys import text_hash
from tests.app.listening import Listening, listening
from tests.app.serving import ADD

LIMIT = 1 << 20
LINE = '// é "x", a \\ and a 😀 in a comment\n'
MEBIBYTES = 24
JSON_HEADER = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """What is large begins early, so that small texts show how large ones are handled."""
    if "server" not in request.fixturenames:
        monkeypatch.setattr(large_texts, "LARGE", 8)
        monkeypatch.setattr(large_texts, "APART", 16)
        monkeypatch.setattr(large_texts, "PIECE", 5)
        monkeypatch.setattr(keys, "PIECE", 5)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\/\n\té😀'))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


@given(VALUES, st.booleans())
def test_json_is_read_as_ever(value: object, ascii: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii).encode()
    assert large_texts.loads(body, LIMIT) == value


@given(VALUES)
def test_json_is_written_as_ever(value: object) -> None:
    assert json.loads(large_texts.dumps({"value": value})) == {"value": value}


@given(TEXTS)
def test_texts_are_encoded_counted_and_hashed_as_ever(text: str) -> None:
    assert asyncio.run(large_texts.encode_text(text)) == text.encode()
    assert asyncio.run(large_texts.byte_count(text)) == len(text.encode())
    assert text_hash(text) == urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@given(TEXTS, st.data())
def test_what_is_no_json_stays_none(text: str, data: st.DataObject) -> None:
    """Cut off anywhere, or with a byte that does not belong there."""
    body = json.dumps({"text": text, "n": [1, 2]}).encode()
    at = data.draw(st.integers(0, len(body) - 1))
    for wrong in (body[:at], body[:at] + data.draw(st.binary(min_size=1, max_size=1)) + body[at + 1 :]):
        try:
            expected = json.loads(wrong)
        except ValueError:
            with pytest.raises(ValueError):  # noqa: PT011  a JSONDecodeError or a UnicodeDecodeError
                large_texts.loads(wrong, LIMIT)
        else:
            assert large_texts.loads(wrong, LIMIT) == expected


def test_only_long_texts_may_be_many_bytes() -> None:
    text = "x" * 1000
    assert large_texts.loads(json.dumps([text] * 10).encode(), 1000) == [text] * 10
    for body in ([1] * 1000, ["short"] * 300, {str(number): 1 for number in range(300)}):
        with pytest.raises(ApiError) as refused:
            large_texts.loads(json.dumps(body).encode(), 1000)
        assert refused.value.limit == "max_body_bytes"


def test_nothing_is_done_at_once_in_another_thread_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs in C keeps the interpreter's lock, and the event loop waits for it."""
    monkeypatch.undo()
    sizes: list[int] = []

    def counting(method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(value: Any, *others: Any, **named: Any) -> Any:
            sizes.append(len(value) if isinstance(value, str | bytes | bytearray) else len(json.dumps(value)))
            return method(value, *others, **named)

        return counted

    loads, dumps = counting(json.loads), counting(json.dumps)
    monkeypatch.setattr(
        large_texts, "json", SimpleNamespace(loads=loads, dumps=dumps, JSONDecodeError=json.JSONDecodeError)
    )
    decoder = SimpleNamespace(raw_decode=counting(large_texts.DECODER.raw_decode))
    monkeypatch.setattr(large_texts, "DECODER", decoder)
    for line in (LINE, "\n\t"):
        text = line * (4 * large_texts.PIECE // len(line))
        assert large_texts.loads(large_texts.dumps({"text": text}), LIMIT) == {"text": text}
    assert large_texts.PIECE <= max(sizes) < large_texts.PIECE + 100


# What the event loop does meanwhile.


class Ticker:
    """The most processor time that the loop's thread has spent between two turns; others' work does not count."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.longest, self._ended = 0.0, False
        self._running = asyncio.run_coroutine_threadsafe(self._tick(), loop)

    async def _tick(self) -> None:
        before = time.thread_time()
        while not self._ended:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest, before = max(self.longest, now - before), now

    def end(self) -> float:
        """The longest time."""
        self._ended = True
        self._running.result()
        return self.longest


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    with listening(tmp_path_factory.mktemp("data"), request_time_limit_ms=120_000) as running:
        yield running


@pytest.mark.more
def test_no_large_text_is_handled_at_once_on_the_loop(server: Listening) -> None:
    """No turn of the loop takes as long as reading the request's JSON at once, which is a part of what was done."""
    text = ADD + LINE * ((MEBIBYTES << 20) // len(LINE.encode()))
    body = json.dumps({"text": text}).encode()
    at_once = _processor_time(lambda: json.loads(body))
    with server.client() as client:
        session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
        base = f"/api/sessions/{session}"
        requests: dict[str, Callable[[], httpx.Response]] = {
            "check": lambda: client.post("/api/check", content=body, headers=JSON_HEADER),
            "create": lambda: client.post("/api/sessions", content=body, headers=JSON_HEADER),
            "run": lambda: client.post(f"{base}/runs", content=body, headers=JSON_HEADER),
            "draft": lambda: client.put(f"{base}/draft", content=body, headers=JSON_HEADER),
            "info": lambda: client.get(base),
        }
        longest = {}
        for name, request in requests.items():
            ticker = Ticker(server.loop)
            answer = request()
            longest[name] = ticker.end()
            assert answer.is_success, answer.text[:200]
        assert client.get(base).json()["text"] == text
    assert max(longest.values()) < at_once, (longest, at_once)


def _processor_time(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
