"""What must hold of every op, on random valid calls of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import OperandMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.exchanges import PeerValues
from hloscope.engine.ops.core.map_operands import map_operands
from hloscope.engine.ops.core.op import Array, Op, shapes_agree
from hloscope.engine.ops.core.scalars import as_tensor
from hloscope.engine.ops.data_movement.data_movement import Transpose

from .cases import CASES, DRAWN, WITHOUT_CASES, Case, elements
from .cases.worked_examples import calls_in_example
from .running import run, tensor

WITHOUT_OPERANDS = {
    "sdy.constant",
    "stablehlo.constant",
    "stablehlo.iota",
    "stablehlo.dynamic_iota",
    "chlo.constant",
}
WITHOUT_OPERANDS |= {"arith.constant", "shape.const_shape", "shape.const_size"}
# Other shapes may not broadcast, other sizes make another tensor.
WITHOUT_OPERANDS |= {"shape.broadcast", "shape.cstr_broadcastable", "tensor.empty"}
WITH_OPERANDS = pytest.mark.parametrize("name", sorted({*CASES} - WITHOUT_OPERANDS))
EVERY_OP = pytest.mark.parametrize("name", sorted(CASES))
FEW = settings(max_examples=25)
Index = tuple[int, ...]


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


@EVERY_OP
@FEW
@given(data=st.data())
def test_types_are_those_of_the_values_and_each_dimension_has_a_role(name: str, data: st.DataObject) -> None:
    case = data.draw(CASES[name])
    assert first_broken_constraint(case.op) is None
    check_roles(case.op)
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


@pytest.mark.more
@WITH_OPERANDS
@FEW
@given(data=st.data())
def test_a_disturbed_element_changes_the_results_that_read_it(name: str, data: st.DataObject) -> None:
    """Both maps name the results that change."""
    case = data.draw(CASES[name].filter(disturbable))
    number = data.draw(st.sampled_from(disturbable(case)))
    place = tuple(data.draw(st.integers(0, size - 1)) for size in case.operands[number].shape)
    disturbed = with_element(case, number, place, data)
    before, after = run(case.op, *case.operands), run(case.op, *disturbed)
    for result, (old, new) in enumerate(zip(before, after, strict=True)):
        changed = {index for index in indices(old.shape) if old[index].tobytes() != new[index].tobytes()}
        # Where the element is an index, it is other results that read it afterwards.
        readers = set().union(
            *(
                readers_of(case.op, number, result, place, old.shape, operands)
                for operands in (case.operands, disturbed)
            )
        )
        assert changed <= readers


def disturbable(case: Case) -> list[int]:
    """The operands that may have another element somewhere."""
    return [k for k, value in enumerate(case.operands) if value.size and k not in case.settling]


def readers_of(
    op: Op, operand: int, result: int, place: Index, shape: Index, operands: tuple[Array, ...]
) -> set[Index]:
    """The indices of a result that read one element of an operand: both maps must name them."""
    bound = map_operands(op, operands, fetch_peers=lambda: PeerValues((operands,), 0))
    readers = elements_of(op.inverse_index_maps(), operand, result, place, bound)
    reading = {
        index
        for index in indices(shape)
        if place in elements_of(op.index_maps(), operand, result, index, bound)
    }
    assert readers == reading
    return readers


def with_element(case: Case, number: int, place: Index, data: st.DataObject) -> tuple[Array, ...]:
    """The operands with another element at one place."""
    found = as_tensor(case.op.operand_types[number])
    assert isinstance(found, TensorType)
    old = case.operands[number][place]
    new = data.draw(elements(found.element_type).filter(lambda value: value.tobytes() != old.tobytes()))
    changed = np.array(case.operands[number])
    changed[place] = new[()]
    return (*case.operands[:number], changed, *case.operands[number + 1 :])


def indices(shape: tuple[int, ...]) -> list[Index]:
    return list(product(*map(range, shape)))


def elements_of(
    maps: Any, operand: int, result: int, index: Index, operands: tuple[Array | None, ...]
) -> set[Index]:
    """What the maps between one operand and one result give for an index."""
    found: set[Index] = set()
    for each in maps:
        assert isinstance(each, OperandMap)
        if (each.operand, each.result) == (operand, result):
            read = BoundMap(each.map, tuple(operands)).elements(index)
            assert read.complete
            found |= {tuple(row) for row in read.indices.tolist()}
    return found
