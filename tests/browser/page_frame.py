"""The frame of the debugger's page: menus of the toolbar, the console, the tabs of runs."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page

from tests.browser.settling import settle, show_tab


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


def pane(page: Page, title: str) -> Locator:
    """A panel of the dock with its head."""
    return page.get_by_role("region", name=title, exact=True)


def arrange(page: Page, title: str, item: str) -> None:
    """Chooses in the menu of a panel that is in front."""
    pane(page, title).hover()
    choose_in_menu(page, f"Arrange {title}", item)
    settle(page)


def move_panel(page: Page, title: str, where: str, of: str) -> None:
    """Moves a panel by the dialog of its menu, to a side of the group in which the panel `of` is in front."""
    show_tab(page, title)
    arrange(page, title, f"Move {title} to…")
    dialog = page.get_by_role("dialog", name=f"Move {title}")
    dialog.get_by_label("Where").select_option(where)
    groups = dialog.get_by_label("Of what").locator("option").all_inner_texts()
    dialog.get_by_label("Of what").select_option(next(group for group in groups if group.startswith(of)))
    dialog.get_by_role("button", name="Move").press("Enter")
    settle(page)
