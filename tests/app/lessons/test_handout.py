"""A lesson on paper: nothing before the answers tells them, every drawing is there, and nothing needs a script."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hloscope.app.classroom.lesson_handout import sheets_of

NAME = "gather-from-zero"


@pytest.fixture(scope="module")
def page(client: TestClient) -> str:
    answer = client.get(f"/lessons/{NAME}/handout")
    assert answer.status_code == 200
    return str(answer.text)


def test_it_has_all_steps_and_the_answers_behind_them(client: TestClient, page: str) -> None:
    lesson = client.get(f"/api/lessons/{NAME}").json()
    steps, answers = page.split('<section class="answers">')
    for step in lesson["steps"]:
        assert step["title"] in unescape(steps)
    asked = [block for step in lesson["steps"] for block in step["blocks"] if block["kind"] == "ask"]
    assert len(asked) > 4
    assert steps.count("<h3>Question") == answers.count("<h3>Question") == len(asked)
    for block in asked:
        assert block["html"].strip() in steps
        assert block["right_html"].strip() not in steps
        assert block["right_html"].strip() in answers
    assert "<script" not in page
    for part in (steps, answers):
        assert re.findall(r"<h3>Question (\d+)", part) == [str(number + 1) for number in range(len(asked))]


def test_every_drawing_is_an_svg(client: TestClient, page: str) -> None:
    addresses = [unescape(found) for found in re.findall(r'<img src="([^"]+)"', page)]
    assert len(addresses) > 6
    for address in addresses:
        drawn = client.get(address)
        assert drawn.status_code == 200, address
        assert drawn.headers["content-type"].startswith("image/svg+xml")


def test_what_a_question_is_about_is_not_drawn_before_the_answers(client: TestClient) -> None:
    lesson = client.get(f"/api/lessons/{NAME}").json()
    sheets = sheets_of(lesson)
    assert any(sheet.pictures for sheet in sheets)
    for sheet in sheets:
        kinds = [part.kind for part in sheet.parts]
        if "question" in kinds and "picture" in kinds:
            assert max(i for i, kind in enumerate(kinds) if kind == "picture") < kinds.index("question")


def test_no_picture_beside_a_question_for_a_shape_has_the_text_of_its_program(client: TestClient) -> None:
    lesson = client.get(f"/api/lessons/{NAME}").json()
    asks = [block for step in lesson["steps"] for block in step["blocks"] if block["kind"] == "ask"]
    shaped = {ask["run"] for ask in asks if ask["ask"] == "shape"}
    assert shaped
    pictures = [part.picture for sheet in sheets_of(lesson) for part in sheet.parts if part.picture]
    assert any("lines=false" not in picture.address for picture in pictures)
    for picture in pictures:
        (run,) = re.findall(r"\brun=(\d+)", picture.address)
        assert ("lines=false" in picture.address) == (int(run) in shaped)


def test_a_translation_has_its_language(client: TestClient, tmp_path: Path) -> None:
    german = client.get(f"/lessons/{NAME}/handout", params={"language": "de"}).text
    assert '<html lang="de">' in german
    assert "<h3>Frage 1</h3>" in german
    assert not re.search("Question|Answer|Exercise", german)
    assert client.get("/lessons/no-such-lesson/handout").status_code == 404
