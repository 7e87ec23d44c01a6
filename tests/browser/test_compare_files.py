"""Files as the other run in the Compare tab: values, a folder of probes or a zip of it, programs; chosen and dropped."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import FilePayload, Page, expect

from hloscope.app.cli.main import main
from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.dropping import drop_files
from tests.browser.settling import settle, show_tab
from tests.browser.test_compare import OTHER, PROGRAM
from tests.passes.test_saved_buffers import buffer

PROBED = """\
func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<[0.5, 1.0, 1.5, 2.0]> : tensor<4xf32>
  %a = stablehlo.exponential %x : tensor<4xf32>
  %b = stablehlo.multiply %a, %x : tensor<4xf32>
  return %b : tensor<4xf32>
}
"""
WITH_PROBES = """\
func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<[0.5, 1.0, 1.5, 2.0]> : tensor<4xf32>
  %a = stablehlo.exponential %x : tensor<4xf32>
  %a1 = interpreter.probe %a, probe_id = "%a" : tensor<4xf32>
  %b = stablehlo.add %a, %x : tensor<4xf32>
  %b1 = interpreter.probe %b, probe_id = "%b" : tensor<4xf32>
  return %b : tensor<4xf32>
}
"""


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    """A folder of probes of a run in which `%b` is a sum and not a product."""
    program, folder = tmp_path / "probed.mlir", tmp_path / "probes"
    program.write_text(WITH_PROBES)
    assert main(["run", str(program), "--probe-dir", str(folder)]) == 0
    return folder


def compare_tab(debugger: DebuggerPage) -> Page:
    """The Compare tab of a session with one run."""
    page = debugger.page
    show_tab(page, "Compare")
    settle(page)
    return page


def told(page: Page, words: str) -> None:
    """What the tab comes to say of both runs."""
    expect(page.locator(".compare-sentence")).to_contain_text(words)
    settle(page)


def test_a_folder_of_probes_and_a_zip_of_it_are_the_other_run(record: Record, probes: Path) -> None:
    page = compare_tab(record(PROBED))
    drop_files(page.locator(".compare-drop"), [probes])
    told(page, "1 of 2 values differs beyond rounding; first: %b multiply, line 4")
    expect(page.locator(".compare-columns")).to_contain_text("the other values")
    expect(page.locator(".compare-pictures canvas")).to_have_count(3)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for probe in sorted(probes.iterdir()):
            archive.write(probe, f"probes/{probe.name}")
    page = compare_tab(record(PROBED + "// again"))
    file: FilePayload = {"name": "probes.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    page.get_by_label("Values to add").set_input_files(file)
    told(page, "first: %b multiply, line 4")


def test_values_and_programs_are_dropped(record: Record, tmp_path: Path, axe: Check) -> None:
    page = compare_tab(record(PROGRAM))
    np.savez(tmp_path / "gpu.npz", **{"%d": np.full((4, 6), 77, np.float32)})  # type: ignore[arg-type]
    drop_files(page.locator(".compare-drop"), [tmp_path / "gpu.npz"])
    told(page, "first: %d add, line 5")
    (tmp_path / "other.mlir").write_text(OTHER)
    drop_files(page.locator(".compare-drop"), [tmp_path / "other.mlir"])
    expect(page.get_by_role("tab", name="run 2")).to_have_attribute("aria-selected", "true")
    told(page, "2 of 6 values differ beyond rounding; first: %d add, line 5")
    (tmp_path / "host-1-1.tfrecord").write_bytes(buffer("d", np.full((4, 6), 76, np.float32)))
    drop_files(page.locator(".compare-drop"), [tmp_path / "host-1-1.tfrecord"])
    told(page, "1 of 1 value differs beyond rounding; first: %d")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    drop_files(page.locator(".compare-drop"), [tmp_path / "notes.pdf"])
    expect(page.get_by_text("notes.pdf cannot be compared: drop values as .npz").first).to_be_visible()
    axe(page, "#panel-compare")
