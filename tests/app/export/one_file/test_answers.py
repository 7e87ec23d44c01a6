"""What a page answers is what the server answers: to every path that the page has, and to those that it works out."""

import json
import random
import struct
from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.export.one_file.pages import FileAnswer, answers_of, parts_of
from tests.app.serving import new_session, settled

MUCH = 1 << 26
OWN = ("thumbnails/", "findings/origins", "grid/strips?", "/api/")
"""Of the table, what only the page asks for."""

BAD = """\
func.func @main(%x: tensor<3x5xf32>, %i: tensor<4xi64>) -> (tensor<3x5xf32>, tensor<2x3xcomplex<f32>>) {
  %0 = stablehlo.log %x : tensor<3x5xf32>
  %1 = stablehlo.divide %0, %x : tensor<3x5xf32>
  %2 = stablehlo.convert %1 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
  %3 = stablehlo.slice %x [0:2, 0:3] : (tensor<3x5xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.complex %3, %3 : tensor<2x3xcomplex<f32>>
  %5 = stablehlo.compare LT, %x, %0 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
  %6 = stablehlo.add %i, %i : tensor<4xi64>
  return %1, %4 : tensor<3x5xf32>, tensor<2x3xcomplex<f32>>
}
"""
BAD_INPUTS = [
    {"kind": "dense", "text": "[[-1, 0, 1, 2, 3], [0.5, 0, -2, 4, 5], [6, 7, 8, 9, 0]]"},
    {"kind": "dense", "text": "[9007199254740993, -1, 0, 7]"},
]
EXAMPLES = (
    *("newton", "histogram", "mlp_hlo", "layouts_hlo", "recurrent_hlo"),
    *("all_reduce", "all_to_all", "tensor_parallel_mlp", "deadlock"),
)
"""Those of the gallery that differ in what a page asks: loops, HLO text, layouts, processes."""
PROGRAMS: dict[str, dict[str, Any]] = {
    **{name: {"example": name} for name in EXAMPLES},
    "not finite": {"text": BAD, "inputs": BAD_INPUTS},
    "of one element": {"text": "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }"},
    "without elements": {
        "text": "func.func @main(%x: tensor<0x2xf32>) -> tensor<0x2xf32> {\n"
        "  %0 = stablehlo.add %x, %x : tensor<0x2xf32>\n  return %0 : tensor<0x2xf32>\n}"
    },
}
FEW = ("newton", "all_reduce", "not finite", "without elements")
SETTINGS = {"max_active_sessions": 4}


PART = 0.25
"""Of the questions about a program, those that are asked before `make test-long`, which asks all."""


def _cases() -> Iterator[Any]:
    for name, given in PROGRAMS.items():
        yield pytest.param(given, PART, id=name, marks=() if name in FEW else pytest.mark.more)
        yield pytest.param(given, 1.0, id=f"all of {name}", marks=pytest.mark.long)


@pytest.mark.parametrize(("given", "part"), list(_cases()))
def test_a_page_answers_as_the_server_does(client: TestClient, given: dict[str, Any], part: float) -> None:
    """State by state: outlines, frames, thumbnails, summaries, windows, maps, collective executions, findings, searches."""
    session = client.post("/api/sessions", json=given).json()["id"]
    run = settled(client, session)
    saved = client.get(f"/api/sessions/{session}/runs/1/page?budget={MUCH}")
    assert saved.status_code == 200, saved.text
    index = json.loads(parts_of(saved.content)["index"])
    about = index["about"]
    assert about["left_out"] == ""
    assert about["whole"] == about["summaries"]
    base = f"/api/recordings/{run['key']}"
    every = [f"{base}/{path}" for path in (*_kept(index), *_worked_out(index, run))]
    asked = random.Random(str(given)).sample(every, ceil(part * len(every)))
    answers = answers_of(saved.content, asked)
    for path in asked:
        if "/search?" in path and answers[path].status == 200:
            assert _comparable(answers[path].json()["hits"]) == _comparable(_hits(client, path)), path
        else:
            _compare(path.removeprefix(base), answers[path], client.get(path))
    client.delete(f"/api/sessions/{session}")


def _kept(index: Any) -> list[str]:
    return [path for path in index["answers"] if not path.startswith(OWN) and not path.endswith("/elements")]


def _worked_out(index: Any, run: Any) -> Iterator[str]:
    """Questions that the page answers by what it has of other answers."""
    addresses = [
        path.removeprefix("values/").removesuffix("/elements")
        for path in index["answers"]
        if path.endswith("/elements")
    ]
    yield f"thumbnails?addresses={','.join(addresses[:7])}"
    yield f"summaries?addresses={','.join(addresses[:7])}"
    windows = [f"{address};-1;-2;;0,0;1,9;0" for address in (*addresses[:3], "0.s999999.0", *addresses[3:5])]
    yield f"windows?{'&'.join(f'window={window}' for window in windows)}"
    for process in range(run["processes"]):
        for step in range(-1, min(run["steps"], 40), 3):
            for direction in ("forward", "back"):
                yield f"findings/origin?process={process}&step={step}&direction={direction}"
        for find in ("nan", "inf", "nonfinite", "equal", "zero", "any"):
            yield f"search?find={find}&process={process}&from=0"
        yield f"search?find=range&low=-0.5&high=0.25&process={process}&from=0"
        yield f"search?find=number&number=1&process={process}&from=0"
        yield f"search?find=number&number=1&tolerance=0.125&process={process}&from=0"
        yield f"search?find=any&shape=f32[3,%3F]&process={process}&from=0"
    yield "search?find=any&shape=nonsense["
    yield "search?find=number&number=nan"
    for number, address in enumerate(addresses[:: max(1, len(addresses) // 30)]):
        yield f"values/{address}/window?rows=-1&columns=-2&from=0,0&size=1,100&level={number % 3}"
        yield f"values/{address}/nonfinite?after=2&direction=forward"
        yield f"values/{address}/nonfinite?after=2&direction=back"
    if run["processes"] > 1:
        for columns in (1, 7, 100, 1000):
            yield f"grid/strips?team=0&from=0&to={run['ticks']}&columns={columns}"
        same = [address for address in addresses if address.partition(".")[2] == "f0.0"]
        yield f"grid/compare?addresses={','.join(same)}"
        yield f"grid/range?addresses={','.join(same)}"
        yield f"grid/range?addresses={','.join(addresses[-9:])}"


def _compare(path: str, found: FileAnswer, expected: Any) -> None:
    assert found.status == expected.status_code, (path, found.body[:300], expected.text[:300])
    if expected.headers["content-type"] == "application/json":
        assert found.json() == expected.json(), path
    elif "/window?" in path:
        _compare_windows(path, found.body, expected.content)
    else:
        assert found.body == expected.content, path
        for name in ("x-steps", "x-frames", "x-ticks", "x-shape"):
            assert found.headers.get(name) == expected.headers.get(name), path


def _hits(client: TestClient, path: str) -> list[Any]:
    """All that the server finds; it stops where its time is up."""
    hits: list[Any] = []
    start: int | None = 0
    while start is not None:
        found = client.get(path.replace("from=0", f"from={start}")).json()
        hits += found["hits"]
        start = found["next"]
    return hits


def _comparable(hits: list[Any]) -> list[Any]:
    """Hits without the lines of arguments, for the page knows that of their function; and numbers however they are written:
    `0.00001` is how a page writes 1e-5 wherever one points at an element.
    """
    return [
        {
            **hit,
            "line": 0 if hit["step"] is None else hit["line"],
            "element": _number(hit["element"]),
        }
        for hit in hits
    ]


def _number(text: str) -> float | str:
    try:
        return float(text) if "NaN" not in text else text
    except ValueError:
        return text


def _compare_windows(path: str, found: bytes, expected: bytes) -> None:
    heads, planes = zip(_window(found), _window(expected), strict=True)
    assert heads[0] == heads[1], path
    for one, other in zip(*planes, strict=True):
        # Sums of a bin are added up in another order.
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7, err_msg=path)


def _window(data: bytes) -> tuple[Any, list[Any]]:
    (length,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + length])
    at = -(-(4 + length) // 8) * 8
    planes = []
    for name in head["planes"]:
        kind = (
            "u4"
            if name == "nonfinite"
            else f"{head['wire']['dtype'][0]}{int(head['wire']['dtype'][1:]) // 8}"
        )
        count = head["height"] * head["width"] * (head["wire"]["components"] if name == "value" else 1)
        planes.append(np.frombuffer(data, f"<{kind}", count, at))
        at += planes[-1].nbytes
    assert at == len(data)
    return head, planes


def test_slices_of_more_dimensions_are_cut_alike(client: TestClient) -> None:
    """Any two axes down and to the right, from anywhere, exact and in bins."""
    text = (
        "func.func @main(%x: tensor<4x5x6xf32>) -> tensor<4x5x6xf32> {\n"
        "  %0 = stablehlo.sqrt %x : tensor<4x5x6xf32>\n  return %0 : tensor<4x5x6xf32>\n}"
    )
    session = new_session(client, text)
    run = settled(client, session)
    saved = client.get(f"/api/sessions/{session}/runs/1/page").content
    value = f"/api/recordings/{run['key']}/values/0.s0.0/window"
    asked = [
        f"{value}?rows={rows}&columns={columns}&at=1,2,3&from={top},1&size=3,{width}&level={level}"
        for rows in (-1, 0, 1, 2)
        for columns in (-1, 0, 1, 2)
        if rows != columns or rows == -1
        for top, width, level in ((0, 9, 0), (1, 2, 0), (0, 9, 1), (1, 1, 1), (0, 9, 2))
    ]
    answers = answers_of(saved, asked)
    for path in asked:
        _compare(path, answers[path], client.get(path))


def test_what_is_not_in_the_page_is_said(client: TestClient) -> None:
    session = new_session(client)
    key = settled(client, session)["key"]
    saved = client.get(f"/api/sessions/{session}/runs/1/page?budget=0").content
    asked = [
        f"/api/recordings/{key}/{path}"
        for path in ("provenance?address=0.s0.0&elements=0", "values/0.s999.0", "maps/0/measures")
    ]
    for answer in answers_of(saved, asked).values():
        assert answer.status == 404
        assert answer.json()["error"]["kind"] == "not_in_file"
