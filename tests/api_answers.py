"""The answers of a server to the examples of the API, which its page shows.

`make api-answers` writes the file. Long lists and texts are shortened, with a note of their length.
"""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
from starlette.testclient import TestClient

from hloscope.app.web.api.request_examples import EXAMPLES, OWNER_HEADER, RequestExample
from tests.app.serving import serving, settled, until
from tests.passes import folders

FILE = Path(__file__).parent.parent / "app" / "web" / "api" / "example_answers.json"
MOST_ITEMS, LONGEST_TEXT = 3, 160
BYTES_SHOWN = 16
DOUBLE = (
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> "
    "{ %0 = stablehlo.add %x, %x : tensor<4xf32> return %0 : tensor<4xf32> }"
)
BYTES_OF_PAGE = 450_000
"""The approximate size of a saved page, which any change to its scripts changes."""
BYTES_OF_QR = 2_300
"""The approximate size of a QR code, which depends on the address."""
STEADY: dict[tuple[str, type], Any] = {
    ("created", str): "2026-01-05T09:30:00+00:00",
    ("version", int): 1_767_605_400_000,
    ("version", str): "0123456789abcdef",
    ("revision", str): "0123456789abcdef",
    ("seconds", float): 0.0,
    ("totals", float): 0.0,
    ("signed_at", str): "2026-01-05T09:30:00+00:00",
    ("signature", str): "0123456789abcdef",
    ("mark", str): "0123456789abcdef",
}
"""Fields that differ between runs, by name and type, with the values written instead."""
RUN, FEED = "POST /api/sessions/{session}/runs", "POST /api/sessions/{session}/runs/{number}/feed"
"""They answer before the run is recorded; the file has the run after it has settled."""
JOBS = (
    "GET /api/sessions/{session}/engines/{job}",
    "POST /api/sessions/{session}/runs/{number}/engines",
)
ENGINES = {"GET /api/engines": {"engines": [{"name": "xla", "devices": ["cpu"]}]}}
"""The answer of a server with jaxlib, which the tests of `make test` do not need."""
HOW_FAR = {"state": "running", "doing": "starting", "message": "", "file": None}
"""The state of a comparison with XLA; it depends on the speed of the machine, and on whether jaxlib is installed."""
KEY = 43
"""Number of characters of a recording's key, which depends on the version of hloscope."""


def _rest(client: TestClient, example: RequestExample, session: str, dump: str) -> None:
    """Wait for the work that an example started, so that later examples find the same state."""
    if example.route in ("POST /api/sessions", RUN, FEED):
        settled(client, session)
    if example.route == "POST /api/dumps/{dump}/examination":
        address = f"/api/dumps/{dump}/examination"
        until(lambda: client.get(address).json()["kind"] == "done" or None)


def sent(
    client: TestClient, examples: Sequence[RequestExample] = EXAMPLES
) -> Iterator[tuple[RequestExample, httpx2.Response]]:
    """Send the examples in order; each with its answer."""
    session = key = dump = file = job = ""
    room = {"id": "", "code": "", "owner": ""}
    page = b""
    for example in examples:
        address = example.address.format(
            session=session, key=key, dump=dump, file=file, job=job, room=room["id"]
        )
        headers = {OWNER_HEADER: room["owner"]} if example.by_owner else {}
        content = _content(example, page, room["code"])
        answer = client.request(example.method, address, headers=headers, **content)
        if example.route == "POST /api/sessions":
            session = answer.json()["id"]
        if example.route == "POST /api/rooms":
            room = answer.json()
        if example.route == "POST /api/dumps":
            dump = answer.json()["id"]
        if example.route == "GET /api/sessions/{session}":
            key = settled(client, session)["key"]
        if example.route.endswith("/page"):
            page = answer.content
        if example.file:
            file = answer.json().get("file", file)
        if example.route.startswith("POST") and example.route.endswith("/engines"):
            job = answer.json()["id"]
        _rest(client, example, session, dump)
        yield example, answer


def _content(example: RequestExample, page: bytes, code: str) -> dict[str, Any]:
    """The body of a request; `page` is a page saved before, `code` that of a room."""
    if not example.file:
        body = {"code": code} if example.body == {"code": "{code}"} else example.body
        return {} if body is None else {"json": body}
    if example.file.endswith(".html"):
        return {"files": {"file": (example.file, page)}}
    file = io.BytesIO()
    if example.file.endswith(".zip"):
        with zipfile.ZipFile(file, "w") as archive:
            for number, op in enumerate(("subtract(%multiply.7, %x.1)", "subtract(%x.1, %multiply.7)")):
                archive.writestr(f"{number}.hlo", folders.text(op))
    elif example.file.endswith(".gz"):
        file.write(gzip.compress(DOUBLE.encode(), mtime=0))
    elif example.file.endswith(".npz"):
        values: Any = {"%1": np.ones((2, 2), np.float32)}
        np.savez(file, **values)
    else:
        np.save(file, np.ones((2, 3), np.float32))
    return {"files": {"file": (example.file, file.getvalue())}}


def shown(answer: httpx2.Response) -> dict[str, Any]:
    """An answer as the API's page shows it."""
    if answer.headers.get("content-type") == "application/json":
        return {"status": answer.status_code, "json": _cut(answer.json())}
    headers = {name.title(): value for name, value in answer.headers.items() if name.startswith("x-")}
    start = answer.content[:BYTES_SHOWN].hex(" ")
    headers.pop("X-Content-Type-Options", None)
    return {"status": answer.status_code, "headers": headers, "bytes": len(answer.content), "start": start}


def _rounded(more: int) -> str:
    """A number; above 100 in hundreds, so that a new op does not change the answers that list all ops."""
    return f"over {(more - 1) // 100 * 100:,}" if more > 100 else str(more)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        most = len(items) if all(name.isidentifier() for name in value) else MOST_ITEMS
        return {name: _cut(item) for name, item in items[:most]}
    if isinstance(value, list):
        more = len(value) - MOST_ITEMS
        return [_cut(item) for item in value[:MOST_ITEMS]] + [f"… {_rounded(more)} more"] * (more > 0)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}…"
    return value


def steadied(value: Any, name: str = "") -> Any:
    """An answer with fixed values for fields that differ between runs."""
    if isinstance(value, dict):
        return {key: steadied(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [steadied(item, name) for item in value]
    if name == "key" and isinstance(value, str) and len(value) == KEY:
        return "KEY"
    return STEADY.get((name, type(value)), value)


def written(see: Callable[[RequestExample, httpx2.Response], None] = lambda example, answer: None) -> str:
    """The contents of the file; `see` gets each example with its answer."""
    answers: dict[str, Any] = {}
    names: dict[str, str] = {}
    session = ""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as client:
        for example, answer in sent(client):
            see(example, answer)
            if example.route == "POST /api/sessions":
                session = answer.json()["id"]
            found = shown(answer)
            if example.route == RUN:
                found["json"]["run"] = _cut(settled(client, session))
            if example.route == FEED:
                found["json"] = _cut(settled(client, session))
            if example.route in ENGINES:
                found["json"] = ENGINES[example.route]
            if example.route in JOBS:
                found["json"] |= HOW_FAR
            if example.route.endswith("/page"):
                found["bytes"] = BYTES_OF_PAGE
            if example.route.endswith("/qr.svg"):
                found["bytes"] = BYTES_OF_QR
            answers.setdefault(example.route, steadied(found))
            if example.route == "POST /api/sessions":
                names[session] = "SESSION"
            if example.route in ("POST /api/sessions/from-file", "POST /api/pages"):
                names[answer.json()["id"]] = "SESSION"
            if example.route == "POST /api/dumps":
                names[answer.json()["id"]] = "DUMP"
            if example.route.endswith("/{stage}/session"):
                names[answer.json()["id"]] = "SESSION"
            if example.route.startswith("POST") and example.route.endswith("/engines"):
                names[answer.json()["id"]] = "JOB"
            if example.route.startswith("POST") and example.route.endswith("/links"):
                names[answer.json()["id"]] = "LINK"
            if example.route == "POST /api/rooms":
                names |= {answer.json()[secret]: secret.upper() for secret in ("owner", "code")}
                names[answer.json()["id"]] = "room-ROOM"
            if example.route == "GET /api/rooms/{room}":
                names[answer.json()["session"]] = "view-LINK"
            if example.route == "POST /api/rooms/{room}/copies":
                names[answer.json()["id"]] = "own-COPY"
    answers = dict(sorted(answers.items()))  # a new route adds lines in one place
    text = json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
    for secret, name in names.items():
        text = text.replace(secret, name)
    return text


def main() -> None:
    """Write the file."""
    FILE.write_text(written(), "utf-8")


if __name__ == "__main__":
    main()
