"""Loops: each iteration is a frame; long ones are recorded while one looks; endless ones can be stopped."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage, Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.page_frame import console
from tests.browser.settling import FRAME, settle, show_tab
from tests.server_process import Server

ENDLESS = """func.func @main() -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      stablehlo.return %true : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
  return %0 : tensor<i32>
}
"""

NEGATE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

TOO_LARGE = """func.func @main() -> tensor<1000000x1000000xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0]
    : (tensor<1000000x1000000xf32>, tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  return %1 : tensor<1000000x1000000xf32>
}
"""


def _line(words: str) -> int:
    return 1 + next(number for number, line in enumerate(text_of("newton").splitlines()) if words in line)


@pytest.mark.main_path
def test_every_iteration_has_its_frame_and_its_values_and_the_timeline_is_walked_by_keys(
    record: Record,
) -> None:
    newton = record(text_of("newton"))
    better = _line("%better =")
    newton.toggle_breakpoint(better)
    guess, half = np.float32(2), np.float32(0.5)
    frame = newton.page.locator(".frame.current .title")
    for iteration in range(3):
        newton.press("F5")
        newton.at_line(better)
        expect(frame).to_have_text(f"while body · iteration {iteration} of 4")
        guess = (guess + np.float32(2) / guess) * half
        newton.choose_variable("%better", "Results")
        expect(newton.page.locator(".tensor-scalar")).to_have_text(re.compile(r"^[\d.]+$"))
        assert np.float32(newton.page.locator(".tensor-scalar").inner_text()) == guess
    newton.press("Alt+Shift+F5")
    expect(frame).to_have_text("while body · iteration 1 of 4")
    newton.press("Shift+F11")
    newton.at_line(_line("  return %root"))
    expect(frame).to_have_text("@main")

    timeline = newton.page.get_by_role("slider", name="Timeline")
    timeline.press("End")
    last = int(timeline.get_attribute("aria-valuemax") or 0)
    assert last > 20
    expect(timeline).to_have_attribute("aria-valuenow", str(last))
    newton.stopped("The program has finished")
    for keys, step in (
        ("ArrowLeft", last - 1),
        (",", last - 2),
        ("ArrowDown", last - 3),
        ("Home", 0),
        (".", 1),
        ("ArrowUp", 2),
        ("PageDown", 0),
    ):
        timeline.press(keys)
        expect(timeline).to_have_attribute("aria-valuenow", str(step))
        expect(timeline).to_have_attribute("aria-valuetext", re.compile(f"^step {step:,} of {last:,}"))


def test_an_endless_loop_can_be_paused_and_others_go_on(
    paste: Record, new_page: NewPage, server: Server
) -> None:
    debugger = paste(ENDLESS)
    page = debugger.page
    expect(page.locator(".where .count")).to_contain_text("+")
    debugger.press("F5")
    progress = page.get_by_role("status").filter(has=page.get_by_role("progressbar"))
    expect(progress).to_contain_text(re.compile(r"Still recording: [\d,]+ steps so far"))
    before = progress.inner_text()
    expect(progress).not_to_have_text(before)
    page.evaluate(FRAME)  # the page answers meanwhile

    other = DebuggerPage.opened(new_page(), server, NEGATE)
    other.choose_variable("%0", "Results")

    progress.get_by_role("button", name="Pause").click()
    debugger.stopped("Paused at the last recorded step")
    expect(progress).to_have_count(0)
    expect(console(page)).to_contain_text("Paused at the last recorded step")
    step = debugger.step
    assert step > 1000
    debugger.press("Alt+Shift+F11")
    debugger.at_step(step - 1)

    show_tab(page, "Steps")
    steps = page.get_by_role("listbox", name="Steps")
    expect(steps.get_by_role("option", selected=True)).to_contain_text(f"{step - 1:,}")
    assert steps.get_by_role("option").count() < 100, "of a long list only what is seen exists"
    steps.press("Home")
    expect(steps.get_by_role("option", selected=True)).to_contain_text("constant")
    debugger.at_step(0)


def test_an_op_that_is_too_large_is_refused_at_its_line(paste: Record) -> None:
    debugger = paste(TOO_LARGE)
    expect(debugger.page.get_by_text(re.compile("Failed on line 3.*op_flops")).first).to_be_visible()
    settle(debugger.page)  # also the picture of the huge constant is there
    debugger.press("F5")
    debugger.at_line(3)
    debugger.stopped("op_flops")
