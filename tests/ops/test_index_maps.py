"""Index maps against what ops do: element by element where they move data, by disturbing elements where they compute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.engine.ops.core.op import Array

from ..indexing.proofs import assert_simplifies_equal, is_inverse
from .cases import CASES, Case
from .disturbing import Disturbing
from .known_insensitive import KNOWN_INSENSITIVE
from .mapping import Key, Table, groups, moved
from .running import run

# Few scatters only move what they are given; those that add are drawn, and left out.
PICKY = [HealthCheck.filter_too_much, HealthCheck.too_slow]
FEW = settings(max_examples=6, suppress_health_check=PICKY)
MANY = settings(max_examples=200, suppress_health_check=PICKY)
MOVING: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        (
            *("stablehlo.broadcast_in_dim", "stablehlo.broadcast", "stablehlo.reshape", "stablehlo.reverse"),
            *("stablehlo.slice", "stablehlo.transpose", "stablehlo.dynamic_slice", "stablehlo.gather"),
            *(
                "stablehlo.torch_index_select",
                "stablehlo.dynamic_broadcast_in_dim",
                "stablehlo.dynamic_reshape",
            ),
            *("stablehlo.dynamic_gather", "stablehlo.real_dynamic_slice", "stablehlo.set_dimension_size"),
            *(
                "hlo.dynamic_reshape",
                "hlo.dynamic_slice_by_vector",
                "hlo.copy",
                "hlo.domain",
                "hlo.add_dependency",
            ),
            *("hlo.bitcast", "chlo.top_k", "hlo.topk", "interpreter.probe", "tensor.cast", "tensor.extract"),
        ),
        (0,),
    ),
    **dict.fromkeys(
        ("stablehlo.pad", "stablehlo.dynamic_pad", "stablehlo.dynamic_update_slice", "stablehlo.sort"), (0, 1)
    ),
    "hlo.dynamic_update_slice_by_vector": (0, 1),
    "stablehlo.concatenate": (0, 1, 2, 3),
    **dict.fromkeys(("stablehlo.select", "chlo.broadcast_select", "arith.select"), (1, 2)),
    "stablehlo.scatter": (0, 2),
    "stablehlo.optimization_barrier": (0, 1, 2),
}
"""Ops that only move data, and the operands whose data they move: all of a result comes from these."""


def numbered(case: Case, moving: Sequence[int]) -> tuple[Array, ...]:
    """The operands with numbers of their own in all elements that are moved, in any order."""
    operands, first = list(case.operands), 1
    for number in moving:
        old = operands[number]
        order = np.random.default_rng(first).permutation(old.size)
        operands[number] = (first + order).astype(old.dtype).reshape(old.shape)
        first += old.size
    return tuple(operands)


def sources(
    case: Case, moving: Sequence[int], operands: Sequence[Array], results: Sequence[Array]
) -> dict[Key, Table]:
    """Where each element of a result was found in the operands."""
    return {
        (r, o): result.reshape(-1, 1) == operands[o].reshape(1, -1)
        for r, result in enumerate(results)
        for o in moving
    }


def check_moved(case: Case) -> None:
    """Every element of a result is where the maps say, and each has one source."""
    moving = [k for k in MOVING[case.op.name] if k < len(case.operands)]
    operands = numbered(case, moving)
    results = run(case.op, *operands)
    if case.op.name.endswith(("top_k", "topk")):
        results = results[:1]
    found = moved(case.op, operands, results)
    expected = sources(case, moving, operands, results)
    for key, table in expected.items():
        assert np.array_equal(found[key], table), f"{key} of {case.op}"
    for r, result in enumerate(results):
        if result.size:
            assert np.all(sum(expected[r, o].sum(axis=1) for o in moving) == 1)


def movable(case: Case) -> bool:
    """Whether it moves data as it is: bitcasts between equal types, scatters that overwrite."""
    if case.op.name == "hlo.bitcast":
        source, target = case.op.operand_types[0], case.op.known_results[0]
        return bool(vars(source)["element_type"] == vars(target)["element_type"])
    if case.op.name == "stablehlo.scatter":
        return len(vars(case.op)["update_computation"].block.operations) == 1 and len(case.operands) == 3
    smallest = min(
        (np.iinfo(x.dtype).max if x.dtype.kind in "iu" else 1 for x in case.operands[:1]), default=0
    )
    return bool(sum(x.size for x in case.operands) <= smallest)


def check_maps(case: Case, seed: int) -> None:
    """No element changes outside of the maps, every pair that they name changes for some value; both directions are
    inverse relations; simplified maps say the same.
    """
    Disturbing(case, np.random.default_rng(seed)).check()
    check_inverse(case)
    for item in (*case.op.index_maps(), *case.op.inverse_index_maps()):
        assert_simplifies_equal(item)


def check_inverse(case: Case) -> None:
    """By isl, where no value of a run is read; with such values the tables of both directions are compared."""
    back = dict(groups(case.op, inverse=True))
    for key, maps in groups(case.op):
        if not any(item.runtimes for item in (*maps, *back[key])):
            assert is_inverse(maps, back[key]), key


NEEDS_PEERS = {"hlo.ragged_all_to_all"}
"""Ops whose maps read what other processes have brought: they have tests of their own."""
DISTURBED = pytest.mark.parametrize("name", sorted(CASES.keys() - NEEDS_PEERS))
MOVED = pytest.mark.parametrize("name", sorted(MOVING.keys() & CASES.keys()))
SEEDS = st.integers(0, 2**32 - 1)


@MOVED
@FEW
@given(data=st.data())
def test_data_is_where_the_maps_say(name: str, data: st.DataObject) -> None:
    check_moved(data.draw(CASES[name].filter(movable)))


@pytest.mark.long
@MOVED
@MANY
@given(data=st.data())
def test_more_data_is_where_the_maps_say(name: str, data: st.DataObject) -> None:
    check_moved(data.draw(CASES[name].filter(movable)))


@pytest.mark.more
@DISTURBED
@FEW
@given(data=st.data(), seed=SEEDS)
def test_what_changes_is_what_the_maps_say(name: str, data: st.DataObject, seed: int) -> None:
    check_maps(data.draw(CASES[name]), seed)


@pytest.mark.long
@DISTURBED
@MANY
@given(data=st.data(), seed=SEEDS)
def test_more_of_what_changes_is_what_the_maps_say(name: str, data: st.DataObject, seed: int) -> None:
    check_maps(data.draw(CASES[name]), seed)


def test_excuses_name_ops() -> None:
    assert KNOWN_INSENSITIVE.keys() <= CASES.keys()
