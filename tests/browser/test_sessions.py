"""Back to work: recent sessions on the opening page, and a session that comes back as it was."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Complaints, OpenPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import Server


def recent(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="Recent sessions").get_by_role("listitem").filter(has_text=name)


def step_into_softmax(page: Page, steps: int) -> DebuggerPage:
    debugger = DebuggerPage.example(page, "Softmax")
    for _ in range(steps):
        debugger.press("F10")
    debugger.at_step(steps)
    settle(page)
    return debugger


def go_home(page: Page) -> None:
    page.get_by_role("link", name="hloscope: opening page").or_(
        page.get_by_role("link", name="hloscope", exact=True)
    ).first.click()
    page.wait_for_url(re.compile(r"/$"))
    settle(page)


@pytest.mark.main_path
def test_a_session_comes_back_as_it_was(open_page: OpenPage, axe: Check) -> None:
    page = open_page()
    debugger = step_into_softmax(page, 5)
    debugger.choose_variable("%largest", "Locals")
    show_tab(page, "Index map")
    settle(page)
    go_home(page)
    card = recent(page, "softmax.mlir")
    expect(card).to_contain_text("step 5 of 10")
    expect(card).to_contain_text("exponential")
    expect(card).to_contain_text("today")
    axe(page, ".recent-sessions")
    card.get_by_role("link", name="softmax.mlir").click()
    page.wait_for_url(re.compile("/s/"))
    settle(page)
    debugger.at_step(5)
    expect(page.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    show_tab(page, "Tensor")
    expect(page.locator(".tensor-header .name")).to_have_text("%largest")


def test_sessions_are_chosen_renamed_pinned_and_deleted(
    open_page: OpenPage, server: Server, axe: Check
) -> None:
    page = open_page()
    step_into_softmax(page, 2)
    go_home(page)
    DebuggerPage.example(page, "Layer normalisation")
    settle(page)
    page.get_by_role("button", name="Sessions").click()
    menu = page.get_by_role("menu", name="Sessions")
    expect(menu.get_by_role("menuitem")).to_have_count(2)
    menu.get_by_role("menuitem", name=re.compile("^softmax.mlir")).click()
    expect(page.locator(".where .count")).to_have_text("step 2 of 10")
    settle(page)
    page.go_back()
    page.wait_for_url(re.compile("/s/"))
    settle(page)
    go_home(page)
    cards = page.get_by_role("region", name="Recent sessions").get_by_role("listitem")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("layer_norm.mlir")

    recent(page, "softmax.mlir").get_by_role("button", name="Rename softmax.mlir").click()
    page.get_by_role("textbox", name="Name of the session").fill("row sums of 8 x 8")
    page.keyboard.press("Enter")
    expect(recent(page, "row sums of 8 x 8")).to_be_visible()
    expect(page.get_by_role("button", name="Rename row sums of 8 x 8")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Rename row sums of 8 x 8")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Keep").press("Enter")
    expect(page.get_by_role("button", name="Delete row sums of 8 x 8")).to_be_focused()

    pin = recent(page, "row sums").get_by_role("button", name="Pin row sums of 8 x 8")
    pin.click()
    expect(cards.first).to_contain_text("row sums of 8 x 8")
    expect(pin).to_have_attribute("aria-pressed", "true")
    page.reload()
    settle(page)
    expect(cards.first).to_contain_text("row sums of 8 x 8")
    cards.first.get_by_role("link").click()
    page.wait_for_url(re.compile("/s/"))
    expect(page).to_have_title(re.compile("row sums of 8 x 8"))
    settle(page)
    address = page.url
    go_home(page)

    cards.first.get_by_role("button", name=re.compile("^Delete")).click()
    axe(page, ".recent-sessions")
    page.get_by_role("button", name="Keep").click()
    expect(cards).to_have_count(2)
    cards.first.get_by_role("button", name=re.compile("^Delete")).click()
    cards.first.get_by_role("button", name="Delete", exact=True).click()
    expect(cards).to_have_count(1)
    assert page.request.get(address.replace("/s/", "/api/sessions/").partition("?")[0]).status == 404

    # One that the server has deleted is told so.
    found = re.search(r"/s/([\w-]+)", cards.first.get_by_role("link").get_attribute("href") or "")
    assert found
    deleted = page.request.delete(
        f"{server.origin}/api/sessions/{found[1]}", headers={"Origin": server.origin}
    )
    assert deleted.status == 204
    page.reload()
    settle(page)
    card = recent(page, "layer_norm.mlir")
    expect(card).to_contain_text("No longer on this server.")
    expect(card.get_by_role("link")).to_have_count(0)
    card.get_by_role("button", name="Remove layer_norm.mlir from the list").click()
    expect(page.get_by_role("region", name="Recent sessions")).to_have_count(0)


def test_several_sessions_are_open_at_once(
    open_page: OpenPage, server: Server, complaints: Complaints
) -> None:
    page = open_page()
    first = step_into_softmax(page, 3)
    # A page of the same browser: both have one list.
    other = page.context.new_page()
    complaints.listen_to(other)
    other.goto(server.url)
    settle(other)
    second = DebuggerPage.example(other, "MLP, forward")
    second.press("F10")
    second.at_step(1)
    settle(other)
    first.press("F10")
    first.at_step(4)
    settle(page)
    go_home(other)
    expect(recent(other, "softmax.mlir")).to_contain_text("step 4 of 10")
    expect(recent(other, "mlp.mlir")).to_contain_text("step 1 of")


def test_the_list_fits_the_window_and_on_a_phone_it_comes_first(open_page: OpenPage) -> None:
    page = open_page()
    name = "a name that is longer than any card of the list is wide, " * 3
    page.evaluate(
        """name => localStorage.setItem("hloscope.recent", JSON.stringify(
            Array.from({length: 9}, (_, i) => ({id: `x${i}`, name: i + name, when: i, pinned: i === 3}))
                .concat([{ id: 5 }, null])))""",
        name,
    )
    page.reload()
    settle(page)
    cards = page.get_by_role("region", name="Recent sessions").get_by_role("listitem")
    expect(cards).to_have_count(6)
    expect(cards.first).to_contain_text("3a name")
    page.get_by_role("button", name="Show all 9").click()
    expect(cards).to_have_count(9)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 720})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    page.set_viewport_size({"width": 390, "height": 844})
    places = [
        page.get_by_role("region", name=name).bounding_box()
        for name in ("Recent sessions", "A recorded run: softmax", "Examples")
    ]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert len(tops) == 3
    pictures = page.locator(".gallery canvas.thumbnail")
    expect(pictures).to_have_count(page.locator(".gallery li").count())
