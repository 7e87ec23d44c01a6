"""Editing never alters a run: errors while typing, runs beside each other, breakpoints that move, endless loops."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.debugger_page import DebuggerPage

DOUBLE = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""

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

TOO_LARGE = """func.func @main() -> tensor<1000000x1000000xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0]
    : (tensor<1000000x1000000xf32>, tensor<1000000x1000000xf32>) -> tensor<1000000x1000000xf32>
  return %1 : tensor<1000000x1000000xf32>
}
"""


@pytest.fixture
def paste(open_page: Callable[[str], Page]) -> Callable[[str], DebuggerPage]:
    """Pastes a program into the opening page, and opens it."""

    def open_program(text: str) -> DebuggerPage:
        page = open_page("/")
        page.get_by_role("textbox").first.fill(text)
        page.get_by_role("button", name="Open in the debugger").click()
        page.wait_for_url(re.compile("/s/"))
        expect(page.locator(".cm-content")).to_contain_text("func.func")
        return DebuggerPage(page)

    return open_program


def _write(debugger: DebuggerPage, text: str) -> None:
    debugger.page.locator(".cm-content").click()
    debugger.press("Control+a")
    debugger.page.keyboard.insert_text(text)


def test_an_error_is_shown_while_typing_and_the_run_stays(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(DOUBLE)
    debugger.wait_until_recorded()
    page = debugger.page
    _write(debugger, DOUBLE.replace("negate %0", "negate %7"))
    expect(page.get_by_text(re.compile("%7")).first).to_be_visible()
    expect(page.locator(".cm-lintRange-error")).to_have_text("%7")
    expect(page.get_by_text("changed since run 1")).to_be_visible()

    debugger.press("Control+Enter")
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert debugger.shown_array().shape == (4,)
    expect(page.get_by_label("Run that is shown")).to_have_count(0)


def test_a_second_run_stands_beside_the_first(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(DOUBLE)
    debugger.wait_until_recorded()
    page = debugger.page
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    first = debugger.shown_array()

    _write(debugger, DOUBLE.replace("stablehlo.negate", "stablehlo.abs"))
    debugger.press("Control+Enter")
    runs = page.get_by_label("Run that is shown")
    expect(runs).to_have_value("2")
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert (debugger.shown_array() == abs(first)).all(), "the same inputs, another op"

    runs.select_option("1")
    expect(page.get_by_text(re.compile("run 1")).first).to_be_visible()
    debugger.press("F11")
    debugger.choose_variable("%1", "Results")
    assert (debugger.shown_array() == first).all()


def test_inputs_that_fit_no_more_are_named(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(DOUBLE)
    debugger.wait_until_recorded()
    _write(debugger, DOUBLE.replace("4xf32", "5xf32"))
    debugger.press("Control+Enter")
    expect(debugger.page.get_by_text(re.compile("type was tensor<4xf32>")).first).to_be_visible()


def test_breakpoints_move_with_their_lines(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(DOUBLE)
    debugger.wait_until_recorded()
    debugger.toggle_breakpoint(3)
    expect(debugger.page.locator(".breakpoint .line")).to_have_text("line 3")
    debugger.page.locator(".cm-content").click()
    debugger.press("Control+Home")
    debugger.page.keyboard.insert_text("// one line more\n")
    expect(debugger.page.locator(".breakpoint .line")).to_have_text("line 4")
    debugger.press("Control+Enter")
    debugger.at_line(4)


def test_the_draft_outlives_the_page(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(DOUBLE)
    debugger.wait_until_recorded()
    with debugger.page.expect_response(lambda answer: answer.url.endswith("/draft")):
        _write(debugger, DOUBLE + "// remembered\n")
    debugger.page.reload()
    expect(debugger.page.locator(".cm-content")).to_contain_text("// remembered")


def test_an_endless_loop_can_be_paused_and_others_go_on(
    paste: Callable[[str], DebuggerPage], open_page: Callable[[str], Page]
) -> None:
    debugger = paste(ENDLESS)
    expect(debugger.page.locator(".where .count")).to_contain_text("+")
    debugger.press("F5")
    pause = debugger.page.get_by_role("button", name=re.compile("[Pp]ause")).first
    expect(pause).to_be_visible()
    pause.click()
    debugger.stopped("aused")
    step = debugger.step
    debugger.press("Alt+Shift+F11")
    assert debugger.step == step - 1
    other = paste(DOUBLE)
    other.wait_until_recorded()


def test_an_op_that_is_too_large_is_refused_at_its_line(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(TOO_LARGE)
    expect(debugger.page.get_by_text(re.compile("Failed on line 3.*op_flops")).first).to_be_visible()
    debugger.press("F5")
    debugger.at_line(3)
    debugger.stopped("op_flops")
