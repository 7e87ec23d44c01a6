"""Scans of JAX, before XLA optimises them and afterwards: the same exact maps."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.chains import leaf_shape, leaves, maps_of_function
from hloscope.engine.program import BoundProgram
from tests.chains.relations import Matrix, matrix
from tests.programs import load_program

from .client import Oracle
from .test_frameworks import names

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("name", names("SCANS"))
def test_a_scan_has_the_same_exact_maps_once_it_is_optimised(name: str, oracle: Oracle) -> None:
    before, after = (_relations(load_program(text), inverse=False) for text in oracle.export_hlo(name)[0][1:])
    assert before.keys() == after.keys()
    assert before
    for key, wanted in before.items():
        assert np.array_equal(after[key], wanted), key


@pytest.mark.parametrize("name", ["running_sums", "two_counted_loops"])
def test_from_the_arguments_too(name: str, oracle: Oracle) -> None:
    after = load_program(oracle.export_hlo(name)[0][2])
    backwards, forwards = (_relations(after, inverse=inverse) for inverse in (False, True))
    for key, wanted in backwards.items():
        assert np.array_equal(forwards[key], wanted), key


def _relations(program: BoundProgram, *, inverse: bool) -> dict[tuple[int, int], Matrix]:
    """Which elements of each argument go into which of each result; fails where that is only enclosed."""
    assert program.entry is not None
    block = program.blocks[program.entry.block]
    given, made = leaves(program, block.arguments), leaves(program, block.operations[-1].operands)
    found: dict[tuple[int, int], Matrix] = {}
    for item in maps_of_function(program, block.function, inverse=inverse):
        assert not item.enclosing
        assert not item.undecided
        start, end = (leaf_shape(program, leaf) or () for leaf in (item.start, item.end))
        pairs = matrix(item.map, start, end, [])
        argument, result = (item.start, item.end) if inverse else (item.end, item.start)
        for number in (number for number, leaf in enumerate(made) if leaf == result):
            key = given.index(argument), number
            found[key] = found.get(key, False) | (pairs.T if inverse else pairs)
    return {key: pairs for key, pairs in found.items() if pairs.any()}
