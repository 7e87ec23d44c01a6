"""When a page has come to rest: it says so itself, by an attribute of `<html>` (`static/js/core/idle.js`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from playwright.sync_api import FloatRect, Locator, Page

IDLE = "html[data-idle]"

FRAME = "() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))"
"""Ends after the next frame, and after what the browser tells the page with it."""

FADED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (;;) {
        await frame();
        await frame();
        const fading = document.getAnimations().filter(({ playState, effect }) =>
            playState === "running" && Number(effect?.getComputedTiming().endTime) < Infinity);
        if (fading.length === 0) return;
        await Promise.allSettled(fading.map(({ finished }) => finished));
    }
}"""
"""Ends when no colour fades over into another one any more, also on a page that is busy."""


THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def settle(page: Page, seconds: float = 120) -> None:
    """Until the page has all that it asked for, and nothing in it moves."""
    page.evaluate(FRAME)  # of another size of its window the page hears with the next frame
    page.wait_for_selector(IDLE, state="attached", timeout=seconds * 1000)


def box_of(element: Locator) -> FloatRect:
    """Where an element is in its window."""
    found = element.bounding_box()
    assert found, f"{element} is not shown"
    return found


def each_theme(page: Page) -> Iterator[str]:
    """The page in the colours of each theme, once it has settled."""
    settle(page)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        yield theme


def show_tab(page: Page, name: str) -> None:
    """Clicks a tab, or opens it from the menu More. Until the page rests it may move: tabs that have nothing to show are not there."""
    settle(page)
    tab = page.get_by_role("tab", name=re.compile(rf"^{name}\b"))
    more = page.get_by_role("button", name="More panels")
    if tab.count() or not more.count():
        tab.click()
        return
    more.first.click()
    page.get_by_role("menuitem", name=re.compile(rf"^{name}\b")).click()
    settle(page)
