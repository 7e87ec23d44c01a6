"""What is not a number is spelled NaN, +Inf and -Inf in every panel."""

from __future__ import annotations

import pytest

from tests.app.cli.test_nonfinite_spelling import PROGRAM
from tests.browser.conftest import Record
from tests.browser.settling import settle
from tests.spelling import misspelled

SHOWN = """() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const { parentElement: holder } = node;
        if (!holder.closest(".cm-content, .cm-tooltip, script, [hidden]") || holder.closest(".cm-strip")) texts.push(node.data);
    }
    const said = [...document.querySelectorAll(".strip[title], .cell[aria-label], .variable[aria-label]")];
    return [...texts, ...said.map((element) => element.title || element.getAttribute("aria-label"))];
}"""
"""All texts of the page but the program itself, which keeps the spelling of its language."""


@pytest.mark.more
def test_every_panel_spells_them_alike(record: Record) -> None:
    debugger = record("// inputs: [1, 0, inf, nan]; -inf\n" + PROGRAM)
    page = debugger.page
    seen: set[str] = set()
    for _ in range(8):
        settle(page)
        seen.update(page.evaluate(SHOWN))
        debugger.press("F10")
    settle(page)
    debugger.choose_variable("%0", "")
    for tab in page.get_by_role("tab").all():
        tab.click()
        settle(page)
        seen.update(page.evaluate(SHOWN))
    page.get_by_role("tab", name="Tensor").click()
    page.get_by_role("button", name="Numbers").click()
    settle(page)
    seen.update(page.evaluate(SHOWN))
    assert {"NaN", "+Inf", "-Inf"} <= seen
    assert [bad for text in seen for bad in misspelled(text)] == []
