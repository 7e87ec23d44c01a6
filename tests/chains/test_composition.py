"""Composed maps against joined relations of single ops, and against runs on linear indices."""

from random import Random

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st

from hloscope.engine.chains import Chains, maps_between
from hloscope.engine.indexing import simplify
from hloscope.engine.ir.types import TensorType
from tests.programs import load_program

from .programs import random_program
from .relations import Run, united

FIRST = 1000
"""The number of a tensor's first element."""
RANDOM = st.randoms(use_true_random=False)


def started(text: str, random: Random) -> Run:
    """Run a program on small numbers, which are valid offsets."""
    note(text)
    program = load_program(text)
    run = Run(program)
    entry = program.entry
    assert entry is not None
    block = program.blocks[entry.block]
    types = [program.values[number].type for number in block.arguments]
    numbers = np.random.default_rng(random.randrange(1 << 30))
    shapes = [found.sizes for found in types if isinstance(found, TensorType)]
    run.block(block, [numbers.integers(-2, 6, shape).astype(np.int32) for shape in shapes])
    return run


def check(run: Run, chains: Chains, start: int, end: int, *, inverse: bool) -> None:
    """Check that the chains between two values of `main` equal the joined relations of the ops."""
    program = run.program
    entry = program.entry
    assert entry is not None
    block = program.blocks[entry.block]
    later, earlier = (end, start) if inverse else (start, end)
    count = run.values[(), earlier].size
    known = run.related(block, {earlier: np.eye(count, dtype=np.bool_)})
    wanted = known.get(later, np.zeros((run.values[(), later].size, count), np.bool_))
    maps = maps_between(program, start, end, inverse=inverse, chains=chains)
    for item in maps:
        assert simplify(item.map) == item.map
    found, enclosing = united(chains, maps, run, start, end)
    found = found.T if inverse else found
    if enclosing:
        assert (found >= wanted).all()
    else:
        assert np.array_equal(found, wanted), (start, end, inverse)


@given(RANDOM, st.integers(3, 12), st.booleans())
@settings(max_examples=40, deadline=None)
def test_maps_to_all_inputs_are_the_relations_of_the_ops(random: Random, steps: int, inverse: bool) -> None:
    run = started(random_program(random, steps), random)
    chains = Chains(run.program)
    entry = run.program.entry
    assert entry is not None
    block = run.program.blocks[entry.block]
    result = block.operations[-1].operands[0]
    for argument in block.arguments:
        start, end = (argument, result) if inverse else (result, argument)
        check(run, chains, start, end, inverse=inverse)


@given(RANDOM, st.integers(3, 8), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_maps_between_any_two_values(random: Random, steps: int, inverse: bool, folds: bool) -> None:
    run = started(random_program(random, steps, functions=1), random)
    chains = Chains(run.program, folds=folds)
    entry = run.program.entry
    assert entry is not None
    block = run.program.blocks[entry.block]
    values = [*block.arguments, *(result for bound in block.operations for result in bound.results)]
    for _ in range(3):
        check(run, chains, random.choice(values), random.choice(values), inverse=inverse)


@given(RANDOM, st.integers(3, 12))
@settings(max_examples=40, deadline=None)
def test_what_only_moves_is_where_a_run_on_linear_indices_has_it(random: Random, steps: int) -> None:
    text = random_program(random, steps, moves_only=True)
    run = started(text, random)
    program, chains = run.program, Chains(run.program)
    entry = program.entry
    assert entry is not None
    block = program.blocks[entry.block]
    tensor, *offsets = block.arguments
    result = block.operations[-1].operands[0]
    size, shape = run.values[(), tensor].size, run.values[(), tensor].shape
    # The padding value is an offset, smaller than all element numbers.
    linear = np.arange(FIRST, FIRST + size, dtype=np.int32).reshape(shape)
    counted = Run(program)
    counted.block(block, [linear, *(run.values[(), number] for number in offsets)])
    maps = maps_between(program, result, tensor, chains=chains)
    found, enclosing = united(chains, maps, run, result, tensor)
    assert not enclosing
    for position, value in enumerate(counted.values[(), result].ravel()):
        read = np.flatnonzero(found[position])
        assert read.tolist() == ([int(value) - FIRST] if value >= FIRST else [])
