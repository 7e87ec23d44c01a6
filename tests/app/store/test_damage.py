"""A row of the store that is damaged costs what it stood for: its session opens, runs, and heals."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hloscope.app.store import pending_writes
from tests.app.serving import ADD, JSON, new_session, serving, settled

pytestmark = pytest.mark.more

FEEDING = """\
func.func @main() -> tensor<2xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}
"""
INPUT = {"kind": "dense", "text": "[1, 2, 3, 4]"}
DAMAGE: list[Any] = [
    "", "{", "null", "5", "[5, {}]", '{"a": 1}', "[[[", "[" * 100_000, '["\\ud800"]', '[["\\ud800", 1]]',
    '{"arguments": "\\ud800"}', b"\xff\xfe\x00", b"[\xff]", 7, 0.5,
]  # fmt: skip
INPUTS = {"runs": ["inputs"]}
COLUMNS = (INPUTS, {"sessions": ["path", "breakpoints"], "runs": ["info", "grid", "feeds"]})
"""What decides the values, and all that does not, damaged together."""


@pytest.fixture(scope="module", autouse=True)
def recall_nothing() -> Iterator[None]:
    """The store is written to behind the server's back here, which would recall for a moment what it has read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pending_writes, "RECALL_SECONDS", 1e-9)
        yield


@pytest.fixture(scope="module")
def session(client: TestClient) -> str:
    found = new_session(client, inputs=[INPUT], grid={"replicas": 1, "partitions": 1})
    settled(client, found)
    position = {"run": 1, "step": 2, "path": [[0, 0]], "breakpoints": [2]}
    assert client.put(f"/api/sessions/{found}/position", json=position).status_code == 204
    return found


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "hloscope.sqlite", timeout=120)) as store, store:
        store.execute(statement, values)


def opened(client: TestClient, session: str) -> JSON:
    answer = client.get(f"/api/sessions/{session}")
    assert answer.status_code == 200, answer.text
    assert client.get(f"/s/{session}").status_code == 200
    found: JSON = answer.json()
    return found


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda item: repr(item)[:20])
@pytest.mark.parametrize("columns", COLUMNS, ids="-".join)
def test_a_damaged_row_costs_comfort(
    client: TestClient, folder: Path, session: str, columns: dict[str, Sequence[str]], damage: Any
) -> None:
    for table, names in columns.items():
        for name in names:
            change(folder, f"UPDATE {table} SET {name} = ?", damage)
    found = opened(client, session)
    assert (found["text"], found["position"]["step"]) == (ADD, 2)
    run = settled(client, session)
    assert run["state"]["kind"] == "done"
    value = client.get(f"/api/recordings/{run['key']}/values/0.s0.0").json()["text"]
    assert value.startswith("f32[4]")
    if columns is not INPUTS:
        assert value == "f32[4]  [2, 4, 6, 8]"
    # What is missing can be given again.
    position = {"run": 1, "step": 2, "path": [[0, 0]], "breakpoints": [2]}
    assert client.put(f"/api/sessions/{session}/position", json=position).status_code == 204
    again = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [INPUT]})
    assert again.json()["run"]["arguments"][0]["input"] == INPUT
    healed = opened(client, session)
    assert healed["breakpoints"] == [2]
    change(folder, "DELETE FROM runs WHERE number > 1")
    change(folder, "UPDATE sessions SET run = 1, step = 2")
    change(folder, "UPDATE runs SET inputs = ?, engine = ''", '[{"kind": "dense", "text": "[1, 2, 3, 4]"}]')
    opened(client, session)


def test_a_run_says_what_it_has_lost(client: TestClient, folder: Path) -> None:
    session = new_session(client, inputs=[INPUT])
    settled(client, session)
    change(folder, "UPDATE runs SET inputs = '{'")
    for _ in range(2):
        [notice] = opened(client, session)["diagnostics"]
        assert notice["severity"] == "warning"
        assert notice["message"] == "This run has lost its inputs: the store was damaged there."


def test_a_run_that_has_lost_its_queues_says_so(client: TestClient, folder: Path) -> None:
    feeds = [{"queue": "infeed", "items": [[{"kind": "dense", "text": "[1, 2]"}]]}]
    session = new_session(client, FEEDING, feeds=feeds)
    assert settled(client, session)["state"]["kind"] == "done"
    change(folder, "UPDATE runs SET feeds = '['")
    found = opened(client, session)
    assert [item["message"][:36] for item in found["diagnostics"]] == ["This run has lost the items of its q"]


def test_other_sessions_do_not_notice(client: TestClient, folder: Path) -> None:
    one, other = (new_session(client, ADD + f"// {number}\n") for number in range(2))
    runs = [settled(client, session) for session in (one, other)]
    change(folder, "UPDATE runs SET info = '{', inputs = '{' WHERE key = ?", runs[0]["key"])
    assert opened(client, other)["run"] == runs[1]
    assert opened(client, one)["run"]["state"]["kind"] in ("recording", "done")


def test_damaged_text_costs_its_characters(client: TestClient, folder: Path) -> None:
    session = new_session(client, ADD + "// damaged\n", name="name.mlir")
    settled(client, session)
    change(folder, "UPDATE sessions SET name = CAST(x'6eff6d65' AS TEXT), draft = CAST(x'ff61' AS TEXT)")
    found = opened(client, session)
    assert (found["name"], found["text"]) == ("n�me", "�a")


def test_damaged_pages_cost_those_who_need_them(tmp_path: Path) -> None:
    """What SQLite itself cannot read: typed errors, and never a word too many."""
    with serving(tmp_path) as client:
        sessions = [new_session(client, ADD + f"// {number} {'x' * 5_000}\n") for number in range(30)]
    path = tmp_path / "hloscope.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:-80_000] + b"\xff" * 80_000)
    with serving(tmp_path) as client:
        answers = [client.get(f"/api/sessions/{session}") for session in sessions]
        # 410: of a run whose inputs cannot be read any more, which others in their place give another recording.
        assert {answer.status_code for answer in answers} <= {200, 404, 410, 503}
        for answer in answers:
            if answer.status_code == 503:
                assert answer.json()["error"]["kind"] == "store"
                assert "malformed" in answer.json()["error"]["message"]
        assert any(answer.status_code == 503 for answer in answers)
        assert client.get("/").status_code == 200
        assert client.post("/api/check", json={"text": ADD}).json()["diagnostics"] == []
