"""Breakpoints as a debugger has them: of every kind, with conditions, forwards and backwards, by keys and mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle
from tests.browser.test_compare import PROGRAM, with_other

TRAINING = """
func.func @main(%w0: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %steps = stablehlo.constant dense<40> : tensor<i32>
  %rate = stablehlo.constant dense<2.1> : tensor<4xf32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %w = %w0) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %steps, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %square = stablehlo.multiply %w, %w : tensor<4xf32> loc("jit(train)/loss/mul"("train.py":12:8))
      %loss = stablehlo.reduce(%square init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("jit(train)/loss/sum"("train.py":12:3))
      %step = func.call @gradient(%w, %rate) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %next = stablehlo.subtract %w, %step : tensor<4xf32> loc("jit(train)/update/sub"("train.py":15:3))
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %next : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}
func.func private @gradient(%w: tensor<4xf32>, %rate: tensor<4xf32>) -> tensor<4xf32> {
  %g = stablehlo.multiply %w, %rate : tensor<4xf32> loc("jit(train)/update/mul"("train.py":14:8))
  return %g : tensor<4xf32>
}
""".lstrip()
LOSS = 13


@pytest.fixture
def training(record: Record) -> DebuggerPage:
    return record(TRAINING)


def _add(page: Page, text: str) -> None:
    page.get_by_role("button", name="Add a breakpoint").click()
    page.get_by_role("menuitem", name=re.compile(rf"^{text}")).first.click()
    settle(page)


def _row(page: Page, title: str) -> Locator:
    return page.locator(".breakpoint").filter(
        has=page.get_by_role("button", name=f"Edit the breakpoint: {title}")
    )


def _edit_condition(debugger: DebuggerPage, line: int) -> Locator:
    """From the margin of the program to the field of the condition, which has the focus."""
    number = debugger.page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text(str(line), exact=True)
    number.scroll_into_view_if_needed()
    settle(debugger.page)
    box, gutter = box_of(number), box_of(debugger.page.locator(".cm-marks").first)
    debugger.page.mouse.click(gutter["x"] + gutter["width"] / 2, box["y"] + box["height"] / 2, button="right")
    debugger.page.get_by_role("menuitem", name="Edit condition…").click()
    field = debugger.page.get_by_role("combobox", name=f"Condition: line {line}")
    expect(field).to_be_focused()
    settle(debugger.page)
    return field


def _continue(debugger: DebuggerPage) -> int:
    settle(debugger.page)
    debugger.press("F5")
    settle(debugger.page)
    return debugger.step


def _finish(debugger: DebuggerPage) -> None:
    """Continue to the end: nothing stops."""
    debugger.press("F5")
    debugger.stopped("The program has finished")


def _back(debugger: DebuggerPage) -> int:
    debugger.press("Alt+Shift+F5")
    settle(debugger.page)
    return debugger.step


def _stops_both_ways(debugger: DebuggerPage, count: int) -> list[int]:
    """The next stops, which are the same backwards."""
    forwards = [_continue(debugger) for _ in range(count)]
    assert forwards == sorted(set(forwards))
    assert [_back(debugger) for _ in range(count - 1)] == forwards[-2::-1]
    return forwards


@pytest.mark.main_path
def test_a_condition_on_a_loss_stops_forwards_and_backwards(training: DebuggerPage, axe: Check) -> None:
    """The story of a new user: right click, "Edit condition…", type, F5."""
    page = training.page
    _edit_condition(training, LOSS)
    page.keyboard.type("%loss > 10")
    page.keyboard.press("F5")
    training.stopped("at the breakpoint on line 13, where %loss > 10")
    first = training.step
    assert _stops_both_ways(training, 2)[0] > first
    assert [_back(training), _back(training)] == [first, 0]
    expect(page.locator(".cm-marks .dot.conditional")).to_have_count(1)
    axe(page, ".section:has(.breakpoint)")

    field = page.get_by_role("combobox", name=f"Condition: line {LOSS}")
    field.fill("%loss > 10 and iteration % 10 == 0")
    assert _continue(training) > first
    training.stopped("where %loss > 10 and iteration % 10 == 0")
    page.get_by_role("textbox", name=f"Hit count: line {LOSS}").fill("2")
    second = _continue(training)
    page.wait_for_url(re.compile(rf"\bstep={second}\b"))  # written shortly after the step
    page.reload()
    settle(page)
    expect(field).to_have_value("%loss > 10 and iteration % 10 == 0")
    expect(page.get_by_role("textbox", name=f"Hit count: line {LOSS}")).to_have_value("2")
    training.at_step(second)


def test_an_error_is_shown_at_the_condition_before_it_is_used(training: DebuggerPage) -> None:
    page = training.page
    field = _edit_condition(training, LOSS)
    for text, words, marked in [
        ("%los > 10", "The program has no value %los. Did you mean '%loss'?", "%los"),
        ("%square > 10", "This is a tensor, not one boolean. Write any(…) or all(…).", "%square > 10"),
        ("%loss >", "The expression ends where a value is expected", " "),
    ]:
        field.fill("")
        page.keyboard.type(text)
        expect(page.locator(".cm-marks .dot.loose")).to_have_count(1)
        if marked != "%los":  # more text may follow
            expect(page.locator(".breakpoint .expression-fault")).to_have_count(0)
            field.blur()
        expect(page.locator(".breakpoint .expression-fault")).to_contain_text(words)
        expect(page.locator(".breakpoint .wrong")).to_have_text(marked)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator(".cm-marks .dot.loose")).to_have_count(1)
    field.focus()
    page.keyboard.press("End")
    page.keyboard.type(" 10")
    expect(page.locator(".breakpoint .expression-fault")).to_have_count(0)
    field.fill("%steps // (%i - 3) > 90")
    _continue(training)
    training.stopped("whose condition cannot be evaluated here: the right side is zero")


def test_log_messages_appear_with_steps_to_go_to(training: DebuggerPage) -> None:
    page = training.page
    _edit_condition(training, LOSS)
    page.get_by_role("combobox", name=f"Log message: line {LOSS}").click()
    page.keyboard.type("loss {%loss} in {iteration}")
    page.get_by_role("textbox", name=f"Hit count: line {LOSS}").click()
    page.keyboard.type("<= 3")
    expect(page.locator(".cm-marks .dot.log")).to_have_count(1)
    _finish(training)
    page.get_by_role("button", name=re.compile("^Open the console")).click()
    logs = page.get_by_role("log").locator("li.log")
    expect(logs).to_have_count(3)
    expect(logs.nth(2)).to_contain_text(" in 2")
    logs.nth(1).get_by_role("button").click()
    training.at_line(LOSS)
    assert _back(training) == 0  # log points stop nowhere


def test_breakpoints_on_places(training: DebuggerPage) -> None:
    page = training.page
    training.toggle_breakpoint(12)
    _continue(training)
    for item, title, line in [
        ("op of a kind", "op multiply", 22),
        ("op of a function", "function main", 13),
        ("op of a source line", "train.py:12", 13),
        ("op of a scope", "scope jit(train)/loss", 13),
    ]:
        _add(page, item)
        _continue(training)
        training.at_line(line)
        training.stopped(f"a breakpoint on {title}")
        page.get_by_role("button", name=f"Remove the breakpoint: {title}").click()
        _continue(training)
        training.at_line(12)


def test_breakpoints_on_values(training: DebuggerPage) -> None:
    page = training.page
    training.toggle_breakpoint(LOSS)
    _continue(training)
    training.toggle_breakpoint(LOSS)
    _back(training)
    training.press("F11")
    training.toggle_breakpoint(LOSS)
    _continue(training)
    training.toggle_breakpoint(LOSS)
    first = training.step
    _add(page, "leaves a range")
    field = page.get_by_role("combobox", name="Condition: value %loss")
    expect(field).to_be_focused()
    expect(field).to_have_value("not all(value in [-1, 1])")
    expect(page.locator(".cm-marks .dot.value")).to_have_count(1)
    field.fill("value > before")
    growing = _stops_both_ways(training, 3)
    assert growing[0] > first
    training.at_line(LOSS)
    field.fill("not all(isfinite(value))")
    _finish(training)
    _row(page, "value %loss").get_by_role("button", name=re.compile("^Remove")).click()
    for item in ("is computed", "is read"):
        for _ in range(2):  # an equal one is not added again
            _add(page, item)
        _back(training)
        page.get_by_role("button", name=re.compile("^Remove the breakpoint")).click()


def test_a_disabled_breakpoint_stops_nowhere(training: DebuggerPage) -> None:
    page = training.page
    training.toggle_breakpoint(LOSS)
    page.get_by_role("checkbox", name=f"Enable the breakpoint: line {LOSS}").click()
    expect(page.locator(".cm-marks .dot.off")).to_have_count(1)
    _finish(training)
    _add(page, "finding of a kind")
    expect(_row(page, "finding inf").or_(_row(page, "finding nan"))).to_have_count(1)
    settle(page)
    expect(_row(page, f"line {LOSS}").locator("code")).to_have_text("reduce %loss")
    tabs = page.get_by_role("tablist").filter(has=page.get_by_role("tab", name="Breakpoints"))
    assert tabs.evaluate("({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth"), "its name is whole"


def test_fields_complete_what_exists_at_the_breakpoint(training: DebuggerPage) -> None:
    """At the start of the run, where the values of the loop do not exist yet."""
    page = training.page
    field = _edit_condition(training, LOSS)
    options = page.get_by_role("listbox", name="Completions").get_by_role("option")
    page.keyboard.type("ma")
    expect(options.first).to_contain_text("max")
    page.keyboard.press("Tab")
    page.keyboard.type("%")
    expect(options.filter(has_text="%next")).to_have_count(0)  # computed later
    page.keyboard.type("lo")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("tensor<f32>")
    page.keyboard.press("Tab")
    page.keyboard.type(") > 10")
    expect(field).to_have_value("max(%loss) > 10")
    page.get_by_role("combobox", name=f"Log message: line {LOSS}").click()
    page.keyboard.type("lo")
    expect(options).to_have_count(0)
    page.keyboard.type("ss {ite")
    page.keyboard.press("Tab")
    page.keyboard.type("}: {%los")
    expect(page.locator(".breakpoint .wrong")).to_have_count(0)
    page.keyboard.press("Tab")
    page.keyboard.type("}")
    expect(page.get_by_role("combobox", name=f"Log message: line {LOSS}")).to_have_value(
        "loss {iteration}: {%loss}"
    )


ROWS = """\
func.func @main(%x: tensor<6x2xf32>) -> tensor<1x2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<6> : tensor<i32>
  %sum0 = stablehlo.constant dense<0.0> : tensor<1x2xf32>
  %double = stablehlo.add %x, %x : tensor<6x2xf32>
  %r:2 = stablehlo.while(%i = %zero, %sum = %sum0) : tensor<i32>, tensor<1x2xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 2] : (tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %next = stablehlo.add %sum, %row : tensor<1x2xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %next : tensor<i32>, tensor<1x2xf32>
    }
  return %r#1 : tensor<1x2xf32>
}
"""


@pytest.mark.main_path
def test_an_element_that_is_read_stops_where_the_index_maps_say(record: Record) -> None:
    debugger = record(ROWS)
    page = debugger.page
    debugger.choose_variable("%x", "")
    debugger.shown_numbers(6, 2)
    page.get_by_role("grid").locator('[aria-rowindex="5"]').get_by_role("gridcell").first.click()
    settle(page)
    page.get_by_role("button", name="Add a breakpoint").click()
    page.get_by_role("menuitem", name=re.compile("^is read")).last.click()
    settle(page)
    expect(_row(page, "reads of %x[3, 0]")).to_have_count(1)
    _continue(debugger)
    debugger.at_line(6)
    _continue(debugger)
    debugger.at_line(12)
    debugger.stopped("a breakpoint on reads of %x[3, 0]")
    _finish(debugger)
    _back(debugger)
    debugger.at_line(12)
    page.locator(".breakpoint input[list]").fill("%x[9, 0]")
    expect(page.locator(".breakpoint .problem")).to_have_text(
        "%x has no element [9, 0]. Its shape is [6, 2]; indices count from 0."
    )


@pytest.mark.main_path
def test_a_difference_from_the_run_in_compare_stops_in_both_runs(record: Record) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    page.get_by_role("button", name="Add a breakpoint").click()
    expect(page.get_by_role("menuitem", name=re.compile("^value in which"))).to_have_count(0)
    page.keyboard.press("Escape")
    with_other(debugger)
    _add(page, "value in which a difference")
    debugger.press("Home")
    for run in ("run 2", "run 1"):
        expect(page.get_by_role("tab", name=run)).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Escape")
        debugger.press("Alt+Shift+F5")
        debugger.press("Alt+Shift+F5")
        debugger.at_step(0)
        assert _continue(debugger) == 3
        debugger.stopped("a breakpoint on any new difference between the runs")
        _finish(debugger)
        if run == "run 2":
            settle(page)
            page.get_by_role("tab", name="run 1").click()
            settle(page)
