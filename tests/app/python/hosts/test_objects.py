"""Functions and what JAX makes of them, given to hloscope. The cases run in a process of their own."""

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
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data: Path = tmp_path_factory.mktemp("data")
    flags = "--xla_force_host_platform_device_count=4"
    return run_cases("tests.app.python.hosts.objects", data=data, XLA_FLAGS=flags)


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


def test_the_document_runs(tmp_path: Path) -> None:
    found = run_cases("tests.app.python.hosts.documented", data=tmp_path)["blocks"]
    assert found["blocks"] == 5
    assert found["opened"] == ["loss", "train_step"]
    assert "of train_step was born in stablehlo.log" in found["sentence"]


def test_functions_of_jax_are_a_part_of_the_ops_that_call_them(found: dict[str, Any]) -> None:
    assert found["inlined_functions"] == [False, 2, True]
