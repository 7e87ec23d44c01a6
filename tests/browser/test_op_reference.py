"""The op reference: an example runs in its page, and the editor says what an op is."""

import re
from typing import Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, OpenPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle


def _below(page: Page, *said: str) -> None:
    """Fails unless this comes to stand below the lines of the example."""
    expect(page.locator(".below > div")).to_have_text(list(said), use_inner_text=True)


def _results(page: Page, said: str) -> Locator:
    words = r"\s*".join(map(re.escape, said.split()))  # there are gaps between them, and no spaces
    return page.locator(".below > div").filter(has_text=re.compile(rf"^\s*{words}\s*$"))


@pytest.mark.main_path
def test_stepping_through_an_example(open_page: OpenPage) -> None:
    page = open_page("/ops/if")
    status = page.get_by_role("toolbar").get_by_role("status")
    expect(status).to_contain_text("the program has ended")
    page.get_by_role("button", name="First step").click()
    expect(status).to_contain_text("step 1 of")
    _below(page)
    step = page.get_by_role("button", name="Step", exact=True)
    while "has ended" not in status.inner_text():
        step.click()
    expect(_results(page, "%result 10")).to_be_visible()
    expect(step).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Step back").click()
    expect(status).not_to_contain_text("has ended")


def _rewrite(page: Page, old: str, new: str) -> None:
    """Changes the example's text as by pasting another one."""
    content = page.locator(".cm-content")
    lines: list[str] = content.locator(".cm-line").all_inner_texts()
    content.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("\n".join(lines).replace(old, new))


def test_an_example_may_be_changed_and_goes_to_the_debugger(open_page: OpenPage) -> None:
    page = open_page("/ops/abs")
    status = page.get_by_role("toolbar").get_by_role("status")
    expect(status).to_contain_text("the program has ended")
    _rewrite(page, "[-2, 0, 2]> : tensor<3xi32>\n  %result", "[-7, 0, 2]> : tensor<3xi32>\n  %result")
    expect(status).to_contain_text("Changed")
    _below(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".below .failed")).to_contain_text("expect_eq_const")
    expect(_results(page, "%result [7, 0, 2]")).to_be_visible()

    _rewrite(page, "stablehlo.abs", "stablehlo.absolute")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".problems")).to_contain_text("unknown op")
    page.get_by_role("button", name="Undo changes").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(status).to_contain_text("the program has ended")
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    DebuggerPage(page).wait_until_recorded()
    expect(page.locator(".cm-content")).to_contain_text("abs %operand")


@pytest.mark.main_path
def test_ops_are_found_by_their_names_elsewhere_and_their_opcodes(open_page: OpenPage) -> None:
    page = open_page("/ops")
    page.get_by_role("searchbox").fill("opt-barrier")
    expect(page.get_by_text("1 op", exact=True)).to_be_visible()
    page.get_by_role("link", name="stablehlo.optimization_barrier").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("stablehlo.optimization_barrier")
    page.go_back()
    page.get_by_role("searchbox").fill("no such op")
    expect(page.get_by_text(re.compile("^No matches"))).to_be_visible()
    opcodes = {"reduce-window": "stablehlo.reduce_window", "all-reduce-start": "hlo.all_reduce_start"}
    for opcode, op in opcodes.items():
        page.get_by_role("searchbox").fill(opcode)
        page.get_by_role("link", name=op, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(op)
        expect(page.get_by_text(f"The opcode is {opcode};")).to_be_visible()
        page.go_back()
    page.get_by_role("searchbox").fill("parameter")
    expect(page.get_by_text("0 ops", exact=True)).to_be_visible()
    expect(page.get_by_text("No op: parameter(0)")).to_be_visible()


@pytest.mark.main_path
def test_pointing_at_an_op_and_a_key_say_what_it_is(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    DebuggerPage.example(page, "Softmax").wait_until_recorded()  # nothing moves under the pointer any more
    page.locator(".cm-content").get_by_text("exponential", exact=True).hover()
    card = page.locator(".op-card")
    expect(card).to_contain_text("exponential(operand) → result")
    expect(card.get_by_role("link")).to_have_attribute("href", "/ops/stablehlo.exponential")
    card.hover()  # the pointer may go there without losing it
    axe(page, "#panel-program")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)

    page.locator(".cm-line", has_text="divide %").click(position={"x": 30, "y": 8})
    page.mouse.move(1, 1)
    page.keyboard.press("Shift+F1")
    card = page.get_by_role("dialog", name="stablehlo.divide")
    expect(card).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()


@pytest.mark.parametrize(
    ("op", "width", "theme"),
    [("stablehlo.gather", 420, "light"), ("stablehlo.send", 420, "dark"), ("chlo.top_k", 1280, "dark")],
)
def test_pages_of_ops(
    page: Page,
    open_page: OpenPage,
    axe: Check,
    op: str,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    open_page(f"/ops/{op}")
    expect(page.locator(".below").first).to_be_visible()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
        "nothing reaches over the edge"
    )
    axe(page)


def test_an_example_of_hlo_text_has_run_when_its_page_opens(open_page: OpenPage) -> None:
    page = open_page("/ops/hlo.fusion")
    expect(page.get_by_role("status").first).to_contain_text("the program has ended")
    _below(
        page,
        "%difference [-3, -1, 1, 3]",
        "%square [9, 1, 1, 9]",
        "%root [3, 1, 1, 3]",
        "%distance [3, 1, 1, 3]",
    )
    rules = page.get_by_role("region", name="Constraints")
    expect(rules).to_contain_text("The module has a computation calls")


def test_the_question_at_the_end_is_answered_in_place_also_by_keyboard(
    open_page: OpenPage, axe: Check
) -> None:
    page = open_page("/ops/stablehlo.transpose")
    section = page.get_by_role("region", name="Try it")
    field = section.get_by_label("Your answer")
    said = section.get_by_role("status")
    field.focus()
    page.keyboard.type("[1, 2, 0]")
    page.keyboard.press("Enter")
    expect(said).to_have_text(re.compile("^No, it is not"))
    expect(field).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("Control+a")
    page.keyboard.type("somewhere")
    expect(said).to_have_text("")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("is not an index")
    page.keyboard.press("Control+a")
    page.keyboard.type("0 2 1")
    page.keyboard.press("Enter")
    expect(said).to_have_text("Right: 0, 2, 1.")
    axe(page)
    section.get_by_role("link", name="Open the playground").click()
    page.wait_for_url("**/playground/transpose")

    open_page("/ops/stablehlo.log")
    section = page.get_by_role("region", name="Try it")
    section.get_by_role("radio", name="0").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(section.get_by_role("status")).to_contain_text("No, it is not 0")
    section.get_by_role("button", name="Show the answer").click()
    expect(section.get_by_role("status")).to_have_text("The answer is NaN.")
    section.get_by_role("radio", name="NaN").check()
    section.get_by_role("button", name="Check").click()
    expect(section.get_by_role("status")).to_have_text("Right: NaN.")


def test_the_picture_of_an_op_lights_what_its_attributes_name(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/ops/gather")
    picture = page.get_by_role("article", name="Index map")
    expect(picture.locator(".arithmetic")).to_contain_text("= 13")
    page.get_by_role("button", name="start_index_map").focus()
    lit = picture.locator(".index-roles .lit")
    expect(lit).to_have_text(re.compile("d0.*start_index_map"))
    page.get_by_role("button", name="Windows, clamped").click()
    settle(page)  # the attributes stand below the picture, whose height changes
    page.get_by_role("button", name="slice_sizes = [2, 3]").hover()
    expect(lit).to_have_text([re.compile("slice_sizes 2"), re.compile("slice_sizes 3")])
    expect(page.locator(".taught")).to_contain_text("Gather from zero")
    axe(page, ".op-picture")
