"""Recordings uploaded to a server: they open with their values alone, and a stranger's file costs a sentence."""

from __future__ import annotations

import json
import zipfile
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.base.settings import Settings
from hloscope.app.cli.serve import opened_file
from hloscope.app.runs.executed_values import STEPS, VALUES, kept_executor
from hloscope.app.runs.saved_runs import save_recording, write_run
from hloscope.app.web.main import _folder_of
from hloscope.app.workers.session_worker import OpenRequest
from hloscope.app.workers.supervisor import Supervisor
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import Launch
from tests.app.runs.test_saved_runs import ABOUT, Doubled
from tests.app.serving import serving, settled
from tests.app.workers.test_session_workers import free, taken
from tests.programs import load_program

TEXT = """\
func.func @f(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<3xbf16> {
  %0 = stablehlo.add %x, %y : tensor<3xbf16>
  return %0 : tensor<3xbf16>
}
"""
GIVEN = [np.array(values, ml_dtypes.bfloat16) for values in ([1, 2, 3], [4, 5, 6])]


def saved(folder: Path, launch: Launch | list[Any] = GIVEN, device: Mapping[str, Any] | None = ABOUT) -> Path:
    executor = Doubled() if device else None
    recording = Recording(load_program(TEXT), launch, entry="f", executor=executor)
    recording.record()
    save_recording(recording, folder / "run.npz", "", "f", {}, device)
    return folder / "run.npz"


def changed(file: Path, about: Mapping[str, Any] | None = None, **arrays: Any) -> Path:
    """The file, with other entries of its description and other arrays."""
    found = dict(np.load(file))
    described = json.loads(found.pop("about").tobytes()) | dict(about or {})
    write_run(file, found.pop("program").tobytes().decode(), described, found | arrays)
    return file


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path / "data") as client:
        yield client


def sent(client: TestClient, file: Path) -> Any:
    return client.post("/api/pages", files={"file": ("run.npz", file.read_bytes())})


def value(client: TestClient, key: str, address: str = "0.s0.0") -> Any:
    data = client.get(f"/api/recordings/{key}/values/{address}.npy")
    assert data.status_code == 200, data.text
    return np.frombuffer(data.content[-6:], ml_dtypes.bfloat16).tolist()


def test_an_uploaded_recording_shows_its_values_and_makes_no_other_run(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[OpenRequest] = []
    opens = Supervisor.open

    async def noted(self: Supervisor, session: str, request: OpenRequest) -> Any:
        opened.append(request)
        return await opens(self, session, request)

    monkeypatch.setattr(Supervisor, "open", noted)
    answer = sent(client, saved(tmp_path))
    assert answer.status_code == 201, answer.text
    session = answer.json()["id"]
    run = settled(client, session)
    info = client.get(f"/api/sessions/{session}").json()
    assert [title["number"] for title in info["runs"]] == [1]
    assert len(opened) == 1
    assert info["text"] == TEXT
    assert (run["start"]["by"], run["start"]["note"]) == ("a device", "the same")
    assert value(client, run["key"]) == [10, 14, 18]
    assert value(client, run["key"], "0.f0.1") == [4, 5, 6]


def test_serve_opens_a_recording_as_the_server_does(tmp_path: Path) -> None:
    """As a file, from which it makes one session; the Python files beside it may be shown."""
    file = saved(tmp_path)
    assert opened_file(Namespace(file=str(file)), Settings()) == file
    assert _folder_of(file) == tmp_path


def test_a_recording_of_our_engine_opens_with_its_inputs(client: TestClient, tmp_path: Path) -> None:
    run = settled(client, sent(client, saved(tmp_path, device=None)).json()["id"])
    assert run["start"] is None
    assert value(client, run["key"]) == [5, 7, 9]


def test_each_process_of_a_recording_has_its_inputs(client: TestClient, tmp_path: Path) -> None:
    launch = Launch(Grid(2, 1), (tuple(GIVEN), (GIVEN[1], GIVEN[1])))
    run = settled(client, sent(client, saved(tmp_path, launch)).json()["id"])
    assert run["grid"] == {"replicas": 2, "partitions": 1}
    assert value(client, run["key"], "1.s0.0") == [16, 20, 24]


def test_a_recording_opens_once_others_have_left_a_worker(tmp_path: Path) -> None:
    """Its session is stored before, with the file of its values."""
    with taken(tmp_path / "data") as (client, socket):
        session = sent(client, saved(tmp_path)).json()["id"]
        assert client.get(f"/api/sessions/{session}?wait=false").json()["waiting"]
        free(socket)
        run = settled(client, session)
    assert (run["number"], run["start"]["by"]) == (1, "a device")


OTHER: dict[str, dict[str, Any]] = {
    "another form": {"form": 99},
    "half a character": {"device": ABOUT | {"unmodified": "\ud800"}},
    "no facts": {"device": {"computed_by": "a device"}},
    "facts that are none": {"device": ABOUT | {"notes": [1]}},
    "a long name of a device": {"device": ABOUT | {"computed_by": "x" * 1_000}},
    "inputs that are none": {"inputs": 7},
    "processes with other inputs": {"inputs": [[], [{"array": "array_0"}]]},
    "a name that is none": {"inputs": [[{"array": ["array_0"]}]]},
    "a tuple": {"inputs": [[{"tuple": []}]]},
    "values of code": {"feeds": [["infeed", 0, 0, []]]},
    "a grid that is none": {"grid": [0, 10**9]},
    "a file that is none": {"file": 3},
}


def test_a_description_that_is_none_costs_a_sentence(client: TestClient, tmp_path: Path) -> None:
    for case, about in OTHER.items():
        answer = sent(client, changed(saved(tmp_path), about))
        assert answer.status_code == 422, (case, answer.text)
        assert answer.json()["error"]["kind"] == "page", (case, answer.text)
    newer = sent(client, changed(saved(tmp_path), OTHER["another form"])).json()["error"]["message"]
    assert newer.endswith("Install that version, or a later one.")


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (np.array([[0, 0, 99, 0]]), "do not belong"),
        (np.array([[0, 0, 0, 10**6]]), "do not belong"),
        (np.array([[0, 0, 0, -1]]), "do not belong"),
        (np.array([[0, 0, 0.5, 0]]), "do not belong"),
        (np.array([{}], object), "Python objects, which are never read"),
    ],
)
def test_values_that_are_none_are_named_on_the_page(
    client: TestClient, tmp_path: Path, rows: Any, why: str
) -> None:
    """Arrays are read by the worker of the session, and never unpickled."""
    answer = sent(client, changed(saved(tmp_path), None, **{STEPS: rows}))
    assert answer.status_code == 201, answer.text
    info = client.get(f"/api/sessions/{answer.json()['id']}").json()
    assert info["run"] is None
    assert why in info["diagnostics"][0]["message"]


def test_results_that_refer_to_the_same_bytes_are_in_memory_once(tmp_path: Path) -> None:
    """Else a small file would fill the memory of its worker."""
    size, count = 1 << 20, 1_000
    text = TEXT.replace("3xbf16", f"{size}xbf16")
    rows = np.array([[0, step, 0, 0] for step in range(count)])
    found = kept_executor(load_program(text), {STEPS: rows, VALUES: np.zeros(2 * size, np.uint8)}, "a device")
    owners = {
        id(values[0].base if values[0].base is not None else values[0])
        for _, values in found.results.values()
    }
    assert (len(found.results), len(owners)) == (count, 1)


def test_a_public_server_refuses_a_recording_beyond_its_limits(tmp_path: Path) -> None:
    file = saved(tmp_path)
    public: dict[str, Any] = {
        "public": 1,
        "allowed_hosts": "127.0.0.1:8765",
        "max_upload_bytes": 4 << 20,
        "session_memory_bytes": 8 << 20,
    }
    with serving(tmp_path / "data", **public) as client:
        assert settled(client, sent(client, file).json()["id"])["start"]["by"] == "a device"
        bomb = changed(file, about={"version": "0" * (80 << 20)})
        assert bomb.stat().st_size < 1 << 20
        refused = sent(client, bomb)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (422, "page")
        assert "larger than 4,194,304 bytes" in refused.json()["error"]["message"]
        bomb = changed(saved(tmp_path), None, **{VALUES: np.zeros(60 << 20, np.uint8)})
        opened = client.get(f"/api/sessions/{sent(client, bomb).json()['id']}").json()
        assert opened["run"] is None
        assert opened["diagnostics"][0]["label"] == "session_memory_bytes"
        large = tmp_path / "large.npz"
        large.write_bytes(file.read_bytes() + bytes(5 << 20))
        assert sent(client, large).status_code == 413


def test_members_of_other_archives_are_never_unpacked(client: TestClient, tmp_path: Path) -> None:
    """Names are those of arrays, never of files."""
    with zipfile.ZipFile(saved(tmp_path), "a") as archive:
        archive.writestr("../../escaped.npy", b"x")
    refused = sent(client, tmp_path / "run.npz")
    assert refused.status_code == 422
    assert "name is not that of an array" in refused.json()["error"]["message"]
    assert not [*tmp_path.rglob("escaped*")]
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("program.npy", b"cos\nsystem\n")
    assert sent(client, tmp_path / "x.zip").status_code == 422
