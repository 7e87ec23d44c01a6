"""Find anything: a person types what they look for, sees what it is, and goes there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Complaints, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab

PROGRAM = """\
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> tensor<2x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.add %x, %x : tensor<2x3xf32> loc("jit(f)/attention/add"("loss.py":30:2))
  %1 = stablehlo.subtract %0, %0 : tensor<2x3xf32> loc("jit(f)/attention/sub"("loss.py":31:2))
  %2 = stablehlo.divide %1, %1 : tensor<2x3xf32> loc("jit(f)/norm/div"("norm.py":7:2))
  %3 = call @scale(%2) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
func.func private @scale(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<2x3xf32>
  %0 = stablehlo.multiply %a, %two : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


@pytest.fixture
def program(record: Record) -> DebuggerPage:
    return record(PROGRAM)


def _box(page: Page) -> Locator:
    return page.get_by_role("combobox", name=re.compile("^(Find|Command)$"))


def _find(page: Page, text: str) -> Locator:
    """Types into the box, and gives the results."""
    if _box(page).count() == 0:
        page.keyboard.press("Control+p")
    _box(page).fill(text)
    settle(page)
    return page.get_by_role("listbox", name="Results").get_by_role("option")


def _chosen(page: Page) -> Locator:
    """The result that Enter takes, as the box says."""
    return page.locator(f"#{_box(page).get_attribute('aria-activedescendant')}")


@pytest.mark.main_path
def test_a_name_is_found_seen_and_gone_to(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    found = _find(page, "sub")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("subtract")
    expect(found).to_contain_text("line 4")
    expect(page.locator(".find-preview")).to_contain_text("%1 = stablehlo.subtract %0, %0")
    expect(page.get_by_text(re.compile("^1 result$"))).to_be_visible()
    axe(page, "dialog")
    page.keyboard.press("Enter")
    program.at_line(4)
    expect(_box(page)).to_have_count(0)

    found = _find(page, "%")
    expect(found.first).to_contain_text("%1")  # the one at which one is comes first
    expect(_chosen(page)).to_have_attribute("aria-selected", "true")
    first = _chosen(page).inner_text()
    page.keyboard.press("ArrowDown")
    expect(_chosen(page)).to_have_attribute("aria-posinset", "2")
    assert _chosen(page).inner_text() != first
    page.keyboard.press("ArrowUp")
    expect(_chosen(page)).to_have_attribute("aria-posinset", "1")
    assert _chosen(page).inner_text() == first
    page.keyboard.press("Escape")
    expect(_box(page)).to_have_count(0)
    program.at_line(4)


GONE_TO = {
    "@scale": ("Functions", 10),
    "norm.py": ("Source files", 5),
    "loss.py:31": ("Source files", 4),
    "#3": ("Steps", 5),
    "attention": ("Scopes of the source", 4),
    "step 3": ("Steps", 5),
}
"""What is typed, the group in which it is found, and the line that it leads to: another than the one before."""


def test_all_kinds_of_things_are_found_and_gone_to(program: DebuggerPage) -> None:
    page = program.page
    for typed, (group, line) in GONE_TO.items():
        _find(page, typed)
        expect(page.locator(".finder .heading").first).to_contain_text(group)
        page.keyboard.press("Enter")
        program.at_line(line)
        expect(_box(page)).to_have_count(0)

    _find(page, ":11")
    expect(page.locator(".find-preview")).to_contain_text("stablehlo.multiply")
    page.keyboard.press("Enter")
    program.at_line(5)
    page.keyboard.press("Control+F10")
    program.at_line(11)
    _find(page, ":99")
    expect(page.locator(".find-status")).to_contain_text("There is no line 99.")
    expect(_find(page, "no such thing")).to_have_count(0)
    expect(page.get_by_text("No matches.")).to_be_visible()
    _find(page, "f32[7]")
    expect(page.get_by_text("No value of the program has this shape.")).to_be_visible()

    expect(_find(page, "[2,?]")).to_have_count(8)
    expect(_find(page, "s32[]")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".tensor-header .name")).to_have_text("%zero")

    found = _find(page, "has NaN")
    expect(found).to_have_count(3)  # the quotient, what the call gives, and the product in it
    expect(found.first).to_contain_text("%2")
    expect(found.first).to_contain_text("6 of 6, first [0, 0] = NaN")
    page.keyboard.press("Enter")
    program.at_line(5)
    expect(page.locator(".tensor-header .name")).to_have_text("%2")


def test_every_command_has_its_key_and_is_run_by_name(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    page.keyboard.press("Control+Shift+P")
    expect(_box(page)).to_have_value(">")
    page.keyboard.type("> step over")  # with the sign that is there already
    expect(_box(page)).to_have_value("> step over")
    found = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(found.first).to_contain_text("Step over")
    expect(found.first.locator("kbd")).to_have_text(["F10", "Alt+F10"])
    expect(found).to_have_count(3)
    axe(page, "dialog")
    _box(page).fill("step ov")  # names nothing in the program
    expect(found.first).to_contain_text("Step over")
    _box(page).fill("%step")
    expect(found).to_have_count(0)
    _box(page).fill("> step over")
    page.keyboard.press("Enter")
    program.at_line(3)
    page.keyboard.press("Control+Shift+P")
    _box(page).fill("> compare")  # the shorter of two titles that begin with it
    expect(found.first.locator(".result-name")).to_have_text("Show Compare")
    _box(page).fill("> console")
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Expression or command")).to_be_focused()
    page.keyboard.press("Control+Shift+P")
    _box(page).fill("> keys and help")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Control+p")  # the browser would print
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


# Values.


def _search(page: Page, kind: str, **fields: str) -> Locator:
    """Searches the values, and gives those found once the search has ended."""
    if page.get_by_role("dialog", name="Search recorded values").count() == 0:
        page.keyboard.press("Control+Shift+F")
    page.get_by_role("combobox", name="Values with").select_option(kind)
    for label in ("Number", "Tolerance", "From", "To", "Shape"):
        field = page.get_by_label(label, exact=True)
        if field.count():
            field.fill(fields.get(label, ""))
    page.get_by_role("button", name="Search", exact=True).click()
    settle(page)
    return page.get_by_role("listbox", name="Values found").get_by_role("option")


@pytest.mark.main_path
def test_values_are_searched_and_lead_to_step_and_element(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    found = _search(page, "all elements zero")
    expect(found).to_have_count(2)
    expect(found.first).to_have_accessible_name("%zero, step 0, line 2, all 1, first [] = 0")
    expect(found.last).to_have_accessible_name("%1, step 2, line 4, all 6, first [0, 0] = 0")
    expect(page.get_by_text("2 values in 9 steps.")).to_be_visible()
    axe(page, "dialog")
    assert _search(page, "this number", Number="2").count() == 1
    assert _search(page, "this number", Number="2.004").count() == 0
    assert _search(page, "this number", Number="2.004", Tolerance="0.01").count() == 1
    found = _search(page, "a number in a range", From="-100", To="100", Shape="[2,3]")
    expect(found).to_have_count(4)  # the argument, its double, zeros and twos
    found.nth(1).click()
    program.at_line(3)
    expect(page.locator(".tensor-header .name")).to_have_text("%0")

    page.keyboard.press("Control+Shift+F")  # what was found is still there
    results = page.get_by_role("listbox", name="Values found")
    results.press("End")
    results.press("Enter")
    program.at_line(10)
    expect(page.locator(".tensor-header .name")).to_have_text("%two")


def test_the_first_element_that_is_so_is_shown_and_a_rounded_number_needs_a_tolerance(
    record: Record, complaints: Complaints
) -> None:
    complaints.allow("422")  # of what is not a number
    page = record(PROGRAM).page
    assert _search(page, "this number", Number="one").count() == 0
    expect(page.get_by_role("status").filter(has_text="is not a number")).to_be_visible()
    found = _search(page, "a number in a range", To="0", Shape="f32[2,3]")
    told = found.first.get_attribute("aria-label") or ""
    index = re.search(r"first (\[\d+, \d+\])", told)
    assert index
    found.first.click()
    expect(page.locator(".tensor-header .name")).to_have_text("%x")
    expect(page.locator(".tensor-readout output")).to_contain_text(f"%x{index[1]}")

    record(
        "func.func @main() -> tensor<f32> {\n"
        "  %x = stablehlo.constant dense<3.14159274> : tensor<f32>\n"
        "  return %x : tensor<f32>\n}\n"
    )
    assert _search(page, "this number", Number="3.142").count() == 0
    expect(page.get_by_role("status").filter(has_text="give a tolerance")).to_be_visible()
    assert _search(page, "this number", Number="3.142", Tolerance="0.001").count() == 1


# Filters and groups.


def test_steps_are_filtered_and_grouped_by_scope(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    show_tab(page, "Steps")
    box = page.get_by_role("searchbox", name="Filter steps")
    ops = page.locator(".step-list .step:not(.group) .op")
    for typed, names in {
        "attention": ["add", "subtract"],
        "loss.py:30": ["add"],
        "@scale": ["constant", "multiply", "return"],
        "nan norm": ["divide"],
    }.items():
        box.fill(typed)
        expect(ops).to_have_text(names)
    box.fill("no such op")
    expect(page.get_by_text("No matches in the steps recorded so far.")).to_be_visible()
    box.fill("attention")
    page.get_by_role("listbox", name="Steps").press("End")
    program.stopped("line 4")
    box.fill("")

    page.get_by_role("combobox", name="Group steps").select_option("by scope")
    groups = page.locator(".step-list .group .op")
    expect(groups).to_have_text(["no scope", "attention", "norm", "no scope"])
    axe(page, "#panel-steps")
    steps = page.get_by_role("tree", name="Steps")
    steps.press("ArrowLeft")  # at the subtraction
    expect(steps.get_by_role("treeitem", name="jit(f)/attention, 2 steps")).to_have_attribute(
        "aria-expanded", "false"
    )
    expect(ops).to_have_text(["constant", "divide", "call", "constant", "multiply", "return", "return"])
    steps.press("ArrowDown")
    program.stopped("line 5")
    page.reload()
    show_tab(page, "Steps")
    expect(groups).to_have_text(["no scope", "attention", "norm", "no scope"])
    expect(page.get_by_role("treeitem", name="jit(f)/attention")).to_have_attribute("aria-expanded", "false")
    page.get_by_role("combobox", name="Group steps").select_option("by function")
    expect(groups).to_have_text(["@main", "@scale", "@main"])


def test_variables_are_filtered_and_grouped(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    for _ in range(6):
        program.press("F11")
    program.at_line(11)
    names = page.get_by_role("tree", name="Variables").locator(".variable .label")
    titles = page.get_by_role("tree", name="Variables").locator(".group-title")
    box = page.get_by_role("searchbox", name="Filter variables")
    box.fill("two")
    expect(names).to_have_text(["%two"])
    box.fill("nan")
    expect(names).to_have_text(["%0"])
    box.fill("nothing like it")
    expect(page.get_by_text("No matches.")).to_be_visible()
    box.fill("")
    page.get_by_role("combobox", name="Group variables").select_option("by function")
    expect(titles).to_have_text(["▾Operands2", "▾Results1ahead", "▾@main, 1 out6"])
    axe(page, "#panel-variables")
    page.get_by_role("combobox", name="Group variables").select_option("by scope")
    program.press("Shift+F11")
    expect(titles).to_contain_text(["Operands", "Arguments", "no scope", "attention", "norm"])
    titles.last.click()
    expect(titles.last).to_have_attribute("aria-expanded", "false")
    program.press("F10")
    expect(titles.last).to_have_attribute("aria-expanded", "false")


def test_breakpoints_are_filtered_and_a_program_without_scopes_says_so(
    program: DebuggerPage, record: Record
) -> None:
    page = program.page
    for line in (3, 4, 11):
        program.toggle_breakpoint(line)
    box = page.get_by_role("searchbox", name="Filter breakpoints")
    for typed, count in {
        "": 3,
        "attention": 2,
        "line 11": 1,
        "subtract": 1,
        "nan": 1,
        "nan attention": 0,
    }.items():
        box.fill(typed)
        expect(program.breakpoints()).to_have_count(count)
    expect(page.get_by_text("No matches.")).to_be_visible()

    record(re.sub(r" loc\(.*\)\n", "\n", PROGRAM))
    page.get_by_role("combobox", name="Group variables").select_option("by scope")
    expect(page.get_by_text("No scopes in this program")).to_be_visible()
    show_tab(page, "Steps")
    page.get_by_role("combobox", name="Group steps").select_option("by scope")
    expect(page.locator(".steps-panel .note")).to_contain_text("No scopes in this program")
    expect(page.get_by_role("listbox", name="Steps")).to_be_visible()
