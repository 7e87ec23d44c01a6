"""Operations that break a rule of dot_general."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import ArrayAttribute, Attribute, BoolAttribute, TypeAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import ScalarType

from ..building import enum, operation
from .stating import WRONG, Broken, number, numbers, of_token, struct

DEFAULT, HIGH = enum("precision", "DEFAULT"), enum("precision", "HIGH")


def precision(*found: Attribute) -> ArrayAttribute:
    return ArrayAttribute(found)


def unbroken() -> Iterator[Operation]:
    """What the broken ones differ from in one place."""
    yield _dot()
    yield _dot(precision_config=precision(DEFAULT, HIGH))
    yield _dot(precision_config=precision(DEFAULT, DEFAULT), algorithm=_algorithm())
    yield _dot("2x3x4xq8", "2x4x5xq8", "2x3x5xq8b")
    yield _dot("2x3x4xq8", "2x4x5xa8", "2x3x5xa8")
    yield _dot("2x3x4xf32", "2x4x5xq8", "2x3x5xf32")


def broken() -> Iterator[tuple[str, Broken]]:
    for found in (_tensors(), _dimensions(), _quantized(), _algorithms()):
        for each in found:
            yield "dot_general", each


def _dot(
    lhs: str = "2x3x4xf32",
    rhs: str = "2x4x5xf32",
    result: str = "2x3x5xf32",
    /,
    **changed: Attribute,
) -> Operation:
    return operation(
        "dot_general", [lhs, rhs], [result], (), **{"dot_dimension_numbers": _numbers(), **changed}
    )


def _numbers(**changed: Attribute) -> Attribute:
    parameters: dict[str, Attribute] = {
        "lhs_batching_dimensions": numbers(0),
        "rhs_batching_dimensions": numbers(0),
        "lhs_contracting_dimensions": numbers(2),
        "rhs_contracting_dimensions": numbers(1),
    }
    return struct("dot", parameters | changed)


def _numbered(**changed: Attribute) -> Operation:
    return _dot(dot_dimension_numbers=_numbers(**changed))


def _tensors() -> Iterator[Broken]:
    yield "I1", _dot("2x3x4xa8", "2x4x5xq8", "2x3x5xq8")
    yield "I2", of_token(_dot(), 1)
    yield "I7", _dot(precision_config=WRONG)
    yield "I7", _dot(precision_config=precision(WRONG, DEFAULT))
    yield "C9", _dot("3x3x4xf32")
    yield "C10", _dot("2x3x3xf32")
    yield "C10", _dot("?x3x3xf32", "?x4x?xf32")
    yield "C11", _dot(precision_config=precision(DEFAULT, DEFAULT, HIGH))
    yield "C12", _dot("2x3x4xf32", "2x4x5xf32", "2x3x4xf32")
    yield "C12", _dot("2x3x4xf32", "2x4x5xf32", "3x5xf32")
    yield "C13", _dot("2x3x4xf32", "2x4x5xi32", "2x3x5xi32")
    yield "C13", _dot("2x3x4xf32", "2x4x5xcomplex<f32>")
    yield "C13", _dot("2x3x4xi8", "2x4x5xf32", "2x3x5xi8")
    yield "C13", _dot("2x3x4xi1", "2x4x5xi8", "2x3x5xi1")


def _dimensions() -> Iterator[Broken]:
    for label, name in (
        ("I3", "lhs_batching_dimensions"),
        ("I4", "rhs_batching_dimensions"),
        ("I5", "lhs_contracting_dimensions"),
        ("I6", "rhs_contracting_dimensions"),
    ):
        yield label, _numbered(**{name: WRONG})
    yield "C1", _numbered(lhs_batching_dimensions=numbers())
    yield "C1", _numbered(rhs_batching_dimensions=numbers(0, 2))
    yield "C2", _numbered(lhs_contracting_dimensions=numbers(2, 1))
    yield "C2", _numbered(rhs_contracting_dimensions=numbers())
    yield "C3", _numbered(lhs_contracting_dimensions=numbers(0))
    twice = {"lhs_contracting_dimensions": numbers(2, 2), "rhs_contracting_dimensions": numbers(1, 2)}
    yield "C3", _dot(dot_dimension_numbers=_numbers(**twice))
    yield "C4", _numbered(rhs_contracting_dimensions=numbers(0))
    for beyond in (-1, 3):
        yield "C5", _numbered(lhs_batching_dimensions=numbers(beyond))
        yield "C6", _numbered(lhs_contracting_dimensions=numbers(beyond))
        yield "C7", _numbered(rhs_batching_dimensions=numbers(beyond))
        yield "C8", _numbered(rhs_contracting_dimensions=numbers(beyond))


def _quantized() -> Iterator[Broken]:
    yield "C14", _dot("2x3x4xq8", "2x4x5xf32", "2x3x5xq8")
    yield "C14", _dot("2x3x4xq8", "2x4x5xq8", "2x3x5xf32")
    yield "C14", _dot("2x3x4xf32", "2x4x5xq8", "2x3x5xq8")
    yield "C14", _dot("2x3x4xf32", "2x4x5xf32", "2x3x5xq8")
    yield "C15", _dot("2x3x4xq8", "2x4x5xq8b", "2x3x5xq8")
    yield "C15", _dot("2x3x4xq8", "2x4x5xa8b", "2x3x5xq8")
    yield "C16", _dot("2x3x2xq8", "2x2x5xb8", "2x3x5xq8")
    yield "C17", _dot("2x3x4xq8", "2x4x5xq16", "2x3x5xq8")
    yield "C17", _dot("2x3x4xq8", "2x4x5xu8", "2x3x5xq8")
    yield "C18", _dot("2x3x4xq8", "2x4x5xq8h", "2x3x5xq8")
    yield "C18", _dot("2x3x4xq8", "2x4x5xq8", "2x3x5xq8h")
    yield "C19", _dot("2x3x4xq8", "2x4x5xq8", "2x3x5xa8")
    yield "C20", _dot("2x3x4xf16", "2x4x5xq8", "2x3x5xf16")
    yield "C20", _dot("2x3x4xf32", "2x4x5xq8", "2x3x5xf64")


def _algorithm(**changed: Attribute) -> Attribute:
    parameters: dict[str, Attribute] = {
        "lhs_precision_type": _type("tf32"),
        "rhs_precision_type": _type("tf32"),
        "accumulation_type": _type("f32"),
        "lhs_component_count": number(1),
        "rhs_component_count": number(1),
        "num_primitive_operations": number(1),
        "allow_imprecise_accumulation": BoolAttribute(False),
    }
    return struct("dot_algorithm", parameters | changed)


def _type(name: str) -> TypeAttribute:
    return TypeAttribute(ScalarType(ELEMENT_TYPES[name]))


def _algorithms() -> Iterator[Broken]:
    names = ("lhs_precision_type", "rhs_precision_type", "accumulation_type")
    for label, name in zip(("I8", "I9", "I10"), names, strict=True):
        yield label, _dot(algorithm=_algorithm(**{name: number(1)}))
        yield label, _dot(algorithm=_algorithm(**{name: _type("i8")}))
    counts = (
        ("I11", "C22", "lhs_component_count"),
        ("I12", "C23", "rhs_component_count"),
        ("I13", "C24", "num_primitive_operations"),
    )
    for label, positive, name in counts:
        yield label, _dot(algorithm=_algorithm(**{name: WRONG}))
        yield positive, _dot(algorithm=_algorithm(**{name: number(0)}))
        yield positive, _dot(algorithm=_algorithm(**{name: number(-1)}))
    yield "I14", _dot(algorithm=_algorithm(allow_imprecise_accumulation=WRONG))
    yield "C21", _dot(precision_config=precision(DEFAULT, HIGH), algorithm=_algorithm())
