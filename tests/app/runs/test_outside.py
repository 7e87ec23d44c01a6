"""What code outside of the program makes, as rows of a run's inputs; and what the program prints."""

from typing import Any

import numpy as np
from starlette.testclient import TestClient

from hloscope.app.runs.opening import Opening, OpenParameters, Refusal, open_run
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from tests.app.serving import dense, new_session, run_of, settled

OUTSIDE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %p:2 = stablehlo.custom_call @pair(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = stablehlo.add %p#0, %p#1 : tensor<2xf32>
  return %s : tensor<2xf32>
}
"""
STOP, SKIP = {"kind": "stop"}, {"kind": "skip"}
ONES = {"kind": "ones", "seed": 0}


def opened(text: str, inputs: Any = (), previous: Any = ()) -> Opening | Refusal:
    return open_run(Source(text), OpenParameters(None, inputs, previous), DEFAULT_LIMITS, "build", 1)


def facts(found: Opening | Refusal) -> Any:
    assert isinstance(found, Opening)
    return found.facts


def kinds(found: Opening | Refusal) -> list[str]:
    return [row["input"]["kind"] for row in facts(found)["arguments"]]


def complaint(found: Opening | Refusal) -> str:
    assert isinstance(found, Refusal)
    return str(found.result["diagnostics"][0]["message"])


def test_rows_stand_behind_the_arguments_and_stop_unless_told_otherwise() -> None:
    found = opened(OUTSIDE)
    pair = {"op": 1, "maker": "custom_call @pair", "line": 3}
    assert facts(found)["arguments"][1:] == [
        {
            "name": "@log", "type": "", "location": None, "input": STOP,
            "outside": {"op": 0, "maker": "custom_call @log", "line": 2},
        },
        {"name": "%p#0", "type": "tensor<2xf32>", "location": None, "input": STOP, "outside": pair},
        {"name": "%p#1", "type": "tensor<2xf32>", "location": None, "input": STOP, "outside": pair},
    ]  # fmt: skip
    assert "outside" not in facts(found)["arguments"][0]
    assert facts(opened(OUTSIDE, [None]))["key"] == facts(found)["key"]
    assert facts(opened(OUTSIDE, [None, SKIP]))["key"] != facts(found)["key"]


def test_specifications_that_fit_no_row_are_refused() -> None:
    assert "is a value: only what gives nothing is skipped" in complaint(
        opened(OUTSIDE, [None, None, SKIP, SKIP])
    )
    assert "gives nothing to choose" in complaint(opened(OUTSIDE, [None, ONES]))
    assert "%p#1 (custom_call @pair, line 3) has no value" in complaint(
        opened(OUTSIDE, [None, None, ONES, STOP])
    )
    assert "does not describe an input" in complaint(opened(OUTSIDE, [STOP]))
    assert "5 inputs are given, but the run takes 4" in complaint(opened(OUTSIDE, [None] * 5))


def test_rows_are_kept_between_runs_as_arguments_are() -> None:
    before = facts(opened(OUTSIDE, [ONES, SKIP, ONES, ONES]))["arguments"]
    more = OUTSIDE.replace("%x: tensor<2xf32>", "%x: tensor<2xf32>, %y: tensor<2xf32>").replace("%p", "%q")
    assert kinds(opened(more, (), before)) == ["ones", "normal", "skip", "ones", "ones"]
    other = opened(OUTSIDE.replace("@log", "@tell"), (), before)
    assert kinds(other) == ["ones", "stop", "ones", "ones"]
    reason = "It was made by custom_call @log, which custom_call @tell has replaced."
    assert facts(other)["dropped_inputs"] == [{"name": "@log", "reason": reason}]
    wide = opened(OUTSIDE.replace("2xf32", "3xf32"), (), before)
    assert kinds(wide) == ["normal", "skip", "stop", "stop"]
    assert [item["name"] for item in facts(wide)["dropped_inputs"]] == ["x", "%p#0", "%p#1"]
    without = opened("func.func @main() {\n  return\n}", (), before)
    reasons = [item["reason"] for item in facts(without)["dropped_inputs"]]
    assert reasons == [
        "The program no longer has this argument.",
        *["The program no longer has this result."] * 3,
    ]
    untouched = opened("func.func @main() {\n  return\n}", (), facts(opened(OUTSIDE))["arguments"])
    assert [item["name"] for item in facts(untouched)["dropped_inputs"]] == [
        "x"
    ]  # nothing was chosen for the rest


def test_a_run_stops_is_given_values_and_goes_on(client: TestClient) -> None:
    session = new_session(client, OUTSIDE)
    run = settled(client, session)
    assert (run["state"]["kind"], run["state"]["diagnostic"]["kind"]) == ("failed", "unbound")
    inputs = [ONES, SKIP, dense("[1, 2]"), dense("[10, 20]")]
    client.post(f"/api/sessions/{session}/runs", json={"text": OUTSIDE, "inputs": inputs})
    run = settled(client, session)
    assert run["state"]["kind"] == "done"
    values = client.get(f"/api/recordings/{run['key']}/values/0.s2.0.npy")
    assert np.frombuffer(values.content[-8:], np.float32).tolist() == [11, 22]
    client.post(f"/api/sessions/{session}/runs", json={"text": OUTSIDE + "\n"})
    assert settled(client, session)["state"]["kind"] == "done"


def test_check_tells_the_rows_of_the_entry_that_is_asked_for(client: TestClient) -> None:
    text = OUTSIDE + "func.func @other(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"
    main, other = client.post("/api/check", json={"text": text}).json()["entries"]
    assert [row["name"] for row in main["outside"]] == ["@log", "%p#0", "%p#1"]
    assert "outside" not in other
    _, other = client.post("/api/check", json={"text": text, "entry": "other"}).json()["entries"]
    assert other["outside"] == []


PRINTING = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %big = stablehlo.iota dim = 0 : tensor<COUNTxi32>
  interpreter.print %big : tensor<COUNTxi32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %last = stablehlo.constant dense<TIMES> : tensor<i32>
    %t = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    interpreter.print %i : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %r : tensor<i32>
}
"""


def printing(client: TestClient, times: int, shape: str = "2") -> tuple[dict[str, Any], Any]:
    text = PRINTING.replace("TIMES", str(times)).replace("COUNT", shape)
    session = new_session(client, text)
    run = settled(client, session)
    assert run["state"]["kind"] == "done", run["state"]
    base = f"/api/recordings/{run['key']}/prints"
    return run_of(client, session), lambda start: client.get(base, params={"from": start}).json()


def test_prints_are_told_with_their_steps(client: TestClient) -> None:
    run, prints = printing(client, 3)
    assert run["prints"] == 4
    found = prints(0)
    assert found[0] == {"step": 2, "text": "tensor<2xi32> [0, 1]"}
    assert [item["text"] for item in found[1:]] == ["tensor<i32> 0", "tensor<i32> 1", "tensor<i32> 2"]
    assert prints(3) == found[3:]
    assert prints(4) == []


def test_prints_are_bounded(client: TestClient) -> None:
    run, prints = printing(client, 1_200, "7x7x7x7x7")
    assert run["prints"] == 1_201
    assert len(prints(0)) == len(prints(900)) == 100
    assert len(prints(950)) == 50
    assert prints(1_000) == []
    assert len(prints(0)[0]["text"]) == 10_001
