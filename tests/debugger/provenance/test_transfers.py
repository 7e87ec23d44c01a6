"""What HLO's starts give before anything has come: what was given to them, and numbers that stand for the transfer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import End, Kind
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import Launch
from tests.debugger.programs import recorded
from tests.programs import load_program

from .matrices import Ends

TO_ITSELF = """
HloModule to_itself

ENTRY main {
  x = f32[2] parameter(0)
  first = token[] after-all()
  recv = (f32[2], u32[], token[]) recv(first), channel_id=1
  send = (f32[2], u32[], token[]) send(x, first), channel_id=1
  sent = token[] send-done(send), channel_id=1
  received = (f32[2], token[]) recv-done(recv), channel_id=1
  mine = f32[2] get-tuple-element(send), index=0
  y = f32[2] get-tuple-element(received), index=0
  ROOT both = (f32[2], f32[2]) tuple(y, mine)
}
"""
AROUND = """
HloModule around, replica_count=3

ENTRY main {
  x = f32[2] parameter(0)
  first = token[] after-all()
  recv = (f32[2], u32[], token[]) recv(first), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{2,0}}}
  send = (f32[2], u32[], token[]) send(x, first), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{2,0}}}
  sent = token[] send-done(send), channel_id=1
  received = (f32[2], token[]) recv-done(recv), channel_id=1
  mine = f32[2] get-tuple-element(send), index=0
  y = f32[2] get-tuple-element(received), index=0
  ROOT both = (f32[2], f32[2]) tuple(y, mine)
}
"""
STARTED = """
HloModule started

twice {
  a = f32[2] parameter(0)
  ROOT b = f32[2] add(a, a)
}

ENTRY main {
  x = f32[2] parameter(0)
  start = ((f32[2]), f32[2], u32[]) async-start(x), calls=twice
  updated = ((f32[2]), f32[2], u32[]) async-update(start)
  ROOT done = f32[2] async-done(updated)
}
"""


def _ends(text: str, inputs: Sequence[Array]) -> Ends:
    """Of a run on as many processes as there are inputs."""
    program = load_program(text, "test.hlo")
    recording = recorded(program, Launch(Grid(len(inputs), 1), tuple((value,) for value in inputs)))
    return Ends(recording)


def _both(ends: Ends) -> list[list[list[int]]]:
    """For each result the input elements of each of its elements, by both directions."""
    back = ends.back()
    assert np.array_equal(back, ends.forward())
    starts = ends.result_starts
    return [[np.flatnonzero(row).tolist() for row in back[start:stop]] for start, stop in pairwise(starts)]


def test_a_process_may_send_to_itself() -> None:
    ends = _ends(TO_ITSELF, [np.array([1, 2], np.float32)])
    assert _both(ends) == [[[0], [1]]] * 2


def test_what_was_sent_is_found_where_it_was_received_and_in_what_send_gives() -> None:
    ends = _ends(AROUND, [np.arange(2, dtype=np.float32) + k for k in range(3)])
    assert _both(ends) == [
        *([[4], [5]], [[0], [1]]),
        *([[0], [1]], [[2], [3]]),
        *([[], []], [[4], [5]]),
    ]
    (link,) = ends.links.into(Address(1, "s", 1, 0, (0,))).links
    assert (str(link.source), link.kind) == ("0.f0.0", Kind.MOVED)


@pytest.mark.parametrize(
    ("text", "place"),
    [(TO_ITSELF, (1, 1)), (TO_ITSELF, (2, 1)), (STARTED, (0, 2)), (STARTED, (3, 2))],
    ids=["recv", "send", "start", "update"],
)
def test_the_number_of_a_transfer_comes_from_nowhere(text: str, place: tuple[int, int]) -> None:
    links = _ends(text, [np.zeros(2, np.float32)]).links
    step, element = place
    into = links.into(Address(0, "s", step, 0, (element,)))
    while into.links:
        (link,) = into.links
        into = links.into(link.source)
    assert into.end is End.CONSTANT
    assert into.reason.startswith("It is a placeholder of ")
