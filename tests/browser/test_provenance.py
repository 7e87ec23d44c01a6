"""Element provenance in the browser: choosing elements, walking a path, all the way, through loops and processes."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

LOOP = """func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %start = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4x4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %d = stablehlo.multiply %a, %w : tensor<4x4xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %d : tensor<i32>, tensor<4x4xf32>
    }
  %s = stablehlo.reduce(%r#1 init: %start) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
"""

GATHERED = """func.func @main(%table: tensor<6x4xf32>, %ids: tensor<3xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%table, %ids) <{
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>, indices_are_sorted = false}> : (tensor<6x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %1 = stablehlo.negate %0 : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
"""

MODULE = """HloModule pair

ENTRY %main (a: f32[2,3], b: f32[3]) -> (f32[2,3], f32[3]) {
  %a = f32[2,3] parameter(0)
  %b = f32[3] parameter(1)
  %twice = f32[2,3] add(%a, %a)
  %negative = f32[3] negate(%b)
  ROOT %both = (f32[2,3], f32[3]) tuple(%twice, %negative)
}
"""

REDUCED = """module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.sine %x : tensor<2x4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
}
"""


@pytest.mark.main_path
def test_a_path_is_walked_to_an_input_and_back(record: Record, axe: Check) -> None:
    """Each hop shows what was read, goes to its step, and stays in the path."""
    debugger = record(GATHERED)
    page = _opened(debugger, steps=1)
    _choose(page, "1, 2")
    expect(_formula(page)).to_contain_text("%1[1, 2]")
    _row(page, "Reads", "%0").locator("button.label").click()
    expect(_sentence(page)).to_contain_text("%0[1, 2]")
    debugger.at_step(0)
    rows = _rows(page, "Reads")
    expect(rows).to_have_count(2)
    expect(_row(page, "Reads", "%ids")).to_contain_text("[1]")
    expect(_row(page, "Reads", "%table")).to_contain_text(re.compile(r"\[\d, 2\]"))
    axe(page, "#panel-provenance")
    _row(page, "Reads", "%table").locator("button.label").click()
    expect(_sentence(page)).to_contain_text("an input of the program")
    trail = page.get_by_role("navigation", name="Path").get_by_role("button")
    expect(trail).to_have_count(3)
    expect(page.get_by_role("tab", name="Provenance")).to_be_in_viewport(ratio=0.98)
    trail.first.click()
    expect(_sentence(page)).to_contain_text("%1[1, 2]")
    debugger.at_step(1)
    expect(trail).to_have_count(3)


@pytest.mark.main_path
def test_pointing_at_an_element_tells_of_it_at_once_and_a_path_begins_there(record: Record) -> None:
    """The answer follows the mouse; a click keeps it. One button selects all elements."""
    page = _opened(record(GATHERED), steps=1)
    page.get_by_role("button", name="Select all elements").click()
    expect(_row(page, "Reads", "%0")).to_contain_text("12 of 12")
    page.get_by_role("button", name="Clear path").click()
    canvas = page.locator(".provenance-cells canvas")
    box = box_of(canvas)
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
    expect(_formula(page)).to_contain_text("%1[1, ")
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    expect(_formula(page)).to_contain_text("%1[2, ")

    # Nobody chose the element: the way from it is kept all the same, and back to it.
    element = _formula(page).locator("code").first.inner_text().split(" = ")[0].removeprefix("%1")
    _row(page, "Reads", "%0").locator("button.label").focus()
    page.keyboard.press("Enter")
    expect(_sentence(page)).to_contain_text(f"%0{element} was computed from:")
    trail = page.get_by_role("navigation", name="Path").get_by_role("button")
    expect(trail.first).to_contain_text(f"%1 {element}")
    trail.first.click()
    expect(_sentence(page)).to_contain_text(f"%1{element} was computed from:")
    settle(page)
    box = box_of(canvas)
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
    page.mouse.move(0, 0)
    expect(_formula(page)).to_contain_text("%1[1, ")
    _choose(page, "nonsense")
    expect(page.get_by_role("alert").filter(has_text="2 indices or ranges")).to_be_visible()
    _choose(page, "7, 0")
    expect(page.get_by_role("alert").filter(has_text="outside dimension 0, which has size 3")).to_be_visible()


def test_all_the_way_leads_through_a_loop_to_the_inputs(record: Record, axe: Check) -> None:
    page = _opened(record(LOOP), over=5)
    _choose(page, "2")
    page.get_by_role("button", name="All the way").click()
    expect(_row(page, "Inputs", "%x")).to_contain_text("[2, 0…3]")
    expect(_row(page, "Inputs", "%w")).to_contain_text("4 of 16")
    # Once for each of three iterations.
    expect(_rows(page, "On the way").filter(has_text="multiply")).to_have_count(3)
    axe(page, "#panel-provenance")

    _opened(record(LOOP), over=5)
    DebuggerPage(page).variable("%x").click()
    page.get_by_role("button", name="Used for").click()
    page.get_by_role("button", name="All the way").click()
    _choose(page, "3, 1")
    expect(_row(page, "Results", "%s")).to_contain_text("[3]")


def test_the_only_element_is_followed_numbers_are_said_once_and_a_tensor_of_a_tuple_is_chosen(
    record: Record,
) -> None:
    page = _opened(
        record(LOOP.replace("%s = ", "%t = stablehlo.add %r#1, %x : tensor<4x4xf32>\n  %s = ")), steps=1
    )
    expect(_sentence(page)).to_have_text("%three: a constant. Here the path ends.")
    for _ in range(4):
        page.keyboard.press("F10")
    settle(page)
    DebuggerPage(page).variable("%t").click()
    _choose(page, "2, 1")
    expect(_formula(page).locator("code")).to_have_count(1)
    expect(_formula(page)).to_contain_text("%t[2, 1] = %r#1[2, 1] + %x[2, 1] = ")

    debugger = record(MODULE)
    debugger.press("F5")
    debugger.variable("%both").click()
    show_tab(page, "Provenance")
    rows = page.locator(".provenance").get_by_role("treeitem")
    expect(page.locator(".provenance")).to_contain_text("Choose one to follow its elements.")
    expect(rows).to_have_count(2)
    rows.nth(1).click()
    settle(page)
    typed = page.locator(".provenance-typed input")
    typed.fill("2")
    typed.press("Enter")
    expect(page.locator(".provenance-answer")).to_contain_text("%negative")


def test_elements_come_from_other_processes(record: Record) -> None:
    """Walking to one shows its process."""
    page = _opened(record(REDUCED), steps=1)
    _choose(page, "0, 3")
    rows = _rows(page, "Reads")
    expect(rows).to_have_count(4)
    rows.filter(has_text="(0, 2)").locator("button.label").click()
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("2")
    expect(_sentence(page)).to_contain_text("%0[0, 3]")


def test_very_long_names_keep_the_end_that_tells_them_apart(record: Record) -> None:
    """Whole where one points at them; and nothing reaches beyond the panel."""
    table, rows = (f"%loop_multiply_{'clone.' * 60}remat{number}" for number in range(2))
    page = _opened(record(GATHERED.replace("%table", table).replace("%0", rows)), steps=1)
    _choose(page, "1, 2")
    button = _row(page, "Reads", "remat1").locator("button.label")
    expect(button).to_contain_text(re.compile(r"^%loop\w*…[\w.]+remat1 "))
    expect(button).to_have_attribute("title", f"Walk to {rows} [1, 2]")
    button.click()
    expect(_sentence(page)).to_contain_text(re.compile(r"^%loop\w*…[\w.]+remat1\[1, 2\]"))
    expect(_row(page, "Reads", "remat0")).to_be_visible()
    expect(_formula(page).locator("code").first).to_contain_text(re.compile(r"^%loop\w*…[\w.]+remat1\["))
    panel = page.locator(".provenance")
    assert panel.evaluate("(panel) => panel.scrollWidth <= panel.clientWidth")


def _opened(debugger: DebuggerPage, steps: int = 0, over: int = 0) -> Page:
    for key in ["F10"] * over + ["F11"] * steps:
        debugger.press(key)
    show_tab(debugger.page, "Provenance")
    settle(debugger.page)
    return debugger.page


def _choose(page: Page, elements: str) -> None:
    box = page.get_by_label(re.compile("^Elements of "))
    box = box.and_(page.get_by_role("textbox"))
    box.fill(elements)
    box.press("Enter")


def _sentence(page: Page) -> Locator:
    return page.locator(".provenance-sentence")


def _formula(page: Page) -> Locator:
    return page.locator(".provenance-formula")


def _rows(page: Page, title: str) -> Locator:
    section = page.locator(".provenance-rows").filter(has=page.get_by_role("heading", name=title, exact=True))
    return section.get_by_role("listitem")


def _row(page: Page, title: str, name: str) -> Locator:
    return _rows(page, title).filter(has=page.locator(".label").filter(has_text=name)).first
