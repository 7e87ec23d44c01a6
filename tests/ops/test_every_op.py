"""What must hold of every op, on random valid calls of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.op import Op, shapes_agree
from hloscope.engine.ops.core.scalars import as_tensor
from hloscope.engine.ops.data_movement.data_movement import Transpose

from .cases import CASES, DRAWN, WITHOUT_CASES, Case
from .cases.worked_examples import calls_in_example
from .running import run, tensor
from .test_error_bounds import FEW, MANY, check_bounds

DRAWS_NUMBERS = {"stablehlo.rng", "hlo.rng"}
"""Ops that give other numbers in each run."""


def test_cases_are_those_of_ops() -> None:
    assert (
        DRAWN.keys() | WITHOUT_CASES.keys()
        <= {found.name for found in OPS}
        == CASES.keys() | WITHOUT_CASES.keys()
    )


@settings(max_examples=10)
@given(calls_in_example("stablehlo.transpose"))
def test_calls_in_an_example_have_its_types_and_any_values(case: Case) -> None:
    operand = tensor((2, 3, 2), "i32")
    assert case.op == Transpose(operand, (2, 1, 0), operand)
    (value,) = case.operands
    assert value.dtype == np.int32
    assert value.shape == (2, 3, 2)


def test_names_are_unique() -> None:
    names = [name for found in OPS for name in (found.name, *found.aliases)]
    assert len(names) == len(set(names)) == len(op_table())


EVERY_OP = pytest.mark.parametrize("name", sorted(CASES))
SEEDS = st.integers(0, 100)


@EVERY_OP
@FEW
@given(data=st.data(), seed=SEEDS)
def test_types_are_those_of_the_values_each_dimension_has_a_role_and_errors_are_bounded(
    name: str, data: st.DataObject, seed: int
) -> None:
    check(data.draw(CASES[name]), seed)


@pytest.mark.long
@EVERY_OP
@MANY
@given(data=st.data(), seed=SEEDS)
def test_that_holds_of_many_calls(name: str, data: st.DataObject, seed: int) -> None:
    check(data.draw(CASES[name]), seed)


def check(case: Case, seed: int) -> None:
    check_types(case)
    check_roles(case.op)
    if case.op.name not in DRAWS_NUMBERS:
        check_bounds(case, seed)


def check_types(case: Case) -> None:
    """The results of the op have the types that it infers."""
    assert first_broken_constraint(case.op) is None
    inferred = case.op.infer() or vars(case.op)["result"]  # or only the text says it
    types = inferred if isinstance(inferred, tuple) else (inferred,)
    for value, found in zip(run(case.op, *case.operands), map(as_tensor, types), strict=True):
        assert isinstance(found, TensorType)
        assert isinstance(value, np.ndarray)
        assert value.dtype == found.element_type.dtype
        assert shapes_agree(value.shape, found.shape)
        assert found.is_static or case.op.name.startswith("shape.")


def check_roles(op: Op) -> None:
    """Each dimension of each operand and result has a role."""
    operands, results = op.drawing.dimension_roles(op)
    assert [len(found) for found in operands] == list(map(rank_of, op.operand_types))
    assert [len(found) for found in results] == list(map(rank_of, op.known_results))
    assert all(isinstance(role, str) for names in (*operands, *results) for role in names)


def rank_of(found: Type) -> int:
    return found.rank if isinstance(found, TensorType) else 0
