"""XLA as the second engine of a session, over the API: begun, followed, cancelled, refused; and its values beside ours."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.serving import JSON, new_session, serving, settled, until

pytestmark = pytest.mark.oracle

PROGRAM = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.exponential %a : tensor<4x6xf32>
  %1 = stablehlo.add %0, %a : tensor<4x6xf32>
  %2 = stablehlo.tanh %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
"""
ENDLESS = """func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %n = stablehlo.constant dense<1000000000> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%x = %zero) : tensor<i32>
    cond { %go = stablehlo.compare LT, %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %one = stablehlo.constant dense<1> : tensor<i32>
      %more = stablehlo.add %x, %one : tensor<i32>
      stablehlo.return %more : tensor<i32> }
  return %0 : tensor<i32>
}
"""


def begin(client: TestClient, session: str, against: str = "xla") -> Any:
    return client.post(f"/api/sessions/{session}/runs/1/engines", json={"against": against})


def ended(client: TestClient, session: str, id: str) -> JSON:
    """The job once it is over."""

    def found() -> JSON | None:
        job: JSON = client.get(f"/api/sessions/{session}/engines/{id}").json()
        return None if job["state"] in ("waiting", "running") else job

    return until(found)


@pytest.fixture(scope="module")
def run(client: TestClient) -> tuple[str, JSON, JSON]:
    """A session, its run, and the job that has compared it."""
    session = new_session(client, PROGRAM, inputs=[{"kind": "normal", "seed": 3}])
    found = settled(client, session)
    begun = begin(client, session)
    assert begun.status_code == 201, begun.text
    return session, found, ended(client, session, begun.json()["id"])


def compared(client: TestClient, run: tuple[str, JSON, JSON], part: str = "", **query: Any) -> Any:
    _, found, job = run
    params = {"with": f"values:{job['file']}", **query}
    answer = client.get(f"/api/recordings/{found['key']}/comparison{part}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.headers["content-type"].startswith("application/json") else answer.content


def test_the_job_ends_with_a_verdict_and_a_file(run: tuple[str, JSON, JSON]) -> None:
    job = run[2]
    assert job["state"] == "done", job
    assert job["message"].startswith("XLA of jaxlib ")
    assert "agrees" in job["message"]
    assert len(job["file"]) == 64


def test_its_values_stand_beside_ours(client: TestClient, run: tuple[str, JSON, JSON]) -> None:
    found = compared(client, run)
    assert found["done"]
    assert [row["before"]["name"] for row in found["rows"]] == ["%0", "%1", "%2"]
    assert {row["verdict"] for row in found["rows"]} <= {"same_bits", "rounding"}
    assert found["origin"]["title"].startswith("XLA of jaxlib ")
    assert found["origin"]["sentence"] == run[2]["message"]
    row = found["rows"][1]
    pair = {"address": row["before"]["address"], "other_address": row["after"]["address"]}
    assert compared(client, run, "/difference", **pair)["distance"]["shape"] == [4, 6]
    assert compared(client, run, "/value", address=pair["other_address"])["count"] == 24
    window = compared(
        client, run, "/value/window", address=pair["other_address"], rows=0, columns=1, at="0,0", size="4,6"
    )
    assert len(np.frombuffer(window[-96:], "<f4")) == 24
    assert compared(client, run, "/step", step=2)["step"] == 2


def test_a_tolerance_is_ours_to_choose(client: TestClient, run: tuple[str, JSON, JSON]) -> None:
    exact = compared(client, run, absolute=0)
    assert exact["counts"].get("rounding", 0) == 0


def test_flags_that_there_are_not_are_said(client: TestClient, run: tuple[str, JSON, JSON]) -> None:
    job = ended(client, run[0], begin(client, run[0], "xla:nonsense").json()["id"])
    assert job["state"] == "failed"
    assert "nonsense" in job["message"]
    assert begin(client, run[0], "jaxlib==0.1").status_code == 422


def test_it_is_cancelled(client: TestClient) -> None:
    session = new_session(client, ENDLESS, inputs=[{"kind": "zeros", "seed": 0}])
    id = begin(client, session).json()["id"]
    path = f"/api/sessions/{session}/engines/{id}"
    until(lambda: "own run" in client.get(path).json()["doing"])
    assert client.delete(path).status_code == 204
    assert ended(client, session, id)["state"] == "cancelled"
    assert client.get(f"/api/sessions/{session}/engines/nothing").status_code == 404


def test_a_run_that_takes_too_long_says_which_setting(tmp_path: Path) -> None:
    with serving(tmp_path, second_engine_time_limit_ms=1_000, run_step_limit=10**9) as client:
        session = new_session(client, ENDLESS, inputs=[{"kind": "zeros", "seed": 0}])
        job = ended(client, session, begin(client, session).json()["id"])
    assert job["state"] == "failed"
    assert "second_engine_time_limit_ms" in job["hint"], job


def test_a_server_for_others_refuses_unless_it_is_told(tmp_path: Path) -> None:
    cases: tuple[tuple[dict[str, Any], int], ...] = (
        ({"allowed_hosts": "example.org"}, 403),
        ({"second_engine": "no"}, 403),
        ({"allowed_hosts": "example.org", "second_engine": "yes"}, 201),
    )
    for settings, status in cases:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        with serving(folder, **settings) as client:
            session = new_session(client, PROGRAM)
            settled(client, session)
            answer = begin(client, session)
            assert answer.status_code == status, answer.text
            if status == 403:
                assert "second_engine" in answer.json()["error"]["hint"]


def test_a_run_begins_of_what_xla_has_computed(client: TestClient) -> None:
    session = new_session(client, PROGRAM, inputs=[{"kind": "normal", "seed": 3}])
    whole = settled(client, session)
    path = f"/api/sessions/{session}"
    begun = client.post(f"{path}/runs/1/engines", json={"against": "xla", "start_at": 4})
    job = ended(client, session, begun.json()["id"])
    assert job["state"] == "done", job
    assert job["start_at"] == 4
    assert job["message"].startswith(
        "the recording begins at line 4; 1 value from before it is computed by XLA"
    )
    started = client.post(f"{path}/runs", json={"text": PROGRAM, "start": job["id"]}).json()["run"]
    assert (started["number"], started["start"]["line"]) == (2, 4)
    assert [found["array"] for found in started["start"]["values"]] == ["%1"]
    later = settled(client, session)
    assert later["steps"] == 2
    program = client.get(f"/api/recordings/{later['key']}/program").json()
    assert program["begin"]["line"] == 4
    assert [program["values"][value]["name"] for value in program["begin"]["values"]] == ["%1"]
    ours, theirs = (
        np.load(io.BytesIO(client.get(f"/api/recordings/{run['key']}/values/{address}.npy").content))
        for run, address in ((whole, "0.s2.0"), (later, "0.s0.0"))
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    again = client.post(f"{path}/runs", json={"text": PROGRAM}).json()["run"]
    assert again["start"] is None
    assert again["key"] == whole["key"]


def test_places_and_jobs_that_there_are_not_are_said(client: TestClient, run: tuple[str, JSON, JSON]) -> None:
    begun = client.post(
        f"/api/sessions/{run[0]}/runs/1/engines", json={"against": "xla", "start_at": "%nope"}
    )
    job = ended(client, run[0], begun.json()["id"])
    assert job["state"] == "failed"
    assert job["message"] == "no operation makes %nope"
    for start in (run[2]["id"], "nothing"):  # of a comparison no run begins
        answer = client.post(f"/api/sessions/{run[0]}/runs", json={"text": PROGRAM, "start": start})
        assert answer.status_code == 404
