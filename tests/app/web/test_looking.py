"""Questions that have been answered before start no worker, and their answers are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from hloscope.app.answers.expressions import EvaluateQuestion
from hloscope.app.answers.handouts import PictureQuestion
from hloscope.app.answers.lines import MapLinesQuestion, StepLinesQuestion, StepQuestion, ValueQuestion
from hloscope.app.answers.question import NOT_RECORDED, RecordingQuestion
from hloscope.app.answers.values import SummaryQuestion
from hloscope.app.base.errors import ApiError
from hloscope.app.base.keys import session_hash
from hloscope.app.web.guard import Guard
from hloscope.app.workers.session_worker import SessionWorker
from tests.app.serving import (
    ADD,
    ENDLESS,
    JSON,
    LOOP,
    PATIENCE,
    dense,
    live,
    new_session,
    serving,
    settled,
    until,
)
from tests.app.workers.test_workers import sessions_of, supervisor
from tests.programs import known_example

NOISE = {"kind": "normal", "seed": 1, "scale": 1.0}
PRINTS = ADD.replace("return", "interpreter.print %1 : tensor<4xf32>\n  return", 1)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path) as client:
        yield client


def opened(client: TestClient, text: str = ADD, **more: Any) -> tuple[str, JSON]:
    """A session whose run is recorded."""
    session = new_session(client, text, **more)
    return session, settled(client, session)


def put_to_sleep(client: TestClient) -> None:
    """End all workers of sessions; the responses that are kept whole are dropped too."""
    found, portal = supervisor(client), cast(Any, client).portal

    def is_asleep(owner: SessionWorker) -> bool:
        portal.call(found._eviction.release, owner)  # of one that is busy nothing is released
        return not owner.alive

    for owner in list(found._owners.values()):
        until(partial(is_asleep, owner))
    cast(Any, cast(Guard, client.app).app).state.answers.clear()


def get(client: TestClient, run: JSON, path: str) -> bytes:
    answer = client.get(f"/api/recordings/{run['key']}/{path}")
    assert answer.status_code == 200, answer.text
    return answer.content


def window(address: str) -> tuple[str, str]:
    """The path of a window, and its name among others."""
    path = f"values/{address}/window?rows=-1&columns=0&at=0&from=0,0&size=1,4&level=0"
    return path, f"{address};-1;0;0;0,0;1,4;0"


ADDRESSES = ("0.s0.0", "0.s1.0", "0.f0.0")
SEVERAL = {
    "summaries": ([f"values/{each}" for each in ADDRESSES], f"summaries?addresses={','.join(ADDRESSES)}"),
    "thumbnails": (
        [f"thumbnails?addresses={each}" for each in (*ADDRESSES, "0.s2.0")],
        f"thumbnails?addresses={','.join(ADDRESSES)},0.s2.0",
    ),
    "windows": (
        [window(each)[0] for each in ADDRESSES],
        "windows?" + "&".join(f"window={window(each)[1]}" for each in ADDRESSES),
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_values_are_known_once_each_of_them_is(client: TestClient, name: str) -> None:
    alone, together = SEVERAL[name]
    _, run = opened(client)
    fresh = get(client, run, together)
    supervisor(client).forget_recordings([run["key"]])
    for path in alone:
        get(client, run, path)
    put_to_sleep(client)
    started = supervisor(client).started_workers
    assert get(client, run, together) == fresh
    assert supervisor(client).started_workers == started


@pytest.mark.parametrize("name", SEVERAL)
def test_each_value_is_known_once_several_are(client: TestClient, name: str) -> None:
    alone, together = SEVERAL[name]
    _, run = opened(client)
    fresh = [get(client, run, path) for path in alone]
    supervisor(client).forget_recordings([run["key"]])
    get(client, run, together)
    put_to_sleep(client)
    started = supervisor(client).started_workers
    assert [get(client, run, path) for path in alone] == fresh
    assert supervisor(client).started_workers == started


def test_an_invalid_window_is_refused_as_before(client: TestClient) -> None:
    _, run = opened(client)
    answer = client.get(f"/api/recordings/{run['key']}/windows?window=all")
    assert answer.status_code == 422
    assert "7 fields" in answer.json()["error"]["message"]


def test_more_windows_than_one_answer_holds_are_asked_for(client: TestClient) -> None:
    side = 1_024
    text = ADD.replace("4xf32", f"{side}x{side}xf32")
    _, run = opened(client, text, inputs=[NOISE])
    names = [f"{address};0;1;0,0;0,0;{side},{side};0" for address in ADDRESSES]
    for name in names:
        get(client, run, f"windows?window={name}")
    together = get(client, run, "&".join(["windows?", *(f"window={name}" for name in names)]))
    assert len(together) < 2 * 4 * side * side


@pytest.mark.parametrize("of", ["picture", "handout"])
def test_the_picture_of_a_step_needs_a_worker_once(client: TestClient, of: str) -> None:
    session, _ = opened(client)
    link = client.post(f"/api/sessions/{session}/links").json()["id"]
    path = f"/s/{link}/{'picture.svg' if of == 'picture' else of}?run=1&step=1"
    first = client.get(path)
    put_to_sleep(client)
    started = supervisor(client).started_workers
    assert client.get(path).content == first.content
    assert supervisor(client).started_workers == started
    assert client.delete(f"/api/sessions/{session}/links").status_code == 204
    assert client.get(path).status_code == 404


def looked(client: TestClient, run: JSON, paths: Sequence[str]) -> list[bytes]:
    """What is answered while nobody has a worker, which is what was answered before."""
    first = [get(client, run, path) for path in paths]
    put_to_sleep(client)
    started = supervisor(client).started_workers
    assert [get(client, run, path) for path in paths] == first
    assert supervisor(client).started_workers == started
    return first


def test_a_grid_that_has_ended_is_known(client: TestClient) -> None:
    _, run = opened(client, known_example("deadlock").text, grid={"replicas": 1, "partitions": 4})
    looked(client, run, ["grid", "grid/positions?chunk=0", "grid/clock?process=1", "grid/executions?from=0"])


def test_what_a_program_has_printed_is_known(client: TestClient) -> None:
    _, run = opened(client, PRINTS)
    (printed,) = looked(client, run, ["prints?from=0"])
    assert b"text" in printed


def test_who_opens_the_same_program_needs_no_worker(client: TestClient) -> None:
    _, run = opened(client, inputs=[NOISE])
    get(client, run, "outline?chunk=0")
    put_to_sleep(client)
    started = supervisor(client).started_workers
    session, same = opened(client, inputs=[NOISE])
    names = ("key", "state", "steps", "frames", "processes", "arguments", "results", "text")
    assert {name: same[name] for name in names} == {name: run[name] for name in names}
    with live(client, session) as socket:
        assert socket.receive_json()["state"]["kind"] == "done"
    get(client, same, "outline?chunk=0")
    assert supervisor(client).started_workers == started
    assert not supervisor(client).slots.holders()
    get(client, same, "values/0.s1.0")
    assert supervisor(client).started_workers == started + 1


def test_other_inputs_are_another_run(client: TestClient) -> None:
    _, run = opened(client, inputs=[NOISE])
    put_to_sleep(client)
    started = supervisor(client).started_workers
    _, other = opened(client, inputs=[{**NOISE, "seed": 2}])
    assert other["key"] != run["key"]
    assert supervisor(client).started_workers == started + 1


def test_a_program_that_is_known_does_not_wait(tmp_path: Path) -> None:
    with serving(tmp_path, max_active_sessions=1, record_first_steps=1_000_000) as client:
        _, run = opened(client)
        busy = new_session(client, ENDLESS)
        until(lambda: supervisor(client).worker_pid(session_hash(busy)))
        taken = supervisor(client).slots.holders()
        session = new_session(client)
        found = client.get(f"/api/sessions/{session}?wait=false").json()
        assert (found["waiting"], found["run"]["key"]) == (None, run["key"])
        assert supervisor(client).slots.holders() == taken


def test_nothing_is_known_of_what_was_deleted(client: TestClient) -> None:
    session, run = opened(client)
    get(client, run, "values/0.s1.0")
    client.delete(f"/api/sessions/{session}")
    assert not list(supervisor(client)._known_runs._opened)
    started = supervisor(client).started_workers
    _, again = opened(client)
    assert again["key"] == run["key"]
    assert supervisor(client).started_workers == started + 1
    assert not list(supervisor(client)._answers._known)


def test_who_asks_while_a_run_is_recorded_again_gets_what_was_answered_before(tmp_path: Path) -> None:
    with serving(tmp_path, cached_answers_bytes=0) as client:
        _, run = opened(client, LOOP, inputs=[dense("0")])
        questions: list[RecordingQuestion[Any]] = [
            ValueQuestion("%s"), ValueQuestion("0.s2.0"), StepQuestion(run["steps"] - 1), StepLinesQuestion(),
            StepLinesQuestion(find="stablehlo.add"), MapLinesQuestion("0.s2.0"), SummaryQuestion("0.s1400.0"),
            EvaluateQuestion(["%0"], 0, run["steps"]), PictureQuestion(0, run["steps"] - 1, "", [], None, ""),
        ]  # fmt: skip

        def answers() -> list[bytes]:
            ask, portal = sessions_of(client).recordings.ask, cast(Any, client).portal
            asked = [portal.start_task_soon(ask, run["key"], question) for question in questions]
            return [bytes(future.result(PATIENCE).body) for future in asked]

        first = answers()
        put_to_sleep(client)
        assert answers() == first


def test_what_is_not_there_is_not_waited_for(client: TestClient) -> None:
    _, run = opened(client)
    ask, portal = sessions_of(client).recordings.ask, cast(Any, client).portal
    with pytest.raises(ApiError) as refused:
        portal.call(ask, run["key"], SummaryQuestion("0.s99.0"))
    assert refused.value.kind == NOT_RECORDED
