"""Every op on types of sizes that are unknown, bounded or 0: each question is answered, or refused, and never fails."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.app.base.logs import describe_error
from hloscope.app.runs.launching import ArgumentSource, choose_grid, launch
from hloscope.engine.chains.forwarding import own_maps
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.module import Block, Function, Module, Operation, Region, Value
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.limits import Limits
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.packed import Packed
from hloscope.engine.ops.specialise import specialise_op
from hloscope.engine.verifier import verify
from tests.programs import load_program

from .asking import ask, questions
from .stated_operations import Stated, every_stated

Size = tuple[int | None, int | None]
"""A size and a bound, each perhaps unknown."""
Change = Callable[[int | None], Size]
SMALL = Limits(
    max_tensor_bytes=1 << 20,
    session_memory_bytes=1 << 24,
    recording_bytes=1 << 22,
    op_flops=10_000_000,
    max_processes=8,
)
TERMINATORS = {"func.return", "stablehlo.return"}
NAMES = sorted({op.name for op in OPS} - TERMINATORS)
WAYS = ("as stated", "unknown", "bounded", "empty", "one for each size", "any")


def _changes(way: str, chance: random.Random) -> Change:
    """How the sizes of all types of an operation change."""
    known: dict[int | None, Size] = {}

    def options(size: int | None) -> list[Size]:
        return [(size, None), (None, None), (None, 4 if size is None else size), (0, None)]

    def change(size: int | None) -> Size:
        if way == "any":
            return chance.choice(options(size))
        if way == "one for each size":
            return known.setdefault(size, chance.choice(options(size)))
        return options(size)[WAYS.index(way)]

    return change


def _changed(found: Type, change: Change) -> Type:
    if isinstance(found, TupleType):
        return replace(found, types=tuple(_changed(part, change) for part in found.types))
    if not isinstance(found, TensorType):
        return found
    sizes = [change(size) for size in found.shape]
    bounds = tuple(bound for _, bound in sizes)
    is_bounded = any(bound is not None for bound in bounds)
    return replace(
        found, shape=tuple(size for size, _ in sizes), bounds=bounds if is_bounded else None, layout=None
    )


def _probe(stated: Stated, change: Change) -> Module:
    """The module with one more function, which has the operation alone, on arguments of changed types."""
    operation = stated.operation
    operands = {value.name: replace(value, type=_changed(value.type, change)) for value in operation.operands}
    outer = _captured((region for region in operation.regions if not region.function), frozenset())
    arguments = tuple({**outer, **operands}.values())
    results = tuple(replace(value, type=_changed(value.type, change)) for value in operation.results)
    changed = replace(
        operation, operands=tuple(operands[value.name] for value in operation.operands), results=results
    )
    end = Operation("func.return", results, (), span=operation.span, name_span=operation.name_span)
    body = Region((Block(arguments, (changed, end)),))
    probe = Function("probe", arguments, tuple(value.type for value in results), body)
    return replace(stated.module, functions=(*stated.module.functions, probe))


def _captured(regions: Iterable[Region], around: frozenset[str]) -> Mapping[str, Value]:
    """The values from around that regions read."""
    found: dict[str, Value] = {}
    for block in (block for region in regions for block in region.blocks):
        known = around | {argument.name for argument in block.arguments}
        for operation in block.operations:
            found |= {value.name: value for value in operation.operands if value.name not in known}
            found |= _captured(operation.regions, known)
            known |= {value.name for value in operation.results}
    return found


def _asked(op: Op, *, has_sizes: bool) -> Counter[str]:
    """How often each question was answered; of a tuple of results also by the op that has them apart."""
    found: Counter[str] = Counter()
    for each in (op, op.twin) if isinstance(op, Packed) else (op,):
        for name in questions(each, has_sizes=has_sizes):
            try:
                ask(each, name)
            except ProgramError:
                continue
            found[name] += 1
    return found


def _try(stated: Stated, change: Change) -> Counter[str]:
    """Checks, asks, runs and asks again; what was answered."""
    program = verify(_probe(stated, change), op_table(), SMALL).program
    if program is None:
        return Counter(refused=1)
    function = program.functions["probe"]
    bound = program.blocks[function.block].operations[0]
    found = Counter(taken=1) + _asked(bound.op, has_sizes=not bound.dynamic)
    for inverse in (False, True):
        assert isinstance(list(own_maps(program, bound, inverse=inverse)), list)
    try:
        grid = choose_grid(program, function, SMALL)
        given = [ArgumentSource()] * len(function.function.arguments)
        start = launch(program, function, grid, given, {}, SMALL)
        with np.errstate(all="ignore"):
            ran = Recording(program, start, SMALL, "probe").record(steps=200).kind == "done"
        found["ran"] += ran
        if ran and bound.dynamic:
            names = [value.name for value in function.function.arguments]
            values = [start.inputs[0][names.index(value.name)] for value in bound.operation.operands]
            found += _asked(specialise_op(bound.op, values), has_sizes=True)
    except ProgramError:
        pass
    return found


@settings(max_examples=300)
@given(st.sampled_from(NAMES), st.sampled_from(WAYS), st.randoms(use_true_random=False), st.data())
def test_every_question_is_answered_or_refused(
    name: str, way: str, chance: random.Random, data: st.DataObject
) -> None:
    stated = data.draw(st.sampled_from(every_stated()[name][:3]))
    _try(stated, _changes(way, chance))


@pytest.mark.long
def test_every_question_of_every_op(record_property: Callable[[str, object], None]) -> None:
    total: Counter[str] = Counter()
    faults: list[str] = []
    for name in NAMES:
        for place, stated in enumerate(every_stated()[name][:4]):
            for turn in range(24):
                way = WAYS[turn % len(WAYS)]
                try:
                    total += _try(stated, _changes(way, random.Random(turn)))
                except Exception as error:  # all of them are wanted, not only the first
                    faults.append(f"{name}, program {place}, {way}, turn {turn}\n{describe_error(error)}")
    assert not faults, "\n\n".join(faults)
    counts = f"{total.pop('taken'):,} taken, {total.pop('refused'):,} refused, {total.pop('ran'):,} ran"
    answers = f"{total.total():,} answers to {len(total)} questions"
    record_property("measured", f"open and empty types of {len(NAMES)} ops: {counts}; {answers}")


def test_questions_are_found_by_looking() -> None:
    asked = {question for items in every_stated().values() for question in _of_example(items[0])}
    expected = {
        "constraints",
        "infer",
        "cost",
        "index_maps",
        "inverse_index_maps",
        "drawing.dimension_roles",
        "callees",
    }
    assert asked >= expected | {"peers", "channel", "known_numbers", "likely", "known_results", "unrunnable"}


def _of_example(stated: Stated) -> set[str]:
    return set(questions(_bound(stated.module, stated.operation), has_sizes=True))


def _bound(module: Module, operation: Operation) -> Op:
    program = verify(module, op_table()).program
    assert program is not None
    return next(bound.op for bound in program.ops if bound.operation is operation)


def _failure(text: str) -> str:
    """Why a run of made-up inputs ends."""
    program = load_program(text)
    function = program.entry
    assert function is not None
    given = [ArgumentSource()] * len(function.function.arguments)
    grid = choose_grid(program, function, SMALL)
    state = Recording(program, launch(program, function, grid, given, {}, SMALL), SMALL).record()
    assert state.kind == "failed"
    assert state.diagnostic is not None
    return state.diagnostic.message


def test_batch_norm_training_of_unknown_size() -> None:
    text = """HloModule m
ENTRY e {
  x = f32[<=4,2] parameter(0)
  s = f32[2] parameter(1)
  o = f32[2] parameter(2)
  ROOT r = (f32[<=4,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1
}
"""
    assert any(bound.dynamic for bound in load_program(text).ops)


@pytest.mark.parametrize(
    "line",
    [
        "stablehlo.reshape %x : (tensor<4xf32>) -> TYPE",
        "stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> TYPE",
    ],
)
def test_sizes_that_nothing_states_end_a_run(line: str) -> None:
    type = "tensor<?x4xf32, #stablehlo.bounds<3, ?>>"
    text = f"func.func @main(%x: tensor<4xf32>) -> {type} {{\n  %0 = {line}\n  return %0 : {type}\n}}\n"
    assert "leaves some of them open" in _failure(text.replace("TYPE", type))


def test_scales_for_another_size_end_a_run() -> None:
    quantized = "tensor<?x3x!quant.uniform<i8:f32:0, {0.1,0.2}>>"
    text = f"""func.func @main(%x: {quantized}) -> tensor<?x3xf32> {{
  %0 = stablehlo.uniform_dequantize %x : ({quantized}) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}}
"""
    assert _failure(text).startswith("dimension 0 has size 4, but there are 2 scales")


def test_copies_with_another_bound_have_maps() -> None:
    text = "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  ROOT c = f32[<=2] copy(p)\n}\n"
    program = load_program(text)
    copy = next(bound for bound in program.ops if bound.operation.opcode == "copy")
    for inverse in (False, True):
        assert [(found.operand, found.result) for found in own_maps(program, copy, inverse=inverse)] == [
            (0, 0)
        ]
