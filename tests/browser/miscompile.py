"""What docs/finding-a-miscompile.md does in the browser, of which it shows two pictures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import ROOT
from tests.walkthrough import read_walkthrough, run

PASS = "dot-library-rewriter"
PATIENCE_MS = 120_000


def export(folder: Path) -> bool:
    """Write `rows.mlir`, `rows.npz` and `dump/` into a folder, as the page says; whether XLA has the fault."""
    read_walkthrough((ROOT / "docs" / "finding-a-miscompile.md").read_text("utf-8")).save(folder)
    ended = run("python export.py", folder)
    assert ended.returncode == 0, ended.stderr
    return shows_fault(run("python rows.py", folder))


def shows_fault(ended: subprocess.CompletedProcess[str]) -> bool:
    """Whether the installed jaxlib computes the rows wrongly, by what the page's own `rows.py` has printed."""
    assert ended.returncode == 0, ended.stderr
    right, compiled = (line.split()[-1] for line in ended.stdout.splitlines())
    return right != compiled


def show_passes(page: Page, folder: Path) -> None:
    """From the opening page to the pass that makes the fusion, all texts run on the rows."""
    settle(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a folder").click()
    chooser.value.set_files(folder / "dump")
    page.wait_for_url(re.compile("/passes/"))
    _wait_for_verdict(page, "Inputs from seed 0")
    page.get_by_role("button", name="Other inputs").click()
    page.get_by_label("A file of arrays").set_input_files(folder / "rows.npz")
    _wait_for_verdict(page, "Inputs from rows.npz")
    page.get_by_role("listbox", name="Passes").get_by_role("option").filter(has_text=PASS).click()
    settle(page)


def _wait_for_verdict(page: Page, inputs: str) -> None:
    expect(page.locator(".dump-inputs")).to_contain_text(inputs, timeout=PATIENCE_MS)
    expect(page.locator(".dump-sentence")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".dump-progress")).to_have_count(0, timeout=PATIENCE_MS)
    settle(page)


def show_comparison(page: Page, folder: Path, has_fault: bool = True) -> None:
    """From the opening page to the `reduce` whose last element XLA computes wrongly, if it does."""
    debugger = DebuggerPage.pasted(page, (folder / "rows.mlir").read_text())
    debugger.wait_until_recorded()
    settle(page)
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(folder / "rows.npz")
    expect(dialog).to_contain_text("rows.npz has 1 array; 1 of 1 inputs are loaded from it.")
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(page.get_by_role("tab", name="run 2")).to_have_attribute("aria-selected", "true")
    settle(page)
    show_tab(page, "Compare")
    page.get_by_role("button", name="Compare with XLA").click()
    expect(page.locator(".compare-origin summary")).to_contain_text("XLA of jaxlib", timeout=PATIENCE_MS)
    settle(page)
    if has_fault:
        values = page.get_by_role("listbox", name="Values of both runs").get_by_role("option")
        values.filter(has_text="%8").click()
        settle(page)
