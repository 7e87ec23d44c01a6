"""The examples run, and those that JAX exported compute what XLA computed (tests/data, by `python -m tests.exported_examples`)."""

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hloscope.app.reference.examples import (
    ENDINGS,
    ORDER,
    PARALLEL,
    Example,
    example,
    example_pictures,
    examples,
    parse_example,
)
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.sharded_runs.sharded_inputs import Boundary
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module
from tests.each import for_each
from tests.example_pictures import picture
from tests.programs import known_example, opened

DATA = Path(__file__).parents[2] / "data"
FOLDER = Path(__file__).parents[3] / "app" / "reference" / "examples"


def _recording(shown: Example) -> Recording:
    """As it runs when it is opened: on its own grid, with its own inputs."""
    recording = opened(shown.text, shown.file)
    assert (recording.grid.num_processes > 1) == shown.parallel
    return recording


def _recorded(shown: Example) -> Recording:
    recording = _recording(shown)
    assert recording.record().kind == "done", recording.state.reason
    return recording


def _shown(name: str) -> Example:
    shown = known_example(name)
    return shown


def _of_all(name: str) -> list[tuple[NDArray[Any], ...]]:
    """The results of each process."""
    return [track.results() or () for track in _recorded(_shown(name)).tracks]


def _results(name: str) -> tuple[NDArray[Any], ...]:
    shown = known_example(name)
    results = _recorded(shown).results()
    assert results is not None
    return results


def _off_by(got: NDArray[Any], expected: NDArray[Any]) -> float:
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def test_the_gallery_shows_every_file() -> None:
    files = [path for ending in ENDINGS for path in FOLDER.glob(f"*{ending}")]
    assert sorted(path.stem for path in files) == sorted(ORDER + PARALLEL)
    assert [shown.name for shown in examples()] == [*ORDER, *PARALLEL]
    assert example("nothing") is None


@for_each("shown", examples(), ids=lambda shown: shown.name)
def test_every_example_is_well_formed_and_runs_to_its_end(shown: Example) -> None:
    assert load(Source(shown.text)).diagnostics == ()
    if shown.name == "deadlock":
        return  # which does not come to its end
    for found in _recorded(shown).results() or ():
        assert all(np.isfinite(value).all() for value in leaves(found))


@pytest.mark.parametrize("shown", examples(), ids=lambda shown: shown.name)
def test_every_example_survives_printing(shown: Example) -> None:
    loaded = load(Source(shown.text))
    assert loaded.module is not None
    if loaded.module.language == "hlo":
        assert load(Source(print_hlo(loaded.module))).module == loaded.module
    else:
        assert load(Source(print_module(loaded.module, op_table()))).module == loaded.module


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.npz")))
def test_results_are_those_of_jax(name: str) -> None:
    expected: Mapping[str, Any] = np.load(DATA / f"{name}.npz")
    outputs = [expected[key] for key in sorted(expected) if key.startswith("out_")]
    for results in _of_all(name):
        assert len(results) == len(outputs)
        for got, wanted in zip(results, outputs, strict=True):
            assert got.shape == wanted.shape
            assert _off_by(got, wanted) < 1e-5


@pytest.mark.parametrize(
    ("value", "name"), [("%3", "pre_activation"), ("%4", "relu"), ("%13", "logits"), ("%24", "out_0")]
)
def test_intermediate_values_of_the_mlp_are_those_of_jax(value: str, name: str) -> None:
    shown = known_example("mlp")
    recording = _recorded(shown)
    ops = recording.program.ops
    step = next(
        step
        for step, op in enumerate(recording.tracks[0].op_column)
        if recording.tracks[0].frame_column[step] == 0
        and [v.name for v in ops[op].operation.results] == [value]
    )
    assert _off_by(recording.value(result(step)), np.load(DATA / "mlp.npz")[name]) < 1e-5


def test_newton_finds_the_root_and_softmax_sums_to_one() -> None:
    root, iterations = _results("newton")
    assert abs(float(root) - 2**0.5) < 1e-6
    assert 3 <= int(iterations) < 10
    np.testing.assert_allclose(_results("softmax")[0].sum(axis=1), 1, rtol=1e-6)


def test_layer_norm_normalises() -> None:
    (normalised,) = _results("layer_norm")
    np.testing.assert_allclose(normalised.mean(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(normalised.std(axis=1), 1, rtol=1e-3)


def test_gather_clamps_and_scatter_counts() -> None:
    (embedded,) = _results("embedding_lookup")
    table = np.arange(60, dtype=np.float32).reshape(10, 6)
    np.testing.assert_array_equal(embedded, table[[[3, 0, 7], [7, 9, 1]]])
    (histogram,) = _results("histogram")
    assert histogram.sum() == 64


def test_a_body_of_its_own_agrees_with_numpy() -> None:
    shown = known_example("log_sum_exp")
    recording = _recorded(shown)
    ((x,),) = recording.launch.inputs
    np.testing.assert_allclose(_results("log_sum_exp")[0], np.logaddexp.reduce(x, axis=1), rtol=1e-6)


def test_an_example_must_say_what_it_is() -> None:
    with pytest.raises(ValueError, match="// description: …"):
        parse_example("x", "// title: X\nfunc.func @main()")


def test_a_bitcast_reads_memory_and_a_copy_does_not() -> None:
    shown = known_example("layouts_hlo")
    recording = _recorded(shown)
    values = {
        op.operation.results[0].name: recording.value(result(step))
        for step, number in enumerate(recording.tracks[0].op_column)
        if (op := recording.program.ops[number]).operation.results
    }
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert np.array_equal(values["%turned"], rows.T)
    assert np.array_equal(values["%copied"], rows.T)
    assert np.array_equal(values["%mixed"], rows.reshape(2, 3))
    expected = (rows.T - rows.reshape(2, 3)) @ np.array([[2, -1, 0], [1, 3, -2]], np.float32).T
    matrix, trace = values["%result"]
    assert trace == np.trace(expected)
    assert np.array_equal(matrix, -expected if trace < 0 else expected)


def test_an_all_reduce_adds_up_in_groups_by_hand_and_by_a_rule_of_its_own() -> None:
    counts = np.array([1, 2, 3, 4])
    for replica, (total, pair, by_hand, length) in enumerate(_of_all("all_reduce")):
        assert np.array_equal(total, 1111 * counts)
        assert np.array_equal(pair, (101, 1010)[replica % 2] * counts)
        assert np.array_equal(by_hand, total)
        np.testing.assert_allclose(length, np.sqrt(1 + 10**2 + 100**2 + 1000**2) * counts, rtol=1e-6)


def test_an_all_to_all_transposes_the_whole_matrix() -> None:
    recording = _recorded(_shown("all_to_all"))
    program, results = recording.program, [track.results() or () for track in recording.tracks]
    assert program.entry is not None
    joined = Boundary(program, program.entry, recording.launch.grid).join(results)
    (whole,) = joined
    assert whole is not None
    assert np.array_equal(whole, np.arange(64).reshape(8, 8).T)


def test_the_deadlock_is_found_and_its_solution_solves_it() -> None:
    shown = _shown("deadlock")
    recording = _recording(shown)
    assert recording.record().kind == "failed"
    assert recording.deadlock is not None
    assert recording.deadlock.kind == "deadlock"
    waiting = {wait.process: wait.channel for wait in recording.deadlock.waits}
    assert waiting == {0: 1, 1: 1, 2: 2, 3: 1}
    program, _, solution = shown.text.partition("// The solution.")
    lines = [line.removeprefix("// ") for line in solution.splitlines() if "stablehlo." in line]
    (wrong,) = [line for line in program.splitlines() if line.strip().startswith("stablehlo.return %better")]
    solved = _recorded(parse_example("deadlock", program.replace(wrong, "\n".join(lines))))
    for weight, work in (track.results() or () for track in solved.tracks):
        assert float(weight) == pytest.approx(2, abs=0.01)
        assert int(work) % 4 == 0


def test_every_card_of_the_gallery_has_a_picture_of_what_the_example_computes() -> None:
    """`python -m tests.example_pictures` writes them; last bits, and so a level of a pixel, may differ elsewhere."""
    kept = example_pictures()
    assert list(kept) == [item.name for item in examples()]
    for item in examples():
        made, found = picture(item), kept[item.name]
        assert (made["width"], made["height"]) == (found["width"], found["height"])
        levels = [np.frombuffer(b64decode(info["pixels"]), np.uint8).astype(int) for info in (made, found)]
        assert np.abs(levels[0] - levels[1]).max() <= 1, item.name
        assert np.unique(levels[0]).size > 1, item.name
