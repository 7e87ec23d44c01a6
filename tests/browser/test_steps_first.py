"""A step is painted before anything else, however slow the panels beside are and however quickly keys come."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.settling import settle, show_tab

BURST = """(count) => new Promise((resolve) => {
    const shown = document.querySelector(".where .count");
    let painted = 0;
    const observer = new MutationObserver(() => painted++);
    observer.observe(shown, { subtree: true, characterData: true, childList: true });
    const key = { key: "F11", code: "F11", bubbles: true, cancelable: true, repeat: true };
    for (let i = 0; i < count; i++) document.body.dispatchEvent(new KeyboardEvent("keydown", key));
    requestAnimationFrame(() => requestAnimationFrame(() => {
        observer.takeRecords();
        resolve({ painted, text: shown.textContent });
    }));
})"""
"""Many key events at once, as of a key that is held down while the page is busy; what is shown two frames later."""

FIRST_SEEN = """() => {
    const [shown, panel] = [document.querySelector(".where .count"), document.querySelector("#panel-index")];
    window.firstSeen = new Promise((resolve) => {
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(panel.textContent); });
        observer.observe(shown, { subtree: true, characterData: true, childList: true });
    });
}"""
"""Keeps what the index map shows when the next position has just been drawn."""


@pytest.fixture
def mlp(record: Record) -> DebuggerPage:
    """The MLP, at its first step."""
    return record(text_of("mlp"))


@pytest.mark.main_path
def test_a_step_does_not_wait_for_the_panels_beside(mlp: DebuggerPage) -> None:
    page, held = mlp.page, list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    show_tab(page, "Op")
    settle(page)
    page.route("**/api/recordings/*/ops/*", hold)
    mlp.press("F10")
    page.wait_for_function("() => document.querySelector('.where .count').textContent.startsWith('step 1 ')")
    expect(page.locator(".cm-line.cm-current-op")).to_contain_text("broadcast_in_dim")
    expect(page.locator(".strip.chosen")).to_be_visible()
    page.wait_for_function("() => !document.documentElement.hasAttribute('data-idle')")
    assert held, "the Op tab has asked for nothing"
    for route in held:
        route.continue_()
    page.unroute("**/api/recordings/*/ops/*")
    settle(page)


def test_the_index_map_follows_once_the_step_is_painted(mlp: DebuggerPage) -> None:
    page = mlp.page
    show_tab(page, "Index map")
    settle(page)
    panel = page.locator("#panel-index")
    before = panel.text_content()
    page.evaluate(FIRST_SEEN)
    mlp.press("F10")
    assert page.evaluate("() => firstSeen") == before, "the frame of the step waited for the index map"
    expect(panel.locator("figcaption").last).to_contain_text("%1")


def test_keys_that_come_quicker_than_frames_are_all_taken(mlp: DebuggerPage) -> None:
    found = mlp.page.evaluate(BURST, 9)
    assert found["text"].startswith("step 9 "), found
    assert found["painted"] <= 3, "each step was drawn, though no frame shows it"
    settle(mlp.page)
    mlp.at_step(9)


def test_most_steps_ask_for_nothing(mlp: DebuggerPage) -> None:
    """What is shown next is fetched for a stretch of steps: three requests, and then none for some steps."""
    page, asked = mlp.page, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    counts = []
    for _ in range(12):
        before = len(asked)
        mlp.press("F10")
        settle(page)
        counts.append(len(asked) - before)
    assert counts.count(0) >= 6, counts
    assert sum(counts) <= 15, counts


def test_the_value_of_the_next_step_is_here_before_the_key(mlp: DebuggerPage) -> None:
    page, held = mlp.page, list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    mlp.press("F10")
    settle(page)
    page.route("**/api/recordings/**", hold)
    mlp.press("F10")
    expect(page.locator(".tensor-header .origin")).to_contain_text("step 2")
    for route in held:
        route.continue_()
    page.unroute("**/api/recordings/**")
    settle(page)
