"""A class plays a whole lesson in a room: one teacher and five students, one of them on a phone, one by keyboard and screen reader alone.

Every question of the lesson is asked as a poll, answered by all of them and shown with the truth; everybody does the exercise.
test_rooms.py checks the pages of polls for accessibility, test_lessons.py those of a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.app.serving import until
from tests.browser.conftest import Complaints
from tests.browser.debugger_page import sign_in
from tests.browser.room_page import PHONE, bar, join, open_room, tab_to, where
from tests.browser.settling import settle
from tests.server_process import ROOT, Server

NewPage = Callable[..., Page]
Check = Callable[[Page], None]
LESSON = "reading-a-program"
SOLVED = (ROOT / "app" / "lessons" / "programs" / f"{LESSON}_solved.mlir").read_text("utf-8")


@dataclass
class Class:
    """Who is there."""

    teacher: Page
    others: list[Page]
    """Three with a mouse."""
    phone: Page
    blind: Page

    @property
    def students(self) -> list[Page]:
        """All five."""
        return [*self.others, self.phone, self.blind]

    @property
    def pages(self) -> list[Page]:
        """All six."""
        return [self.teacher, *self.students]


def _reads(page: Page, words: str) -> None:
    """The tree that a screen reader has says so: nothing is known from a picture."""
    page.wait_for_function("() => document.documentElement.hasAttribute('data-idle')")
    body = page.locator("body")
    try:
        until(lambda: words in re.sub(r"\s+", " ", body.aria_snapshot()).replace('\\"', '"'))
    except AssertionError:
        raise AssertionError(f"a screen reader does not say {words!r}:\n{body.aria_snapshot()}") from None


def _come_in(blind: Page, server: Server, code: str) -> None:
    blind.goto(f"{server.origin}/join")
    expect(blind.get_by_label("Room code from your teacher")).to_be_focused()
    blind.keyboard.type(code)
    blind.keyboard.press("Enter")
    expect(bar(blind)).to_contain_text("Following the teacher")


def _together(found: Class, title: str) -> None:
    """Everybody is at the step, and where it looks."""
    for page in found.pages:
        expect(page.locator("#lesson-step")).to_have_text(title)
        settle(page)
    at = where(found.teacher).inner_text()
    for page in found.students:
        expect(where(page)).to_have_text(at)


def _ask(found: Class, ask: dict[str, Any], number: int) -> None:
    """A question of the step becomes a poll; the first answers wrongly, the others rightly."""
    teacher = found.teacher
    teacher.get_by_role("button", name="Ask the class").click()
    asked = teacher.locator(".room-lesson-ask").nth(number)
    question = asked.locator("span").inner_text()
    asked.get_by_role("button", name="Ask this").click()
    for page in found.students:
        expect(page.get_by_role("heading", name=question)).to_be_visible()
    _reads(found.blind, question[:40])
    if ask["ask"] == "step":
        for page in found.others:
            _stop_at(page, ask["truth"][0] if page is not found.others[0] else ask["truth"][0] - 1)
            page.locator(".room-card").get_by_role("button", name="Here").click()
        _stop_at(found.phone, ask["truth"][-1])
        found.phone.locator(".room-card").get_by_role("button", name="Here").tap()
        _stop_at(found.blind, ask["truth"][-1])
        tab_to(found.blind, found.blind.locator(".room-card").get_by_role("button", name="Here"))
        found.blind.keyboard.press("Enter")
    else:
        right = "x".join(map(str, ask["truth"])) if ask["ask"] == "shape" else ask["truth"]
        for page in (*found.others, found.phone):
            card = page.locator(".room-card")
            card.get_by_role("textbox").fill("7" if page is found.others[0] else right)
            card.get_by_role("button", name="Answer").click()
        tab_to(found.blind, found.blind.locator(".room-card").get_by_role("textbox"))
        found.blind.keyboard.type(right)
        found.blind.keyboard.press("Enter")
        expect(bar(found.blind)).to_contain_text("Following the teacher")  # Tab leads nowhere else
    for page in found.students:
        expect(page.locator(".room-sent")).to_contain_text("Saved")
    _reads(found.blind, "Saved:")
    teacher.get_by_role("button", name="Show results").click()
    for page in found.pages:
        expect(page.locator(".room-truth")).to_contain_text("4 of 5 answers were right")
    _reads(found.blind, "4 of 5 answers were right")
    teacher.get_by_role("button", name="Done").click()
    expect(found.phone.locator(".room-card")).to_have_count(0)
    for page in found.students:
        if "paused" in bar(page).inner_text():
            _back(found, page)


def _stop_at(page: Page, step: int) -> None:
    """Steps there."""
    for _ in range(60):
        settle(page)
        found = re.search(r"\d+", where(page).inner_text())
        assert found
        at = int(found[0])
        if at == step:
            return
        _step(page, "Step over" if at < step else "Step back")
    raise AssertionError(f"no key leads to step {step}: {where(page).inner_text()}")


def _step(page: Page, name: str) -> None:
    """By a finger where there are no keys."""
    if page.evaluate("navigator.maxTouchPoints") > 0:
        page.get_by_role("button", name=name, exact=True).tap()
    else:
        page.keyboard.press({"Step over": "F10", "Step back": "Alt+Shift+F11"}[name])


def _back(found: Class, page: Page) -> None:
    back = bar(page).get_by_role("button", name="Back to the class")
    if page is found.blind:
        tab_to(page, back)
        page.keyboard.press("Enter")
    else:
        back.click()
    expect(bar(page)).to_contain_text("Following the teacher")


def _exercise(found: Class, axe: Check) -> None:
    """All mend the program; the first presses too early."""
    first = found.others[0]
    first.get_by_role("button", name="Run and check").click()
    expect(first.locator(".lesson-wrong").first).to_be_visible()
    for page in (*found.others, found.phone):
        _write(page, page.locator(".lesson-editor .cm-content"), SOLVED)
        page.get_by_role("button", name="Run and check").click()
        expect(page.locator(".lesson-passed")).to_be_visible()
    blind = found.blind
    tab_to(blind, blind.locator(".lesson-editor .cm-content"))
    _type_all(blind, SOLVED)
    tab_to(blind, blind.get_by_role("button", name="Run and check"))
    blind.keyboard.press("Enter")
    _reads(blind, "You have written StableHLO")
    bar(found.teacher).get_by_role("button", name="The class", exact=True).click()
    row = found.teacher.get_by_role("table").filter(has_text="not yet right").locator("tbody tr").filter(has_text="Now you")  # fmt: skip
    expect(row.get_by_role("cell")).to_have_text(["5", "5", "0"])
    for page in (found.teacher, found.phone):
        settle(page)
        axe(page)
    bar(found.teacher).get_by_role("button", name="The class", exact=True).click()
    for page in found.students:
        if "paused" in bar(page).inner_text():
            _back(found, page)


def _write(page: Page, editor: Locator, text: str) -> None:
    editor.click()
    _type_all(page, text)


def _type_all(page: Page, text: str) -> None:
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(text)


def test_a_class_plays_a_whole_lesson(
    new_page: NewPage, server: Server, axe: Check, complaints: Complaints
) -> None:
    complaints.allow("404|410")  # of the room, once it has ended
    teacher = new_page()
    sign_in(teacher, server)
    teacher.goto(f"{server.origin}/lessons/{LESSON}")
    expect(teacher.locator("#lesson-step")).to_be_visible()
    lesson = teacher.request.get(f"{server.origin}/api/lessons/{LESSON}").json()
    settle(teacher)
    code = open_room(teacher)
    teacher.keyboard.press("Escape")
    others = [join(new_page(**options), server, code) for options in ({}, {"color_scheme": "dark"}, {"forced_colors": "active"})]  # fmt: skip
    phone = join(new_page(**PHONE), server, code)
    blind = new_page()
    _come_in(blind, server, code)
    found = Class(teacher, others, phone, blind)
    expect(bar(teacher)).to_contain_text("5 people here, 5 following")

    _together(found, teacher.locator("#lesson-step").inner_text())
    asked = exercises = 0
    for step in lesson["steps"]:
        teacher.get_by_role("button", name="Next", exact=True).click()
        _together(found, step["title"])
        _reads(blind, step["title"])
        asks = [block for block in step["blocks"] if block["kind"] == "ask"]
        for number, ask in enumerate(asks):
            _ask(found, ask, number)
            asked += 1
        if any(block["kind"] == "change" for block in step["blocks"]):
            _exercise(found, axe)
            exercises += 1
    assert (asked, exercises) == (6, 1)
    for page in (teacher, phone, *others[1:]):
        axe(page)

    teacher.get_by_role("button", name="More room commands").click()
    teacher.get_by_role("menuitem", name="End the room").click()
    teacher.get_by_role("dialog").get_by_role("button", name="End the room").click()
    for page in found.pages:
        expect(page.get_by_text("The room has ended.", exact=True)).to_be_visible()
    _reads(blind, "The room has ended.")
