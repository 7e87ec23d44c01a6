"""The server that Python code finds or starts, and sessions in it. No JAX is needed for text."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.base.settings import Settings
from hloscope.app.python.local_client import LocalClient, ServerRefused
from hloscope.app.web.local_server import (
    _STARTED,
    ADDRESS_FILE,
    LOG,
    NoServer,
    find_server,
    local_server,
    stop_server,
)
from tests.app.serving import until

ADD = """func.func @main(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.add %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
"""


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    """Wait for the servers that the module has told to end, or Python warns of them when it exits."""
    yield
    for process in _STARTED:
        process.wait()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("data")
    os.environ["HLOSCOPE_DATA_DIR"] = str(folder)
    try:
        yield Settings.load()
        stop_server(Settings.load())
    finally:
        del os.environ["HLOSCOPE_DATA_DIR"]


def test_a_server_is_started_once_and_found_again(settings: Settings) -> None:
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: local_server(settings), range(3))
    assert all(other == first for other in others)
    assert find_server(settings) == first
    place = settings.data_folder() / ADDRESS_FILE
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert first.pid != os.getpid()
    assert first.token in first.url("/s/x")


def test_text_is_opened_with_its_inputs(settings: Settings) -> None:
    session = hloscope.debug(ADD, np.arange(3, dtype=np.float32), 10, open=False)
    assert session.wait(60) == "done"
    info = session._client.info(session.id)
    assert [argument["input"]["kind"] for argument in info["run"]["arguments"]] == ["file", "file"]
    assert len(info["runs"]) == 1
    assert session.recording["%1"].numpy().tolist() == [10, 11, 12]
    session.goto("%1")
    assert session._client.info(session.id)["position"]["step"] == 1
    shown, _ = session._repr_mimebundle_()
    assert session._client.server.token not in str(shown)
    assert session.id in shown["text/html"]
    session.close()
    with pytest.raises(ServerRefused, match="no such session"):
        session._client.info(session.id)


def test_inputs_may_be_left_to_the_page(settings: Settings) -> None:
    with hloscope.debug(ADD, open=False) as session:
        assert session.wait(60) == "done"
        info = session._client.info(session.id)
    assert {argument["input"]["kind"] for argument in info["run"]["arguments"]} == {"normal"}


def test_each_process_has_its_own_input(settings: Settings) -> None:
    text = "HloModule m, replica_count=2\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT r = f32[2] negate(x)\n}\n"
    with hloscope.debug(text, hloscope.Each([[1.0, 2.0], [3.0, 4.0]]), open=False) as session:
        assert session.wait(60) == "done"
        (argument,) = session._client.info(session.id)["run"]["arguments"]
        assert argument["input"]["kind"] == "each"
        assert [value.numpy().tolist() for value in session.recording.values("r")] == [[-1, -2], [-3, -4]]


def test_files_and_wrong_programs(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "add.mlir").write_text(ADD)
    with hloscope.debug(tmp_path / "add.mlir", open=False) as session:
        assert session.name == "add.mlir"
    with pytest.raises(hloscope.WrongProgram):
        hloscope.debug("func.func @main(", open=False)
    with pytest.raises(hloscope.ProgramError, match="takes 2 inputs, not 1"):
        hloscope.debug(ADD, [1, 2, 3], open=False)
    with pytest.raises(hloscope.ProgramError, match="the inputs of a text have no names"):
        hloscope.debug(ADD, x=1, open=False)
    with pytest.raises(hloscope.ProgramError, match="is not a program"):
        hloscope.debug(7, open=False)
    with pytest.raises(hloscope.ProgramError, match="the passes are those that XLA runs"):
        hloscope.debug(ADD, stage="passes", open=False)


def test_a_server_of_another_version_or_one_that_is_gone_is_not_asked(settings: Settings) -> None:
    place = settings.data_folder() / ADDRESS_FILE
    told = place.read_text()
    try:
        for changed in ({"build": "other"}, {"token": "x" * 20}, {"port": 1}):
            place.write_text(json.dumps({**json.loads(told), **changed}))
            assert find_server(settings) is None
        for damaged in ("", "[]", "{}", '{"port": "x"}'):
            place.write_text(damaged)
            assert find_server(settings) is None
    finally:
        place.write_text(told)


def test_the_server_ends_when_it_is_told_to(settings: Settings) -> None:
    found = local_server(settings)
    assert hloscope.stop_local_server()
    assert find_server(settings) is None
    assert not (settings.data_folder() / ADDRESS_FILE).exists()
    assert not hloscope.stop_local_server()
    with pytest.raises(ServerRefused, match="does not answer"):
        LocalClient(found).info("x")


def test_the_server_ends_when_nobody_has_come_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HLOSCOPE_END_IDLE_S", "1")
    monkeypatch.setenv("HLOSCOPE_DATA_DIR", str(tmp_path))
    found = local_server(Settings.load())
    until(lambda: not (tmp_path / ADDRESS_FILE).exists())  # to ask it would keep it awake
    assert not found.answers()


def test_why_a_server_does_not_start_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLOSCOPE_TOKEN", "short")
    settings = Settings.load([f"data_dir={tmp_path}"])
    with pytest.raises(NoServer, match="the setting token wants at least 16"):
        local_server(settings)
    assert (tmp_path / LOG).exists()
