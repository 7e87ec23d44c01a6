"""Operations of two programs in pairs."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from hloscope.engine.comparison.matching import Matching, match_programs
from hloscope.engine.program import BoundProgram

BEFORE = """
HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  product = f32[4,4] multiply(x, y), metadata={op_name="jit(f)/mul"}
  sum = f32[4,4] add(product, x), metadata={op_name="jit(f)/add"}
  root = f32[4,4] exponential(sum), metadata={op_name="jit(f)/exp"}
  ROOT t = f32[4,4] transpose(root), dimensions={1,0}
}
"""


def names(text: str, ops: tuple[int, ...]) -> list[str]:
    program = hloscope.parse(text)
    return [program.ops[op].operation.results[0].name.lstrip("%") for op in ops]


def matched(before: str, after: str, *, with_values: bool = True) -> dict[str, tuple[str, tuple[str, ...]]]:
    """By the name before, the name after and the evidence."""
    found, programs = match(before, after, with_values=with_values)
    return {
        programs[0].ops[pair.before].operation.results[0].name.lstrip("%"): (
            programs[1].ops[pair.after].operation.results[0].name.lstrip("%"),
            pair.evidence,
        )
        for pair in found.pairs
    }


def match(before: str, after: str, *, with_values: bool = True) -> tuple[Matching, tuple[BoundProgram, ...]]:
    programs = hloscope.parse(before), hloscope.parse(after)
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((4, 4)).astype(np.float32) for _ in range(2)]
    runs = (
        (hloscope.record(programs[0], inputs), hloscope.record(programs[1], inputs)) if with_values else None
    )
    return match_programs(*programs, runs), programs


def test_a_program_matches_itself() -> None:
    found = matched(BEFORE, BEFORE)
    assert {name: other for name, (other, _) in found.items()} == {
        name: name for name in ("product", "sum", "root", "t")
    }
    assert found["sum"][1] == ("value", "name", "source", "structure")
    assert found["t"][1] == ("value", "name", "structure")


def test_values_match_whatever_the_names() -> None:
    after = (
        BEFORE.replace("product", "a.1")
        .replace("sum", "b.2")
        .replace("root", "c.3")
        .replace("jit(f)", "jit(g)")
    )
    found = matched(BEFORE, after)
    assert {name: other for name, (other, _) in found.items()} == {
        "product": "a.1",
        "sum": "b.2",
        "root": "c.3",
        "t": "t",
    }
    assert found["sum"][1] == ("value", "structure")


def test_names_and_origins_match_without_values() -> None:
    after = BEFORE.replace("sum", "other").replace("multiply(x, y)", "multiply(y, x)")
    found = matched(BEFORE, after, with_values=False)
    assert found["product"] == ("product", ("name", "source"))
    assert found["sum"] == ("other", ("source", "structure"))


def test_structure_matches_what_has_no_name_or_origin() -> None:
    plain = BEFORE.replace(', metadata={op_name="jit(f)/exp"}', "").replace("root", "unknown.9")
    found = matched(BEFORE.replace(', metadata={op_name="jit(f)/exp"}', ""), plain, with_values=False)
    assert found["root"] == ("unknown.9", ("structure",))


def test_what_a_pass_replaced_has_no_partner() -> None:
    after = BEFORE.replace("sum = f32[4,4] add(product, x)", "sum = f32[4,4] subtract(product, x)")
    found, (before, _) = match(BEFORE, after)
    assert names(BEFORE, found.only_before) == ["sum"]
    assert names(after, found.only_after) == ["sum"]
    assert [before.ops[pair.before].operation.results[0].name.lstrip("%") for pair in found.pairs] == [
        "product",
        "root",
        "t",
    ]


SCALED = """
HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  c = f32[] constant(2.5)
  w = f32[4,4] broadcast(c), dimensions={}
  q = f32[4,4] divide(x, w)
  ROOT t = f32[4,4] negate(q)
}
"""


def test_operands_of_another_op_replace_nothing() -> None:
    """XLA multiplies by 1 / c where a program divides by c."""
    x = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    row = "{" + ", ".join(["0.4"] * 4) + "}"
    folded = "v = f32[4,4] constant({" + ", ".join([row] * 4) + "})"
    changed = SCALED.replace("w = f32[4,4] broadcast(c), dimensions={}", folded).replace("(x, w)", "(x, v)")
    after = changed.replace("divide(x", "multiply(x")
    recordings = [hloscope.record(text, [x]) for text in (SCALED, after, changed)]
    matchings = [
        match_programs(recordings[0].program, run.program, (recordings[0], run)) for run in recordings[1:]
    ]
    assert [bool(found.replaced) for found in matchings] == [False, True]
    first = hloscope.compare(recordings[0], recordings[2]).first
    assert first is not None
    assert first.name == "%w"


FUSED = """
HloModule m
fused {
  a = f32[4,4] parameter(0)
  b = f32[4,4] parameter(1)
  c = f32[4,4] multiply(a, b)
  ROOT d = f32[4,4] add(c, a)
}
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  fusion = f32[4,4] fusion(x, y), kind=kLoop, calls=fused
  e = f32[4,4] exponential(fusion)
  ROOT t = f32[4,4] transpose(e), dimensions={1,0}
}
"""


def test_what_a_fusion_holds_is_found_in_it() -> None:
    found = matched(BEFORE, FUSED)
    assert {name: other for name, (other, _) in found.items()} == {
        "product": "c",
        "sum": "d",
        "root": "e",
        "t": "t",
    }


def test_elements_in_another_shape() -> None:
    after = BEFORE.replace(
        "ROOT t = f32[4,4] transpose(root), dimensions={1,0}",
        "r = f32[16] reshape(root)\n  ROOT t = f32[16] negate(r)",
    )
    before = BEFORE.replace(
        "ROOT t = f32[4,4] transpose(root), dimensions={1,0}", "ROOT u = f32[4,4] negate(root)"
    )
    found = matched(before, after)
    assert found["u"] == ("t", ("elements",))


@pytest.mark.parametrize("with_values", [True, False])
def test_constants_match_by_what_they_hold(with_values: bool) -> None:
    before = """
HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  c = f32[] constant(2)
  d = f32[] constant(3)
  p = f32[4,4] broadcast(c), dimensions={}
  q = f32[4,4] broadcast(d), dimensions={}
  r = f32[4,4] multiply(x, p)
  ROOT s = f32[4,4] add(r, q)
}
"""
    after = before.replace(
        "c = f32[] constant(2)\n  d = f32[] constant(3)", "k = f32[] constant(3)\n  l = f32[] constant(2)"
    )
    after = after.replace("broadcast(c)", "broadcast(l)").replace("broadcast(d)", "broadcast(k)")
    found = matched(before, after, with_values=with_values)
    assert (found["c"][0], found["d"][0]) == ("l", "k")


ORIGINAL = """
module {
  func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.add %x, %y {mhlo.original_value = #mhlo.original_value<false, [<[], <"sum.1", []>>]>} : tensor<4x4xf32>
    %1 = stablehlo.abs %0 {mhlo.original_value = #mhlo.original_value<false, [<[], <"abs.1", []>>]>} : tensor<4x4xf32>
    %2 = stablehlo.exponential %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
"""
COMPILED = """
HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  difference = f32[4,4] subtract(x, y), origin={{"sum.1"}}
  total = f32[4,4] add(y, x), origin={{"abs.1"}}
  size = f32[4,4] abs(total)
  ROOT root = f32[4,4] exponential(size)
}
"""


def test_a_tuple_matches_by_the_original_values_that_are_left() -> None:
    before = """
module {
  func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0:2 = stablehlo.optimization_barrier %x, %y {mhlo.original_value = #mhlo.original_value<false, [<[0], <"a", []>>, <[1], <"b", []>>]>} : tensor<4x4xf32>, tensor<4x4xf32>
    %1 = stablehlo.add %0#0, %0#1 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
"""
    after = (
        before.replace('<[0], <"a", []>>, ', "")
        .replace("%0", "%same")
        .replace("stablehlo.add", "stablehlo.subtract")
    )
    found = matched(before, after, with_values=False)
    assert "original" in found["0#0"][1]
    other = after.replace('<"b", []>', '<"c", []>')
    assert "original" not in matched(before, other, with_values=False).get("0#0", ("", ()))[1]


def test_an_original_value_that_differs_is_no_evidence() -> None:
    found = matched(ORIGINAL, COMPILED)
    assert found["0"][0] == "total"
    assert found["1"][0] == "size"
    assert not any("original" in evidence for _, evidence in found.values())


def test_original_values_match_programs_of_both_languages() -> None:
    right = COMPILED.replace(', origin={{"abs.1"}}', ', origin={{"sum.1"}}', 1).replace(
        'subtract(x, y), origin={{"sum.1"}}', "subtract(x, y)"
    )
    assert matched(ORIGINAL, right)["0"] == ("total", ("original", "value"))
    other = right.replace("add(y, x)", "add(x, x)").replace("abs(total)", "negate(total)")
    assert matched(ORIGINAL, other, with_values=False)["0"] == ("total", ("original",))
