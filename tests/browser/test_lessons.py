"""A lesson beside its program: walked rightly and wrongly, by keyboard alone, on a phone, from the disk, and gone on with later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from hloscope.app.cli.main import main
from tests.browser.conftest import PATIENT, Check, NewPage, OpenPage
from tests.browser.debugger_page import sign_in
from tests.browser.settling import box_of, settle, show_tab
from tests.server_process import Server, make_bundle, serving

LESSON = Path(__file__).parent / "lessons" / "sample.md"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that shows the lesson of these tests beside those that come with hloscope."""
    command = ("lesson", "preview", str(LESSON))
    with serving(tmp_path_factory.mktemp("data"), settings=PATIENT, command=command) as (running, _):
        yield running


@pytest.fixture
def opened(page: Page, new_page: NewPage, lessons: Server) -> Callable[..., Page]:
    """`opened(step)`: the lesson as a new visitor has it, at a step; keywords are those of `new_page`."""
    shared = page

    def open_lesson(step: str = "", **options: object) -> Page:
        page = new_page(**options) if options else shared
        sign_in(page, lessons)
        page.goto(f"{lessons.origin}/lessons/sample{step and f'#{step}'}")
        expect(page.locator("#lesson-step")).to_be_visible()
        settle(page)
        return page

    return open_lesson


def _heading(page: Page, words: str) -> None:
    expect(page.locator("#lesson-step")).to_have_text(words)
    settle(page)


def _next(page: Page, name: str = "Next") -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)


def _question(page: Page, words: str) -> Locator:
    return page.locator(".lesson-ask", has_text=words)


def _answer(question: Locator, text: str) -> None:
    question.get_by_role("textbox").fill(text)
    question.get_by_role("button", name="Answer", exact=True).click()


def test_expressions_are_off_while_a_question_covers_a_value(opened: Callable[..., Page]) -> None:
    page = opened()
    prompt = page.get_by_role("combobox", name="Expression or command")
    watched = page.get_by_role("list", name="Watched expressions")
    off = page.get_by_text("Expressions are off while a lesson or a poll asks about a value.")
    page.keyboard.press("Control+`")
    expect(off).to_have_count(1)  # a later step asks about values of this run
    for count in (1, 4):
        _next(page)
        for _ in range(count):
            page.get_by_role("button", name="Show the answer").first.click()
    prompt.click()
    page.keyboard.type("%table.max()")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log").locator(".result")).to_have_text(re.compile(r"^\d+$"))
    page.get_by_role("button", name="Watch").click()
    page.get_by_role("combobox", name="New watch expression").click()
    page.keyboard.type("1 == 1")
    page.keyboard.press("Enter")
    expect(watched).to_be_visible()

    _next(page)
    expect(off).to_have_count(2)
    for gone in (prompt, watched, page.get_by_role("log").locator(".result")):
        expect(gone).to_have_count(0)
    _answer(_question(page, "What will"), "4/3")
    expect(prompt).to_be_visible()
    expect(watched).to_be_visible()


@pytest.mark.main_path
def test_a_lesson_is_walked_rightly_and_wrongly(
    opened: Callable[..., Page], lessons: Server, axe: Check
) -> None:
    page = opened()
    _heading(page, "Rows of a table")
    expect(page.locator(".lesson-body")).to_contain_text("rows [0, 1, 2] and so on")  # a value of the run
    axe(page)

    _next(page)
    _heading(page, "Where does row 9 come from?")
    # The step has gone where it looks.
    expect(page.locator(".where .count")).to_have_text("step 1 of 3")
    expect(page.locator(".tensor-header .name")).to_have_text("%starts")
    question = _question(page, "What will")
    _answer(question, "nothing")
    expect(question.get_by_role("status")).to_contain_text("not a whole number")
    _answer(question, "0")
    expect(question.get_by_role("status")).to_contain_text(
        "Not quite. That is what scatter does: it drops.", use_inner_text=True
    )
    question.get_by_role("button", name="Hint (1 of 2)").click()
    expect(question.get_by_role("status")).to_contain_text("Which rows are there?")
    # What is asked for is covered wherever one steps and looks.
    page.keyboard.press("F10")
    page.get_by_role("button", name="Step over").click()
    settle(page)
    page.locator(".cm-content").get_by_text("%1").first.click()
    expect(page.get_by_text("is hidden: this panel may show what the lesson asks for")).to_be_visible()
    page.locator(".cm-content").get_by_text("%1").first.click(button="right")
    menu = page.get_by_role("menu", name="%1", exact=True)
    expect(menu.get_by_role("menuitem", name="Find all uses")).to_be_visible()
    expect(menu.get_by_role("menuitem", name="Copy as text")).to_have_count(0)
    page.keyboard.press("Escape")
    show_tab(page, "Compare")
    expect(page.get_by_text("Runs are not compared while a lesson or a poll asks")).to_be_visible()
    axe(page, "#panel-compare")
    _answer(question, "18")
    expect(question.get_by_role("status")).to_contain_text("The start 9 was moved back to 3.")
    expect(page.get_by_text("is hidden")).to_have_count(0)
    question.get_by_role("button", name="Show me").click()
    expect(page.locator(".tensor-readout output")).to_have_text("%1[1, 0] = 18")
    expect(page.locator(".lesson-foot")).to_contain_text("1 of 5 steps done")

    _next(page)
    _heading(page, "Say it in other ways")
    _walk_the_ways(page)
    expect(page.locator(".lesson-foot")).to_contain_text("2 of 5 steps done")
    page.emulate_media(color_scheme="dark")
    axe(page, ".panel-lesson")
    page.emulate_media(color_scheme="light")

    _next(page)
    _heading(page, "Another program")
    expect(page.locator(".where .count")).to_have_text("step 2 of 4")
    expect(page.get_by_role("tab", name="mean")).to_have_attribute("aria-selected", "true")
    question = _question(page, "What will")
    _answer(question, "1,3")
    expect(question.get_by_role("status")).to_contain_text("Write a point")
    _answer(question, "1.3")
    expect(question.get_by_role("status")).to_contain_text("Not quite.")
    _answer(question, "4/3")
    expect(question.get_by_role("status")).to_contain_text("Right.")

    _next(page)
    _heading(page, "Play")
    expect(page.get_by_role("tab", name="Playground")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".play-picture")).to_be_visible()
    settle(page)
    axe(page, "#panel-playground")

    _next(page)
    _heading(page, "Square it")
    _mend(page)
    expect(page.locator(".lesson-foot")).to_contain_text("5 of 5 steps done")
    axe(page, ".panel-lesson")

    page.get_by_role("link", name="All lessons").click()
    card = page.get_by_role("listitem").filter(has_text="Rows of a table")
    expect(card).to_contain_text("Done")
    settle(page)
    axe(page)


def _walk_the_ways(page: Page) -> None:
    """A cell in its picture, which another program or a drawer does not hide, a shape, a choice, a place."""
    cell = _question(page, "Which element")
    expect(cell.get_by_role("textbox")).to_have_attribute("placeholder", "a number per dimension")
    page.get_by_role("tab", name="mean", exact=True).click()
    drawer = page.get_by_role("toolbar", name="Drawer").get_by_role("button", name="Findings")
    drawer.click()
    expect(drawer).to_have_attribute("aria-expanded", "true")
    cell.get_by_role("button", name="Choose it in the picture").click()
    expect(drawer).to_have_attribute("aria-expanded", "false")
    settle(page)
    picture = page.locator(".tensor-frame")
    picture.focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(cell.get_by_role("textbox")).to_have_value("1, 0")
    cell.get_by_role("button", name="Answer", exact=True).click()
    expect(cell.get_by_role("status")).to_contain_text("That is the row of the result.")
    picture.focus()
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    settle(page)
    cell.get_by_role("button", name="Answer", exact=True).click()
    expect(cell.get_by_role("status")).to_contain_text("Right.")

    shape = _question(page, "What is the shape")
    _answer(shape, "(4, 3)")
    expect(shape.get_by_role("status")).to_contain_text("That is the shape of the table.")
    _answer(shape, "2x3")
    expect(shape.get_by_role("status")).to_contain_text("Right.")

    choice = _question(page, "What became of the start")
    choice.get_by_role("button", name="Answer", exact=True).click()
    expect(choice.get_by_role("status")).to_contain_text("Choose one of the answers.")
    choice.get_by_label("It was dropped").check()
    choice.get_by_role("button", name="Answer", exact=True).click()
    expect(choice.get_by_role("status")).to_contain_text("Scatter does that.")
    choice.get_by_role("button", name="Show the answer").click()
    expect(choice.get_by_role("status")).to_contain_text("The answer: It was clamped", use_inner_text=True)

    place = _question(page, "Go to where")
    page.keyboard.press("Control+Shift+F5")
    place.get_by_role("button", name="Here", exact=True).click()
    expect(place.get_by_role("status")).to_contain_text("Not quite.")
    page.keyboard.press("F10")
    page.keyboard.press("F10")
    place.get_by_role("button", name="Here", exact=True).click()
    expect(place.get_by_role("status")).to_contain_text("Right.")


def _mend(page: Page) -> None:
    """An exercise: wrong text, a text that does not pass, one that does; and the session of one's own."""
    exercise = page.locator(".panel-own")
    page.get_by_role("button", name="Change the program").click()
    editor = exercise.locator(".cm-content")
    text = editor.inner_text()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text.replace("stablehlo.add", "stablehlo.ad"))
    page.keyboard.press("Control+Enter")
    expect(exercise.locator(".problems")).to_contain_text("Line 2")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    page.keyboard.press("Control+Enter")
    expect(exercise.locator(".lesson-wrong")).to_be_visible()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text.replace("stablehlo.add", "stablehlo.multiply"))
    exercise.get_by_role("button", name="Run and check").click()
    expect(page.locator(".lesson-change .lesson-right")).to_contain_text("stablehlo.multiply")
    given, expected = exercise.locator(".own-picture").all()
    assert given.locator("td").all_inner_texts() == expected.locator("td").all_inner_texts()
    expect(exercise.locator("td.differs")).to_have_count(0)
    settle(page)


def test_by_keyboard_alone(opened: Callable[..., Page]) -> None:
    page = opened()
    page.keyboard.press("Tab")  # to the content, past the toolbar
    _tab_to(page, "Next")
    page.keyboard.press("Enter")
    _heading(page, "Where does row 9 come from?")
    # What is new is read from its beginning.
    assert page.evaluate("document.activeElement.id") == "lesson-step"
    _tab_to(page, "", "textbox")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    question = _question(page, "What will")
    expect(question.get_by_role("status")).to_contain_text("Not quite.")
    _tab_to(page, "Hint (1 of 2)")
    page.keyboard.press("Enter")
    expect(question.get_by_role("status")).to_contain_text("Which rows are there?")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("18")
    page.keyboard.press("Enter")
    expect(question.get_by_role("status")).to_contain_text("Right.")
    _tab_to(page, "Next")
    page.keyboard.press("Enter")
    _heading(page, "Say it in other ways")
    tree = page.locator(".panel-lesson").aria_snapshot()
    for line in (
        'navigation "Steps of the lesson"', 'heading "Say it in other ways" [level=2]',
        'textbox "Which element of %0 does %1[1, 0] read?"', 'radiogroup "What became of the start 9?"',
        'complementary "Note"', 'progressbar "1 of 5 steps done"',
    ):  # fmt: skip
        assert line in tree, tree
    _tab_to(page, "", "textbox")
    page.keyboard.type("3, 0")
    page.keyboard.press("Enter")
    expect(_question(page, "Which element").get_by_role("status")).to_contain_text("Right.")
    _tab_to(page, "", "radio")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(_question(page, "What became").get_by_role("status")).to_contain_text("Right.")


def _tab_to(page: Page, name: str, role: str = "button") -> None:
    """Presses Tab until the focus is on such a control of the lesson."""
    focused = """() => {
        const at = document.activeElement;
        const kind = at?.tagName === "INPUT" ? (at.type === "radio" ? "radio" : "textbox") : at?.tagName === "BUTTON" ? "button" : "";
        return at?.closest(".panel-lesson") ? [kind, kind === "button" ? at.innerText.trim() : "", at.readOnly === true] : null;
    }"""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(focused) == [role, name, False]:
            return
    raise AssertionError(f"Tab does not lead to the {role} {name}")


def test_on_a_phone_the_lesson_is_the_page(opened: Callable[..., Page], axe: Check) -> None:
    page = opened("clamped", **PHONE)
    _heading(page, "Where does row 9 come from?")
    expect(page.get_by_role("tab", name="Lesson")).to_have_attribute("aria-selected", "true")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    axe(page)
    page.get_by_role("button", name="Show me").tap()
    settle(page)
    expect(page.locator(".tensor-header .name")).to_have_text("%starts")
    expect(page.locator("#lesson-step")).to_be_hidden()
    page.get_by_role("tab", name="Lesson").tap()
    question = _question(page, "What will")
    _answer(question, "18")
    expect(question.get_by_role("status")).to_contain_text("Right.")
    _next(page)
    _heading(page, "Say it in other ways")  # the debugger has moved, behind the lesson
    page.emulate_media(color_scheme="dark")
    axe(page, ".panel-lesson")
    page.set_viewport_size({"width": 320, "height": 700})
    settle(page)
    back, following = (box_of(page.get_by_role("button", name=name, exact=True)) for name in ("Back", "Next"))
    assert abs(back["y"] - following["y"]) < 8


SHOWN = """(field) => {
    const ruler = document.createElement("canvas").getContext("2d");
    ruler.font = getComputedStyle(field, "::placeholder").font;
    const { paddingLeft, paddingRight } = getComputedStyle(field);
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return ruler.measureText(field.placeholder).width / room;
}"""
"""The width of a field's placeholder, as a share of the field."""


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_field_shows_the_whole_of_what_it_takes(open_page: OpenPage, language: str) -> None:
    page = open_page(f"/lessons/finding-a-nan?language={language}#findings")
    field = page.locator(".lesson-ask input")
    expect(field).to_have_attribute("placeholder", re.compile("Inf .* NaN"))
    settle(page)
    assert field.evaluate(SHOWN) <= 1


def test_what_was_done_is_there_after_a_reload_and_in_another_language(
    opened: Callable[..., Page], lessons: Server
) -> None:
    page = opened("clamped")
    _answer(_question(page, "What will"), "18")
    page.get_by_label("Language of the lesson").select_option("de")
    _heading(page, "Woher kommt Zeile 9?")
    expect(page.locator(".lesson-ask")).to_contain_text("Richtig.")
    expect(page.get_by_role("button", name="Zeig es mir", exact=True)).to_have_attribute("lang", "de")
    expect(page.get_by_role("button", name="Zurück")).to_be_visible()
    expect(page.locator(".lesson-foot")).to_have_attribute("lang", "de")
    expect(page.locator(".lesson-body")).to_have_attribute("lang", "de")

    page.keyboard.press("F10")
    settle(page)
    page.wait_for_url(re.compile(r"step=2.*#clamped$"))
    page.reload()
    _heading(page, "Woher kommt Zeile 9?")
    expect(page.locator(".where .count")).to_have_text(
        "step 2 of 3"
    )  # where one was, not where the step begins
    expect(page.locator(".lesson-ask")).to_contain_text("Richtig.")
    # The address leads to steps, also while the page is open: a room needs it.
    page.evaluate("location.hash = 'mean'")
    _heading(page, "Ein anderes Programm")
    expect(page.locator(".where .count")).to_have_text("step 2 of 4")
    page.evaluate("location.hash = 'nowhere'")
    _heading(page, "Ein anderes Programm")
    page.goto(f"{lessons.origin}/lessons/sample")
    _heading(page, "Ein anderes Programm")
    page.goto(f"{lessons.origin}/lessons")
    card = page.get_by_role("listitem").filter(has_text="Zeilen einer Tabelle")
    expect(card).to_contain_text("1 von 5 Schritten erledigt")
    heading = page.get_by_role("heading", level=1, name="Von a + b zu Ring Attention")
    expect(heading.and_(page.locator(":lang(de)"))).to_be_visible()
    expect(card.get_by_role("progressbar")).to_have_attribute("value", "1")
    # Neither the server nor the list of sessions knows of it.
    page.goto(lessons.origin)
    expect(page.get_by_role("heading", name="Your program")).to_be_visible()
    expect(page.locator(".recents li")).to_have_count(0)


def test_what_is_shown_is_followed_and_my_version_opens_in_a_session_of_my_own(
    opened: Callable[..., Page],
) -> None:
    page = opened("clamped")
    question = _question(page, "What will")
    _answer(question, "18")
    question.get_by_role("button", name="Show me").click()
    page.wait_for_url(re.compile(r"element=1(,|%2C)0"))
    show_tab(page, "Index map")
    expect(page.locator(".index-map")).to_contain_text("%1[1, 0]")
    show_tab(page, "Provenance")
    expect(page.locator(".provenance-sentence")).to_contain_text("[1, 0]")
    page.wait_for_url(re.compile(r"tab=provenance"))
    address = page.url
    for tab, seen in (("index", ".index-map"), ("provenance", ".provenance-sentence")):
        page.goto("about:blank")
        page.goto(address.replace("tab=provenance", f"tab={tab}"))
        expect(page.locator(seen)).to_contain_text("[1, 0]")

    page.goto("about:blank")
    page.goto(address.split("/lessons/")[0] + "/lessons/sample#square")
    settle(page)
    page.get_by_role("button", name="Change the program").click()
    editor = page.locator(".own-editor .cm-content")
    text = editor.inner_text()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text.replace("stablehlo.add", "stablehlo.subtract"))
    page.get_by_role("button", name="Step through my version").click()
    page.wait_for_url(re.compile("/s/"))
    settle(page)
    expect(page.locator(".panel-program .cm-content")).to_contain_text("subtract")
    expect(page.locator(".where .count")).to_have_text("step 0 of 3")
    expect(page.locator(".lesson-body")).to_have_count(0)
    page.get_by_role("link", name="Back to the lesson").click()
    _heading(page, "Square it")
    page.get_by_role("tab", name="Program", exact=True).click()
    expect(page.locator(".panel-own")).to_be_hidden()


def test_a_lesson_from_the_disk(new_page: NewPage, tmp_path: Path, axe: Check) -> None:
    """Offline, both programs and both languages in one file; the exercise has what came of each choice."""
    make_bundle()
    path = tmp_path / "sample.html"
    assert (
        main(["lesson", "export", str(LESSON), "-o", str(path), "--server", "https://hloscope.example"]) == 0
    )
    print(json.dumps({"bytes": path.stat().st_size}))
    page = new_page(offline=True)
    page.goto(path.as_uri())
    _heading(page, "Rows of a table")
    axe(page)
    _next(page)
    expect(page.locator(".tensor-header .name")).to_have_text("%starts")
    question = _question(page, "What will")
    _answer(question, "0")
    expect(question.get_by_role("status")).to_contain_text(
        "That is what scatter does: it drops.", use_inner_text=True
    )
    _answer(question, "18")
    question.get_by_role("button", name="Show me").click()
    expect(page.locator(".tensor-readout output")).to_have_text("%1[1, 0] = 18")
    _next(page)
    _walk_the_ways(page)
    _next(page)
    expect(page.locator(".where .count")).to_have_text("step 2 of 4")
    expect(page.get_by_role("tab", name="mean")).to_have_attribute("aria-selected", "true")
    show_tab(page, "Op")
    expect(page.get_by_text("Constraints")).to_be_visible()
    show_tab(page, "Lesson")
    page.get_by_label("Language of the lesson").select_option("de")
    _heading(page, "Ein anderes Programm")
    _next(page, "Weiter")
    expect(page.locator(".lesson-body")).to_contain_text("Der Playground braucht ein laufendes hloscope")
    _next(page, "Weiter")
    expect(page.get_by_role("link", name="die Lektion dort")).to_have_attribute(
        "href", "https://hloscope.example/lessons/sample#square"
    )
    _choose_offline(page, axe)
    page.reload()
    expect(page.locator(".lesson-foot")).to_contain_text("4 von 5 Schritten erledigt")


def _choose_offline(page: Page, axe: Check) -> None:
    """By keys: a program that does not run, one that returns something else, the solution."""
    exercise = page.locator(".lesson-change")
    program, result = exercise.locator(".lesson-program"), exercise.get_by_role("status").first
    op, sizes = page.get_by_label("Zeile 2"), page.get_by_label("Zeile 5")
    sizes.focus()
    page.keyboard.press("ArrowDown")
    expect(program).to_contain_text("slice_sizes = array<i64: 1, 2>")
    exercise.get_by_role("button", name="Prüfen").press("Enter")
    expect(result.locator(".problems")).to_contain_text("Line 3: stablehlo.gather")
    sizes.focus()
    page.keyboard.press("ArrowUp")
    expect(result.locator(".lesson-wrong")).to_have_count(0)
    op.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(program).to_contain_text("%0 = stablehlo.subtract %table, %table")
    page.keyboard.press("Enter")
    exercise.get_by_role("button", name="Prüfen").press("Enter")
    expect(result).to_contain_text("erwartet wird 81")
    expect(result.locator("td.differs")).to_have_count(10)
    axe(page, ".panel-lesson")
    op.focus()
    page.keyboard.press("ArrowUp")
    exercise.get_by_role("button", name="Prüfen").press("Enter")
    expect(result.locator(".lesson-passed")).to_be_visible()
    expect(result.locator("td.differs")).to_have_count(0)
    expect(exercise).to_have_class(re.compile("right"))


def _hand_in(page: Page, axe: Check) -> None:
    """By keys: without a name nothing is saved; the file has what the server judged."""
    name = page.get_by_label("Your name")
    axe(page, ".lesson-save")
    name.press("Enter")
    assert name.evaluate("(input) => input.validity.valueMissing")
    name.fill("Ana")
    with page.expect_download() as saved:
        name.press("Enter")
    result = json.loads(saved.value.path().read_text("utf-8"))
    assert (result["student"], result["lesson"]) == ("Ana", "sample")
    assert result["outcomes"]["square"] == "right"
    assert (result["right"], result["of"]) == (1, 7)
    expect(page.locator(".lesson-save").get_by_role("status")).to_contain_text("Saved: 1 of 7 right.")


def test_a_student_without_the_token_learns_hands_in_and_goes_on_elsewhere(
    new_page: NewPage, tmp_path: Path, axe: Check
) -> None:
    command = ("lesson", "preview", str(LESSON))
    settings = {**PATIENT, "open_lessons": 1}
    with serving(tmp_path / "data", settings=settings, command=command) as (running, _):
        page = new_page()
        page.goto(f"{running.origin}/lessons")
        card = page.get_by_role("listitem").filter(has_text="Rows of a table")
        card.get_by_role("button", name="Copy the link to Rows of a table").click()
        link = card.get_by_role("textbox", name="Link to Rows of a table").input_value()
        assert link == f"{running.origin}/lessons/sample"
        axe(page)
        page.goto(link)
        expect(page.locator("#lesson-step")).to_be_visible()
        settle(page)
        page.evaluate("location.hash = 'square'")
        _heading(page, "Square it")
        expect(page.get_by_role("button", name="Step through my version")).to_have_count(0)
        _mend(page)
        # Done but for this step: what the answers were is of no matter here.
        page.evaluate(
            """() => {
              const key = "hloscope.lesson.sample", kept = JSON.parse(localStorage.getItem(key));
              localStorage.setItem(key, JSON.stringify({ ...kept, done: ["clamped", "ways", "mean", "play", "square"] }));
            }"""
        )
        page.goto(f"{running.origin}/lessons")
        expect(card.get_by_role("progressbar")).to_be_visible()
        page.goto(f"{link}#square")
        _hand_in(page, axe)
        page.goto(f"{running.origin}/lessons")
        page.get_by_role("button", name="Copy a link to my progress").click()
        progress = page.get_by_role("textbox", name="Link to my progress").input_value()
        other = new_page()
        other.goto(progress)
        other.get_by_role("button", name="Add it to this browser").click()
        assert other.url == f"{running.origin}/lessons"
        expect(other.get_by_role("listitem").filter(has_text="Rows of a table")).to_contain_text(
            card.locator(".lesson-facts span").nth(1).inner_text()
        )
        axe(other)
