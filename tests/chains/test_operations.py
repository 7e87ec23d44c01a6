"""The maps of ops that call functions or contain regions."""

from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from hloscope.engine.chains import MAX_MAPS, Chains, leaf_name, map_sources, maps_between, operation_maps
from hloscope.engine.indexing import print_map
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

from .programs import Body, Named, type_of
from .relations import Matrix, Run, matrix

RANDOM = st.randoms(use_true_random=False)


def numbered(program: BoundProgram, name: str) -> int:
    """The position of the op whose first result has this name."""
    return next(
        op.id for op in program.ops if op.operation.results and op.operation.results[0].name == f"%{name}"
    )


def described(program: BoundProgram, name: str, *, inverse: bool = False) -> list[str]:
    """The maps of an op, as result, source and formula."""
    number = numbered(program, name)
    sources = map_sources(program, number)
    return [
        f"{item.result} {sources[item.operand].name} "
        + print_map(item.map, describe=lambda k: sources[k].name).partition(", domain")[0]
        for item in operation_maps(program, number, inverse=inverse)
    ]


def test_a_branch_is_a_union_with_what_chooses_it() -> None:
    program = load_program("""func.func @main(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = "stablehlo.if"(%c) ({
        %v = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
        stablehlo.return %v : tensor<4xf32>
      }, {
        %s = stablehlo.add %x, %y : tensor<4xf32>
        stablehlo.return %s : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }""")
    assert described(program, "r") == [
        "0 %c (d0) -> ()",
        "0 %x (d0) -> (-d0 + 3)",
        "0 %x (d0) -> (d0)",
        "0 %y (d0) -> (d0)",
    ]
    assert described(program, "r", inverse=True) == [
        "0 %c ()[s0] -> (s0)",
        "0 %x (d0) -> (-d0 + 3)",
        "0 %x (d0) -> (d0)",
        "0 %y (d0) -> (d0)",
    ]
    roles = [source.role for source in map_sources(program, numbered(program, "r"))]
    assert roles == ["operand", "captured", "captured"]


def test_operands_that_are_one_value_have_maps_of_their_own() -> None:
    program = load_program("""func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %v = stablehlo.reverse %b, dims = [0] : tensor<4xf32>
      %s = stablehlo.add %a, %v : tensor<4xf32>
      return %s : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = call @f(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }""")
    maps = operation_maps(program, numbered(program, "r"))
    assert [(item.operand, print_map(item.map).partition(",")[0]) for item in maps] == [
        (0, "(d0) -> (d0)"),
        (1, "(d0) -> (-d0 + 3)"),
    ]


def test_runtime_variables_are_read_from_operands_or_inside() -> None:
    program = load_program("""func.func private @f(%a: tensor<9xf32>, %i: tensor<i32>) -> tensor<2xf32> {
      %k = stablehlo.multiply %i, %i : tensor<i32>
      %s = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<9xf32>, tensor<i32>) -> tensor<5xf32>
      %t = stablehlo.dynamic_slice %s, %k, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
      return %t : tensor<2xf32>
    }
    func.func @main(%x: tensor<9xf32>, %j: tensor<i32>) -> tensor<2xf32> {
      %r = call @f(%x, %j) : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }""")
    number = numbered(program, "r")
    (item, _) = operation_maps(program, number)
    sources = map_sources(program, number)
    assert [variable.interval.upper for variable in item.map.runtimes] == [4, 3]
    assert [sources[variable.operand].name for variable in item.map.runtimes] == ["%j", "%k in %r"]
    assert [source.role for source in sources] == ["operand", "operand", "found"]


HLO_PARTS = """HloModule parts

then {
  t = (f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  r = f32[4] reverse(a), dimensions={0}
  ROOT o = (s32[], f32[4]) tuple(n, r)
}

otherwise {
  t = (f32[4], s32[]) parameter(0)
  a = f32[4] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  ROOT o = (s32[], f32[4]) tuple(n, a)
}

pair {
  a = f32[4] parameter(0)
  h = f32[2] slice(a), slice={[2:4]}
  ROOT o = (f32[2], f32[4]) tuple(h, a)
}

ENTRY main {
  x = f32[4] parameter(0)
  k = s32[] parameter(1)
  p = pred[] parameter(2)
  both = (f32[4], s32[]) tuple(x, k)
  chosen = (s32[], f32[4]) conditional(p, both, both), true_computation=then, false_computation=otherwise
  second = f32[4] get-tuple-element(chosen), index=1
  fused = (f32[2], f32[4]) fusion(second), kind=kLoop, calls=pair
  begun = ((f32[4]), (f32[2], f32[4]), u32[]) async-start(x), calls=pair
  ROOT ended = (f32[2], f32[4]) async-done(begun), calls=pair
}
"""


def test_parts_of_tuples_are_counted() -> None:
    program = load_program(HLO_PARTS)
    assert described(program, "both") == ["0 %x (d0) -> (d0)", "1 %k () -> ()"]
    assert described(program, "second") == ["0 %chosen#1 (d0) -> (d0)"]
    assert described(program, "chosen") == [
        "0 %p () -> ()",
        "0 %both#1 () -> ()",
        "0 %both#1 () -> ()",
        "1 %p (d0) -> ()",
        "1 %both#0 (d0) -> (-d0 + 3)",
        "1 %both#0 (d0) -> (d0)",
    ]
    assert described(program, "fused") == ["0 %second (d0) -> (d0 + 2)", "1 %second (d0) -> (d0)"]
    # The forwarded operand comes first, then the result.
    assert described(program, "begun") == ["0 %x (d0) -> (d0)", "1 %x (d0) -> (d0 + 2)", "2 %x (d0) -> (d0)"]
    assert described(program, "ended") == ["0 %begun#1#0 (d0) -> (d0)", "1 %begun#1#1 (d0) -> (d0)"]
    x = program.blocks[program.ops[numbered(program, "fused")].block].arguments[0]
    found = maps_between(program, program.ops[numbered(program, "fused")].results[0], x)
    assert [leaf_name(program, item.start) for item in found] == [
        "%fused#0",
        "%fused#0",
        "%fused#1",
        "%fused#1",
    ]


LOOP = """func.func private @body({arguments}) -> ({types}) {{
{lines}
  return {given} : {types}
}}
func.func @main({arguments}, %n: tensor<i32>) -> ({types}) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:{count} = stablehlo.while({carried}, %i = %zero) : {types}, tensor<i32>
    cond {{
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    }} do {{
      %b:{results} = func.call @body({inner}) : ({types}) -> ({types})
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return {made}, %j : {types}, tensor<i32>
    }}
  return {last} : {types}
}}
"""


def loop(random: Random, carried: int, steps: int) -> str:
    """A loop over values of one shape, whose body moves and adds elements."""
    shape = tuple(random.randint(1, 3) for _ in range(random.randint(1, 2)))
    arguments = [Named(f"%a{number}", shape) for number in range(carried)]
    body = Body(random, list(arguments), "b")
    for _ in range(steps):
        random.choice([body.reverse, body.transpose, body.binary, body.slice, body.concatenate])()
    same = [value for value in body.values if value.shape == shape]
    kind = type_of(shape)
    return LOOP.format(
        arguments=", ".join(f"{value.name}: {kind}" for value in arguments),
        types=", ".join([kind] * carried),
        lines="\n".join(body.lines),
        given=", ".join(random.choice(same[-4:]).name for _ in range(carried)),
        count=carried + 1,
        results=carried,
        carried=", ".join(f"%v{number} = {value.name}" for number, value in enumerate(arguments)),
        inner=", ".join(f"%v{number}" for number in range(carried)),
        made=", ".join(f"%b#{number}" if carried > 1 else "%b#0" for number in range(carried)),
        last=", ".join(f"%r#{number}" for number in range(carried)),
    )


def once_through(program: BoundProgram, carried: int) -> list[list[Matrix]]:
    """How each value returned by the body depends on each of its arguments."""
    block = program.blocks[program.functions["body"].block]
    shapes = [program.values[number].type.sizes for number in block.arguments]  # type: ignore[attr-defined]
    run = Run(program)
    run.block(block, [np.zeros(shape, np.int32) for shape in shapes])
    size = prod(shapes[0])
    found = []
    for number in block.arguments:
        known = run.related(block, {number: np.eye(size, dtype=np.bool_)})
        empty = np.zeros((size, size), np.bool_)
        found.append([known.get(value, empty) for value in block.operations[-1].operands])
    return [[found[start][end] for start in range(carried)] for end in range(carried)]


@given(RANDOM, st.integers(1, 3), st.integers(1, 5), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_loop_has_what_any_number_of_runs_make(
    random: Random, carried: int, steps: int, inverse: bool
) -> None:
    text = loop(random, carried, steps)
    note(text)
    program = load_program(text)
    once = np.block(once_through(program, carried))
    size = once.shape[0] // carried
    wanted = np.eye(once.shape[0], dtype=np.bool_)
    grown = np.zeros_like(wanted)
    while not np.array_equal(wanted, grown):
        grown = wanted
        wanted = wanted | (wanted @ once)
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.while")
    shape = program.values[program.ops[number].results[0]].type.sizes  # type: ignore[attr-defined]
    found = np.zeros_like(wanted)
    enclosing = False
    for item in operation_maps(program, number, inverse=inverse):
        if item.operand < carried and item.result < carried:
            pairs = matrix(item.map, shape, shape, [])
            rows, columns = (slice(k * size, (k + 1) * size) for k in (item.result, item.operand))
            found[rows, columns] |= pairs.T if inverse else pairs
            enclosing |= item.enclosing
    assert (found >= wanted).all()
    if not enclosing:
        assert np.array_equal(found, wanted)


def test_what_every_iteration_forwards_depends_on_itself_alone() -> None:
    program = load_program("""func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:3 = stablehlo.while(%i = %zero, %v = %x, %k = %w) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %go : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %u = stablehlo.multiply %v, %k : tensor<4xf32>
          stablehlo.return %j, %u, %k : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        }
      return %r#1 : tensor<4xf32>
    }""")
    number = next(op.id for op in program.ops if op.op.name == "stablehlo.while")
    sources = map_sources(program, number)
    found = [(item.result, sources[item.operand].name) for item in operation_maps(program, number)]
    assert [name for result, name in found if result == 2] == ["%w"]
    assert [name for result, name in found if result == 1] == ["%zero", "%x", "%w", "%n", "%one"]


def test_values_inside_are_reached_through_what_runs_them() -> None:
    program = load_program("""func.func private @f(%a: tensor<4xf32>) -> tensor<2xf32> {
      %v = stablehlo.reverse %a, dims = [0] : tensor<4xf32>
      %h = stablehlo.slice %v [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      return %h : tensor<2xf32>
    }
    func.func @main(%x: tensor<6xf32>) -> tensor<2xf32> {
      %s = stablehlo.slice %x [2:6] : (tensor<6xf32>) -> tensor<4xf32>
      %r = call @f(%s) : (tensor<4xf32>) -> tensor<2xf32>
      %t = stablehlo.negate %r : tensor<2xf32>
      return %t : tensor<2xf32>
    }""")
    names = {value.name: number for number, value in enumerate(program.values)}

    def between(start: str, end: str, *, inverse: bool = False) -> list[str]:
        found = maps_between(program, names[start], names[end], inverse=inverse)
        return [print_map(item.map).partition(", domain")[0] for item in found]

    assert between("%v", "%x") == ["(d0) -> (-d0 + 5)"]  # outwards
    assert between("%t", "%x") == ["(d0) -> (-d0 + 5)"]  # past it
    assert between("%x", "%h", inverse=True) == ["(d0) -> (-d0 + 5)"]  # inwards
    assert between("%x", "%t", inverse=True) == ["(d0) -> (-d0 + 5)"]
    assert between("%x", "%t") == []
    with pytest.raises(IndexError):
        maps_between(program, len(program.values), 0)


def test_functions_that_call_themselves_are_unknown_and_no_endless_work() -> None:
    program = load_program("""func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %v = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %v : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }""")
    assert described(program, "r") == ["0 %x unknown indexing"]
    bound = program.ops[numbered(program, "r")]
    assert maps_between(program, bound.results[0], bound.operands[0])
    (inner,) = program.blocks[program.functions["f"].block].operations[:1]
    assert maps_between(program, inner.results[0], bound.operands[0])


def test_a_deep_chain_of_functions_takes_no_frames() -> None:
    count = 600
    texts = [
        f"func.func private @f{n}(%a: tensor<4xf32>) -> tensor<4xf32> {{\n"
        f"  %v = func.call @f{n + 1}(%a) : (tensor<4xf32>) -> tensor<4xf32>\n  return %v : tensor<4xf32>\n}}"
        for n in range(count)
    ]
    last = f"func.func private @f{count}(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }}"
    main = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = call @f0(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
    program = load_program("\n".join([*texts, last, main]))
    assert described(program, "r") == ["0 %x (d0) -> (d0)"]


def test_more_maps_than_one_can_look_at_are_enclosed_by_one() -> None:
    count = MAX_MAPS + 5
    lines = ["%t0 = stablehlo.slice %x [0:9] : (tensor<80xf32>) -> tensor<9xf32>"]
    for number in range(1, count):
        place = f"[{number}:{number + 9}]"
        lines.append(f"%s{number} = stablehlo.slice %x {place} : (tensor<80xf32>) -> tensor<9xf32>")
        lines.append(f"%t{number} = stablehlo.add %t{number - 1}, %s{number} : tensor<9xf32>")
    program = load_program(
        "func.func @main(%x: tensor<80xf32>) -> tensor<9xf32> {\n"
        + "\n".join(lines)
        + f"\nreturn %t{count - 1} : tensor<9xf32>\n}}"
    )
    block = program.blocks[program.functions["main"].block]
    start, end = block.operations[-1].operands[0], block.arguments[0]
    (item,) = maps_between(program, start, end)
    assert item.enclosing
    assert print_map(item.map) == f"(d0)[s0] -> (s0), domain: d0 in [0, 8], s0 in [0, {count + 7}]"


@given(RANDOM, st.integers(1, 2), st.integers(1, 4), st.booleans())
@settings(max_examples=25, deadline=None)
def test_values_in_a_loop_are_those_of_any_iteration(
    random: Random, carried: int, steps: int, inverse: bool
) -> None:
    text = loop(random, carried, steps)
    note(text)
    program = load_program(text)
    once = np.block(once_through(program, carried))
    size = once.shape[0] // carried
    any_runs = np.eye(once.shape[0], dtype=np.bool_)
    for _ in range(once.shape[0]):
        any_runs = any_runs | (any_runs @ once)
    # The results of the call in any iteration, by the initial values.
    wanted = once @ any_runs
    call = next(
        op for op in program.ops if op.op.name == "func.call" and program.blocks[op.block].opener is not None
    )
    arguments = program.blocks[program.functions["main"].block].arguments
    chains = Chains(program)
    for result, argument in ((r, a) for r in range(carried) for a in range(carried)):
        start, end = call.results[result], arguments[argument]
        maps = maps_between(
            program, *((end, start) if inverse else (start, end)), inverse=inverse, chains=chains
        )
        shape = program.values[start].type.sizes  # type: ignore[attr-defined]
        found = np.zeros((size, size), np.bool_)
        for item in maps:
            found |= matrix(item.map, shape, shape, [])
        found = found.T if inverse else found
        known = wanted[result * size :, argument * size :][:size, :size]
        assert (found >= known).all()
        if not any(item.enclosing for item in maps):
            assert np.array_equal(found, known)
