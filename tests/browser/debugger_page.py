"""The debugger's page as a user sees it: a few verbs, found by role and name."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from hloscope.engine.syntax import looks_like_hlo
from tests.browser.settling import box_of, settle
from tests.programs import known_example
from tests.server_process import Server

CLOSED_AND_OPENED_AT_ONCE = """(key) => {
    document.querySelector("dialog").close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
}"""


def text_of(name: str) -> str:
    """The text of an example."""
    found = known_example(name)
    return found.text


def sign_in(page: Page, server: Server) -> None:
    """Sign the browser in without loading a page."""
    page.context.add_cookies([{"name": server.cookie_name, "value": server.token, "url": server.origin}])


class DebuggerPage:
    """One session, open in `page`."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    def opened(cls, page: Page, server: Server, text: str) -> DebuggerPage:
        """Open a program, and wait until its run is recorded and drawn."""
        debugger = cls.started(page, server, text)
        debugger.wait_until_recorded()
        settle(page)
        return debugger

    @classmethod
    def started(cls, page: Page, server: Server, text: str) -> DebuggerPage:
        """Open a program as the opening page does, by its request alone: to load that page takes as long again."""
        sign_in(page, server)
        program = {"text": text, "name": "program.hlo" if looks_like_hlo(text) else "program.mlir"}
        headers = {"Origin": server.origin}
        # The server may close a connection just then that was idle for long.
        answer = page.request.post(
            f"{server.origin}/api/sessions", data=program, headers=headers, max_retries=1
        )
        assert answer.ok, answer.text()
        page.goto(server.origin + str(answer.json()["url"]))
        return cls._shown(page)

    @classmethod
    def pasted(cls, page: Page, text: str) -> DebuggerPage:
        """Paste a program into the opening page, and open it."""
        page.get_by_role("textbox").first.fill(text)
        page.get_by_role("button", name="Open in the debugger").click()
        page.wait_for_url(re.compile("/s/"))
        return cls._shown(page)

    @classmethod
    def _shown(cls, page: Page) -> DebuggerPage:
        expect(page.locator(".cm-content")).to_contain_text(re.compile(r"func\.func|parameter|ROOT"))
        return cls(page)

    @classmethod
    def example(cls, page: Page, title: str) -> DebuggerPage:
        """Opens an example of the opening page, and waits until it has run."""
        page.get_by_role("button", name=re.compile(title)).or_(
            page.get_by_role("link", name=re.compile(title))
        ).first.click()
        page.wait_for_url(re.compile("/s/"))
        debugger = cls(page)
        debugger.wait_until_recorded()
        return debugger

    @property
    def step(self) -> int:
        """The step that the toolbar shows."""
        text = self.page.locator(".where .count").inner_text()
        found = re.match(r"step ([\d,]+)", text)
        assert found, text
        return int(found[1].replace(",", ""))

    def wait_until_recorded(self) -> None:
        """Until the run has ended and the first op is current; before an audience, too."""
        expect(self._count()).to_contain_text(re.compile(r"of [1-9][\d,]*$"))

    def at_step(self, step: int) -> None:
        """Fails unless the toolbar, or what stands in its place before an audience, comes to show this step."""
        expect(self._count()).to_contain_text(re.compile(rf"^step {step:,} of "))

    def _count(self) -> Locator:
        return self.page.locator(":is(.where, .presenter-where) .count")

    def at_line(self, line: int) -> None:
        """Fails unless the current op is on `line`: the marker is there, and the call stack says so."""
        expect(self.page.locator(".frame.current .line")).to_have_text(f"line {line}")

    def stopped(self, words: str) -> None:
        """Fails unless the sentence that says why it stopped holds `words`."""
        expect(self.page.locator(".where .reason")).to_contain_text(words)

    def press(self, keys: str) -> None:
        """A key of the whole page."""
        self.page.keyboard.press(keys)

    def press_after_escape(self, key: str, *, ctrl: bool = False) -> None:
        """Escape and a key on a busy machine: the page hears of the first, which closes a dialog, after the second."""
        self.page.evaluate(CLOSED_AND_OPENED_AT_ONCE, {"key": key, "ctrlKey": ctrl})

    def toggle_breakpoint(self, line: int) -> None:
        """Clicks in the gutter, left of the number of `line`."""
        number = self.page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text(str(line), exact=True)
        number.scroll_into_view_if_needed()
        settle(self.page)
        box = box_of(number)
        gutter = box_of(self.page.locator(".cm-gutter").first)
        self.page.mouse.click(gutter["x"] + gutter["width"] / 2, box["y"] + box["height"] / 2)

    def breakpoints(self) -> Locator:
        """What removes them, in the list of breakpoints: one for each."""
        return self.page.get_by_role("button", name=re.compile("^Remove breakpoint on line"))

    def choose_variable(self, name: str, group: str) -> None:
        """Clicks a value under Variables, and waits until the tensor view shows the one of this step."""
        settle(self.page)  # the lists follow a moment after a step
        row = self.variable(name, group)
        if row.get_attribute("aria-selected") != "true":  # another click would let go of it
            row.click()
        header = self.page.locator(".tensor-header")
        expect(header.locator(".name")).to_have_text(name)
        if group == "Results":
            expect(header.locator(".origin")).to_contain_text(re.compile(rf"step {self.step:,}$"))

    def variable(self, name: str, group: str = "") -> Locator:
        """The row of a value under Variables, of whatever group where none is named."""
        rows = self.page.get_by_role("tree", name="Variables").locator(
            f'.variable[data-group="{group}"]' if group else ".variable"
        )
        # What is written of a long name is in two parts, of which the first may be another name.
        return rows.and_(self.page.locator(f'[aria-label^="{name}:"]')).first

    def choose_in_grid(self, name: str) -> None:
        """Clicks a value under Variables while the grid is on the stage: all cells show theirs."""
        settle(self.page)
        self.variable(name).click()

    def shown_array(self) -> NDArray[Any]:
        """The array that the tensor view shows, by its own download."""
        self.page.get_by_role("button", name="Export").click()
        with self.page.expect_download() as download:
            self.page.get_by_role("menuitem", name=".npy").click()
        array: NDArray[Any] = np.load(io.BytesIO(download.value.path().read_bytes()))
        return array

    def shown_numbers(self, rows: int, columns: int) -> NDArray[Any]:
        """The first cells of the table of numbers, as they are written."""
        self.page.get_by_role("tab", name="Numbers").or_(
            self.page.get_by_role("button", name="Numbers")
        ).first.click()
        grid = self.page.get_by_role("grid")
        settle(self.page)
        lines = [grid.locator(f'[aria-rowindex="{row + 2}"]') for row in range(rows)]
        expect(lines[-1].get_by_role("gridcell").nth(columns - 1)).not_to_have_text("…")
        cells = [
            [line.get_by_role("gridcell").nth(at).inner_text() for at in range(columns)] for line in lines
        ]
        return np.array(cells, np.float64)
