"""Runtime variables that the program determines: as they are written out, and that they are what a run has."""

from collections.abc import Iterator

import numpy as np
import pytest

from hloscope.engine.chains import Chains, map_sources, operation_maps
from hloscope.engine.indexing import IndexMap, print_map
from hloscope.engine.program import BoundProgram

from .relations import Run, loaded, matrix

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
        "min(max(rt0, 0), 6) + d0",
    ),
    "twice and more": (
        f"""{WIDE}
        %two = stablehlo.constant dense<2> : tensor<i32>
        %m = stablehlo.multiply %w, %two : tensor<i32>
        %o = stablehlo.subtract %m, %two : tensor<i32>""",
        "min(max(rt0 * 2 - 2, 0), 6) + d0",
    ),
    "negated": (f"{WIDE}\n %o = stablehlo.negate %w : tensor<i32>", "min(max(-rt0, 0), 6) + d0"),
    "clamped": (
        f"""{WIDE}
        %two = stablehlo.constant dense<2> : tensor<i32>
        %five = stablehlo.constant dense<5> : tensor<i32>
        %o = stablehlo.clamp %two, %w, %five : tensor<i32>""",
        "min(max(rt0, 2), 5) + d0",
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
        "d0 + rt0",
    ),
    "the sum of two arguments": (f"{WIDE}\n %o = stablehlo.add %w, %q : tensor<i32>", "d0 + rt0"),
}


def first_map(program: BoundProgram, chains: Chains | None) -> tuple[int, IndexMap]:
    """The slice's op, and its map to what it slices."""
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.dynamic_slice")
    (item,) = (m for m in operation_maps(program, number, chains=chains) if m.operand == 0)
    return number, item.map


@pytest.mark.parametrize("name", CASES)
def test_offsets_are_written_out_as_the_run_computes_them(name: str) -> None:
    lines, wanted = CASES[name]
    program = loaded(SLICED.format(lines=lines))
    chains = Chains(program, folds=True)
    number, folded = first_map(program, chains)
    if wanted:
        assert print_map(folded).startswith(f"(d0){'{rt0}' if 'rt0' in wanted else ''} -> ({wanted}), ")
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
    program = loaded("""func.func @main(%x: tensor<5x2xi32>) -> tensor<8x2xi32> {
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
    program = loaded(SLICED.format(lines=CASES["a constant"][0]))
    _, plain = first_map(program, None)
    assert len(plain.runtimes) == 1
