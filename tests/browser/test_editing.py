"""Editing never alters a run: errors while typing, runs beside each other, breakpoints that move."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.page_frame import console, shown_run

DOUBLE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


WARNED = """func.func @main(%x: tensor<4xi32>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
"""


def _write(debugger: DebuggerPage, text: str) -> None:
    debugger.page.locator(".cm-content").click()
    debugger.press("Control+a")
    debugger.page.keyboard.insert_text(text)


@pytest.mark.main_path
def test_an_error_is_shown_while_typing_and_the_run_stays_and_a_second_one_stands_beside_it(
    record: Record,
) -> None:
    debugger = record(DOUBLE)
    page = debugger.page
    _write(debugger, DOUBLE.replace("negate %0", "negate %7"))
    expect(page.get_by_text(re.compile("%7")).first).to_be_visible()
    expect(page.locator(".cm-lintRange-error")).to_have_text("%7")
    expect(page.get_by_text("changed since run 1")).to_be_visible()
    debugger.press("Control+Enter")
    expect(page.get_by_role("log")).to_contain_text("The program has errors, so it was not run.")
    expect(page.get_by_role("tablist", name="Runs")).to_have_count(0)
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    first = debugger.shown_array()

    _write(debugger, DOUBLE.replace("stablehlo.negate", "stablehlo.abs"))
    debugger.press("Control+Enter")
    expect(shown_run(page)).to_have_text("run 2")
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert (debugger.shown_array() == abs(first)).all(), "the same inputs, another op"
    page.get_by_role("tab", name="run 1").click()
    expect(page).to_have_url(re.compile(r"run=1&step=0"))
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert (debugger.shown_array() == first).all()

    _write(debugger, DOUBLE.replace("stablehlo.negate", "stablehlo.negaet"))
    page.get_by_role("log").get_by_role("button", name="Replace with stablehlo.negate").click()
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    expect(page.locator(".cm-content")).not_to_contain_text("negaet")

    _write(debugger, DOUBLE.replace("4xf32", "5xf32"))
    debugger.press("Control+Enter")
    expect(page.get_by_text(re.compile("type was tensor<4xf32>")).first).to_be_visible()


def test_a_warning_is_shown_and_the_program_runs(record: Record) -> None:
    debugger = record(WARNED)
    page = debugger.page
    expect(page.locator(".cm-lintRange-warning")).to_have_text("stablehlo.compare")
    expect(page.locator(".cm-lint-marker-warning")).to_be_visible()
    expect(page.locator(".status-line")).to_contain_text("line 2")
    problem = console(page).locator("li.warning")
    expect(problem).to_contain_text("stablehlo.compare C3")
    expect(problem).to_contain_text("line 2:8")
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    debugger.choose_variable("%0", "Results")
    assert not debugger.shown_array().any()

    page.reload()
    expect(console(page).locator("li.warning")).to_contain_text("stablehlo.compare C3")
    _write(debugger, WARNED.replace(", TOTALORDER", ""))
    expect(page.locator(".cm-lintRange-warning")).to_have_count(0)
    expect(page.get_by_role("log").locator("li.warning")).to_have_count(0)


def test_breakpoints_move_with_their_lines_and_the_draft_outlives_the_page(record: Record) -> None:
    debugger = record(DOUBLE)
    page = debugger.page
    debugger.toggle_breakpoint(3)
    expect(page.locator(".breakpoint .line")).to_have_text("line 3")
    page.locator(".cm-content").click()
    debugger.press("Control+Home")
    with page.expect_response(lambda answer: answer.url.endswith("/draft")):
        page.keyboard.insert_text("// one line more\n")
    expect(page.locator(".breakpoint .line")).to_have_text("line 4")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("// one line more")
    debugger.press("Control+Enter")
    debugger.at_line(4)
