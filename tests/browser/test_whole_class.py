"""A class before a projector: what it shows of the lesson, of a poll, of who leads, and what the teacher sees and keeps."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app.serving import until
from tests.browser.conftest import Check, NewPage, OpenPage
from tests.browser.room_page import (
    bar,
    join,
    name_of,
    open_records,
    open_room,
    rows_of,
    where,
)
from tests.browser.settling import settle, show_tab
from tests.server_process import Server

LESSON = "reading-a-program"
TOP_LINE = """() => {
    const root = document.querySelector(".editor").shadowRoot;
    const top = root.querySelector(".cm-scroller").getBoundingClientRect().top;
    const numbers = [...root.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].filter(
        (one) => one.getBoundingClientRect().bottom > top + 2 && one.getBoundingClientRect().height > 0);
    return numbers[0]?.innerText;
}"""


@pytest.mark.more
def test_a_whole_class_sees_what_was_done(
    open_page: OpenPage, new_page: NewPage, server: Server, axe: Check
) -> None:
    teacher = open_page(f"/lessons/{LESSON}")
    expect(teacher.locator("#lesson-step")).to_be_visible()
    settle(teacher)
    code = open_room(teacher, "Yes, under random names")
    teacher.keyboard.press("Escape")
    room = teacher.evaluate("Object.keys(localStorage).find((key) => key.includes('room-owner.'))")
    screen = new_page(viewport={"width": 1280, "height": 720})
    screen.goto(f"{server.origin}/room/{room.partition('room-owner.')[2]}?screen")
    expect(screen.locator(".room-screen-join .room-code")).to_have_text(code)

    ana, ben = students = [join(new_page(), server, code, is_told=True) for _ in range(2)]
    expect(screen.locator(".room-bar")).to_contain_text("2 people here")

    _follow(teacher, screen, students)
    axe(screen)
    _poll(teacher, screen, students)
    _panel(teacher, screen, ana, ben, axe)
    _chalk(teacher, screen, ana)
    _records(teacher, ana, ben)


def _next(teacher: Page, pages: list[Page], title: str) -> None:
    teacher.get_by_role("button", name="Next", exact=True).click()
    for page in (teacher, *pages):
        expect(page.locator("#lesson-step")).to_have_text(title)
        settle(page)


def _is_at(pages: list[Page], screen: Page, step: int) -> None:
    for page in pages:
        expect(where(page)).to_contain_text(f"step {step} of")
    expect(screen.locator(".room-screen-where")).to_contain_text(f"step {step} of")


def _follow(teacher: Page, screen: Page, students: list[Page]) -> None:
    """Step of the lesson, step of the run, panel, element and scroll of the text."""
    _next(teacher, [screen, *students], "What goes in")
    expect(screen.locator(".room-screen-join")).to_have_count(0)
    expect(screen.locator(".room-screen-where")).to_contain_text("1. What goes in")
    picture = teacher.locator(".tensor-frame")
    picture.focus()
    teacher.keyboard.press("ArrowDown")
    teacher.keyboard.press("ArrowRight")
    read = teacher.locator(".tensor-readout output").inner_text()
    assert read.startswith("%amounts[")
    expect(screen.locator(".tensor-readout output")).to_have_text(read)
    # All three are seen at once, and the picture has most of the window.
    boxes = [screen.locator(f"#panel-{name}").bounding_box() for name in ("program", "lesson", "tensor")]
    program, lesson, tensor = (box for box in boxes if box)
    assert tensor["width"] > lesson["width"]
    assert tensor["height"] > program["height"] + lesson["height"] - 20
    for _ in range(2):
        teacher.keyboard.press("F10")
    _is_at(students, screen, 2)

    teacher.set_viewport_size({"width": 1280, "height": 560})
    teacher.locator(".editor").hover()
    teacher.mouse.wheel(0, 90)
    until(lambda: teacher.evaluate(TOP_LINE) not in (None, "1"))
    # Of the first line perhaps only the result below it is in view.
    until(lambda: abs(int(screen.evaluate(TOP_LINE)) - int(teacher.evaluate(TOP_LINE))) <= 1)
    teacher.set_viewport_size({"width": 1280, "height": 800})


def _poll(teacher: Page, screen: Page, students: list[Page]) -> None:
    """A question of the lesson: covered on the projector until it is revealed."""
    _next(teacher, [screen, *students], "One line, one operation")
    teacher.get_by_role("button", name="Ask the class").click()
    asked = teacher.locator(".room-lesson-ask").first
    question = asked.locator("span").inner_text()
    asked.get_by_role("button", name="Ask this").click()
    for page in (screen, *students):
        expect(page.get_by_role("heading", name=question)).to_be_visible()
    expect(screen.locator(".room-card")).to_contain_text("Answer on your own device")
    teacher.keyboard.press("F10")
    teacher.locator(".cm-content").get_by_text("%costs").first.click()
    expect(screen.locator(".panel-tensor")).to_contain_text("%costs is hidden")
    for page, answer in zip(students, ("20", "23"), strict=True):
        _answer(page.locator(".room-card"), answer)
        expect(page.locator(".room-sent")).to_contain_text("Saved")
    expect(screen.locator(".room-truth")).to_have_count(0)
    teacher.get_by_role("button", name="Show results").click()
    for page in (teacher, screen, *students):
        expect(page.locator(".room-truth")).to_contain_text("1 of 2 answers was right")
    expect(screen.locator(".panel-tensor")).not_to_contain_text("is hidden")
    teacher.get_by_role("button", name="Done").click()
    expect(screen.locator(".room-card")).to_have_count(0)


def _answer(card: Locator, text: str) -> None:
    card.get_by_role("textbox").fill(text)
    card.get_by_role("button", name="Answer", exact=True).click()


def _panel(teacher: Page, screen: Page, ana: Page, ben: Page, axe: Check) -> None:
    """Who needs help comes first, the answers are seen, and one click shows what a student sees."""
    for student, answer in ((ana, "20"), (ben, "23")):
        question = student.locator(".panel-lesson .lesson-ask").first
        _answer(question, answer)
        expect(question.get_by_role("status")).to_contain_text("Right." if answer == "20" else "Not quite.")
    ana.get_by_role("button", name="Raise hand").click()
    stage = teacher.locator("#panel-tensor").bounding_box()
    bar(teacher).get_by_role("button", name="The class", exact=True).click()
    panel = teacher.locator(".panel-class")
    rows = panel.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text(re.compile(rf"{name_of(ana)}.*hand up"))
    expect(rows.nth(1)).to_contain_text(re.compile(rf"{name_of(ben)}.*1 wrong"))
    expect(rows.nth(0).locator("td.answer.right")).to_have_count(1)
    expect(rows.nth(1).locator("td.answer.wrong")).to_have_count(1)
    head = panel.get_by_role("columnheader", name="One line, one operation")
    expect(head).to_contain_text("1 right")
    expect(head).to_contain_text("1 wrong")
    axe(teacher, ".panel-class")
    # It takes its place below the picture, and covers none of it.
    settle(teacher)
    box, beside = panel.bounding_box(), teacher.locator("#panel-tensor").bounding_box()
    assert stage
    assert box
    assert beside
    assert beside["y"] + beside["height"] <= box["y"]
    assert beside["width"] == stage["width"]

    ben.keyboard.press("F10")
    ben.locator(".cm-content").get_by_text("%amounts").first.click()
    show_tab(ben, "Index map")
    step = where(ben).inner_text()
    assert step != where(teacher).inner_text()
    before = screen.locator(".room-screen-where").inner_text()
    panel.get_by_role("button", name=name_of(ben), exact=True).click()
    expect(bar(teacher)).to_contain_text(f"You see what {name_of(ben)} sees")
    expect(where(teacher)).to_have_text(step)
    expect(teacher.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    ben.keyboard.press("Alt+Shift+F10")
    expect(where(teacher)).to_have_text(where(ben).inner_text())
    expect(screen.locator(".room-screen-where")).to_have_text(before, use_inner_text=True)
    bar(teacher).get_by_role("button", name="Back to the class").click()
    expect(where(teacher)).to_have_text(where(ana).inner_text())
    expect(bar(teacher)).not_to_contain_text("You see what")
    expect(screen.locator(".room-screen-where")).to_have_text(before, use_inner_text=True)


def _chalk(teacher: Page, screen: Page, ana: Page) -> None:
    """The projector follows whoever leads."""
    panel = teacher.locator(".panel-class")
    panel.get_by_role("button", name=f"Lend the chalk to {name_of(ana)}").click()
    expect(bar(ana)).to_contain_text("You have the chalk")
    ana.locator(".lesson-ask input").first.focus()  # as after one's own answer
    ana.keyboard.press("F10")
    said = where(ana).inner_text()
    expect(screen.locator(".room-screen-where")).to_contain_text(said)
    expect(where(teacher)).to_have_text(said)
    bar(teacher).get_by_role("button", name="Take the chalk back").click()
    expect(bar(ana)).to_contain_text("Following the teacher")
    teacher.keyboard.press("Alt+Shift+F10")
    expect(where(ana)).not_to_have_text(said)
    expect(screen.locator(".room-screen-where")).to_contain_text(where(teacher).inner_text())


def _records(teacher: Page, ana: Page, ben: Page) -> None:
    """The files of the room have what its members have answered."""
    dialog = open_records(teacher)
    rows = rows_of(dialog, "Download the answers of the class")
    for student, answer, right in ((ana, "20", "yes"), (ben, "23", "no")):
        answered = [row for row in rows if row["member"] == name_of(student) and row["first answer"]]
        assert [(row["first answer"], row["right"]) for row in answered] == [(answer, right)]
