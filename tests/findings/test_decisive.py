"""Integer arithmetic that goes on to an index, a bound, a shape or a predicate; and to bits, which may wrap around."""

from __future__ import annotations

import pytest

from hloscope.engine.findings import checked_ops
from hloscope.engine.findings.decisive import decisive_ops
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

HEAD = "func.func @main(%x: tensor<9xf32>, %i: tensor<i32>, %u: tensor<ui32>, %p: tensor<i1>) -> tensor<1xf32> {\n"
TAKE = "%taken = stablehlo.dynamic_slice %x, {}, sizes = [1] : (tensor<9xf32>, tensor<{}>) -> tensor<1xf32>"


def decisive_names(program: BoundProgram) -> set[str]:
    """The names of the values that decisive ops make."""
    return {program.values[program.ops[op].results[0]].name for op in decisive_ops(program)}


@pytest.mark.parametrize(
    ("lines", "index", "found"),
    [
        ("%a = stablehlo.add %i, %i : tensor<i32>", "%a i32", {"%a"}),
        ("%a = stablehlo.add %i, %i : tensor<i32>", "%i i32", set()),
        (
            "%a = stablehlo.multiply %i, %i : tensor<i32>\n%b = stablehlo.negate %a : tensor<i32>",
            "%b i32",
            {"%a", "%b"},
        ),
        (
            "%a = stablehlo.multiply %u, %u : tensor<ui32>\n%b = stablehlo.xor %a, %u : tensor<ui32>",
            "%b ui32",
            set(),
        ),
        (
            "%a = stablehlo.add %u, %u : tensor<ui32>\n%b = stablehlo.remainder %a, %u : tensor<ui32>",
            "%b ui32",
            set(),
        ),
        (
            "%a = stablehlo.add %i, %i : tensor<i32>\n%b = stablehlo.remainder %a, %i : tensor<i32>",
            "%b i32",
            {"%a"},
        ),
        (
            "%a = stablehlo.add %i, %i : tensor<i32>\n"
            "%b = stablehlo.compare LT, %a, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "%c = stablehlo.and %b, %p : tensor<i1>\n"
            "%d = stablehlo.select %c, %i, %i : tensor<i1>, tensor<i32>",
            "%i i32",
            {"%a"},
        ),
        (
            "%a = stablehlo.add %i, %i : tensor<i32>\n%b = func.call @twice(%a) : (tensor<i32>) -> tensor<i32>",
            "%b i32",
            {"%a", "%doubled"},
        ),
        (
            '%a = stablehlo.add %i, %i : tensor<i32>\n%b = "stablehlo.if"(%p) ({\n'
            "%s = stablehlo.subtract %a, %i : tensor<i32>\nstablehlo.return %s : tensor<i32>\n}, {\n"
            "stablehlo.return %i : tensor<i32>\n}) : (tensor<i1>) -> tensor<i32>",
            "%b i32",
            {"%a", "%s"},
        ),
    ],
)
def test_arithmetic_is_decisive_if_it_goes_on_to_an_index(lines: str, index: str, found: set[str]) -> None:
    taken = TAKE.format(*index.split())
    twice = (
        "func.func private @twice(%n: tensor<i32>) -> tensor<i32> {\n"
        "%doubled = stablehlo.add %n, %n : tensor<i32>\nreturn %doubled : tensor<i32>\n}"
    )
    program = load_program(f"{HEAD}{lines}\n{taken}\nreturn %taken : tensor<1xf32>\n}}\n{twice}")
    assert decisive_names(program) == found
    # The slice itself says when it moves a window inside, and is not checked.
    assert len(checked_ops(program)) == len(found)


@pytest.mark.parametrize(
    ("constant", "found"),
    [
        ("1103515245", set()),
        ("-1640531527", set()),
        ("200", {"%b", "%c"}),
        ("1000000007", {"%b", "%c"}),  # twice is within i32
    ],
)
@pytest.mark.parametrize("spread", [False, True])
def test_a_product_with_the_constant_of_a_hash_is_not_asked_nor_what_is_added_to_it(
    constant: str, found: set[str], spread: bool
) -> None:
    vector = "%ones = stablehlo.broadcast_in_dim {}, dims = [] : (tensor<i32>) -> tensor<1xi32>\n"
    read, shape = ("%ones", "1x") if spread else ("%k", "")
    text = (
        f"{HEAD}%k = stablehlo.constant dense<{constant}> : tensor<i32>\n"
        f"{vector.format('%k') if spread else ''}"
        f"%n = stablehlo.reshape %i : (tensor<i32>) -> tensor<{shape}i32>\n"
        f"%b = stablehlo.multiply %n, {read} : tensor<{shape}i32>\n"
        f"%c = stablehlo.add %b, %n : tensor<{shape}i32>\n"
        f"%d = stablehlo.remainder %c, %n : tensor<{shape}i32>\n"
        f"%e = stablehlo.reshape %d : (tensor<{shape}i32>) -> tensor<i32>\n"
        f"{TAKE.format('%e', 'i32')}\nreturn %taken : tensor<1xf32>\n}}"
    )
    assert decisive_names(load_program(text)) == found


def test_products_with_several_constants_of_hashes_are_not_checked() -> None:
    """A count-min sketch multiplies a number by a different constant for each row."""
    lines = (
        "%k = stablehlo.constant dense<[1103515245, -1640531527]> : tensor<2xi32>\n"
        "%n = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>\n"
        "%b = stablehlo.multiply %n, %k : tensor<2xi32>\n"
        "%c = stablehlo.slice %b [0:1] : (tensor<2xi32>) -> tensor<1xi32>\n"
        "%d = stablehlo.reshape %c : (tensor<1xi32>) -> tensor<i32>"
    )
    program = load_program(f"{HEAD}{lines}\n{TAKE.format('%d', 'i32')}\nreturn %taken : tensor<1xf32>\n}}")
    assert decisive_names(program) == set()


def test_a_great_constant_of_a_small_type_is_a_stride() -> None:
    lines = (
        "%k = stablehlo.constant dense<120> : tensor<i8>\n%n = stablehlo.convert %i : (tensor<i32>) -> tensor<i8>\n"
        "%b = stablehlo.multiply %n, %k : tensor<i8>"
    )
    program = load_program(f"{HEAD}{lines}\n{TAKE.format('%b', 'i8')}\nreturn %taken : tensor<1xf32>\n}}")
    assert "%b" in decisive_names(program)


LOOP = """func.func @main(%n: tensor<i32>, %h: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end:3 = stablehlo.while(%k = %zero, %hash = %h, %step = %one) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %k, %step : tensor<i32>
      %wider = stablehlo.add %step, %step : tensor<i32>
      %mixed = stablehlo.multiply %hash, %hash : tensor<i32>
      stablehlo.return %next, %mixed, %wider : tensor<i32>, tensor<i32>, tensor<i32>
    }
  return %end#1 : tensor<i32>
}"""


def test_what_a_condition_reads_is_followed_round_the_loop() -> None:
    assert decisive_names(load_program(LOOP)) == {"%next", "%wider"}


HLO_LOOP = """HloModule loop

%body (state.1: (s32[], s32[])) -> (s32[], s32[]) {
  %state.1 = (s32[], s32[]) parameter(0)
  %k.1 = s32[] get-tuple-element(%state.1), index=0
  %hash.1 = s32[] get-tuple-element(%state.1), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%k.1, %one)
  %mixed = s32[] multiply(%hash.1, %hash.1)
  ROOT %both = (s32[], s32[]) tuple(%next, %mixed)
}

%condition (state.2: (s32[], s32[])) -> pred[] {
  %state.2 = (s32[], s32[]) parameter(0)
  %k.2 = s32[] get-tuple-element(%state.2), index=0
  %most = s32[] constant(7)
  ROOT %more = pred[] compare(%k.2, %most), direction=LT
}

ENTRY %main (h: s32[]) -> s32[] {
  %h = s32[] parameter(0)
  %zero = s32[] constant(0)
  %start = (s32[], s32[]) tuple(%zero, %h)
  %end = (s32[], s32[]) while(%start), condition=%condition, body=%body
  ROOT %result = s32[] get-tuple-element(%end), index=1
}
"""


def test_elements_of_tuples_are_told_apart() -> None:
    assert {name.lstrip("%") for name in decisive_names(load_program(HLO_LOOP, "loop.hlo"))} == {"next"}
