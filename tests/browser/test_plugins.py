"""The plugin of examples/plugin, built and installed: its panel beside a program that calls its target."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.app.base.test_plugins import PROGRAM
from tests.browser.conftest import PATIENT, Complaints
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import ROOT, Server, serving


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose Python has all packages of this one, and the plugin."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        (packages / package.name).symlink_to(package)
    install = ["install", "--quiet", "--no-deps", "--target", str(packages), str(ROOT / "examples/plugin")]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    python = str(folder / "bin" / "python")
    with serving(tmp_path_factory.mktemp("data"), settings=PATIENT, python=python) as (server, _):
        yield server


def test_the_panel_of_a_plugin_follows_the_program(
    new_page: Callable[..., Page], plugins: Server, axe: Callable[[Page], None]
) -> None:
    page = new_page()
    debugger = DebuggerPage.opened(page, plugins, PROGRAM)
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


def test_a_module_that_is_gone_is_reported_in_its_panel(
    new_page: Callable[..., Page], plugins: Server, complaints: Complaints
) -> None:
    complaints.allow("404")
    page = new_page()
    page.route("**/static/plugins/**", lambda route: route.fulfill(status=404))
    debugger = DebuggerPage.opened(page, plugins, PROGRAM)
    show_tab(page, "Visited")
    expect(page.get_by_role("alert")).to_contain_text("The plugin's panel “Visited” failed")
    debugger.press("F10")
    debugger.at_step(1)
