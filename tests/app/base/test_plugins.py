"""Plugins: the one of examples/plugin, and those that cannot be used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from importlib.metadata import EntryPoint
from pathlib import Path

import httpx
import pytest

import hloscope
from hloscope.app.base import plugins
from hloscope.app.runs.formats.failures import UnreadableProgram
from hloscope.app.runs.formats.reading import read_program
from hloscope.engine.ops.core.op import Array
from hloscope.plugins import CustomCall, CustomCallTarget
from tests.app.base.plugin_folder import PLUGIN, install_plugin
from tests.app.serving import PATIENCE, until

PROGRAM = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @example.swish(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
CHAIN = b"CHN\0" + bytes([2, 3, 1])


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which the plugin counts as installed."""
    folder = tmp_path_factory.mktemp("installed")
    install_plugin(folder)
    return {**os.environ, "PYTHONPATH": str(folder)}


def _hloscope(environment: dict[str, str], folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "hloscope", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_know_the_custom_call(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "swish.mlir").write_text(PROGRAM)
    printed = _hloscope(environment, tmp_path, "run", "swish.mlir", "--input", "[0, 1, -1]")
    assert "0.000000e+00, 0.731058597, -0.268941432" in printed
    maps = _hloscope(environment, tmp_path, "maps", "swish.mlir")
    assert "operand id = 0 (d0) -> (d0), domain: d0 in [0, 2]" in maps


def test_commands_read_the_imported_form(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "f.chain").write_bytes(CHAIN)
    printed = _hloscope(environment, tmp_path, "print", "f.chain")
    assert re.findall(r"stablehlo\.\w+", printed) == ["stablehlo.negate", "stablehlo.exponential"]


def test_the_doctor_lists_plugins(environment: dict[str, str], tmp_path: Path) -> None:
    text = _hloscope(environment, tmp_path, "doctor", "--json", "--set", f"data_dir={tmp_path}")
    found = [check["found"] for check in json.loads(text) if check["name"] == "plugin hloscope-example"]
    assert found == ["custom_calls: example.swish", "importers: chain", "panels: visited"]


def test_the_server_runs_imports_and_serves(environment: dict[str, str], tmp_path: Path) -> None:
    settings = {"HLOSCOPE_DATA_DIR": str(tmp_path / "data"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "hloscope", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment | settings, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            found = re.fullmatch(
                r"hloscope is at ((http://[\d.:]+)/\?token=\S+)\n", process.stdout.readline()
            )
            assert found
            with httpx.Client(base_url=found[2], headers={"Origin": found[2]}, timeout=PATIENCE) as client:
                client.get(found[1], follow_redirects=True)
                session = client.post("/api/sessions", json={"text": PROGRAM}).json()["id"]
                until(lambda: client.get(f"/api/sessions/{session}").json()["run"]["state"]["kind"] == "done")
                (data,) = re.findall(
                    r'<pre hidden id="data">(.*?)</pre>', client.get(f"/s/{session}").text, re.DOTALL
                )
                (panel,) = json.loads(unescape(data))["plugins"]
                assert panel == {
                    "name": "visited",
                    "title": "Visited",
                    "dock": "stage",
                    "module": "/static/plugins/visited/visited.js",
                }
                module = client.get(panel["module"])
                assert module.headers["content-type"].startswith("text/javascript")
                assert module.content == (PLUGIN / "src/hloscope_example/panel/visited.js").read_bytes()
                imported = client.post("/api/sessions/from-file", files={"file": ("f.chain", CHAIN)})
                assert imported.status_code == 201, imported.text
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("group", "value", "sentence"),
    [
        (plugins.PANELS, "no_such_module:PANEL", "cannot be loaded: ModuleNotFoundError"),
        (plugins.PANELS, "json:dumps", "json:dumps is a function, not a Panel"),
        (plugins.CUSTOM_CALLS, "json:dumps", "json:dumps is a function, not a Target"),
    ],
)
def test_an_extension_that_cannot_be_used_is_explained(group: str, value: str, sentence: str) -> None:
    with pytest.raises(plugins.PluginError, match=re.escape(sentence)):
        plugins.load_extension(EntryPoint("name", value, group))


def test_a_broken_plugin_is_logged_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = EntryPoint("broken", "no_such_module:PANEL", plugins.PANELS)
    monkeypatch.setattr(plugins, "entry_points_of", lambda group: (broken,))
    assert plugins.page_panels() == []
    assert "no_such_module:PANEL cannot be loaded" in caplog.text


def test_a_failure_of_a_custom_call_stops_the_program_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(call: CustomCall, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        raise KeyError("table")

    entry = EntryPoint("example.fails", "example:FAILS", plugins.CUSTOM_CALLS)
    monkeypatch.setattr(plugins, "entry_points_of", lambda group: (entry,))
    monkeypatch.setattr(plugins, "_loaded", lambda entry: CustomCallTarget(fail))
    with pytest.raises(
        hloscope.ProgramError, match=r"@example\.fails of the plugin .* failed: KeyError: 'table'"
    ):
        hloscope.run(PROGRAM.replace("example.swish", "example.fails"), [[1, 2, 3]])


def test_a_damaged_file_of_an_importer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(data: bytes) -> str:
        raise ValueError("there is no op 9")

    importer = plugins.Importer("a chain of ops", lambda data: True, refuse)
    monkeypatch.setattr("hloscope.app.runs.formats.reading.find_importer", lambda data: importer)
    with pytest.raises(
        UnreadableProgram, match=r"f\.chain is a chain of ops that cannot be read: there is no op 9"
    ):
        read_program(b"CHN\0\x02\x09", "f.chain")
