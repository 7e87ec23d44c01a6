"""Legal programs of one op with something changed: an attribute, a size that becomes open or bounded, quantized elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DenseAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
    TypeAttribute,
    UnitAttribute,
)
from hloscope.engine.ir.element_types import ELEMENT_TYPES, F32, I32, I64
from hloscope.engine.ir.module import Block, Module, Operation, Region
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_attribute, parse_module, print_module

from ..programs import ROOT, without_checks
from . import GENERATORS

EXAMPLES = ROOT / "app" / "reference" / "examples" / "ops"
DIALECTS = ("stablehlo.", "chlo.", "interpreter.")
KINDS: tuple[Attribute, ...] = (
    UnitAttribute(),
    BoolAttribute(True),
    IntegerAttribute(1, ScalarType(I64)),
    IntegerAttribute(1, ScalarType(I32)),
    StringAttribute("x"),
    SymbolAttribute("main"),
    TypeAttribute(ScalarType(F32)),
    ArrayAttribute(()),
    ArrayAttribute((IntegerAttribute(0, ScalarType(I64)),)),
    ArrayAttribute((ArrayAttribute((IntegerAttribute(0, ScalarType(I64)),)),)),
    DenseArrayAttribute(I64, (0,)),
    DenseArrayAttribute(I32, (0,)),
    *(
        parse_attribute(text)
        for text in (
            "1.5 : f32",
            "dense<1> : tensor<i64>",
            "dense<[0, 1]> : tensor<2xi64>",
            "dense<[[0, 1]]> : tensor<1x2xi64>",
            "dense<[[0, 1]]> : tensor<1x2xi32>",
            "dense<0.5> : tensor<2xf32>",
            "{a = 1 : i64}",
        )
    ),
)
"""One of each kind."""


@cache
def names() -> tuple[str, ...]:
    """The ops of which there are legal programs."""
    found = {path.stem for path in EXAMPLES.glob("*.mlir")} | set(GENERATORS)
    return tuple(sorted(name for name in found & set(op_table()) if name.startswith(DIALECTS)))


OURS = {
    "drops_init_of_one",
    "drops_whole_windows",
    "limits_exponents",
    "replicas_first",
    "skips_padding",
    "takes_tuples",
}
"""Attributes that say in our IR what HLO text means, and that MLIR does not have."""
NEWER = {"has_dynamic_root"}
"""Those of a newer StableHLO than the MLIR that is asked."""


def attributes_of(name: str) -> list[str]:
    """The attributes that the op's definition has."""
    return sorted(op_table()[name].inherent_attributes() - OURS - NEWER)


def legal(name: str) -> st.SearchStrategy[str]:
    """Programs that have the op `name`."""
    path = EXAMPLES / f"{name}.mlir"
    found = [GENERATORS[name].map(lambda case: case.program)] if name in GENERATORS else []
    if path.exists():
        found.append(st.just(without_checks(load(Source(path.read_text("utf-8"))))))
    return st.one_of(found)


# Attributes

_INTEGERS = (0, 1, -1, 2, 3, 7, 1 << 40, (1 << 63) - 1, -(1 << 63))


def _changed(draw: st.DrawFn, attribute: Attribute) -> Attribute:
    """Another attribute, most often of the same kind."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(KINDS))
    match attribute:
        case IntegerAttribute(value, type):
            return IntegerAttribute(draw(st.sampled_from((value + 1, value - 1, *_INTEGERS[:6]))), type)
        case BoolAttribute(value):
            return BoolAttribute(not value)
        case FloatAttribute():
            return parse_attribute(draw(st.sampled_from(("-1.0 : f64", "0.0 : f32", "0x7FC00000 : f32"))))
        case EnumAttribute(dialect, kind, _):
            return EnumAttribute(dialect, kind, draw(st.sampled_from(("DEFAULT", "FOO", "HIGHEST", "FLOAT"))))
        case StringAttribute(value):
            return StringAttribute(draw(st.sampled_from(("", "foo", value + "x"))))
        case ArrayAttribute(elements):
            return ArrayAttribute(tuple(_list(draw, elements, lambda item: _changed(draw, item))))
        case DenseArrayAttribute(element_type, values):
            if draw(st.integers(0, 7)) == 0:
                other = draw(st.sampled_from(("i32", "i1", "i64")))
                return DenseArrayAttribute(
                    ELEMENT_TYPES[other], tuple(bool(v) if other == "i1" else int(v) for v in values)
                )
            numbers = st.sampled_from(_INTEGERS)
            is_flag = element_type.kind == "boolean"
            found = _list(draw, values, lambda item: not item if is_flag else draw(numbers))
            return DenseArrayAttribute(element_type, tuple(found))
        case DenseAttribute():
            return _dense(draw, attribute)
        case StructAttribute(dialect, name, parameters):
            return StructAttribute(dialect, name, _entries(draw, parameters))
    return draw(st.sampled_from(KINDS))


def _list(draw: st.DrawFn, items: tuple[Any, ...], change: Any) -> list[Any]:
    """One item more, less, twice or changed."""
    found = list(items)
    how = draw(st.sampled_from(("change", "change", "change", "drop", "again", "swap")))
    if not found:
        return found
    at = draw(st.integers(0, len(found) - 1))
    if how == "drop":
        del found[at]
    elif how == "again":
        found.insert(at, found[at])
    elif how == "swap":
        found[at], found[0] = found[0], found[at]
    else:
        found[at] = change(found[at])
    return found


def _dense(draw: st.DrawFn, attribute: DenseAttribute) -> Attribute:
    """A literal of integers with another number, shape or element type."""
    data = np.array(attribute.data)
    if data.dtype.kind not in "iu" or data.size > 64:
        return draw(st.sampled_from(KINDS))
    name = attribute.type.element_type.name
    how = draw(st.sampled_from(("number", "number", "flat", "more", "type", "less")))
    if how == "number" and data.size:
        data.reshape(-1)[draw(st.integers(0, data.size - 1))] = draw(st.sampled_from((0, 1, -1, 2, 3)))
    elif how == "flat":
        data = data.reshape(-1)
    elif how == "more":
        data = data[np.newaxis]
    elif how == "less" and data.ndim:
        data = data[: max(0, data.shape[0] - 1)]
    elif how == "type":
        name = draw(st.sampled_from(("i32", "i64", "i8")))
        data = np.clip(data, -100, 100)
    if name.startswith("ui"):
        data = np.abs(data)
    shape = "".join(f"{size}x" for size in data.shape)
    values = str(data.tolist()) if data.size else ""
    return parse_attribute(f"dense<{values}> : tensor<{shape}{name}>")


def _entries(draw: st.DrawFn, entries: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """One entry less, or with another value."""
    found = dict(entries)
    assume(found)
    key = draw(st.sampled_from(sorted(found)))
    if draw(st.integers(0, 5)) == 0:
        del found[key]
    else:
        found[key] = _changed(draw, found[key])
    return found


def _replaced(module: Module, old: Operation, new: Operation) -> Module:
    def block(found: Block) -> Block:
        return replace(found, operations=tuple(map(operation, found.operations)))

    def region(found: Region) -> Region:
        return replace(found, blocks=tuple(map(block, found.blocks)))

    def operation(found: Operation) -> Operation:
        if found is old:
            return new
        return replace(found, regions=tuple(map(region, found.regions))) if found.regions else found

    functions = (replace(f, body=region(f.body)) if f.body else f for f in module.functions)
    return replace(module, functions=tuple(functions))


def _operations(module: Module, name: str) -> Iterator[Operation]:
    waiting = [function.body for function in module.functions if function.body]
    while waiting:
        for block in waiting.pop().blocks:
            for operation in block.operations:
                if operation.name == name:
                    yield operation
                waiting += operation.regions


@st.composite
def with_another_attribute(draw: st.DrawFn, name: str) -> str:
    """In the generic form, one attribute of the op left out, added or changed."""
    module = parse_module(Source(draw(legal(name))), op_table())
    found = list(_operations(module, name))
    assume(found)
    operation = draw(st.sampled_from(found))
    known = [found for found in attributes_of(name) if found not in operation.properties]
    if known and (not operation.properties or draw(st.integers(0, 3)) == 0):
        added = draw(st.sampled_from(known))
        properties = {**operation.properties, added: draw(st.sampled_from(KINDS))}
    else:
        properties = _entries(draw, operation.properties)
    changed = _replaced(module, operation, replace(operation, properties=properties))
    return print_module(changed, op_table(), "generic")


# Types

_TENSOR = re.compile(r"(?<!> : )tensor<((?:\d+x)*)(i1|f16|f32|f64|bf16|i8|i32|i64|ui8)>")


@st.composite
def with_open_sizes(draw: st.DrawFn, name: str) -> str:
    """One type with a size that is not known, in one place or everywhere, mostly with a bound."""
    text = draw(legal(name))
    places = [found for found in _TENSOR.finditer(text) if found[1]]
    assume(places)
    place = draw(st.sampled_from(places))
    sizes = place[1].split("x")[:-1]
    dimensions = draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1, max_size=2))
    bounds = ["?"] * len(sizes)
    for dimension in dimensions:
        bound = draw(st.sampled_from((None, 0, 0, 0, 1, -1)))
        if bound is not None:
            bounds[dimension] = str(max(0, int(sizes[dimension]) + bound))
        sizes[dimension] = "?"
    encoding = "" if set(bounds) == {"?"} else f", #stablehlo.bounds<{', '.join(bounds)}>"
    new = f"tensor<{''.join(f'{size}x' for size in sizes)}{place[2]}{encoding}>"
    return _put(draw, text, place, new)


@st.composite
def with_quantized_elements(draw: st.DrawFn, name: str) -> str:
    """Types whose elements become quantized: one type in one place, wherever it stands, or all of its elements."""
    text = draw(legal(name))
    places = [found for found in _TENSOR.finditer(text) if found[2] not in ("i1",)]
    assume(places)
    place = draw(st.sampled_from(places))
    sizes = list(map(int, place[1].split("x")[:-1]))
    storage = draw(st.sampled_from(("i8", "i8", "i8", "u8", "i32")))
    expressed = place[2] if place[2] in ("f32", "f16", "bf16", "f64") else "f32"
    axis = draw(st.integers(-1, max(0, len(sizes) - 1)))
    small = axis >= 0 and axis < len(sizes) and 0 < sizes[axis] < 5
    if small and draw(st.booleans()):
        steps = [_step(draw) for _ in range(sizes[axis])]
        quantized = f"!quant.uniform<{storage}:{expressed}:{axis}, {{{', '.join(steps)}}}>"
        return _put(draw, text, place, f"tensor<{place[1]}{quantized}>")
    quantized = f"!quant.uniform<{storage}:{expressed}, {_step(draw)}>"
    if draw(st.booleans()):
        element = re.compile(rf"(?<!> : )tensor<((?:\d+x)*){place[2]}>")
        return element.sub(lambda found: f"tensor<{found[1]}{quantized}>", text)
    return _put(draw, text, place, f"tensor<{place[1]}{quantized}>")


def _step(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(("0.5", "0.5", "1.0:0", "0.5:3", "0.25:-5")).filter(bool))


def _put(draw: st.DrawFn, text: str, place: re.Match[str], new: str) -> str:
    if draw(st.booleans()):
        return text[: place.start()] + new + text[place.end() :]
    return re.sub(rf"(?<!> : ){re.escape(place[0])}", lambda _: new, text)


SPOILS = {
    "attributes": with_another_attribute,
    "sizes": with_open_sizes,
    "quantized": with_quantized_elements,
}
