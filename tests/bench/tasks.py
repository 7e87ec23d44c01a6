"""Ten tasks of a user, from the opened page to the answer: clicks, keys and seconds of each, with real keys and mouse.

A click is a press of a mouse button, a key is a press of one key: each letter of a name counts. The seconds are those of
the page and of the driver between the first input and the answer, without the time that a person reads and thinks. The
programs are recorded before. Each task ends with the answer on the page, or fails.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Locator, Page, expect

from tests.bench.steps import new_session
from tests.browser.debugger_page import sign_in
from tests.browser.settling import box_of, settle
from tests.passes import folders
from tests.programs import known_example
from tests.server_process import ROOT, Server

from .browsing import browsing
from .measure import seconds, table

PATIENCE_MS = 60_000

LOOP = """\
// inputs: dense<8.0>
func.func @main(%start: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %fifty = stablehlo.constant dense<50> : tensor<i32>
  %rate = stablehlo.constant dense<0.9> : tensor<f32>
  %steps, %last = stablehlo.while(%i = %zero, %w = %start) : tensor<i32>, tensor<f32>
    cond {
      %go_on = stablehlo.compare LT, %i, %fifty, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go_on : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %loss = stablehlo.multiply %w, %w : tensor<f32>
      %better = stablehlo.multiply %w, %rate : tensor<f32>
      stablehlo.return %next, %better : tensor<i32>, tensor<f32>
    }
  return %last : tensor<f32>
}
"""
LOSS = 13
"""The line of the loss, which is below 1 first in iteration 20: 64 · 0.81^20 = 0.95."""


@dataclass
class Hand:
    """Real mouse and keys on a page, counted; a locator only says where the mouse goes."""

    page: Page
    server: Server
    folder: Path
    clicks: int = 0
    keys: int = 0
    _begin: float = field(default=0.0, init=False)
    taken: float = field(default=0.0, init=False)

    def begin(self) -> None:
        """Start the clock."""
        settle(self.page)
        self._begin = time.perf_counter()

    def end(self) -> None:
        """Stop it: the answer is there."""
        self.taken = time.perf_counter() - self._begin

    def open(self, text: str) -> None:
        """A recorded session, at its first step; then the clock starts."""
        self.page.goto(self.server.origin + new_session(self.server, text))
        settle(self.page)
        self.begin()

    def click(self, target: Locator, button: str = "left", at: tuple[float, float] = (0.5, 0.5)) -> None:
        """Presses a button of the mouse over a part of the target."""
        settle(self.page)
        target.wait_for(timeout=PATIENCE_MS)
        target.scroll_into_view_if_needed()
        box = box_of(target)
        where = box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"]
        self.page.mouse.click(*where, button="right" if button == "right" else "left")
        self.clicks += 1

    def tab(self, name: str) -> None:
        """Clicks a tab, or opens it from the menu More."""
        settle(self.page)
        named = re.compile(rf"^{name}\b")
        tab = self.page.get_by_role("tab", name=named)
        if tab.count() == 0:
            self.button("More panels")
            tab = self.page.get_by_role("menuitem", name=named)
        self.click(tab)

    def button(self, name: str | re.Pattern[str]) -> None:
        """Clicks a button."""
        self.click(self.page.get_by_role("button", name=name))

    def press(self, *keys: str) -> None:
        """Presses keys, each once the page has answered the one before."""
        for key in keys:
            settle(self.page)
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """Presses the key of each letter."""
        settle(self.page)
        self.page.keyboard.type(text)
        self.keys += len(text)

    def sees(self, where: str | Locator, text: str | re.Pattern[str]) -> None:
        """Waits for the answer."""
        found = self.page.locator(where) if isinstance(where, str) else where
        expect(found.first).to_contain_text(text, timeout=PATIENCE_MS)


def _text(name: str) -> str:
    found = known_example(name)
    return found.text


def nan_to_input_row(hand: Hand) -> None:
    """Which row of the batch makes the first infinity?"""
    hand.open((ROOT / "tests" / "data" / "unshifted_softmax_step.mlir").read_text("utf-8"))
    hand.click(hand.page.locator(".status-line .finding"))
    hand.button("Where did it come from?")
    hand.button("All the way")
    hand.button("Only NaN and Inf")  # off: it arises here, of finite elements
    rows = hand.page.locator(".provenance-rows").filter(has=hand.page.get_by_role("heading", name="Inputs"))
    hand.sees(rows.locator(".label").filter(has_text="%arg4"), "[0, 0…15]")


def element_of_gather(hand: Hand) -> None:
    """Which row of the table does token [1, 1] read?"""
    hand.open(_text("embedding_lookup"))
    hand.tab("Index map")
    hand.click(hand.page.locator('.index-tensor[data-side="result"] canvas').first, at=(0.25, 0.75))
    hand.sees("#panel-index", re.compile(r"%embedded\[1, 1, \d\] reads 1 of 60 elements of %table: \[9, "))


def iteration(hand: Hand) -> None:
    """The state of a loop in iteration 37."""
    hand.open(LOOP)
    hand.press("Control+p")
    hand.type("iteration 37")
    hand.press("Enter")
    hand.sees(".frame.current", "iteration 37 of 50")


def uses_of_a_weight(hand: Hand) -> None:
    """Which ops read %arg2?"""
    hand.open(_text("mlp_train_step"))
    row = hand.page.get_by_role("tree", name="Variables").locator('.variable[aria-label^="%arg2:"]')
    hand.click(row, button="right")
    hand.click(hand.page.get_by_role("menuitem", name="Find all uses"))
    hand.sees(hand.page.get_by_role("option").filter(has_text="dot_general"), "%arg2")


def two_runs(hand: Hand) -> None:
    """Which op makes the results of two versions differ?"""
    text = _text("softmax")
    other = hand.folder / "other.mlir"
    other.write_text(text.replace("dense<0.0>", "dense<0.5>", 1))
    hand.open(text)
    hand.tab("Compare")
    settle(hand.page)
    with hand.page.expect_file_chooser() as chooser:
        hand.button("Add a program…")
    chooser.value.set_files(other)
    hand.sees(".compare-sentence", "first: %zero constant, line 6")


def large_at_the_peak(hand: Hand) -> None:
    """Which buffer is the largest where most memory is live?"""
    hand.open(_text("mlp_train_step"))
    hand.tab("Memory")
    hand.button("Go to peak")
    hand.sees("#panel-memory", re.compile(r"Live at line 72: [^%]*784 KiB\s*%arg0"))


def which_pass(hand: Hand) -> None:
    """After which pass of XLA do the values change?"""
    dump = folders.broken(hand.folder / "dump")
    hand.page.goto(hand.server.origin)
    hand.begin()
    with hand.page.expect_file_chooser() as chooser:
        hand.button("Choose a folder…")
    chooser.value.set_files(dump)
    hand.sees(".dump-sentence", "algsimp (pass 3, 2nd run) first changed values beyond rounding: %subtract.2")


def condition_on_a_loss(hand: Hand) -> None:
    """Stop where the loss is below 1."""
    hand.open(LOOP)
    line = hand.page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text(str(LOSS), exact=True)
    hand.click(line, button="right")
    hand.click(hand.page.get_by_role("menuitem", name="Edit condition…"))
    hand.type("%loss < 1")
    hand.press("F5")
    hand.sees(".where .reason", "where %loss < 1")
    hand.sees(".frame.current", "iteration 20 of 50")


def offline(hand: Hand) -> None:
    """Give the run to a person without this server: one file, which opens from the disk and steps."""
    hand.open(_text("mlp"))
    hand.button("Share")
    hand.click(hand.page.get_by_role("menuitem", name="Save as a page"))
    settle(hand.page)
    with hand.page.expect_download() as download:
        hand.click(hand.page.get_by_role("dialog").get_by_role("button", name="Save"))
    saved = hand.folder / "saved.html"
    download.value.save_as(saved)
    hand.page.goto(saved.as_uri())
    hand.sees(".where .count", "step 0 of")
    hand.press("F10")
    hand.sees(".where .count", "step 1 of")


def mistake(hand: Hand) -> None:
    """Mend a misspelt op and run."""
    hand.page.goto(hand.server.origin)
    settle(hand.page)
    box = hand.page.get_by_role("textbox").first
    box.fill(_text("softmax").replace("stablehlo.exponential", "stablehlo.exponentail"))
    hand.begin()
    hand.button("Open in the debugger")
    hand.button("Replace with stablehlo.exponential")
    hand.press("Control+Enter")
    hand.sees(".where .count", "step 0 of 10")


TASKS: Mapping[str, Callable[[Hand], None]] = {
    "from a NaN to the input row": nan_to_input_row,
    "an element of a gather": element_of_gather,
    "iteration 37": iteration,
    "who uses this weight": uses_of_a_weight,
    "why do these two runs differ": two_runs,
    "what is large at the peak": large_at_the_peak,
    "which pass": which_pass,
    "a condition on a loss": condition_on_a_loss,
    "share, and open offline": offline,
    "a mistake in the text": mistake,
}


def lines(repetitions: int) -> Iterator[str]:
    """What to print: a row for each task; seconds are medians."""
    with browsing() as (server, _, browser):
        rows = []
        for name, do in TASKS.items():
            hands = [_done(browser, server, do) for _ in range(min(repetitions, 3))]
            [last] = hands[-1:]
            taken = seconds(median(hand.taken for hand in hands))
            rows.append([name, str(last.clicks), str(last.keys), taken])
        yield table(["task", "clicks", "keys", "time"], rows)
        browser.close()


def _done(browser: Browser, server: Server, do: Callable[[Hand], None]) -> Hand:
    """A task, by a person whose browser has never been here."""
    with tempfile.TemporaryDirectory() as folder:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        sign_in(page, server)
        hand = Hand(page, server, Path(folder))
        do(hand)
        hand.end()
        context.close()
        return hand
