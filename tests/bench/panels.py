"""How long a step takes while each panel is open, and once all are closed again: real keys, forwards and back.

The figures are those of `step_times.py`. What a panel adds beyond the page as it opens is its own; the last row, with all
of them closed again and a watch behind another tab, says what they cost then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from statistics import median

from playwright.sync_api import Page

from tests.bench.step_times import BACK, OVER, PAINTED, StepTimes, percentile, step_times, watch
from tests.browser.debugger_page import sign_in
from tests.browser.settling import settle, show_tab

from .browsing import browsing
from .measure import table
from .steps import PATIENCE_SECONDS, PROGRAMS, Program, new_session

THERE_AND_BACK = (*(OVER,) * 5, *(BACK,) * 5)
EXPRESSIONS = ("step + 1", "step * step", "line")


def _as_opened(page: Page) -> None:
    show_tab(page, "Tensor")


def _tab(name: str) -> Callable[[Page], None]:
    return lambda page: show_tab(page, name)


def _watches(page: Page) -> None:
    show_tab(page, "Tensor")
    show_tab(page, "Watch")
    for text in EXPRESSIONS:
        page.get_by_role("combobox", name="New watch expression").click()
        page.keyboard.type(text)
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        settle(page)


def _closed_again(page: Page) -> None:
    show_tab(page, "Call stack")
    show_tab(page, "Tensor")


def _pin(page: Page) -> None:
    show_tab(page, "Tensor")
    settle(page)
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("menuitem", name="Pin this value").click()


STATES: Mapping[str, Callable[[Page], None]] = {
    "as opened": _as_opened,
    **{name: _tab(name) for name in ("Index map", "Provenance", "Graph", "Memory", "Precision", "Profile")},
    "Watch, 3 expressions": _watches,
    "all closed again": _closed_again,
    "a pinned value": _pin,
}


def lines(repetitions: int) -> Iterator[str]:
    """What to print: a table for each program."""
    with browsing() as (server, _, browser):
        for program in PROGRAMS:
            page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
            sign_in(page, server)
            watch(page)
            page.goto(f"{server.origin}{new_session(server, program.text())}?step={program.start}")
            settle(page, PATIENCE_SECONDS)
            yield _table(program, [(name, _walked(page, show, repetitions)) for name, show in STATES.items()])
            page.context.close()
        yield f"painted: {PAINTED}"
        browser.close()


def _walked(page: Page, show: Callable[[Page], None], repetitions: int) -> StepTimes:
    show(page)
    settle(page)
    step_times(page, THERE_AND_BACK[4:6])  # what the panel loads first
    return step_times(page, THERE_AND_BACK * min(repetitions, 3))


def _table(program: Program, states: list[tuple[str, StepTimes]]) -> str:
    rows = [
        [name, *(f"{value:.1f}" for found in (times.painted, times.settled, times.work) for value in (median(found), percentile(found, 99)))]
        for name, times in states
    ]  # fmt: skip
    head = [f"{program.name} (ms)", "painted", "p99", "settled", "p99", "work", "p99"]
    return table(head, rows)
