"""The debugger in a real JupyterLab: stepped in the cell, moved by Python, and the cell after it knows where it stands."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.app.python.notebook.environment import own_folders, write_notebook
from tests.app.python.notebook.test_executed import TEXT
from tests.browser.find_browser import FLAGS, find_browser
from tests.server_process import ROOT, free_port

SECONDS = 60
PATIENCE_MS = 60_000
TOKEN = "of-a-test"
LAB = (
    "--no-browser", "--ip=127.0.0.1", f"--IdentityProvider.token={TOKEN}", "--LabApp.news_url=", "--allow-root",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.extension_manager=readonly",
    "--LabApp.expose_app_in_browser=True",
)  # fmt: skip


@contextmanager
def served(command: list[str], url: str, folder: Path) -> Iterator[None]:
    """A server that answers at `url`; what it says is kept for whoever mends a failure."""
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=own_folders(folder), cwd=folder, stdout=log, stderr=log)
    try:
        end = time.monotonic() + SECONDS
        while not _answers(url):
            assert process.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < end, (folder / "server.log").read_text()
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait(SECONDS)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


@pytest.fixture
def lab_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(install=True).executable, args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(PATIENCE_MS)
        yield page
        (ROOT / "test-results").mkdir(exist_ok=True)
        page.screenshot(
            path=ROOT / "test-results" / f"{os.environ['PYTEST_CURRENT_TEST'].split('::')[1].split()[0]}.png"
        )
        browser.close()


@pytest.mark.long
def test_a_cell_of_jupyterlab_steps_both_ways(notebook_python: Path, tmp_path: Path, lab_page: Page) -> None:
    cells = [
        "view = hloscope.record(text, [x]).show()\nview",
        "view.position, (view.selection or {}).get('name')",
        'view.select("%1", (1, 2))',
    ]
    write_notebook(tmp_path / "t.ipynb", TEXT, *cells)
    port = free_port()
    command = [
        str(notebook_python),
        "-m",
        "jupyter",
        "lab",
        f"--port={port}",
        f"--ServerApp.root_dir={tmp_path}",
        *LAB,
    ]
    page, origin = lab_page, f"http://127.0.0.1:{port}"
    with served(command, f"{origin}/api?token={TOKEN}", tmp_path):
        page.goto(f"{origin}/lab/tree/t.ipynb?token={TOKEN}&reset")
        run_cell = _runner(page)
        run_cell(0)
        run_cell(1)
        frame = page.frame_locator("iframe[title=hloscope]")
        expect(frame.locator(".where .count")).to_contain_text("step 0 of 4", timeout=PATIENCE_MS)
        frame.get_by_role("button", name="over").first.click()
        expect(frame.locator(".where .count")).to_contain_text("step 1 of 4", timeout=PATIENCE_MS)
        page.wait_for_timeout(1_000)  # what is said comes a moment later
        run_cell(2)
        expect(page.locator(".jp-OutputArea-output", has_text="(1, '%1')")).to_be_visible(timeout=PATIENCE_MS)
        run_cell(3)
        expect(frame.locator(".where .count")).to_contain_text("step 2 of 4", timeout=PATIENCE_MS)
        expect(frame.locator("output", has_text="%1[1, 2] = -0.24512246")).to_be_visible(timeout=PATIENCE_MS)
        page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
        expect(page.locator(".jp-NotebookPanel")).to_be_visible()
        page.wait_for_timeout(1_000)
    saved = (tmp_path / "t.ipynb").read_text()
    outputs = [output for cell in json.loads(saved)["cells"] for output in cell["outputs"]]
    assert "first NaN: line 3, log" in str(outputs)
    assert len(saved) < 200_000


def _runner(page: Page) -> Callable[[int], None]:
    """Runs a cell by its number."""
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.wait_for_function(
        "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.connectionStatus === 'connected'"
    )

    def run(number: int) -> None:
        page.evaluate(
            """async (number) => {
                const {content} = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = number;
                await window.jupyterapp.commands.execute("notebook:run-cell");
            }""",
            number,
        )

    return run


MARIMO = """import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
{text}
    view = mo.ui.anywidget(hloscope.record(text, [x]).show())
    return mo, view

@app.cell
def _(view):
    view
    return

@app.cell
def _(mo, view):
    mo.md(f"The cell stands at step {{view.value['position']}}.")
    return

if __name__ == "__main__":
    app.run()
"""


@pytest.mark.long
def test_a_cell_of_marimo_moves_other_cells(notebook_python: Path, tmp_path: Path, lab_page: Page) -> None:
    text = "\n".join(
        f"    {line}" if not line.startswith(("  %", "  return", "}")) else line for line in TEXT.splitlines()
    )
    (tmp_path / "t.py").write_text(MARIMO.format(text=text))
    port = free_port()
    command = [
        str(notebook_python),
        "-m",
        "marimo",
        "run",
        "t.py",
        "--headless",
        f"--port={port}",
        "--no-token",
    ]
    with served(command, f"http://127.0.0.1:{port}/health", tmp_path):
        lab_page.goto(f"http://127.0.0.1:{port}")
        expect(lab_page.get_by_text("The cell stands at step 0.")).to_be_visible(timeout=PATIENCE_MS)
        frame = lab_page.frame_locator("iframe[title=hloscope]")
        expect(frame.locator(".where .count")).to_contain_text("step 0 of 4", timeout=PATIENCE_MS)
        frame.get_by_role("button", name="over").first.click()
        expect(lab_page.get_by_text("The cell stands at step 1.")).to_be_visible(timeout=PATIENCE_MS)
