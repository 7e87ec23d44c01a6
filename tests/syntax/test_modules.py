"""Modules, functions and the names of values."""

from __future__ import annotations

from hloscope.engine.ir.attributes import BoolAttribute, IntegerAttribute, ResourceAttribute, StringAttribute
from hloscope.engine.ir.element_types import F32
from hloscope.engine.ir.types import FunctionType, tensor
from hloscope.engine.syntax import parse_type

from .reading import program, read, read_one


def test_a_module_has_a_name_and_attributes() -> None:
    module = read('module @"odd name" attributes {mhlo.num_replicas = 1 : i32} { func.func @f() { return } }')
    assert module.name == "odd name"
    assert module.attributes["mhlo.num_replicas"] == IntegerAttribute(1, parse_type("i32"))


def test_functions_need_no_module() -> None:
    module = read(program("specification"))
    assert [function.name for function in module.functions] == ["main", "windows"]
    assert module.entry is module.functions[0]


def test_a_function_knows_visibility_types_and_attributes() -> None:
    function = read(
        'func.func private @f(%x: tensor<f32> {a.b = true}, %y: tensor<i1>) -> (tensor<f32> {c = "d"}, i1)'
        " attributes {e} { return %x : tensor<f32> }"
    ).functions[0]
    assert function.visibility == "private"
    assert [argument.name for argument in function.arguments] == ["%x", "%y"]
    assert function.argument_attributes == ({"a.b": BoolAttribute(True)}, {})
    assert function.result_attributes == ({"c": StringAttribute("d")}, {})
    assert function.type == parse_type("(tensor<f32>, tensor<i1>) -> (tensor<f32>, i1)")
    assert function.body is not None
    assert function.body.block.arguments == function.arguments


def test_a_declaration_has_types_and_no_body() -> None:
    function = read("func.func private @f(tensor<f32>, i32) -> i1").functions[0]
    assert function.body is None
    assert [str(argument.type) for argument in function.arguments] == ["tensor<f32>", "i32"]


def test_several_results_without_parentheses_as_the_specification_writes_them() -> None:
    assert len(read("func.func @f() -> i1, i2 { return }").functions[0].result_types) == 2


def test_the_generic_form_of_module_and_function() -> None:
    text = """
    "builtin.module"() <{sym_name = "m"}> ({
      "func.func"() <{arg_attrs = [{a = 1 : i64}], function_type = (i1) -> i1, res_attrs = [{}],
                     sym_name = "f", sym_visibility = "public"}> ({
      ^bb0(%x: i1):
        "func.return"(%x) : (i1) -> ()
      }) : () -> ()
      "func.func"() <{function_type = () -> (), sym_name = "g"}> ({}) {note} : () -> ()
    }) {x.y = 2 : i8} : () -> ()
    """
    module = read(text)
    assert module.name == "m"
    assert set(module.attributes) == {"x.y"}
    first, second = module.functions
    assert (first.name, first.visibility, len(first.argument_attributes), first.result_attributes) == (
        "f",
        "public",
        1,
        (),
    )
    assert second.body is None
    assert set(second.attributes) == {"note"}
    assert isinstance(second.type, FunctionType)


def test_packs_of_results() -> None:
    body = (
        read(
            """func.func @f(%x: i1) -> i1 {
          %0:2 = "x.two"() : () -> (i1, i8)
          %a, %b:2 = "x.three"(%0#1, %0) : (i8, i1) -> (i1, i2, i3)
          %1:1 = "x.one"(%b#1, %a#0) : (i3, i1) -> i1
          "x.none"(%1) : (i1) -> ()
        }"""
        )
        .functions[0]
        .body
    )
    assert body is not None
    two, three, one, none = body.block.operations
    assert [value.name for value in two.results] == ["%0#0", "%0#1"]
    assert [value.name for value in three.operands] == ["%0#1", "%0#0"]
    assert [value.name for value in three.results] == ["%a", "%b#0", "%b#1"]
    assert [value.name for value in one.results] == ["%1"]
    assert none.operands == one.results


def test_a_result_without_a_name_gets_one_that_the_text_does_not_use() -> None:
    operation = read_one("%unused = stablehlo.negate %a : tensor<2xf32>\nstablehlo.negate %a : tensor<2xf32>")
    assert [value.name for value in operation.results] == ["%unused_1"]


def test_sibling_regions_may_use_the_same_names() -> None:
    assert read(program("specification")).functions[1].body is not None


def test_a_region_sees_the_values_around_it() -> None:
    operation = read_one('"x.y"() ({ "x.z"(%a) : (tensor<2xf32>) -> () }) : () -> ()')
    assert operation.regions[0].block.operations[0].operands[0].name == "%a"


def test_attributes_of_the_op_become_properties_wherever_they_stand() -> None:
    old = read_one(
        '%0 = "stablehlo.slice"(%a) {limit_indices = array<i64: 1>, mhlo.x = 1 : i8} : (tensor<2xf32>) -> tensor<1xf32>'
    )
    assert set(old.properties) == {"limit_indices"}
    assert set(old.attributes) == {"mhlo.x"}


def test_aliases_of_ops_are_normalised() -> None:
    assert read_one("return").name == "func.return"
    assert read_one("%0 = func.call @g(%a) : (tensor<2xf32>) -> i1").name == "func.call"
    assert read_one("%0 = call @g(%a) : (tensor<2xf32>) -> i1").name == "func.call"


def test_metadata_at_the_end_holds_resources() -> None:
    module = read(
        """module attributes {x.y = dense_resource<blob> : tensor<2xf32>, x.z = dense_resource<other> : tensor<2xf32>} {}
        {-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-}"""
    )
    assert module.attributes["x.y"].data.tolist() == [1.0, 2.0]  # type: ignore[attr-defined]
    assert module.attributes["x.z"] == ResourceAttribute("other", tensor((2,), F32))
