"""Quantized element types for tests of constraints."""

from __future__ import annotations

from hloscope.engine.ir.element_types import ELEMENT_TYPES, QuantizedType


def quantized(
    scales: tuple[float, ...] = (0.5,),
    zero_points: tuple[int, ...] = (0,),
    axis: int | None = None,
    storage: str = "i8",
    expressed: str = "f32",
) -> QuantizedType:
    """A quantized type of i8 and f32 unless told otherwise."""
    steps = ", ".join(
        f"{scale:e}:{zero}" if zero else f"{scale:e}" for scale, zero in zip(scales, zero_points, strict=True)
    )
    place, steps = ("", steps) if axis is None else (f":{axis}", f"{{{steps}}}")
    return QuantizedType(
        f"!quant.uniform<{storage}:{expressed}{place}, {steps}>",
        "quantized",
        ELEMENT_TYPES[storage].bits,
        ELEMENT_TYPES[storage],
        ELEMENT_TYPES[expressed],
        None,
        None,
        axis,
        scales,
        zero_points,
        parameters_shape=() if axis is None else (len(scales),),
    )


PER_TENSOR = quantized()
