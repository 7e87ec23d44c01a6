"""What an operator asks a server: whether it is ready, what it counted, and what its log says."""

import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from hloscope.app.base.errors import ApiError
from hloscope.app.base.logs import JsonLines, log_failure
from hloscope.app.web import readiness
from tests.app.listening import listening
from tests.app.serving import ADD, PORT, asked, live, new_session, settled, until

METRICS_TOKEN = "only-for-the-scraper"
SETTINGS = {"metrics_token": METRICS_TOKEN}


class Usage(NamedTuple):
    """What `shutil.disk_usage` returns."""

    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question is a check of its own."""
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0.0)


@pytest.fixture
def stranger(client: TestClient) -> Iterator[TestClient]:
    """The client, for the time of a test without the token."""
    token = client.cookies[f"hloscope-{PORT}"]
    client.cookies.clear()
    yield client
    client.cookies.set(f"hloscope-{PORT}", token)


def _numbers(text: str) -> dict[str, float]:
    """The samples by name and labels."""
    return {
        f"{sample.name}{dict(sorted(sample.labels.items())) or ''}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_server_is_ready_and_says_why_not(stranger: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked_now() -> tuple[int, str]:
        answer = stranger.get("/-/ready")
        if answer.is_success:
            assert answer.json() == {"status": "ok"}
            return 200, ""
        assert int(answer.headers["retry-after"]) >= 1
        return answer.status_code, answer.json()["error"]["message"]

    assert asked_now() == (200, "")
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", lambda path: Usage(1 << 40, 1 << 40, 1000))
        message = "The disk of the data folder has 1,000 free bytes, less than min_free_bytes, 67,108,864."
        assert asked_now() == (503, message)
    with monkeypatch.context() as patched:
        thread = stranger.app.app.state.store_thread  # type: ignore[attr-defined]

        def broken(identifier: str) -> None:
            raise OSError(5, "Input/output error")

        patched.setattr(thread.store, "session", broken)
        assert asked_now() == (
            503, "The store cannot be written or read at the moment: input/output error.",
        )  # fmt: skip
    with monkeypatch.context() as patched:
        supervisor = stranger.app.app.state.sessions.supervisor  # type: ignore[attr-defined]

        async def none() -> None:
            raise EOFError("the fork server has ended")

        patched.setattr(supervisor, "try_worker", none)
        assert asked_now() == (503, "No worker process can be started.")
    assert asked_now() == (200, "")


def test_a_check_leaves_no_worker(client: TestClient) -> None:
    def workers() -> float:
        return _numbers(client.get("/-/metrics").text)["hloscope_workers"]

    until(lambda: workers() == 1)  # the first checker
    assert client.get("/-/ready").is_success
    assert workers() == 1


def test_the_metrics_count_what_happened(client: TestClient) -> None:
    before = _numbers(client.get("/-/metrics").text)
    session = new_session(client, ADD)
    run = settled(client, session)
    with live(client, session):
        asked(client, run, "memory")
        assert client.get("/api/sessions/none").status_code == 404
        text = client.get("/-/metrics").text
    after = _numbers(text)
    assert after["hloscope_workers"] >= 2  # the session's and a checker
    assert after["hloscope_sockets"] == before["hloscope_sockets"] + 1
    assert after["hloscope_step_seconds_count"] == before["hloscope_step_seconds_count"] + 1
    assert after["hloscope_step_seconds_bucket{'le': '+Inf'}"] == after["hloscope_step_seconds_count"]
    missing = "hloscope_refusals_total{'kind': 'not_found', 'status': '404'}"
    assert after[missing] == before.get(missing, 0) + 1
    assert after["hloscope_stored_bytes"] > 4096
    assert after["hloscope_waiting_sessions"] == 0
    assert after["process_resident_memory_bytes"] > 1 << 20
    assert METRICS_TOKEN not in client.get("/-/settings").text
    assert session not in text
    assert run["key"] not in text
    assert "stablehlo" not in text


def test_only_who_may_reads_the_metrics(stranger: TestClient) -> None:
    def status(path: str, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return stranger.get(path, headers=headers).status_code

    assert [status("/-/metrics", token) for token in ("", "wrong", METRICS_TOKEN)] == [401, 401, 200]
    assert status("/-/settings", METRICS_TOKEN) == 401
    evil = {"Authorization": f"Bearer {METRICS_TOKEN}", "Host": "evil.example"}
    assert stranger.get("/-/metrics", headers=evil).status_code == 403


def test_connections_and_unsent_bytes_are_counted(tmp_path: Path) -> None:
    with listening(tmp_path) as server, server.client() as client, server.connect() as other:
        other.sendall(b"GET / HTTP/1.1\r\n")
        found = _numbers(client.get("/-/metrics").text)
        assert found["hloscope_connections"] == 2
        assert found["hloscope_unsent_bytes"] == 0


def test_json_logs_have_a_line_for_each_record(capfd: pytest.CaptureFixture[str]) -> None:
    log = logging.Logger("hloscope")
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    log.addHandler(handler)
    secret = "func.func @main() {\n" + "  %0 = stablehlo.constant dense<1> : tensor<i32>\n" * 30
    try:
        raise ApiError(500, "internal", "x") from ValueError(secret)
    except ApiError as error:
        log_failure(log, error, "c0ffee")
    try:
        raise ValueError(secret)
    except ValueError:
        log.exception('it "failed"\nat %s', "ü")
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["level"] for line in lines] == ["error", "error"]
    assert lines[0]["request"] == "c0ffee"
    assert lines[1]["message"] == 'it "failed"\nat ü'
    assert lines[0]["time"].endswith("+00:00")
    assert all(secret not in str(line) and str(line).count("stablehlo") <= 6 for line in lines)
