"""The question at the end of each op's page: asked of every op, answered rightly and wrongly as the page judges it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.reference import op_page, question_of
from hloscope.app.reference.example import shown_text
from hloscope.engine.ops import OPS
from tests.app.present.test_index_map_evaluation import node
from tests.app.serving import serving
from tests.each import for_each

RUNNER = Path(__file__).parents[2] / "js" / "judge_answers.mjs"
NAMES = [op.name for op in dict.fromkeys(OPS)]
WRONG = {"number": ("12345", "-0.125"), "index": ("97, 96", "98"), "shape": ("97x96", "98")}


def _verdicts(pairs: list[tuple[Any, str]]) -> list[str]:
    """What the page says of each answer."""
    done = subprocess.run(
        [node(), str(RUNNER)],
        check=False,
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.more
def test_every_page_asks_and_knows_right_from_wrong() -> None:
    questions = {name: question_of(name) for name in NAMES}
    right = _verdicts([(question, question["truth"]) for question in questions.values()])
    assert dict(zip(questions, right, strict=True)) == dict.fromkeys(questions, "right")
    wrong = [
        (question, answer)
        for question in questions.values()
        for answer in WRONG.get(question["kind"], question["options"])
        if answer != question["truth"]
    ]
    assert {*_verdicts(wrong)} == {"wrong"}
    unreadable = [(question, "what?") for question in questions.values() if question["kind"] != "choice"]
    assert {*_verdicts(unreadable)} == {"unreadable"}


@pytest.mark.more
@for_each("name", NAMES)
def test_a_question_has_one_answer_that_it_does_not_give_away(name: str) -> None:
    question = question_of(name)
    text, truth = question["text"], question["truth"]
    assert text.endswith("?")
    assert text.count("`") % 2 == 0
    assert truth
    if question["kind"] == "choice":
        assert question["options"].count(truth) == 1
        assert 2 <= len(question["options"]) == len({*question["options"]})
    else:
        assert not question["options"]
        # The truth is what is asked for, and not told: an element is named by another index than the one it reads.
        asked = text.partition("element [")[2].partition("]")[0]
        assert question["kind"] != "index" or asked != truth
    found = re.search(r"[Ll]ine (\d+)", text)
    assert found
    lines = shown_text(name).splitlines()
    named = re.findall(r"`(%[^`]+)`", text)
    assert int(found[1]) <= len(lines)
    for value in named:
        assert re.split(r"[#{]", value)[0] in shown_text(name), value


@pytest.mark.parametrize(
    ("name", "kind", "asks"),
    [
        ("stablehlo.gather", "index", "depend on"),
        ("stablehlo.transpose", "index", "depend on"),
        ("stablehlo.dot_general", "number", "how many elements"),
        ("stablehlo.log", "choice", "where"),
        ("hlo.stochastic_convert", "choice", "`%x` is +Inf"),
        ("stablehlo.while", "number", "what is"),
        ("stablehlo.return", "choice", "region"),
        ("check.expect_eq", "number", "an operand"),
    ],
)
def test_what_is_asked_depends_on_what_the_op_does(name: str, kind: str, asks: str) -> None:
    question = question_of(name)
    assert question["kind"] == kind
    assert asks in question["text"]


def test_known_answers() -> None:
    """Worked out by hand from the examples."""
    found = {name: question_of(f"stablehlo.{name}") for name in ("transpose", "log", "add", "reverse")}
    # `permutation = [2, 1, 0]`: element [1, 2, 0] of the result is [0, 2, 1] of the operand.
    assert "permutation = array<i64: 2, 1, 0>" in shown_text("stablehlo.transpose") or "dims = [2, 1, 0]" in (
        shown_text("stablehlo.transpose")
    )
    assert "[1, 2, 0]" in found["transpose"]["text"]
    assert found["transpose"]["truth"] == "0, 2, 1"
    assert "`%operand` is -1?" in found["log"]["text"]
    assert found["log"]["truth"] == "NaN"
    assert "2147483647" in found["add"]["text"] or "9223372036854775807" in found["add"]["text"]
    assert found["add"]["truth"].startswith("-")


def test_the_page_ends_with_the_question_and_keeps_the_answer_to_itself(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        page = client.get("/ops/stablehlo.transpose").text
    body, _, data = page.partition('<pre hidden id="data">')
    assert body.rindex("<h2 ") == body.index('<h2 id="op-try">Try it</h2>')
    ending = body[body.index('id="op-try"') :]
    assert 'href="/playground/transpose"' in ending
    assert 'href="#op-example"' in ending
    assert "does element [1, 2, 0] of" in ending
    assert "0, 2, 1" not in ending
    assert op_page("stablehlo.transpose")
    assert json.loads(data.partition("</pre>")[0].replace("&#34;", '"'))["question"]["truth"] == "0, 2, 1"
