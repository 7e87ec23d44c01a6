"""Complete answers about recordings come from memory, compressed once; nothing else does, and a withdrawn link reads nothing."""

import asyncio
import gzip
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from hloscope.app.base.cache import Cache, drop_about
from hloscope.app.processes.worker import Worker
from hloscope.app.web.cache_rules import FINAL
from hloscope.app.web.complete_response import CompleteResponse
from hloscope.app.web.response_cache import Responses
from tests.app.serving import ADD, ENDLESS, new_session, serving, settled
from tests.app.workers.test_workers import sessions_of

RANDOM = """\
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""
NOISE = {"kind": "normal", "seed": 1, "scale": 1.0}
WINDOW = "values/0.s0.0/window?rows=0&columns=1&at=0,0&from=0,0&size=64,64&level=0"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path) as client:
        yield client


def opened(client: TestClient, text: str = ADD, **more: Any) -> tuple[str, str]:
    """A session whose run is recorded: its id, and the path of its recording."""
    session = new_session(client, text, **more)
    return session, f"/api/recordings/{settled(client, session)['key']}"


def link_to(client: TestClient, session: str) -> str:
    return str(client.post(f"/api/sessions/{session}/links").json()["id"])


@pytest.fixture
def questions(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers are asked."""
    supervisor, asked = sessions_of(client).supervisor, list[str]()
    ask = supervisor.ask

    async def count(session: str, key: str, opener: Any, question: Any, **patience: bool) -> Any:
        asked.append(type(question).__name__)
        return await ask(session, key, opener, question, **patience)

    monkeypatch.setattr(supervisor, "ask", count)
    return asked


def test_the_second_who_asks_is_answered_from_memory(client: TestClient, questions: list[str]) -> None:
    _, recording = opened(client)
    first, second = (client.get(f"{recording}/program") for _ in range(2))
    assert questions == ["ProgramQuestion"]
    assert second.content == first.content
    assert second.headers["Cache-Control"] == FINAL
    assert second.headers["Vary"] == "Accept-Encoding"
    assert second.headers["Content-Type"] == first.headers["Content-Type"]
    assert "Content-Security-Policy" in second.headers
    outline = [client.get(f"{recording}/outline?chunk=0") for _ in range(2)]
    assert {answer.headers["X-Steps"] for answer in outline} == {"3"}
    assert questions == ["ProgramQuestion", "OutlineQuestion"]


def test_it_is_compressed_for_who_takes_that(client: TestClient) -> None:
    _, recording = opened(client)
    plain = client.get(f"{recording}/program", headers={"Accept-Encoding": "identity"})
    packed = client.get(f"{recording}/program", headers={"Accept-Encoding": "gzip, br"})
    refused = client.get(f"{recording}/program", headers={"Accept-Encoding": "gzip;q=0"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"])
    assert packed.content == plain.content == refused.content
    assert "Content-Encoding" not in plain.headers
    assert "Content-Encoding" not in refused.headers
    assert packed.headers["ETag"] != plain.headers["ETag"]


def test_what_does_not_compress_is_sent_as_it_is(client: TestClient) -> None:
    _, recording = opened(client, RANDOM, inputs=[NOISE])
    first, second = (
        client.get(f"{recording}/{WINDOW}", headers={"Accept-Encoding": "gzip"}) for _ in range(2)
    )
    assert len(first.content) > 64 * 64 * 4
    assert "Content-Encoding" not in second.headers
    assert first.content == second.content


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_who_has_it_already_is_told_so(client: TestClient, coding: str) -> None:
    _, recording = opened(client)
    headers = {"Accept-Encoding": coding}
    client.get(f"{recording}/program")
    tag = client.get(f"{recording}/program", headers=headers).headers["ETag"]
    again = client.get(f"{recording}/program", headers=headers | {"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == tag
    assert again.headers["Cache-Control"] == FINAL
    assert (
        client.get(f"{recording}/program", headers=headers | {"If-None-Match": '"other"'}).status_code == 200
    )


def test_a_link_that_was_withdrawn_reads_nothing(client: TestClient, questions: list[str]) -> None:
    session, recording = opened(client)
    link = link_to(client, session)
    read = f"/api/recordings/{link}.{recording.rpartition('/')[2]}/program"
    client.cookies.clear()
    assert client.get(read).status_code == client.get(read).status_code == 200
    assert questions == ["ProgramQuestion"]
    assert client.get(f"{recording}/program").status_code == 401
    client.cookies.set("hloscope-8765", "a-token-that-only-tests-know")
    assert client.delete(f"/api/sessions/{session}/links").status_code == 204
    client.cookies.clear()
    assert client.get(read).status_code == 404


def test_a_refusal_is_not_kept(client: TestClient, questions: list[str]) -> None:
    _, recording = opened(client)
    for _ in range(2):
        assert client.get(f"{recording}/values/0.s99.0").status_code == 404
    assert questions == ["SummaryQuestion"] * 2


def test_what_grows_is_not_kept(client: TestClient, questions: list[str]) -> None:
    with serving(Path(sessions_of(client).settings.data_dir) / "other", record_first_steps=50) as other:
        _, recording = opened(other, ENDLESS)
        for _ in range(2):
            answer = other.get(f"{recording}/outline?chunk=0")
            assert answer.headers["Cache-Control"] == "no-store"
            assert "ETag" not in answer.headers


def test_nothing_is_left_of_a_session_that_is_deleted(client: TestClient) -> None:
    session, recording = opened(client)
    assert client.get(f"{recording}/program").status_code == 200
    client.delete(f"/api/sessions/{session}")
    assert client.get(f"{recording}/program").status_code == 404


def test_what_is_compared_is_asked_each_time(client: TestClient, questions: list[str]) -> None:
    session, recording = opened(client)
    changed = client.post(f"/api/sessions/{session}/runs", json={"text": ADD.replace("multiply", "subtract")})
    other = changed.json()["run"]["key"]
    for _ in range(2):
        assert client.get(f"{recording}/comparison?with={other}").status_code == 200
    assert questions.count("ComparisonQuestion") == 2


def test_a_class_asks_a_worker_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    session, recording = opened(client)
    read = f"/api/recordings/{link_to(client, session)}.{recording.rpartition('/')[2]}/values/0.s1.0"
    asked, ask, all_wait = [], Worker.ask, threading.Event()

    async def slowly(worker: Worker, key: str, question: Any) -> Any:
        asked.append(question)
        await asyncio.to_thread(all_wait.wait, 1.0)
        return await ask(worker, key, question)

    monkeypatch.setattr(Worker, "ask", slowly)
    with ThreadPoolExecutor(20) as many:
        found = [many.submit(client.get, read) for _ in range(20)]
        answers = [future.result() for future in found]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(asked) == 1


def test_a_worker_is_not_started_for_what_is_kept(client: TestClient) -> None:
    session, recording = opened(client)
    supervisor = sessions_of(client).supervisor
    link = link_to(client, session)
    paths = [f"/api/sessions/{link}?wait=false&once=true&apart=true", f"/s/{link}"]
    paths += [
        f"{recording}/{part}" for part in ("program", "outline?chunk=0", "frames?chunk=0", "values/0.s1.0")
    ]
    for path in paths:
        assert client.get(path).status_code == 200
    owner = next(iter(supervisor._owners.values()))
    cast(Any, client).portal.call(supervisor._eviction.release, owner)
    assert supervisor.worker_pid(owner.session) is None
    for path in paths:
        assert client.get(path).status_code == 200
    assert supervisor.worker_pid(owner.session) is None
    assert client.get(f"{recording}/values/0.s0.0").status_code == 200  # this one needs it
    assert supervisor.worker_pid(owner.session) is not None
    assert settled(client, session)["state"]["kind"] == "done"


def test_a_response_is_compressed_once() -> None:
    response = CompleteResponse((), bytes(900)).tagged()
    small = response.compressed()
    assert gzip.decompress(small.body) == bytes(900) == small.plain
    assert small.size < response.size
    assert small.compressed() is small
    noise = CompleteResponse((), random.Random(1).randbytes(900))
    assert noise.compressed() is noise


def test_answers_about_a_recording_are_dropped() -> None:
    answers: Responses = Cache(8_000, lambda response: response.size)
    for recording in ("one", "other"):
        answers[recording, "program?"] = answers[recording, "outline?"] = CompleteResponse((), bytes(900))
    drop_about(answers, ["one"])
    assert set(answers) == {("other", "outline?"), ("other", "program?")}
    assert answers.size == 1_800
