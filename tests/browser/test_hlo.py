"""HLO text in the browser: read, stepped through, its tuples opened, its layouts turned to the order of memory."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, OpenPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

PROGRAM = """HloModule jit_f, is_scheduled=true

FileNames
1 "train.py"

FunctionNames
1 "step"
2 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=30 end_line=30 column=4 end_column=9}
2 {file_name_id=1 function_name_id=2 line=77 end_line=77 column=2 end_column=5}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

%fused (p: f32[2,3]) -> f32[2,3] {
  %p = f32[2,3]{0,1} parameter(0)
  ROOT %doubled = f32[2,3]{0,1} add(%p, %p), metadata={op_name="jit(f)/while/add" stack_frame_id=2}
}

%below (state: (s32[], (f32[2,3], pred[]))) -> pred[] {
  %state = (s32[], (f32[2,3]{0,1}, pred[])) parameter(0)
  %count = s32[] get-tuple-element(%state), index=0
  %three = s32[] constant(3)
  ROOT %less = pred[] compare(%count, %three), direction=LT
}

%body (old: (s32[], (f32[2,3], pred[]))) -> (s32[], (f32[2,3], pred[])) {
  %old = (s32[], (f32[2,3]{0,1}, pred[])) parameter(0)
  %number = s32[] get-tuple-element(%old), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%number, %one)
  %rest = (f32[2,3]{0,1}, pred[]) get-tuple-element(%old), index=1
  %matrix = f32[2,3]{0,1} get-tuple-element(%rest), index=0
  %flag = pred[] get-tuple-element(%rest), index=1
  %fusion = f32[2,3]{0,1} fusion(%matrix), kind=kLoop, calls=%fused
  %inner = (f32[2,3]{0,1}, pred[]) tuple(%fusion, %flag)
  ROOT %new = (s32[], (f32[2,3]{0,1}, pred[])) tuple(%next, %inner)
}

ENTRY %main (x: f32[2,3]) -> (s32[], (f32[2,3], pred[])) {
  %x = f32[2,3]{1,0} parameter(0), metadata={op_name="x"}
  %turned = f32[2,3]{0,1} copy(%x)
  %zero = s32[] constant(0)
  %yes = pred[] constant(true)
  %pair = (f32[2,3]{0,1}, pred[]) tuple(%turned, %yes)
  %begin = (s32[], (f32[2,3]{0,1}, pred[])) tuple(%zero, %pair)
  ROOT %end = (s32[], (f32[2,3]{0,1}, pred[])) while(%begin), condition=%below, body=%body
}
"""
INPUTS = "// title: Loop\n// description: Doubles a matrix three times.\n// inputs: iota\n"
NUMBERS = np.arange(6, dtype=np.float32).reshape(2, 3)


def _line(words: str) -> int:
    lines = (INPUTS + PROGRAM).splitlines()
    return 1 + next(number for number, line in enumerate(lines) if words in line)


@pytest.fixture
def loop(record: Record) -> DebuggerPage:
    debugger = record(INPUTS + PROGRAM)
    return debugger


def _strip(page: Page, line: int) -> Locator:
    """What stands at the right edge of a line, once it is drawn."""
    number = page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text(str(line), exact=True)
    settle(page)
    box = box_of(number)
    strips = page.locator(".strip")
    tops: list[float] = strips.evaluate_all(
        "strips => strips.map((strip) => strip.getBoundingClientRect().y)"
    )
    beside = [at for at, top in enumerate(tops) if abs(top - box["y"]) < box["height"] / 2]
    assert beside, f"nothing stands beside line {line}"
    return strips.nth(beside[0])


def _to_the_end(debugger: DebuggerPage) -> None:
    debugger.press("F5")
    expect(debugger.page.locator(".where .count")).to_contain_text("end of")


@pytest.mark.main_path
def test_pasted_text_is_known_as_hlo(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    page.get_by_role("textbox").first.fill(PROGRAM)
    expect(page.locator("#program-said")).to_have_text("XLA HLO text with 4 computations. No errors.")
    axe(page)
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    expect(page.get_by_role("heading", name="program.hlo")).to_be_visible()


@pytest.mark.main_path
def test_stepping_goes_into_computations_by_their_names(loop: DebuggerPage) -> None:
    page = loop.page
    loop.at_line(_line("%turned ="))
    for _ in range(5):
        loop.press("F11")
    loop.at_line(_line("while("))
    loop.press("F11")
    frame = page.locator(".frame.current .title")
    expect(frame).to_have_text("while condition · iteration 0 of 3 · below")
    loop.at_line(_line("%count ="))
    loop.toggle_breakpoint(_line("ROOT %doubled"))
    loop.press("F5")
    expect(frame).to_have_text("fusion · fused")
    expect(page.locator(".frame .title")).to_have_text(
        ["fusion · fused", "while body · iteration 0 of 3 · body", "main"]
    )
    loop.press("F5")
    expect(page.locator(".frame .title").nth(1)).to_have_text("while body · iteration 1 of 3 · body")
    loop.choose_variable("%doubled", "Results")
    assert np.array_equal(loop.shown_array(), 4 * NUMBERS)
    show_tab(page, "Steps")
    expect(page.locator(".step.current .op")).to_have_text("add")


def test_where_an_op_comes_from_what_it_is_and_what_its_parameter_holds(loop: DebuggerPage) -> None:
    page = loop.page
    expect(page.locator(".cm-content")).not_to_contain_text("op_name")
    loop.press("Alt+Shift+W")
    expect(page.locator(".cm-content")).to_contain_text("op_name")
    loop.press("Alt+Shift+W")
    expect(page.locator(".cm-content")).not_to_contain_text("op_name")

    page.locator(".cm-line", has_text="ROOT %doubled").scroll_into_view_if_needed()
    loop.toggle_breakpoint(_line("ROOT %doubled"))
    loop.press("F5")
    show_tab(page, "Op")
    panel = page.locator(".op-panel")
    expect(panel.locator(".title")).to_have_text("add")
    source = panel.locator("section").filter(has=page.get_by_role("heading", name="Source"))
    expect(source.locator("dd").nth(1)).to_have_text("jit(f)/while/add")
    expect(source.locator("dd").nth(2)).to_have_text("train.py:30:4 in step")
    expect(source.locator("dt").nth(3)).to_have_text("called from")
    expect(panel.locator("dt", has_text="metadata")).to_have_count(0)
    loop.press("Alt+Shift+F11")
    expect(panel.locator(".title")).to_have_text("fusion")
    attributes = panel.locator("section").filter(has=page.get_by_role("heading", name="Attributes"))
    expect(attributes.locator("dd")).to_have_text(["kLoop", "%fused"])

    loop.press("Control+Shift+F5")
    loop.breakpoints().first.click()
    expect(_strip(page, _line("%x = "))).to_contain_text("f32[2,3]")
    loop.toggle_breakpoint(_line("ROOT %less"))
    loop.press("F5")
    loop.press("F5")  # in the second iteration
    expect(_strip(page, _line("%state = ")).locator(".range")).to_have_text("1, true")
    page.locator(".cm-line", has_text="%three =").get_by_text("%three").hover()
    expect(page.locator(".cm-tooltip .value")).to_contain_text("s32[]")
    page.mouse.move(1, 1)  # a card may lie over what one points at next
    expect(page.locator(".cm-tooltip .value")).to_have_count(0)
    page.locator(".cm-line", has_text="%state =").get_by_text("%state").hover()
    expect(page.locator(".cm-tooltip .value")).to_contain_text("a tuple of 2")
    page.mouse.move(1, 1)
    page.locator(".cm-line", has_text="%fusion =").get_by_text("fusion", exact=True).hover()
    card = page.locator(".op-card")
    expect(card.get_by_role("link")).to_have_attribute("href", "/ops/hlo.fusion")
    page.keyboard.press("Escape")
    page.locator(".cm-line", has_text="%next =").click(position={"x": 4, "y": 8})
    page.mouse.move(1, 1)
    page.keyboard.press("Shift+F1")
    expect(page.get_by_role("dialog", name="stablehlo.add")).to_be_focused()


def test_tuples_are_opened_and_a_value_is_turned_to_its_order_in_memory(
    loop: DebuggerPage, axe: Check
) -> None:
    page = loop.page
    _to_the_end(loop)
    expect(page.locator(".tensor-header .name")).to_have_text("%end")
    rows = page.get_by_role("tabpanel", name="Tensor").locator(".tuple-rows .variable")
    expect(rows.locator(".label")).to_have_text(["{0}", "{1}", "{1,0}", "{1,1}"])
    expect(rows.first.locator(".range")).to_have_text("3")
    axe(page, "#panel-tensor")
    rows.nth(1).locator(".disclose").click()
    expect(rows).to_have_count(2)
    rows.nth(1).locator(".disclose").click()
    rows.nth(2).click()
    expect(page.locator(".tensor-header .name")).to_have_text("%end{1,0}")
    assert np.array_equal(loop.shown_array(), 8 * NUMBERS)

    inspector = page.get_by_role("region", name="Variables")
    loop.variable("%end").locator(".disclose").click()
    chosen = inspector.get_by_role("treeitem", name="%end{1,0}")
    expect(chosen).to_have_attribute("aria-selected", "true")
    inspector.get_by_role("treeitem", name="%end{1,1}").click()
    expect(page.locator(".tensor-scalar")).to_have_text("true")

    loop.press("Control+Shift+F5")
    loop.at_step(0)
    loop.choose_variable("%turned", "Results")
    expect(page.locator(".tensor-order")).to_contain_text("{0,1} column-major")
    physical = page.get_by_role("button", name="Physical")
    picture = page.get_by_role("application", name=re.compile("^Heat map"))
    readout = page.locator(".tensor-readout output")
    physical.click()
    expect(physical).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Rows").locator("option:checked")).to_have_text("d1 : 3")
    for keys, said in [
        ("ArrowRight", "[0, 0] = 0  offset 0"),
        ("ArrowRight", "[1, 0] = 3  offset 1"),
        ("ArrowDown", "[1, 1] = 4  offset 3"),
    ]:
        picture.press(keys)
        expect(readout).to_have_text(f"%turned{said} in memory")
    picture.press("o")
    expect(physical).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_label("Rows").locator("option:checked")).to_have_text("d0 : 2")
    assert np.array_equal(loop.shown_numbers(2, 3), NUMBERS)
    page.get_by_role("grid").press("o")
    assert np.array_equal(loop.shown_numbers(3, 2), NUMBERS.T)
    cell = page.get_by_role("gridcell").nth(3)
    expect(cell).to_have_attribute("title", "4, element [1, 1] at offset 3 in memory")

    loop.choose_variable("%x", "Operands")
    expect(physical).to_have_attribute("aria-disabled", "true")
    expect(physical).to_have_accessible_description(re.compile("both orders are the same"))
    assert np.array_equal(loop.shown_numbers(2, 3), NUMBERS)


def test_the_language_follows_what_is_pasted(open_page: OpenPage) -> None:
    page = open_page("/")
    debugger = DebuggerPage.example(page, "Softmax")
    expect(page.locator(".cm-foldGutter")).to_have_count(0)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(INPUTS + PROGRAM)
    expect(page.locator(".cm-foldGutter")).to_have_count(1)
    page.keyboard.press("Control+Home")
    page.locator(".cm-line", has_text="%fused (p:").click(position={"x": 4, "y": 8})
    page.keyboard.press("Control+Shift+BracketLeft")
    expect(page.locator(".cm-content")).not_to_contain_text("%doubled")
    page.keyboard.press("Control+Shift+BracketRight")
    expect(page.locator(".cm-content")).to_contain_text("%doubled")
    page.keyboard.press("Control+Enter")
    debugger.at_line(_line("%turned ="))

    open_page("/ops/reduce-window")
    expect(page.get_by_role("heading", level=1)).to_have_text("stablehlo.reduce_window")
    section = page.get_by_role("region", name="In HLO text")
    expect(section).to_contain_text(
        "The opcode is reduce-window; XLA's operation semantics call it ReduceWindow."
    )
    expect(section).to_contain_text("the initial value counts once in each")
    page.goto(page.url.replace("/reduce-window", ""))
    family = page.get_by_role("region", name="HLO text alone")
    expect(family.get_by_role("link", name="hlo.fusion")).to_be_visible()


SPELLED = """HloModule spelled

ENTRY %main (x: s32[4]) -> pred[4] {
  %x = s32[4] parameter(0)
  %two = s32[] constant(2)
  %spread = s32[4] broadcast(%two), dimensions={}
  %sum = s32[4] add(%x, %spread)
  ROOT %less = pred[4] compare(%sum, %x), direction=LT
}
"""


@pytest.mark.main_path
def test_panels_name_types_and_ops_as_the_text_does(record: Record) -> None:
    debugger = record("// inputs: [1, 2, 3, 4]\n" + SPELLED)
    page = debugger.page
    debugger.press("F10")
    page.get_by_role("button", name="Add a breakpoint").click()
    page.get_by_role("menuitem", name=re.compile("^op of a kind")).click()
    expect(page.get_by_label("at", exact=True)).to_have_value("broadcast")
    names = page.locator("#breakpoint-names option")
    offered = names.evaluate_all("options => options.map(({ value }) => value)")
    assert offered == ["add", "broadcast", "compare", "constant", "return"]
    expect(page.get_by_role("button", name="op broadcast", exact=True)).to_be_visible()
    _to_the_end(debugger)
    debugger.press("Alt+Shift+F5")
    debugger.stopped("a breakpoint on op broadcast")

    _to_the_end(debugger)
    for name, type in (("%sum", "s32"), ("%less", "pred")):
        debugger.variable(name).click()
        settle(page)
        picture = page.get_by_role("application", name=re.compile(f"^Heat map of {name}"))
        picture.press("Home")
        if name == "%sum":
            page.get_by_text("Bits", exact=True).click()
        expect(page.get_by_role("group", name=f"Bits of {name}[0]")).to_contain_text(f" {type}, ")
        picture.press("Shift+Enter")
        expect(page.locator(".microscope .type")).to_have_text(type)
        show_tab(page, "Tensor")
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("menuitem", name="Pin this value").click()
    page.get_by_role("button", name="Subtract").click()
    expect(page.locator(".tensor-header .type")).to_have_text("f64[4]")
    show_tab(page, "Graph")
    graph = page.get_by_role("application", name=re.compile("^Graph"))
    said = ""
    for _ in range(4):
        graph.press("ArrowDown")
        settle(page)
        said += graph.get_by_role("status").inner_text()
    assert "pred[4]" in said
    assert not re.search(r"\bi\d", said)


@pytest.mark.main_path
def test_a_chosen_value_without_a_value_is_named_beside_what_is_drawn(record: Record) -> None:
    debugger = record("// inputs: [1, 2, 3, 4]\n" + SPELLED)
    page = debugger.page
    _to_the_end(debugger)
    debugger.variable("%sum").click()
    expect(page.locator("#panel-tensor .name").first).to_have_text("%sum")
    debugger.press("Control+Shift+F5")
    debugger.at_step(0)
    expect(page.get_by_title("%sum has no value yet")).to_be_visible()
    expect(page.locator(".tensor-header")).to_contain_text("in place of %sum, which has no value yet")
