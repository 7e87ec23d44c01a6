"""Pages of a class in a room, as its teacher and its students use them."""

from __future__ import annotations

import csv
import io
import re

from playwright.sync_api import Locator, Page, expect

from tests.server_process import Server

PHONE: dict[str, object] = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}


HAS_FOCUS = """(element) => {
    let focused = document.activeElement;
    while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    return focused === element;
}"""
"""Also of an editor, which is in a tree of its own."""


def bar(page: Page) -> Locator:
    """The bar of the room."""
    return page.get_by_role("region", name="Room", exact=True)


def where(page: Page) -> Locator:
    """At which step a page is, in words."""
    return page.locator(".where .count")


def name_of(student: Page) -> str:
    """What the room calls a student."""
    return student.locator(".room-name strong").inner_text()


def open_room(teacher: Page, records: str = "") -> str:
    """Opens a room from the menu of links, and gives its code; `records`: the beginning of the choice of what is kept."""
    teacher.get_by_role("button", name="Share", exact=True).click()
    teacher.get_by_role("menuitem", name="Open a room for a class").click()
    dialog = teacher.get_by_role("dialog", name="Open a room")
    expect(dialog).to_contain_text("The class sees")
    expect(dialog).to_contain_text("When you end the room it is deleted")
    if records:
        dialog.get_by_role("radio", name=re.compile(f"^{records}")).check()
    dialog.get_by_role("button", name="Open the room").click()
    code = teacher.locator(".room-large-code")
    expect(code).to_have_text(re.compile(r"^\w{4} \w{4}$"))
    return code.inner_text()


def open_records(teacher: Page) -> Locator:
    """The dialog with the polls of the room and its files."""
    bar(teacher).get_by_role("button", name="More room commands").click()
    teacher.get_by_role("menuitem", name="Records and polls").click()
    return teacher.get_by_role("dialog", name="Records")


def rows_of(dialog: Locator, button: str) -> list[dict[str, str]]:
    """The rows of a file that a dialog saves."""
    with dialog.page.expect_download() as saved:
        dialog.get_by_role("button", name=button).click()
    return [*csv.DictReader(io.StringIO(saved.value.path().read_text("utf-8-sig")))]


def join(student: Page, server: Server, code: str, *, is_told: bool = False) -> Page:
    """Comes in by the code; `is_told`: the room tells first what it keeps."""
    student.goto(f"{server.origin}/join")
    student.get_by_label("Room code from your teacher").fill(code)
    student.get_by_role("button", name="Join").click()
    if is_told:
        expect(student.get_by_role("heading", name="Before you join")).to_be_visible()
        student.get_by_role("button", name="Join").click()
    expect(bar(student)).to_contain_text("Following the teacher")
    return student


def ask_class(teacher: Page, kind: str) -> Locator:
    """The dialog in which a teacher asks, at a kind of question."""
    teacher.get_by_role("button", name="Ask the class").click()
    dialog = teacher.get_by_role("dialog", name="Ask the class")
    dialog.get_by_role("radio", name=re.compile(f"^{kind}")).check()
    return dialog


def answer_poll(student: Page, text: str) -> None:
    """Types an answer to the poll, and waits until the server has it."""
    card = student.locator(".room-card")
    card.get_by_role("textbox").fill(text)
    card.get_by_role("button", name="Answer").click()
    expect(card).to_contain_text("Saved: ")


def tab_to(page: Page, wanted: Locator) -> None:
    """Moves by Tab alone, as somebody who sees nothing does."""
    expect(wanted).to_have_count(1)
    for _ in range(80):
        if wanted.evaluate(HAS_FOCUS):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {wanted}")
