"""while, if, case and call: what they ask for, in which order, and what they make of the answers."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from hloscope.engine.ops.control_flow.control_flow import Loop
from hloscope.engine.ops.control_flow.functions import FuncReturn, Return
from hloscope.engine.ops.core.op import Array, Ask, AskingOp, RunRegion

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


@pytest.mark.parametrize(("index", "chosen"), [(0, 0), (1, 1), (2, 2), (-1, 2), (3, 2), (-(2**31), 2)])
def test_case_runs_the_last_branch_where_there_is_none(index: int, chosen: int) -> None:
    op = asking(bound(operation("case", ["i32"], ["i32"], [region([], ["i32"])] * 3)))
    assert request(op.begin((np.asarray(index, np.int32),))) == RunRegion(chosen, ())


def test_a_while_has_maps_that_say_that_they_are_unknown() -> None:
    assert [found.map.is_undefined for found in loop().index_maps()] == [True]


def test_returns_end_a_block() -> None:
    for name, op_class in (("func.return", FuncReturn), ("stablehlo.return", Return)):
        op = bound(operation(name, ["f32", "i1"]))
        assert isinstance(op, op_class)
        assert op.traits.is_terminator
        assert op.operand_types == (tensor("f32"), tensor("i1"))
