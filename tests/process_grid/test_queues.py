"""Infeed, outfeed and host transfers: queues that the user fills and reads."""

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import RunError
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch, QueueKey, results_on_grid
from tests.debugger.programs import recorded
from tests.programs import load_program

FEED = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %a:2 = "stablehlo.infeed"(%t) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %s = stablehlo.add %x, %a#0 : tensor<2xf32>
  %o = "stablehlo.outfeed"(%s, %a#1) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %b:2 = "stablehlo.infeed"(%o) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %r = stablehlo.multiply %s, %b#0 : tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
HOST = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.after_all : !stablehlo.token
  %s = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>,
    is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>,
    is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %r#0 : tensor<2xf32>
}
"""
X = np.array([1, 2], np.float32)


def item(*numbers: float) -> tuple[np.ndarray, ...]:
    return (np.array(numbers, np.float32),)


def test_an_empty_queue_is_waited_for() -> None:
    recording = Recording(load_program(FEED), [X])
    state = recording.record()
    assert (state.kind, state.reason) == ("paused", "the run waits for the infeed queue, which is empty")
    assert recording.state_of(0) == "awaiting_item"
    (queue,) = recording.awaited_queues.values()
    assert queue == QueueKey("infeed")
    recording.feed(queue, [item(10, 20)])
    assert recording.record().kind == "paused"
    recording.feed(queue, [item(2, 3)])
    assert recording.record().kind == "done"
    (found,) = recording.results() or ()
    assert found.tolist() == [22, 66]
    assert [move.values[0].tolist() for move in recording.queues[QueueKey("outfeed", 0, 0)].moves] == [
        [11, 22]
    ]


def test_a_queue_for_all_and_one_for_a_process() -> None:
    feeds = {QueueKey("infeed"): (item(1, 1), item(2, 2)), QueueKey("infeed", 0, 1): (item(5, 5), item(6, 6))}
    found = results_on_grid(load_program(FEED), Launch(Grid(1, 2), ((X,), (X,)), feeds))
    assert [values[0].tolist() for values in found] == [[4, 6], [36, 42]]


def test_what_is_left_in_a_queue_is_shown() -> None:
    feeds = {QueueKey("infeed"): (item(1, 1), item(2, 2), item(3, 3))}
    recording = recorded(FEED, Launch(Grid(1, 1), ((X,),), feeds))
    assert [left[0].tolist() for left in recording.pending_items[QueueKey("infeed")]] == [[3, 3]]


def test_an_item_of_another_type() -> None:
    feeds = {QueueKey("infeed"): ((np.array([1, 2, 3], np.int32),),)}
    with pytest.raises(
        RunError, match=r"item 0 of the infeed queue is int32\[3\], but tensor<2xf32> is taken"
    ):
        results_on_grid(load_program(FEED), Launch(Grid(1, 1), ((X,),), feeds))


def test_the_host_gives_and_takes() -> None:
    feeds = {QueueKey("host", 6): (item(7, 8),)}
    recording = recorded(HOST, Launch(Grid(1, 1), ((X,),), feeds))
    assert [value.tolist() for value in recording.results() or ()] == [[7, 8]]
    (sent,) = recording.queues[QueueKey("to_host", 5, 0)].moves
    assert sent.values[0].tolist() == [1, 2]


def test_a_run_that_is_not_recorded_says_what_it_waits_for() -> None:
    with pytest.raises(RunError, match=r"process \(0, 0\) waits for the queue from the host on channel 6"):
        results_on_grid(load_program(HOST), Launch.single_process([X]))


def test_who_has_asked_the_host_waits_where_the_value_is_needed() -> None:
    text = """
        HloModule host
        ENTRY main {
          x = f32[2] parameter(0)
          before = token[] after-all()
          asked = (f32[2], u32[], token[]) recv(before), channel_id=2, is_host_transfer=true
          twice = f32[2] add(x, x)
          come = (f32[2], token[]) recv-done(asked), channel_id=2, is_host_transfer=true
          value = f32[2] get-tuple-element(come), index=0
          ROOT sum = f32[2] add(twice, value)
        }"""
    recording = Recording(load_program(text), [X])
    assert recording.record().kind == "paused"
    track = recording.tracks[0]
    last = recording.program.ops[track.op_of(track.step_count - 1)].operation
    assert last.opcode == "recv-done"
    recording.feed(QueueKey("host", 2), [item(100, 200)])
    assert recording.record().kind == "done"
    assert [value.tolist() for value in recording.results() or ()] == [[102, 204]]
