"""Conversion of HLO to StableHLO: differences of the two, and instructions without a form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import BuilderError, ScatterDimensionNumbers, XlaBuilder, XlaComputation, XlaOp
from hloscope.engine.frontend import load, parse
from hloscope.engine.hlo_to_stablehlo import NotStablehlo, scope, stablehlo_module
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_hlo, print_module
from tests.programs import load_program

from ..builder.running import add, built, results_of, run, run_stablehlo, same


def stablehlo_of(text: str) -> str:
    """HLO text converted to StableHLO text."""
    loaded = load(Source(text))
    assert loaded.module is not None, loaded.diagnostics
    return print_module(stablehlo_module(loaded.module), op_table())


def both(text: str, *inputs: Any) -> list[Any]:
    """The results of HLO text; its StableHLO form must have the same results."""
    loaded, again = load(Source(text)), load(Source(stablehlo_of(text)))
    assert loaded.program is not None, loaded.diagnostics
    assert again.program is not None, again.diagnostics
    found, restated = results_of(loaded.program, inputs), results_of(again.program, inputs)
    for value, other in zip(found, restated, strict=True):
        np.testing.assert_array_equal(value, other, strict=True)
    return found


def test_tuples_are_flattened() -> None:
    """Parameters, results, calls and loops have no tuples."""

    def build(b: XlaBuilder) -> XlaOp:
        t = b.parameter(0, "(f32[2], (s32[], f32[2]))", "t")
        swapped = b.call(lambda s: (s[1], s[0]), t)
        loop = b.while_(lambda s: s[0][0] < 3, lambda s: ((s[0][0] + 1, s[0][1] + s[1]), s[1]), swapped)
        return b.tuple([b.optimization_barrier(loop)[0], b.tuple([])])

    ((count, total), nothing) = run(build, ([1, 2], (0, [10, 20])))
    assert count == 3
    assert nothing == ()
    same(total, [13, 26])
    text = built(build).as_stablehlo_text()
    assert "tuple" not in text
    assert "@main(%t.1_0: tensor<2xf32>, %t.1_1: tensor<i32>, %t.1_2: tensor<2xf32>)" in text


def test_branches_capture_operands() -> None:
    text = built(
        lambda b: b.conditional(
            b.parameter(0, "pred[]"),
            b.constant((1.0, 2.0)),
            lambda t: t[0] + t[1],
            b.constant(5.0),
            lambda x: -x,
        )
    ).as_stablehlo_text()
    assert '"stablehlo.if"(%parameter.1) ({\n' in text
    assert "tuple" not in text


def test_values_with_the_same_name() -> None:
    """Names are local to an HLO computation, but unique in a StableHLO function."""
    text = """
HloModule names
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[] constant(1)
  z = f32[] reduce(x, y), dimensions={0}, to_apply=add
  ROOT w = f32[] reduce(x, z), dimensions={0}, to_apply=add
}
"""
    assert both(text, np.arange(4, dtype=np.float32)) == [13]


def test_names_outside_mlir_syntax() -> None:
    text = """
HloModule names
ENTRY e-1 {
  x-y = f32[] parameter(0)
  ROOT a.b-c = f32[] negate(x-y)
}
"""
    assert both(text, np.float32(2)) == [-2]


def test_fusions_are_calls() -> None:
    text = """
HloModule fused
body { p = f32[2] parameter(0)  a = f32[2] add(p, p)  m = f32[2] multiply(p, p)  ROOT t = (f32[2], f32[2]) tuple(a, m) }
ENTRY main {
  x = f32[2] parameter(0)
  f = (f32[2], f32[2]) fusion(x), kind=kLoop, calls=body
  g = (f32[2], f32[2]) fusion(x), kind=kInput, calls=body
  a = f32[2] get-tuple-element(f), index=0
  m = f32[2] get-tuple-element(g), index=1
  ROOT r = f32[2] subtract(m, a)
}
"""
    same(both(text, np.array([1, 3], np.float32))[0], [-1, 3])
    restated = stablehlo_of(text)
    assert restated.count("func.func") == 2
    assert "call @body(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)" in restated


def test_shardings_are_kept() -> None:
    text = """
HloModule sharded
ENTRY main {
  x = f32[2] parameter(0), sharding={replicated}
  ROOT y = f32[2] negate(x), sharding={devices=[2]0,1}, metadata={op_name="n"}
}
"""
    restated = stablehlo_of(text)
    assert '%x: tensor<2xf32> {mhlo.sharding = "{replicated}"}' in restated
    assert 'stablehlo.negate %x {mhlo.sharding = "{devices=[2]0,1}"}' in restated
    assert "op_name" not in restated


LAYOUTS = [
    ("f32[2,3]{1,0}", "f32[3,2]{1,0}"),
    ("f32[2,3]{0,1}", "f32[3,2]{1,0}"),
    ("f32[2,3]{1,0}", "f32[3,2]{0,1}"),
    ("f32[2,3,4]{0,2,1}", "f32[4,6]{0,1}"),
    ("f32[2,3,4]{1,0,2}", "s32[4,3,2]{2,0,1}"),
    ("f32[2,4]{0,1}", "u16[4,2,2]{2,1,0}"),
    ("u8[4,2]{1,0}", "u16[4]{0}"),
    ("u8[2,4]{0,1}", "u16[4]{0}"),
]


@pytest.mark.parametrize(("given", "made"), LAYOUTS)
def test_bitcasts(given: str, made: str) -> None:
    text = f"HloModule m\nENTRY e {{\n  x = {given} parameter(0)\n  ROOT y = {made} bitcast(x)\n}}\n"
    loaded = load(Source(text))
    assert loaded.module is not None
    entry = loaded.module.entry
    assert entry is not None
    found = entry.arguments[0].type
    values = np.arange(found.element_count).reshape(found.sizes)  # type: ignore[attr-defined]
    both(text, values.astype(found.element_type.dtype))  # type: ignore[attr-defined]


@pytest.mark.parametrize("initial", [0.0, 100.0])
@pytest.mark.parametrize(
    "body",
    [add, lambda x, y: x * y, lambda x, y: x.builder.max(x, y), lambda x, y: x.builder.min(y, x)],
)
def test_padding_of_windows_counts_for_nothing(initial: float, body: Any) -> None:
    def build(b: XlaBuilder) -> XlaOp:
        x = b.constant([[1.0, 2, 3], [4, 5, 6]])
        general = b.reduce_window_with_general_padding
        return general(x, initial, body, [2, 2], [1, 1], [2, 1], None, [(1, 0), (0, 2)])

    run(build)


def test_windows_of_several_operands() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        x, y = b.constant([1.0, 2, 3]), b.constant([4, 5, 6])
        general = b.reduce_window_with_general_padding
        return general(
            [x, y],
            [10.0, 20],
            lambda a, c, p, q: (a + p, c.builder.max(c, q)),
            [2],
            [1],
            None,
            None,
            [(1, 1)],
        )

    first, second = run(build)
    same(first, [11, 13, 15, 13])
    same(second, [20, 20, 20, 20])


def test_windows_of_unknown_bodies() -> None:
    """Computations without a known neutral element need a mask of elements."""

    def build(b: XlaBuilder, high: int) -> XlaOp:
        x, body = b.constant([1.0, 2, 3]), lambda a, e: a + e + a * e
        return b.reduce_window_with_general_padding(x, 5.0, body, [2], [1], None, None, [(0, high)])

    same(run(lambda b: build(b, 0)), [35, 71])
    same(run(lambda b: build(b, -1)), [35])
    same(run(lambda b: build(b, 1)), [35, 71, 23])
    same(run(lambda b: build(b, 2)), [35, 71, 23, 5])


@pytest.mark.parametrize("kind", ["s32", "u8", "s64"])
@pytest.mark.parametrize("at_the_end", [True, False])
def test_windows_that_scatter_drops(kind: str, at_the_end: bool) -> None:
    """A window that is partly outside is dropped as a whole."""
    places = [4, 0, 1] if kind == "u8" else [4, -1, 1]
    numbers = ScatterDimensionNumbers((1,), (), (), (), (0,), 1)

    def build(b: XlaBuilder) -> XlaOp:
        given = places if at_the_end else [[place] for place in places]
        indices = b.constant(given, kind)
        updates = b.constant([[1, 2], [3, 4], [5, 6]])
        return b.scatter(b.constant([0, 0, 0, 0, 0]), indices, updates, add, numbers)

    same(run(build), [3, 9, 6, 0, 0] if kind == "u8" else [0, 5, 6, 0, 0])


def test_windows_of_two_dimensions() -> None:
    numbers = ScatterDimensionNumbers((1, 2), (), (), (), (1, 0), 1)

    def build(b: XlaBuilder) -> XlaOp:
        indices = b.constant([[0, 0], [2, 0], [1, 1], [0, 2]])
        updates = b.constant(np.arange(1, 17).reshape(4, 2, 2), "s32")
        return b.scatter(b.constant(np.zeros((3, 3)), "s32"), indices, updates, add, numbers)

    same(run(build), [[1, 2, 0], [3, 13, 10], [0, 11, 12]])


WITHOUT_FORM: dict[str, Any] = {
    "rng-get-and-update-state": lambda b: b.rng_get_and_update_state(1),
    "stochastic-convert": lambda b: b.stochastic_convert_type(
        b.constant([1.0]), b.constant([1], "u32"), "s8"
    ),
    "parameter": lambda b: b.convert_element_type(b.parameter(0, "s1[2]"), "s8"),
    "convert": lambda b: b.convert_element_type(b.parameter(0, "s8[2]"), "u1"),
    "all-to-all": lambda b: b.all_to_all(b.constant([1.0]), 0, 0, 1),
}


@pytest.mark.parametrize("opcode", WITHOUT_FORM)
def test_instructions_without_a_form(opcode: str) -> None:
    computation = built(WITHOUT_FORM[opcode])
    with pytest.raises(BuilderError, match=f"^{opcode}: "):
        computation.as_stablehlo_text()


def nested(depth: int, wide: bool) -> XlaComputation:
    """Nested conditionals; in a wide program both branches nest."""
    inner: Any = lambda x: -x  # noqa: E731
    for _ in range(depth):
        b = XlaBuilder("level")
        x = b.parameter(0, "f32[1]")
        b.conditional(b.constant(True), x, inner, x, inner if wide else lambda y: y)
        inner = b.build()
    return inner  # type: ignore[no-any-return]


def test_depth_is_limited() -> None:
    assert run_stablehlo(nested(20, wide=False), [2.0])[0].tolist() == [-2]
    with pytest.raises(BuilderError, match="nested more than 100 deep"):
        nested(102, wide=False).as_stablehlo_text()


def test_size_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computation is copied for each use, up to a maximum."""
    monkeypatch.setattr(scope, "_MAX_OPERATIONS", 1000)
    with pytest.raises(BuilderError, match="has more than 1,000 operations"):
        nested(40, wide=True).as_stablehlo_text()


ORDERED = """HloModule m, {sizes}
add {{ x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT z = s32[] add(x, y) }}
ENTRY main {{
  p = s32[4] parameter(0)
  g = s32[{whole}] all-gather(p), {groups}, dimensions={{0}}
  s = (s32[4], s32[{whole}]) all-gather-start(p), {groups}, dimensions={{0}}
  d = s32[{whole}] all-gather-done(s)
  o = s32[{part}] reduce-scatter(p), {groups}, dimensions={{0}}, to_apply=add
  t = (s32[{part}], s32[{part}]) reduce-scatter(p, p), {groups}, dimensions={{0}}, to_apply=add
  a = s32[4] all-reduce(p), {groups}, to_apply=add
  b = s32[4] all-reduce-start(p), {groups}, to_apply=add
  c = s32[4] all-reduce-done(b)
  ROOT r = (s32[{whole}], s32[{whole}], s32[{part}], (s32[{part}], s32[{part}]), s32[4], s32[4]) tuple(g, d, o, t, a, c)
}}
"""


@pytest.mark.parametrize("groups", ["{{1,0}}", "{{1},{0}}", "{}", "[1,2]<=[2]"])
def test_groups_of_partitions_of_replicas_keep_their_order(groups: str) -> None:
    """StableHLO orders groups partition by partition, so groups become groups of devices."""
    members = 2 if groups == "{{1},{0}}" else 4
    text = ORDERED.format(
        sizes="replica_count=2, num_partitions=2",
        groups=f"channel_id=1, replica_groups={groups}",
        whole=4 * members,
        part=4 // members,
    )
    restated = stablehlo_of(text)
    assert restated.count("use_global_device_ids") == 7
    assert "replicas_first" not in restated
    launch = Launch(Grid(2, 2), tuple((np.arange(4, dtype=np.int32) * 10**k,) for k in range(4)))
    mine, other = (
        [[leaf.tolist() for value in process for leaf in leaves(value)] for process in found]
        for found in (results_on_grid(loaded(found), launch) for found in (text, restated))
    )
    assert mine == other


def loaded(text: str) -> BoundProgram:
    """The program of a text, which must be for the grid of 2 x 2 processes."""
    program = load_program(text)
    assert program.entry is not None
    assert needed_grid(program, program.entry) == Grid(2, 2)
    return program


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ("replica_count=4", "channel_id=1, replica_groups={{0,1,2,3}}"),
        ("num_partitions=4", "channel_id=1, replica_groups={{0}}"),
        ("replica_count=4, num_partitions=4", "replica_groups={{0,1,2,3}}"),
        ("is_scheduled=true", "channel_id=1, replica_groups={{0,1,2,3}}"),
    ],
)
def test_groups_with_the_same_order_stay(sizes: str, groups: str) -> None:
    restated = stablehlo_of(ORDERED.format(sizes=sizes, groups=groups, whole=16, part=1))
    assert "use_global_device_ids" not in restated
    assert "replicas_first" not in restated


def test_groups_of_too_many_devices() -> None:
    text = ORDERED.format(
        sizes="replica_count=2, num_partitions=99999", groups="channel_id=1", whole=16, part=1
    )
    with pytest.raises(NotStablehlo, match="at most 65,536 in all; 2 replicas x 99999 partitions have more"):
        stablehlo_of(text)


def test_builder_orders_groups_as_hlo_text() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        x = b.parameter(0, "f32[4]")
        gathered = b.all_gather(x, 0, 4, [[0, 1]], channel_id=1)
        begun = b.all_gather_done(b.all_gather_start(x, 0, 4, [[0, 1]], channel_id=1))
        return b.tuple(
            [gathered, begun, b.reduce_scatter(x, lambda p, q: p + q, 0, 4, [[0, 1]], channel_id=1)]
        )

    computation = built(build)
    read = load_program(computation.as_hlo_text())
    launch = Launch(Grid(2, 2), tuple((np.arange(4, dtype=np.float32) + 10 * k,) for k in range(4)))
    for program in (computation.program, read):
        ((gathered, begun, part), *_) = (leaves(value) for (value,) in results_on_grid(program, launch))
        assert gathered[::4].tolist() == begun[::4].tolist() == [0, 10, 20, 30]
        assert part.tolist() == [60]


def test_notes_of_the_compiler_become_text_of_mhlo() -> None:
    """`original_value`, `statistics`, aliases and donors are kept, and printed back as HLO."""
    text = """HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, buffer_donor={ (0, {}) }

ENTRY %e (x: f32[4]{0}) -> f32[4]{0} {
  %x = f32[4]{0} parameter(0), original_value={{"x"}}
  %a = f32[4]{0} add(%x, %x), original_value={{"add"}}, statistics={visualizing_index=0,stat-0=33.5}
  %t = (f32[4]{0}, f32[4]{0}) tuple(%x, %a), origin={({"x"}, {}),["call.1"]}
  ROOT %r = f32[4]{0} get-tuple-element(%t), index=1
}
"""
    module = parse(Source(text))
    assert print_hlo(module) == text
    printed = print_module(stablehlo_module(module), op_table())
    for name, value in (
        ("input_output_alias", "{ {}: (0, {}, may-alias) }"),
        ("buffer_donor", "{ (0, {}) }"),
        ("original_value", r"{{\22x\22}}"),
        ("original_value", r"{{\22add\22}}"),
        ("statistics", "{visualizing_index=0,stat-0=33.5}"),
    ):
        assert f'mhlo.{name} = "{value}"' in printed
