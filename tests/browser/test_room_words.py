"""A room of a German lesson, as its teacher reads it: the bar, the panel, each dialog and a refusal are German."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from playwright.sync_api import Locator, expect

from hloscope.app.lessons.labels import labels_of
from tests.app.present.test_index_map_evaluation import node
from tests.browser.conftest import Check, Complaints, NewPage, OpenPage
from tests.browser.settling import settle
from tests.server_process import ROOT, Server

LESSON = "reading-a-program"
TEXTS = """(host) => {
    const found = [];
    const texts = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) found.push(texts.currentNode.data);
    for (const element of [host, ...host.querySelectorAll("*")])
        for (const name of ["title", "aria-label", "alt"]) found.push(element.getAttribute(name) ?? "");
    return found.filter((text) => /[a-z]{2}/i.test(text));
}"""
"""All that is read of an element, also by a screen reader."""


@pytest.fixture(scope="module")
def english() -> re.Pattern[str]:
    """The parts of the English words, where German has others."""
    file = ROOT / "static" / "js" / "features" / "lesson" / "words.js"
    script = f"import {{ ENGLISH }} from '{file.as_uri()}'; console.log(JSON.stringify(ENGLISH))"
    done = subprocess.run(
        [node(), "--input-type=module", "-e", script], capture_output=True, text=True, timeout=120, check=True
    )
    german = " ".join(labels_of("de").values())
    parts = {part.strip(" :;,.") for label in json.loads(done.stdout).values() for part in label.split("{}")}
    words = [
        re.escape(part)
        for part in parts
        if len(part) > 2 and not re.search(rf"\b{re.escape(part)}\b", german)
    ]
    assert {"End the room", "hand up", "Records", "has the chalk"} <= parts
    return re.compile(rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})(?!\w)")


def _is_german(place: Locator, english: re.Pattern[str]) -> None:
    expect(place).to_be_visible()
    texts = place.evaluate(TEXTS)
    assert texts
    assert [text for text in texts if english.search(text)] == []


def test_a_teacher_reads_no_english_in_a_room_of_a_german_lesson(
    open_page: OpenPage, new_page: NewPage, english: re.Pattern[str], axe: Check
) -> None:
    teacher = open_page(f"/lessons/{LESSON}?language=de")
    expect(teacher.locator("#lesson-step")).to_be_visible()
    settle(teacher)
    teacher.get_by_role("button", name="Share", exact=True).click()
    teacher.get_by_role("menuitem", name="Einen Raum für eine Klasse öffnen").click()
    dialog = teacher.get_by_role("dialog")
    _is_german(dialog.locator(".body"), english)
    dialog.get_by_role("radio", name=re.compile("^Ja, und nach Namen fragen")).check()
    dialog.get_by_role("button", name="Raum öffnen").click()
    expect(teacher.get_by_role("dialog", name="Die Klasse einladen")).to_be_visible()
    dialog.locator("summary").click()
    _is_german(dialog.locator(".body"), english)
    axe(teacher, "dialog")
    link = teacher.get_by_label("Link zum Raum").input_value()
    teacher.keyboard.press("Escape")

    bar = teacher.get_by_role("region", name="Raum", exact=True)
    bar.get_by_role("button", name="Die Klasse", exact=True).click()
    panel = teacher.locator("#panel-class")
    expect(panel).to_contain_text("Noch ist niemand da.")
    _is_german(panel, english)

    first, second = new_page(), new_page()
    for student in (first, second):
        student.goto(link)  # in the language of the room
        student.get_by_role("button", name="Der Klasse beitreten").click()
        expect(student.locator(".room-bar")).to_contain_text("Du folgst der Lehrkraft")
    first.get_by_role("button", name="Melden", exact=True).click()
    first.get_by_role("button", name="Ich komme nicht mit").click()
    expect(bar).to_contain_text("2 Personen hier, 2 folgen, 1 Meldung, 1 kommt nicht mit")
    expect(panel.locator(".class-needs").first).to_have_text("Meldung kommt nicht mit ")
    chalk = panel.get_by_role("button", name=re.compile(" die Kreide leihen$")).first
    chalk.click()
    expect(panel.get_by_role("button", name=re.compile("^Die Kreide von .* zurücknehmen$"))).to_be_visible()
    for place in (panel, bar):
        _is_german(place, english)
    expect(panel).to_have_attribute("aria-label", "Klasse")
    axe(teacher, "#panel-class")
    panel.get_by_role("button", name=re.compile("^Die Kreide von .* zurücknehmen$")).click()

    teacher.get_by_role("button", name="Weiter", exact=True).click()
    bar.get_by_role("button", name="Die Klasse fragen").click()
    asked = teacher.get_by_role("dialog", name="Die Klasse fragen")
    for kind in ("Einer Auswahl", "Einem Element", "Einer Zahl"):
        asked.get_by_role("radio", name=re.compile(f"^{kind}")).check()
        _is_german(asked.locator(".body"), english)
    asked.get_by_role("textbox", name="Frage").fill(" ")
    asked.get_by_role("button", name="Fragen", exact=True).click()
    expect(asked.get_by_role("alert")).to_have_text("Schreib die Frage.")
    asked.get_by_role("textbox", name="Frage").fill("Was kommt?")
    asked.get_by_role("button", name="Fragen", exact=True).click()
    card = teacher.locator(".room-card")
    expect(card).to_contain_text("0 Antworten von 2 Personen")
    first.locator(".room-answer input").fill("1e9")
    first.locator(".room-card").get_by_role("button", name="Antworten", exact=True).click()
    expect(card).to_contain_text("1 Antwort von 2 Personen")
    expect(card).not_to_contain_text("verborgen")  # in a class of two, all see them with the results
    _is_german(card, english)
    card.get_by_role("button", name="Ergebnisse zeigen").click()
    expect(card).to_contain_text("Aufgezeichnet:")
    expect(card.get_by_role("listitem")).to_contain_text("1000000000")
    card.get_by_role("button", name="Fertig").click()

    for item, title in (("Aufzeichnungen und Fragen", "Aufzeichnungen"), ("Raum beenden", "Raum beenden")):
        bar.get_by_role("button", name="Weitere Befehle zum Raum").click()
        _is_german(teacher.get_by_role("menu"), english)
        teacher.get_by_role("menuitem", name=item).click()
        shown = teacher.get_by_role("dialog", name=title)
        _is_german(shown.locator(".body"), english)
        if title == "Aufzeichnungen":
            expect(shown.get_by_role("region", name="Fragen in diesem Raum")).to_contain_text("1 von 2")
            teacher.keyboard.press("Escape")
    teacher.get_by_role("dialog").get_by_role("button", name="Raum beenden").click()
    expect(bar).to_contain_text("Der Raum ist beendet.")


def test_a_member_chooses_another_language_than_the_room(open_page: OpenPage, new_page: NewPage) -> None:
    teacher = open_page(f"/lessons/{LESSON}?language=de")
    expect(teacher.locator("#lesson-step")).to_be_visible()
    teacher.get_by_role("button", name="Share", exact=True).click()
    teacher.get_by_role("menuitem", name="Einen Raum für eine Klasse öffnen").click()
    teacher.get_by_role("dialog").get_by_role("button", name="Raum öffnen").click()
    link = teacher.get_by_label("Link zum Raum").input_value()
    teacher.keyboard.press("Escape")
    teacher.get_by_role("region", name="Raum", exact=True).get_by_role(
        "button", name="Weitere Befehle"
    ).click()
    with teacher.context.expect_page() as opened:
        teacher.get_by_role("menuitem", name="Ansicht für den Projektor").click()
    screen = opened.value
    expect(screen.locator(".lesson-body")).to_have_attribute("lang", "de")
    screen.close()

    student = new_page()
    student.goto(link)
    expect(student.locator(".room-bar")).to_contain_text("Du folgst der Lehrkraft")
    student.get_by_role("combobox", name="Sprache der Lektion").select_option("fr")
    expect(student.locator(".lesson-body")).to_have_attribute("lang", "fr")
    expect(student.locator(".room-bar")).to_contain_text("Vous suivez")
    student.goto(link)
    expect(student.locator(".lesson-body")).to_have_attribute("lang", "fr")


def test_a_refusal_is_in_the_language_of_the_lesson(
    open_page: OpenPage, new_page: NewPage, server: Server, complaints: Complaints
) -> None:
    complaints.allow("401")
    session = open_page("/").request.get(f"{server.origin}/api/lessons/{LESSON}").json()["session"]
    reader = new_page()
    reader.goto(f"{server.origin}/s/{session}?lesson={LESSON}&language=fr")
    settle(reader)
    reader.get_by_role("button", name="Share", exact=True).click()
    reader.get_by_role("menuitem", name="Ouvrir une salle pour une classe").click()
    reader.get_by_role("button", name="Ouvrir la salle").click()
    refused = reader.get_by_role("dialog").get_by_role("alert")
    expect(refused).to_contain_text("Ce navigateur n'est pas connecté à hloscope.")
    expect(refused.locator("span")).to_have_attribute("lang", "fr")
