"""Files sent to the server, without jaxlib: text, what is packed, what is refused and how large it may be."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from hloscope.app.base.fair_shares import Turns
from tests.app.runs.formats.packed import gzipped, zipped
from tests.app.runs.formats.test_recognising import DATA, MADE
from tests.app.serving import ADD

SETTINGS = {"second_engine": "no", "max_program_bytes": 1 << 16}


def sent(client: TestClient, data: bytes, query: str = "") -> Any:
    return client.post(f"/api/sessions/from-file{query}", files={"file": ("f.bin", data)})


@pytest.mark.parametrize("data", [ADD.encode(), gzipped(ADD.encode()), zipped({"add.mlir": ADD.encode()})])
def test_text_becomes_a_session(client: TestClient, data: bytes) -> None:
    answer = sent(client, data)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert made["choices"] is None
    assert made["notes"] == []
    assert made["url"] == f"/s/{made['id']}"
    assert client.get(f"/api/sessions/{made['id']}").json()["text"] == ADD


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (MADE["saved_model"], "f.bin is a SavedModel of TensorFlow, which holds graphs and no StableHLO."),
        (MADE["pickle"], "f.bin is a Python pickle, which is never read: it could run anything."),
        (gzipped(b"x")[:-4], "f.bin is a gzip file that is cut off."),
        ((DATA / "f.mlirbc").read_bytes(), "This server reads text alone, for it does not start XLA."),
        (b"module \0", "f.bin is neither text nor a program in a form that is read: byte 7 is 0."),
        (b"\xff\0", "f.bin is neither text nor a program in a form that is read: byte 0 is not UTF-8."),
    ],
)
def test_what_is_no_program_is_a_sentence(client: TestClient, data: bytes, words: str) -> None:
    answer = sent(client, data)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == words
    assert answer.json()["error"]["kind"] == "format"
    assert answer.json()["error"]["hint"]


def test_text_does_not_wait_for_files_that_need_xla(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversions = client.app.app.state.conversions  # type: ignore[attr-defined]
    monkeypatch.setattr(conversions, "_engines", Turns([], 9))  # all taken
    assert sent(client, ADD.encode()).status_code == 201


def test_files_are_no_larger_than_programs(client: TestClient) -> None:
    for data in (b" " * ((1 << 16) + 1), gzipped(b" " * (1 << 20))):
        answer = sent(client, data)
        assert answer.status_code == 413
        assert answer.json()["error"]["limit"] == "max_program_bytes"
    refused = sent(client, b" " * (1 << 23))
    assert refused.status_code == 413


def test_what_is_chosen_is_checked(client: TestClient) -> None:
    for query in ("?size=b", "?size=b%3Dx", "?size=-%3D1"):
        assert sent(client, ADD.encode(), query).status_code == 422
    answer = sent(client, ADD.encode(), "?size=b%3D8")
    assert "the size b is not open in f.bin" in answer.json()["error"]["message"]
    assert client.post("/api/sessions/from-file", data={"x": "1"}).status_code == 422
