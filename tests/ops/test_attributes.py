"""Every attribute field of every op, given every kind of attribute: taken or refused, and never a fault of ours."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import Attribute, StructAttribute
from hloscope.engine.ir.module import Module, Operation
from hloscope.engine.limits import DEFAULT_LIMITS, MEBIBYTE
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from hloscope.engine.verifier import Verified, verify

from .attribute_kinds import HUGE, KINDS, attribute_of
from .stated_operations import Stated, every_stated

Place = tuple[Stated, str, str]
"""An operation, and the field, or the parameter of a field's attribute, that gets another attribute."""
MOST_BYTES = 8 * MEBIBYTE
"""What reading a small program may take: the numbers that are claimed would take a hundred times as much."""


def test_every_op_is_stated_somewhere() -> None:
    assert set(every_stated()) == {found.name for found in OPS}


def _places(stated: Stated) -> Iterator[Place]:
    for plan in stated.attribute_plans():
        yield stated, plan.attribute, ""
        found = stated.operation.attribute(plan.attribute)
        if isinstance(found, StructAttribute):
            yield from ((stated, plan.attribute, name) for name in found.parameters)


@cache
def _first_places() -> list[Place]:
    """The fields of each op once in either language."""
    return [
        place
        for items in every_stated().values()
        for stated in {bool(item.operation.opcode): item for item in reversed(items)}.values()
        for place in _places(stated)
    ]


def _changed(place: Place, attribute: Attribute) -> Operation:
    stated, name, parameter = place
    if parameter:
        struct = stated.operation.attribute(name)
        assert isinstance(struct, StructAttribute)
        attribute = replace(struct, parameters={**struct.parameters, parameter: attribute})
    return stated.with_attribute(name, attribute)


def _checked(place: Place, kind: str) -> Verified:
    """What the verifier says; programs that it takes are printed as well."""
    module = place[0].with_operation(_changed(place, attribute_of(kind)))
    found = verify(module, op_table())
    _is_said(found, module)
    if module.language == "stablehlo" and found.program:
        assert print_module(module, op_table(), "short")
        assert print_module(module, op_table(), "generic")
    return found


def _is_said(found: Verified, module: Module) -> None:
    """Programs are refused with an error; one that runs may have warnings."""
    assert (found.program is None) == any(item.severity == "error" for item in found.diagnostics)
    for diagnostic in found.diagnostics:
        assert diagnostic.message
        assert diagnostic.format(module.source)


@settings(max_examples=150)
@given(st.data())
def test_any_kind_of_attribute_is_taken_or_refused(data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(_first_places()))
    _checked(place, data.draw(st.sampled_from(KINDS)))


@pytest.mark.long
def test_every_kind_of_attribute_in_every_field(record_property: Callable[[str, object], None]) -> None:
    taken = refused = 0
    for place in (
        place for items in every_stated().values() for stated in items[:4] for place in _places(stated)
    ):
        for kind in KINDS:
            found = _checked(place, kind)
            taken += found.program is not None
            refused += found.program is None
    assert taken
    assert refused
    record_property(
        "measured", f"attributes: {taken + refused:,} of every kind, {refused:,} refused, no fault"
    )


@pytest.mark.more
def test_numbers_that_a_literal_claims_are_never_written_out(
    record_property: Callable[[str, object], None],
) -> None:
    """Whatever field has it: a few characters that claim 10^8 numbers are refused, or kept as one value.

    Fields of one name and kind are read alike, so one op stands for all that have them.
    """
    places = {
        (*place[1:], type(place[0].operation.attribute(place[1]))): place
        for items in every_stated().values()
        for place in _places(items[0])
    }
    worst = max(_peak(place, kind) for place in places.values() for kind in HUGE)
    record_property(
        "measured", f"huge splats in {len(places)} fields: at most {worst[0]:,} bytes ({worst[1]})"
    )
    assert worst[0] < MOST_BYTES, worst


def _peak(place: Place, kind: str) -> tuple[int, str]:
    """Bytes that are taken at once where a program with the attribute is read and checked."""
    module = place[0].with_operation(_changed(place, attribute_of(kind)))
    text = "" if module.language == "hlo" else print_module(module, op_table(), "generic")
    with _measured() as peak:
        if text:
            load(Source(text, "huge"))
        else:
            verify(module, op_table())
    return peak[0], f"{place[0].operation.name} {'.'.join(place[1:])} = {kind}"


@contextmanager
def _measured() -> Iterator[list[int]]:
    """The most bytes that Python and NumPy held within."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("groups", ["[10000,10000]<=[100000000]", "[1,100000000]<=[100000000]"])
def test_groups_of_hlo_text_are_never_written_out(groups: str) -> None:
    text = f"""HloModule huge
add {{ a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }}
ENTRY main {{ x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={groups}, to_apply=add }}
"""
    with _measured() as peak:
        (found,) = _diagnostics(text)
    assert "the most that are read" in found.message
    assert peak[0] < MOST_BYTES


def _diagnostics(text: str) -> tuple[Diagnostic, ...]:
    return load(Source(text, "huge")).diagnostics


def test_too_long_lists_name_the_limit() -> None:
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<10000x10000xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    (found,) = _diagnostics(text)
    assert (found.kind, found.label, found.op) == ("limit", "max_listed_numbers", "stablehlo.all_reduce")
    assert "attribute 'replica_groups' lists 100,000,000 numbers" in found.message
    assert f"{DEFAULT_LIMITS.max_listed_numbers:,}" in found.message


def test_constants_may_claim_many_elements() -> None:
    text = """func.func @main() -> tensor<10000x10000xi64> {
      %0 = stablehlo.constant dense<0> : tensor<10000x10000xi64>
      return %0 : tensor<10000x10000xi64>
    }"""
    assert not _diagnostics(text)


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ("dense<[1.5]> : tensor<1xf32>", "expected integers, not 1.5"),
        ("dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>", "expected integers, not (1+2j)"),
        ("dense<0> : tensor<i64>", "expected a list or rows, not a literal of rank 0"),
        ("dense<[[[0]]]> : tensor<1x1x1xi64>", "expected a list or rows, not a literal of rank 3"),
        ("dense<[[0]]> : tensor<1x1xi64>", "expected a list of numbers, not of rows"),
        ("array<i1: true>", "expected integers, not True"),
    ],
)
def test_what_is_no_list_of_integers_is_said(attributes: str, said: str) -> None:
    text = f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
      %0 = "stablehlo.reverse"(%x) <{{dimensions = {attributes}}}> : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    (found,) = _diagnostics(text)
    assert found.message == f"attribute 'dimensions': {said}"
    assert found.label == "I2"


def test_layouts_that_are_no_orders_are_refused() -> None:
    text = """func.func @main(%x: tensor<2xf32>) {
      stablehlo.custom_call @f(%x) {operand_layouts = [dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>],
        result_layouts = [], has_side_effect = true} : (tensor<2xf32>) -> ()
      return
    }"""
    (found,) = _diagnostics(text)
    assert found.kind == "constraint"


def test_padding_of_three_dimensions_is_refused() -> None:
    text = """func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<8xf32> {
      %0 = "stablehlo.reduce_window"(%x, %i) <{window_dimensions = array<i64: 1>,
          padding = dense<[[[2, 2], [0, 0]]]> : tensor<1x2x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }"""
    (found,) = _diagnostics(text)
    assert found.message == "attribute 'padding': expected a list or rows, not a literal of rank 3"
