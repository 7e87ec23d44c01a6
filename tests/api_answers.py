"""Sends the examples of `app/api/request_examples.py` to a server, and writes what it answers for the API's page.

`python -m tests.api_answers` writes the file anew. Answers are cut for reading: long lists and texts say how long they are.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from starlette.testclient import TestClient

from hloscope.app.api.request_examples import EXAMPLES, RequestExample
from tests.app.serving import serving, settled

FILE = Path(__file__).parent.parent / "app" / "api" / "example_answers.json"
MOST_ITEMS, LONGEST_TEXT = 3, 160
BYTES_SHOWN = 16


def sent(client: TestClient) -> Iterator[tuple[RequestExample, httpx.Response]]:
    """Each example with its answer, in order."""
    session = key = ""
    for example in EXAMPLES:
        address = example.address.format(session=session, key=key)
        answer = client.request(example.method, address, **_content(example))
        if example.route == "POST /api/sessions":
            session = answer.json()["id"]
        if example.route == "GET /api/sessions/{session}":
            key = settled(client, session)["key"]
        yield example, answer


def _content(example: RequestExample) -> dict[str, Any]:
    if not example.file:
        return {} if example.body is None else {"json": example.body}
    file = io.BytesIO()
    np.save(file, np.ones((2, 3), np.float32))
    return {"files": {"file": (example.file, file.getvalue())}}


def shown(answer: httpx.Response) -> dict[str, Any]:
    """An answer as the page shows it."""
    if answer.headers.get("content-type") == "application/json":
        return {"status": answer.status_code, "json": _cut(answer.json())}
    headers = {name.title(): value for name, value in answer.headers.items() if name.startswith("x-")}
    start = answer.content[:BYTES_SHOWN].hex(" ")
    headers.pop("X-Content-Type-Options", None)
    return {"status": answer.status_code, "headers": headers, "bytes": len(answer.content), "start": start}


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        most = len(items) if all(name.isidentifier() for name in value) else MOST_ITEMS
        return {name: _cut(item) for name, item in items[:most]}
    if isinstance(value, list):
        more = len(value) - MOST_ITEMS
        return [_cut(item) for item in value[:MOST_ITEMS]] + [f"… {more:,} more"] * (more > 0)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}…"
    return value


def main() -> None:
    """Write the file."""
    answers: dict[str, Any] = {}
    names: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as client:
        for example, answer in sent(client):
            answers.setdefault(example.route, shown(answer))
            if example.route == "POST /api/sessions":
                names[answer.json()["id"]] = "SESSION"
    text = json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
    for secret, name in names.items():
        text = text.replace(secret, name)
    FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
