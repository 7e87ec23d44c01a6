"""The API over the real engine, as the page uses it."""

import io
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hloscope.app.base.keys import session_hash
from hloscope.app.sessions.sessions import Sessions
from hloscope.app.store import Store
from tests.app.serving import ADD, ENDLESS, WRONG, dense, live, new_session, run_of, serving, settled
from tests.large_programs import optimised_hlo

SETTINGS = {"max_program_bytes": 1_000_000, "max_active_sessions": 4}


def recording(client: TestClient, text: str = ADD, **more: Any) -> str:
    """The base of a finished recording's addresses."""
    return f"/api/recordings/{settled(client, new_session(client, text, **more))['key']}"


def test_check_says_what_is_wrong_and_what_can_be_run(client: TestClient) -> None:
    good = client.post("/api/check", json={"text": ADD}).json()
    assert good["diagnostics"] == []
    [entry] = good["entries"]
    assert (entry["name"], entry["arguments"][0]["type"]) == ("main", "tensor<4xf32>")
    [wrong] = client.post("/api/check", json={"text": WRONG}).json()["diagnostics"]
    assert (wrong["line"], wrong["severity"]) == (2, "error")
    assert "nothing" in wrong["message"]


def test_the_page_warns_of_a_deadlock_before_the_run_and_in_it(client: TestClient) -> None:
    program = Path(__file__).parents[2] / "communication/programs/branch_of_process_id.mlir"
    faulty = [line for line in program.read_text("utf-8").split("\n") if not line.endswith("// sound")]
    text = "\n".join(faulty)
    [found] = client.post("/api/check", json={"text": text}).json()["diagnostics"]
    assert (found["severity"], found["op"]) == ("warning", "stablehlo.all_reduce")
    assert client.get(f"/api/sessions/{new_session(client, text)}").json()["diagnostics"] == [found]


def test_offsets_on_the_wire_are_those_of_the_browser(client: TestClient) -> None:
    text = "// \N{PILE OF POO}\n" + WRONG
    [wrong] = client.post("/api/check", json={"text": text}).json()["diagnostics"]
    units = text.encode("utf-16-le")[2 * wrong["from"] : 2 * wrong["to"]].decode("utf-16-le")
    assert "nothing" in units


@pytest.mark.parametrize("bracket", ["[", "{", "(", "<", "module {", "tensor<", "dense<["])
def test_ten_thousand_nested_brackets_are_a_diagnostic(client: TestClient, bracket: str) -> None:
    text = f"func.func @main() attributes {{a = {bracket * 10_000}"
    found = client.post("/api/check", json={"text": text}).json()["diagnostics"]
    assert found
    assert found[0]["severity"] == "error"


def test_a_long_text_is_requested_in_windows(client: TestClient) -> None:
    """The draft and the program of a run, in the order of their characters, of one and of several bytes."""
    text = ADD + "// é𝄞\n" * 80_000
    session = new_session(client, text, inputs=[dense("[1, 2, 3, 4]")], name="add.mlir")
    settled(client, session)
    whole = client.get(f"/api/sessions/{session}?once=true").json()
    info = client.get(f"/api/sessions/{session}?once=true&apart=true").json()
    assert whole["long_text"] is None
    assert (whole["text"], info["text"], info["run"]["text"], info["run"]["long_text"]) == (
        text,
        "",
        "",
        None,
    )
    path = f"/api/sessions/{session}/texts/{info['long_text']['hash']}"
    windows = [client.get(f"{path}?chunk={chunk}") for chunk in range(info["long_text"]["windows"])]
    assert "".join(answer.content.decode() for answer in windows) == text
    assert {answer.headers["Content-Encoding"] for answer in windows} == {"gzip"}
    plain = client.get(f"{path}?chunk=1", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.content == windows[1].content
    assert client.get(f"{path}?chunk={len(windows)}").status_code == 404
    assert client.get(f"/api/sessions/{session}/texts/other").status_code == 404

    run = client.get(f"/api/sessions/{session}/runs/1?apart=true").json()
    assert run["long_text"] == info["long_text"]
    client.put(f"/api/sessions/{session}/draft", json={"text": f"{text}// draft"}).raise_for_status()
    draft = client.get(f"/api/sessions/{session}?apart=true").json()["long_text"]
    assert client.get(f"/api/sessions/{session}/texts/{draft['hash']}").status_code == 200
    link = client.post(f"/api/sessions/{session}/links", json={}).json()["id"]
    asked = [client.get(f"/api/sessions/{link}/texts/{each['hash']}") for each in (draft, run["long_text"])]
    assert [answer.status_code for answer in asked] == [404, 200], "a draft is private"

    refused = new_session(client, f"{text}}}", name="add.mlir")
    info = client.get(f"/api/sessions/{refused}?apart=true").json()
    assert (info["run"], bool(info["diagnostics"])) == (None, True)
    path = f"/api/sessions/{refused}/texts/{info['long_text']['hash']}"
    windows = [client.get(f"{path}?chunk={chunk}") for chunk in range(info["long_text"]["windows"])]
    assert "".join(answer.content.decode() for answer in windows) == f"{text}}}"


def test_a_cancelled_program_is_not_stored_again(tmp_path: Path) -> None:
    """Its run keeps the text and says why there is no recording, also after a restart."""
    text = optimised_hlo(30_000)
    with serving(tmp_path) as client:
        session = new_session(client, text, name="step.hlo")
        with live(client, session) as socket:
            while not (message := socket.receive_json()).get("verifying"):
                assert message["type"] in ("verifying", "waiting")
            socket.send_json({"type": "pause"})
            while socket.receive_json() != {"type": "verifying", "verifying": None}:
                pass
        copied = client.post("/api/sessions", json={"copy_of": session}).json()["id"]
        titles = client.post("/api/sessions/titles", json={"sessions": [session]}).json()
        assert titles == [{"name": "step.hlo", "step": 0, "steps": None}]
    store = Store(tmp_path)
    assert store.draft(session_hash(session)) is None
    store.close()
    with serving(tmp_path) as client:
        info = client.get(f"/api/sessions/{session}?wait=false").json()
        assert (info["text"], info["run"], info["verifying"]) == (text, None, None)
        assert [(each["kind"], each["to"]) for each in info["diagnostics"]] == [("cancelled", 0)]
        assert client.get(f"/api/sessions/{copied}?wait=false").json()["text"] == text
        client.post(f"/api/sessions/{session}/runs", json={"text": text}).raise_for_status()
        assert run_of(client, session)["number"] == 1


def test_a_session_is_a_program_and_its_run(client: TestClient) -> None:
    session = new_session(client, inputs=[dense("[1, 2, 3, 4]")], name="add.mlir")
    run = settled(client, session)
    info = client.get(f"/api/sessions/{session}").json()
    assert (info["id"], info["name"], info["text"]) == (session, "add.mlir", ADD)
    asked_once = client.get(f"/api/sessions/{session}?once=true").json()
    assert asked_once == info | {"run": info["run"] | {"text": ""}}
    assert (run["state"]["kind"], run["steps"], run["frames"], run["entry"]) == ("done", 3, 1, "main")
    assert run["arguments"] == [
        {
            "name": "x",
            "type": "tensor<4xf32>",
            "input": dense("[1, 2, 3, 4]"),
            "location": None,
            "shape": [4],
            "whole": None,
        }
    ]
    assert info["runs"][0]["number"] == 1
    assert client.get(f"/api/sessions/{session}/runs/1").json() == run
    assert info["limits"]["max_program_bytes"] == 1_000_000


def test_a_program_with_errors_makes_a_session_too(client: TestClient) -> None:
    info = client.get(f"/api/sessions/{new_session(client, WRONG)}").json()
    assert (info["run"], info["runs"], info["text"]) == (None, [], WRONG)
    assert info["diagnostics"][0]["line"] == 2


def test_a_new_run_keeps_the_old_one_and_its_inputs(client: TestClient) -> None:
    session = new_session(client, inputs=[dense("[1, 2, 3, 4]")])
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": WRONG, "breakpoints": []}).json()
    assert answer["run"] is None
    assert answer["diagnostics"]
    assert run_of(client, session)["number"] == 1
    assert client.get(f"/api/sessions/{session}").json()["text"] == WRONG

    changed = ADD.replace("multiply", "subtract")
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": changed, "breakpoints": [2]}).json()
    assert answer["run"]["number"] == 2
    assert answer["run"]["arguments"][0]["input"] == dense("[1, 2, 3, 4]")
    assert answer["dropped_inputs"] == []
    info = client.get(f"/api/sessions/{session}").json()
    assert (info["run"]["number"], info["text"], info["breakpoints"]) == (2, changed, [2])
    assert client.get(f"/api/sessions/{session}/runs/1").json()["text"] == ADD

    wider = ADD.replace("4xf32", "5xf32")
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": wider}).json()
    assert [item["name"] for item in answer["dropped_inputs"]] == ["x"]
    again = client.post(
        f"/api/sessions/{session}/runs", json={"text": changed, "inputs": [dense("[1, 2, 3, 4]")]}
    )
    assert again.json()["run"]["number"] == 2  # nothing is recorded twice


def test_inputs_that_do_not_fit_are_diagnostics(client: TestClient) -> None:
    session = new_session(client)
    answer = client.post(
        f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [dense("[1, 2]")]}
    ).json()
    assert answer["run"] is None
    assert answer["diagnostics"][0]["kind"] == "input"


def test_drafts_and_positions_are_kept(client: TestClient) -> None:
    session = new_session(client)
    value = {"kind": "value", "at": "%0", "condition": "any(value > 1)", "off": True}
    position = {"run": 1, "step": 2, "path": [[0, 0]], "breakpoints": [2, [3, [0, 2]], value]}
    assert client.put(f"/api/sessions/{session}/draft", json={"text": "draft"}).status_code == 204
    assert client.put(f"/api/sessions/{session}/position", json=position).status_code == 204
    info = client.get(f"/api/sessions/{session}").json()
    assert info["text"] == "draft"
    asked_once = client.get(f"/api/sessions/{session}?once=true").json()
    assert (asked_once["text"], asked_once["run"]["text"]) == ("draft", ADD)
    assert info["position"] == {"step": 2, "path": [[0, 0]]}
    assert info["breakpoints"] == [2, [3, [0, 2]], value]


def test_examples_become_sessions(client: TestClient) -> None:
    names = [item["name"] for item in client.get("/api/examples").json()]
    assert names[0] == "mlp"
    assert client.get("/api/examples/softmax").json()["text"].startswith("// title")
    answer = client.post("/api/sessions", json={"example": "softmax"})
    assert settled(client, answer.json()["id"])["state"]["kind"] == "done"


def test_a_recording_is_columns_and_values(client: TestClient) -> None:
    base = recording(client, inputs=[dense("[1, 2, 3, 4]")])
    program = client.get(f"{base}/program").json()
    assert [op["name"] for op in program["ops"]][:2] == ["stablehlo.add", "stablehlo.multiply"]
    outline = client.get(f"{base}/outline?chunk=0")
    assert outline.headers["x-steps"] == "3"
    assert "immutable" in outline.headers["cache-control"]
    assert struct.unpack("<3I3I3H", outline.content) == (0, 1, 2, 0, 0, 0, 0, 0, 0)
    none = 0xFFFFFFFF
    assert struct.unpack("<4I", client.get(f"{base}/frames?chunk=0").content) == (0, none, none, 0)
    assert client.get(f"{base}/values/0.s1.0").json()["text"] == "f32[4]  [2, 8, 18, 32]"
    assert client.get(f"{base}/ops/0").json()["url"] == "/ops/stablehlo.add"
    pictures = client.get(f"{base}/thumbnails?addresses=0.s0.0,0.f0.0,0.s77.0").json()
    assert set(pictures) == {"0.s0.0", "0.f0.0"}
    assert np.load(io.BytesIO(client.get(f"{base}/values/0.s0.0.npy").content)).tolist() == [2, 4, 6, 8]
    window = client.get(f"{base}/values/0.s0.0/window?rows=-1&columns=0&at=0&from=0,1&size=1,2").content
    assert struct.unpack("<2f", window[-8:]) == (4, 6)


def test_several_values_are_one_request(client: TestClient) -> None:
    base = recording(client, inputs=[dense("[1, 2, 3, 4]")])
    answer = client.get(f"{base}/summaries?addresses=0.s0.0,0.s1.0")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.json() == {
        name: client.get(f"{base}/values/{name}").json() for name in ("0.s0.0", "0.s1.0")
    }
    assert list(client.get(f"{base}/summaries?addresses=0.s77.0,0.s1.0").json()) == ["0.s1.0"]
    asked = [("0.s0.0", "0,1", "1,2"), ("0.s77.0", "0,0", "1,1"), ("0.s1.0", "0,0", "1,4")]
    windows = [f"{name};-1;0;0;{start};{size};0" for name, start, size in asked]
    parts = _parts(client.get(f"{base}/windows", params={"window": windows}).content)
    for (name, start, size), part in zip(asked, parts, strict=True):
        alone = client.get(f"{base}/values/{name}/window?rows=-1&columns=0&at=0&from={start}&size={size}")
        assert part == (alone.content if alone.status_code == 200 else b"")
    assert [len(part) > 0 for part in parts] == [True, False, True]


def _parts(data: bytes) -> list[bytes]:
    """Each begins at a multiple of 8, behind its length."""
    parts, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        parts.append(data[at + 8 : at + 8 + length])
        at += 8 + length + -length % 8
    return parts


def test_windows_of_several_values_have_an_end(client: TestClient) -> None:
    text = ADD.replace("tensor<4xf32>", "tensor<1048576xf32>")
    base = recording(client, text, inputs=[{"kind": "iota", "seed": 0}])
    window = "0.s0.0;-1;0;0;0,0;1,1048576;0"
    answer = client.get(f"{base}/windows", params={"window": [window] * 3})
    assert [len(part) > 1 << 20 for part in _parts(answer.content)] == [True, False, False]
    assert "immutable" not in answer.headers["cache-control"]


def test_a_large_value_is_downloaded_in_pieces(client: TestClient) -> None:
    text = ADD.replace("tensor<4xf32>", "tensor<1200000xf32>")
    base = recording(client, text, inputs=[{"kind": "iota", "seed": 0}])
    loaded = np.load(io.BytesIO(client.get(f"{base}/values/0.s0.0.npy").content))
    assert np.array_equal(loaded, 2 * np.arange(1_200_000, dtype=np.float32))


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("values/0.s99.0", 404, "not_recorded"),
        ("values/0.s0.7", 404, "not_recorded"),
        ("values/nonsense", 422, "request"),
        ("values/0.s0.0/window?rows=5&columns=0&at=0&from=0,0&size=1,1", 422, "request"),
        ("windows?window=0.s0.0;0;0", 422, "request"),
        ("windows?window=0.s0.0;5;0;0;0,0;1,1;0", 422, "request"),
        ("summaries?addresses=nonsense", 422, "request"),
        ("values/0.s0.0/window?rows=x&columns=0&at=0&from=0,0&size=1,1", 422, "request"),
        ("values/0.s0.0/window", 422, "request"),
        ("ops/99", 404, "not_recorded"),
        ("outline?chunk=-1", 422, "request"),
        ("nothing", 404, "request"),
    ],
)
def test_what_is_not_there_is_a_typed_error(client: TestClient, path: str, status: int, kind: str) -> None:
    answer = client.get(f"{recording(client)}/{path}")
    assert (answer.status_code, answer.json()["error"]["kind"]) == (status, kind)


@pytest.mark.parametrize(
    "path", ["/api/sessions/x", "/s/x", "/api/recordings/x/program", "/ops/x", "/api/examples/x"]
)
def test_unknown_names_are_not_found(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "not_found")
    assert client.get(path, headers={"Accept": "text/html"}).text.startswith(("<!doctype", "<!"))


@pytest.mark.parametrize(
    "body",
    [
        b"{", b'"\\ud800"', b'{"text": 1}', b'{"text": "\\ud800"}', b'{"text": "a", "secret": "quoted"}',
        b"[" * 5000, b'{"text": NaN}', b'{"text": "x", "inputs": [{"kind": "file", "file": "../../x", "array": "a"}]}',
    ],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(client: TestClient, body: bytes) -> None:
    for path in ("/api/check", "/api/sessions"):
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]["kind"] == "request"
        assert "quoted" not in answer.text


def test_a_program_over_the_limit_is_named_with_it(client: TestClient) -> None:
    for path in ("/api/check", "/api/sessions"):
        answer = client.post(path, json={"text": "é" * 600_000})
        assert (answer.status_code, answer.json()["error"]["limit"]) == (413, "max_program_bytes")


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def test_inputs_can_be_uploaded(client: TestClient) -> None:
    session = new_session(client)
    data = npz(x=np.array([1, 2, 3, 5], np.float32), other=np.zeros(2))
    answer = client.post(f"/api/sessions/{session}/files", files={"file": ("in.npz", data)})
    found = answer.json()
    assert found["matches"] == [{"argument": 0, "array": "x"}]
    assert found["arrays"][0] == {"name": "x", "dtype": "float32", "shape": [4]}
    spec = {"kind": "file", "file": found["file"], "array": "x"}
    run = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [spec]}).json()["run"]
    assert run["arguments"][0]["input"] == spec  # and not where this machine keeps it
    settled(client, session)
    assert client.get(f"/api/recordings/{run['key']}/values/0.s0.0").json()["text"] == "f32[4]  [2, 4, 6, 10]"


@pytest.mark.parametrize("data", [b"", b"no archive", npz(a=np.array(["text"])), npz(a=np.zeros(1))[:-30]])
def test_files_that_are_none_are_refused(client: TestClient, data: bytes) -> None:
    answer = client.post(f"/api/sessions/{new_session(client)}/files", files={"file": ("weights.npz", data)})
    error = answer.json()["error"]
    assert (answer.status_code, error["kind"]) == (422, "input")
    assert not re.search("[0-9a-f]{64}", error["message"])


def test_a_file_that_lacks_an_array_is_not_called_by_its_hash(client: TestClient) -> None:
    session = new_session(client)
    files = {"file": ("in.npz", npz(x=np.zeros(4, np.float32)))}
    uploaded = client.post(f"/api/sessions/{session}/files", files=files).json()
    spec = {"kind": "file", "file": uploaded["file"], "array": "missing"}
    answer = client.post(f"/api/sessions/{session}/runs", json={"text": ADD, "inputs": [spec]}).json()
    [diagnostic] = answer["diagnostics"]
    assert diagnostic["message"] == "the uploaded file has no array 'missing'"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("C:\\data\\w.npz", "w.npz"),
        ("a/b/w.npz", "w.npz"),
        ("w" * 200 + "_7.npz", "_7.npz"),
        ("w.npz", "w.npz"),
    ],
)
def test_an_upload_is_called_as_its_user_calls_it(client: TestClient, given: str, said: str) -> None:
    answer = client.post(f"/api/sessions/{new_session(client)}/files", files={"file": (given, b"no archive")})
    message = answer.json()["error"]["message"]
    assert said in message
    assert len(message) < 150


def test_a_file_that_is_gone_is_a_diagnostic(client: TestClient) -> None:
    spec = {"kind": "file", "file": "0" * 64, "array": "x"}
    info = client.get(f"/api/sessions/{new_session(client, inputs=[spec])}").json()
    assert info["run"] is None


def test_the_live_line_records_pauses_and_moves(client: TestClient) -> None:
    session = new_session(client, ENDLESS)
    with live(client, session) as socket:
        socket.send_json({"type": "pause", "run": 1})
        state = socket.receive_json()
        while state["state"]["kind"] != "paused":
            state = socket.receive_json()
        assert state["run"] == 1
        assert state["state"]["reason"].startswith(("Paused by you", "Recorded"))
        socket.send_json({"type": "record", "run": 1, "steps": 500})
        goal = state["steps"] + 500
        while state["state"]["kind"] != "paused" or state["steps"] != goal:
            state = socket.receive_json()
        socket.send_json({"type": "position", "run": 1, "step": 11, "path": [], "breakpoints": [5]})
        socket.send_json({"type": "nonsense"})
        assert _complaint(socket)["type"] == "error"
        socket.send_json({"type": "record", "run": 99})
        assert _complaint(socket)["kind"] == "not_found"
    info = client.get(f"/api/sessions/{session}").json()
    assert (info["position"]["step"], info["breakpoints"]) == (11, [5])


def _complaint(socket: Any) -> dict[str, Any]:
    """The next message that is no state: one may be told twice."""
    while (message := socket.receive_json())["type"] == "state":
        pass
    return dict(message)


def test_there_is_no_live_line_to_an_unknown_session(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect) as refused, live(client, "x"):
        pass
    assert (refused.value.code, refused.value.reason) == (4404, "There is no such session.")


def test_lines_beyond_the_limit_are_told_so(tmp_path: Path) -> None:
    with serving(tmp_path, max_sockets=1) as client:
        session = new_session(client)
        with live(client, session):
            with pytest.raises(WebSocketDisconnect) as refused, live(client, session):
                pass
            assert refused.value.code == 4429
            assert "max_sockets" in refused.value.reason
        with live(client, session):
            pass


def test_a_line_that_we_break_is_closed_with_a_code(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(Sessions, "session", broken)
    with pytest.raises(WebSocketDisconnect) as ended, live(client, "x"):
        pass
    assert ended.value.code == 1011
    assert "a mistake" in caplog.text


@pytest.mark.parametrize("path", ["/", "/ops", "/ops/stablehlo.add", "/ops/add", "/help", "/-/settings"])
def test_pages_are_pages(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.count("<script>") == 0


def test_text_of_a_session_is_inert_in_its_page(client: TestClient) -> None:
    name = "</title><script>alert(1)</script>"
    page = client.get(f"/s/{new_session(client, name=name)}").text
    assert "<script>alert" not in page


def test_settings_are_shown(client: TestClient) -> None:
    found = {item["name"]: item["value"] for item in client.get("/-/settings").json()}
    assert found["max_active_sessions"] == 4
    assert "token" not in found


@pytest.mark.parametrize(
    "path", ["../app/main.py", "%2e%2e/pyproject.toml", "..%2fpyproject.toml", "/etc/hosts", "js"]
)
def test_static_files_are_those_of_one_folder(client: TestClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def test_static_files_are_asked_for_again(client: TestClient) -> None:
    first = client.get("/static/js/core/api.js")
    assert (first.headers["cache-control"], first.headers["content-type"]) == (
        "no-cache",
        "text/javascript; charset=utf-8",
    )
    again = client.get("/static/js/core/api.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
