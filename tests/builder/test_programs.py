"""Composition of computations: names, embedding, tracing, locations, repeated builds."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from hloscope.engine.builder import BuilderError, XlaBuilder, XlaComputation, XlaOp
from hloscope.engine.ir.locations import FileLocation
from hloscope.engine.ir.module import Function
from tests.debugger.programs import recorded

from .running import built, run, run_hlo, run_stablehlo, same


def scalar_add() -> XlaComputation:
    b = XlaBuilder("add")
    b.add(b.parameter(0, "f32[]", "x"), b.parameter(1, "f32[]", "y"))
    return b.build()


def names(function: Function) -> list[str]:
    assert function.body
    made = [value.name for op in function.body.block.operations for value in op.results]
    return [*(value.name for value in function.arguments), *made]


def test_embedded_computation() -> None:
    """It comes before its user; names are unique in the program and numbered in the order of calls."""
    add, b = scalar_add(), XlaBuilder("sums")
    x = b.parameter(0, "f32[2,3]", "x")
    b.tuple([b.reduce(x, 0.0, add, [0]), b.reduce(x, 0.0, add, [1])])
    module = b.build().module
    assert [(function.name, function.visibility) for function in module.functions] == [
        ("add", "private"),
        ("sums", "public"),
    ]
    inner, outer = module.functions
    assert names(inner) == ["%x.3", "%y.4", "%add.5"]
    assert names(outer) == ["%x.1", "%constant.2", "%reduce.6", "%constant.7", "%reduce.8", "%tuple.9"]
    assert inner.body
    assert outer.body
    reduces = [op for op in outer.body.block.operations if op.opcode == "reduce"]
    assert all(op.regions[0].block is inner.body.block for op in reduces)
    assert all(op.regions[0].function == "add" for op in reduces)


def test_computations_with_the_same_name() -> None:
    b = XlaBuilder("main")
    x = b.parameter(0, "f32[3]")
    b.tuple([b.reduce_all(x, 0.0, lambda p, q: p + q), b.reduce_all(x, 1.0, lambda p, q: p * q)])
    computation = b.build()
    assert [function.name for function in computation.functions] == ["region", "region.1", "main"]
    same(computation.run([2, 3, 4]), (9, 24))


def test_computation_with_the_name_of_its_user() -> None:
    b = XlaBuilder("add")
    b.call(scalar_add(), b.parameter(0, "f32[]"), b.constant(1.0))
    computation = b.build()
    assert [function.name for function in computation.functions] == ["add.1", "add"]
    assert computation.run(2) == 3
    assert computation.as_stablehlo_text().count("func.func") == 2


def test_computations_in_computations() -> None:
    def inner(x: XlaOp) -> XlaOp:
        total: XlaOp = x.builder.reduce_all(x, 0.0, scalar_add())
        return total

    def build(b: XlaBuilder) -> XlaOp:
        x = b.constant([1.0, 2, 3])
        twice = b.call(lambda y: y.builder.call(inner, y) + y.builder.call(inner, y), x)
        return twice + b.call(inner, x)

    assert run(build) == 18


def test_names_are_those_of_hlo() -> None:
    b = XlaBuilder("my program!")
    b.neg(b.parameter(0, "f32[]", "π x"))
    computation = b.build()
    assert computation.name == "my_program_"
    assert names(computation.function) == ["%__x.1", "%negate.2"]
    assert run_hlo(computation, 1.0) == [-1]


def test_parameters_in_any_order() -> None:
    b = XlaBuilder("order")
    second = b.parameter(1, "f32[]", "second")
    first = b.parameter(0, "f32[]", "first")
    b.sub(first, second)
    assert b.build().run(5, 3) == 2


def test_root() -> None:
    """The root defaults to the last instruction; a builder accepts more instructions after `build`."""
    b = XlaBuilder("roots")
    x = b.parameter(0, "f32[]")
    y = b.exp(x)
    b.neg(x)
    assert b.build().run(0) == 0
    assert b.build(y).run(0) == 1
    assert b.build(x).run(7) == 7
    b.add(x, 1.0)
    assert b.build().run(1) == 2


def test_a_parameter_is_a_computation() -> None:
    b = XlaBuilder("identity")
    b.parameter(0, "f32[2]")
    assert b.build().run([1, 2]).tolist() == [1, 2]


def test_locations_of_calls() -> None:
    b = XlaBuilder("locations")
    frame = inspect.currentframe()
    assert frame is not None
    b.neg(b.parameter(0, "f32[]"))
    line = frame.f_lineno
    body = b.build().function.body
    assert body
    location = body.block.operations[0].location
    assert isinstance(location, FileLocation)
    assert (location.file, location.line) == (__file__, line - 1)


def test_traced_functions_return_numbers_and_tuples() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.while_(
            lambda s: s[0][1] < 5,
            lambda s: ((s[0][0], s[0][1] + 1), s[1] * 2.0),
            b.tuple([b.tuple([b.constant(7), b.constant(0)]), b.constant(1.0)]),
        )

    ((kept, count), power) = run(build)
    assert (kept, count, power) == (7, 5, 32)
    assert run(lambda b: b.map(b.constant([1.0, 2.0]), lambda x: 5)).tolist() == [5, 5]


def test_tuples_are_sequences() -> None:
    b = XlaBuilder("tuples")
    t = b.tuple([b.constant(1), b.constant(2.0)])
    assert len(t) == 2
    first, second = t
    assert (str(first.element_type), str(second.element_type)) == ("i32", "f32")
    assert t[-1].value.type == second.value.type
    with pytest.raises(IndexError):
        t[2]
    assert repr(t) == "%tuple.3 = (s32[], f32[])"


def test_constants_of_python_numbers() -> None:
    b = XlaBuilder("constants")
    kinds = [(1, "i32"), (1 << 40, "i64"), (1.5, "f32"), (1j, "complex<f32>"), (True, "i1")]
    for given, wanted in kinds:
        assert str(b.constant(given).element_type) == wanted
    assert str(b.constant(np.float64(1)).element_type) == "f64"
    assert str(b.constant([1, 2], np.int8).element_type) == "i8"
    assert str(b.constant(3, "bf16").element_type) == "bf16"


def test_program_records() -> None:
    """The debugger records the verified program."""

    computation = built(lambda b: b.reduce_all(b.parameter(0, "f32[3]"), 0.0, scalar_add()))
    recording = recorded(computation.program, [np.array([1, 2, 3], np.float32)])
    results = recording.results()
    assert results is not None
    assert results[0] == 6


def test_layouts_of_parameters() -> None:
    """A bitcast reads memory: that of a column-major matrix holds its transpose."""

    def build(b: XlaBuilder) -> XlaOp:
        return b.bitcast(b.parameter(0, "f32[2,3]{0,1}"), "f32[3,2]{1,0}")

    matrix = [[1, 2, 3], [4, 5, 6]]
    same(run(build, matrix), np.transpose(matrix))


def test_stablehlo_has_main() -> None:
    computation = built(lambda b: b.neg(b.parameter(0, "f32[]")))
    entry = computation.stablehlo.entry
    assert entry is not None
    assert entry.name == "main"
    assert run_stablehlo(computation, 2.0) == [-2]


def test_endless_program() -> None:
    from hloscope.engine.errors import ProgramError
    from hloscope.engine.limits import Limits

    computation = built(lambda b: b.while_(lambda x: True, lambda x: x + 1, b.constant(0)))
    with pytest.raises(ProgramError, match="the run has reached the limit run_step_limit = 100 steps"):
        computation.run(limits=Limits(run_step_limit=100))


def test_call_checks_operand_types() -> None:
    b = XlaBuilder("calls")
    with pytest.raises(BuilderError, match=r"the computation .add. takes .*, but the operands are"):
        b.call(scalar_add(), b.parameter(0, "f32[2]"))
