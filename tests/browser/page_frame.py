"""The frame of the debugger's page: menus of the toolbar, the console, the tabs of runs."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page

from tests.browser.settling import settle


def choose_in_menu(page: Page, menu: str, item: str) -> None:
    """Opens a menu by its button, and chooses what is called so."""
    page.get_by_role("button", name=menu, exact=True).click()
    items = page.get_by_role("menu", name=menu, exact=True).locator("button")
    items.filter(has_text=re.compile(rf"^✓?\s*{re.escape(item)}")).first.click()


def console(page: Page) -> Locator:
    """The console, opened where it is a line."""
    settle(page)
    if page.get_by_role("log").count() == 0:
        page.get_by_role("button", name=re.compile("^Open the console")).click()
    return page.get_by_role("log")


def shown_run(page: Page) -> Locator:
    """The tab of the run whose values are shown."""
    return page.get_by_role("tablist", name="Runs").get_by_role("tab", selected=True)
