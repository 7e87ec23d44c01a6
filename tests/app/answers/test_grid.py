"""Runs on grids over the API: sizes, inputs of processes, positions, collective executions, pieces, comparisons, shardings."""

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from tests.app.grid_programs import (
    FED,
    FROM_HOST,
    MANUAL,
    ONE_NEVER_COMES,
    PARTITIONED,
    PASSED_ON,
    SUM_OF_PAIRS,
)
from tests.app.serving import ADD, JSON, asked, dense, live, new_session, serving, settled
from tests.app.workers.test_workers import worker_of

NONE = 0xFFFFFFFF
IMMUTABLE = "private, max-age=31536000, immutable"
SETTINGS = {"max_processes": 64}


def on_grid(client: TestClient, text: str, **more: Any) -> JSON:
    return settled(client, new_session(client, text, **more))


def value(client: TestClient, run: JSON, address: str) -> str:
    return str(asked(client, run, f"values/{address}")["text"])


def positions(client: TestClient, run: JSON, processes: int, chunk: int = 0) -> tuple[Any, Any, int]:
    answer = client.get(f"/api/recordings/{run['key']}/grid/positions?chunk={chunk}")
    size = processes * 256
    columns = np.frombuffer(answer.content[: 12 * size], "<u4").reshape(3, processes, 256)
    states = np.frombuffer(answer.content[12 * size :], "u1").reshape(processes, 256)
    return columns, states, int(answer.headers["X-Ticks"])


# Sizes and inputs.


def test_the_program_says_how_many_processes_there_are(client: TestClient) -> None:
    run = on_grid(client, SUM_OF_PAIRS, inputs=[dense("[1, 2]")])
    assert run["grid"] == run["needed_grid"] == {"replicas": 4, "partitions": 1}
    assert (run["state"]["kind"], run["processes"], run["ticks"], run["collective_executions"]) == (
        "done",
        4,
        2,
        2,
    )
    assert value(client, run, "3.s0.0").endswith("[2, 4]")


def test_the_user_chooses_another_grid(client: TestClient) -> None:
    session = new_session(client, ADD)
    body = {"text": ADD, "inputs": [], "grid": {"replicas": 2, "partitions": 3}}
    assert client.post(f"/api/sessions/{session}/runs", json=body).json()["diagnostics"] == []
    run = settled(client, session)
    assert (run["processes"], run["grid"]) == (6, {"replicas": 2, "partitions": 3})
    # Run again, it keeps the grid that was chosen; inputs and no grid are as the program says.
    again = client.post(f"/api/sessions/{session}/runs", json={"text": ADD + "// again"}).json()
    assert again["run"]["grid"] == {"replicas": 2, "partitions": 3}
    other = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": []}).json()
    assert other["run"]["grid"] == {"replicas": 1, "partitions": 1}


def test_too_many_processes_are_refused_by_the_name_of_the_limit(client: TestClient) -> None:
    session = new_session(client, ADD)
    body = {"text": ADD, "grid": {"replicas": 13, "partitions": 5}}
    answer = client.post(f"/api/sessions/{session}/runs", json=body).json()
    (found,) = answer["diagnostics"]
    assert answer["run"] is None
    assert (found["label"], found["kind"]) == ("max_processes", "limit")
    assert "65 processes; max_processes allows 64" in found["message"]


def test_each_process_has_inputs_of_its_own(client: TestClient) -> None:
    each = {"kind": "each", "specs": [dense(str(number)) for number in (1, 2, 30, 40)]}
    run = on_grid(client, SUM_OF_PAIRS, inputs=[each])
    assert [value(client, run, f"{number}.s0.0")[-6:] for number in range(4)] == ["[3, 3]"] * 2 + [
        "0, 70]"
    ] * 2
    assert run["arguments"][0]["input"] == each
    few = new_session(client, SUM_OF_PAIRS, inputs=[{"kind": "each", "specs": [dense("1")] * 3}])
    (found,) = client.get(f"/api/sessions/{few}").json()["diagnostics"]
    assert "given for 3 processes, but there are 4 (4 replicas x 1 partition)" in found["message"]


def test_random_numbers_apart_are_those_of_other_seeds(client: TestClient) -> None:
    apart = {"kind": "apart", "base": {"kind": "normal", "seed": 7}}
    run = on_grid(client, SUM_OF_PAIRS, inputs=[apart])
    alike = on_grid(client, SUM_OF_PAIRS, inputs=[{"kind": "normal", "seed": 9}])
    assert value(client, run, "2.f0.0") == value(client, alike, "0.f0.0") == value(client, alike, "3.f0.0")
    assert len({value(client, run, f"{number}.f0.0") for number in range(4)}) == 4


def test_a_whole_is_cut_and_a_part_is_for_all(client: TestClient) -> None:
    run = on_grid(client, PARTITIONED, inputs=[dense("[0, 1, 2, 3, 4, 5, 6, 7]")])
    assert run["state"]["kind"] == "done", run["state"]
    (argument,) = run["arguments"]
    assert (argument["shape"], argument["whole"]["shape"], argument["type"]) == ([2], [8], "f32[2]")
    assert [value(client, run, f"{number}.f0.0")[-6:] for number in range(4)] == [
        "[0, 1]",
        "[2, 3]",
        "[4, 5]",
        "[6, 7]",
    ]
    assert asked(client, run, "grid")["assembled"] is False
    part = on_grid(client, PARTITIONED, inputs=[dense("[5, 6]")])
    same = on_grid(client, PARTITIONED, inputs=[{"kind": "same", "base": dense("[5, 6]")}])
    assert {value(client, found, f"{p}.f0.0")[-6:] for found in (part, same) for p in range(4)} == {"[5, 6]"}
    wrong = new_session(client, PARTITIONED, inputs=[dense("[1, 2, 3]")])
    (found,) = client.get(f"/api/sessions/{wrong}").json()["diagnostics"]
    assert "Give the whole, or a part for every process" in found["hint"]


def test_inputs_of_before_that_fit_no_more_are_dropped(client: TestClient) -> None:
    session = new_session(client, SUM_OF_PAIRS, inputs=[{"kind": "each", "specs": [dense("1")] * 4}])
    again = client.post(f"/api/sessions/{session}/runs", json={"text": SUM_OF_PAIRS + "// more"}).json()
    assert again["dropped_inputs"] == []
    body = {"text": SUM_OF_PAIRS, "grid": {"replicas": 4, "partitions": 2}}
    (dropped,) = client.post(f"/api/sessions/{session}/runs", json=body).json()["dropped_inputs"]
    assert dropped == {
        "name": "x",
        "reason": "It was given for 4 processes; the grid is now 4 replicas x 2 partitions.",
    }


def test_a_file_for_each_process(client: TestClient, tmp_path: Path) -> None:
    session = new_session(client, SUM_OF_PAIRS)
    file = tmp_path / "x.npz"
    names = {f"x@{number},0": np.full(2, number, np.float32) for number in range(4)}
    np.savez(file, **names)  # type: ignore[arg-type]
    answer = client.post(f"/api/sessions/{session}/files", files={"file": file.read_bytes()}).json()
    assert answer["matches"] == [
        {"argument": 0, "array": name, "replica": number, "partition": 0} for number, name in enumerate(names)
    ]
    specs = [{"kind": "file", "file": answer["file"], "array": name} for name in names]
    body = {"text": SUM_OF_PAIRS, "inputs": [{"kind": "each", "specs": specs}]}
    started = client.post(f"/api/sessions/{session}/runs", json=body).json()
    assert started["diagnostics"] == []
    run = settled(client, session)
    assert value(client, run, "3.s0.0").endswith("[5, 5]")
    os.kill(worker_of(client, session), signal.SIGKILL)
    assert value(client, run, "2.f0.0").endswith("[2, 2]")
    assert "path" not in str(run["arguments"])


# What is recorded of the grid.


def test_every_process_has_an_outline(client: TestClient) -> None:
    run = on_grid(client, SUM_OF_PAIRS)
    for question, header in (("outline", "X-Steps"), ("frames", "X-Frames")):
        answers = [
            client.get(f"/api/recordings/{run['key']}/{question}?chunk=0&process={number}")
            for number in range(5)
        ]
        assert [answer.status_code for answer in answers] == [200] * 4 + [404]
        assert answers[0].content == answers[3].content
        assert int(answers[3].headers[header]) == (2 if question == "outline" else 1)
        assert answers[3].headers["Cache-Control"] == IMMUTABLE


def test_moments_say_where_each_process_is_at_each_tick(client: TestClient) -> None:
    run = on_grid(client, ONE_NEVER_COMES)
    (steps, ops, executions), states, ticks = positions(client, run, 2)
    assert ticks == run["ticks"] == 6
    assert steps[0, :6].tolist() == [0, 1, 2, 3, 4, 4]
    assert steps[1, :7].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert ops[1, 6] == NONE
    assert states[0, :6].tolist() == [1, 1, 1, 1, 2, 2]
    assert states[1, :7].tolist() == [1, 1, 1, 1, 1, 1, 3]
    assert executions[0, :6].tolist() == [NONE] * 4 + [0, 0]
    assert set(executions[1].tolist()) == {NONE}
    assert positions(client, run, 2, chunk=5)[2] == 0


def test_executions_list_arrivals(client: TestClient) -> None:
    run = on_grid(client, SUM_OF_PAIRS)
    first, second = asked(client, run, "grid/executions")
    assert (first["kind"], first["line"], first["group"], second["group"]) == (
        "all_reduce",
        3,
        [0, 1],
        [2, 3],
    )
    assert (first["arrivals"], first["released"]) == ([[0, 0, 0], [1, 0, 0]], [[0, 1], [1, 1]])
    assert first["groups"] == [[0, 1], [2, 3]]
    assert (first["begin"], first["end"]) == (0, 1)
    assert asked(client, run, "grid/executions?from=1") == [second]


def test_pieces_say_what_moved_where(client: TestClient) -> None:
    run = on_grid(client, SUM_OF_PAIRS)
    box = {"start": [0], "sizes": [2]}
    assert asked(client, run, "grid/pieces?execution=1&process=3")["pieces"] == [
        {"source": 2, "from": "2.f0.0", "read": box, "to": "3.s0.0", "written": box, "combined": True},
        {"source": 3, "from": "3.f0.0", "read": box, "to": "3.s0.0", "written": box, "combined": True},
    ]
    assert client.get(f"/api/recordings/{run['key']}/grid/pieces?execution=1&process=0").status_code == 404
    both = asked(client, run, "grid/pieces?execution=1")
    assert both["complete"]
    assert both["receivers"]["3"] == asked(client, run, "grid/pieces?execution=1&process=3")["pieces"]


def test_the_end_of_a_manual_computation_is_a_collective_execution(client: TestClient) -> None:
    run = on_grid(client, MANUAL, inputs=[dense("[0, 1, 2, 3, 4, 5, 6, 7]")])
    (execution,) = asked(client, run, "grid/executions")
    assert (execution["kind"], execution["group"]) == ("manual_computation", [0, 1, 2, 3])
    pieces = asked(client, run, "grid/pieces?execution=0&process=1")["pieces"]
    assert [(piece["from"], piece["written"]["start"]) for piece in pieces] == [
        (f"{number}.s1.0", [2 * number]) for number in range(4)
    ]
    assert asked(client, run, "grid")["assembled"] is True
    (_, _, executions), _, _ = positions(client, run, 4)
    assert executions[:, :4].tolist() == [[NONE, NONE, 0, NONE]] * 4


def test_values_of_processes_are_compared(client: TestClient) -> None:
    specs = [dense(text) for text in ("[nan, 1]", "[nan, 1]", "[nan, 3]", "[2, -0.0]")]
    run = on_grid(client, SUM_OF_PAIRS, inputs=[{"kind": "each", "specs": specs}])
    found = asked(client, run, "grid/compare?addresses=0.f0.0,1.f0.0,2.f0.0,3.f0.0")
    assert found["groups"] == [[0, 1], [2], [3]]
    assert found["pairs"][2] == {"index": 2, "different": 1, "of": 2, "largest": 2.0, "first": [1]}
    assert found["pairs"][3] == {"index": 3, "different": 2, "of": 2, "largest": None, "first": [0]}
    assert client.get(f"/api/recordings/{run['key']}/grid/compare?addresses=0.f9.0").status_code == 404


def test_shardings_say_where_the_pieces_lie(client: TestClient) -> None:
    run = on_grid(client, PARTITIONED)
    program = asked(client, run, "program")
    part = next(item["id"] for item in program["values"] if item["name"] == "%part")
    found = asked(client, run, f"grid/shardings?value={part}")
    assert (found["shape"], found["assembled"], found["tiles"]) == ([8], False, [4])
    assert found["pieces"][2] == {"processes": [2], "start": [4], "sizes": [2]}
    assert asked(client, run, "grid/shardings?op=0") is None


def test_a_deadlock_is_reported(client: TestClient) -> None:
    run = on_grid(client, ONE_NEVER_COMES)
    assert run["state"]["kind"] == "failed"
    assert run["state"]["diagnostic"]["line"] == 7
    report = asked(client, run, "grid")["deadlock"]
    assert report["sentence"].startswith("(1, 0) has ended, while (0, 0) waits")
    (wait,) = report["waits"]
    assert (wait["process"], wait["line"], wait["missing"]) == (0, 7, [1])


def test_the_clock_tells_where_a_process_has_waited(client: TestClient) -> None:
    run = on_grid(client, SUM_OF_PAIRS)
    answer = client.get(f"/api/recordings/{run['key']}/grid/clock?process=2")
    assert np.frombuffer(answer.content, "<u4").tolist() == [0, 0]
    assert answer.headers["Cache-Control"] == IMMUTABLE


def test_a_check_says_what_the_program_wants(client: TestClient) -> None:
    (entry,) = client.post("/api/check", json={"text": SUM_OF_PAIRS}).json()["entries"]
    assert (entry["needed_grid"], entry["user_queues"]) == ({"replicas": 4, "partitions": 1}, [])
    (entry,) = client.post("/api/check", json={"text": FED}).json()["entries"]
    assert entry["user_queues"] == ["infeed"]
    (entry,) = client.post("/api/check", json={"text": FROM_HOST}).json()["entries"]
    assert entry["user_queues"] == ["host:3"]


# Queues.


def fed(client: TestClient, session: str, *values: str, queue: str = "infeed", run: int = 1) -> Any:
    body = {"queue": queue, "items": [[dense(text) for text in values]]}
    return client.post(f"/api/sessions/{session}/runs/{run}/feed", json=body)


def test_a_run_waits_for_the_user_and_goes_on(client: TestClient) -> None:
    session = new_session(client, FED)
    run = settled(client, session)
    assert (run["state"]["kind"], run["user_queues"]) == ("paused", ["infeed"])
    assert run["state"]["reason"] == "the run waits for the infeed queue, which is empty"
    (queue,) = asked(client, run, "grid")["queues"]
    assert (queue["awaited"], queue["waitingCount"]) == ([0], 0)
    _, states, _ = positions(client, run, 1)
    assert states[0, :2].tolist() == [1, 5]
    assert fed(client, session, "[1, 2]").status_code == 200
    settled(client, session)
    wrong = fed(client, session, "[1, 2]")
    assert (wrong.status_code, wrong.json()["error"]["kind"]) == (422, "input")
    assert "has 1 values; tensor<2xi32>, tensor<f32> is taken from it" in wrong.json()["error"]["message"]
    with live(client, session) as socket:
        assert fed(client, session, "[10, 20]", "2.5").status_code == 200
        while (message := socket.receive_json())["state"]["kind"] != "done":
            pass
    done = settled(client, session)
    assert done["key"] == run["key"]
    assert message["queues"] == done["queues"] > run["queues"]
    assert value(client, done, "0.s3.0").endswith("[11, 22]")
    taken, given = asked(client, done, "grid")["queues"]
    assert [move["addresses"] for move in taken["moves"]] == [["0.s1.0"], ["0.s2.0", "0.s2.1"]]
    assert (given["kind"], given["moves"][0]["addresses"]) == ("outfeed", ["0.s3.0"])
    assert fed(client, session, "1").status_code == 422


def test_what_was_fed_is_fed_again_after_a_death(client: TestClient) -> None:
    session = new_session(client, FED, feeds=[{"queue": "infeed", "items": [[dense("[1, 2]")]]}])
    settled(client, session)
    fed(client, session, "[10, 20]", "2.5")
    run = settled(client, session)
    before = value(client, run, "0.s3.0")
    os.kill(worker_of(client, session), signal.SIGKILL)
    assert value(client, run, "0.s3.0") == before
    assert settled(client, session) == run
    # A run that is started again begins with all that was fed; its name is another one.
    client.post(f"/api/sessions/{session}/runs", json={"text": FED})
    again = settled(client, session)
    assert (again["number"], again["state"]["kind"], again["feeds"]["later"]) == (2, "done", [])
    assert len(again["feeds"]["given"]) == 2
    assert again["key"] != run["key"]
    assert value(client, again, "0.s3.0") == before


def test_feeds_of_before_that_nothing_takes_are_dropped(client: TestClient) -> None:
    session = new_session(client, FED, feeds=[{"queue": "infeed", "items": [[dense("[1, 2]")]]}])
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": FROM_HOST}).json()
    assert [item["name"] for item in answer["dropped_inputs"]] == ["infeed"]
    assert answer["run"]["feeds"]["given"] == []


def test_the_host_is_a_queue_by_its_channel(client: TestClient) -> None:
    session = new_session(client, FROM_HOST)
    assert "queue from the host on channel 3" in settled(client, session)["state"]["reason"]
    assert fed(client, session, "[4, 5]", queue="host:3").status_code == 200
    run = settled(client, session)
    assert run["state"]["kind"] == "done", run["state"]
    _, sent = asked(client, run, "grid")["queues"]
    assert (sent["kind"], sent["channel"], sent["moves"][0]["texts"]) == ("to_host", 4, ["int32[2]  [4, 5]"])


def test_a_program_without_queues_cannot_be_fed(client: TestClient) -> None:
    session = new_session(client, ADD)
    assert fed(client, session, "1").status_code == 422
    assert fed(client, session, "1", queue="outfeed").status_code == 422
    assert fed(client, session, "1", run=7).status_code == 404


def test_a_queue_that_processes_fill_themselves_takes_nothing_from_the_user(client: TestClient) -> None:
    session = new_session(client, PASSED_ON)
    assert "queue from the host on channel 6" in settled(client, session)["state"]["reason"]
    refused = fed(client, session, "[4, 5]", queue="host:5")
    assert refused.status_code == 422
    assert "filled by processes that have begun" in refused.json()["error"]["message"]
    (awaited,) = asked(client, settled(client, session), "grid/executions")
    assert (awaited["group"], awaited["ends"]) == ([2], [-1, 2])
    assert fed(client, session, "[6, 7]", queue="host:6").status_code == 200
    done = settled(client, session)
    assert done["state"]["kind"] == "done"
    assert [queue["channel"] for queue in asked(client, done, "grid")["queues"]] == [6]
    (passed,) = asked(client, done, "grid/executions")
    assert (passed["group"], passed["ends"]) == ([1, 2], None)


def test_a_restarted_server_brings_grid_and_feeds_back(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        alone = new_session(client, FED, feeds=[{"queue": "infeed", "items": [[dense("[1, 2]")]]}])
        settled(client, alone)
        fed(client, alone, "[10, 20]", "2.5")
        waiting = settled(client, alone)
        assert waiting["state"]["kind"] == "done"
        many = new_session(client, ADD, inputs=[dense("[1, 2, 3, 4]")], grid={"replicas": 2, "partitions": 2})
        before = settled(client, many)
        compared = asked(client, before, "grid/compare?addresses=0.s1.0,3.s1.0")
    with serving(tmp_path) as client:
        assert settled(client, alone) == waiting
        assert value(client, waiting, "0.s3.0").endswith("[11, 22]")
        after = settled(client, many)
        assert after == before
        assert asked(client, after, "grid/compare?addresses=0.s1.0,3.s1.0") == compared


def test_each_process_of_a_grid_prints(client: TestClient) -> None:
    text = ADD.replace("return", "interpreter.print %1 : tensor<4xf32>\n  return", 1)
    run = on_grid(client, text, inputs=[dense("[1, 2, 3, 4]")], grid={"replicas": 2, "partitions": 1})
    assert run["prints"] == 2
    both = [asked(client, run, f"prints?from=0&process={number}") for number in range(2)]
    assert both[0] == both[1]
    assert both[1][0]["step"] == 2


def test_a_team_under_a_process_has_moments_of_its_own(client: TestClient) -> None:
    text = """\
func.func @part() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}
func.func @main() -> (tensor<ui32>, tensor<ui32>) {
  %0:2 = "interpreter.run_parallel"() {programs = [[@part], [@part]]} : () -> (tensor<ui32>, tensor<ui32>)
  return %0#0, %0#1 : tensor<ui32>, tensor<ui32>
}
"""
    run = on_grid(client, text, entry="main")
    assert run["state"]["kind"] == "done", run["state"]
    _, team = asked(client, run, "grid")["teams"]
    assert (team["replicas"], team["first"], team["begin"]) == (2, 1, 1)
    assert team["opener"] == {"process": 0, "step": 0, "line": 6}
    answer = client.get(f"/api/recordings/{run['key']}/grid/positions?chunk=0&team=1")
    states = np.frombuffer(answer.content[12 * 512 :], "u1").reshape(2, 256)
    assert states[:, :4].tolist() == [[0, 1, 1, 3]] * 2
    assert value(client, run, "2.s0.0").endswith("1")
    assert client.get(f"/api/recordings/{run['key']}/grid/positions?chunk=0&team=2").status_code == 404


def test_a_program_states_inputs_for_its_processes(client: TestClient) -> None:
    lines = "// title: T\n// description: D\n// inputs: each 1 | 2 | 3 | 4\n"
    run = on_grid(client, lines + SUM_OF_PAIRS)
    assert [spec["text"] for spec in run["arguments"][0]["input"]["specs"]] == ["1", "2", "3", "4"]
    assert value(client, run, "3.s0.0").endswith("[7, 7]")
    apart = on_grid(client, lines.replace("each 1 | 2 | 3 | 4", "apart normal:5*2") + SUM_OF_PAIRS)
    assert apart["arguments"][0]["input"] == {
        "kind": "apart",
        "base": {"kind": "normal", "seed": 5, "scale": 2.0},
    }
