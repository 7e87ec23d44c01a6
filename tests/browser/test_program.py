"""The program's column: the essence of its lines, names, what is copied, and what is shown whole."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.page_frame import shown_run
from tests.browser.settling import box_of, settle, show_tab

DENSE = (
    "stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT]"
    " : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> loc(#loc3)"
)
ADDED = "stablehlo.add %0, %1 : tensor<2x4xf32> loc(#loc4)"
PROGRAM = f"""#loc = loc(unknown)
#loc1 = loc("x")
#loc2 = loc("params['dense']['b1']")
module @jit_f attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func public @main(%arg0: tensor<2x3xf32> loc("x"), %arg1: tensor<3x4xf32> loc("params['dense']['w1']"), %arg2: tensor<4xf32> loc(#loc2)) -> (tensor<2x4xf32> {{jax.result_info = "result"}}) {{
    %0 = {DENSE}
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32> loc(#loc)
    %2 = {ADDED}
    return %2 : tensor<2x4xf32> loc(#loc)
  }} loc(#loc)
}} loc(#loc)
#loc3 = loc("train.py":3:8)
#loc4 = loc("train.py":4:8)
"""
HLO = """HloModule jit_f, is_scheduled=true

FileNames
1 "train.py"

ENTRY %main.4 (Arg_0.1: f32[2,3]) -> f32[2,3] {
  %Arg_0.1 = f32[2,3]{1,0} parameter(0), metadata={op_name="params[\\'w\\']"}
  ROOT %sum.2 = f32[2,3]{1,0} add(%Arg_0.1, %Arg_0.1), metadata={op_name="jit(f)/add" source_file="train.py" source_line=4}
}
"""
MARKUP = "(main) => main.outerHTML"


@pytest.fixture
def dense(record: Record) -> DebuggerPage:
    debugger = record(PROGRAM)
    return debugger


def line(page: Page, words: str) -> Locator:
    """The line of the program with these words in it."""
    return page.locator(".cm-line").filter(has_text=words)


@pytest.mark.main_path
def test_lines_show_their_essence_and_the_text_stays(dense: DebuggerPage, axe: Check) -> None:
    page = dense.page
    expect(line(page, "%0 =")).to_have_text("    %0 = dot_general %x × %params.dense.w1  [1]·[0]")
    expect(line(page, "%1 =")).to_have_text("    %1 = broadcast_in_dim %params.dense.b1  [1] → f32[2,4]")
    expect(line(page, "module")).to_have_text("module @jit_f {")
    expect(line(page, "func.func")).to_contain_text("@main(%x: f32[2,3], %params.dense.w1: f32[3,4],")
    expect(line(page, "lines of locations")).to_have_text(
        ["#loc … 3 lines of locations", "#loc3 … 2 lines of locations"]
    )
    axe(page, "#panel-program")

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".cm-content").focus()
    dense.press("Control+a")
    dense.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == PROGRAM
    expect(page.get_by_text("changed since run 1")).to_have_count(0)

    line(page, "dot_general").get_by_text("[1]·[0]").hover()
    expect(page.locator(".whole-line")).to_have_text(f"%0 = {DENSE}")
    page.keyboard.press("Escape")
    expect(page.locator(".whole-line")).to_have_count(0)


def test_the_whole_text_is_a_choice_that_is_kept_and_the_film_strip_is_as_wide_as_one_likes(
    dense: DebuggerPage,
) -> None:
    page = dense.page
    menu = page.get_by_role("button", name="How the program is shown")
    menu.click()
    choice = page.get_by_role("menuitemcheckbox", name="Whole text")
    expect(choice).to_be_focused()
    expect(choice).to_have_attribute("aria-checked", "false")
    page.keyboard.press("Enter")
    expect(menu).to_be_focused()
    expect(line(page, "%0 =")).to_have_text(f"    %0 = {DENSE}")
    expect(line(page, "#loc3 =")).to_be_visible()
    page.reload()
    dense.wait_until_recorded()
    expect(line(page, "%0 =")).to_have_text(f"    %0 = {DENSE}")
    dense.press("Alt+Shift+W")
    expect(line(page, "%0 =")).to_contain_text("[1]·[0]")

    dense.press("F10")
    strip = page.locator(".cm-strip .strip").filter(has=page.locator("img")).first
    expect(strip.locator(".range")).to_be_visible()
    expect(strip.locator(".type")).to_be_hidden()
    dense.press("Alt+Shift+S")
    expect(strip.locator(".type")).to_have_text("f32[2,4]")
    expect(strip.locator(".mean")).to_have_text(re.compile(r"^mean [-\d.]+$"))
    page.get_by_role("button", name="How the program is shown").click()
    page.get_by_role("menuitemradio", name="Narrow").click()
    expect(strip.locator("img")).to_be_visible()
    expect(strip.locator(".range")).to_be_hidden()
    page.reload()
    dense.wait_until_recorded()
    expect(strip.locator("img")).to_be_visible()
    expect(strip.locator(".range")).to_be_hidden()

    border = page.get_by_role("separator", name="Width of the film strip")
    at = box_of(border)
    page.mouse.move(at["x"], at["y"] + 200)
    page.mouse.down()
    page.mouse.move(at["x"] - 140, at["y"] + 200)
    page.mouse.up()
    expect(strip.locator(".range")).to_be_visible()
    expect(strip.locator(".type")).to_be_hidden()
    border.press("ArrowLeft")
    border.press("ArrowLeft")
    border.press("ArrowLeft")
    expect(strip.locator(".type")).to_be_visible()


def test_nothing_that_is_not_seen_is_deleted(dense: DebuggerPage) -> None:
    page = dense.page
    line(page, "%2 =").click(position={"x": 320, "y": 8})  # behind all that is seen
    dense.press("Backspace")
    expect(line(page, "%2 =")).to_have_text(f"    %2 = {ADDED}")
    expect(page.get_by_text("changed since run 1")).to_have_count(0)
    dense.press("Backspace")
    expect(page.get_by_text("changed since run 1")).to_be_visible()


def test_a_line_that_is_edited_is_shown_whole(dense: DebuggerPage) -> None:
    page = dense.page
    line(page, "%2 =").get_by_text("add", exact=True).click()
    expect(line(page, "%2 =")).to_have_text("    %2 = add %0, %1")
    dense.press("End")
    expect(line(page, "%2 =")).to_have_text(f"    %2 = {ADDED}")
    for _ in range(len(" loc(#loc4)")):
        dense.press("Backspace")
    expect(line(page, "%2 =")).to_have_text(f"    %2 = {ADDED.removesuffix(' loc(#loc4)')}")
    dense.press("ArrowUp")
    expect(line(page, "%2 =")).to_have_text("    %2 = add %0, %1")
    expect(line(page, "%1 =")).to_contain_text("stablehlo.broadcast_in_dim %arg2, dims")
    # The short form of a line ends before the column of the cursor: a line that a move shows in full does not scroll sideways.
    line(page, "%2 =").click(position={"x": 320, "y": 8})
    for key in ("ArrowUp", "ArrowDown", "ArrowUp"):
        dense.press(key)
    expect(line(page, "%1 =")).to_contain_text("stablehlo.broadcast_in_dim %arg2, dims")
    assert page.locator(".cm-scroller").evaluate("(scroller) => scroller.scrollLeft") == 0
    page.get_by_role("button", name="Run", exact=True).click()
    expect(shown_run(page)).to_be_visible()
    expect(line(page, "%1 =")).to_contain_text("broadcast_in_dim %params.dense.b1  [1]")


def test_a_line_with_an_error_is_shown_whole(dense: DebuggerPage) -> None:
    page = dense.page
    page.get_by_role("button", name="How the program is shown").click()
    expect(page.get_by_role("menuitemcheckbox", name="Whole text")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    line(page, "%2 =").click(position={"x": 300, "y": 8})
    dense.press("End")
    dense.press("Control+ArrowLeft")
    dense.press("Alt+Shift+W")
    dense.press("ArrowUp")
    dense.press("ArrowUp")
    dense.press("ArrowUp")
    page.mouse.move(0, 0)  # the line under the pointer is whole, too
    settle(page)
    expect(line(page, "%2 =")).to_have_text("    %2 = add %0, %1")
    broken = PROGRAM.replace(ADDED, ADDED.replace("tensor<2x4xf32>", "tensor<2x5xf32>"))
    dense.press("Control+a")
    page.keyboard.insert_text(broken)
    expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    expect(line(page, "%2 =")).to_contain_text("tensor<2x5xf32>")


def test_arguments_are_called_as_in_the_users_own_code(dense: DebuggerPage, record: Record) -> None:
    page = dense.page
    names = page.locator(".variable .label")
    expect(names.filter(has_text="%x")).to_have_count(1)
    names.filter(has_text="%params.dense.w1").click()
    expect(page.locator(".tensor-header .name")).to_have_text("%params.dense.w1")
    line(page, "%0 =").get_by_text("%x", exact=True).click()
    expect(page.locator(".tensor-header .name")).to_have_text("%x")

    hlo = record(HLO)
    expect(line(hlo.page, "ROOT")).to_have_text("  ROOT %sum.2 = add(%params.w, %params.w)")
    expect(line(hlo.page, "parameter")).to_have_text("  %params.w = parameter(0) → f32[2,3]")
    expect(line(hlo.page, "FileNames")).to_have_text("FileNames … 2 lines of locations")
    expect(hlo.page.locator(".variable .label").first).to_have_text("%params.w")
    hlo.choose_variable("%sum.2", "Results")
    show_tab(hlo.page, "Provenance")
    hlo.page.get_by_role("textbox", name="Elements of %sum.2").fill("0, 0")
    hlo.page.keyboard.press("Enter")
    expect(hlo.page.locator(".provenance-rows .label").first).to_contain_text("%params.w")
    expect(hlo.page.locator(".provenance-formula code").first).to_contain_text(
        "%params.w[0, 0] + %params.w[0, 0]"
    )
    for panel in ("Memory", "Op", "Graph", "Index map"):
        show_tab(hlo.page, panel)
        settle(hlo.page)
        assert "Arg_0.1" not in hlo.page.locator("main").evaluate(MARKUP), panel
    expect(hlo.page.locator(".memory-name")).to_have_text(["%params.w", "%sum.2"])


def test_on_a_phone_results_stand_under_their_lines(dense: DebuggerPage) -> None:
    page = dense.page
    page.set_viewport_size({"width": 390, "height": 844})
    dense.press("F10")
    settle(page)
    result = page.locator(".cm-content .strip").first
    above, below = box_of(line(page, "%0 =")), box_of(result)
    assert below["y"] >= above["y"] + above["height"] - 1
    assert below["x"] + below["width"] <= 390
    expect(result.locator(".type")).to_have_text("f32[2,4]")
    expect(page.locator(".cm-strip")).to_be_hidden()
    result.click()
    expect(page.locator(".cm-content .strip.chosen")).to_have_count(1)


def marked(page: Page, sign: str) -> int:
    """The number of the line that has this sign in the gutter."""
    settle(page)
    box = box_of(page.locator(f".cm-marks .{sign}"))
    numbers = page.locator(".cm-lineNumbers .cm-gutterElement").all()
    for number in numbers:
        at = number.bounding_box()
        if at and at["y"] <= box["y"] + box["height"] / 2 < at["y"] + at["height"]:
            return int(number.inner_text())
    raise AssertionError("it stands at no line")


LOOP = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<f32>
  cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %twice = stablehlo.add %sum, %sum : tensor<f32>
    stablehlo.return %next, %twice : tensor<i32>, tensor<f32>
  }
  return %end#1 : tensor<f32>
}
"""


@pytest.mark.main_path
def test_the_status_names_the_lines_that_the_editor_marks(dense: DebuggerPage) -> None:
    """➜ is the current op, whose result Tensor shows, and ✓ the previous one."""
    page = dense.page
    expect(page.locator(".cm-marks .arrow")).to_have_count(1)
    expect(page.locator(".cm-marks .previous")).to_have_count(0)
    dense.stopped("Start of the run. Current op: line 6.")
    dense.press("F10")
    dense.stopped("Stepped over. Current op: line 7, previous op: line 6.")
    assert (marked(page, "previous"), marked(page, "arrow")) == (6, 7)
    settle(page)
    expect(page.locator(".where .outcome")).to_contain_text("%1:")
    dense.press("Alt+Shift+F10")
    assert marked(page, "arrow") == 6
    expect(page.locator(".cm-marks .previous")).to_have_count(0)


def test_the_end_of_a_long_run_is_in_view_and_a_long_line_that_is_not_seen_makes_no_text_wide(
    record: Record,
) -> None:
    inputs = ", ".join(f"%a{at}: tensor<2x3xf32>" for at in range(60))
    lines = "".join(f"  %{at} = stablehlo.tanh %a{at % 60} : tensor<2x3xf32>\n" for at in range(200))
    debugger = record(
        f"func.func @main({inputs}) -> tensor<2x3xf32> {{\n{lines}  return %199 : tensor<2x3xf32>\n}}\n"
    )
    page = debugger.page
    debugger.press("F5")
    debugger.stopped("has finished")
    expect(line(page, "return")).to_be_in_viewport()
    settle(page)
    wide = "(scroller) => scroller.scrollWidth - scroller.clientWidth"
    assert page.locator(".cm-scroller").evaluate(wide) < 600


def test_go_to_when_a_line_ran(record: Record, axe: Check) -> None:
    loop = record(LOOP)
    page = loop.page
    number = page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text("11", exact=True)
    number.click(button="right")
    menu = page.get_by_role("menu", name="Line 11")
    expect(menu.get_by_text("Go to when line 11 ran: 5 executions")).to_be_visible()
    expect(menu.get_by_role("menuitem", name="The time before")).to_have_attribute("aria-disabled", "true")
    axe(page, "[role=menu]")
    menu.get_by_role("menuitem", name="The next time").click()
    loop.at_step(7)
    loop.at_line(11)
    number.click(button="right")
    menu.get_by_role("menuitem", name="The last time").click()
    loop.at_step(35)

    line(page, "%twice =").get_by_text("add", exact=True).click()
    loop.press("Alt+Shift+g")
    page.get_by_role("spinbutton", name="Iteration").fill("2")
    page.keyboard.press("Enter")
    loop.at_step(21)
    loop.press("Alt+Shift+g")
    page.get_by_role("menuitemradio", name="iteration 3").click()
    loop.at_step(28)
    loop.press("Alt+Shift+g")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()

    line(page, "%next =").get_by_text("%next", exact=True).click(button="right")
    made = page.get_by_role("menu", name="%next")
    made.get_by_role("menuitem", name="When it was made").click()
    expect(made.get_by_text("Go to when %next was made: 5 executions")).to_be_visible()
    made.get_by_role("menuitem", name="The time before").click()
    loop.at_step(27)
    loop.at_line(10)


def test_a_value_tells_where_it_comes_from_and_where_it_goes(dense: DebuggerPage, axe: Check) -> None:
    page = dense.page
    dense.press("F10")
    dense.press("F10")
    line(page, "%2 =").get_by_text("%0", exact=True).hover()
    card = page.locator(".value:has(> .value-head)")
    expect(card).to_contain_text("tensor<2x4xf32>")
    expect(card.locator("canvas")).to_be_visible()
    expect(card).to_contain_text("Made in step 0 by dot_general, line 6")
    expect(card).to_contain_text("Read next in step 2 by add, line 8")
    axe(page, "#panel-program")
    card.get_by_role("button", name="Go to where it was made").click()
    dense.at_step(0)
    dense.at_line(6)
    page.mouse.move(5, 5)
    line(page, "%2 =").get_by_text("%0", exact=True).hover()
    expect(card).to_contain_text("Will be made in step 0")
    page.mouse.move(5, 5)

    line(page, "%2 =").get_by_text("%0", exact=True).click()
    page.mouse.move(5, 5)
    dense.press("Alt+Shift+v")
    dialog = page.get_by_role("dialog", name="The value %0")
    expect(dialog).to_be_focused()
    dialog.get_by_role("button", name="Go to its next reader").press("Enter")
    dense.at_step(2)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    line(page, "%0 =").get_by_text("%x", exact=True).hover()
    expect(card).to_contain_text("An input of the run.")
    expect(card).to_contain_text("%arg0")
