"""Values forwarded unchanged, copies in two parts, and constants that are tuples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import UnboundResults
from hloscope.engine.indexing import UNDEFINED, IndexMap, OperandMap
from hloscope.engine.ir.attributes import ArrayAttribute, Attribute, DenseAttribute, ResourceAttribute
from hloscope.engine.ir.types import TupleType
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.core.values import is_tuple, leaves, tuple_of
from hloscope.engine.ops.hlo.copies import CopyDone, CopyStart
from hloscope.engine.ops.hlo.hlo_identities import Copy
from hloscope.engine.ops.hlo.starts_and_ends import U32
from hloscope.engine.ops.hlo.tuple_values import TupleConstant, TupleSelect
from hloscope.engine.outside_results import bindings_of, outside_results
from hloscope.engine.process_grid import results_of
from tests.programs import load_program

from ..building import tensor
from ..running import run
from .running import complaint, main, results

ROW, NUMBER = "tensor<2xf32>", "tensor<i32>"
PAIR = f"tuple<{ROW}, {NUMBER}>"
X = np.array([1, 2], np.float32)


def test_copy_gives_what_it_takes() -> None:
    text = main(f"%x: {ROW}", f'%r = "hlo.copy"(%x) : ({ROW}) -> {NUMBER}', NUMBER)
    assert complaint(text) == "op 'hlo.copy': the result must hold f32, not i32"
    text = main(f"%x: {ROW}", '%r = "hlo.copy"(%x) : (tensor<2xf32>) -> tensor<3xf32>', "tensor<3xf32>")
    assert complaint(text) == "op 'hlo.copy': the result must have shape [2], not [3]"


def test_copies_of_open_sizes_have_maps_that_say_so() -> None:
    row, pair = tensor("2xf32"), TupleType((tensor("2xf32"),))
    assert list(Copy(row).index_maps()) == [OperandMap(0, IndexMap.identity((2,)))]
    assert list(Copy(tensor("?xf32")).index_maps()) == [OperandMap(0, UNDEFINED)]
    assert list(Copy(pair).inverse_index_maps()) == [OperandMap(0, IndexMap.identity((2,)))]
    assert [found.result for found in CopyStart(row).index_maps()] == [0, 1]
    assert len(list(CopyDone(TupleType((row, row, U32))).inverse_index_maps())) == 1


def test_copies_of_tuples_are_started_as_a_whole() -> None:
    pair = TupleType((tensor("2xf32"), tensor("i32")))
    op = CopyStart(pair)
    assert op.infer() == TupleType((pair, pair, U32))
    value = tuple_of([X, np.array(3, np.int32)])
    started = op.evaluate(value)
    assert CopyDone(op.infer()).evaluate(started) is value


@pytest.mark.parametrize(
    "types",
    [
        (),
        (tensor("2xf32"), tensor("2xf32")),
        (tensor("2xf32"), tensor("3xf32"), U32),
        (tensor("2xf32"), tensor("2xf32"), tensor("i32")),
    ],
)
def test_copy_done_takes_what_copy_start_gives(types: Any) -> None:
    operand = TupleType(types)
    message = f"operand must be a tuple of the copy, the original and tensor<ui32>, not {operand}"
    assert first_broken_constraint(CopyDone(operand)) == ("", message)


def literal(values: Any, text: str) -> DenseAttribute:
    found = tensor(text)
    return DenseAttribute(found, np.array(values, found.element_type.dtype))


def constant(*parts: Attribute) -> ArrayAttribute:
    return ArrayAttribute(parts)


NESTED = TupleType((tensor("2xf32"), TupleType((tensor("i32"), TupleType(())))))


def test_constants_may_be_tuples() -> None:
    value = constant(literal([1, 2], "2xf32"), constant(literal(3, "i32"), constant()))
    op = TupleConstant(value, NESTED)
    assert first_broken_constraint(op, [NESTED]) is None
    assert op.outside is None
    (found,) = run(op)
    assert found[0].tolist() == [1, 2]
    assert found[1][0] == 3
    assert is_tuple(found[1][1])
    assert found[1][1].shape == (0,)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (constant(literal([1, 2], "2xf32")), "tuple<tensor<2xf32>>"),
        (
            constant(literal([1], "1xf32"), constant(literal(3, "i32"), constant())),
            "tuple<tensor<1xf32>, tuple<tensor<i32>, tuple<>>>",
        ),
        (constant(literal([1, 2], "2xf32"), Attribute()), "no list of literals"),
    ],
)
def test_tuple_constants_are_of_their_type(value: ArrayAttribute, shown: str) -> None:
    message = f"value is {shown}, but the result {NESTED}"
    assert first_broken_constraint(TupleConstant(value, NESTED)) == ("", message)


def test_tuple_constants_that_are_left_out_stop_a_run() -> None:
    pair = TupleType((tensor("i32"), tensor("2xf32")))
    value = constant(literal(3, "i32"), ResourceAttribute("{...}", tensor("2xf32")))
    op = TupleConstant(value, pair)
    assert first_broken_constraint(op, [pair]) is None
    assert op.outside == "{...}"
    with pytest.raises(UnboundResults, match="its values were left out") as raised:
        op.evaluate()
    assert "print_large_constants" in (raised.value.hint or "")


def test_tuples_that_are_left_out_may_be_given() -> None:
    held = f"[dense_resource<a> : {ROW}, dense<3> : {NUMBER}]"
    text = main("", f'%r = "hlo.constant"() <{{value = {held}}}> : () -> {PAIR}', PAIR)
    found = load_program(text)
    assert found.entry is not None
    (asked,) = outside_results(found, found.entry)
    assert str(asked.type) == PAIR
    bindings = bindings_of(found, (asked,), {asked: tuple_of([X, np.array(4, np.int32)])})
    (given,) = results_of(found, [], bindings=bindings)
    assert [value.tolist() for value in leaves(given)] == [[1, 2], 4]


@pytest.mark.parametrize(("chosen", "wanted"), [(True, [[1, 2], 3]), (False, [[5, 6], 7])])
def test_select_between_tuples(chosen: bool, wanted: list[Any]) -> None:
    body = f"""
      %t = stablehlo.tuple %x, %n : {PAIR}
      %f = stablehlo.tuple %y, %m : {PAIR}
      %r = "hlo.tuple_select"(%p, %t, %f) : (tensor<i1>, {PAIR}, {PAIR}) -> {PAIR}"""
    arguments = f"%p: tensor<i1>, %x: {ROW}, %n: {NUMBER}, %y: {ROW}, %m: {NUMBER}"
    inputs = (chosen, X, np.int32(3), X + 4, np.int32(7))
    (found,) = results(main(arguments, body, PAIR), *inputs)
    assert [value.tolist() for value in leaves(found)] == wanted


def test_select_between_tuples_has_rules() -> None:
    one, other = TupleType((tensor("2xf32"),)), TupleType((tensor("3xf32"),))
    message = "on_true is tuple<tensor<2xf32>>, but on_false tuple<tensor<3xf32>>"
    assert first_broken_constraint(TupleSelect(tensor("i1"), one, other)) == ("", message)
    message = "pred must be tensor<i1>, not tensor<2xi1>"
    assert first_broken_constraint(TupleSelect(tensor("2xi1"), one, one)) == ("", message)
