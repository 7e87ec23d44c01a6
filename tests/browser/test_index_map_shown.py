"""The index map tab: of which op it is, in which processes elements lie, and where windows hold none."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import text_of
from tests.browser.index_map_page import GATHER, at_op, grid, hover, readout
from tests.browser.settling import box_of, settle

OWN = """module attributes {mhlo.num_replicas = 3 : i32} {
func.func @main() -> tensor<2xui32> {
  %me = stablehlo.replica_id : tensor<ui32>
  %x = stablehlo.broadcast_in_dim %me, dims = [] : (tensor<ui32>) -> tensor<2xui32>
  %y = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}> : (tensor<2xui32>) -> tensor<2xui32>
  return %y : tensor<2xui32>
}}
"""
EXCHANGE = """module attributes {mhlo.num_replicas = 2 : i32} {
func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %gathered = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %gathered : tensor<4xf32>
}}
"""


def test_elements_of_other_processes_are_named_and_shown_with_their_values(
    record: Record, axe: Check
) -> None:
    debugger = record(EXCHANGE)
    page = at_op(debugger, 0)
    there = page.get_by_role("img", name="%x in process (1, 0)")
    hover(page, "%gathered", 0, 3, 1, 4)
    expect(readout(page)).to_contain_text("%gathered[3] reads 1 element of %x, in process (1, 0).")
    expect(there).to_have_accessible_name("%x in process (1, 0): [1] belongs")
    expect(page.locator(".index-tensor.related.lit .index-process")).to_contain_text("in process (1, 0)")
    hover(page, "%gathered", 0, 1, 1, 4)
    expect(there).to_have_accessible_name("%x in process (1, 0): no element belongs")
    expect(page.locator(".index-tensor.related.lit .index-process")).to_have_text("in process (0, 0) shown")
    hover(page, "%x", 0, 1, 1, 2)
    expect(readout(page)).to_contain_text(
        "%x[1] goes into 2 elements of %gathered, in processes (0, 0) and (1, 0)."
    )
    expect(page.get_by_role("img", name="%gathered in process (1, 0): [1] belongs")).to_be_visible()
    axe(page, "#panel-index")
    page.get_by_role("button", name="Show", exact=True).first.click()
    expect(page.get_by_role("img", name="%x in process (0, 0)")).to_be_visible()
    expect(page.get_by_label("Process", exact=True)).to_have_value("1")

    at_op(record(OWN), 2)  # process 0 is sent what process 2 has
    hover(page, "%y", 0, 1, 1, 2)
    expect(readout(page)).to_contain_text("%y[1] reads 1 element of %x, in process (2, 0).")
    written = page.locator(".index-tensor.related.lit")
    expect(written.get_by_role("img")).to_have_accessible_name("%x in process (2, 0): [1] belongs")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="SVG").click()
    text = download.value.path().read_text()
    titles = re.findall(r">(%[xy] [^<]*in process \(\d, 0\))", text)
    assert len(titles) == len(set(titles)) == 6
    for process in range(3):
        drawn = text.split(f"in process ({process}, 0)<")[1].split(">%")[0]
        assert drawn.count(f">{process}</text>") >= 2, drawn


def test_at_the_end_it_shows_what_made_the_result(record: Record, axe: Check) -> None:
    debugger = record(GATHER)
    page = at_op(debugger, 3)
    told = page.locator(".index-which")
    expect(told).to_have_text(
        re.compile(r"^This op makes no value\. These are the maps of %picked: gather on line 4")
    )
    debugger.press("F10")
    expect(page.locator(".where .count")).to_contain_text("end of 4 steps")
    expect(page.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    expect(told).to_have_text(re.compile(r"^The run has ended here\. .*, as step 2 ran it\."))
    hover(page, "%picked", 1, 1, 3, 2)
    expect(readout(page)).to_contain_text("%picked[1, 1] reads 1 of 10 elements of %table: [4, 1].")
    expect(page.get_by_label("With the numbers of this element").first).to_contain_text(
        "rt0 = %rows[1, 0] = 9"
    )
    axe(page, "#panel-index")
    told.get_by_role("button", name="Go to step 2").click()
    debugger.at_line(4)
    expect(told).to_have_count(0)


REVERSING = """func.func @main() -> (tensor<i32>, tensor<3xi32>) {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.iota dim = 0 : tensor<3xi32>
  %n:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, tensor<3xi32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %less = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
      %turned = stablehlo.reverse %v, dims = [0] : tensor<3xi32>
      stablehlo.return %next, %turned : tensor<i32>, tensor<3xi32>
    }
  return %n#0, %n#1 : tensor<i32>, tensor<3xi32>
}
"""


@pytest.mark.main_path
def test_the_op_of_a_chosen_value_is_shown_where_it_was_run(record: Record) -> None:
    debugger = record(REVERSING)
    page = at_op(debugger, 0)
    told = page.locator(".index-which")
    debugger.press("F5")
    expect(told).to_contain_text("%n#0: while on line 4")
    debugger.variable("%n#1").click()
    expect(page.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    expect(told).to_contain_text("These are the maps of %n#1: while on line 4")
    expect(readout(page)).to_contain_text("%n#1[0] reads")
    expect(page.get_by_role("group", name="Elements of %n#1, one after another")).to_be_visible()
    page.locator(".cm-strip [title^='%turned']").click()  # seen from the end: as the last iteration ran it
    expect(told).to_contain_text(
        re.compile("These are the maps of %turned: reverse on line 12, as step 2. ran it")
    )
    page.get_by_role("grid", name="Elements of %v,").focus()
    page.keyboard.press("Home")
    expect(page.locator("#index-operand-0-cell")).to_have_text("[0] = 0")
    expect(readout(page)).to_contain_text("%v[0] goes into 1 of 3 elements of %turned: [2].")


DILATED = """func.func @main() -> tensor<4x3xi32> {
  %x = stablehlo.iota dim = 1 : tensor<4x5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>,
    base_dilations = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x5xi32>, tensor<i32>) -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}
"""


def test_holes_of_a_dilated_tensor_are_drawn(record: Record, axe: Check) -> None:
    page = at_op(record(DILATED), 2)
    hover(page, "%y", 1, 1, 4, 3)
    expect(readout(page)).to_contain_text("%y[1, 1] reads no element of %x.")
    expect(readout(page)).to_contain_text(
        "Of the 6 positions of its window over %x, 6 lie in holes: no element is there."
    )
    hover(page, "%y", 0, 0, 4, 3)
    expect(readout(page)).to_contain_text("4 lie in padding: no element is there.")
    expect(page.locator(".index-legend")).to_contain_text("padding, and holes between elements")
    # One row and two columns of padding, elements two apart.
    rows, columns = 1 + 7, 2 + 9
    hover(page, "%x", 1 + 2 * 2, 2 + 2 * 3, rows, columns)
    expect(readout(page)).to_contain_text("%x[2, 3] goes into")
    hover(page, "%x", 1 + 2 * 2, 2 + 2 * 3 + 1, rows, columns)
    expect(readout(page)).not_to_contain_text("%x[2")
    assert grid(page, "%x").get_attribute("aria-rowcount") == "4"
    grid(page, "%x").focus()
    for key in ("Home", "ArrowRight", "ArrowDown", "End"):
        page.keyboard.press(key)
    expect(page.locator("#index-operand-0-cell")).to_have_text("[1, 4] = 4")
    axe(page, "#panel-index")


BRANCHES = """func.func @main() -> tensor<4xf32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %y = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %r = "stablehlo.if"(%p) ({
    %a = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }, {
    %b = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %s = stablehlo.select %p, %r, %x : tensor<i1>, tensor<4xf32>
  return %s : tensor<4xf32>
}
"""


def test_of_an_if_and_a_select_what_hangs_on_the_run_and_what_it_took(
    record: Record,
) -> None:
    page = at_op(record(BRANCHES), 3)
    formulas = page.get_by_role("region", name="Formulas")
    hedge = "Data-dependent: whether a run reads it depends on the branch taken or the trip count."
    for name, count in (("%p", 0), ("%x", 0), ("%y", 1)):
        formula = formulas.locator(".index-formula").filter(
            has=page.get_by_role("heading", name=name, exact=True)
        )
        expect(formula).to_have_count(1)
        expect(formula.get_by_text(hedge)).to_have_count(count)
    page.keyboard.press("F10")
    settle(page)
    hover(page, "%s", 0, 1, 1, 4)
    expect(readout(page)).to_contain_text("%s[1] reads no element of %x.")


ATTENTION = """func.func @main(%q: tensor<32x6x48xf32>, %k: tensor<40x6x48xf32>, %wide: tensor<48x1536xf32>) -> (tensor<6x32x40xf32>, tensor<48x1536xf32>) {
  %scores = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<32x6x48xf32>, tensor<40x6x48xf32>) -> tensor<6x32x40xf32>
  %tanh = stablehlo.tanh %wide : tensor<48x1536xf32>
  return %scores, %tanh : tensor<6x32x40xf32>, tensor<48x1536xf32>
}
"""


def test_operands_and_result_stand_side_by_side_whole_and_a_batch_in_the_middle_is_held(
    page: Page, record: Record
) -> None:
    """At 1,280 x 720."""
    page.set_viewport_size({"width": 1280, "height": 720})
    at_op(record(text_of("mlp")), 0)
    stage = box_of(page.get_by_role("article", name="Index map").locator(".."))
    boxes = [grid(page, name).locator("canvas").bounding_box() for name in ("%arg6", "%arg0", "%0")]
    left, other, result = (box for box in boxes if box)
    for box in (left, other, result):
        assert box["y"] + box["height"] <= stage["y"] + min(stage["height"], 720 - stage["y"])
        assert box["x"] + box["width"] <= 1280
    assert result["x"] >= max(left["x"] + left["width"], other["x"] + other["width"])

    at_op(record(ATTENTION), 0)
    title = page.locator(".index-tensor figcaption")
    expect(title.nth(0)).to_contain_text("%q[:, 0, :]")
    expect(title.nth(1)).to_contain_text("%k[:, 0, :]")
    expect(title.nth(2)).to_contain_text("%scores[0, :, :]")
    # The pictures of both operands are seen whole above what is said of them.
    said = box_of(page.locator(".index-readout").first)
    low = box_of(grid(page, "%k").locator("canvas"))
    assert low["y"] + low["height"] <= said["y"]
    expect(grid(page, "%q")).to_have_attribute("aria-rowcount", "32")
    expect(grid(page, "%q")).to_have_attribute("aria-colcount", "48")
    page.keyboard.press("F10")
    expect(title.nth(0)).to_contain_text("%wide")
    settle(page)
    wide = box_of(grid(page, "%wide").locator("canvas"))
    assert wide["height"] > 100, wide
