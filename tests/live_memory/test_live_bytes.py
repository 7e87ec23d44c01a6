"""Live bytes of programs small enough to count by hand."""

from __future__ import annotations

import pytest

from hloscope.engine.live_memory.profile import LiveBuffer, Memory, memory_of
from tests.programs import load_program


def _memory(text: str) -> Memory:
    program = load_program(text)
    assert program.entry is not None
    return memory_of(program, program.entry)


def _hlo(body: str, header: str = ", is_scheduled=true", before: str = "") -> Memory:
    return _memory(f"HloModule m{header}\n{before}\nENTRY e {{\n{body}\n}}")


def _bytes(memory: Memory) -> dict[str, int]:
    """The live bytes at each op with a result, by its name."""
    ops = (memory.program.ops[op] for op in memory.schedule)
    return {bound.operation.results[0].name: memory.bytes_at[bound.id] for bound in ops if bound.results}


def _at(memory: Memory, name: str) -> dict[str, LiveBuffer]:
    made = (bound for bound in memory.program.ops if bound.operation.results)
    op = next(bound.id for bound in made if bound.operation.results[0].name == name)
    return {each.name: each for each in memory.live_at(op)}


def test_a_value_is_live_from_its_op_to_its_last_reader() -> None:
    memory = _hlo("""
      %p = f32[10]{0} parameter(0)
      %a = f32[10]{0} sine(%p)
      %b = f32[20]{0} concatenate(%a, %p), dimensions={0}
      %c = f32[20]{0} negate(%b)
      ROOT %d = f32[20]{0} add(%c, %c)""")
    assert _bytes(memory) == {"%a": 80, "%b": 160, "%c": 200, "%d": 200}
    assert (memory.peak_bytes, memory.is_scheduled) == (200, True)
    assert [(each.name, each.bytes, each.kind) for each in memory.live_at(memory.peak)] == [
        ("%b", 80, "temporary"),
        ("%c", 80, "temporary"),
        ("%p", 40, "argument"),
    ]


def test_tuples_and_bitcasts_take_no_memory_and_copies_do() -> None:
    memory = _hlo("""
      %p = f32[4,5]{1,0} parameter(0)
      %flat = f32[20]{0} bitcast(%p)
      %t = (f32[4,5]{1,0}, f32[20]{0}) tuple(%p, %flat)
      %again = f32[20]{0} get-tuple-element(%t), index=1
      %copied = f32[20]{0} copy(%again)
      ROOT %r = f32[20]{0} negate(%copied)""")
    assert _bytes(memory) == {"%flat": 80, "%t": 80, "%again": 80, "%copied": 160, "%r": 240}


def test_an_update_overwrites_an_operand_that_nothing_reads_later() -> None:
    body = """
      %p = f32[10]{0} parameter(0)
      %i = s32[] parameter(1)
      %x = f32[100]{0} broadcast(%i2), dimensions={}
      %u = f32[100]{0} dynamic-update-slice(%x, %p, %i)
      ROOT %r = f32[100]{0} add(%u, %last)"""
    body = body.replace("%i2", "%zero").replace("%x =", "%zero = f32[] constant(0)\n %x =")
    assert _bytes(_hlo(body.replace("%last", "%u")))["%u"] == 40 + 4 + 400
    assert _bytes(_hlo(body.replace("%last", "%x")))["%u"] == 40 + 4 + 400 + 400


def test_a_fused_update_overwrites_its_operand() -> None:
    before = """f {
      %q = f32[100]{0} parameter(0)
      %s = f32[10]{0} parameter(1)
      %i = s32[] constant(0)
      %twice = f32[10]{0} add(%s, %s)
      ROOT %w = f32[100]{0} dynamic-update-slice(%q, %twice, %i)
    }"""
    memory = _hlo(
        """
      %p = f32[10]{0} parameter(0)
      %z = f32[] constant(0)
      %x = f32[100]{0} broadcast(%z), dimensions={}
      ROOT %u = f32[100]{0} fusion(%x, %p), kind=kLoop, calls=f""",
        before=before,
    )
    assert _bytes(memory)["%u"] == 440
    inner = next(op for op in memory.program.ops if op.operation.name == "stablehlo.add")
    assert memory.bytes_at[inner.id] == 440, "values of a kernel never reach memory"
    assert inner.id not in memory.schedule
    assert memory.constant_bytes == 4, "and neither do its constants"


LOOP = """
cond {
  %c = (s32[], f32[100]{0}) parameter(0)
  %ci = s32[] get-tuple-element(%c), index=0
  %n = s32[] constant(5)
  ROOT %less = pred[] compare(%ci, %n), direction=LT
}
body {
  %b = (s32[], f32[100]{0}) parameter(0)
  %bi = s32[] get-tuple-element(%b), index=0
  %bx = f32[100]{0} get-tuple-element(%b), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%bi, %one)
  %s = f32[100]{0} sine(%bx)
  %y = f32[100]{0} add(%s, %s)
  ROOT %bt = (s32[], f32[100]{0}) tuple(%next, %y)
}
"""
ENTRY = """
  %p = f32[100]{0} parameter(0)
  %zero = s32[] constant(0)
  %i0 = s32[] copy(%zero)
  %x0 = f32[100]{0} copy(%p)
  %t = (s32[], f32[100]{0}) tuple(%i0, %x0)
  %w = (s32[], f32[100]{0}) while(%t), condition=cond, body=body
  %r = f32[100]{0} get-tuple-element(%w), index=1
  ROOT %q = f32[100]{0} negate(%r)"""


def test_a_loop_keeps_its_values_in_place_with_the_peak_of_its_body_on_top() -> None:
    memory = _hlo(ENTRY, before=LOOP)
    found = _bytes(memory)
    assert found["%w"] == 400 + 4 + 400
    assert found["%s"] == 804 + 400
    assert found["%y"] == 804 + 400, "%y overwrites the loop's value, which nothing reads after %s"
    assert found["%less"] == 805
    assert found["%q"] == 1200
    live = _at(memory, "%s")
    assert {name: each.kind for name, each in live.items()} == {
        "%p": "argument", "%i0": "temporary", "%x0": "temporary", "%s": "temporary",
    }  # fmt: skip
    assert live["%x0"].values == 4
    order = [memory.program.ops[op].operation for op in memory.schedule]
    names = [each.results[0].name for each in order if each.results]
    assert names.index("%w") < names.index("%less") < names.index("%s") < names.index("%r")


def test_a_branch_counts_its_own_values_and_its_result_once() -> None:
    before = """
small { %a = f32[10]{0} parameter(0)  ROOT %an = f32[10]{0} negate(%a) }
large {
  %l = f32[10]{0} parameter(0)
  %wide = f32[1000]{0} broadcast(%lz), dimensions={}
  ROOT %ls = f32[10]{0} slice(%wide), slice={[0:10]}
}""".replace("%wide =", "%lz = f32[] constant(1)\n  %wide =")
    memory = _hlo(
        """
      %k = pred[] parameter(0)
      %p = f32[10]{0} parameter(1)
      ROOT %c = f32[10]{0} conditional(%k, %p, %p), true_computation=small, false_computation=large""",
        before=before,
    )
    found = _bytes(memory)
    assert found == {"%c": 81, "%an": 81, "%lz": 41, "%wide": 4041, "%ls": 4081}


def test_donated_arguments_are_live_to_their_last_reader_and_hold_the_result() -> None:
    body = """
      %p = f32[100]{0} parameter(0)
      %q = f32[100]{0} parameter(1)
      %a = f32[100]{0} sine(%p)
      %b = f32[100]{0} cosine(%a)
      ROOT %r = f32[100]{0} add(%b, %q)"""
    kept = _hlo(body)
    assert kept.peak_bytes == 1600
    aliased = _hlo(body, ", is_scheduled=true, input_output_alias={ {}: (1, {}, may-alias) }")
    assert _bytes(aliased) == {"%a": 1200, "%b": 1600, "%r": 1200}
    assert (aliased.donated_bytes, _at(aliased, "%r")["%q"].kind) == (400, "argument")
    donor = _hlo(body, ", is_scheduled=true, buffer_donor={ (0, {}) }")
    assert _bytes(donor) == {"%a": 1200, "%b": 1200, "%r": 1200}
    assert _at(donor, "%a")["%p"].is_donated


def test_arguments_of_stablehlo_are_donated_by_their_attributes() -> None:
    memory = _memory("""func.func @main(%a: tensor<100xf32> {jax.buffer_donor = true}, %b: tensor<100xf32> {tf.aliasing_output = 0 : i32}) -> tensor<100xf32> {
      %0 = stablehlo.sine %a : tensor<100xf32>
      %1 = stablehlo.cosine %0 : tensor<100xf32>
      %2 = stablehlo.add %1, %b : tensor<100xf32>
      return %2 : tensor<100xf32>
    }""")
    assert not memory.is_scheduled
    assert list(_bytes(memory).values()) == [1200, 1200, 800]


def test_a_loop_of_stablehlo_copies_a_value_that_is_read_later() -> None:
    text = """func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %i = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.sine %x : tensor<100xf32>
      %1:2 = stablehlo.while(%k = %i, %v = %0) : tensor<i32>, tensor<100xf32>
      cond {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %k1 = stablehlo.add %k, %one : tensor<i32>
        %v1 = stablehlo.sine %v : tensor<100xf32>
        stablehlo.return %k1, %v1 : tensor<i32>, tensor<100xf32>
      }
      %2 = stablehlo.add %1#1, LATER : tensor<100xf32>
      return %2 : tensor<100xf32>
    }"""
    in_place = _bytes(_memory(text.replace("LATER", "%1#1")))
    assert in_place["%1#0"] == 400 + 4 + 400
    assert in_place["%v1"] == 804 + 4 + 400, "%k1, and %v1, which cannot overwrite the value that it reads"
    assert _bytes(_memory(text.replace("LATER", "%0")))["%1#0"] == in_place["%1#0"] + 400


def test_a_function_that_is_called_twice_stands_on_the_larger_base() -> None:
    memory = _memory("""
    func.func @main(%x: tensor<10xf32>) -> tensor<10xf32> {
      %0 = func.call @f(%x) : (tensor<10xf32>) -> tensor<10xf32>
      %1 = func.call @f(%0) : (tensor<10xf32>) -> tensor<10xf32>
      %2 = stablehlo.add %1, %0 : tensor<10xf32>
      return %2 : tensor<10xf32>
    }
    func.func private @f(%a: tensor<10xf32>) -> tensor<10xf32> {
      %s = stablehlo.sine %a : tensor<10xf32>
      %t = stablehlo.cosine %s : tensor<10xf32>
      return %t : tensor<10xf32>
    }""")
    found = _bytes(memory)
    assert found == {"%0": 80, "%1": 120, "%2": 160, "%s": 120, "%t": 160}
    assert sum(each.bytes for each in _at(memory, "%t").values()) == 160


@pytest.mark.parametrize(
    ("type_text", "size"),
    [
        ("f32[3,5]{1,0}", 60),
        ("s4[10]{0}", 10),
        ("s4[10]{0:E(4)}", 5),
        ("f32[3,5]{1,0:T(8,128)}", 8 * 128 * 4),
        ("bf16[9,5]{0,1:T(8,128)(2,1)}", 8 * 128 * 2),
        ("c64[7]{0}", 56),
        ("pred[7]{0}", 7),
    ],
)
def test_bytes_follow_from_the_layout(type_text: str, size: int) -> None:
    memory = _hlo(f"ROOT %p = {type_text} parameter(0)")
    assert memory.peak_bytes == size


def test_other_memory_spaces_and_unknown_sizes_are_left_out_and_counted() -> None:
    memory = _hlo("""
      %p = f32[10]{0} parameter(0)
      %far = f32[10]{0:S(5)} copy(%p)
      ROOT %back = f32[10]{0} copy(%far)""")
    assert (memory.other_spaces, _bytes(memory)) == ({5: 40}, {"%far": 40, "%back": 80})
    text = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { %0 = stablehlo.sine %x : tensor<?xf32>\n return %0 : tensor<?xf32> }"
    assert (_memory(text).open_sizes, _memory(text).peak_bytes) == (2, 0)


def test_depth_costs_no_frames() -> None:
    calls = "".join(
        f"func.func private @f{n}(%a: tensor<f32>) -> tensor<f32> {{ %0 = func.call @f{n + 1}(%a) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32> }}\n"
        for n in range(1500)
    )
    last = "func.func private @f1500(%a: tensor<f32>) -> tensor<f32> { %0 = stablehlo.sine %a : tensor<f32>\n return %0 : tensor<f32> }"
    main = "func.func @main(%a: tensor<f32>) -> tensor<f32> { %0 = func.call @f0(%a) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32> }"
    assert _memory(main + calls + last).peak_bytes == 8
