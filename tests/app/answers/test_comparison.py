"""Two runs of a session over the API: pairs of values, steps that belong together, pictures of the difference."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.runs.value_files import ABOUT, about_array
from tests.app.serving import ADD, JSON, new_session, serving, settled
from tests.passes.test_saved_buffers import buffer

SCALED = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<2x3xf32>
  %scaled = stablehlo.multiply %x, %c : tensor<2x3xf32>
  %up = stablehlo.exponential %scaled : tensor<2x3xf32>
  return %up : tensor<2x3xf32>
}
"""
OTHER = SCALED.replace("multiply", "add")
LOOP = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %double = stablehlo.add %a, %a : tensor<4xf32>
      stablehlo.return %next, %double : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
"""


def two_runs(
    client: TestClient, before: str, after: str, inputs: tuple[Any, Any] = (None, None)
) -> tuple[JSON, JSON]:
    """Two runs of a new session, recorded to their ends."""
    session = new_session(client, before, inputs=inputs[0])
    first = settled(client, session)
    body = {"text": after, "inputs": inputs[1]}
    started = client.post(f"/api/sessions/{session}/runs", json=body)
    assert started.status_code == 200, started.text
    return first, settled(client, session)


def compared(client: TestClient, runs: tuple[JSON, JSON], part: str = "", **query: Any) -> Any:
    answer = client.get(
        f"/api/recordings/{runs[0]['key']}/comparison{part}",
        params={
            "with": runs[1]["key"],
            **{name.replace("first", "from"): value for name, value in query.items()},
        },
    )
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.headers["content-type"].startswith("application/json") else answer.content


def dense(*numbers: float) -> list[JSON]:
    return [{"kind": "dense", "text": str(list(numbers))}]


def row_of(found: JSON, name: str, side: str = "before") -> JSON:
    return next(row for row in found["rows"] if row[side] and row[side]["name"] == name)


@pytest.fixture(scope="module")
def programs(client: TestClient) -> tuple[JSON, JSON]:
    return two_runs(client, SCALED, OTHER)


@pytest.fixture(scope="module")
def loops(client: TestClient) -> tuple[JSON, JSON]:
    return two_runs(client, LOOP, LOOP, (dense(1, 2, 3, 4), dense(1, 2, 3, 5)))


def test_the_input_that_differs_is_the_first_to_be_named(
    client: TestClient, loops: tuple[JSON, JSON]
) -> None:
    found = compared(client, loops)
    assert found["done"]
    assert found["sentence"].startswith(
        "3 of 9 values differ beyond rounding, in 5 of 16 executions; first: input %x, element [3] 4 → 5"
    )
    assert found["counts"]["wrong"] == 3
    assert sum(found["counts"].values()) == 9
    assert found["rows"][found["first"]] == row_of(found, "%x")
    assert row_of(found, "%x")["origin"] == "given"
    assert row_of(found, "%x")["worst"] == {
        "index": [3], "path": [], "before": "4", "after": "5", "error": 1.0, "ulps": 2097152.0, "bound": 0.0, "noise": None,
    }  # fmt: skip


def test_inputs_have_the_names_that_the_page_shows(client: TestClient) -> None:
    text = """HloModule m
ENTRY e {
  %p__wh__.1 = f32[1] parameter(0), metadata={op_name="p['wh'][1]"}
  ROOT %n = f32[1] negate(%p__wh__.1)
}
"""
    found = compared(client, two_runs(client, text, text, (dense(1), dense(2))))
    assert "first: input %p.wh.1, element [0] 1 → 2" in found["sentence"]
    assert found["rows"][found["first"]] == row_of(found, "%p.wh.1") == row_of(found, "%p.wh.1", "after")


def test_executions_of_an_op_are_one_row_that_opens(client: TestClient, loops: tuple[JSON, JSON]) -> None:
    row = row_of(compared(client, loops), "%double")
    assert (row["executions"], row["wrong"], row["verdict"], row["origin"]) == (3, 3, "wrong", "carried")
    each = compared(client, loops, op=row["before"]["op"])["rows"]
    assert [found["worst"]["after"] for found in each] == ["10", "20", "40"]
    assert [found["before"]["step"] for found in each] == sorted({found["before"]["step"] for found in each})


def test_another_op_in_the_same_place_is_found_guilty(
    client: TestClient, programs: tuple[JSON, JSON]
) -> None:
    found = compared(client, programs)
    first = found["rows"][found["first"]]
    assert (first["before"]["spelled"], first["after"]["spelled"]) == ("stablehlo.multiply", "stablehlo.add")
    assert (first["evidence"], first["origin"]) == (["replaced"], "made")
    assert row_of(found, "%up")["origin"] == "carried"
    assert found["counts"] == {"same_bits": 2, "wrong": 2}


def test_a_tolerance_says_what_is_called_rounding(client: TestClient, programs: tuple[JSON, JSON]) -> None:
    assert compared(client, programs, absolute=1e9)["first"] is None
    assert compared(client, programs, absolute=1e-9)["first"] == 2


def test_what_only_one_run_has_stands_where_it_runs(client: TestClient) -> None:
    more = SCALED.replace(
        "  return %up",
        "  %more = stablehlo.tanh %x : tensor<2x3xf32>\n  return %up",
    )
    found = compared(client, two_runs(client, SCALED, more))
    assert found["rows"][-1]["verdict"] == "only_after"
    assert (found["rows"][-1]["before"], found["rows"][-1]["after"]["name"]) == (None, "%more")
    assert compared(client, two_runs(client, more, SCALED))["rows"][-1]["verdict"] == "only_before"


def test_rows_come_in_pages(client: TestClient, loops: tuple[JSON, JSON]) -> None:
    whole = compared(client, loops)
    assert compared(client, loops, "", first=2, limit=3)["rows"] == whole["rows"][2:5]


def test_steps_that_belong_together(client: TestClient, programs: tuple[JSON, JSON]) -> None:
    assert compared(client, programs, "/step", step=2) == {
        "step": 2, "process": 0, "exact": True, "name": "%up", "spelled": "stablehlo.exponential", "line": 4,
    }  # fmt: skip
    assert compared(client, programs, "/step", step=2, side="after")["step"] == 2
    assert compared(client, programs, "/step", step=99)["step"] == 4


def test_the_distance_of_two_values_is_a_value_of_its_own(
    client: TestClient, loops: tuple[JSON, JSON]
) -> None:
    pair = {"address": "0.f0.0", "other_address": "0.f0.0"}
    found = compared(client, loops, "/difference", **pair)
    assert found["distance"]["statistics"]["max"] == 1.0
    assert (found["range"]["min"], found["range"]["max"]) == (1.0, 5.0)
    data = compared(client, loops, "/window", columns="0", at="0", size="1,4", **pair)
    assert np.frombuffer(data[-32:], "<f8").tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_difference_names_the_worst_element(client: TestClient, loops: tuple[JSON, JSON]) -> None:
    pair = {"address": "0.f0.0", "other_address": "0.f0.0"}
    found = compared(client, loops, "/difference", measure="signed", **pair)
    assert found["count"] == 1
    worst = found["worst"]
    assert worst["index"] == [3]
    assert float(worst["apart"]) == float(worst["value"]) - float(worst["other"])
    relative = compared(client, loops, "/difference", measure="relative", **pair)
    assert float(relative["worst"]["apart"]) == abs(float(worst["apart"])) / float(worst["other"])
    ulps = compared(client, loops, "/difference", measure="ulps", **pair)
    ends = [np.float32(worst[name]).view(np.int32) for name in ("value", "other")]
    assert float(ulps["worst"]["apart"]) == abs(int(ends[0]) - int(ends[1]))


def _address_of(expression: str, step: int) -> str:
    return f"e0.{step}.{base64.urlsafe_b64encode(expression.encode()).decode().rstrip('=')}"


def test_an_expression_is_a_value(client: TestClient, programs: tuple[JSON, JSON]) -> None:
    path = f"/api/recordings/{programs[0]['key']}"
    value = client.get(f"{path}/values/{_address_of('%up / 2 - %up', 3)}")
    assert value.status_code == 200, value.text
    original = client.get(f"{path}/values/0.s2.0").json()
    assert value.json()["shape"] == original["shape"]
    assert value.json()["statistics"]["mean"] == pytest.approx(-original["statistics"]["mean"] / 2, rel=1e-6)
    file = client.get(f"{path}/values/{_address_of('%up', 3)}.npy")
    assert file.content == client.get(f"{path}/values/0.s2.0.npy").content
    pair = {"address": "0.s2.0", "other_address": _address_of("%up", 3), "with": programs[0]["key"]}
    assert client.get(f"{path}/comparison/difference", params=pair).json()["count"] == 0
    for address, words in (
        (_address_of("%nothing", 3), "%nothing"),
        (_address_of("%up.dtype", 3), "is a string"),
        ("e0.3.!", "not the address of an expression"),
        ("l0.s2.0", "see Precision"),
    ):
        answer = client.get(f"{path}/values/{address}")
        assert answer.status_code == 422, answer.text
        assert words in answer.text


def test_lost_digits_are_a_value(client: TestClient, programs: tuple[JSON, JSON]) -> None:
    path = f"/api/recordings/{programs[0]['key']}"
    while not client.get(f"{path}/precision").json()["done"]:
        pass
    value = client.get(f"{path}/values/l0.s2.0").json()
    assert value["elementType"] == "f64"
    assert 0 <= value["statistics"]["max"] < 1  # exp is right to the last digit


def test_values_of_other_shapes_have_no_distance(client: TestClient, loops: tuple[JSON, JSON]) -> None:
    query = {"with": loops[1]["key"], "address": "0.f0.0", "other_address": "0.s0.0"}
    answer = client.get(f"/api/recordings/{loops[0]['key']}/comparison/difference", params=query)
    assert answer.status_code == 422
    assert "[4] and []" in answer.text


def test_runs_of_two_sessions_are_not_compared(
    client: TestClient, programs: tuple[JSON, JSON], loops: tuple[JSON, JSON]
) -> None:
    path = f"/api/recordings/{programs[0]['key']}/comparison"
    answer = client.get(path, params={"with": loops[1]["key"]})
    assert answer.status_code == 422
    assert "different sessions" in answer.text
    assert client.get(path, params={"with": "nothing"}).status_code == 404


def test_runs_that_were_displaced_are_opened_again(client: TestClient) -> None:
    """A worker keeps two runs open: the first is compared all the same after a third was opened."""
    runs = two_runs(client, SCALED, OTHER)
    session = new_session(client, SCALED)
    first = settled(client, session)
    for text in (OTHER, SCALED.replace("2.0>", "4.0>")):
        client.post(f"/api/sessions/{session}/runs", json={"text": text, "inputs": None})
        last = settled(client, session)
    assert compared(client, (first, last))["done"]
    assert compared(client, runs)["done"]


def of_values(client: TestClient, about: JSON | None, **query: Any) -> JSON:
    """What the comparison with a file of values says, in which `%scaled` and the result are far away."""
    session = new_session(client, SCALED, inputs=[{"kind": "normal", "seed": 1}])
    run = settled(client, session)
    stream = io.BytesIO()
    values = {"%scaled": np.zeros((2, 3), np.float32)}
    np.savez(stream, **values, **({} if about is None else {ABOUT: about_array(about)}))  # type: ignore[arg-type]
    sent = client.post(f"/api/sessions/{session}/files", files={"file": ("v.npz", stream.getvalue())})
    params = {"with": f"values:{sent.json()['file']}", **query}
    found: JSON = client.get(f"/api/recordings/{run['key']}/comparison", params=params).json()
    return found


def test_a_verdict_that_a_run_in_f64_confirms_rules_over_bounds(client: TestClient) -> None:
    about = {"engine": "XLA", "sentence": "XLA agrees but for rounding", "lines": []}
    found = of_values(client, {**about, "confirmed": True})
    assert found["sentence"].startswith("1 of 1 value differs beyond rounding; first: %scaled multiply")
    assert found["sentence"].endswith("the verdict above rules, for a run in more digits confirms it.")
    for other in (about, {**about, "confirmed": "yes"}, None):
        assert "f64" not in of_values(client, other)["sentence"]
    assert "f64" not in of_values(client, {**about, "confirmed": True}, relative=1e-3)["sentence"]


def test_buffers_that_xla_saved_have_the_layout_of_their_values(client: TestClient) -> None:
    """`doubled` lies column by column, in the file as in memory."""
    text = """HloModule f
ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  ROOT doubled = f32[2,3]{0,1} add(x, x)
}
"""
    session = new_session(client, text, inputs=[{"kind": "iota"}])
    run = settled(client, session)
    in_memory = 2 * np.arange(6, dtype=np.float32).reshape(2, 3).T.reshape(2, 3)
    files = {"file": ("host-1-1.tfrecord", buffer("doubled", in_memory))}
    sent = client.post(f"/api/sessions/{session}/files", files=files).json()
    assert sent["arrays"] == [{"name": "doubled", "dtype": "float32", "shape": [2, 3]}]
    path, given = f"/api/recordings/{run['key']}/comparison", {"with": f"values:{sent['file']}"}
    assert client.get(path, params=given).json()["counts"] == {"same_bits": 1}
    addresses = {"address": "0.s0.0", "other_address": "0.s0.0"}
    assert client.get(f"{path}/difference", params={**given, **addresses}).json()["count"] == 0


def test_saved_buffers_are_no_inputs(client: TestClient) -> None:
    session = new_session(client)
    files = {"file": ("host-1-1.tfrecord", buffer("x", np.arange(4, dtype=np.float32)))}
    sent = client.post(f"/api/sessions/{session}/files", files=files).json()
    spec = {"kind": "file", "file": sent["file"], "array": "x"}
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [spec]}).json()
    [diagnostic] = answer["diagnostics"]
    assert "has buffers that XLA saved" in diagnostic["message"]


def test_results_of_a_run_that_goes_on_are_not_missing(tmp_path: Path) -> None:
    """Both runs are recorded up to the loop's first iterations."""
    with serving(tmp_path, record_first_steps=8) as client:
        runs = two_runs(client, LOOP, LOOP.replace("@main", "@same"))
        assert runs[1]["state"]["kind"] == "paused"
        found = compared(client, runs)
    assert found["sentence"] == f"No difference beyond rounding in the first {found['compared']} values."
