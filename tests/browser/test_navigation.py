"""From a name to its definition and its uses, and back and forward through the places that one visited."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, NewPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle

PROGRAM = """\
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<50> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = func.call @f(%v) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<4xf32>
  }
  %q = call @f(%r#1) : (tensor<4xf32>) -> tensor<4xf32>
  return %q : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<0.5> : tensor<4xf32>
  %b = stablehlo.multiply %x, %two : tensor<4xf32>
  return %b : tensor<4xf32>
}
"""
HLO = """\
HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  y = f32[4]{0} negate(x)
  ROOT r = f32[] reduce(y, zero), dimensions={0}, to_apply=add
}
"""


@pytest.fixture
def program(record: Record) -> DebuggerPage:
    return record(PROGRAM)


def line(page: Page, begin: str) -> Locator:
    """The line of the text that begins so."""
    return page.locator(".cm-line").filter(has_text=re.compile(rf"^\s*{re.escape(begin)}")).first


def stand_on(page: Page, begin: str, name: str, nth: int = 0) -> None:
    """Put the cursor on a name by a click, and leave it: a card would cover the lines above."""
    line(page, begin).get_by_text(name, exact=True).nth(nth).click()
    page.mouse.move(900, 600)
    settle(page)


CHOSEN = """() => {
    const root = document.querySelector(".editor").shadowRoot;
    return (root.getSelection?.() ?? getSelection()).toString();
}"""


def is_on(page: Page, begin: str, word: str = "") -> None:
    """The cursor is in the line that begins so, and has selected a word."""
    settle(page)
    expect(page.locator(".cm-activeLine")).to_have_text(re.compile(rf"^\s*{re.escape(begin)}"))
    if word:
        assert page.evaluate(CHOSEN) == word


def uses(page: Page) -> list[str]:
    """The lines that the find box lists."""
    settle(page)
    return (
        page.get_by_role("listbox", name="Results").get_by_role("option").locator(".line").all_inner_texts()
    )


@pytest.mark.main_path
def test_names_lead_to_their_definition_and_uses_and_back(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    stand_on(page, "%more =", "%i")
    program.press("F12")
    is_on(page, "%r:2 =", "%i")
    line(page, "%d =").get_by_text("@f").click(modifiers=["Control"])
    is_on(page, "func.func private @f", "@f")
    program.press("Alt+ArrowLeft")
    is_on(page, "%d =")
    program.press("Alt+ArrowLeft")
    is_on(page, "%more =")
    program.press("Alt+ArrowRight")
    is_on(page, "%d =")
    page.get_by_role("button", name="Go forward to the place after").click()
    is_on(page, "func.func private @f")

    # On the definition itself, the same key lists the uses.
    program.press("F12")
    expect(page.locator(".finder .heading").first).to_contain_text("Definition and uses of @f")
    assert uses(page) == ["line 17", "line 11", "line 14"]
    expect(page.locator(".find-status")).to_contain_text("1 of 3 results")
    axe(page, ".finder")
    program.press("ArrowDown")
    program.press("ArrowDown")
    expect(page.locator(".find-status")).to_contain_text("3 of 3 results")
    program.press("Enter")
    is_on(page, "%q =", "@f")

    # A name in two functions: uses are those of the value at the cursor.
    stand_on(page, "%b =", "%x")
    program.press("Shift+F12")
    expect(page.locator(".finder .heading")).to_have_text(re.compile(r"uses of %x in @f\s*2"))
    assert uses(page) == ["line 17", "line 19"]
    page.get_by_role("combobox", name="Find").fill("uses %x")
    assert uses(page) == ["line 17", "line 19"]
    program.press("Escape")
    program.press("Control+p")
    page.get_by_role("combobox", name="Find").fill("uses of %i")
    assert uses(page) == ["line 5", "line 7", "line 10"]
    program.press("Escape")


def test_a_definition_shows_in_place(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    stand_on(page, "%q =", "%r#1")
    program.press("Alt+F12")
    peek = page.get_by_role("dialog", name="The definition of %r#1")
    expect(peek).to_contain_text("%r:2 = stablehlo.while(%i = %zero, %v = %x)")
    expect(peek.locator(".line").first).to_have_text("5")
    expect(peek).to_be_focused()
    axe(page, ".editor-place")
    program.press("Escape")
    expect(peek).to_have_count(0)
    is_on(page, "%q =")
    program.press("Alt+F12")
    peek.get_by_role("button", name="1 use").click()
    assert uses(page) == ["line 5", "line 14"]
    program.press("Escape")
    line(page, "cond").click()
    program.press("F12")
    expect(page.locator(".status-line")).to_contain_text("There is no name of a value")


def test_hlo_text_has_computations_and_opcodes_of_one_name(record: Record) -> None:
    debugger = record(HLO)
    page = debugger.page
    stand_on(page, "ROOT r", "add")
    debugger.press("F12")
    is_on(page, "add {", "add")
    debugger.press("F12")
    assert uses(page) == ["line 3", "line 13"]
    debugger.press("Escape")
    stand_on(page, "ROOT r", "y")
    debugger.press("F12")
    is_on(page, "y =", "y")
    stand_on(page, "y =", "x")
    debugger.press("Shift+F12")
    assert uses(page) == ["line 10", "line 12"]


def test_an_iteration_is_typed_and_jumps_lead_back(program: DebuggerPage) -> None:
    page = program.page
    back = page.get_by_role("button", name="Go back to the place before")
    expect(back).to_have_attribute("aria-disabled", "true")
    for key in ("F10", "F10", "F10"):
        program.press(key)
    program.at_step(3)
    expect(back).to_have_attribute("aria-disabled", "true")  # steps are no jumps
    program.press("Control+p")
    page.get_by_role("combobox", name="Find").fill("iteration 37")
    settle(page)
    expect(page.get_by_role("listbox", name="Results").get_by_role("option")).to_contain_text("of while")
    program.press("Enter")
    settle(page)
    program.at_line(10)
    expect(page.locator(".frame.current")).to_contain_text("iteration 37 of 50")
    for iteration in ("3", "49"):  # from the op at which one is to the same op
        program.press("F11")
        settle(page)
        program.at_line(11)
        program.press("Control+p")
        page.get_by_role("combobox", name="Find").fill(f"iteration {iteration}")
        settle(page)
        program.press("Enter")
        program.at_line(11)
        expect(page.locator(".frame.current")).to_contain_text(f"iteration {iteration} of 50")
        program.press("Alt+Shift+F10")
        settle(page)
    program.press("Control+p")
    page.get_by_role("combobox", name="Find").fill("iteration 99")
    expect(page.locator(".find-status")).to_contain_text("No loop around this step has iteration 99.")
    program.press("Escape")
    program.press("Alt+ArrowLeft")
    settle(page)
    expect(page.locator(".frame.current")).to_contain_text("iteration 3 of 50")
    program.at_line(11)
    for _ in range(2):
        program.press("Alt+ArrowLeft")
    settle(page)
    program.at_step(3)
    expect(back).to_have_attribute("aria-disabled", "true")


def test_a_name_has_the_menu_of_variables_and_is_renamed_in_one_step(
    program: DebuggerPage, axe: Check
) -> None:
    page = program.page
    line(page, "%b =").get_by_text("%two", exact=True).click(button="right")
    menu = page.get_by_role("menu", name="%two", exact=True)
    expect(menu.get_by_role("menuitem", name="Show in Tensor")).to_be_focused()
    axe(page, ".menu")
    menu.get_by_role("menuitem", name="Go to definition").click()
    is_on(page, "%two =", "%two")
    before = page.locator(".cm-content").inner_text()
    program.press("F2")
    field = page.get_by_role("textbox", name="New name")
    expect(field).to_be_focused()
    expect(field).to_have_value("two")
    field.fill("b")
    program.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("b is a name already.")
    field.fill("factor")
    program.press("Enter")
    expect(line(page, "%factor =")).to_be_visible()
    expect(line(page, "%b =")).to_contain_text("%x, %factor")
    program.press("Control+z")
    expect(line(page, "%two =")).to_be_visible()
    expect(page.locator(".cm-content")).to_have_text(before, use_inner_text=True)

    stand_on(page, "%q =", "@f")
    program.press("F2")
    field.fill("half")
    program.press("Enter")
    expect(page.locator(".cm-line").filter(has_text="@half")).to_have_count(3)
    program.press("Control+Enter")
    settle(page)
    expect(page.locator(".changed")).to_have_count(0)
    expect(page.locator(".where .count")).to_contain_text("step 0 of")


def test_the_text_is_searched_with_a_count(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    page.get_by_role("tab", name="Tensor").focus()
    program.press("Control+f")  # the browser's would miss the lines out of view
    field = page.get_by_role("textbox", name="Find in the text")
    expect(field).to_be_focused()
    page.keyboard.type("%x")
    count = page.locator(".cm-search .count")
    expect(count).to_have_text("4 matches")
    for told in ("1 of 4", "2 of 4", "3 of 4"):
        program.press("Enter")
        expect(count).to_have_text(told)
    program.press("Shift+Enter")
    expect(count).to_have_text("2 of 4")
    axe(page, ".editor-place")
    field.fill("%X")
    expect(count).to_have_text("2 of 4")
    page.get_by_role("button", name="Match case").click()
    expect(count).to_have_text("No matches")
    page.get_by_role("button", name="Regular expression").click()
    field.fill("(")
    expect(count).to_have_text("not a regular expression")
    field.fill("%[ab] =")
    expect(count).to_have_text("1 match")
    page.get_by_role("textbox", name="Replace with").fill("%c =")
    page.get_by_role("button", name="Replace all").click()
    expect(line(page, "%c =")).to_be_visible()
    program.press("Escape")


def test_help_opens_by_its_keys(program: DebuggerPage) -> None:
    page = program.page
    dialog = page.get_by_role("dialog", name="Keys and help")
    page.get_by_role("tab", name="Tensor").focus()
    program.press("F1")
    expect(dialog).to_be_visible()
    program.press_after_escape("?")
    expect(dialog).to_be_visible()
    program.press("Escape")
    expect(dialog).to_have_count(0)
    program.press("?")
    expect(dialog).to_be_visible()
    program.press("Escape")
    expect(dialog).to_have_count(0)
    page.locator(".cm-content").click()
    program.press("End")
    program.press("?")  # typed
    expect(dialog).to_have_count(0)
    expect(page.locator(".cm-activeLine")).to_contain_text("?")
    program.press("F1")
    expect(dialog.get_by_role("link", name="Help on all panels")).to_have_attribute("href", "/help")
    for title in ("Go to definition", "Find all uses", "Peek definition", "Go back to the place before"):
        expect(dialog.get_by_role("row", name=re.compile(f"^{title}"))).to_be_visible()


def test_a_saved_page_has_them_too(
    program: DebuggerPage, new_page: NewPage, saved: Callable[[str], Path]
) -> None:
    page = new_page(offline=True)
    session = re.search(r"/s/([^?]+)", program.page.url)
    assert session
    page.goto(saved(session[1]).as_uri())
    DebuggerPage(page).wait_until_recorded()
    stand_on(page, "%more =", "%i")
    page.keyboard.press("F12")
    is_on(page, "%r:2 =", "%i")
    page.keyboard.press("Shift+F12")
    assert uses(page) == ["line 5", "line 7", "line 10"]
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+ArrowLeft")
    is_on(page, "%more =")
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="New name")).to_have_count(0)
