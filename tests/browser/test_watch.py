"""Watch: expressions that follow the step, their curves, and how many requests they send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from hloscope.app.web.api.request_examples import SUM_OF_PARTS
from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab
from tests.browser.test_console import LOOP

LONG_EXPRESSION = "max(abs(%large)) - min(abs(%large)) + %large[999]"
LONG = LOOP.replace("dense<5>", "dense<200>")


@pytest.fixture
def program(record: Record) -> DebuggerPage:
    found = record(LOOP)
    show_tab(found.page, "Watch")
    return found


def _field(page: Page) -> Locator:
    return page.get_by_role("combobox", name="New watch expression")


def _watch(page: Page, *expressions: str) -> None:
    for text in expressions:
        _field(page).click()
        page.keyboard.type(text)
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
    settle(page)


def _row(page: Page, text: str) -> Locator:
    rows = page.get_by_role("list", name="Watched expressions").get_by_role("listitem")
    return rows.filter(has=page.get_by_role("button", name=f"Remove {text}", exact=True))


def _result(page: Page, text: str) -> Locator:
    return _row(page, text).locator(".watch-result .result")


def _into_the_loop(program: DebuggerPage) -> None:
    """To the second addition of iteration 0, which is step 9."""
    for _ in range(3):
        program.press("F10")
    for _ in range(6):
        program.press("F11")
    program.at_step(9)
    settle(program.page)


@contextmanager
def _requests(page: Page) -> Iterator[list[str]]:
    """The paths of evaluations that the page requests."""
    sent: list[str] = []

    def note(request: Request) -> None:
        path = urlparse(request.url).path
        if "/evaluate" in path or "expression" in path:
            sent.append(path)

    page.on("request", note)
    yield sent
    page.remove_listener("request", note)


@pytest.mark.main_path
def test_watched_expressions_follow_the_step_and_stay(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    _watch(page, "%k + 1", "max(%twice)", "%large[0:3]")
    expect(_result(page, "%k + 1")).to_have_text("%k has no value here")
    _into_the_loop(program)
    expect(_result(page, "%k + 1")).to_have_text("1")
    expect(_result(page, "max(%twice)")).to_have_text("%twice has no value here")
    program.press("F11")
    expect(_result(page, "max(%twice)")).to_have_text(re.compile(r"^-?\d"))
    expect(_result(page, "%large[0:3]")).to_contain_text("[0, 1, 2]")
    axe(page, "#panel-watch")

    page.get_by_role("button", name="Remove %k + 1").click()
    page.get_by_title("Edit this expression").first.click()
    expect(page.get_by_role("combobox", name="Edit max(%twice)")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(" < 0")
    page.keyboard.press("Enter")
    expect(_result(page, "max(%twice) < 0")).to_have_text(re.compile("true|false"))
    page.reload()
    show_tab(page, "Watch")
    watched = page.get_by_title("Edit this expression")
    expect(watched).to_have_text(["max(%twice) < 0", "%large[0:3]"])
    _watch(page, LONG_EXPRESSION)
    short, long = (box_of(watched.nth(at).locator("code"))["height"] for at in (0, 2))
    assert long > 1.5 * short, "it wraps"


def test_a_value_of_the_program_is_watched_from_its_menu(program: DebuggerPage) -> None:
    page = program.page
    show_tab(page, "Call stack")
    program.press("F10")
    settle(page)
    program.variable("%params.w").click(button="right")
    page.get_by_role("menuitem", name="Add to Watch").click()
    expect(_result(page, "%params.w")).to_have_text(re.compile(r"^-?[\d.]+$"))


def test_a_curve_over_iterations_goes_to_its_points(program: DebuggerPage, axe: Check) -> None:
    page = program.page
    _into_the_loop(program)
    _watch(page, "%i * %i")
    page.get_by_role("button", name="Curve of %i * %i").click()
    curve = page.get_by_role("slider", name="%i * %i over iterations")
    expect(curve).to_have_attribute("aria-valuetext", "end of iteration 0, step 10: 0")
    expect(curve.locator(".curve-high")).to_have_text("16")
    axe(page, "#panel-watch")
    box = box_of(curve)
    page.mouse.click(box["x"] + 0.76 * box["width"], box["y"] + box["height"] / 2)
    program.at_step(31)
    expect(_result(page, "%i * %i")).to_have_text("9")
    expect(curve).to_have_attribute("aria-valuenow", "3")
    curve.focus()
    page.keyboard.press("ArrowRight")
    program.at_step(38)
    page.keyboard.press("Home")
    program.at_step(10)

    page.get_by_role("combobox", name="Range of the curve").select_option("executions")
    executions = page.get_by_role("slider", name="%i * %i over executions")
    expect(executions).to_have_attribute("aria-valuemax", "4")
    program.press("F5")
    settle(page)
    expect(page.get_by_text("the run has ended here: Go to a step.")).to_be_visible()


def test_tensors_are_a_strip_of_pictures_and_infinities_are_marked(program: DebuggerPage) -> None:
    page = program.page
    _into_the_loop(program)
    _watch(page, "%v", "1 / (%i - 2)")
    for button in page.get_by_role("button", name="Curve of").all():
        button.click()
    settle(page)
    strip = page.get_by_role("slider", name="%v over iterations")
    expect(strip.locator(".cell")).to_have_count(5)
    strip.locator(".cell").nth(2).click()
    program.at_step(24)
    expect(strip.locator(".cell.here + .cell")).to_have_count(1)
    expect(page.locator(".curve-plot .bad")).to_have_attribute("d", "M2 0V100")


def test_a_curve_over_processes_shows_another_process(record: Record) -> None:
    program = record(SUM_OF_PARTS)
    page = program.page
    show_tab(page, "Watch")
    _watch(page, "process * 10")
    page.get_by_role("button", name="Curve of").click()
    page.get_by_role("combobox", name="Range of the curve").select_option("processes")
    curve = page.get_by_role("slider", name="over processes")
    curve.focus()
    page.keyboard.press("End")
    settle(page)
    last = curve.get_attribute("aria-valuemax")
    expect(curve).to_have_attribute("aria-valuenow", str(last))
    expect(_result(page, "process * 10")).to_have_text(f"{last}0")


def test_a_burst_of_steps_sends_few_requests_and_a_closed_panel_none(record: Record) -> None:
    program = record(LONG)
    page = program.page
    show_tab(page, "Watch")
    _into_the_loop(program)
    _watch(page, "%i", "max(%v)", "%k")
    page.get_by_role("button", name="Curve of %i").click()
    settle(page)
    with _requests(page) as sent:
        begin = page.evaluate("performance.now()")
        for _ in range(120):
            page.keyboard.press("F11")
        settle(page)
        seconds = (page.evaluate("performance.now()") - begin) / 1000
    assert 1 <= len([path for path in sent if path.endswith("/evaluate")]) <= 2 + seconds / 0.12
    # All steps are in one loop, in one of its two blocks.
    assert len([path for path in sent if path.endswith("/curve")]) <= 2 + seconds / 0.12
    expect(_result(page, "%i")).to_have_text(re.compile(r"^\d+$"))

    show_tab(page, "Call stack")
    with _requests(page) as sent:
        for _ in range(20):
            page.keyboard.press("F11")
        settle(page)
    assert sent == []
