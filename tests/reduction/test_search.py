"""Programs become as small as what is looked for lets them, and every candidate is a program."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hloscope
from hloscope.engine.reduction.bodies import bypasses, descents
from hloscope.engine.reduction.case import Case
from hloscope.engine.reduction.cutting import flatten, keep
from hloscope.engine.reduction.dimensions import Classes
from hloscope.engine.reduction.recorded import Recorded
from hloscope.engine.reduction.resizing import resized, smaller_sizes
from hloscope.engine.reduction.search import ddmin, limits_for, loops, simpler_literals

from .searching import case, example, reduced

PROGRAMS = (
    pytest.param("mlp_train_step.mlir", marks=pytest.mark.long),
    pytest.param("transformer_block.mlir", marks=pytest.mark.long),
    "newton.mlir",
    "histogram.mlir",
    "mlp_hlo.hlo",
    "recurrent_hlo.hlo",
)
LAYER = """
  %s{n} = stablehlo.sine %x{p} : tensor<8x6xf32>
  %e{n} = stablehlo.exponential %s{n} : tensor<8x6xf32>
  %t{n} = stablehlo.transpose %e{n}, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %d{n} = stablehlo.dot_general %e{n}, %t{n}, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %m{n} = stablehlo.dot_general %d{n}, %e{n}, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %l{n} = stablehlo.logistic %m{n} : tensor<8x6xf32>
  %a{n} = stablehlo.add %l{n}, %x{p} : tensor<8x6xf32>
  %n{n} = stablehlo.negate %a{n} : tensor<8x6xf32>
  %h{n} = stablehlo.tanh %n{n} : tensor<8x6xf32>
  %x{n} = stablehlo.multiply %h{n}, %a{n} : tensor<8x6xf32>"""


def layers(count: int) -> str:
    """A program of ten ops a layer."""
    body = "".join(LAYER.format(n=number, p=number - 1) for number in range(1, count + 1))
    return f"func.func @main(%x0: tensor<8x6xf32>) -> tensor<8x6xf32> {{{body}\n  return %x{count} : tensor<8x6xf32>\n}}"


def mentions(*words: str) -> Callable[[Case], bool]:
    return lambda found: all(word in found.text for word in words)


@pytest.mark.parametrize(
    ("name", "words", "most"),
    [
        ("mlp_train_step.mlir", ("dot_general", "exponential"), 2),
        ("newton.mlir", ("stablehlo.divide",), 3),
        ("recurrent_hlo.hlo", ("tanh(",), 1),
        ("mlp_hlo.hlo", (" dot(",), 1),
        ("transformer_block.mlir", ("stablehlo.reduce", "stablehlo.maximum"), 3),
    ],
)
def test_what_nothing_needs_goes(name: str, words: tuple[str, ...], most: int) -> None:
    search = reduced(example(name), mentions(*words))
    assert search.best.op_count <= most, search.best.text
    assert all(size <= 1 for array in search.best.inputs for size in array.shape), search.best.text


def test_a_program_of_500_ops() -> None:
    def holds(found: Case) -> bool:
        return bool(re.search(r"(%\w+) = stablehlo.logistic.*\n.*stablehlo.add \1, ", found.text))

    found = case(layers(50))
    assert found.op_count == 500
    search = reduced(found, holds)
    assert search.best.op_count <= 10
    assert search.counts.checks <= 999


def test_values_of_what_went_are_those_of_the_run() -> None:
    found = case(layers(3))
    recorded = Recorded(found)
    number = next(n for n, op in enumerate(found.operations) if op.results[0].name == "%m2")
    cut = keep(found, {number}, recorded.get)
    assert cut is not None
    (result,) = hloscope.run(cut.text, cut.inputs)
    assert result.tobytes() == recorded.get("%m2").tobytes()  # type: ignore[union-attr]


def test_sizes_that_are_tried() -> None:
    assert list(smaller_sizes(9)) == [1, 5, 7, 8]
    assert list(smaller_sizes(32769))[-1] == 32768
    assert list(smaller_sizes(1)) == []


def test_a_failure_that_is_not_monotone_in_size() -> None:
    text = "func.func @main(%x: tensor<13x9xf32>) -> tensor<13x9xf32> {\n  %0 = stablehlo.sine %x : tensor<13x9xf32>\n  return %0 : tensor<13x9xf32>\n}"
    search = reduced(case(text), lambda found: "9xf32" in found.text or "7x2xf32" in found.text)
    assert [array.shape for array in search.best.inputs] == [(1, 9)]


def test_inputs_become_simple() -> None:
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.sine %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}"
    search = reduced(case(text), lambda found: "tensor<4x" in found.text)
    assert search.best.inputs[0].tolist() == [0, 0, 0, 0]


@given(st.sets(st.integers(0, 40), min_size=1), st.integers(41, 60))
def test_ddmin_finds_exactly_what_is_needed(needed: set[int], count: int) -> None:
    assert ddmin(range(count), lambda kept: needed <= set(kept)) == sorted(needed)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_candidate_verifies_or_is_rejected(name: str) -> None:
    """What a change makes is a program whose text reads back and runs on its inputs, or it is said not to be one."""
    base = flatten(example(name)) or example(name)
    recorded = Recorded(base)
    assert not recorded.problem
    candidates = [
        *(keep(base, {n, n + 1}, recorded.get) for n in range(0, len(base.operations) - 1, 3)),
        *list(bypasses(base))[:40],
        *descents(base, recorded),
        *list(simpler_literals(base))[:10],
        *(
            resized(base, dimensions, size // 2, last)
            for size, dimensions in Classes(base).groups()[:12]
            if size > 1
            for last in (False, True)
        ),
    ]
    good = [found for found in candidates if found is not None and found.program is not None]
    assert len(good) > 3
    for found in good:
        assert not any(problem.severity == "error" for problem in hloscope.check(found.text)), found.text
        assert len(found.inputs) == len(found.entry.arguments)
        for array, value in zip(found.inputs, found.entry.arguments, strict=True):
            assert array.shape == value.type.sizes  # type: ignore[attr-defined]
    limits = limits_for(base, hloscope.Limits())
    for found in good[::7]:
        problem = Recorded(found, limits).problem
        assert not problem or (loops(found) and "run_step_limit" in problem), problem


SHARDED = """module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%x: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>},
                  %y: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>})
      -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<12x6xf32>
    %1 = stablehlo.tanh %0 : tensor<12x6xf32>
    return %1 : tensor<12x6xf32>
  }
}"""


def test_meshes_shrink_and_shardings_go_one_by_one() -> None:
    needed = '"a"}, {"b"'
    found = reduced(case(SHARDED), lambda found: needed in found.text and "stablehlo.add" in found.text)
    assert found.best.grid.num_processes == 1
    assert '<["a"=1, "b"=1]>' in found.best.text
    assert found.best.text.count("@mesh") == 2  # the mesh, and the one sharding that the check needs
    assert len(found.best.inputs) == 1
    found = reduced(case(SHARDED), lambda found: found.grid.num_processes >= 4 and needed in found.text)
    assert found.best.grid.num_processes == 4


def test_a_mesh_goes_with_its_last_sharding() -> None:
    found = reduced(case(SHARDED), lambda found: "stablehlo.tanh" in found.text)
    assert "sdy" not in found.best.text
    assert (found.best.grid.num_processes, found.best.op_count) == (1, 1)
