"""Loops: invariant and carried values."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import numpy as np
from hypothesis import given, note, settings
from hypothesis import strategies as st

from hloscope.engine.chains import Chains, map_sources, maps_of_function, operation_maps
from hloscope.engine.chains.counters import trip_count
from hloscope.engine.chains.forwarding import invariant_values, origin
from hloscope.engine.chains.leaves import Leaf, leaf_name, leaves
from hloscope.engine.indexing import OperandMap, print_map
from hloscope.engine.ops.core.integer_folding import ComparisonDirection, compare
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

from .programs import Body, Named, type_of
from .relations import Run, matrix

RANDOM = st.randoms(use_true_random=False)


def the_loop(program: BoundProgram) -> int:
    return next(op.id for op in program.ops if op.op.name == "stablehlo.while")


def by_names(program: BoundProgram) -> dict[tuple[int, str], list[OperandMap]]:
    """The maps of a program's loop, by result number and operand name."""
    number = the_loop(program)
    sources = map_sources(program, number)
    found: dict[tuple[int, str], list[OperandMap]] = {}
    for item in operation_maps(program, number):
        found.setdefault((item.result, sources[item.operand].name), []).append(item)
    return found


ELEMENT_BY_ELEMENT = """func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.cosine %v : tensor<4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
    }
  return %r#1 : tensor<4xf32>
}"""


def test_what_is_computed_element_by_element_hangs_on_the_number_of_iterations() -> None:
    program = load_program(ELEMENT_BY_ELEMENT)
    assert not invariant_values(program, program.ops[the_loop(program)])
    assert {name for result, name in by_names(program) if result == 1} == {"%x", "%zero", "%n", "%one"}
    forwards = operation_maps(program, the_loop(program), inverse=True)
    sources = map_sources(program, the_loop(program))
    assert {sources[item.operand].name for item in forwards if item.result == 1} >= {"%x", "%n"}


FORWARDED = """func.func private @same(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %v = %x, %k = %w, %m = %n) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %q:2 = func.call @same(%v, %k) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %s:2 = stablehlo.while(%u = %i, %held = %q#0) : tensor<i32>, tensor<4xf32>
        cond {
          %on = stablehlo.compare LT, %u, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %on : tensor<i1>
        } do {
          %next = stablehlo.add %u, %u : tensor<i32>
          stablehlo.return %next, %held : tensor<i32>, tensor<4xf32>
        }
      %o:2 = stablehlo.optimization_barrier %s#1, %m : tensor<4xf32>, tensor<i32>
      stablehlo.return %s#0, %q#1, %o#0, %o#1 : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    }
  return %r#1 : tensor<4xf32>
}"""


def test_values_are_forwarded_through_calls_inner_loops_and_barriers() -> None:
    program = load_program(FORWARDED)
    outer = program.ops[the_loop(program)]
    assert {leaf_name(program, leaf) for leaf in invariant_values(program, outer)} == {"%k", "%m"}
    inner = next(op for op in program.ops if op.op.name == "stablehlo.while" and op.id != outer.id)
    assert {leaf_name(program, leaf) for leaf in invariant_values(program, inner)} == {"%held"}
    last = program.blocks[outer.regions[1]].operations[-1]
    leaves = [origin(program, Leaf(value)) for value in last.operands]
    assert [leaf_name(program, leaf) for leaf in leaves] == ["%s#0", "%q#1", "%k", "%m"]
    assert [name for result, name in by_names(program) if result == 2] == ["%w"]


COUNTED = """func.func private @body(%i: tensor<i32>, {arguments}) -> ({types}) {{
  %z = stablehlo.constant dense<0> : tensor<i32>
{lines}
  return {given} : {types}
}}
func.func @main({arguments}) -> ({types}) {{
  %start = stablehlo.constant dense<{start}> : tensor<i32>
  %step = stablehlo.constant dense<{step}> : tensor<i32>
  %stop = stablehlo.constant dense<{stop}> : tensor<i32>
  %r:{count} = stablehlo.while(%c = %start, {carried}) : tensor<i32>, {types}
    cond {{
      %go = stablehlo.compare {direction}, %c, %stop : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %b:{results} = func.call @body(%c, {inner}) : (tensor<i32>, {types}) -> ({types})
      %next = stablehlo.add %c, %step : tensor<i32>
      stablehlo.return %next, {made} : tensor<i32>, {types}
    }}
  return {last} : {types}
}}
func.func @unrolled({arguments}) -> ({types}) {{
{steps}
  return {unrolled} : {types}
}}
"""


def by_the_counter(body: Body) -> None:
    """Copy the row at the counter from one value into another."""
    values = [value for value in body.values if value.shape == body.values[0].shape]
    shape = body.values[0].shape
    row = (1, *shape[1:])
    at = ", ".join(["%i", *["%z"] * (len(shape) - 1)])
    offsets = ", ".join(["tensor<i32>"] * len(shape))
    whole, part = type_of(shape), type_of(row)
    read, into = body.random.choice(values[-3:]), body.random.choice(values[-3:])
    body.add(
        f"stablehlo.dynamic_slice {read.name}, {at}, sizes = [{', '.join(map(str, row))}]"
        f" : ({whole}, {offsets}) -> {part}",
        row,
    )
    made = body.values[-1].name
    body.add(
        f"stablehlo.dynamic_update_slice {into.name}, {made}, {at} : ({whole}, {part}, {offsets}) -> {whole}",
        shape,
    )


def counting(random: Random, carried: int, steps: int, trips: int) -> str:
    """A loop with a counter, and an equivalent function without the loop."""
    shape = (random.randint(1, 4), *([random.randint(1, 2)] if random.random() < 0.5 else []))
    arguments = [Named(f"%a{number}", shape) for number in range(carried)]
    body = Body(random, list(arguments), "b")
    for _ in range(steps):
        way = random.choice(["reverse", "binary", "slice", "concatenate", *["by the counter"] * 3])
        by_the_counter(body) if way == "by the counter" else getattr(body, way)()
    same = [value.name for value in body.values if value.shape == shape]
    start, step = random.randint(-1, 3), random.choice([1, 1, 1, 2, -1])
    direction = random.choice(["LT" if step > 0 else "GT", "NE"])
    given = [random.choice(same[-4:]) for _ in range(carried)]
    names = [value.name for value in arguments]
    kind = type_of(shape)
    types = ", ".join([kind] * carried)
    lines = []
    now = names
    for trip in range(trips):
        lines.append(f"  %i{trip} = stablehlo.constant dense<{start + trip * step}> : tensor<i32>")
        lines.append(
            f"  %u{trip}:{carried} = func.call @body(%i{trip}, {', '.join(now)})"
            f" : (tensor<i32>, {types}) -> ({types})"
        )
        now = [f"%u{trip}#{number}" for number in range(carried)]
    return COUNTED.format(
        arguments=", ".join(f"{name}: {kind}" for name in names),
        types=types,
        lines="\n".join(body.lines),
        given=", ".join(given),
        start=start,
        step=step,
        stop=start + trips * step,
        direction=direction,
        count=carried + 1,
        results=carried,
        carried=", ".join(f"%v{number} = {name}" for number, name in enumerate(names)),
        inner=", ".join(f"%v{number}" for number in range(carried)),
        made=", ".join(f"%b#{number}" for number in range(carried)),
        last=", ".join(f"%r#{number + 1}" for number in range(carried)),
        steps="\n".join(lines),
        unrolled=", ".join(now),
    )


@given(RANDOM, st.integers(1, 3), st.integers(1, 4), st.integers(0, 12), st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_loop_that_counts_has_what_its_iterations_make(
    random: Random, carried: int, steps: int, trips: int, inverse: bool
) -> None:
    text = counting(random, carried, steps, trips)
    note(text)
    program = load_program(text)
    block = program.blocks[program.functions["unrolled"].block]
    shape = program.values[block.arguments[0]].type.sizes  # type: ignore[attr-defined]
    run = Run(program)
    run.block(block, [np.zeros(shape, np.int32)] * carried)
    size = prod(shape)
    wanted = np.zeros((carried * size, carried * size), np.bool_)
    for start, argument in enumerate(block.arguments):
        known = run.related(block, {argument: np.eye(size, dtype=np.bool_)})
        for end, value in enumerate(block.operations[-1].operands):
            pairs = known.get(value, np.zeros((size, size), np.bool_))
            wanted[end * size : (end + 1) * size, start * size : (start + 1) * size] = pairs
    found = np.zeros_like(wanted)
    enclosing = False
    chains = Chains(program)
    for item in maps_of_function(program, "main", inverse=inverse, chains=chains):
        given, made = (item.start, item.end) if inverse else (item.end, item.start)
        assert not item.map.runtimes
        pairs = matrix(item.map, shape, shape, [])
        rows = [n for n, leaf in enumerate(results_of(program)) if leaf == made]
        (column,) = (n for n, leaf in enumerate(arguments_of(program)) if leaf == given)
        for row in rows:
            here = (slice(row * size, (row + 1) * size), slice(column * size, (column + 1) * size))
            found[here] |= pairs.T if inverse else pairs
        enclosing |= item.enclosing
    assert (found >= wanted).all()
    if not enclosing:
        assert np.array_equal(found, wanted)


def arguments_of(program: BoundProgram) -> tuple[Leaf, ...]:
    assert program.entry is not None
    return leaves(program, program.blocks[program.entry.block].arguments)


def results_of(program: BoundProgram) -> tuple[Leaf, ...]:
    assert program.entry is not None
    return leaves(program, program.blocks[program.entry.block].operations[-1].operands)


SCAN = """func.func @main(%xs: tensor<8x4xf32>, %init: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<8x4xf32>
  %r:4 = stablehlo.while(%i = %zero, %sum = %init, %x = %xs, %ys = %empty)
      : tensor<i32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    cond {
      %n = stablehlo.constant dense<8> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<8> : tensor<i32>
      %below = stablehlo.compare LT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %around = stablehlo.add %i, %n : tensor<i32>
      %at = stablehlo.select %below, %around, %i : tensor<i1>, tensor<i32>
      %row = stablehlo.dynamic_slice %x, %at, %z, sizes = [1, 4]
        : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %v = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
      %added = stablehlo.add %sum, %v : tensor<4xf32>
      %u = stablehlo.reshape %added : (tensor<4xf32>) -> tensor<1x4xf32>
      %put = stablehlo.dynamic_update_slice %ys, %u, %i, %z
        : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %added, %x, %put : tensor<i32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
    }
  return %r#3, %r#1 : tensor<8x4xf32>, tensor<4xf32>
}"""


def test_a_scan_reads_the_rows_up_to_its_own() -> None:
    """As JAX writes it: rows are read and written at a counter that is made non-negative first."""
    program = load_program(SCAN)
    found = by_names(program)
    texts = {key: [print_map(item.map) for item in items] for key, items in found.items()}
    assert texts[3, "%xs"] == [
        "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 7], d1 in [0, 3], s0 in [0, 7], -s0 + d0 in [0, 7]"
    ]
    assert texts[3, "%init"] == ["(d0, d1) -> (d1), domain: d0 in [0, 7], d1 in [0, 3]"]
    assert texts[1, "%xs"] == ["(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 7]"]
    # Every row is overwritten.
    assert (3, "%empty") not in found
    assert not any(item.enclosing for items in found.values() for item in items)


LOOP_OF = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %p = %a, %q = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {{
      %n = stablehlo.constant dense<{trips}> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %q, %p : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }}
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}}"""


def test_two_values_that_change_places() -> None:
    """After a few iterations the order is known; after many, the maps enclose both."""
    for trips, first in ((5, "%b"), (6, "%a")):
        found = by_names(load_program(LOOP_OF.format(trips=trips)))
        assert {name for result, name in found if result == 1} - {"%zero"} == {first}
    for (result, name), items in by_names(load_program(LOOP_OF.format(trips=1001))).items():
        if result and name != "%zero":
            assert name in ("%a", "%b")
            assert all(item.enclosing for item in items)


CELL = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %p = %a, %q = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<1000> : tensor<i32>
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %none = stablehlo.constant dense<0.0> : tensor<f32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %all = stablehlo.reduce(%q init: %none) applies stablehlo.add across dimensions = [0]
        : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %gate = stablehlo.broadcast_in_dim %all, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %c = stablehlo.multiply %p, %gate : tensor<4xf32>
      %h = stablehlo.tanh %c : tensor<4xf32>
      stablehlo.return %next, %c, %h : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>
}"""


def test_a_cell_of_two_values_depends_on_all_elements_after_its_second_iteration() -> None:
    """A map of all elements contains those of the first iteration, as in an LSTM's cell and output."""
    found = by_names(load_program(CELL))
    whole = "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]"
    for result, name in product((1, 2), ("%a", "%b")):
        (item,) = found[result, name]
        assert not item.enclosing
        assert print_map(item.map) == whole


def test_updates_that_leave_gaps_are_enclosed() -> None:
    found = by_names(
        load_program(SCAN.replace("%one = stablehlo.constant dense<1>", "%one = stablehlo.constant dense<2>"))
    )
    assert all(item.enclosing for item in found[3, "%xs"])
    reached = np.any([matrix(item.map, (8, 4), (8, 4), []) for item in found[3, "%xs"]], axis=0)
    for row in range(0, 8, 2):
        assert all(reached[row * 4 + k, before * 4 + k] for before in range(0, row + 1, 2) for k in range(4))


def test_how_often_a_loop_runs() -> None:
    for direction in ComparisonDirection:
        for first in range(-7, 8):
            for step in range(-3, 4):
                run = 0
                while run < 50 and compare(direction, first + run * step, 0):
                    run += 1
                assert trip_count(direction, first, step) == (run if run < 50 else None)
