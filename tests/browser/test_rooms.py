"""A class in a room: one teacher and five students, one of them on a phone, one by keyboard and screen reader alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.app.classroom.test_room_restart import line
from tests.app.serving import until
from tests.browser.conftest import Check, Complaints, NewPage, OpenPage, Record
from tests.browser.room_page import (
    PHONE,
    answer_poll,
    ask_class,
    bar,
    join,
    name_of,
    open_records,
    open_room,
    rows_of,
    tab_to,
    where,
)
from tests.browser.settling import box_of, settle, show_tab
from tests.server_process import ROOT, Server

STEPS = 12
PROGRAM = """func.func @main() -> tensor<4x6xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x4xi32>) -> tensor<4x6xi32>
  %3 = stablehlo.add %2, %0 : tensor<4x6xi32>
  %4 = stablehlo.reverse %3, dims = [1] : tensor<4x6xi32>
  %5 = stablehlo.add %4, %0 : tensor<4x6xi32>
  %6 = stablehlo.add %5, %0 : tensor<4x6xi32>
  %7 = stablehlo.add %6, %0 : tensor<4x6xi32>
  %8 = stablehlo.add %7, %0 : tensor<4x6xi32>
  %9 = stablehlo.add %8, %0 : tensor<4x6xi32>
  %10 = stablehlo.add %9, %0 : tensor<4x6xi32>
  return %10 : tensor<4x6xi32>
}
"""


def _is_at(page: Page, step: int) -> None:
    expect(where(page)).to_have_text(f"step {step} of {STEPS}")


@pytest.fixture
def teacher(record: Record) -> Page:
    return record(PROGRAM).page


@pytest.mark.main_path
def test_a_class_follows_answers_leads_and_is_sent_home(
    teacher: Page, new_page: NewPage, server: Server, axe: Check, complaints: Complaints
) -> None:
    complaints.allow(r"404|410")  # of the room, once it has ended
    code = open_room(teacher)
    link = teacher.get_by_label("Link to the room").input_value()
    settle(teacher)
    axe(teacher, "dialog")
    teacher.keyboard.press("Escape")

    # They come in, each in their own way.
    phone = new_page(**PHONE)
    phone.goto(f"{server.origin}/join")
    axe(phone)
    # Where something is too wide, a phone makes the whole window as wide.
    assert phone.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    join(phone, server, code.lower())
    blind = new_page()
    blind.goto(f"{server.origin}/join")
    expect(blind.get_by_label("Room code from your teacher")).to_be_focused()
    blind.keyboard.type(code)
    blind.keyboard.press("Enter")
    expect(blind.get_by_role("status").filter(has_text="Following the teacher")).to_be_visible()
    first, second, third = (join(new_page(), server, code) for _ in range(3))
    students = [first, second, third, phone, blind]
    expect(bar(teacher)).to_contain_text("5 people here, 5 following")
    assert len({name_of(student) for student in students}) == 5

    # A step together, all steps, and two back.
    for key in ("F10", "F5", "Alt+Shift+F10", "Alt+Shift+F10"):
        teacher.keyboard.press(key)
        settle(teacher)
    for student in students:
        _is_at(student, 10)
    show_tab(teacher, "Index map")
    expect(second.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    show_tab(teacher, "Tensor")
    teacher.locator(".cm-content").get_by_text("%3").first.click()
    for student in (first, blind):
        expect(student.locator(".tensor-header h3")).to_contain_text("%3")

    # What the teacher points at.
    box = teacher.locator(".tensor-frame").bounding_box()
    until(lambda: _point(teacher, first, box, 0.3, 0.3) is not None)

    # One goes a way of her own, is left alone, and comes back.
    first.keyboard.press("Alt+Shift+F10")
    expect(bar(first)).to_contain_text("Following paused")
    _is_at(first, 9)
    expect(bar(teacher)).to_contain_text("4 following")
    teacher.keyboard.press("Alt+Shift+F10")
    teacher.keyboard.press("Alt+Shift+F10")
    _is_at(second, 8)
    _is_at(first, 9)
    first.keyboard.press("f")
    expect(bar(first)).to_contain_text("Following the teacher")
    _is_at(first, 8)
    blind.keyboard.press("Alt+F10")
    expect(bar(blind)).to_contain_text("Following paused")
    tab_to(blind, bar(blind).get_by_role("button", name="Back to the class"))
    blind.keyboard.press("Enter")
    _is_at(blind, 8)

    _poll_of_a_number(teacher, students, blind, axe)
    _poll_of_an_element(teacher, students)

    # Who needs something.
    tab_to(blind, bar(blind).get_by_role("button", name="Raise hand"))
    blind.keyboard.press("Space")
    phone.get_by_role("button", name="I am lost").tap()
    expect(bar(teacher)).to_contain_text("1 hand up")
    expect(bar(teacher)).to_contain_text("1 lost")
    bar(teacher).get_by_role("button", name="The class", exact=True).click()
    panel = teacher.locator(".panel-class")
    expect(panel.locator("tbody tr").first).to_contain_text(name_of(blind))
    settle(teacher)
    axe(teacher, ".panel-class")
    panel.get_by_role("button", name=f"Take the hand of {name_of(blind)} down").click()
    expect(bar(blind).get_by_role("button", name="Raise hand")).to_have_attribute("aria-pressed", "false")

    # The chalk is lent, and taken back.
    panel.get_by_role("button", name=f"Lend the chalk to {name_of(third)}").click()
    expect(bar(third)).to_contain_text("You have the chalk")
    third.keyboard.press("F10")
    for page in [teacher, first, phone, blind]:
        _is_at(page, 9)
    expect(bar(first)).to_contain_text(f"Following {name_of(third)}")
    bar(teacher).get_by_role("button", name="Take the chalk back").click()
    expect(bar(third)).to_contain_text("Following the teacher")
    teacher.keyboard.press("F10")
    _is_at(third, 10)

    # One machine comes as if it were many, who are counted once the teacher says so.
    with ExitStack() as machine:
        for _ in range(20):
            machine.enter_context(line(server.port, link.rpartition("/")[2]))
        uncounted = panel.locator(".class-uncounted")
        expect(uncounted).to_contain_text("more people joined in a rush")
        settle(teacher)
        axe(teacher, ".panel-class")
        uncounted.get_by_role("button", name="Count them").click()
        expect(uncounted).to_have_count(0)

    # The end.
    teacher.get_by_role("button", name="More room commands").click()
    teacher.get_by_role("menuitem", name="End the room").click()
    teacher.get_by_role("dialog").get_by_role("button", name="End the room").click()
    for page in [teacher, *students]:
        expect(page.get_by_text("The room has ended.", exact=True)).to_be_visible()
    expect(teacher.locator(".room-bar")).to_have_text("The room has ended.")  # the session stays
    expect(first.locator(".offline")).to_have_count(0)  # its session has gone with the room, as that says
    answer = first.reload()
    assert answer
    assert answer.status == 404
    late = new_page()
    late.goto(f"{server.origin}/j/{code.replace(' ', '')}")
    expect(late.get_by_role("alert")).to_contain_text("No room has this code")


def test_a_step_with_the_focus_on_the_bar_leaves_the_class(
    teacher: Page, new_page: NewPage, server: Server
) -> None:
    student = join(new_page(), server, open_room(teacher))
    tab_to(student, bar(student).get_by_role("button", name="Raise hand"))
    student.keyboard.press("F10")
    _is_at(student, 1)
    expect(bar(student)).to_contain_text("Following paused")


def _poll_of_a_number(teacher: Page, students: list[Page], blind: Page, axe: Check) -> None:
    """All say what an element will be, none of them seeing it; then the histogram, and the truth."""
    dialog = ask_class(teacher, "A number")
    dialog.get_by_role("combobox", name="Value").select_option(label="%8 4 × 6")
    dialog.get_by_role("textbox", name="Element").fill("2, 5")
    expect(dialog.get_by_role("textbox", name="Question")).to_have_value("What will %8[2, 5] be?")
    settle(teacher)
    axe(teacher, "dialog")
    dialog.get_by_role("button", name="Ask", exact=True).click()
    for student in students:
        expect(student.get_by_role("heading", name="What will %8[2, 5] be?")).to_be_visible()
    teacher.locator(".cm-content").get_by_text("%8").first.click()
    covered = students[0].locator(".panel-tensor")
    expect(covered).to_contain_text("%8 is hidden")
    expect(covered.locator("canvas")).to_have_count(0)
    expect(teacher.locator(".tensor-header h3")).to_contain_text("%8")
    _no_picture_tells(students[1], "%8")
    for student, answer in zip(students[:4], ["20", "25", "2e1", "15"], strict=True):
        answer_poll(student, answer)
    expect(teacher.locator(".room-card")).to_contain_text("4 answers of 5 people")
    expect(teacher.locator(".room-card")).to_contain_text("Fewer than five people have answered")
    tab_to(blind, blind.get_by_role("textbox", name="What will %8[2, 5] be?"))
    blind.keyboard.type("20")
    blind.keyboard.press("Enter")
    expect(blind.get_by_role("status").filter(has_text="Saved: 20")).to_be_visible()
    bars = teacher.get_by_role("list", name="Answers")
    expect(bars.get_by_role("listitem")).to_have_count(3)
    expect(students[0].get_by_role("list", name="Answers")).to_have_count(0)
    teacher.get_by_role("button", name="Show results").click()
    for page in [teacher, *students]:
        expect(page.locator(".room-truth")).to_contain_text("Recorded: 20")
        expect(page.locator(".room-truth")).to_contain_text("3 of 5 answers were right")
    expect(covered.locator("canvas").first).to_be_visible()
    expect(blind.get_by_role("list", name="Answers")).to_contain_text("right")
    settle(students[3])
    axe(students[3], ".room-card")
    teacher.get_by_role("button", name="Done").click()
    expect(students[0].locator(".room-card")).to_have_count(0)


def _poll_of_an_element(teacher: Page, students: list[Page]) -> None:
    """All click on an element that another one reads; the clicks are discs on the tensor."""
    teacher.locator(".cm-content").get_by_text("%4").first.click()
    expect(teacher.locator(".tensor-header h3")).to_contain_text("%4")
    dialog = ask_class(teacher, "An element")
    dialog.get_by_role("combobox", name="Value").select_option(label="%4 4 × 6")
    dialog.get_by_role("textbox", name="Element").fill("1, 1")
    expect(dialog.get_by_role("textbox", name="Question")).to_have_value(
        "Which element of %3 does %4[1, 1] read?"
    )
    dialog.get_by_role("button", name="Ask", exact=True).click()
    first, *others = students
    expect(first.locator(".tensor-header h3")).to_contain_text("%3")
    _no_picture_tells(others[0], "%4")
    settle(first)
    box = box_of(first.locator(".tensor-frame canvas"))
    # Row 1, column 4 of 4 x 6, behind the rulers.
    first.mouse.click(
        box["x"] + 46 + (box["width"] - 46) * 4.5 / 6, box["y"] + 20 + (box["height"] - 20) * 1.5 / 4
    )
    card = first.locator(".room-card")
    expect(card.get_by_role("textbox")).to_have_value("1, 4")
    card.get_by_role("button", name="Answer").click()
    expect(card).to_contain_text("Saved: [1, 4]")
    expect(bar(first)).to_contain_text("Following the teacher")  # to answer is no way of one's own
    answer_poll(others[0], "1, 4")
    answer_poll(others[1], "1, 1")
    answer_poll(others[2], "1,4")
    answer_poll(others[3], "[0, 4]")
    before = teacher.locator(".tensor-frame canvas").screenshot()
    bars = teacher.get_by_role("list", name="Answers")
    expect(bars.get_by_role("listitem").first).to_contain_text("[1, 4]")
    teacher.get_by_role("button", name="Show results").click()
    expect(first.locator(".room-truth")).to_contain_text("Recorded: [1, 4]; 3 of 5 answers were right.")
    settle(teacher)
    assert teacher.locator(".tensor-frame canvas").screenshot() != before
    teacher.get_by_role("button", name="Done").click()
    expect(first.locator(".room-card")).to_have_count(0)


def _no_picture_tells(student: Page, name: str) -> None:
    """What a value was made of is covered: its index map, and its provenance, while a poll asks for it."""
    student.locator(".cm-content").get_by_text(name).first.click()
    for tab, panel in (("Index map", "index"), ("Provenance", "provenance"), ("Tensor", "tensor")):
        show_tab(student, tab)
        expect(student.locator(f"#panel-{panel}")).to_contain_text("this panel may show what a poll asks for")
    student.keyboard.press("f")
    expect(bar(student)).to_contain_text("Following the teacher")


def test_the_pointer_points_at_the_same_thing_in_a_window_of_another_size(
    teacher: Page, new_page: NewPage, server: Server
) -> None:
    code = open_room(teacher)
    teacher.keyboard.press("Escape")
    student = join(new_page(viewport={"width": 1100, "height": 640}), server, code)
    for _ in range(4):
        teacher.keyboard.press("F10")
    show_tab(teacher, "Tensor")
    _is_at(student, 4)
    for page in (teacher, student):
        settle(page)
    things: tuple[Callable[[Page], Locator], ...] = (
        lambda page: page.locator(".cm-line", has_text="%4 =").first,
        lambda page: page.locator(".cm-line", has_text="%9 =").first,
        lambda page: page.get_by_role("button", name="Numbers", exact=True),
        lambda page: page.locator(".tensor-statistics, .tensor-readout").first,
    )
    for thing in things:
        until(partial(_points_into, teacher, student, thing))
    # A cell of the heat map, which is of another size there: whoever points at the pointer reads the same element.
    canvas = teacher.locator("#panel-tensor .tensor-frame canvas").bounding_box()
    for across, down in ((0.2, 0.2), (0.5, 0.6), (0.9, 0.4)):
        until(partial(_reads_the_same, teacher, student, canvas, across, down))


DOT = """() => {
    const dot = document.querySelector(".room-pointer")?.getBoundingClientRect();
    return dot ? [dot.left + 9, dot.top + 9] : null;
}"""


def _point(teacher: Page, student: Page, box: FloatRect | None, across: float, down: float) -> Any:
    """The place at which the student sees the teacher's pointer, if it is there yet; it disappears when it rests."""
    assert box
    x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
    teacher.mouse.move(x - 2, y)
    teacher.mouse.move(x, y)
    return student.evaluate(DOT)


def _points_into(teacher: Page, student: Page, thing: Callable[[Page], Locator]) -> bool:
    """Whether the teacher points at the thing, and the pointer is on it in the student's window."""
    dot, box = (
        _point(teacher, student, thing(teacher).bounding_box(), 0.3, 0.5),
        thing(student).bounding_box(),
    )
    assert box
    return (
        dot is not None
        and box["x"] <= dot[0] <= box["x"] + box["width"]
        and box["y"] <= dot[1] <= box["y"] + box["height"]
    )


def _reads_the_same(teacher: Page, student: Page, box: FloatRect | None, across: float, down: float) -> bool:
    """Whether the student's page reads out the teacher's element where the dot is."""
    dot = _point(teacher, student, box, across, down)
    if dot is None:
        return False
    student.mouse.move(*dot)
    readout = teacher.locator(".tensor-readout output").inner_text()
    return readout.startswith("%4[") and student.locator(".tensor-readout output").inner_text() == readout


def test_a_playground_becomes_a_room(open_page: OpenPage, new_page: NewPage, server: Server) -> None:
    page = open_page("/playground/stablehlo.gather")
    page.get_by_role("button", name="Open a room").click()
    page.get_by_role("dialog", name="Open a room").get_by_role("button", name="Open the room").click()
    code = page.locator(".room-large-code")
    expect(code).to_have_text(re.compile(r"^\w{4} \w{4}$"))
    student = join(new_page(), server, code.inner_text())
    expect(student.locator(".cm-content")).to_contain_text("gather")


def test_a_student_reads_about_an_op_explores_a_copy_and_loads_the_page_again(
    teacher: Page, new_page: NewPage, server: Server, axe: Check
) -> None:
    code = open_room(teacher)
    teacher.keyboard.press("Escape")
    student = join(new_page(), server, code)
    settle(student)
    name = name_of(student)

    # The pages of ops and the help are open to who has not signed in.
    student.locator(".cm-content").get_by_text("transpose").first.hover()
    with student.context.expect_page() as opened:
        student.locator(".op-card").get_by_role("link", name="Constraints, example, indexing maps").click()
    expect(opened.value.get_by_role("heading", name="stablehlo.transpose")).to_be_visible()
    assert "/s/view-" in opened.value.url
    opened.value.close()
    help_link = student.get_by_role("link", name="Help: Tensor (new tab)").get_attribute("href") or ""
    assert re.match(r"/s/view-[^/]+/help#tensor", help_link)
    assert student.request.get(server.origin + help_link).status == 200

    teacher.keyboard.press("F10")
    _is_at(student, 1)
    student.get_by_role("button", name="Explore a copy").click()
    student.wait_for_url(re.compile("/s/own-"))
    expect(bar(student)).to_contain_text("Your own copy. The class is at step 1.")
    _is_at(student, 1)
    assert name_of(student) == name
    axe(student, "[aria-label=Room]")
    teacher.keyboard.press("F10")
    expect(bar(student)).to_contain_text("The class is at step 2.")
    _is_at(student, 1)
    bar(teacher).get_by_role("button", name="The class", exact=True).click()
    expect(teacher.locator(".class-table")).to_contain_text("in a copy")
    student.locator(".cm-content").click()
    student.keyboard.press("ControlOrMeta+End")
    student.keyboard.type("// mine")
    student.get_by_role("button", name="Run", exact=True).click()
    student.wait_for_url(re.compile("run=2"))
    expect(teacher.locator(".cm-content")).not_to_contain_text("mine")
    bar(student).get_by_role("button", name="Back to the class").click()
    expect(bar(student)).to_contain_text("Following the teacher")
    _is_at(student, 2)

    student.get_by_role("button", name="Raise hand").click()
    expect(bar(teacher)).to_contain_text("1 hand up")
    student.reload()
    expect(bar(student)).to_contain_text("Following the teacher")
    assert name_of(student) == name
    expect(bar(student).get_by_role("button", name="Lower hand")).to_have_attribute("aria-pressed", "true")
    teacher.wait_for_url(re.compile("step=2"))
    teacher.reload()
    expect(bar(teacher)).to_contain_text("1 person here")
    teacher.keyboard.press("F10")
    _is_at(student, 3)
    assert "owner" not in teacher.url


def test_nobody_comes_through_a_closed_door_and_the_screen_shows_the_way(
    teacher: Page, new_page: NewPage, server: Server, axe: Check
) -> None:
    code = open_room(teacher)
    link = teacher.get_by_label("Link to the room").input_value()
    expect(teacher.get_by_role("img", name="Picture of the link")).to_be_visible()
    teacher.keyboard.press("Escape")
    screen = new_page(viewport={"width": 1024, "height": 768})
    screen.goto(f"{link}?screen")
    expect(bar(screen)).to_contain_text(code)
    teacher.keyboard.press("F10")
    expect(screen.locator(".room-screen-where")).to_contain_text(f"step 1 of {STEPS}")
    settle(screen)
    axe(screen)
    expect(bar(teacher)).to_contain_text("0 people here")  # the screen is nobody
    teacher.get_by_role("button", name="More room commands").click()
    teacher.get_by_role("menuitemcheckbox", name="Lock room").click()
    late = new_page()
    late.goto(link)
    expect(bar(late)).to_contain_text("The room is locked")
    teacher.get_by_role("button", name="More room commands").click()
    teacher.get_by_role("menuitemcheckbox", name="Lock room").click()
    expect(bar(late)).to_contain_text("Following the teacher")
    teacher.get_by_role("button", name="Pause", exact=True).last.click()
    expect(bar(late)).to_contain_text("The teacher asks for your attention")


LESSON = "reading-a-program"
SOLVED = (ROOT / "app" / "lessons" / "programs" / f"{LESSON}_solved.mlir").read_text("utf-8")


def test_a_class_plays_a_whole_lesson(
    open_page: OpenPage, new_page: NewPage, server: Server, axe: Check
) -> None:
    """Every question of it becomes a poll, in its own words and with its own truth; the exercise is done by a student."""
    teacher = open_page(f"/lessons/{LESSON}")
    expect(teacher.locator("#lesson-step")).to_be_visible()
    lesson = teacher.request.get(f"{server.origin}/api/lessons/{LESSON}").json()
    settle(teacher)
    code = open_room(teacher)
    teacher.keyboard.press("Escape")
    student, phone = join(new_page(), server, code), join(new_page(**PHONE), server, code)
    asked = exercises = 0
    for step in lesson["steps"]:
        teacher.get_by_role("button", name="Next", exact=True).click()
        for page in (teacher, student, phone):
            expect(page.locator("#lesson-step")).to_have_text(step["title"])
            settle(page)
        expect(where(student)).to_have_text(where(teacher).inner_text())
        for number, ask in enumerate(block for block in step["blocks"] if block["kind"] == "ask"):
            _ask(teacher, student, phone, ask, number)
            asked += 1
        if any(block["kind"] == "change" for block in step["blocks"]):
            _exercise(teacher, student, phone, axe)
            exercises += 1
    assert (asked, exercises) == (6, 1)

    # A way of one's own, and back; one's version of the exercise is a copy.
    student.get_by_role("button", name="Back", exact=True).click()
    expect(bar(student)).to_contain_text("Following paused")
    student.get_by_role("button", name="Back to the class").click()
    expect(student.locator("#lesson-step")).to_have_text(lesson["steps"][-1]["title"])

    dialog = open_records(teacher)
    polls = dialog.get_by_role("region", name="Polls of this room").locator("tbody tr")
    expect(polls).to_have_count(asked)
    expect(polls.first.locator("td")).to_have_text(["1 of 2", "1"])
    expect(dialog).to_contain_text("This room keeps no record of each member's answers")
    axe(teacher, "dialog")
    rows = rows_of(dialog, "Download all polls")
    assert [row["poll"] for row in rows] == [str(number) for number in range(1, asked + 1)]
    assert {row["right answers"] for row in rows} == {"1"}


def _ask(teacher: Page, student: Page, phone: Page, ask: dict[str, Any], number: int) -> None:
    """A question of the step becomes a poll, which the student answers; a screen reader has its words."""
    teacher.get_by_role("button", name="Ask the class").click()
    asked = teacher.locator(".room-lesson-ask").nth(number)
    question = asked.locator("span").inner_text()
    asked.get_by_role("button", name="Ask this").click()
    for page in (teacher, student, phone):
        expect(page.get_by_role("heading", name=question)).to_be_visible()
    # The lesson beside it leaves the question to the poll, and so its answer.
    expect(
        student.locator(".panel-lesson").get_by_text("The class is being asked this question")
    ).to_be_visible()
    if ask["ask"] == "step":
        _step_to(student, ask["truth"][0])
        student.locator(".room-card").get_by_role("button", name="Here").click()
    else:
        right = "x".join(map(str, ask["truth"])) if ask["ask"] == "shape" else ask["truth"]
        student.locator(".room-card").get_by_role("textbox").fill(right)
        student.locator(".room-card").get_by_role("button", name="Answer").click()
    expect(student.locator(".room-sent")).to_contain_text("Saved")
    teacher.get_by_role("button", name="Show results").click()
    for page in (teacher, student, phone):
        expect(page.locator(".room-truth")).to_contain_text("1 of 1 answer was right")
    teacher.get_by_role("button", name="Done").click()
    expect(phone.locator(".room-card")).to_have_count(0)
    settle(student)
    if "paused" in bar(student).inner_text():
        bar(student).get_by_role("button", name="Back to the class").click()
        expect(bar(student)).to_contain_text("Following the teacher")


def _step_to(page: Page, step: int) -> None:
    for _ in range(60):
        settle(page)
        found = re.search(r"\d+", where(page).inner_text())
        assert found
        if int(found[0]) == step:
            return
        page.keyboard.press("F10" if int(found[0]) < step else "Alt+Shift+F11")
    raise AssertionError(f"no key leads to step {step}: {where(page).inner_text()}")


def _exercise(teacher: Page, student: Page, phone: Page, axe: Check) -> None:
    """It is checked for who has not signed in, and the teacher sees how many have done it."""
    expect(phone.get_by_role("button", name="Change the program")).to_be_visible()
    expect(phone.get_by_role("tab", name="Lesson")).to_have_attribute("aria-selected", "true")
    student.get_by_role("button", name="Change the program").click()
    student.get_by_role("button", name="Run and check").click()
    expect(student.locator(".own-result .lesson-wrong")).to_be_visible()
    student.locator(".own-editor .cm-content").click()
    student.keyboard.press("ControlOrMeta+a")
    student.keyboard.insert_text(SOLVED)
    student.get_by_role("button", name="Run and check").click()
    expect(student.locator(".own-result .lesson-passed")).to_be_visible()
    pictures = student.locator(".own-picture")
    assert pictures.nth(0).locator("td").all_inner_texts() == pictures.nth(1).locator("td").all_inner_texts()
    bar(teacher).get_by_role("button", name="The class", exact=True).click()
    head = teacher.locator(".panel-class").get_by_role("columnheader", name="Now you")
    expect(head.locator("small > span")).to_have_text(["2 here", "1 right", "0 wrong"])
    for page, panel in ((teacher, ".panel-class"), (phone, ".panel-lesson")):
        settle(page)
        axe(page, panel)
    bar(teacher).get_by_role("button", name="The class", exact=True).click()
    if "paused" in bar(student).inner_text():
        bar(student).get_by_role("button", name="Back to the class").click()
