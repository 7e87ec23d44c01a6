"""The plugin of examples/plugin, built and installed: its panel beside a program that calls its target."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.app.base.test_plugins import PROGRAM
from tests.browser.conftest import PATIENT, Complaints
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import ROOT, serving


@pytest.fixture
def python_with_plugin(tmp_path: Path) -> str:
    """An interpreter with all packages of this one, and the plugin."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        (packages / package.name).symlink_to(package)
    install = ["install", "--quiet", "--no-deps", "--target", str(packages), str(ROOT / "examples/plugin")]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    return str(folder / "bin" / "python")


def test_the_panel_of_a_plugin_follows_the_program(
    new_page: Callable[..., Page], python_with_plugin: str, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    page = new_page()
    with serving(tmp_path / "data", settings=PATIENT, python=python_with_plugin) as (server, _):
        debugger = DebuggerPage.opened(page, server, PROGRAM)
        debugger.wait_until_recorded()
        show_tab(page, "Visited")
        visited = page.locator(".plugin li")
        debugger.press("F10")
        debugger.at_step(1)
        expect(visited.first).to_contain_text("%0 f32[3]")
        settle(page)
        axe(page)
        show_tab(page, "Tensor")
        show_tab(page, "Visited")
        expect(visited).to_have_count(1)
        page.close()  # before the server that it listens to


def test_a_module_that_is_gone_is_reported_in_its_panel(
    new_page: Callable[..., Page], python_with_plugin: str, complaints: Complaints, tmp_path: Path
) -> None:
    complaints.allow("404")
    page = new_page()
    page.route("**/static/plugins/**", lambda route: route.fulfill(status=404))
    with serving(tmp_path / "data", settings=PATIENT, python=python_with_plugin) as (server, _):
        debugger = DebuggerPage.opened(page, server, PROGRAM)
        show_tab(page, "Visited")
        expect(page.get_by_role("alert")).to_contain_text("The plugin's panel “Visited” failed")
        debugger.press("F10")
        debugger.at_step(1)
        page.close()
