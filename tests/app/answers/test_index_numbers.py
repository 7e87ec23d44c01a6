"""Numbers of index maps over the API: of an op, of a step, of tiles and warps; and wrong questions."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.serving import JSON, asked, new_session, settled

PROGRAM = """\
func.func @main(%x: tensor<6x8xf32>, %table: tensor<10x4xi4>, %rows: tensor<5x1xi32>, %at: tensor<i32>) -> tensor<10x4xi4> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x6xf32>
  %1 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xi4>, tensor<5x1xi32>) -> tensor<5x4xi4>
  %2 = "stablehlo.scatter"(%table, %rows, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %s = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %s : tensor<i4>
  }) : (tensor<10x4xi4>, tensor<5x1xi32>, tensor<5x4xi4>) -> tensor<10x4xi4>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %3 = stablehlo.dynamic_slice %x, %at, %z, sizes = [2, 8] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  %4 = stablehlo.reshape %x : (tensor<6x8xf32>) -> tensor<48xf32>
  return %2 : tensor<10x4xi4>
}
"""
DOT, GATHER, SCATTER, SLICE, RESHAPE = "dot_general", "gather", "scatter", "dynamic_slice", "reshape"


INPUTS: list[JSON] = [{"kind": "iota"}, {"kind": "iota"}]
INPUTS += [{"kind": "dense", "text": text} for text in ("[[3], [12], [3], [-1], [0]]", "5")]


@pytest.fixture(scope="module")
def places(client: TestClient, run: JSON) -> dict[str, tuple[int, int]]:
    """For each op its number and step: the order of the text, and nothing is run twice."""
    program = client.get(f"/api/recordings/{run['key']}/program").json()
    numbers = {op["name"].partition(".")[2]: number for number, op in enumerate(program["ops"])}
    in_body = {"add", "return"}
    steps = [op["name"].partition(".")[2] for op in program["ops"]]
    outer = [name for name in steps if name not in in_body]
    return {name: (numbers[name], outer.index(name)) for name in (DOT, GATHER, SCATTER, SLICE, RESHAPE)}


def refused(client: TestClient, run: JSON, question: str, **more: Any) -> str:
    answer = client.get(f"/api/recordings/{run['key']}/maps/{question}", params=more)
    assert answer.status_code == 422, answer.text
    return str(answer.json()["error"]["message"])


def exactly(number: int) -> JSON:
    return {"least": number, "most": number}


def test_measures_of_a_dot(client: TestClient, run: JSON, places: Any) -> None:
    found = asked(client, run, f"maps/{places[DOT][0]}/measures")
    assert found["bound"] is False
    lhs, rhs = found["operands"]
    for side in (lhs, rhs):
        assert side["elements"] == exactly(48)
        assert side["bytes"] == exactly(192)
        assert side["reads"] == exactly(6 * 6 * 8)
        assert side["reuse"]["mean"] == 6
        assert side["utilisation"] == {"least": 1, "most": 1}
        assert (side["bijection"], side["covers"], side["note"]) == (False, True, "")
    assert found["overlaps"] == [{"operands": [0, 1], "result": 0, "elements": exactly(48)}]
    assert asked(client, run, f"maps/{places[RESHAPE][0]}/measures")["operands"][0]["bijection"] is True


def test_measures_of_a_step(client: TestClient, run: JSON, places: Any) -> None:
    op, step = places[GATHER]
    table, _ = asked(client, run, f"maps/{op}/measures")["operands"]
    assert table["elements"] == {"least": 4, "most": 20}
    assert table["reads"] == exactly(20)
    assert "of a run" in table["note"]
    found = asked(client, run, f"maps/{op}/measures", step=step)
    assert found["bound"] is True
    table, _ = found["operands"]
    assert table["elements"] == exactly(12)  # rows 3, 9 and 0
    assert table["bytes"] == exactly(6)  # of four bits each
    (rows,) = found["starts"]
    assert rows["of"] == {"operand": 0, "dimension": 0}
    assert (rows["count"], rows["below"], rows["above"], rows["clamped"]) == (5, 1, 1, True)
    assert rows["examples"] == [
        {"at": [1, 0], "value": 12, "used": 9},
        {"at": [3, 0], "value": -1, "used": 0},
    ]


def test_duplicate_writers_of_a_step(client: TestClient, run: JSON, places: Any) -> None:
    op, step = places[SCATTER]
    found = asked(client, run, f"maps/{op}/measures", step=step)
    (writers,) = (each for each in found["writers"] if each["operand"] == 2)
    assert (writers["written"], writers["several"], writers["dropped"], writers["most"]) == (8, 4, 8, 2)
    assert writers["examples"][0] == {"element": [3, 0], "updates": [[0, 0], [2, 0]]}
    assert [(each["below"], each["above"], each["clamped"]) for each in found["starts"]] == [(1, 1, False)]


def test_tiles(client: TestClient, run: JSON, places: Any) -> None:
    found = asked(client, run, f"maps/{places[DOT][0]}/tile", sizes="2,3")
    assert found["tile"] == [
        {"offset": "t0 * 2", "size": 2, "stride": 1},
        {"offset": "t1 * 3", "size": 3, "stride": 1},
    ]
    assert found["numbers"] == [3, 2]
    (lhs,), (rhs,) = (answer["pieces"] for answer in found["answers"])
    assert lhs["tile"] == [
        {"offset": "t0 * 2", "size": 2, "stride": 1},
        {"offset": 0, "size": 8, "stride": 1},
    ]
    assert rhs["tile"][0] == {"offset": "t1 * 3", "size": 3, "stride": 1}
    assert lhs["exact"]
    assert lhs["count"] == 16
    (back,) = asked(
        client,
        run,
        f"maps/{places[RESHAPE][0]}/tile",
        sizes="2,8",
        offsets="2,0",
        direction="input-to-output",
    )["answers"]
    assert back["pieces"][0]["tile"] == [{"offset": 16, "size": 16, "stride": 1}]
    (cut,) = asked(client, run, f"maps/{places[RESHAPE][0]}/tile", sizes="7")["answers"]
    assert cut["pieces"][0]["tile"] is None
    assert "pieces of 8" in cut["pieces"][0]["reason"]


def test_tiles_with_values_of_a_step(client: TestClient, run: JSON, places: Any) -> None:
    op, step = places[SLICE]
    first = asked(client, run, f"maps/{op}/tile", sizes="2,4", offsets="0,4")["answers"][0]["pieces"][0]
    assert [side["offset"] for side in first["tile"]] == ["rt0", 4]  # rt1 can only be 0
    assert [variable["name"] for variable in first["runtimes"]] == ["rt0"]
    assert first["runtimes"][0]["interval"] == [0, 4]
    bound = asked(client, run, f"maps/{op}/tile", sizes="2,4", offsets="0,4", step=step)["answers"][0][
        "pieces"
    ][0]
    assert [side["offset"] for side in bound["tile"]] == [4, 4]  # 5 is clamped


def test_reasons_name_the_operand(client: TestClient, run: JSON, places: Any) -> None:
    (table, _) = asked(client, run, f"maps/{places[GATHER][0]}/tile", sizes="2,2")["answers"]
    assert table["pieces"][0]["reason"] == (
        "The position read depends on rt0, an element of %rows, which differs across the tile."
    )


def test_coalescing(client: TestClient, run: JSON, places: Any) -> None:
    found = asked(client, run, f"maps/{places[DOT][0]}/coalescing", operand=1, threads=32, loops="3")
    assert found["threads"]["steps"] == [8]
    assert found["access"]["addresses"][:7] == [3, 11, 19, 27, 35, 43, 3]
    assert found["access"]["bytes"] == 24
    assert found["accesses"] == 2 * 8
    assert found["threads"]["block"] == [32, 1, 1]
    turned = asked(
        client, run, f"maps/{places[DOT][0]}/coalescing", operand=1, threads=32, loops="3", order="0,1"
    )
    assert turned["access"]["addresses"][:3] == [18, 19, 20]
    tiled = asked(
        client,
        run,
        f"maps/{places[DOT][0]}/coalescing",
        kind="tiled",
        columns=4,
        rows=2,
        steps=1,
        block="1,1,0",
    )
    assert tiled["threads"]["blocks"] == [2, 3, 1]
    gather, step = places[GATHER]
    assert asked(client, run, f"maps/{gather}/coalescing")["assumed"] is True
    assert asked(client, run, f"maps/{gather}/coalescing", step=step)["access"]["addresses"][:5] == [
        12,
        13,
        14,
        15,
        36,
    ]


def test_wrong_questions(client: TestClient, run: JSON, places: Any) -> None:
    dot, reshape = places[DOT][0], places[RESHAPE][0]
    assert refused(client, run, f"{dot}/tile", sizes="2") == (
        "There must be 2 sizes, one for each dimension, not 1."
    )
    assert "begin at 1" in refused(client, run, f"{dot}/tile", sizes="2,0")
    assert "outside dimension 1" in refused(client, run, f"{dot}/tile", sizes="2,2", offsets="0,6")
    assert "no result number 3" in refused(client, run, f"{dot}/tile", sizes="2,2", of=3)
    assert "no operand number 3" in refused(
        client, run, f"{dot}/tile", sizes="2,2", of=3, direction="input-to-output"
    )
    assert "whole numbers" in refused(client, run, f"{dot}/tile", sizes="a,b")
    assert "too large" in refused(client, run, f"{dot}/tile", sizes=f"{10**20},1")
    assert "no strides" in refused(client, run, f"{dot}/tile", sizes="2,2", strides="2,2")
    assert "two different dimensions" in refused(client, run, f"{reshape}/coalescing", kind="tiled")
    assert "1,024 threads" in refused(client, run, f"{dot}/coalescing", kind="tiled", columns=64, rows=64)
    assert "block, warp or step is out of range" in refused(client, run, f"{dot}/coalescing", warp=99).lower()
    assert "three numbers" in refused(client, run, f"{dot}/coalescing", block="1")
    assert "is not an order" in refused(client, run, f"{dot}/coalescing", order="0,0")
    assert refused(client, run, f"{dot}/coalescing", threads=5000)
    assert "is not one of op" in refused(client, run, f"{dot}/measures", step=places[GATHER][1])
    missing = client.get(f"/api/recordings/{run['key']}/maps/9999/measures")
    assert missing.status_code == 404


FUSED = """\
HloModule fused

%body (p: f32[8,16], q: f32[16]) -> f32[16,8] {
  %p = f32[8,16]{0,1} parameter(0)
  %q = f32[16]{0} parameter(1)
  %b = f32[8,16]{0,1} broadcast(%q), dimensions={1}
  %s = f32[8,16]{0,1} add(%p, %b)
  ROOT %t = f32[16,8]{1,0} transpose(%s), dimensions={1,0}
}

ENTRY %main (x: f32[8,16], y: f32[16]) -> f32[16,8] {
  %x = f32[8,16]{0,1} parameter(0)
  %y = f32[16]{0} parameter(1)
  ROOT %f = f32[16,8]{1,0} fusion(%x, %y), kind=kLoop, calls=%body
}
"""


def test_a_fusion_is_measured_as_one_and_by_its_layouts(client: TestClient) -> None:
    run = settled(client, new_session(client, FUSED))
    program = client.get(f"/api/recordings/{run['key']}/program").json()
    (op,) = (number for number, op in enumerate(program["ops"]) if op["name"] == "hlo.fusion")
    x, y = asked(client, run, f"maps/{op}/measures")["operands"]
    assert (x["bijection"], x["elements"]) == (True, exactly(128))
    assert y["reuse"]["mean"] == 8
    (left,), (right,) = (
        answer["pieces"] for answer in asked(client, run, f"maps/{op}/tile", sizes="4,8")["answers"]
    )
    assert left["tile"] == [
        {"offset": 0, "size": 8, "stride": 1},
        {"offset": "t0 * 4", "size": 4, "stride": 1},
    ]
    assert right["tile"] == [{"offset": "t0 * 4", "size": 4, "stride": 1}]
    # The operand's dimension 0 is the minor one, as is the result's dimension 1: they lie alike.
    laid = asked(client, run, f"maps/{op}/coalescing", threads=32)
    assert laid["coalesced"] is True
    assert laid["access"]["addresses"] == list(range(32))


TILED = """HloModule tiled

ENTRY main {
  x = bf16[16,256]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT y = bf16[16,256]{1,0:T(8,128)(2,1)} negate(x)
}
"""


def test_memory_in_tiles(client: TestClient) -> None:
    """Threads go through memory as the result lies there, and read where the operand lies."""
    run = settled(client, new_session(client, TILED))
    program = client.get(f"/api/recordings/{run['key']}/program").json()
    (op,) = (number for number, op in enumerate(program["ops"]) if op["name"] == "stablehlo.negate")
    laid = asked(client, run, f"maps/{op}/coalescing", threads=32)
    assert laid["coalesced"] is True
    assert laid["access"]["addresses"] == list(range(32))
    assert "(d0 / 8) * 2048 + (d1 / 128) * 1024 + d0 mod 2)" in laid["memory"]
    # The same threads, if the operand lay in rows: neighbours are of two rows.
    rows = asked(client, run, f"maps/{op}/coalescing", threads=32, order="1,0")
    assert rows["access"]["addresses"][:4] == [0, 256, 1, 257]
    assert rows["access"]["lines"] == 2
