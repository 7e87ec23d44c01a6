"""Memory: the curve with its peak, the buffers at the position as ways to their values, and collectives."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

LOOP = """HloModule jit_f, is_scheduled=true
cond {
  %c = (s32[], f32[1024]{0}) parameter(0)
  %ci = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(3)
  ROOT %less = pred[] compare(%ci, %n), direction=LT
}
body {
  %b = (s32[], f32[1024]{0}) parameter(0)
  %bi = s32[] get-tuple-element(%b), index=0
  %bx = f32[1024]{0} get-tuple-element(%b), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%bi, %one)
  %wide = f32[4096]{0} concatenate(%bx, %bx, %bx, %bx), dimensions={0}
  %y = f32[1024]{0} slice(%wide), slice={[1024:2048]}
  ROOT %bt = (s32[], f32[1024]{0}) tuple(%next, %y)
}
ENTRY e {
  %p = f32[1024]{0} parameter(0)
  %zero = s32[] constant(0)
  %i0 = s32[] copy(%zero)
  %x0 = f32[1024]{0} copy(%p)
  %t = (s32[], f32[1024]{0}) tuple(%i0, %x0)
  %w = (s32[], f32[1024]{0}) while(%t), condition=cond, body=body
  %r = f32[1024]{0} get-tuple-element(%w), index=1
  ROOT %q = f32[1024]{0} negate(%r)
}
"""
GATHERED = """module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
}
"""


def _opened(debugger: DebuggerPage) -> Page:
    debugger.wait_until_recorded()
    settle(debugger.page)
    show_tab(debugger.page, "Memory")
    settle(debugger.page)
    return debugger.page


@pytest.mark.main_path
def test_the_peak_and_what_fills_it(paste: Callable[[str], DebuggerPage], axe: Check) -> None:
    debugger = paste(LOOP)
    page = _opened(debugger)
    panel = page.locator(".memory")
    expect(panel.get_by_role("status")).to_have_text(
        "Peak 24 KiB at line 14, %wide: arguments 4 KiB, results 0 B, temporaries 20 KiB."
    )
    panel.get_by_role("button", name="Go to peak").click()
    settle(page)
    debugger.at_line(14)
    rows = panel.locator(".memory-live li")
    expect(rows).to_have_text(
        [
            re.compile("16 KiB%wide.*temporary"),
            re.compile("4 KiB%p.*argument"),
            re.compile("4 KiB%x0.*temporary"),
            re.compile("4 B%i0.*temporary"),
        ]
    )
    axe(page, "#panel-memory")
    rows.nth(2).get_by_role("button").click()
    settle(page)
    debugger.at_line(22)
    expect(page.locator(".tensor-header .name")).to_have_text("%x0")


def test_the_curve_is_a_slider_over_the_schedule(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(LOOP)
    page = _opened(debugger)
    curve = page.get_by_role("slider", name="Live bytes over the schedule")
    expect(curve).to_have_attribute("aria-valuetext", "4 KiB live at line 20")
    box = box_of(curve)
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 40)
    settle(page)
    expect(page.locator(".where .count")).to_contain_text("step ")
    expect(curve).to_have_attribute("aria-valuetext", re.compile("live at line 26|live at line 27"))
    curve.focus()
    page.keyboard.press("Home")
    settle(page)
    debugger.at_line(20)
    page.keyboard.press("ArrowRight")
    settle(page)
    debugger.at_line(21)
    expect(curve).to_have_attribute("aria-valuetext", re.compile("live at line 21"))


def test_the_timeline_draws_live_bytes_while_the_panel_is_open(paste: Callable[[str], DebuggerPage]) -> None:
    page = _opened(paste(LOOP))
    canvas = page.locator(".timeline canvas")
    with_curve = canvas.screenshot()
    show_tab(page, "Tensor")
    settle(page)
    assert canvas.screenshot() != with_curve


def test_collectives_are_listed_with_what_they_send(paste: Callable[[str], DebuggerPage]) -> None:
    page = _opened(paste(GATHERED))
    panel = page.locator(".memory")
    collectives = panel.get_by_role("region", name="Collectives")
    expect(collectives).to_contain_text("1 collective: a process sends")
    expect(collectives.get_by_role("listitem")).to_contain_text("all_gather %1")


def test_two_programs_are_compared(paste: Callable[[str], DebuggerPage], axe: Check) -> None:
    """The second program is typed over the first one and run; the panel compares them, whichever is shown."""
    debugger = paste(GATHERED)
    page = _opened(debugger)
    difference = page.get_by_role("region", name="Difference of two runs")
    expect(difference).to_have_count(0)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(GATHERED.replace("4xf32", "16xf32").replace("8xf32", "32xf32"))
    expect(page.locator(".changed")).to_be_visible()
    settle(page)
    page.keyboard.press("Control+Enter")
    expect(difference.get_by_role("heading", name="From run 1 to run 2")).to_be_visible()
    rows = difference.get_by_role("row")
    expected = [
        "Run 1Run 2Change",
        "peak64 B256 B+192 B, +300 %",
        "sent by a process16 B64 B+48 B, +300 %",
        "all_gather11",
    ]
    expect(rows).to_have_text(expected)
    expect(difference.get_by_role("heading", name="Only at the peak of run 2")).to_be_visible()
    axe(page, "#panel-memory")
    page.get_by_role("tab", name="Run 1").click()
    expect(page.locator(".memory").get_by_role("status")).to_contain_text("Peak 64 B")
    expect(rows).to_have_text(expected)
