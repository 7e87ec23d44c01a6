"""fusion, conditional and async pairs: ops that run computations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hloscope.engine.indexing import UNDEFINED, OperandMap
from hloscope.engine.ir.module import Region, Value
from hloscope.engine.ir.types import TokenType, TupleType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.op import Ask, RunRegion
from hloscope.engine.ops.core.values import is_tuple, leaves, tuple_of
from hloscope.engine.ops.hlo.async_computations import AsyncDone, AsyncStart, AsyncUpdate
from hloscope.engine.ops.hlo.computations import Conditional, Fusion, FusionKind
from tests.debugger.programs import recorded

from ..building import region, tensor
from .running import complaint, main, results

ROW = "tensor<2xf32>"
X = np.array([1, 2], np.float32)
FUSED = f"""
func.func private @fused(%a: {ROW}, %b: {ROW}) -> {ROW} {{
  %0 = stablehlo.add %a, %b : {ROW}
  %1 = stablehlo.negate %0 : {ROW}
  "stablehlo.return"(%1) : ({ROW}) -> ()
}}
"""


def fusion(calls: str = "fused", kind: str = "kLoop", given: str = f"{ROW}, {ROW}", made: str = ROW) -> str:
    body = f'%r = "hlo.fusion"(%x, %x) <{{calls = @{calls}, kind = "{kind}"}}> : ({given}) -> {made}'
    return FUSED + main(f"%x: {ROW}", body, made)


def test_fusions_are_stepped_into() -> None:
    recording = recorded(fusion(), [X])
    names = [recording.program.ops[op].operation.name for op in recording.tracks[0].op_column.tolist()]
    assert names == ["hlo.fusion", "stablehlo.add", "stablehlo.negate", "stablehlo.return", "func.return"]
    assert recording.tracks[0].depth_column.tolist() == [0, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (fusion("nothing"), "calls @nothing, which is not defined"),
        (
            fusion(made="tensor<3xf32>"),
            "calls @fused as (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>, but its type is (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
        ),
        (fusion(kind="kBig"), "attribute 'kind': kBig is none of kLoop, kInput, kOutput, kCustom"),
    ],
)
def test_fusions_fit_their_computation(text: str, message: str) -> None:
    assert complaint(text).endswith(message)


def test_what_a_fusion_reads_say_its_ops() -> None:
    row = tensor("2xf32")
    op = Fusion((row, row), (TupleType((row, row)),), "fused", FusionKind.OUTPUT)
    assert list(op.index_maps()) == [
        OperandMap(operand, UNDEFINED, result) for result in (0, 1) for operand in (0, 1)
    ]


def branch(op: str) -> str:
    return f"""{{
      ^bb0(%a: {ROW}):
        %b = {op} %a : {ROW}
        "stablehlo.return"(%b) : ({ROW}) -> ()
      }}"""


def conditional(index: str, *ops: str) -> str:
    operands = ", ".join(f"%x{number}" for number in range(len(ops)))
    types = ", ".join([ROW] * len(ops))
    branches = ", ".join(map(branch, ops))
    body = f'%r = "hlo.conditional"(%i, {operands}) ({branches}) : ({index}, {types}) -> {ROW}'
    arguments = ", ".join(f"%x{number}: {ROW}" for number in range(len(ops)))
    return main(f"%i: {index}, {arguments}", body, ROW)


def test_branches_take_operands_of_their_own_types() -> None:
    row, pair = tensor("2xf32"), TupleType((tensor("i32"), TokenType()))
    branches = (region(["2xf32"], ["2xf32"]), _taking(pair))
    op = Conditional(tensor("i1"), (row, pair), branches)
    assert first_broken_constraint(op, [row]) is None
    chosen = op.begin((np.asarray(False), X, tuple_of([X])))
    assert isinstance(chosen, Ask)
    assert isinstance(chosen.request, RunRegion)
    assert chosen.request.region == 1
    assert is_tuple(chosen.request.arguments[0])
    assert [found.operand for found in op.index_maps()] == [0]


def _taking(found: TupleType) -> Region:
    (block,) = region([], ["2xf32"]).blocks
    return Region((replace(block, arguments=(Value("b9", found),)),))


ROWS = region(["2xf32"], ["2xf32"])


@pytest.mark.parametrize(
    ("index", "operands", "branches", "message"),
    [
        (
            "2xi1",
            2,
            (ROWS, ROWS),
            "operand 0 must be one boolean or i32, which chooses a branch, not tensor<2xi1>",
        ),
        (
            "i64",
            2,
            (ROWS, ROWS),
            "operand 0 must be one boolean or i32, which chooses a branch, not tensor<i64>",
        ),
        ("i32", 0, (), "needs at least one branch"),
        ("i1", 3, (ROWS,) * 3, "a boolean chooses one of 2 branches, not of 3"),
        ("i1", 1, (ROWS,), "a boolean chooses one of 2 branches, not of 1"),
        ("i32", 1, (ROWS, ROWS), "has 2 branches, but operands for 1"),
        ("i32", 1, (region([], ["2xf32"]),), "branch 0 must take one argument, not 0"),
        ("i32", 1, (region(["2xf32"] * 2, ["2xf32"]),), "branch 0 must take one argument, not 2"),
        (
            "i32",
            1,
            (region(["3xf32"], ["2xf32"]),),
            "branch 0 takes tensor<3xf32>, but operand 1 is tensor<2xf32>",
        ),
        ("i32", 1, (region(["2xf32"], []),), "branch 0 must return one value, not 0"),
        (
            "i32",
            2,
            (ROWS, region(["2xf32"], ["3xf32"])),
            "branches 0 and 1 differ: one returns tensor<2xf32>, the other tensor<3xf32>",
        ),
    ],
)
def test_conditionals_have_rules(
    index: str, operands: int, branches: tuple[Region, ...], message: str
) -> None:
    op = Conditional(tensor(index), (tensor("2xf32"),) * operands, branches)
    assert first_broken_constraint(op, [tensor("2xf32")]) == ("", message)


def test_the_result_is_that_of_the_branches() -> None:
    op = Conditional(tensor("i32"), (tensor("2xf32"),), (ROWS,))
    assert first_broken_constraint(op, [tensor("3xf32")]) == ("", "the result must have shape [2], not [3]")


STARTED = f"tuple<tuple<{ROW}>, {ROW}, tensor<i32>>"


def test_what_is_started_runs_at_once() -> None:
    body = f"""
      %s = "hlo.async_start"(%x) ({branch("stablehlo.negate")}) : ({ROW}) -> {STARTED}
      %u = "hlo.async_update"(%s) : ({STARTED}) -> {STARTED}
      %d = "hlo.async_done"(%u) : ({STARTED}) -> {ROW}
      %r = stablehlo.tuple %u, %d : tuple<{STARTED}, {ROW}>"""
    (found,) = results(main(f"%x: {ROW}", body, f"tuple<{STARTED}, {ROW}>"), X)
    assert [value.tolist() for value in leaves(found)] == [[1, 2], [-1, -2], 0, [-1, -2]]
    assert not any(value.flags.writeable for value in leaves(found))


def started(*others: Any, given: Any = None, output: Any = None) -> TupleType:
    row = tensor("2xf32")
    return TupleType((given or TupleType((row,)), output or row, *others))


def test_starts_may_hold_anything_that_can_be_made_of_its_type() -> None:
    context = TupleType((TokenType(), tensor("3xui32")))
    op = AsyncStart((tensor("2xf32"),), ROWS, started(context))
    assert first_broken_constraint(op, [op.result]) is None
    (found,) = op.resume((X,), (X,))  # type: ignore[misc]
    assert [value.tolist() for value in leaves(found)] == [[1, 2], [1, 2], [], [0, 0, 0]]


@pytest.mark.parametrize(
    ("result", "computation", "message"),
    [
        (
            TupleType((TupleType((tensor("2xf32"),)),)),
            ROWS,
            "the result must be a tuple of the operands and the output, not tuple<tuple<tensor<2xf32>>>",
        ),
        (
            started(given=tensor("2xf32")),
            ROWS,
            "element 0 of the result must be the operands, tuple<tensor<2xf32>>, not tensor<2xf32>",
        ),
        (
            started(output=tensor("3xf32")),
            ROWS,
            "element 1 of the result must be the output, tensor<2xf32>, not tensor<3xf32>",
        ),
        (
            started(tensor("?xf32")),
            ROWS,
            "element 2 of the result must be of tensors of known sizes or tokens, not tensor<?xf32>",
        ),
        (
            started(),
            region(["3xf32"], ["2xf32"]),
            "the computation takes [tensor<3xf32>], but the operands are [tensor<2xf32>]",
        ),
        (started(), region(["2xf32"], []), "the computation must return one value, not 0"),
    ],
)
def test_async_starts_have_rules(result: TupleType, computation: Region, message: str) -> None:
    op = AsyncStart((tensor("2xf32"),), computation, result)
    assert first_broken_constraint(op, [result]) == ("", message)


@pytest.mark.parametrize("op_class", [AsyncUpdate, AsyncDone])
def test_only_what_was_started_is_waited_for(op_class: Any) -> None:
    operand = TupleType((tensor("2xf32"), tensor("2xf32")))
    message = f"operand must be a result of async-start, ((operands), output, …), not {operand}"
    assert first_broken_constraint(op_class(operand)) == ("", message)
    assert first_broken_constraint(op_class(started()), [op_class(started()).infer()]) is None
