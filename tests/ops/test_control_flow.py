"""while, if, case and call: what they ask for, in which order, and what they make of the answers."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.attributes import SymbolAttribute
from hloscope.engine.ops.control_flow.control_flow import Loop
from hloscope.engine.ops.control_flow.functions import Call, FuncReturn, Return
from hloscope.engine.ops.core.op import Array, Ask, AskingOp, CallFunction, RunRegion

from .building import bound, operation, region, tensor


def asking(stated: object) -> AskingOp:
    assert isinstance(stated, AskingOp)
    return stated


def loop() -> AskingOp:
    """A `while` over one i64."""
    return asking(
        bound(operation("while", ["i64"], ["i64"], [region(["i64"], ["i1"]), region(["i64"], ["i64"])]))
    )


def request(step: Ask | tuple[Array, ...]) -> RunRegion:
    assert isinstance(step, Ask)
    assert isinstance(step.request, RunRegion)
    return step.request


def test_while_alternates_between_its_regions() -> None:
    """The specification's example: i counts to 10 by ones."""
    op, value = loop(), np.int64(0)
    step = op.begin((np.asarray(value),))
    asked = []
    while isinstance(step, Ask):
        made = request(step)
        asked.append((made.region, made.iteration, int(made.arguments[0])))
        (argument,) = made.arguments
        step = op.resume(step.state, (np.asarray(argument < 10 if made.region == 0 else argument + 1),))
    assert [int(result) for result in step] == [10]
    assert asked[:4] == [(0, 0, 0), (1, 0, 0), (0, 1, 1), (1, 1, 1)]
    assert asked[-1] == (0, 10, 10)


def test_while_may_run_its_body_never() -> None:
    op = loop()
    step = op.begin((np.asarray(3),))
    assert isinstance(step, Ask)
    assert op.resume(step.state, (np.asarray(False),)) == (np.asarray(3),)


def test_the_state_of_a_while_is_data() -> None:
    """A checkpoint keeps a state and goes on from it, more than once."""
    op = loop()
    step = op.begin((np.asarray(3),))
    assert isinstance(step, Ask)
    assert isinstance(step.state, Loop)
    with pytest.raises(FrozenInstanceError):
        step.state.iteration = 5  # type: ignore[misc]
    first, second = (op.resume(step.state, (np.asarray(True),)) for _ in range(2))
    assert first == second
    assert request(first).region == 1


@pytest.mark.parametrize(("pred", "chosen"), [(True, 0), (False, 1)])
def test_if_runs_one_branch(pred: bool, chosen: int) -> None:
    op = asking(bound(operation("if", ["i1"], ["i32"], [region([], ["i32"])] * 2)))
    step = op.begin((np.asarray(pred),))
    assert request(step) == RunRegion(chosen, ())
    answer = (np.asarray(10, np.int32),)
    assert isinstance(step, Ask)
    assert op.resume(step.state, answer) == answer


@pytest.mark.parametrize(("index", "chosen"), [(0, 0), (1, 1), (2, 2), (-1, 2), (3, 2), (-(2**31), 2)])
def test_case_runs_the_last_branch_where_there_is_none(index: int, chosen: int) -> None:
    op = asking(bound(operation("case", ["i32"], ["i32"], [region([], ["i32"])] * 3)))
    assert request(op.begin((np.asarray(index, np.int32),))) == RunRegion(chosen, ())


def test_the_choice_of_a_branch_reaches_every_element() -> None:
    op = bound(operation("if", ["i1"], ["2x3xf32"], [region([], ["2x3xf32"])] * 2))
    (forwards,), (backwards,) = list(op.index_maps()), list(op.inverse_index_maps())
    assert BoundMap(forwards.map, (None,)).elements((1, 2)).indices.tolist() == [[]]
    assert len(BoundMap(backwards.map, (None,)).elements(()).indices) == 6


def test_a_while_has_maps_that_say_that_they_are_unknown() -> None:
    assert [found.map.is_undefined for found in loop().index_maps()] == [True]


@pytest.mark.parametrize("name", ["func.call", "call"])
def test_call_asks_for_its_function(name: str) -> None:
    op = bound(operation("func.call", ["f32"], ["2xf32", "i1"], callee=SymbolAttribute("f")))
    assert isinstance(op, Call)
    assert op.results == (tensor("2xf32"), tensor("i1"))
    operands = (np.asarray(1.0, np.float32),)
    assert op.begin(operands) == Ask(None, CallFunction("f", operands))
    assert op.resume(None, operands) == operands


def test_returns_end_a_block() -> None:
    for name, op_class in (("func.return", FuncReturn), ("stablehlo.return", Return)):
        op = bound(operation(name, ["f32", "i1"]))
        assert isinstance(op, op_class)
        assert op.traits.is_terminator
        assert op.operand_types == (tensor("f32"), tensor("i1"))
