"""Values that repeat an answer: found in frames and processes, and everything beyond the search is named."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.app.present import repeats
from hloscope.app.present.numbers import exact_number
from hloscope.app.present.repeats import Number, Onward, Shape, alike, find_repeats
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import Launch
from tests.debugger.programs import recorded
from tests.programs import load_program

LOOP = """\
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %limit = stablehlo.constant dense<40> : tensor<i32>
  %asked = stablehlo.add %x, %x : tensor<i32>
  %end = stablehlo.while(%i = %asked) : tensor<i32>
   cond {
    %go = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %same = stablehlo.maximum %i, %asked : tensor<i32>
    %s = stablehlo.add %i, %x : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  return %end : tensor<i32>
}
"""
"""30 is asked for; the loop begins with it and ends with 45."""
ASKED = Address(0, "s", 1, 0)
THIRTY = Number("integer", 15, "30")


def _recording(text: str = LOOP, *inputs: int) -> Recording:
    return Recording(load_program(text), [np.asarray(each, np.int32) for each in inputs or (15,)])


def _names(recording: Recording, found: list[Address]) -> list[str]:
    return [recording.program.values[recording.value_number(each)].name for each in found]


def test_a_run_is_searched_to_its_end_also_in_frames() -> None:
    recording = _recording()
    assert recording.record().kind == "done"
    found = find_repeats(recording, [ASKED], THIRTY)
    assert _names(recording, found.addresses) == ["%i", "%i", "%same"]  # of the condition, of the body
    assert found.beyond == []


def test_what_is_not_recorded_yet_is_covered_with_what_has_begun() -> None:
    for steps in range(2, 14):
        recording = _recording()
        recording.record(steps)
        found = find_repeats(recording, [ASKED], THIRTY)
        ended = recording.state.kind == "done"
        (track,) = recording.tracks
        late = [frame for frame in range(track.frame_count) if track.start_of(frame) >= track.step_count]
        if ended:
            assert found.beyond == []
            continue
        (beyond,) = found.beyond
        assert (beyond.process, beyond.step) == (0, track.step_count)
        # A frame without a step has its arguments already.
        assert beyond.frame == (late[0] if late else track.frame_count)
        open_steps = [step for step in range(track.step_count) if track.finish_of(step) is None]
        assert {Address(0, "s", step, 0) for step in open_steps} <= set(found.addresses)


def test_a_long_run_is_covered_from_the_end_of_the_search_on(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = _recording()
    recording.record()
    whole = find_repeats(recording, [ASKED], THIRTY).addresses
    (track,) = recording.tracks
    for most in range(1, track.step_count - 1):
        monkeypatch.setattr(repeats, "MOST_STEPS", most)
        _covers(recording, whole)
    monkeypatch.undo()
    for most in range(1, 3):
        monkeypatch.setattr(repeats, "MOST_FOUND", most)
        _covers(recording, whole)
    monkeypatch.undo()
    monkeypatch.setattr(repeats, "MOST_ELEMENTS", 1)
    _covers(recording, whole)


def _covers(recording: Recording, wanted: list[Address]) -> None:
    """A shorter search covers at least what the whole one does."""
    found = find_repeats(recording, [ASKED], THIRTY)
    (beyond,) = found.beyond
    for each in wanted:
        bound = beyond.step if each.kind == "s" else beyond.frame
        assert each in found.addresses or each.number >= bound, (each, beyond)
    # The loop began before, and its result is made at its end.
    finish = recording.tracks[0].finish_of(2)
    assert finish is not None
    assert not 2 < beyond.step <= finish or Address(0, "s", 2, 0) in found.addresses


def test_a_value_that_the_recording_has_dropped_is_covered_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = _recording()
    recording.record()
    monkeypatch.setattr(Recording, "keeps", lambda *_: False)
    assert "%s" in _names(recording, find_repeats(recording, [ASKED], THIRTY).addresses)


def test_a_common_number_counts_only_where_it_is_made_of_the_asked_one() -> None:
    text = LOOP.replace("%end = ", "%other = stablehlo.constant dense<4> : tensor<i32>\n  %b = stablehlo.add %limit, %limit : tensor<i32>\n  %q = stablehlo.divide %b, %other : tensor<i32>\n  %end = ")  # fmt: skip
    recording = _recording(text, 10)
    recording.record()
    found = find_repeats(recording, [ASKED], Number("integer", 15, "20"))
    assert "%q" in _names(recording, found.addresses)  # 20 is rare
    recording = _recording(text, 4)
    recording.record()
    assert Number("integer", 15, "8").is_common
    found = find_repeats(recording, [ASKED], Number("integer", 15, "8"))
    assert set(_names(recording, found.addresses)) == {"%i", "%same"}


def test_the_shape_counts_in_what_is_computed_element_by_element() -> None:
    recording = _recording()
    recording.record()
    found = _names(recording, find_repeats(recording, [ASKED], Shape(())).addresses)
    assert {"%i", "%go", "%same", "%end"} <= set(found)


GRID = """\
module attributes {mhlo.num_partitions = 3 : i32} {
func.func @main() -> tensor<i32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %0 = stablehlo.minimum %id, %one : tensor<ui32>
  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
  %big = stablehlo.constant dense<500> : tensor<i32>
  %2 = stablehlo.multiply %1, %big : tensor<i32>
  %3 = stablehlo.negate %2 : tensor<i32>
  %4 = stablehlo.negate %3 : tensor<i32>
  return %4 : tensor<i32>
}
}
"""


def test_the_processes_of_a_grid_have_the_answer_too() -> None:
    program = load_program(GRID)
    recording = recorded(program, Launch(Grid(1, 3), ((), (), ())))
    asked = [*alike(recording, Address(1, "s", 5, 0), None)]
    assert [(each.process, each.number) for each in asked] == [(1, 5), (2, 5)]  # process 0 has 0
    found = find_repeats(recording, asked, Number("integer", 15, "500"))
    assert [(each.process, each.number) for each in found.addresses] == [(1, 7), (2, 7)]
    recording = Recording(program, Launch(Grid(1, 3), ((), (), ())))
    recording.record(15)
    asked = [*alike(recording, Address(1, "s", 5, 0), None)]
    found = find_repeats(recording, asked, Number("integer", 15, "500"))
    (none, *others) = recording.tracks
    assert (none.step_count, [each.process for each in found.beyond]) == (0, [0, 1, 2])
    assert found.beyond[0] == Onward(0, 0, 0)
    assert [each.step for each in found.beyond[1:]] == [track.step_count for track in others]


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int8, np.uint64, np.bool_]
)  # fmt: skip
def test_a_number_is_found_among_many_as_one_by_one(dtype: type) -> None:
    random = np.random.default_rng(0)
    many = random.integers(-100, 100, 300) / (7 if np.dtype(dtype).kind in "fV" else 1)
    array: Any = (np.abs(many) if np.dtype(dtype).kind == "u" else many).astype(dtype)
    if dtype is np.float32:
        array[:2] = np.nan, -np.inf
    asked = [*{exact_number(each) for each in array[:40]}, "17.125", "0.1", "NaN", "-Inf", "+Inf", "true"]
    for text in asked:
        kind = "truth" if text in ("true", "false") else "float"
        for digits in (2, 3, 15):
            number = Number(kind, digits, text)  # type: ignore[arg-type]
            one_by_one = any(number.matches(exact_number(each)) for each in array)
            assert number.is_in(array) == one_by_one, (text, digits)


def test_a_complex_number_is_compared_with_nothing() -> None:
    asked = Number.of(np.asarray(1 + 2j))
    assert not asked.is_in(np.array([1.0, 2.0]))
    assert not asked.is_in(np.array([1 + 2j]))


def test_large_whole_numbers_are_compared_exactly() -> None:
    array = np.array([2**63 - 1, 2**62 + 1], np.int64)
    assert Number("integer", 15, str(2**62 + 1)).is_in(array)
    assert not Number("integer", 15, str(2**62)).is_in(array)
