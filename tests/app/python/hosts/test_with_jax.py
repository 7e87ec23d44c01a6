"""Functions and what JAX makes of them, given to hloscope; functions that call Python while they run; and the first NaN of training.

The cases run in a process of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .running import run_cases

pytestmark = pytest.mark.oracle
NAMES = [
    "params['layer']['b']: float32[2]",
    "params['layer']['w']: float32[3,2]",
    "x: float32[4,3]",
    "key: key<fry>[]",
]
UNUSED = "unused: float32[3]"


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data: Path = tmp_path_factory.mktemp("data")
    flags = "--xla_force_host_platform_device_count=4"
    return run_cases("tests.app.python.hosts.of_jax", data=data, XLA_FLAGS=flags)


@pytest.fixture(scope="module")
def found(cases: dict[str, Any]) -> dict[str, Any]:
    return _of("objects", cases)


@pytest.fixture(scope="module")
def called(cases: dict[str, Any]) -> dict[str, Any]:
    return _of("calling", cases)


@pytest.fixture(scope="module")
def watched(cases: dict[str, Any]) -> dict[str, Any]:
    return _of("watching", cases)


def _of(module: str, cases: dict[str, Any]) -> dict[str, Any]:
    return {name.partition(".")[2]: value for name, value in cases.items() if name.startswith(f"{module}.")}


def test_every_kind_in_every_stage(found: dict[str, Any]) -> None:
    assert set(found["kinds"].values()) == {True}
    assert len(found["kinds"]) == 13


def test_arguments_have_the_names_of_their_tree_paths(found: dict[str, Any]) -> None:
    names = found["names"]
    for kind in ("jitted", "lowered"):
        assert names[kind] == [*NAMES, f"{UNUSED} (not used)"]
        assert names[f"{kind} first line"] == f"// not used: {UNUSED}"
    # The executable knows no names of positional arguments.
    assert names["compiled"][0] == "args[0]['layer']['b']: float32[2]"


def test_arguments_are_copied(found: dict[str, Any]) -> None:
    values, told = found["donated_arguments_are_copied"]
    assert values == [2, 2, 2, 2]
    assert told.startswith("the value of x has been deleted: it was donated")
    assert found["numpy_arguments_are_copied"] == [2, 2, 2]


def test_what_is_no_array_is_a_part_of_the_program(found: dict[str, Any]) -> None:
    by_itself, chosen, told = found["static_values"]
    assert by_itself
    assert chosen
    assert "decides by the value of an argument" in told
    assert "static_argnames" in told


def test_exports(found: dict[str, Any]) -> None:
    exports = found["exports"]
    assert exports.pop("names") == ["p['w']", "x"]
    assert exports.pop("without sizes") == "f is exported with open sizes: float32[3,2], float32[b,3]"
    assert set(exports.values()) == {True}
    assert found["jaxprs"] is True


def test_what_is_missing_is_said(found: dict[str, Any]) -> None:
    told, is_well = found["without_values"]
    assert "given without values" in told
    assert is_well
    compiled, fancy = found["stages_that_are_not_there"]
    assert "a Compiled no longer has a program of the stage 'stablehlo'" in compiled
    assert fancy == "there is no stage 'fancy'"


def test_random_keys(found: dict[str, Any]) -> None:
    assert found["random_keys"] == {"threefry2x32": ["key<fry>", True], "rbg": ["key<rbg>", True]}


def test_sharded_arguments(found: dict[str, Any]) -> None:
    assert found["sharded"] == {"stablehlo": True, "hlo": True, "optimized": ["done", 4], "parts": True}


def test_checks_maps_and_comparisons(found: dict[str, Any]) -> None:
    result = found["checks_maps_and_comparisons"]
    assert result["check"]
    assert result["maps"].startswith("# %0 = stablehlo.dot_general")
    assert result["one map"] == ["%1"]
    assert (result["xla"], result["two"]) == ("EngineComparison", "Comparison")
    assert result["function"] == "the function f agrees to the bit"


def test_private_names_of_jax(found: dict[str, Any]) -> None:
    assert found["adapter"] == {
        "kept": [0],
        "kept by compiled": [0],
        "callbacks": ["jax.debug.print('x {}')", "adapter.<locals>.host"],
        "called": True,
        "hlo": True,
        "optimized": True,
        "devices": 1,
        "watched": ["layer", [*(name.partition(":")[0] for name in NAMES), "unused"], 5],
        "compilers": True,
    }


def test_the_four_stages_in_the_debugger(found: dict[str, Any]) -> None:
    sessions = found["sessions"]
    for stage in ("stablehlo", "hlo", "optimized"):
        assert sessions[stage] == ["layer", "done", ["file"], "done"]
        assert sessions[f"{stage} position"] == 1
    assert sessions["passes"] == ["layer", True, True]
    assert sessions["servers"] == 1
    assert sessions["stopped"]


def test_the_document_runs(cases: dict[str, Any]) -> None:
    found = cases["documented.blocks"]
    assert found["blocks"] == 5
    assert found["opened"] == ["loss", "train_step"]
    assert "of train_step was born in stablehlo.log" in found["sentence"]


def test_functions_of_jax_are_a_part_of_the_ops_that_call_them(found: dict[str, Any]) -> None:
    assert found["inlined_functions"] == [False, 2, True]


def test_each_execution_calls_once(called: dict[str, Any]) -> None:
    """Also where values are looked at again, and where the run is computed again from a checkpoint."""
    for stage in ("stablehlo", "hlo", "optimized"):
        assert called["called_once_for_each_execution"][stage] == [True, 3, True, True]


def test_answers_are_kept_with_the_recording(called: dict[str, Any]) -> None:
    assert called["answers_come_back_from_a_file"] == [True, []]


def test_ordered_callbacks(called: dict[str, Any]) -> None:
    assert called["tokens_are_left_out"] == [1, 2]


def test_a_run_stops_at_what_is_not_decided(called: dict[str, Any]) -> None:
    told, unreached = called["undecided"]
    assert "the program calls Python: sine (" in told
    assert "calling.py:" in told
    assert unreached


def test_what_gives_nothing_is_gone_past(called: dict[str, Any]) -> None:
    is_right, (told,) = called["gone_past_with_a_warning"]
    assert is_right
    assert told.startswith("jax.debug.print('x {}') (")
    assert "is not called while hloscope runs the program" in told


def test_values_in_place_of_callbacks(called: dict[str, Any]) -> None:
    constant, function, bound, calls = called["given_values"]
    assert constant == [7, 7, 7]
    assert function == [0, 1, 2]
    assert bound == [1, 1, 1]
    assert calls == []


def test_callbacks_that_fail(called: dict[str, Any]) -> None:
    raised, misfit = called["callbacks_that_fail"]
    assert "raised ValueError: not today" in raised
    assert "gave float64[2], and tensor<3xf32> is declared" in misfit


def test_the_page_has_the_answers(called: dict[str, Any]) -> None:
    state, kinds, calls, end = called["in_the_debugger"]
    assert (state, calls, end) == ("done", 3, "done")
    # Versions of jax differ in which of the two callbacks comes first.
    assert sorted(kinds) in (["in_0", f"outside_{number}.executions", "skip"] for number in (0, 1))


def test_the_first_call_that_gives_nan(watched: dict[str, Any]) -> None:
    """By the arguments of that very call, though the function donates them, was compiled before and has a static one."""
    told = watched["on_nan"]
    assert told["same"]
    assert told["values"] == [False, False, True, False]
    for told in (watched["on_nan"], watched["watch"]):
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


def test_watch_does_nothing_within_a_trace(watched: dict[str, Any]) -> None:
    assert watched["watch_within_a_trace"] == [True, False, "no function gave NaN"]


def test_what_counts(watched: dict[str, Any]) -> None:
    name, sentence = watched["eager"]
    assert name == "sqrt"
    assert "born in stablehlo.sqrt" in sentence
    assert watched["given"] == "the first NaN in the results of f was given in params['w'], element [1]"
    assert watched["grad_and_vmap"] == [True, True]
    assert watched["nothing"] == [False, "no function gave NaN", True]


def test_an_exception_goes_on(watched: dict[str, Any]) -> None:
    assert watched["an_exception_in_the_block"] == ["'mine'", True]


def test_the_debugger_opens_at_the_birth_of_the_nan(watched: dict[str, Any]) -> None:
    assert watched["in_the_debugger"] == ["done", True, True, True]
