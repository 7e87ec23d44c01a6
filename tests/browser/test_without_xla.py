"""Compare with XLA on a server whose Python has neither jax nor jaxlib."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PATIENT
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.browser.test_compare import PROGRAM
from tests.server_process import serving


@pytest.fixture
def python_without_xla(tmp_path: Path) -> str:
    """An interpreter with all packages of this one but jax and jaxlib."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("jax"):
            (packages / package.name).symlink_to(package)
    python = str(folder / "bin" / "python")
    assert subprocess.run([python, "-c", "import jaxlib"], capture_output=True, check=False).returncode == 1
    return python


def test_that_xla_is_not_installed_is_said_with_what_to_type(
    new_page: Callable[..., Page], python_without_xla: str, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page = new_page()
    with serving(tmp_path / "data", settings=PATIENT, python=python_without_xla) as (server, _):
        debugger = DebuggerPage.opened(page, server, PROGRAM)
        show_tab(page, "Compare")
        page.get_by_role("button", name="Compare with XLA").click()
        problem = page.locator(".compare-job.problem")
        expect(problem).to_contain_text("XLA is not installed where this server runs.")
        expect(problem).to_contain_text("Type `pip install 'hloscope[xla]'` there.")
        expect(page.get_by_role("button", name="Compare with XLA")).to_be_enabled()
        settle(page)
        axe(page)
        debugger.press("F10")
        debugger.at_step(1)
        page.close()
