"""What a server has depends on the packages of its Python: the plugin of examples/plugin is installed, XLA is not."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.app.base.test_plugins import PROGRAM as PLUGGED
from tests.browser.conftest import PATIENT, Check, Complaints, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.browser.test_compare import PROGRAM
from tests.server_process import ROOT, Server, serving


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose Python has the plugin, and all packages of this one but jax and jaxlib."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", folder], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("jax"):
            (packages / package.name).symlink_to(package)
    install = ["install", "--quiet", "--no-deps", "--target", str(packages), str(ROOT / "examples/plugin")]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)
    python = str(folder / "bin" / "python")
    assert subprocess.run([python, "-c", "import jaxlib"], capture_output=True, check=False).returncode == 1
    with serving(tmp_path_factory.mktemp("data"), settings=PATIENT, python=python) as (server, _):
        yield server


def test_the_panel_of_a_plugin_follows_the_program(new_page: NewPage, other: Server, axe: Check) -> None:
    page = new_page()
    debugger = DebuggerPage.opened(page, other, PLUGGED)
    expect(page.get_by_role("tab", name="Visited")).to_have_count(0)  # opened on purpose, from the menu More
    show_tab(page, "Visited")
    visited = page.locator(".plugin li")
    debugger.press("F10")
    debugger.at_step(1)
    expect(visited.first).to_contain_text("%0 f32[3]")
    settle(page)
    axe(page, ".plugin")
    show_tab(page, "Tensor")
    show_tab(page, "Visited")
    expect(visited).to_have_count(1)


def test_a_module_that_is_gone_is_reported_in_its_panel(
    new_page: NewPage, other: Server, complaints: Complaints
) -> None:
    complaints.allow("404")
    page = new_page()
    page.route("**/static/plugins/**", lambda route: route.fulfill(status=404))
    debugger = DebuggerPage.opened(page, other, PLUGGED)
    show_tab(page, "Visited")
    expect(page.get_by_role("alert")).to_contain_text("The plugin's panel “Visited” failed")
    debugger.press("F10")
    debugger.at_step(1)


def test_that_xla_is_not_installed_is_said_with_what_to_type(
    new_page: NewPage, other: Server, axe: Check
) -> None:
    page = new_page()
    debugger = DebuggerPage.opened(page, other, PROGRAM)
    show_tab(page, "Compare")
    page.get_by_role("button", name="Compare with XLA").click()
    problem = page.locator(".compare-job.problem")
    expect(problem).to_contain_text("XLA is not installed where this server runs.")
    expect(problem).to_contain_text("Type `pip install 'hloscope[xla]'` there.")
    expect(page.get_by_role("button", name="Compare with XLA")).to_be_enabled()
    settle(page)
    axe(page, "#panel-compare")
    debugger.press("F10")
    debugger.at_step(1)
