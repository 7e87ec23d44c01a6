"""Provenance through generated programs of 30 to 200 ops: against disturbed inputs and a slow reference."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from tests.debugger.programs import recorded
from tests.programs import load_program

from .generator import Generator
from .matrices import Arrays, Ends, Matrix, disturbed
from .reference import Reference

SEEDS = range(0, 21, 2)


def _loaded(seed: int) -> tuple[BoundProgram, Arrays]:
    generator = Generator(seed, 25 + 7 * seed)
    program = load_program(generator.text)
    assert 30 <= len(program.ops) <= 260
    return program, generator.arrays()


def _structural(program: BoundProgram, inputs: Arrays) -> Matrix:
    width = sum(array.size for array in inputs)
    rows = [
        [bool(bits >> column & 1) for column in range(width)]
        for value in Reference(program).results(inputs)
        for bits in value.bits.reshape(-1)
    ]
    return np.array(rows)


@pytest.mark.more
@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_exactly_what_the_structure_says_and_all_that_a_disturbance_changes(seed: int) -> None:
    program, inputs = _loaded(seed)
    recording = recorded(program, inputs)
    ends = Ends(recording)
    back = ends.back()
    assert np.array_equal(back, _structural(program, inputs))
    assert np.array_equal(back, ends.forward())
    changed = disturbed(lambda given: results_of(program, given), inputs)
    assert not np.any(changed & ~back)
    assert changed.any()


def test_the_generator_makes_what_provenance_is_to_be_proved_on() -> None:
    names, share = set(), []
    for seed in SEEDS:
        program, _ = _loaded(seed)
        names |= {bound.operation.name for bound in program.ops}
        share.append(len(program.ops))
    wanted = (
        "add dot_general gather scatter dynamic_slice dynamic_update_slice select while if reduce sort pad"
    )
    wanted += " reshape transpose slice concatenate broadcast_in_dim reduce_window clamp reverse"
    assert {f"stablehlo.{name}" for name in wanted.split()} | {"func.call"} <= names
    assert min(share) < 50
    assert max(share) > 150
