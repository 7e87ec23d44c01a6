"""`hloscope dap`, played by a client over standard input and output."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.app.editors.launch import read_program
from hloscope.engine.debugger import stepping
from hloscope.engine.debugger.stepping import Outline

from .dap_client import DapClient, playing, playing_process

EXAMPLES = Path(__file__).parents[3] / "app/reference/examples"
LOOP = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %out:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %five = stablehlo.constant dense<5> : tensor<i32>
      %less = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %w = func.call @double(%v) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %next, %w : tensor<i32>, tensor<4xf32>
    }
  return %out#1 : tensor<4xf32>
}
func.func private @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = stablehlo.add %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
"""
BORN = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.log %x : tensor<3xf32>
  %1 = stablehlo.subtract %0, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""
ENDLESS = LOOP.replace("dense<5>", "dense<2147483647>")
GRID = """module @m attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %id = stablehlo.replica_id : tensor<ui32>
    %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.negate %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
"""
MOVES = {
    "next": stepping.over,
    "stepIn": stepping.into,
    "stepOut": stepping.out,
    "stepBack": stepping.back_over,
}


@pytest.fixture
def client() -> Iterator[DapClient]:
    with playing() as found:
        yield found


def _file(folder: Path, text: str) -> Path:
    file = folder / "p.mlir"
    file.write_text(text, "utf-8")
    return file


def test_a_session_begins_in_the_order_of_the_protocol(client: DapClient, tmp_path: Path) -> None:
    can = client.ask("initialize", adapterID="x")
    assert can["supportsStepBack"]
    launch = client.send("launch", program=str(_file(tmp_path, LOOP)), input=["iota"])
    client.event("initialized")
    assert not any(message.get("request_seq") == launch for message in client.heard)
    client.ask("setBreakpoints", source={"path": str(tmp_path / "p.mlir")}, breakpoints=[])
    client.ask("configurationDone")
    client.event("stopped")
    told = [message.get("event") or message["command"] for message in client.heard]
    assert told == ["initialize", "initialized", "setBreakpoints", "configurationDone", "launch", "stopped"]
    assert [message["seq"] for message in client.heard] == list(range(1, 7))


def test_the_answer_to_a_step_comes_before_the_stop(client: DapClient, tmp_path: Path) -> None:
    client.begin(_file(tmp_path, LOOP))
    start = len(client.heard)
    client.move("next")
    assert [m.get("event") or m["command"] for m in client.heard[start:]] == ["next", "stopped"]


def test_steps_frames_and_values(client: DapClient, tmp_path: Path) -> None:
    assert client.begin(_file(tmp_path, LOOP), input=["iota"])["reason"] == "entry"
    assert client.top()["line"] == 2
    for _ in range(2):
        client.move("stepIn")
    frame = client.top()
    assert (frame["line"], frame["name"]) == (5, "stablehlo.while, region 0, iteration 0")
    assert [found["line"] for found in client.ask("stackTrace", threadId=1)["stackFrames"]] == [5, 3]
    assert client.values()["%i"]["value"] == "i32  0"
    client.move("stepOut")
    # The condition's region is over; the current op is the body's first, in the same depth.
    assert client.top()["line"] in (9, 14)
    assert client.evaluate("%x.sum()") == "6"


def test_a_call_has_frames_of_its_own(client: DapClient, tmp_path: Path) -> None:
    program = _file(tmp_path, LOOP)
    client.begin(program, [{"line": 17, "condition": "%a[1] > 3"}], input=["iota"])
    stop = client.move("continue")
    assert (stop["reason"], client.evaluate("%a")) == ("breakpoint", "f32[4]  [0, 4, 8, 12]")
    frames = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert [frame["name"] for frame in frames] == [
        "@double", "stablehlo.while, region 1, iteration 2", "@main"
    ]  # fmt: skip
    outer = client.ask("evaluate", expression="%i", frameId=frames[1]["id"])
    assert outer["result"] == "2"
    assert "no value here" in client.refused("evaluate", expression="%b", frameId=frames[0]["id"])


@pytest.mark.parametrize(("hits", "iterations"), [("2", [1]), (">= 4", [3, 4]), ("% 2", [1, 3]), ("<2", [0])])
def test_hit_counts_forwards_and_backwards(tmp_path: Path, hits: str, iterations: list[int]) -> None:
    with playing() as client:
        client.begin(_file(tmp_path, LOOP), [{"line": 10, "hitCondition": hits}])
        found = []
        while client.move("continue")["reason"] == "breakpoint":
            found.append(int(client.evaluate("iteration")))
        back = []
        while client.move("reverseContinue")["reason"] == "breakpoint":
            back.append(int(client.evaluate("iteration")))
        assert (found, back) == (iterations, iterations[::-1])


def test_log_points_say_and_do_not_stop(client: DapClient, tmp_path: Path) -> None:
    client.begin(
        _file(tmp_path, LOOP), [{"line": 10, "logMessage": "i is {%i}, max {%v.max()}"}], input=["ones"]
    )
    stop = client.move("continue")
    assert stop["description"] == "the end of the program"
    said = [m["body"]["output"] for m in client.heard if m.get("event") == "output"]
    assert said == [f"i is {i}, max {2**i}\n" for i in range(5)]
    assert client.move("reverseContinue")["reason"] == "entry"


def test_the_end_is_a_stop_from_which_one_goes_back_or_ends(client: DapClient, tmp_path: Path) -> None:
    client.begin(_file(tmp_path, LOOP), input=["ones"])
    assert client.move("continue")["description"] == "the end of the program"
    assert client.values(scope="Results")["result 0"]["value"] == "f32[4]  [32, 32, 32, 32]"
    assert client.move("stepBack")["reason"] == "step"
    assert client.top()["line"] == 14
    client.move("continue")
    assert client.move("continue")["event"] == "terminated"


def test_it_stops_where_nan_and_infinity_are_born(client: DapClient, tmp_path: Path) -> None:
    stop = client.begin(_file(tmp_path, BORN), filters=("nan", "inf"), input=["iota"], stopOnEntry=False)
    assert (stop["reason"], client.top()["line"]) == ("exception", 2)
    info = client.ask("exceptionInfo", threadId=1)
    assert info["exceptionId"] == "inf"
    assert "first -Inf" in info["description"]
    client.move("continue")
    assert (client.top()["line"], client.ask("exceptionInfo", threadId=1)["exceptionId"]) == (3, "nan")
    assert client.values(scope="Current op")["will give %1"]["value"] == "f32[3]  [NaN, 0, 0]"
    assert client.move("reverseContinue")["reason"] == "exception"
    assert client.top()["line"] == 2
    client.ask("setExceptionBreakpoints", filters=[])
    assert client.move("continue")["description"] == "the end of the program"


def test_a_run_that_fails_stops_where_it_fails(client: DapClient, tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<2xf32>) {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
"""
    client.begin(_file(tmp_path, text), input=["ones"])
    stop = client.move("continue")
    assert (stop["reason"], client.top()["line"]) == ("exception", 3)
    assert client.ask("exceptionInfo", threadId=1)["exceptionId"] == "failed"
    assert client.evaluate("%0") == "f32[2]  [2, 2]"
    assert client.move("stepBack")["reason"] == "step"
    client.move("continue")
    assert client.move("continue")["event"] == "terminated"


def test_an_endless_loop_is_recorded_as_far_as_needed_and_can_be_paused(
    client: DapClient, tmp_path: Path
) -> None:
    client.begin(_file(tmp_path, ENDLESS), [{"line": 10, "condition": "iteration == 100"}])
    assert client.move("continue")["reason"] == "breakpoint"
    client.ask("setBreakpoints", source={"path": str(tmp_path / "p.mlir")}, breakpoints=[])
    start = len(client.heard)
    client.ask("continue", threadId=1)
    client.ask("pause", threadId=1)
    assert client.event("stopped", start)["body"]["reason"] == "pause"
    assert int(client.evaluate("step")) > 700


def test_a_limit_pauses_and_continuing_gives_as_much_again(tmp_path: Path) -> None:
    with playing("run_step_limit=1000") as client:
        client.begin(_file(tmp_path, ENDLESS))
        assert "run_step_limit = 1,000" in client.move("continue")["description"]
        first = int(client.evaluate("step"))
        assert "run_step_limit = 2,000" in client.move("continue")["description"]
        assert int(client.evaluate("step")) > first


def test_threads_are_the_processes_of_the_grid(client: DapClient, tmp_path: Path) -> None:
    client.begin(_file(tmp_path, GRID), input=["each [1, 2] | [10, 20]"])
    names = [thread["name"] for thread in client.ask("threads")["threads"]]
    assert names == ["process (0, 0)", "process (1, 0)"]
    for _ in range(2):
        client.move("next", thread=2)
    assert [client.top(thread)["line"] for thread in (1, 2)] == [9, 9]
    assert client.evaluate("%0", thread=1) == "f32[2]  [11, 22]"
    assert client.evaluate("%x[process=0] - %x", thread=2) == "f32[2]  [-9, -18]"
    assert client.evaluate("replica", thread=2) == "1"


def test_goto_comes_to_the_next_execution_of_a_line(client: DapClient, tmp_path: Path) -> None:
    client.begin(_file(tmp_path, LOOP))
    source = {"path": str(tmp_path / "p.mlir")}
    (target,) = client.ask("gotoTargets", source=source, line=10)["targets"]
    places = []
    for _ in range(2):
        assert client.move("goto", targetId=target["id"])["reason"] == "goto"
        places.append(int(client.evaluate("iteration")))
    (start,) = client.ask("gotoTargets", source=source, line=2)["targets"]
    client.move("goto", targetId=start["id"])
    assert (places, client.top()["line"]) == ([0, 1], 2)


def test_tensors_open_page_by_page(client: DapClient, tmp_path: Path) -> None:
    text = """func.func @main(%x: tensor<3000x2xf32>) -> tensor<3000x2xf32> {
  return %x : tensor<3000x2xf32>
}
"""
    client.begin(_file(tmp_path, text), input=["iota"])
    value = client.values()["%x"]
    assert value["indexedVariables"] == 3000
    page = client.ask(
        "variables", variablesReference=value["variablesReference"], start=1000, count=2, filter="indexed"
    )
    assert [(item["name"], item["value"]) for item in page["variables"]] == [
        ("[1000]", "f32[2]  [2000, 2001]"),
        ("[1001]", "f32[2]  [2002, 2003]"),
    ]
    row = client.ask("variables", variablesReference=page["variables"][1]["variablesReference"])
    assert [item["value"] for item in row["variables"]] == ["2002", "2003"]
    memory = client.ask("readMemory", memoryReference=value["memoryReference"], offset=8, count=8)
    assert np.frombuffer(base64.b64decode(memory["data"]), "<f4").tolist() == [2, 3]
    past = client.ask("readMemory", memoryReference=value["memoryReference"], offset=23996, count=8)
    assert past["unreadableBytes"] == 4


def test_large_values_are_looked_at_when_they_are_opened(client: DapClient, tmp_path: Path) -> None:
    text = "func.func @main(%x: tensor<2000000xf32>) { return }"
    client.begin(_file(tmp_path, text), input=["ones"])
    value = client.values()["%x"]
    assert (value["value"], value["presentationHint"]) == ("f32[2000000]", {"lazy": True})
    (opened,) = client.ask("variables", variablesReference=value["variablesReference"])["variables"]
    assert opened["value"] == "f32[2000000]  all 1"


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        ({"program": "/nowhere/p.mlir"}, "cannot use /nowhere/p.mlir: no such file or directory"),
        ({}, "the launch names no program"),
        ({"program": "p", "replicas": "2"}, '"replicas" of the launch is the number of replicas, not'),
        ({"program": "p", "replicas": 0}, '"replicas" of the launch is at least 1'),
        ({"program": "p", "set": ["nonsense=1"]}, "nonsense"),
    ],
)
def test_a_launch_that_makes_no_sense_is_refused(client: DapClient, launch: Any, message: str) -> None:
    client.ask("initialize")
    assert message in client.refused("launch", **launch)


def test_a_wrong_program_is_refused_with_the_place(client: DapClient, tmp_path: Path) -> None:
    client.ask("initialize")
    said = client.refused("launch", program=str(_file(tmp_path, BORN.replace("subtract", "substract"))))
    assert "p.mlir:3:" in said
    assert "stablehlo.subtract" in said


def test_inputs_that_do_not_fit_end_the_session_with_a_sentence(client: DapClient, tmp_path: Path) -> None:
    client.ask("initialize")
    launch = client.send("launch", program=str(_file(tmp_path, BORN)), input=["[1, 2]"])
    client.event("initialized")
    client.ask("configurationDone")
    answer = client.answer(launch)
    assert not answer["success"]
    assert "%x" in answer["message"]
    client.event("terminated")


def test_breakpoints_are_answered_each_in_its_place(client: DapClient, tmp_path: Path) -> None:
    client.begin(_file(tmp_path, LOOP))
    asked = [
        {"line": 4}, {"line": 10, "condition": "%i >"}, {"line": 10, "condition": "%nothing > 1"},
        {"line": 10, "hitCondition": "often"}, {"line": 10, "logMessage": "{%i +}"}, {"line": 10, "condition": "%v > 1"},
    ]  # fmt: skip
    path = tmp_path / "p.mlir"
    told = client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=asked)["breakpoints"]
    assert [found["verified"] for found in told] == [True, False, False, False, False, True]
    assert told[0]["line"] == 5
    assert "the expression ends" in told[1]["message"]
    assert "no value %nothing" in told[2]["message"]
    assert ">= 3" in told[3]["message"]
    other = client.ask("setBreakpoints", source={"path": "/other.mlir"}, breakpoints=[{"line": 1}])
    assert other["breakpoints"] == [{"verified": False, "message": "another program is being debugged"}]
    client.move("continue")
    stop = client.move("continue")
    while stop["reason"] == "breakpoint" and "text" not in stop:
        stop = client.move("continue")
    assert "a tensor of 4 booleans" in stop["text"]


def test_what_is_no_request_is_refused_and_the_session_goes_on(client: DapClient, tmp_path: Path) -> None:
    assert "no request 'frobnicate'" in client.refused("frobnicate")
    assert "has not begun" in client.refused("next", threadId=1)
    client.begin(_file(tmp_path, LOOP))
    assert "no thread 9" in client.refused("next", threadId=9)
    assert "no longer shown" in client.refused("variables", variablesReference=99)
    assert "no longer shown" in client.refused("scopes", frameId=99)
    assert "no value" in client.refused("readMemory", memoryReference="0.s99.0", count=4)
    assert "nothing went wrong" in client.refused("exceptionInfo", threadId=1)
    old = client.values()["%x"]["variablesReference"]
    client.move("next")
    assert "no longer shown" in client.refused("variables", variablesReference=old)


def test_a_broken_stream_ends_with_a_sentence() -> None:
    with playing_process() as (_, process):
        assert process.stdin
        process.stdin.write(b"GET / HTTP/1.1\r\n\r\n")
        process.stdin.flush()
        assert process.stderr
        assert b"Content-Length" in process.stderr.read()
        assert process.wait(60) == 2


def test_the_command_serves_on_standard_input_and_output(tmp_path: Path) -> None:
    text = LOOP.replace("  %out:2", "  interpreter.print %zero : tensor<i32>\n  %out:2")
    with playing_process() as (client, process):
        client.begin(_file(tmp_path, text), input=["iota"])
        assert client.move("continue")["description"] == "the end of the program"
        (output,) = [message["body"] for message in client.heard if message.get("event") == "output"]
        assert output["category"] == "stdout"
        client.close()
        assert process.wait(60) == 0


def test_who_goes_without_a_word_ends_the_command() -> None:
    with playing_process() as (client, process):
        client.ask("initialize")
        assert process.stdin
        process.stdin.close()
        assert process.wait(60) == 0


def test_lines_may_be_counted_from_zero(client: DapClient, tmp_path: Path) -> None:
    client.ask("initialize", linesStartAt1=False, columnsStartAt1=False)
    client.send("launch", program=str(_file(tmp_path, LOOP)))
    client.event("initialized")
    told = client.ask("setBreakpoints", source={"path": str(tmp_path / "p.mlir")}, breakpoints=[{"line": 1}])
    assert told["breakpoints"][0]["line"] == 1
    client.ask("configurationDone")
    client.event("stopped")
    assert (client.top()["line"], client.top()["column"]) == (1, 2)


def _whole(path: Path) -> Outline:
    recording = read_program({"program": str(path)}, []).plan().recording()
    recording.record()
    return Outline.of(recording)


@pytest.mark.parametrize("example", ["newton.mlir", "softmax.mlir", "mlp_hlo.hlo", "histogram.mlir"])
def test_random_steps_lead_where_the_engine_says(client: DapClient, example: str) -> None:
    """25 sequences for each of four programs, of 12 moves, each from a random position."""
    path = EXAMPLES / example
    outline = _whole(path)
    draw = random.Random(example)
    client.begin(path)
    for _ in range(25):
        position = int(client.evaluate("step"))
        for _ in range(12):
            move = draw.choice([*MOVES])
            client.move(move)
            position = MOVES[move](outline, position)
            frame = client.top()
            at_end = position >= outline.end
            assert ("(ended)" in frame["name"]) == at_end, (move, position)
            if not at_end:
                assert (frame["line"], int(client.evaluate("step"))) == (outline.line(position), position)
        if draw.random() < 0.5:
            client.move("reverseContinue")
