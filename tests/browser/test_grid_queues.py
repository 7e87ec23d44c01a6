"""Queues and channels in the browser: a run that waits for its user, items put in by hand, messages on their way."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app.grid_programs import FED, FROM_HOST
from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import show_tab

HANDLE = """channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false,
    source_target_pairs = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>"""

PAIRS = f"""module attributes {{mhlo.num_replicas = 4 : i32}} {{
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {{
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{{{HANDLE}}}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %d = stablehlo.multiply %x, %x : tensor<2x3xf32>
  %r:2 = "stablehlo.recv"(%s) <{{{HANDLE}}}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %g:2 = "stablehlo.infeed"(%r#1) : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %z = stablehlo.add %r#0, %g#0 : tensor<2x3xf32>
  %o = "stablehlo.outfeed"(%z, %g#1) : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  return %z : tensor<2x3xf32>
}}}}
"""
"""0 sends to 1 and 2 to 3, who compute before they come to receive; then all take from the infeed."""


def _at_the_empty_queue(debugger: DebuggerPage) -> Page:
    page = debugger.page
    expect(page.locator(".where .count")).to_contain_text(re.compile(r"of [\d,]+\+?$"))
    debugger.press("F5")
    debugger.stopped("which is empty")
    return page


def _fill(page: Page) -> Locator:
    page.locator(".toolbar").get_by_role("button", name="Fill the queue").click()
    return page.get_by_role("dialog")


def _section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


@pytest.mark.main_path
def test_the_stop_leads_to_the_queue_and_on(paste: Record, tmp_path: Path, axe: Check) -> None:
    page = _at_the_empty_queue(paste(FED))
    dialog = _fill(page)
    expect(dialog).to_contain_text("tensor<2xi32>")
    axe(page, "dialog")
    dialog.get_by_label("Numbers of value").fill("[3, 4]")
    dialog.get_by_role("button", name="Add to the queue").click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".status-line")).to_contain_text("An item was put into the queue infeed")
    DebuggerPage(page).press("F5")
    dialog = _fill(page)  # the second item has two values, here of a file and generated
    np.savez(tmp_path / "item.npz", a=np.array([10, 20], np.int32))
    dialog.locator('input[type="file"]').set_input_files(tmp_path / "item.npz")
    expect(dialog.get_by_label("Source of value 0")).to_have_value("file")
    dialog.get_by_label("Source of value 1").select_option("ones")
    dialog.get_by_role("button", name="Add to the queue").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Fill the queue…")).to_have_count(0)  # nobody waits any more
    expect(page.locator(".where .count")).to_contain_text("of 6")
    DebuggerPage(page).press("F5")
    DebuggerPage(page).stopped("finished")
    show_tab(page, "Queues")
    expect(_section(page, "Queue infeed")).to_contain_text("2 taken")
    given = _section(page, "Queue outfeed of process (0, 0)")
    expect(given).to_contain_text("[13, 24]")
    axe(page, "#panel-queues")
    with page.expect_download() as download:
        given.get_by_role("link", name="Save value 0").click()
    assert np.load(download.value.path()).tolist() == [13, 24]
    given.get_by_role("button", name="Look at value 0").click()
    expect(page.locator(".tensor-header .name")).to_have_text("%2")
    show_tab(page, "Queues")
    expect(given).to_contain_text("nothing given yet, 1 later in the run")


def test_what_does_not_fit_is_said_in_the_dialog(paste: Record) -> None:
    page = _at_the_empty_queue(paste(FROM_HOST))
    show_tab(page, "Queues")
    _section(page, "Queue from the host, channel 3").get_by_role("button", name="Add an item").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Numbers of value").fill("[1, 2, 3]")
    expect(dialog.locator(".alarm")).to_be_visible()
    dialog.get_by_label("Numbers of value").fill("[1, 2]")
    dialog.get_by_role("button", name="Add to the queue").click()
    expect(dialog).to_have_count(0)
    expect(page.locator(".where .reason")).to_have_text(
        re.compile("^Stopped. Current op: line")
    )  # no longer waiting
    expect(_section(page, "Queue from the host, channel 3")).to_contain_text("i32[2]  [1, 2]")
    expect(page.locator(".strip").filter(has_text="[1, 2]")).to_be_visible()
    DebuggerPage(page).press("F5")
    DebuggerPage(page).stopped("finished")
    expect(_section(page, "Queue to the host, channel 4 of process (0, 0)")).to_contain_text("[1, 2]")


def test_messages_on_their_way(page: Page, paste: Record, axe: Check) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    debugger = paste(PAIRS)
    expect(page.locator(".where .count")).to_contain_text("step 0 of")
    debugger.press("F10")
    show_tab(page, "Stage")
    show_tab(page, "Queues")
    channel = _section(page, "Channel 5")
    expect(channel).to_contain_text("2 pending, 0 delivered")
    expect(channel).to_contain_text("sent on line 4; (1, 0) has not arrived to receive it")
    debugger.press("F5")
    expect(channel).to_contain_text("nothing pending, 2 delivered")
    expect(page.get_by_text("wait for an item of the queue infeed").first).to_be_visible()
    page.get_by_role("button", name="Add an item to the queue infeed").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("For").select_option(label="process (2, 0)")
    axe(page, "dialog")
    dialog.get_by_role("button", name="Add to the queue").click()
    expect(_section(page, "Queue infeed of process (2, 0)")).to_contain_text("1 later in the run")
