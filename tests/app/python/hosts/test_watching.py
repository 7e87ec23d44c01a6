"""The first NaN of a step of training. The cases run in a process of their own."""

from __future__ import annotations

from typing import Any

import pytest

from .running import run_cases

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_cases("tests.app.python.hosts.watching", data=tmp_path_factory.mktemp("data"))


def test_the_first_call_that_gives_nan(found: dict[str, Any]) -> None:
    """By the arguments of that very call, though the function donates them, was compiled before and has a static one."""
    told = found["on_nan"]
    assert told["same"]
    assert told["values"] == [False, False, True, False]
    for told in (found["on_nan"], found["watch"]):
        assert told["function"] == "train_step"
        assert told["op"] == "stablehlo.log"
        assert told["batch"] == [1, -9, 1]
        assert told["sentence"].startswith(
            "the first NaN in the results of train_step was born in stablehlo.log ("
        )
        assert "watching.py:25" in told["sentence"]
        assert told["arguments"][:3] == [
            "params['b']: float32[2]",
            "params['w']: float32[3,2]",
            "x: float32[4,3]",
        ]
        assert not told["session"]


def test_watch_does_nothing_within_a_trace(found: dict[str, Any]) -> None:
    assert found["watch_within_a_trace"] == [True, False, "no function gave NaN"]


def test_what_counts(found: dict[str, Any]) -> None:
    name, sentence = found["eager"]
    assert name == "sqrt"
    assert "born in stablehlo.sqrt" in sentence
    assert found["given"] == "the first NaN in the results of f was given in params['w'], element [1]"
    assert found["grad_and_vmap"] == [True, True]
    assert found["nothing"] == [False, "no function gave NaN", True]


def test_an_exception_goes_on(found: dict[str, Any]) -> None:
    assert found["an_exception_in_the_block"] == ["'mine'", True]


def test_the_debugger_opens_at_the_birth_of_the_nan(found: dict[str, Any]) -> None:
    assert found["in_the_debugger"] == ["done", True, True, True]
