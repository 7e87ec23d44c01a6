"""A moment of a run as a picture for pages of other sites, and as a page to print."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.serving import ORIGIN, PORT, TOKEN

SIGNED_IN = {"Host": f"127.0.0.1:{PORT}", "Origin": ORIGIN, "Cookie": f"hloscope-{PORT}={TOKEN}"}
STRANGER = {"Host": f"127.0.0.1:{PORT}"}
SITE = "https://course.example"
SHOWN = STRANGER | {
    "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Referer": f"{SITE}/",
}  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"
PROGRAM = """func.func @main() -> tensor<3x2xf32> {
  %0 = stablehlo.constant dense<[[1.0, 2.5, -3.0], [4.0, 0x7FC00000, 6.0]]> : tensor<2x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // <script>alert("a & b")</script>
  %2 = stablehlo.negate %1 : tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}
"""
TRANSPOSED = "run=1&step=2&value=1&element=2,1"
SETTINGS = {"signed_in": False, "embed_sites": SITE}


def _link(client: TestClient, text: str = PROGRAM) -> tuple[str, str]:
    made = client.post("/api/sessions", json={"text": text, "name": "a<b.mlir"}, headers=SIGNED_IN)
    session = made.json()["id"]
    client.get(f"/api/sessions/{session}", headers=SIGNED_IN)  # until the run is open
    return session, client.post(f"/api/sessions/{session}/links", headers=SIGNED_IN).json()["id"]


def _texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_named_site_shows_a_picture_and_nothing_else(client: TestClient) -> None:
    _, link = _link(client)
    path = f"/embed/{link}.svg?{TRANSPOSED}"
    answer = client.get(path, headers=SHOWN)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "script" not in answer.headers["content-security-policy"]
    assert "set-cookie" not in answer.headers
    refused = [
        (path, {"Referer": "https://other.example/"}),
        (path, {"Referer": ""}),
        (path, {"Referer": f"{SITE}.evil.example/"}),
        (path, {"Sec-Fetch-Dest": "script"}),
        (path, {"Sec-Fetch-Dest": "empty"}),
        (path, {"Sec-Fetch-Mode": "cors"}),
        (f"/embed/{link}", {}),
        (f"/s/{link}", {}),
        (f"/s/{link}/handout", {}),
        (f"/api/sessions/{link}", {}),
        ("/static/icon.svg", {}),
    ]
    for other, headers in refused:
        answer = client.get(other, headers=SHOWN | headers)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "origin"), (other, headers)
    assert client.post(path, headers=SHOWN).status_code == 403
    assert client.get("/", headers=SIGNED_IN).headers["cross-origin-resource-policy"] == "same-origin"


def test_what_is_embedded_uses_no_cookie_and_sets_none(client: TestClient) -> None:
    session, link = _link(client)
    for path in (f"/embed/{link}", f"/embed/{link}.svg?{TRANSPOSED}"):
        plain, with_cookie = (client.get(path, headers=each) for each in (STRANGER, SIGNED_IN))
        assert plain.content == with_cookie.content
        for answer in (
            plain,
            with_cookie,
            client.get(f"{path.partition('?')[0]}?token={TOKEN}", headers=STRANGER),
        ):
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
    assert client.get(f"/embed/{session}.svg", headers=SIGNED_IN).status_code == 404


def test_the_picture_shows_the_lines_the_value_and_the_element(client: TestClient) -> None:
    _, link = _link(client)
    answer = client.get(f"/embed/{link}.svg?{TRANSPOSED}", headers=STRANGER)
    svg = answer.text
    texts = _texts(svg)
    assert "a<b.mlir" in texts
    assert "step 2 of 4, current op stablehlo.negate" in texts
    assert '// <script>alert("a & b")</script>' in texts
    assert "<script" not in svg
    assert any(text.startswith("%1: f32[3,2]") and text.endswith("[2, 1] = 6") for text in texts)
    cells = {"1", "2.5", "-3", "4", "NaN", "6"}
    assert cells <= {*texts}
    marks = re.findall(r'class="mark"', svg)
    assert len(marks) == 1
    described = ElementTree.fromstring(svg).find(f"{SVG}desc")
    assert described is not None
    assert "[2, 1] = 6" in (described.text or "")
    assert ElementTree.fromstring(svg).get("role") == "img"
    assert "prefers-color-scheme: dark" in svg
    assert "<image" not in svg


def test_the_picture_of_a_map_marks_what_the_element_reads(client: TestClient) -> None:
    _, link = _link(client)
    svg = client.get(f"/embed/{link}.svg?{TRANSPOSED}&tab=index", headers=STRANGER).text
    assert "%1[2, 1] reads %0[1, 2]." in _texts(svg)
    assert svg.count('class="mark"') == 2
    # The element and what it reads have one colour.
    constant = client.get(f"/embed/{link}.svg?run=1&step=1&value=0&tab=index", headers=STRANGER).text
    assert "A picture cannot show the maps" in constant
    assert "%0: f32[2,3]" in constant


def test_how_long_a_picture_is_kept(client: TestClient) -> None:
    session, link = _link(client)
    fixed = client.get(f"/embed/{link}.svg?{TRANSPOSED}", headers=STRANGER)
    assert fixed.headers["cache-control"] == "private, max-age=300"
    current = client.get(f"/embed/{link}.svg", headers=STRANGER)
    assert current.headers["cache-control"] == "no-cache"
    client.delete(f"/api/sessions/{session}/links", headers=SIGNED_IN)
    assert client.get(f"/embed/{link}.svg?{TRANSPOSED}", headers=STRANGER).status_code == 404


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("step=99", 404, ""),
        ("step=-1", 422, "step"),
        ("run=7", 404, "run"),
        ("process=3", 404, ""),
        ("element=a", 422, "element is 'a'"),
        ("value=1;2", 422, "value is '1;2'"),
    ],
)
def test_what_is_not_there_is_told(client: TestClient, query: str, status: int, said: str) -> None:
    _, link = _link(client)
    answer = client.get(f"/embed/{link}.svg?{query}", headers=STRANGER)
    assert answer.status_code == status
    assert said in answer.json()["error"]["message"]


def test_what_an_address_names_and_the_value_has_not_is_left_out(client: TestClient) -> None:
    _, link = _link(client)
    for query in (
        "step=2&value=1&element=9,9",
        "step=2&value=1&element=1",
        "step=0&value=2",
        "step=2&value=999",
    ):
        answer = client.get(f"/embed/{link}.svg?run=1&{query}", headers=STRANGER)
        assert answer.status_code == 200, query
        assert 'class="mark"' not in answer.text


def test_a_large_value_is_drawn_as_so_many_cells_as_one_can_tell_apart(client: TestClient) -> None:
    large = """func.func @main() -> tensor<300x500xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<300x500xf32>
  return %0 : tensor<300x500xf32>
}
"""
    _, link = _link(client, large)
    svg = client.get(f"/embed/{link}.svg?step=1&value=0&element=200,400", headers=STRANGER).text
    assert len(svg) < 400_000
    rectangles = len(re.findall("<rect ", svg))
    assert 64 < rectangles < 64 * 48 + 20
    assert svg.count('class="mark"') == 1
    assert "[200, 400] = 400" in svg
    mapped = client.get(f"/embed/{link}.svg?step=1&value=0&tab=index", headers=STRANGER).text
    assert "The result has 150,000 elements" in mapped


def test_a_page_to_print_has_no_script_and_all_lines(client: TestClient) -> None:
    session, link = _link(client)
    mine = client.get(f"/s/{session}/handout?{TRANSPOSED}&tab=index", headers=SIGNED_IN)
    assert client.get(f"/s/{session}/handout", headers=STRANGER).status_code == 401
    theirs = client.get(f"/s/{link}/handout?{TRANSPOSED}&tab=index", headers=STRANGER)
    for answer in (mine, theirs):
        page = answer.text
        assert answer.status_code == 200
        assert "<script" not in page
        assert " style=" not in page
        assert len(re.findall("<li[ >]", page)) == PROGRAM.count("\n")
        assert re.search(r'<li class="current" aria-current="step"><code>  %2 = stablehlo.negate', page)
        assert page.count("<svg ") == 2
        assert "%1[2, 1] reads %0[1, 2]." in page
        assert "&lt;script&gt;alert(" in page
        assert "<h1>a&lt;b.mlir</h1>" in page
    assert f'href="/s/{session}?' in mine.text


def test_several_processes_each_have_their_picture(client: TestClient) -> None:
    text = """HloModule m, num_partitions=2

ENTRY %main {
  %id = u32[] partition-id()
  ROOT %more = u32[] add(%id, %id)
}
"""
    _, link = _link(client, text)
    for process in (0, 1):
        svg = client.get(f"/embed/{link}.svg?step=2&process={process}", headers=STRANGER).text
        assert f"process (0, {process})" in svg
        assert f"%more: u32[] {2 * process}" in svg


def test_numbers_are_written_as_the_page_writes_them(client: TestClient) -> None:
    _, link = _link(client)
    texts = _texts(client.get(f"/embed/{link}.svg?step=4", headers=STRANGER).text)
    assert "after all 4 steps" in texts
    wanted = -np.array([[1, 4], [2.5, np.nan], [-3, 6]])
    assert {f"{number:g}" for number in wanted[np.isfinite(wanted)]} <= {*texts}


def test_a_picture_waits_for_its_step_while_the_run_is_recorded(client: TestClient) -> None:
    type = "tensor<1600x1600xf32>"
    dots = "".join(
        f"  %{n + 1} = stablehlo.dot_general %{n}, %0, contracting_dims = [1] x [0] : ({type}, {type}) -> {type}\n"
        for n in range(6)
    )
    text = f"func.func @main() -> {type} {{\n  %0 = stablehlo.constant dense<1.0> : {type}\n{dots}  return %6 : {type}\n}}\n"
    made = client.post("/api/sessions", json={"text": text, "name": "slow.mlir"}, headers=SIGNED_IN).json()
    for page in ("picture.svg", "handout"):
        answer = client.get(f"/s/{made['id']}/{page}?run=1&step=7", headers=SIGNED_IN)
        assert answer.status_code == 200, answer.text
    # No waiting for what does not come.
    missing = client.get(f"/s/{made['id']}/picture.svg?run=1&step=70", headers=SIGNED_IN)
    assert (missing.status_code, missing.json()["error"]["kind"]) == (404, "not_recorded")
