"""Operations that break a rule of convolution or dynamic_conv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hloscope.engine.ir.attributes import Attribute, DenseArrayAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Operation

from ..building import operation
from .contractions import DEFAULT, HIGH, precision
from .stating import WRONG, Broken, constant, number, numbers, of_token, struct


@dataclass(frozen=True)
class _Convolution:
    """One of the two ops, and the labels of the inputs that they number differently."""

    name: str
    padding: str
    window_strides: str

    @property
    def is_dynamic(self) -> bool:
        return self.name == "dynamic_conv"

    def stated(
        self,
        lhs: str = "2x4x5xf32",
        rhs: str = "2x4x3xf32",
        result: str = "2x2x3xf32",
        padding: str = "1x2xi64",
        /,
        **changed: Attribute,
    ) -> Operation:
        """Batch, features, space; two features of windows of three."""
        properties: dict[str, Attribute] = {
            "dimension_numbers": _numbers(),
            "feature_group_count": number(1),
            "batch_group_count": number(1),
        }
        operands = [lhs, rhs, padding] if self.is_dynamic else [lhs, rhs]
        return operation(self.name, operands, [result], (), **properties | changed)

    def numbered(self, **changed: Attribute) -> Operation:
        return self.stated(dimension_numbers=_numbers(**changed))


CONVOLUTIONS = (_Convolution("convolution", "I4", "I3"), _Convolution("dynamic_conv", "I3", "I4"))


def unbroken() -> Iterator[Operation]:
    """What the broken ones differ from in one place."""
    for conv in CONVOLUTIONS:
        yield conv.stated()
        yield conv.stated(precision_config=precision(DEFAULT, HIGH))
        yield conv.stated("2x4x5xq8", "2x4x3xq8", "2x2x3xq8b")
        yield conv.stated("2x4x5xq8", "2x4x3xa8", "2x2x3xb8")
        yield conv.stated("2x4x5xf32", "2x4x3xq8", "2x2x3xf32")
        yield conv.stated("2x4x5xf32", "2x2x3xf32", feature_group_count=number(2))
        yield conv.stated("2x4x5xf32", "2x4x3xf32", "1x2x3xf32", batch_group_count=number(2))


def broken() -> Iterator[tuple[str, Broken]]:
    for conv in CONVOLUTIONS:
        for found in (_tensors(conv), _windows(conv), _dimensions(conv), _groups(conv), _quantized(conv)):
            for each in found:
                yield conv.name, each


def _numbers(**changed: Attribute) -> Attribute:
    parameters: dict[str, Attribute] = {
        "input_batch_dimension": number(0),
        "input_feature_dimension": number(1),
        "input_spatial_dimensions": numbers(2),
        "kernel_input_feature_dimension": number(1),
        "kernel_output_feature_dimension": number(0),
        "kernel_spatial_dimensions": numbers(2),
        "output_batch_dimension": number(0),
        "output_feature_dimension": number(1),
        "output_spatial_dimensions": numbers(2),
    }
    return struct("conv", parameters | changed)


def _tensors(conv: _Convolution) -> Iterator[Broken]:
    yield "I1", conv.stated("2x4x5xa8", "2x4x3xq8", "2x2x3xq8")
    yield "I2", of_token(conv.stated(), 1)
    yield "I19", conv.stated(precision_config=WRONG)
    yield "C1", conv.stated("2x4x5xf32", "2x4xf32")
    yield "C24", conv.stated(precision_config=precision(DEFAULT, DEFAULT, DEFAULT))
    yield "C25", conv.stated("2x4x5xf32", "2x4x3xf32", "1x2x3xf32")
    yield "C25", conv.stated("2x4x5xf32", "2x4x3xf32", "2x4x3xf32")
    if not conv.is_dynamic:
        yield "C25", conv.stated("2x4x5xf32", "2x4x3xf32", "2x2x5xf32")
    yield "C26", conv.stated("2x4x5xf32", "2x4x3xf32", "2x2xf32")
    yield "C26", conv.stated("2x4x5xf32", "2x4x3xf32", "2x2x3x1xf32")
    yield "C27", conv.stated("2x4x5xf32", "2x4x3xf16")
    yield "C27", conv.stated("2x4x5xi8", "2x4x3xui8", "2x2x3xi8")


def _windows(conv: _Convolution) -> Iterator[Broken]:
    for label, counted, positive, name in (
        (conv.window_strides, "C2", "C3", "window_strides"),
        ("I5", "C5", "C6", "lhs_dilation"),
        ("I6", "C7", "C8", "rhs_dilation"),
    ):
        yield label, conv.stated(**{name: WRONG})
        yield counted, conv.stated(**{name: numbers(1, 1)})
        yield positive, conv.stated(**{name: numbers(0)})
        yield positive, conv.stated(**{name: numbers(-1)})
    yield "I7", conv.stated(window_reversal=WRONG)
    yield "C9", conv.stated(window_reversal=DenseArrayAttribute(ELEMENT_TYPES["i1"], (False, True)))
    if conv.is_dynamic:
        plain = "2x4x5xf32", "2x4x3xf32", "2x2x3xf32"
        yield conv.padding, conv.stated(*plain, "1x2xf32")
        yield "C4", conv.stated(*plain, "2x2xi64")
        yield "C4", conv.stated(*plain, "1x3xi64")
        yield "C4", conv.stated(*plain, "2xi64")
    else:
        yield conv.padding, conv.stated(padding=WRONG)
        yield "C4", conv.stated(padding=constant([[0, 0], [0, 0]], "2x2xi64"))
        yield "C4", conv.stated(padding=constant([[0, 0, 0]], "1x3xi64"))


def _dimensions(conv: _Convolution) -> Iterator[Broken]:
    for first, (counted, placed), side, others in (
        (8, ("C12", "C13"), "input", ("batch", "feature")),
        (11, ("C17", "C18"), "kernel", ("input_feature", "output_feature")),
        (14, ("C19", "C20"), "output", ("batch", "feature")),
    ):
        *single, spatial = (f"{side}_{other}_dimension" for other in (*others, "spatial"))
        for place, name in enumerate(single):
            yield f"I{first + place}", conv.numbered(**{name: WRONG})
            for wrong in (2, 3, -1):  # the spatial dimension, and none
                yield placed, conv.numbered(**{name: number(wrong)})
        yield f"I{first + 2}", conv.numbered(**{f"{spatial}s": WRONG})
        yield counted, conv.numbered(**{f"{spatial}s": numbers()})
        yield counted, conv.numbered(**{f"{spatial}s": numbers(2, 3)})
        for wrong in (0, 3, -1):
            yield placed, conv.numbered(**{f"{spatial}s": numbers(wrong)})


def _groups(conv: _Convolution) -> Iterator[Broken]:
    yield "I17", conv.stated(feature_group_count=WRONG)
    yield "I18", conv.stated(batch_group_count=WRONG)
    for wrong in (0, -1):
        yield "C21", conv.stated(feature_group_count=number(wrong))
        yield "C22", conv.stated(batch_group_count=number(wrong))
    yield "C23", conv.stated(feature_group_count=number(2), batch_group_count=number(2))
    yield "C10", conv.stated(batch_group_count=number(4))
    yield "C11", conv.stated(feature_group_count=number(3))
    yield "C14", conv.stated("2x4x5xf32", "2x3x3xf32")
    yield "C14", conv.stated("2x4x5xf32", "2x4x3xf32", feature_group_count=number(2))
    yield "C15", conv.stated("2x4x5xf32", "3x4x3xf32", "1x3x3xf32", batch_group_count=number(2))
    yield "C16", conv.stated("2x4x5xf32", "3x2x3xf32", "2x3x3xf32", feature_group_count=number(2))


def _quantized(conv: _Convolution) -> Iterator[Broken]:
    for label, lhs, rhs, result in (
        ("C28", "2x4x5xq8", "2x4x3xf32", "2x2x3xq8"),
        ("C28", "2x4x5xq8", "2x4x3xq8", "2x2x3xf32"),
        ("C28", "2x4x5xf32", "2x4x3xq8", "2x2x3xq8"),
        ("C28", "2x4x5xf32", "2x4x3xf32", "2x2x3xq8"),
        ("C29", "2x2x5xq8", "2x2x3xb8", "2x2x3xq8"),
        ("C30", "2x4x5xq8", "2x4x3xa8", "2x2x3xa8"),
        ("C31", "2x4x5xq8", "2x4x3xq16", "2x2x3xq8"),
        ("C32", "2x4x5xq8", "2x4x3xq8h", "2x2x3xq8"),
        ("C32", "2x4x5xq8", "2x4x3xq8", "2x2x3xq8h"),
        ("C33", "2x4x5xq8", "2x4x3xq8", "2x2x3xb8"),
        ("C34", "2x4x5xf16", "2x4x3xq8", "2x2x3xf16"),
        ("C34", "2x4x5xf32", "2x4x3xq8", "2x2x3xf64"),
    ):
        yield label, conv.stated(lhs, rhs, result)
