"""The rows of the timeline: who was running when, and whose steps are the same."""

import json
from itertools import combinations

import numpy as np

from hloscope.app.present.tracks import strips_bytes, tracks_json
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import Launch
from tests.programs import load_program

PROGRAM = """
module attributes {mhlo.num_partitions = 4 : i32} {
func.func @main() -> tensor<i64> {
  %id = stablehlo.partition_id : tensor<ui32>
  %one = stablehlo.constant dense<1> : tensor<ui32>
  %late = stablehlo.compare EQ, %id, %one : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %x = "stablehlo.if"(%late) ({
    %a = stablehlo.constant dense<2> : tensor<i64>
    %b = stablehlo.add %a, %a : tensor<i64>
    %c = stablehlo.add %b, %b : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }, {
    %a = stablehlo.constant dense<1> : tensor<i64>
    stablehlo.return %a : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  %sum = "stablehlo.all_reduce"(%x) <{
    replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
  }> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %c : tensor<i64>
  }) : (tensor<i64>) -> tensor<i64>
  func.return %sum : tensor<i64>
}
}
"""


def _begun() -> Recording:
    program = load_program(PROGRAM)
    return Recording(program, Launch(Grid(1, 4), ((), (), (), ())))


def _recorded() -> Recording:
    recording = _begun()
    recording.record()
    assert recording.state.kind == "done", recording.state.reason
    return recording


def test_processes_that_did_the_same_are_said_to() -> None:
    tracks = tracks_json(_recorded())
    assert [track["like"] for track in tracks] == [0, 1, 0, 0]
    assert {track["state"] for track in tracks} == {"done"}
    assert tracks[1]["steps"] == tracks[0]["steps"] + 2
    json.dumps(tracks)


def test_while_a_run_is_recorded_some_are_ahead_of_others() -> None:
    recording = _begun()
    found: list[int] = []
    while recording.state.kind != "done":
        recording.record(1)
        found = [track["like"] for track in tracks_json(recording)]
        for one, other in combinations(range(4), 2):
            if found[one] == found[other]:
                tracks = recording.tracks[one], recording.tracks[other]
                last = min(track.step_count for track in tracks)
                first, second = (track.op_column[:last] for track in tracks)
                assert np.array_equal(first, second)
    assert found == [0, 1, 0, 0]


def test_a_wait_is_a_hole_in_the_strip() -> None:
    recording = _recorded()
    ticks = recording.end_tick
    data = strips_bytes(recording, recording.launch_groups[0], 0, ticks, ticks)
    shares = np.frombuffer(data, np.uint8).reshape(4, ticks)
    assert (shares[1] == 255).all()
    holes = np.flatnonzero(shares[0] == 0)
    assert len(holes) == 2
    assert holes[1] == holes[0] + 1
    assert (shares[[0, 2, 3]] == shares[0]).all()


def test_stretches_of_several_ticks_have_shares() -> None:
    recording = _recorded()
    data = strips_bytes(recording, recording.launch_groups[0], 0, recording.end_tick, 2)
    shares = np.frombuffer(data, np.uint8).reshape(4, 2)
    assert shares[1].tolist() == [255, 255]
    assert 0 < shares[0].min() < 255
