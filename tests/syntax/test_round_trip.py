"""Printed text reads back as an equal module, and MLIR's own text is printed unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from hloscope.engine.ir.module import walk
from hloscope.engine.syntax import print_module, print_operation
from tests.each import for_each

from .op_table import OP_TABLE
from .reading import PROGRAMS, program, read, read_one

AS_MLIR_PRINTS = ("control", "dynamic", "generic", "sharded", "short_forms")


def names(path: Path) -> str:
    return path.stem


@for_each("form", ["short", "generic"])
@for_each("path", PROGRAMS, ids=names)
def test_a_printed_module_reads_back_equal(path: Path, form: Literal["short", "generic"]) -> None:
    module = read(path.read_text(encoding="utf-8"))
    printed = print_module(module, OP_TABLE, form)
    assert read(printed) == module
    assert print_module(read(printed), OP_TABLE, form) == printed


@pytest.mark.parametrize("name", AS_MLIR_PRINTS)
def test_text_that_mlir_printed_is_printed_as_it_was(name: str) -> None:
    lines = [line for line in program(name).splitlines() if not _written_otherwise(line)]
    printed = print_module(read(program(name)), OP_TABLE).splitlines()
    assert [line for line in printed if not _written_otherwise(line)] == lines


def _written_otherwise(line: str) -> bool:
    # Only empty bodies of functions are written by hand in these files.
    return not line.strip()


def test_equal_modules_are_not_the_same_text() -> None:
    assert read("func.func @f() { return }") == read("func.func @f() {\n  // nothing\n  func.return\n}")
    assert read("func.func @f() { return }") != read("func.func @g() { return }")


def test_every_operation_knows_its_span() -> None:
    text = program("generic")
    for function in read(text).functions:
        assert function.body is not None
        for operation in walk(function.body):
            named = text[operation.name_span.start : operation.name_span.end]
            assert named.strip('"') in (operation.name, operation.name.removeprefix("func."))
            assert named in text[operation.span.start : operation.span.end]
            for value, span in zip(operation.operands, operation.operand_spans, strict=True):
                assert text[span.start : span.end] == value.name
            for value in operation.results:
                assert text[value.span.start : value.span.end] == value.name


def test_an_applied_op_points_at_its_name() -> None:
    text = program("control")
    body = read(text).functions[0].body
    assert body is not None
    reduce = next(operation for operation in walk(body) if operation.name == "stablehlo.reduce")
    for operation in reduce.regions[0].block.operations:
        assert text[operation.span.start : operation.span.end] == "stablehlo.add"


def test_an_operation_prints_alone() -> None:
    operation = read_one("%0 = stablehlo.add %a, %a : tensor<2xf32>")
    assert print_operation(operation, OP_TABLE) == "%0 = stablehlo.add %a, %a : tensor<2xf32>"
    generic = '%0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'
    assert print_operation(operation, OP_TABLE, "generic") == generic


def test_an_unknown_dialect_keeps_its_generic_form() -> None:
    line = '%0:2 = "foo.bar"(%a)[^bb1] <{p = 1 : i64}> ({\n  }, {\n  ^bb0(%x: i32):\n    "foo.end"() : () -> ()\n  }) {q} : (tensor<2xf32>) -> (!foo.t<"x">, i7)'
    operation = read_one(line)
    assert (operation.name, operation.successors) == ("foo.bar", ("^bb1",))
    assert set(operation.properties) == {"p"}
    assert set(operation.attributes) == {"q"}
    assert [len(region.blocks) for region in operation.regions] == [0, 1]
    assert read_one(print_operation(operation, OP_TABLE)) == operation


def test_an_attribute_out_of_place_is_printed_in_the_generic_form() -> None:
    operation = read_one(
        '%0 = "stablehlo.add"(%a, %a) <{odd = 1 : i8}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'
    )
    assert print_operation(operation, OP_TABLE).startswith('%0 = "stablehlo.add"(%a, %a) <{odd = 1 : i8}>')


def test_regions_may_be_as_deep_as_the_nesting_limit_allows() -> None:
    depth = 90
    text = (
        "func.func @f() {" + '"x.y"() ({\n' * depth + '"x.z"() : () -> ()' + "}) : () -> ()\n" * depth + "}"
    )
    printed = print_module(read(text), OP_TABLE, "generic")
    assert printed.count('"x.y"') == depth
    assert print_module(read(printed), OP_TABLE, "generic") == printed
