"""Programs that call Python while they run. The cases run in a process of their own."""

from __future__ import annotations

from typing import Any

import pytest

from .running import run_cases

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_cases("tests.app.python.hosts.calling", data=tmp_path_factory.mktemp("data"))


def test_each_execution_calls_once(found: dict[str, Any]) -> None:
    """Also where values are looked at again, and where the run is computed again from a checkpoint."""
    for stage in ("stablehlo", "hlo", "optimized"):
        assert found["called_once_for_each_execution"][stage] == [True, 3, True, True]


def test_answers_are_kept_with_the_recording(found: dict[str, Any]) -> None:
    assert found["answers_come_back_from_a_file"] == [True, []]


def test_ordered_callbacks(found: dict[str, Any]) -> None:
    assert found["tokens_are_left_out"] == [1, 2]


def test_a_run_stops_at_what_is_not_decided(found: dict[str, Any]) -> None:
    told, unreached = found["undecided"]
    assert "the program calls Python: sine (" in told
    assert "calling.py:" in told
    assert unreached


def test_what_gives_nothing_is_gone_past(found: dict[str, Any]) -> None:
    is_right, (told,) = found["gone_past_with_a_warning"]
    assert is_right
    assert told.startswith("jax.debug.print('x {}') (")
    assert "is not called while hloscope runs the program" in told


def test_values_in_place_of_callbacks(found: dict[str, Any]) -> None:
    constant, function, bound, calls = found["given_values"]
    assert constant == [7, 7, 7]
    assert function == [0, 1, 2]
    assert bound == [1, 1, 1]
    assert calls == []


def test_callbacks_that_fail(found: dict[str, Any]) -> None:
    raised, misfit = found["callbacks_that_fail"]
    assert "raised ValueError: not today" in raised
    assert "gave float64[2], and tensor<3xf32> is declared" in misfit


def test_the_page_has_the_answers(found: dict[str, Any]) -> None:
    state, kinds, calls, end = found["in_the_debugger"]
    assert (state, calls, end) == ("done", 3, "done")
    # Versions of jax differ in which of the two callbacks comes first.
    assert sorted(kinds) in (["in_0", f"outside_{number}.executions", "skip"] for number in (0, 1))
