"""Births in collectives that are only started: they belong to the op that waits for the result."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.debugger.programs import recorded
from tests.programs import load_program

F32 = np.float32
BODIES = """HloModule started, replica_count=2

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%less (c: f32[], d: f32[]) -> f32[] {
  %c = f32[] parameter(0)
  %d = f32[] parameter(1)
  ROOT %m = f32[] minimum(%c, %d)
}

%reduced (p: f32[2]) -> f32[2] {
  %p = f32[2]{0} parameter(0)
  ROOT %ar = f32[2]{0} all-reduce(%p), replica_groups={{0,1}}, to_apply=%add
}

ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  %y = f32[2]{0} exponential(%x)
"""
GROUPS = "replica_groups={{0,1}}"
REDUCE = f"""  %start = f32[2]{{0}} all-reduce-start(%y), {GROUPS}, to_apply=%add
  ROOT %done = f32[2]{{0}} all-reduce-done(%start)"""
LEAST = REDUCE.replace("%add", "%less")
ASYNC = """  %start = ((f32[2]), f32[2]) async-start(%y), calls=%reduced
  ROOT %done = f32[2]{0} async-done(%start)"""
GATHER = f"""  %start = (f32[2], f32[4]) all-gather-start(%y), {GROUPS}, dimensions={{0}}
  %both = f32[4]{{0}} all-gather-done(%start)
  ROOT %done = f32[2]{{0}} slice(%both), slice={{[0:2]}}"""
PERMUTE = """  %start = (f32[2], f32[2]) collective-permute-start(%y), source_target_pairs={{0,1},{1,0}}
  ROOT %done = f32[2]{0} collective-permute-done(%start)"""
TWO = f"""  %start = (f32[2]{{0}}, f32[2]{{0}}) all-reduce-start(%x, %y), {GROUPS}, to_apply=%add
  %both = (f32[2]{{0}}, f32[2]{{0}}) all-reduce-done(%start)
  ROOT %done = f32[2]{{0}} get-tuple-element(%both), index=1"""
HUGE = np.log(2e38)
"""Twice the exponential of it is above the largest f32."""


def report(end: str, *given: list[float]) -> FindingReport:
    program = load_program(f"{BODIES}{end}\n}}\n", "started.hlo")
    inputs = tuple((np.array(each, F32),) for each in given)
    recording = recorded(program, Launch(Grid(2, 1), inputs))
    return FindingReport(recording)


def told(end: str, *given: list[float]) -> list[tuple[str, str, str]]:
    """The grade, the op and the kind of each finding."""
    found = report(end, *given)
    ops = found.recording.program.ops
    return [(each.grade, str(ops[each.op].operation.opcode), each.kind) for each in found.findings]


@pytest.mark.parametrize(
    ("end", "op"), [(REDUCE, "all-reduce-done"), (ASYNC, "async-done"), (TWO, "all-reduce-done")]
)
def test_a_sum_that_overflows_is_born_where_it_comes(end: str, op: str) -> None:
    found = report(end, [HUGE, 1], [HUGE, 2])
    assert told(end, [HUGE, 1], [HUGE, 2]) == [("harmful", op, "inf")]
    (finding,) = found.findings
    assert finding.count == 2, "in each process"
    assert finding.sentence.endswith(
        "1 of 2 elements, where the sum of what the processes bring is above 3.403e+38, the largest f32"
    )
    assert finding.first.fault.index == (0,)
    assert not told(end, [1, 1], [1, 2])


@pytest.mark.parametrize("end", [REDUCE, ASYNC, GATHER, PERMUTE, TWO])
def test_what_a_process_brings_does_harm_through_what_is_started(end: str) -> None:
    assert told(end, [100, 1], [1, 2]) == [("harmful", "exponential", "inf")]


def test_what_a_minimum_leaves_out_does_no_harm() -> None:
    assert told(LEAST, [100, 1], [1, 2]) == [("masked", "exponential", "inf")]


def test_what_nobody_waits_for_reaches_nobody() -> None:
    end = REDUCE.replace("ROOT ", "") + "\n  ROOT %other = f32[2]{0} copy(%x)"
    waited = end.replace("  %done = f32[2]{0} all-reduce-done(%start)\n", "")
    assert told(waited, [100, 1], [1, 2]) == [("masked", "exponential", "inf")]


@pytest.mark.parametrize("end", [REDUCE, ASYNC, GATHER, PERMUTE])
def test_the_way_back_leads_through_what_is_started(end: str) -> None:
    found = report(end, [100, 1], [1, 2])
    results = [found.recording.tracks[process].results() for process in (0, 1)]
    process = next(k for k, result in enumerate(results) if result and np.isinf(result[0]).any())
    track = found.recording.tracks[process]
    returned = next(
        step
        for step in reversed(range(track.step_count))
        if found.recording.program.ops[track.op_of(step)].results
    )
    origin = found.origin_of(Address(process, "s", returned, 0))
    assert origin is not None
    assert (origin.kind, origin.name, origin.address[:2]) == ("op", "%y", "0.")


def test_a_loop_starts_one_in_each_iteration() -> None:
    """The sum grows by the number of processes: it overflows in the third iteration."""
    text = """HloModule loop, replica_count=2
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}
%again (t: (s32[], f32[2])) -> (s32[], f32[2]) {
  %t = (s32[], f32[2]{0}) parameter(0)
  %k = s32[] get-tuple-element(%t), index=0
  %v = f32[2]{0} get-tuple-element(%t), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%k, %one)
  %start = f32[2]{0} all-reduce-start(%v), replica_groups={{0,1}}, to_apply=%add
  %sum = f32[2]{0} all-reduce-done(%start)
  ROOT %r = (s32[], f32[2]{0}) tuple(%next, %sum)
}
%more (t.1: (s32[], f32[2])) -> pred[] {
  %t.1 = (s32[], f32[2]{0}) parameter(0)
  %k.1 = s32[] get-tuple-element(%t.1), index=0
  %five = s32[] constant(5)
  ROOT %c = pred[] compare(%k.1, %five), direction=LT
}
ENTRY %main (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  %zero = s32[] constant(0)
  %init = (s32[], f32[2]{0}) tuple(%zero, %x)
  %end = (s32[], f32[2]{0}) while(%init), condition=%more, body=%again
  ROOT %v.1 = f32[2]{0} get-tuple-element(%end), index=1
}
"""
    program = load_program(text, "loop.hlo")
    recording = recorded(program, Launch.same_inputs(Grid(2, 1), (np.array([6e37, 1], F32),)))
    (finding,) = FindingReport(recording).findings
    assert (finding.grade, finding.count, finding.first.iteration) == ("harmful", 2, 2)
