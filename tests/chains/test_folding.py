"""Runtime variables that the program determines: how they are printed, and that runs agree."""

from collections.abc import Iterator

import numpy as np

from hloscope.engine.chains import Chains, leaf_name, map_sources, maps_of_function, operation_maps
from hloscope.engine.indexing import IndexMap, print_map
from hloscope.engine.program import BoundProgram
from tests.each import for_each
from tests.programs import load_program

from .relations import Run, matrix

SLICED = """func.func @main(%x: tensor<9xi32>, %p: tensor<i8>, %q: tensor<i32>) -> tensor<3xi32> {{
{lines}
  %s = stablehlo.dynamic_slice %x, %o, sizes = [3] : (tensor<9xi32>, tensor<i32>) -> tensor<3xi32>
  return %s : tensor<3xi32>
}}
"""
WIDE = "%w = stablehlo.convert %p : (tensor<i8>) -> tensor<i32>"
CASES = {
    "a constant": ("%o = stablehlo.constant dense<4> : tensor<i32>", "d0 + 4"),
    "a constant beyond the end": ("%o = stablehlo.constant dense<8> : tensor<i32>", "d0 + 6"),
    "a constant before the beginning": ("%o = stablehlo.constant dense<-3> : tensor<i32>", "d0"),
    "a converted argument": (
        "%o = stablehlo.convert %p : (tensor<i8>) -> tensor<i32>",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
    "twice and more": (
        f"""{WIDE}
        %two = stablehlo.constant dense<2> : tensor<i32>
        %m = stablehlo.multiply %w, %two : tensor<i32>
        %o = stablehlo.subtract %m, %two : tensor<i32>""",
        "rt0 * 2 + d0 - 2 for rt0 in [1, 4]",
    ),
    "negated": (f"{WIDE}\n %o = stablehlo.negate %w : tensor<i32>", "-rt0 + d0 for rt0 in [-6, 0]"),
    "clamped": (
        f"""{WIDE}
        %two = stablehlo.constant dense<2> : tensor<i32>
        %five = stablehlo.constant dense<5> : tensor<i32>
        %o = stablehlo.clamp %two, %w, %five : tensor<i32>""",
        "d0 + rt0 for rt0 in [2, 5]",
    ),
    "clamped, in a tensor of one element": (
        f"""{WIDE}
        %v = stablehlo.reshape %w : (tensor<i32>) -> tensor<1x1xi32>
        %two = stablehlo.constant dense<2> : tensor<1x1xi32>
        %nine = stablehlo.constant dense<9> : tensor<1x1xi32>
        %m = stablehlo.maximum %two, %v : tensor<1x1xi32>
        %n = stablehlo.minimum %m, %nine : tensor<1x1xi32>
        %o = stablehlo.reshape %n : (tensor<1x1xi32>) -> tensor<i32>""",
        "d0 + rt0 for rt0 in [2, 6]",
    ),
    "broadcast, and one of many": (
        """%b = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %e = stablehlo.slice %b [1:2] : (tensor<3xi32>) -> tensor<1xi32>
        %o = stablehlo.reshape %e : (tensor<1xi32>) -> tensor<i32>""",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
    "one of a tuple": (
        """%both = stablehlo.tuple %p, %q : tuple<tensor<i8>, tensor<i32>>
        %o = stablehlo.get_tuple_element %both[1] : (tuple<tensor<i8>, tensor<i32>>) -> tensor<i32>""",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
    "between what only a run knows": (
        f"""{WIDE}
        %o = stablehlo.clamp %w, %q, %w : tensor<i32>""",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
    "twice, up to an end that it reaches": (
        f"""{WIDE}
        %two = stablehlo.constant dense<2> : tensor<i32>
        %o = stablehlo.multiply %w, %two : tensor<i32>""",
        "rt0 * 2 + d0 for rt0 in [0, 3]",
    ),
    "steps that the end cuts": (
        f"""{WIDE}
        %four = stablehlo.constant dense<4> : tensor<i32>
        %o = stablehlo.multiply %w, %four : tensor<i32>""",
        "min(max(rt0 * 4, 0), 6) + d0 for rt0 in [-128, 127]",
    ),
    "below a number, and of that the part above another one": (
        """%five = stablehlo.constant dense<5> : tensor<i32>
        %two = stablehlo.constant dense<2> : tensor<i32>
        %a = stablehlo.minimum %five, %q : tensor<i32>
        %b = stablehlo.maximum %a, %two : tensor<i32>
        %o = stablehlo.subtract %b, %two : tensor<i32>""",
        "d0 + rt0 - 2 for rt0 in [2, 5]",
    ),
    "divided": (
        f"""{WIDE}
        %three = stablehlo.constant dense<3> : tensor<i32>
        %o = stablehlo.divide %w, %three : tensor<i32>""",
        "",
    ),
    "the rest": (
        f"""{WIDE}
        %three = stablehlo.constant dense<3> : tensor<i32>
        %o = stablehlo.remainder %w, %three : tensor<i32>""",
        "",
    ),
    "integers that wrap around": (
        """%most = stablehlo.constant dense<2147483647> : tensor<i32>
        %o = stablehlo.add %q, %most : tensor<i32>""",
        "",
    ),
    "an element of a constant, moved": (
        """%c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
        %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
        %v = stablehlo.reverse %t, dims = [0] : tensor<3x2xi32>
        %e = stablehlo.slice %v [2:3, 1:2] : (tensor<3x2xi32>) -> tensor<1x1xi32>
        %o = stablehlo.reshape %e : (tensor<1x1xi32>) -> tensor<i32>""",
        "d0 + 4",
    ),
    "an element of an iota": (
        """%c = stablehlo.iota dim = 1 : tensor<2x6xi32>
        %e = stablehlo.slice %c [1:2, 5:6] : (tensor<2x6xi32>) -> tensor<1x1xi32>
        %o = stablehlo.reshape %e : (tensor<1x1xi32>) -> tensor<i32>""",
        "d0 + 5",
    ),
    "one side of a choice": (
        f"""{WIDE}
        %low = stablehlo.constant dense<-128> : tensor<i32>
        %is = stablehlo.compare LT, %w, %low : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %four = stablehlo.constant dense<4> : tensor<i32>
        %o = stablehlo.select %is, %q, %four : tensor<i1>, tensor<i32>""",
        "d0 + 4",
    ),
    "a choice that a run makes": (
        f"""{WIDE}
        %four = stablehlo.constant dense<4> : tensor<i32>
        %is = stablehlo.compare LT, %w, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %o = stablehlo.select %is, %q, %four : tensor<i1>, tensor<i32>""",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
    "the sum of two arguments": (
        f"{WIDE}\n %o = stablehlo.add %w, %q : tensor<i32>",
        "d0 + rt0 for rt0 in [0, 6]",
    ),
}


def first_map(program: BoundProgram, chains: Chains | None) -> tuple[int, IndexMap]:
    """The position of the slice, and its operand map."""
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.dynamic_slice")
    (item,) = (m for m in operation_maps(program, number, chains=chains) if m.operand == 0)
    return number, item.map


@for_each("name", CASES)
def test_offsets_are_written_out_as_the_run_computes_them(name: str) -> None:
    lines, wanted = CASES[name]
    program = load_program(SLICED.format(lines=lines))
    chains = Chains(program, folds=True)
    number, folded = first_map(program, chains)
    if wanted:
        formula, _, bounds = wanted.partition(" for ")
        text = print_map(folded).partition("\n")[0]
        symbols = "{rt0}" if bounds else ""
        assert text == ", ".join(
            (f"(d0){symbols} -> ({formula})", "domain: d0 in [0, 2]", *filter(None, [bounds]))
        )
    _, plain = first_map(program, None)
    for p, q in values():
        run = Run(program)
        entry = program.entry
        assert entry is not None
        block = program.blocks[entry.block]
        given = (np.arange(9, dtype=np.int32), np.array(p, np.int8), np.array(q, np.int32))
        run.block(block, given)
        bound = program.ops[number]
        operands = [run.values[(), value] for value in bound.operands]
        sources = map_sources(program, number, chains=chains)
        read = [None if each.leaf is None else run.values[(), each.leaf.value] for each in sources]
        assert np.array_equal(matrix(folded, (3,), (9,), read), matrix(plain, (3,), (9,), operands))


def values() -> Iterator[tuple[int, int]]:
    for p in (-128, -7, -1, 0, 2, 5, 127):
        for q in (-(2**31), -1, 0, 1, 3, 2**31 - 1):
            yield p, q


def test_indices_of_a_gather_are_clamped_iotas_and_progressions() -> None:
    program = load_program("""func.func @main(%x: tensor<5x2xi32>) -> tensor<8x2xi32> {
      %i = stablehlo.iota dim = 0 : tensor<8xi32>
      %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
        : (tensor<5x2xi32>, tensor<8xi32>) -> tensor<8x2xi32>
      %c = stablehlo.constant dense<[4, 2, 0, -2, -4, -6, -8, -10]> : tensor<8xi32>
      %h = "stablehlo.gather"(%x, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
        : (tensor<5x2xi32>, tensor<8xi32>) -> tensor<8x2xi32>
      return %g : tensor<8x2xi32>
    }""")
    chains = Chains(program, folds=True)
    texts = [print_map(operation_maps(program, number, chains=chains)[0].map) for number in (1, 3)]
    # The document of 2024 would read row 7 of 5.
    assert texts[0] == "(d0, d1) -> (min(d0, 4), d1), domain: d0 in [0, 7], d1 in [0, 1]"
    assert texts[1] == "(d0, d1) -> (max(d0 * -2 + 4, 0), d1), domain: d0 in [0, 7], d1 in [0, 1]"


def test_nothing_is_written_out_unless_it_is_asked_for() -> None:
    program = load_program(SLICED.format(lines=CASES["a constant"][0]))
    _, plain = first_map(program, None)
    assert len(plain.runtimes) == 1


FUSED = """HloModule fused
%taken (x: s32[100], p: s32[1], q: s32[]) -> (s32[10], s32[10]) {
  %x = s32[100]{0} parameter(0)
  %p = s32[1]{0} parameter(1)
  %q = s32[] parameter(2)
  %b = s32[] bitcast(%p)
  %least = s32[] constant(0)
  %most = s32[] constant(95)
  %c = s32[] clamp(%least, %b, %most)
  %v = s32[1,1]{1,0} reshape(%c)
  %o = s32[] bitcast(%v)
  %s = s32[10]{0} dynamic-slice(%x, %o), dynamic_slice_sizes={10}
  %u = s32[10]{0} dynamic-slice(%x, %q), dynamic_slice_sizes={10}
  ROOT %t = (s32[10], s32[10]) tuple(%s, %u)
}
%starts (p: s16[]) -> (s32[1], s32[]) {
  %p = s16[] parameter(0)
  %w = s32[] convert(%p)
  %least = s32[] constant(3)
  %most = s32[] constant(85)
  %c = s32[] clamp(%least, %w, %most)
  %v = s32[1]{0} bitcast(%c)
  %seven = s32[] constant(7)
  ROOT %t = (s32[1], s32[]) tuple(%v, %seven)
}
ENTRY %main (x: s32[100], p: s16[], q: s32[1]) -> (s32[10], s32[10], s32[10]) {
  %x = s32[100]{0} parameter(0)
  %p = s16[] parameter(1)
  %q = s32[1]{0} parameter(2)
  %f = (s32[1], s32[]) fusion(%p), kind=kLoop, calls=%starts
  %start = s32[1]{0} get-tuple-element(%f), index=0
  %seven = s32[] get-tuple-element(%f), index=1
  %a = (s32[10], s32[10]) fusion(%x, %start, %seven), kind=kLoop, calls=%taken
  %b = (s32[10], s32[10]) fusion(%x, %q, %seven), kind=kLoop, calls=%taken
  %a0 = s32[10]{0} get-tuple-element(%a), index=0
  %b0 = s32[10]{0} get-tuple-element(%b), index=0
  %a1 = s32[10]{0} get-tuple-element(%a), index=1
  ROOT %t = (s32[10], s32[10], s32[10]) tuple(%a0, %b0, %a1)
}
"""


def test_a_clamp_in_one_fusion_or_another_bounds_what_is_read() -> None:
    program = load_program(FUSED)
    chains = Chains(program, folds=True)
    found = [
        item for item in maps_of_function(program, "main", chains=chains) if item.map.results
        and leaf_name(program, item.end) == "%x"
    ]  # fmt: skip
    texts = [print_map(item.map, describe=chains.sources.name).replace("\n", "") for item in found]
    whole = "domain: d0 in [0, 9]"
    read = "runtime variables:rt0: "
    assert texts == [
        f"(d0){{rt0}} -> (d0 + rt0), {whole}, rt0 in [3, 85]{read}%p; (d0) -> (), {whole}",
        f"(d0){{rt0}} -> (d0 + rt0), {whole}, rt0 in [0, 90]{read}%q; (d0) -> (0), {whole}",
        f"(d0) -> (d0 + 7), {whole}",
    ]
