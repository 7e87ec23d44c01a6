"""The bytes that collectives send, counted by hand."""

from __future__ import annotations

from hloscope.engine.live_memory.collectives import Collective, Copies, collectives_of, copies_of
from tests.programs import load_program


def _collectives(text: str) -> dict[str, Collective]:
    program = load_program(text)
    assert program.entry is not None
    return {each.name: each for each in collectives_of(program, program.entry)}


ALL = """HloModule m, is_scheduled=true, num_partitions=4
sum { %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b) }
ENTRY e {
  %p = f32[40]{0} parameter(0), sharding={devices=[4]<=[4]}
  %reduced = f32[40]{0} all-reduce(%p), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
  %halves = f32[40]{0} all-reduce(%p), channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum
  %gathered = f32[160]{0} all-gather(%p), channel_id=3, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  %scattered = f32[10]{0} reduce-scatter(%p), channel_id=4, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, to_apply=sum
  %exchanged = f32[40]{0} all-to-all(%p), channel_id=5, replica_groups={{0,1,2,3}}, dimensions={0}
  %moved = f32[40]{0} collective-permute(%p), channel_id=6, source_target_pairs={{0,1},{1,2}}
  %alone = f32[40]{0} all-reduce(%p), channel_id=7, replica_groups={{0},{1},{2},{3}}, use_global_device_ids=true, to_apply=sum
  %begun = (f32[40]{0}, f32[160]{0}) all-gather-start(%p), channel_id=8, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="jit(f)/checkpoint/rematted_computation/all_gather" source_file="f.py" source_line=7}
  %ended = f32[160]{0} all-gather-done(%begun)
  %again.remat2 = f32[40]{0} all-reduce(%p), channel_id=9, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=sum
  ROOT %t = (f32[40]{0}, f32[40]{0}, f32[160]{0}, f32[10]{0}, f32[40]{0}, f32[40]{0}, f32[40]{0}, f32[160]{0}, f32[40]{0}) tuple(%reduced, %halves, %gathered, %scattered, %exchanged, %moved, %alone, %ended, %again.remat2)
}
"""


def test_bytes_are_those_of_the_ring_algorithm() -> None:
    found = _collectives(ALL)
    assert {name: (each.members, each.sent_bytes) for name, each in found.items()} == {
        "%reduced": (4, 240),
        "%halves": (2, 160),
        "%gathered": (4, 480),
        "%scattered": (4, 120),
        "%exchanged": (4, 120),
        "%moved": (3, 160),
        "%alone": (1, 0),
        "%begun": (4, 480),
        "%again.remat2": (4, 240),
    }
    begun = found["%begun"]
    assert (begun.operand_bytes, begun.result_bytes, begun.runs, begun.total_bytes) == (160, 640, 1, 480)


def test_the_text_says_who_asked_for_a_collective() -> None:
    found = _collectives(ALL)
    begun = found["%begun"]
    assert begun.op_name.endswith("rematted_computation/all_gather")
    assert begun.location is not None
    assert begun.location.innermost is not None
    assert (begun.location.innermost.file, begun.location.innermost.line) == ("f.py", 7)
    again = {name: each.rematerialised for name, each in found.items() if each.rematerialised}
    assert again == {"%begun": "checkpoint", "%again.remat2": "xla"}
    assert "dimension 0 in 4 parts" in found["%reduced"].operand_sharding


LOOP = """HloModule m, is_scheduled=true, num_partitions=2
sum {{ %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b) }}
cond {{ %c = (s32[], f32[8]{{0}}) parameter(0)
  %ci = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(5)
  ROOT %less = pred[] compare(%ci, %n), direction=LT }}
body {{ %b = (s32[], f32[8]{{0}}) parameter(0)
  %bi = s32[] get-tuple-element(%b), index=0
  %bx = f32[8]{{0}} get-tuple-element(%b), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%bi, %one)
  %kept = f32[8]{{0}} copy(%bx)
  %r = f32[8]{{0}} all-reduce(%kept), channel_id=1, replica_groups={{{{0,1}}}}, use_global_device_ids=true, to_apply=sum
  ROOT %bt = (s32[], f32[8]{{0}}) tuple(%next, %r) }}
copied {{ %q = f32[8]{{0}} parameter(0)
  ROOT %qc = f32[8]{{0}} copy(%q) }}
ENTRY e {{
  %p = f32[8]{{0}} parameter(0)
  %i = s32[] constant(0)
  %x = f32[8]{{0}} fusion(%p), kind=kLoop, calls=copied
  %t = (s32[], f32[8]{{0}}) tuple(%i, %x)
  ROOT %w = (s32[], f32[8]{{0}}) while(%t), condition=cond, body=body{count}
}}
"""


def test_a_loop_multiplies_by_its_length_if_the_text_states_it() -> None:
    known = LOOP.format(count=', backend_config={"known_trip_count":{"n":"5"}}')
    found = _collectives(known)["%r"]
    assert (found.sent_bytes, found.runs, found.total_bytes) == (32, 5, 160)
    unknown = _collectives(LOOP.format(count=""))["%r"]
    assert (unknown.sent_bytes, unknown.runs, unknown.total_bytes) == (32, None, None)


def test_copies_are_counted_with_kernels_of_a_single_copy() -> None:
    for count, size in ((', backend_config={"known_trip_count":{"n":"5"}}', 192), ("", None)):
        program = load_program(LOOP.format(count=count))
        assert program.entry is not None
        assert copies_of(program, program.entry) == Copies(2, size)


def test_custom_calls_without_peers_are_no_collectives() -> None:
    assert (
        _collectives(
            "func.func @main() -> tensor<f32> { %0 = stablehlo.constant dense<1.0> : tensor<f32>\n return %0 : tensor<f32> }"
        )
        == {}
    )
