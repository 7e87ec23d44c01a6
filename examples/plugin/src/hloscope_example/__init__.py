"""A plugin of hloscope that has one of each kind; docs/plugins.md goes through it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hloscope.plugins import CustomCall, CustomCallTarget, Importer, Panel, elementwise_maps

Array = NDArray[np.generic]


def swish(call: CustomCall, operands: tuple[Array, ...]) -> tuple[Array, ...]:
    """Compute x * sigmoid(x) in f64, and round once to the operand's type."""
    (x,) = operands
    wide = x.astype(np.float64)
    return ((wide / (1 + np.exp(-wide))).astype(x.dtype),)


SWISH = CustomCallTarget(run=swish, least_ranks=(0,), maps=elementwise_maps)

MAGIC = b"CHN\0"
OPS = {1: "stablehlo.exponential", 2: "stablehlo.tanh", 3: "stablehlo.negate"}


def text_of_chain(data: bytes) -> str:
    """Write a chain as StableHLO: after the magic a byte with the size of the tensor, then a byte for each op."""
    size, *codes = data[len(MAGIC) :]
    if unknown := [code for code in codes if code not in OPS]:
        raise ValueError(f"there is no op {unknown[0]}")
    tensor = f"tensor<{size}xf32>"
    lines = [f"  %{at + 1} = {OPS[code]} %{at} : {tensor}" for at, code in enumerate(codes)]
    header = f"func.func @main(%0: {tensor}) -> {tensor} {{"
    return "\n".join([header, *lines, f"  return %{len(codes)} : {tensor}", "}", ""])


CHAIN = Importer(
    described="a chain of ops",
    recognises=lambda data: data.startswith(MAGIC) and len(data) > len(MAGIC),
    read=text_of_chain,
)

VISITED = Panel(title="Visited", module="visited.js")
