"""The console: expressions at the current step, and commands, typed as a user types them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle

LOOP = """\
func.func @main(%x: tensor<2x3xf32>, %arg1: tensor<f32> loc("params['w']")) -> tensor<2x3xf32> {
  %k = stablehlo.constant dense<0> : tensor<i32>
  %tenth = stablehlo.constant dense<0.1> : tensor<f32>
  %large = stablehlo.iota dim = 0 : tensor<1000xf32>
  %0:2 = stablehlo.while(%i = %k, %v = %x) : tensor<i32>, tensor<2x3xf32>
   cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %v, %v : tensor<2x3xf32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<2x3xf32>
  }
  return %0#1 : tensor<2x3xf32>
}
"""


@pytest.fixture
def program(record: Record) -> DebuggerPage:
    found = record(LOOP)
    found.page.keyboard.press("Control+`")
    expect(_prompt(found.page)).to_be_focused()
    return found


def _prompt(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Expression or command")


def _completions(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Completions").get_by_role("option")


def _submit(page: Page, line: str) -> None:
    page.keyboard.type(line)
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    settle(page)


TYPED_WITHIN_A_FRAME = """(input) => {
    input.value = "%k + 1";
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}"""
"""Keys that come faster than a page on a busy machine draws."""


def _results(page: Page) -> Locator:
    return page.get_by_role("log", name="Console").locator(".result")


@pytest.mark.main_path
def test_expressions_have_results_at_the_step_where_they_were_typed(
    program: DebuggerPage, axe: Check
) -> None:
    page = program.page
    for _ in range(3):
        program.press("F10")
    program.at_step(3)
    _submit(page, "%tenth + 0")
    _submit(page, "%k == 0 and all(%large >= 0)")
    expect(_results(page)).to_have_text(["0.10000000149011612", "true"])
    program.press("F10")
    _submit(page, "%0#0")
    expect(_results(page).last).to_have_text("5")
    page.get_by_role("log").get_by_role("button", name="step 3").first.click()
    program.at_step(3)

    _prompt(page).click()
    _submit(page, "%large[2:5]")
    small = _results(page).last.get_by_role("button", name=re.compile("^f32"))
    expect(small).to_contain_text("f32[3] [2, 3, 4]")
    small.click()
    expect(_results(page).last.get_by_role("cell")).to_have_text(["2", "3", "4"])
    _prompt(page).click()
    _submit(page, "-%large")
    _results(page).last.get_by_role("button", name=re.compile("^f32")).click()
    expect(_results(page).last.locator("dd").first).to_have_text("-999")
    axe(page, "#panel-console")
    _prompt(page).evaluate(TYPED_WITHIN_A_FRAME)
    expect(_results(page).last).to_have_text("1")


def test_an_error_is_underlined_at_its_position(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    page.keyboard.type("mxa(%x) + 1")
    expect(page.locator(".prompt .wrong")).to_have_text("mxa")
    expect(_prompt(page)).to_have_attribute("aria-invalid", "true")
    expect(_prompt(page)).to_have_accessible_description("There is no function 'mxa'. Did you mean 'max'?")
    axe(page, "#panel-console")
    page.keyboard.press("Enter")
    expect(_results(page)).to_have_text("there is no function 'mxa'. Did you mean 'max'?")
    expect(page.get_by_role("log").locator(".wrong")).to_have_text("mxa")
    expect(page.get_by_role("log").locator(".typed")).to_have_text("mxa(%x) + 1")
    page.keyboard.type("%x + %0#1")
    settle(page)
    expect(_prompt(page)).not_to_have_attribute("aria-invalid", "true")  # the text is well formed
    page.keyboard.press("Enter")
    expect(_results(page).last).to_have_text("%0#1 has no value here")


def test_names_functions_and_variables_are_completed(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    page.keyboard.type("argm")
    expect(_completions(page)).to_have_text([re.compile("^argmin.*smallest"), re.compile("^argmax.*largest")])
    axe(page, "#panel-console")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(_completions(page).nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(_prompt(page)).to_have_value("argmax(")
    page.keyboard.type("%")
    expect(_completions(page).locator("code")).to_have_text(["%params.w", "%x"])  # nothing has run yet
    page.keyboard.type("x")
    expect(_completions(page)).to_have_count(0)
    page.keyboard.type(") + it")
    page.keyboard.press("Tab")
    expect(_prompt(page)).to_have_value("argmax(%x) + iteration")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+Space")
    expect(_completions(page).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(_completions(page)).to_have_count(0)
    _submit(page, "%params.w == %arg1")
    expect(_results(page)).to_have_text("true")


def test_earlier_lines_come_back_also_after_a_reload(program: DebuggerPage) -> None:
    page = program.page
    _submit(page, "1 + 1")
    _submit(page, "2 + 2")
    page.keyboard.type("draft")
    page.keyboard.press("Escape")
    for expected in ("2 + 2", "1 + 1", "1 + 1"):
        page.keyboard.press("ArrowUp")
        expect(_prompt(page)).to_have_value(expected)
    for expected in ("2 + 2", "draft"):
        page.keyboard.press("ArrowDown")
        expect(_prompt(page)).to_have_value(expected)
    page.reload()  # the console stays open
    _prompt(page).click()
    page.keyboard.press("ArrowUp")
    expect(_prompt(page)).to_have_value("2 + 2")


def test_commands_move_find_explain_and_clear(program: DebuggerPage) -> None:
    page = program.page
    log = page.get_by_role("log", name="Console")
    page.keyboard.type(":go")
    expect(_completions(page)).to_have_text(re.compile("^:goto"))
    page.keyboard.press("Tab")
    page.keyboard.type("8")
    page.keyboard.press("Enter")
    program.at_step(8)
    program.at_line(12)
    _submit(page, ":iteration 3")
    program.at_line(12)
    _submit(page, "iteration")
    expect(_results(page).last).to_have_text("3")
    _submit(page, ":iteration 9")
    expect(log).to_contain_text("No recorded loop has an iteration 9.")
    _submit(page, ":goto nowhere")
    expect(log).to_contain_text(":goto takes a number: :goto 37.")
    _submit(page, ":gone")
    expect(log).to_contain_text("There is no command :gone.")
    _submit(page, ":goto 0")
    _submit(page, ":iteration 1")
    _submit(page, "iteration")
    expect(_results(page).last).to_have_text("1")
    _submit(page, ":help")
    expect(log).to_contain_text("evaluated at the current step, before its op runs")
    _submit(page, ":clear")
    expect(log).not_to_contain_text("evaluated")
    _submit(page, ":find twice")
    expect(page.get_by_role("combobox", name="Find")).to_have_value("twice")
    program.press_after_escape("p", ctrl=True)
    expect(page.get_by_role("combobox", name="Find")).to_have_value("")
