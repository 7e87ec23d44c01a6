"""An inquiry ends with its budget, and looks at no more texts than it needs; second engines here are made of Python."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from hloscope.app.comparing.between_passes import NO_TIME, UNSAFE, Text, boundary_answers, first_wrong
from hloscope.app.comparing.budget import Budget, told_to_terminal
from hloscope.app.comparing.comparing import compare_with_engine
from hloscope.app.comparing.engines import TimedEngine
from hloscope.app.comparing.our_runs import OurRun, run_ours
from hloscope.app.xla.engine import ALONE, Grid, Overrides, Versions
from hloscope.app.xla.failures import XlaRefused, XlaTimedOut
from hloscope.engine.limits import Limits

Array = NDArray[Any]
TEXT = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
ONES = np.ones(3, np.float32)


class Scripted:
    """Answers as a function says; remembers what it was asked."""

    def __init__(self, answer: Callable[[str], list[Array]]) -> None:
        self.seconds = 60.0
        self.answer, self.asked = answer, list[str]()

    def versions(self) -> Versions:
        return Versions("0", "0", "paper")

    def run(self, text: str, *_: Any, **__: Any) -> list[Array]:
        self.asked.append(text)
        return self.answer(text)

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        raise XlaRefused("it writes nothing")

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        raise XlaRefused("it writes nothing")


def texts(count: int, unsafe: int = 0) -> list[Text]:
    """Texts that are their numbers; the first of them may not be handed over."""
    return [Text(cast(Any, SimpleNamespace()), str(number), number >= unsafe) for number in range(count)]


@pytest.fixture(scope="module")
def ours() -> OurRun:
    return run_ours(TEXT, [ONES], Limits())


@pytest.mark.parametrize("turn", [0, 1, 13, 39, 40])
def test_the_text_from_which_on_answers_are_wrong_is_found_by_halves(ours: OurRun, turn: int) -> None:
    engine = Scripted(lambda text: [-ONES if int(text) < turn else ONES])
    found = boundary_answers(engine, texts(40), ours, {}, Budget())
    wrong = first_wrong(found)
    assert (None if wrong is None else wrong.text.text) == (str(turn) if turn < 40 else None)
    assert len(engine.asked) <= 8


def test_texts_without_an_answer_are_passed_over(ours: OurRun) -> None:
    def answer(text: str) -> list[Array]:
        if int(text) % 2:
            raise XlaRefused("not this one")
        return [-ONES if int(text) < 20 else ONES]

    found = boundary_answers(Scripted(answer), texts(40, unsafe=5), ours, {}, Budget())
    wrong = first_wrong(found)
    assert wrong is not None
    assert wrong.text.text == "20"
    assert [answer.problem for answer in found[:5]] == [UNSAFE] * 5


def test_a_text_on_which_xla_hangs_leaves_time_for_others(ours: OurRun) -> None:
    seconds: list[float] = []

    def answer(text: str) -> list[Array]:
        seconds.append(engine.seconds)
        if text == "39":
            raise XlaTimedOut(engine.seconds)
        return [-ONES]

    engine = Scripted(answer)
    found = boundary_answers(engine, texts(40), ours, {}, Budget(40.0))
    assert max(seconds) <= 10.0
    assert len(found) > 1


def test_nothing_is_begun_when_the_budget_is_spent(ours: OurRun) -> None:
    engine = Scripted(lambda _: [ONES])
    assert boundary_answers(engine, texts(3), ours, {}, Budget(0.0)) == []
    with pytest.raises(XlaTimedOut):
        TimedEngine(engine, Budget(0.0)).run(TEXT)
    assert engine.asked == []


def test_a_question_takes_no_longer_than_what_is_left() -> None:
    seconds: list[float] = []
    engine = Scripted(lambda _: [seconds.append(engine.seconds) or ONES])  # type: ignore[func-returns-value]
    TimedEngine(engine, Budget(5.0)).run(TEXT)
    TimedEngine(engine, Budget(500.0)).run(TEXT)
    assert seconds[0] <= 5.0
    assert seconds[1] == engine.seconds == 60.0


def test_what_is_being_done_is_told_and_what_was_left_out_is_said(ours: OurRun) -> None:
    told: list[str] = []
    engine = Scripted(lambda _: [ONES])
    found = compare_with_engine(engine, TEXT, ours, {}, Limits(), Budget(30.0, told.append))
    assert found.verdict == "wrong"
    assert told[:3] == [
        "starting XLA",
        "compiling and running the program with XLA",
        "finding out how far rounding takes each result",
    ]
    assert found.attribution is not None
    assert found.attribution.problem == "it writes nothing"
    assert NO_TIME not in str(found)


def test_values_are_brought_along_by_name(ours: OurRun) -> None:
    engine = Scripted(lambda text: [-ONES] if text == TEXT else [-ONES, -2 * ONES])
    found = compare_with_engine(engine, TEXT, ours, {}, Limits(), keep_bytes=1000)
    # A result is what the program alone gives: whatever is asked for besides may change it.
    assert {name: value.tolist() for name, value in found.values.items()} == {
        "%0": [-1, -1, -1],
        "out_0": [-1, -1, -1],
    }
    none = compare_with_engine(engine, TEXT, ours, {}, Limits(), keep_bytes=3)
    assert none.values_problem == "values left out, as too large or too many: 1"


def test_progress_is_shown_on_terminals_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((io.StringIO(), ""), (Terminal(), "\r\x1b[Kwaiting …\r\x1b[K")):
        with told_to_terminal(stream) as tell:
            tell("waiting")
            tell("too soon")
        assert stream.getvalue() == shown
