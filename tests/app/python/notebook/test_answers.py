"""The kernel answers a cell as the server answers a page, and refuses what it has not with a sentence."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.answers.program import ProgramQuestion
from hloscope.app.answers.question import answer
from hloscope.app.answers.values import SummaryQuestion, WindowQuestion
from hloscope.app.export.one_file.session import NAME
from hloscope.app.python.notebook import view
from hloscope.app.python.notebook.answering import KernelAnswers
from hloscope.app.python.notebook.cell import Cell, CellContent
from hloscope.app.python.notebook.view import shown_view
from hloscope.app.runs.run import Run
from hloscope.engine.errors import InputError

PROGRAM = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %1 = stablehlo.log %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}"""
PLACE = f"/api/recordings/{NAME}"


@pytest.fixture(scope="module")
def recording() -> hloscope.Recording:
    return hloscope.record(PROGRAM, [np.linspace(-1, 3, 24, dtype=np.float32).reshape(4, 6)])


@pytest.fixture(scope="module")
def answers(recording: hloscope.Recording) -> KernelAnswers:
    return KernelAnswers(recording, {"train.py": "a = 1\nb = 2\n"})


def cell_of(recording: hloscope.Recording) -> Cell:
    return Cell(CellContent(recording, "main", recording._repr_html_, recording._value_at))


def test_answers_are_those_of_the_server(recording: hloscope.Recording, answers: KernelAnswers) -> None:
    run = Run(NAME, recording)
    window = "values/0.s1.0/window?rows=0&columns=1&at=0,0&from=0,0&size=4,6&level=0"
    cases: dict[str, Any] = {
        "program": ProgramQuestion(),
        "values/0.s1.0": SummaryQuestion("0.s1.0"),
        window: WindowQuestion("0.s1.0", "0", "1", "0,0", "4,6", "0,0"),
    }
    for path, question in cases.items():
        found = answers.answer(f"{PLACE}/{path}")
        assert (found.status, found.body) == (200, bytes(answer(run, question).body))


def test_the_session_is_read_only_and_complete(answers: KernelAnswers) -> None:
    session = json.loads(answers.answer(f"/api/sessions/{NAME}?wait=false").body)
    assert session["read_only"]
    assert session["run"]["state"]["kind"] == "done"
    assert json.loads(answers.answer(f"/api/sessions/{NAME}/runs/1").body) == session["run"]


def test_the_lines_of_the_user_come_along(answers: KernelAnswers) -> None:
    assert json.loads(answers.answer("/api/source?file=train.py").body)["lines"] == ["a = 1", "b = 2"]
    assert json.loads(answers.answer("/api/source?file=/etc/passwd").body)["lines"] is None


def test_the_reference_of_ops_is_there(answers: KernelAnswers) -> None:
    assert len(json.loads(answers.answer("/api/ops").body)) > 100
    assert json.loads(answers.answer("/api/ops/stablehlo.log").body)["name"] == "stablehlo.log"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        (f"{PLACE}/values/0.s99.0", 404, "not recorded"),
        (f"{PLACE}/values/nonsense", 422, "is not an address"),
        (f"{PLACE}/outline", 422, "query.chunk"),
        (f"{PLACE}/outline?chunk=-1", 422, "chunk"),
        ("/api/ops/stablehlo.nothing", 404, "no such op"),
        ("/api/sessions", 404, "hloscope.debug"),
        ("/api/dumps/x", 404, "hloscope.debug"),
        ("", 404, ""),
        ("/../../etc/passwd", 404, ""),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(answers: KernelAnswers, path: str, status: int, words: str) -> None:
    found = answers.answer(path)
    assert found.status == status
    assert words in json.loads(found.body)["error"]["message"]


def test_a_mistake_of_ours_is_an_answer_too(
    recording: hloscope.Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = KernelAnswers(recording, {})
    monkeypatch.setattr("hloscope.app.python.notebook.answering.answer", lambda *_: 1 // 0)
    found = broken.answer(f"{PLACE}/program")
    assert found.status == 500
    assert "a fault of hloscope's own: ZeroDivisionError" in found.body.decode()


def test_messages_are_answered_with_what_they_name(recording: hloscope.Recording) -> None:
    cell = cell_of(recording)
    page = cell.receive({"kind": "page", "cell": "a"})
    assert page is not None
    assert page[0] == {"kind": "page", "cell": "a"}
    assert page[1].startswith(b"<!doctype html>")
    found = cell.receive({"kind": "ask", "cell": "b", "id": 7, "path": f"{PLACE}/program"})
    assert found is not None
    assert (found[0]["cell"], found[0]["id"], found[0]["status"]) == ("b", 7, 200)
    assert cell.receive({"kind": "other"}) is None


def test_a_place_is_behind_the_step_that_made_the_value(recording: hloscope.Recording) -> None:
    cell = cell_of(recording)
    place = cell.place_of("%1", (3, 5))
    assert (place["process"], place["position"]) == (0, 2)
    assert place["selection"]["address"] == "0.s1.0"
    assert cell.place_of("%x", None)["position"] == 0
    for element in ((4, 0), (0,), (-1, 0)):
        with pytest.raises(InputError, match="has no element"):
            cell.place_of("%1", element)


def test_without_widgets_there_are_tables_and_what_to_type(
    recording: hloscope.Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "find_spec", lambda name: None)
    shown = shown_view(CellContent(recording, "main", recording._repr_html_, recording._value_at))
    html = shown._repr_html_()
    assert "first NaN: line 3, log" in html
    assert "pip install &#x27;hloscope[notebook]&#x27;" in html
    assert "<script" not in html
