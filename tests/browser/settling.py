"""When a page has come to rest: where things are is true only then, and what listens to them listens."""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary

from playwright.sync_api import Page, Request

QUIET = """async () => {
    const pause = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const look = () => JSON.stringify([...document.querySelectorAll("canvas, button, [role]")].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height];
    }));
    let before = "";
    for (let frames = 0; frames < 4; frames++) {
        await pause();
        const now = look();
        if (now !== before) frames = 0;
        before = now;
    }
}"""
"""Ends when nothing has moved for some frames. Effects of the drawing have run by then: they do so after a frame."""

FADED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (;;) {
        await frame();
        await frame();
        const fading = document.getAnimations().filter(({ playState, effect }) =>
            playState === "running" && effect?.getComputedTiming().iterations !== Infinity);
        if (fading.length === 0) return;
        await Promise.allSettled(fading.map(({ finished }) => finished));
    }
}"""
"""Ends when no colour fades over into another one any more."""


class Asking(set[Request]):
    """What a page has asked for and has not got yet."""

    def begin(self, request: Request) -> None:
        """It has been asked for."""
        self.add(request)

    def end(self, request: Request) -> None:
        """It is here, or will never be."""
        self.discard(request)


_asking: WeakKeyDictionary[Page, Asking] = WeakKeyDictionary()


def watch(page: Page) -> None:
    """Keep what the page asks for, so that `settle` can wait for it."""
    asking = _asking[page] = Asking()
    page.on("request", asking.begin)
    page.on("requestfinished", asking.end)
    page.on("requestfailed", asking.end)


def settle(page: Page, seconds: float = 120) -> None:
    """Until the page has all that it asked for, and nothing in it moves."""
    end = time.monotonic() + seconds
    calm = 0
    while calm < 2:
        assert time.monotonic() < end, f"the page does not come to rest: {[r.url for r in _asking[page]]}"
        page.evaluate(QUIET)
        calm = 0 if _asking[page] else calm + 1
