"""Pages opened again: what was saved comes back, and a stranger's file costs a sentence."""

import base64
import io
import json
import re
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

import hloscope
from hloscope.app.base.errors import ApiError
from hloscope.app.cli.main import main
from hloscope.app.export.one_file.page import static_bytes
from hloscope.app.export.one_file.reading import NotAPage, is_page, read_page
from hloscope.app.export.one_file.table import Table, deflate
from hloscope.app.export.one_file.writing import write_page
from hloscope.app.export.session_pages import open_page
from tests.app.export.one_file.pages import PART, parts_of
from tests.app.serving import new_session, serving, settled
from tests.programs import known_example
from tests.server_process import make_bundle

MUCH = 1 << 26
NUMBERS = np.random.default_rng(0)
ADD = """\
func.func @main(%x: tensor<3x2xf32>, %b: tensor<2xbf16>, %t: tensor<i1>, %c: tensor<2xcomplex<f64>>) -> tensor<3x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
"""
GIVEN: tuple[NDArray[Any], ...] = (
    NUMBERS.standard_normal((3, 2)).astype(np.float32),
    np.array([16256, 49024], np.uint16),
    np.array(True),
    np.array([1 + 2j, -0.5j]),
)


@pytest.fixture(scope="module", autouse=True)
def bundle() -> None:
    make_bundle()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("page") / "x.html"
    recording = hloscope.record(ADD, GIVEN)
    write_page(path, recording, position=1, breakpoints=[2], sources={"train.py": "x = 1\n"})
    return path.read_bytes()


def test_a_page_has_what_the_run_was_given(page: bytes) -> None:
    found = read_page(page, MUCH)
    assert (found.text, found.entry, found.step, found.breakpoints) == (ADD, "main", 1, [2])
    assert found.sources == {"train.py": "x = 1\n"}
    (name,) = found.files
    arrays = np.load(io.BytesIO(found.files[name]))
    for number, given in enumerate(GIVEN):
        spec = found.inputs[number]
        assert spec["kind"] == "file"
        assert arrays[spec["array"]].dtype == given.dtype
        np.testing.assert_array_equal(arrays[spec["array"]], given)


def test_inputs_of_a_page_are_there_once(tmp_path: Path) -> None:
    """They are read from the values of the page, where these are the same bytes."""
    numbers = NUMBERS.standard_normal((512, 512)).astype(np.float32)
    text = (
        "func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> { return %x : tensor<512x512xf32> }"
    )
    hloscope.record(text, [numbers]).to_html(tmp_path / "x.html")
    assert (tmp_path / "x.html").stat().st_size < static_bytes() + 1.4 * numbers.nbytes


def test_the_policy_names_all_that_runs(page: bytes) -> None:
    """No script but the two of the policy, no style, no address of anywhere."""
    text = page.decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src &#x27;none&#x27;; script-src &#x27;sha256-")
    assert "unsafe" not in policy[1]
    scripts = re.findall(r"<script(?![^>]*data-part)[^>]*>", text)
    assert scripts == ["<script>"]
    licences = re.search(r'<script type="text/plain" data-part="licenses">(.*?)</script>', text, re.DOTALL)
    assert licences
    for library in (
        "preact",
        "htm",
        "@codemirror/view",
        "Jason Miller",
        "Cynthia Brewer",
        "Apache License",
    ):
        assert library in licences[1], library
    text = text.replace(licences[0], "")
    assert not re.search(
        r"<(link|style|img|iframe|object|base)\b|\son\w+=|https?://", PART.sub(b"", text.encode()).decode()
    )


@pytest.mark.parametrize("budget", [0, 20_000, 1 << 20])
def test_a_page_keeps_its_budget(tmp_path: Path, budget: int) -> None:
    found = known_example("transformer_block")
    program = hloscope.parse(found.text)
    entry = program.entry
    assert entry is not None
    inputs = [np.zeros(argument.type.shape, np.float32) for argument in entry.function.arguments]  # type: ignore[attr-defined]
    recording = hloscope.record(program, inputs)
    recording.to_html(tmp_path / "x.html", budget=budget)
    parts = parts_of((tmp_path / "x.html").read_bytes())
    about = json.loads(parts["index"])["about"]
    packed = sum(len(deflate(data)) for name, data in parts.items() if name.startswith("pack-"))
    assert packed <= budget + 250_000  # what is always there
    assert about["left_out"] == ""
    answers = json.loads(parts["index"])["answers"]
    for number, step in enumerate(recording.steps()):
        assert (f"values/0.s{number}.0" in answers) == bool(step.results)


def test_a_failed_run_is_saved_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "add.mlir"
    program.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
        "  check.expect_eq_const %0, dense<7.0> : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}"
    )
    target = tmp_path / "x.html"
    assert main(["run", str(program), "--html", str(target), "--input", "[1, 2]"]) == 1
    found = read_page(target.read_bytes(), MUCH)
    assert found.inputs == [{"kind": "dense", "text": "[1, 2]"}]
    session = json.loads(parts_of(target.read_bytes())["session"])
    assert session["run"]["state"]["kind"] == "failed"
    capsys.readouterr()
    assert main(["run", str(program), str(program), "--html", str(target)]) == 2
    assert "--html saves the run of one program" in capsys.readouterr().err
    assert main(["run", str(program), "--html", str(tmp_path / "nowhere" / "x.html")]) == 2


def _changed(page: bytes, name: str, content: bytes | None) -> bytes:
    """The page with another part of that name, or without it."""
    start = f'<script type="application/octet-stream" data-part="{name}">'.encode()
    before, found, rest = page.partition(start)
    assert found
    _, end, after = rest.partition(b"</script>\n")
    if content is None:
        return before + after
    return before + start + content + end + after


def _packed(value: Any) -> bytes:
    return base64.b64encode(deflate(json.dumps(value).encode()))


def _session(page: bytes, **changed: Any) -> bytes:
    session = json.loads(parts_of(page)["session"])
    session["run"] |= changed
    return _changed(page, "session", _packed(session))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("session", None, "is not in it"),
        ("session", b"AAAA", "cannot unpack|ends too early"),
        ("session", b"!!!!", "is not in it"),
        ("session", _packed([1]), "is not an object"),
        ("session", _packed({"name": "x"}), "is invalid"),
        ("session", base64.b64encode(deflate(b"[" * 100_000)), "is not JSON"),
        ("session", base64.b64encode(deflate(b" " * (1 << 24))), "larger than"),
        ("session", base64.b64encode(deflate(b"{}")[:-1]), "ends too early"),
        ("arrays", _packed({"in_0": {"address": "0.f0.0", "dtype": "object", "shape": [3, 2]}}), "not among its values"),
        ("arrays", _packed({"in_0": {"address": "0.f0.0", "dtype": "float32", "shape": [3, 2**40]}}), "not among its values"),
        ("arrays", _packed({"in_0": {"address": "0.f0.0", "dtype": "float32", "shape": [-3, -2]}}), "not among its values"),
        ("arrays", _packed({"in_0": {"address": "9.f9.9", "dtype": "float32", "shape": [3, 2]}}), "not among its values"),
        ("arrays", _packed({"in_0": 7}), "not among its values"),
        ("index", _packed({"answers": {"values/0.f0.0/elements": ["x", 0, 0]}}), "not among its values"),
        ("inputs.npz", base64.b64encode(deflate(b"no archive")), "not a file of arrays"),
    ],
)  # fmt: skip
def test_a_damaged_page_is_refused(page: bytes, name: str, content: bytes | None, said: str) -> None:
    with pytest.raises(NotAPage, match=said):
        read_page(_changed(page, name, content), 1 << 20)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": 7},
        {"entry": "x" * 1_000},
        {"grid": {"replicas": 10**9, "partitions": 1}},
        {"arguments": [{"input": {"kind": "file", "file": "../../etc/passwd", "array": "x"}}]},
        {"arguments": [{"input": {"kind": "run this"}}]},
        {
            "arguments": [{"input": {"kind": "file", "file": "a", "array": "x", "path": "/etc/passwd"}}]
            * 20_000
        },
        {"arguments": 7},
        {"text": "a\ud800b"},
    ],
)
def test_what_a_page_says_is_checked_like_a_request(page: bytes, changed: dict[str, Any]) -> None:
    with pytest.raises(NotAPage):
        read_page(_session(page, **changed), MUCH)


def test_other_files_are_no_pages(page: bytes) -> None:
    assert is_page(page)
    assert not is_page(b"<!doctype html><title>hloscope page 1</title>")
    with pytest.raises(NotAPage, match="not a page saved by hloscope"):
        read_page(b"<!doctype html>", MUCH)
    with pytest.raises(NotAPage, match="newer hloscope"):
        read_page(page.replace(b"hloscope page 1", b"hloscope page 2", 1), MUCH)
    twice = page.replace(b"<script>", PART.search(page)[0] + b"<script>", 1)  # type: ignore[index]
    assert read_page(twice, MUCH).text == ADD  # of the code, which nobody reads


def test_a_table_keeps_the_same_bytes_once() -> None:
    table = Table()
    for number in range(1_000):
        table.add("a", f"path {number}", b"x" * 1_000)
    assert {path: table.body(path) for path in table.paths} == {
        f"path {number}": b"x" * 1_000 for number in range(1_000)
    }
    parts = table.parts()
    assert set(parts) == {"index", "pack-0"}
    assert len(zlib.decompress(parts["pack-0"], -15)) == 1_000


def test_a_session_is_saved_and_opened_again(tmp_path: Path) -> None:
    """With uploaded inputs, a draft and a breakpoint; in another server, which knows none of it."""
    np.savez(tmp_path / "x.npz", x=GIVEN[0])
    with serving(tmp_path / "one") as client:
        session = new_session(client, ADD)
        settled(client, session)
        with (tmp_path / "x.npz").open("rb") as stream:
            file = client.post(f"/api/sessions/{session}/files", files={"file": stream}).json()["file"]
        inputs = [{"kind": "file", "file": file, "array": "x"}, None, None, None]
        client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": inputs})
        run = settled(client, session)
        client.put(
            f"/api/sessions/{session}/position",
            json={
                "run": 2,
                "step": 1,
                "path": [],
                "breakpoints": [2, [3, [0]], {"kind": "line", "at": 4, "hits": "2"}],
            },
        )
        client.put(f"/api/sessions/{session}/draft", json={"text": ADD + "// more"})
        path = f"/api/sessions/{session}/runs/{run['number']}/page"
        saved = client.get(path).content
        assert client.get(path.replace(session, "nobody")).status_code == 404
        value = client.get(f"/api/recordings/{run['key']}/values/0.s0.0.npy").content
    with serving(tmp_path / "two") as client:
        answer = client.post("/api/pages", files={"file": ("x.html", saved)})
        assert answer.status_code == 201, answer.text
        opened = answer.json()["id"]
        again = settled(client, opened)
        info = client.get(f"/api/sessions/{opened}").json()
        assert info["text"] == ADD + "// more"
        assert info["breakpoints"] == [2, [3, [0]], {"kind": "line", "at": 4, "hits": "2"}]
        assert info["position"]["step"] == 1
        assert client.get(f"/api/recordings/{again['key']}/values/0.s0.0.npy").content == value
        refused = client.post("/api/pages", files={"file": ("x.html", b"<!doctype html>")})
        assert refused.status_code == 422
        assert "not a page saved by hloscope" in refused.json()["error"]["message"]
        assert client.post("/api/pages", files={"file": ("x.html", b"")}).status_code == 422


def test_the_server_holds_no_page_in_memory(client: TestClient, tmp_path: Path) -> None:
    """Another process reads it."""
    size = 64 << 20
    path = tmp_path / "page.html"
    with path.open("wb") as stream:
        stream.write(b'<meta name="generator" content="hloscope page 1">')
        stream.truncate(size)
    sessions = client.app.app.state.sessions  # type: ignore[attr-defined]
    assert client.portal is not None
    tracemalloc.start()
    try:
        with pytest.raises(ApiError, match="The page is damaged: the part session is not in it"):
            client.portal.call(open_page, sessions, path)
        assert tracemalloc.get_traced_memory()[1] < size // 8
    finally:
        tracemalloc.stop()
