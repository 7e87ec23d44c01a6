"""Where the inputs of a run come from, and what the tensor view says of a value: a file, typed numbers, statistics."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from tests.browser.conftest import Check, Complaints, OpenPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.page_frame import shown_run
from tests.browser.settling import settle

ADD = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""


@pytest.fixture
def add(open_page: OpenPage, tmp_path: Path) -> DebuggerPage:
    """The program, opened as a file."""
    file = tmp_path / "add.mlir"
    file.write_text(ADD)
    page = open_page("/")
    page.locator('input[type="file"]').first.set_input_files(file)
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    expect(page.get_by_role("heading", name="add.mlir")).to_be_visible()
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    return debugger


def _runs(debugger: DebuggerPage) -> None:
    """Waits for the second run. While the dialog is open, the page ignores its keys."""
    expect(debugger.page.get_by_role("dialog")).to_have_count(0)
    expect(shown_run(debugger.page)).to_have_text("run 2")


def _sum(debugger: DebuggerPage) -> NDArray[Any]:
    _runs(debugger)
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    return debugger.shown_array()


@pytest.mark.main_path
def test_numbers_are_typed_and_mistakes_and_wrong_files_are_said(
    add: DebuggerPage, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.allow("status of 4")
    (tmp_path / "inputs.npz").write_bytes(b"PK not really")
    page = add.page
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    with page.expect_response(lambda answer: answer.url.endswith("/files")) as answer:
        dialog.locator('input[type="file"]').set_input_files(tmp_path / "inputs.npz")
    assert 400 <= answer.value.status < 500
    expect(dialog.get_by_role("status").first).to_contain_text(re.compile("npz|npy|zip", re.IGNORECASE))
    dialog.get_by_label("Source of argument 0, x").select_option("ones")
    dialog.get_by_label("Source of argument 1, y").select_option("dense")
    typed = dialog.get_by_label("Numbers of argument 1, y")
    typed.fill("[1, 2]")
    expect(dialog.locator(".alarm")).to_be_visible()
    typed.fill("[1, 2, 3]")
    expect(dialog.locator(".alarm")).to_have_count(0)
    dialog.get_by_role("button", name="Run with these inputs").click()
    assert _sum(add).tolist() == [[2, 3, 4], [2, 3, 4]]


def test_a_run_with_other_inputs_is_not_paused_by_the_page(add: DebuggerPage) -> None:
    page = add.page
    with page.expect_websocket() as live:
        page.reload()
    sent: list[str] = []
    live.value.on("framesent", lambda frame: sent.append(str(frame)))
    add.wait_until_recorded()
    page.get_by_role("button", name="Inputs").click()
    with page.expect_response(re.compile(r"/runs\?once=true$")):
        page.get_by_role("dialog").get_by_role("button", name="Run with these inputs").click()
    settle(page)
    with live.value.expect_event("framesent", lambda frame: '"step":1' in str(frame)):
        add.press("F10")
    assert not [frame for frame in sent if '"pause"' in frame]


def test_arrays_of_a_file_find_their_arguments(add: DebuggerPage, tmp_path: Path, axe: Check) -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([10, 20, np.nan], np.float32)
    np.savez(tmp_path / "inputs.npz", in_0=x, in_1=y)
    page = add.page
    page.get_by_role("button", name="Random inputs").click()
    dialog = page.get_by_role("dialog")
    dialog.locator('input[type="file"]').set_input_files(tmp_path / "inputs.npz")
    expect(dialog.get_by_label("Source of argument 0, x")).to_have_value("file")
    expect(dialog.get_by_label("Source of argument 1, y")).to_have_value("file")
    axe(page, "dialog")
    dialog.get_by_role("button", name="Run with these inputs").click()
    assert np.array_equal(_sum(add), x + y, equal_nan=True)
    statistics = page.locator(".tensor")
    for words in (r"max\s*24", r"min\s*10"):
        expect(statistics).to_contain_text(re.compile(words))
    expect(statistics).to_contain_text("NaN")
    expect(page.get_by_role("button", name="Inputs", exact=True), "none is random").to_be_visible()


CLASH = """func.func @main(%t: !stablehlo.token, %x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %z : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""


def test_sizes_that_clash_are_said_and_typed_and_tokens_need_nothing(
    open_page: OpenPage,
) -> None:
    page = open_page("/")
    DebuggerPage.pasted(page, CLASH)
    told = "%x and %z were made up, 4 for each unstated size: %z=normal[8] goes further"
    expect(page.get_by_text(told).first).to_be_visible()
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("there without being given")).to_have_count(1)
    expect(dialog.get_by_label("Source of argument 0, t")).to_have_count(0)
    dialog.get_by_label("Source of argument 3, z").select_option("dense")
    dialog.get_by_label("Numbers of argument 3, z").fill("normal[8]")
    dialog.get_by_role("button", name="Run with these inputs").click()
    debugger = DebuggerPage(page)
    _runs(debugger)
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert debugger.shown_array().size == 8
