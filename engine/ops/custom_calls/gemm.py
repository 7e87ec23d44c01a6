"""XLA's calls of cuBLAS's matrix products: a product, a tensor to add, and an epilogue of bias and activation.

`out = alpha * dot(lhs, rhs) + beta * c`, then a bias along the last dimensions, then an activation. The operands after
those of the product are `c` (unless `beta` is 0), the scales of 8-bit floats (scalars), and the bias.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product, takewhile
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import TensorType
from ..contractions.dot_general import DotDimensionNumbers, DotGeneral
from ..core.numeric import apply_wide, round_to, widen
from ..core.op import Array
from .activations import ACTIVATIONS
from .call import Call
from .configuration import DIMENSIONS, FLAG, NUMBER, Configuration, one_of, record
from .target import Answer, Target, check_op, need, static_tensor, with_workspace
from .target_maps import last_dimensions, no_dimensions, own_maps, shared_maps

_MOST_SCALES = 4
"""Maximum scales: of lhs, rhs, `c` (in older programs) and the result."""


@dataclass(frozen=True)
class Epilogue:
    """The operations after the product."""

    name: str
    has_bias: bool = False
    activation: str | None = None
    """A key of `ACTIVATIONS`."""
    gives_input: bool = False
    """Whether the input of the activation is a result too."""


def _epilogues() -> Iterator[Epilogue]:
    for bias, activation, auxiliary in product(("", "BIAS"), ("", "RELU", "GELU", "SILU"), ("", "AUX")):
        words = [bias, activation or "" if bias else activation or "DEFAULT", auxiliary]
        yield Epilogue("_".join(filter(None, words)), bool(bias), activation or None, bool(auxiliary))


EPILOGUES: Mapping[str, Epilogue] = {found.name: found for found in _epilogues()}
"""Epilogues by XLA's names: DEFAULT, BIAS, BIAS_RELU, GELU_AUX, …"""


@dataclass(frozen=True)
class GemmDimensions(Configuration):
    """`dot_dimension_numbers` under XLA's names."""

    lhs_batch_dimensions: tuple[int, ...] = field(default=(), metadata=DIMENSIONS)
    rhs_batch_dimensions: tuple[int, ...] = field(default=(), metadata=DIMENSIONS)
    lhs_contracting_dimensions: tuple[int, ...] = field(default=(), metadata=DIMENSIONS)
    rhs_contracting_dimensions: tuple[int, ...] = field(default=(), metadata=DIMENSIONS)

    @property
    def numbers(self) -> DotDimensionNumbers:
        """The dimension numbers under StableHLO's names."""
        return DotDimensionNumbers(
            self.lhs_batch_dimensions,
            self.rhs_batch_dimensions,
            self.lhs_contracting_dimensions,
            self.rhs_contracting_dimensions,
        )


@dataclass(frozen=True)
class GemmConfiguration(Configuration):
    """The settings of XLA's GemmBackendConfig that affect results."""

    key: ClassVar[str] = "gemm_backend_config"

    dot_dimension_numbers: GemmDimensions | None = field(default=None, metadata=record(GemmDimensions))
    alpha_real: float = field(default=1, metadata=NUMBER)
    alpha_imag: float = field(default=0, metadata=NUMBER)
    beta: float = field(default=0, metadata=NUMBER)
    epilogue: Epilogue = field(default=EPILOGUES["DEFAULT"], metadata=one_of(EPILOGUES))
    damax_output: bool = field(default=False, metadata=FLAG)
    """Whether the greatest magnitude of the unscaled result is a result too."""

    def alpha(self, like: Array) -> Any:
        """The factor of the product, as an element of `like`."""
        if like.dtype.kind == "c":
            return like.dtype.type(complex(self.alpha_real, self.alpha_imag))
        return _factor("alpha_real", self.alpha_real, like)

    def weight(self, like: Array) -> Any:
        """The factor of the tensor to add, as an element of `like`."""
        return _factor("beta", self.beta, like)


def _factor(name: str, stated: float, like: Array) -> Any:
    sentence = f"{GemmConfiguration.key}.{name} must be 0 or 1 for a product of integers, not {stated}"
    need(like.dtype.kind in "fc" or stated in (0, 1), sentence)
    return like.dtype.type(stated)


def _gemm(call: Call, operands: tuple[Array, ...]) -> Answer:
    need(len(operands) >= 2, f"@{call.call_target_name} takes 2 operands or more, not {len(operands)}")
    config = call.configuration(GemmConfiguration)
    added, scales, bias = _others(call, config, operands[2:])
    value = _dot(call, config).evaluate(*operands[:2])
    value = value * config.alpha(value)
    for scale in scales[:2]:
        value = value * widen(scale).astype(value.dtype)
    if added is not None:
        weight = config.weight(value)
        for scale in scales[2:3] if len(scales) == 4 else ():
            weight = weight * widen(scale).astype(value.dtype)
        fits = added.shape == value.shape
        need(fits, f"@{call.call_target_name}: {added.shape} cannot be added to {value.shape}")
        value = value + weight * widen(added).astype(value.dtype)
    return with_workspace(call, _results(call, config, value, scales[2:][-1:], bias))


def _others(
    call: Call, config: GemmConfiguration, operands: tuple[Array, ...]
) -> tuple[Array | None, list[Array], Array | None]:
    """The tensor to add, the scales, and the bias."""
    rest = list(operands)
    name, epilogue = call.call_target_name, config.epilogue
    need(len(rest) >= 1 or not config.beta, f"@{name}: beta needs a third operand")
    added = rest.pop(0) if config.beta else None
    scales = list(takewhile(lambda operand: operand.ndim == 0, rest))
    rest = rest[len(scales) :]
    need(len(scales) <= _MOST_SCALES, f"@{name}: {len(scales)} scales are too many")
    need(len(rest) == epilogue.has_bias, f"@{name}: {len(rest)} biases for the epilogue {epilogue.name}")
    return added, scales, rest[0] if rest else None


def _wide(element_type: ElementType) -> ElementType:
    """The element type of intermediate results, so that rounding happens once, at the end."""
    is_small = element_type.is_float and element_type.bits < 32
    return ELEMENT_TYPES["f32"] if is_small else element_type


def _dot(call: Call, config: GemmConfiguration) -> DotGeneral:
    """The product alone; `RunError` for a configuration that does not fit."""
    lhs, rhs = call.inputs[:2]
    name, stated = call.call_target_name, config.dot_dimension_numbers
    if not (isinstance(lhs, TensorType) and isinstance(rhs, TensorType) and lhs.is_static and rhs.is_static):
        raise RunError(f"@{name} multiplies tensors of known sizes, not {lhs} and {rhs}")
    if stated is None:
        raise RunError(f"@{name}: its configuration has no dot_dimension_numbers")
    wide = _wide(static_tensor(call, 0).element_type)
    dot = DotGeneral(lhs, rhs, stated.numbers, result=lhs.with_element_type(wide))
    return check_op(call, dot)


def _twin(call: Call) -> DotGeneral | None:
    return _dot(call, call.configuration(GemmConfiguration)) if len(call.inputs) >= 2 else None


def _results(
    call: Call, config: GemmConfiguration, value: Array, scale: list[Array], bias: Array | None
) -> list[Array]:
    """Apply bias, activation and scale; return the result, the activation's input, and the greatest magnitude."""
    stated, activation = static_tensor(call, 0), config.epilogue.activation
    if bias is not None:
        fits = value.shape[value.ndim - bias.ndim :] == bias.shape
        sentence = f"@{call.call_target_name}: a bias of shape {bias.shape} does not fit {value.shape}"
        need(fits, sentence)
        value = value + widen(bias).astype(value.dtype)
    before = value
    if activation is not None:
        value = apply_wide(ACTIVATIONS[activation], (value,), _wide(stated.element_type))
    largest = np.max(np.abs(value), initial=0)
    for factor in scale:
        value = value * widen(factor).astype(value.dtype)
    found = [_round(value, stated.element_type)]
    if config.epilogue.gives_input:
        found.append(_round(before, stated.element_type))
    if config.damax_output:
        found.append(np.asarray(largest, static_tensor(call, len(found)).element_type.dtype))
    return found


def _round(value: Array, element_type: ElementType) -> Array:
    """Round to `element_type`; 8-bit floats saturate at the greatest finite number."""
    if element_type.is_float and element_type.bits == 8:
        greatest = float(ml_dtypes.finfo(element_type.dtype).max)
        value = np.clip(value, -greatest, greatest)
    return round_to(value, element_type)


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The maps of the product, and of the tensor to add and the scales along the last dimensions.

    The activation's input has the maps of the result, the greatest magnitude reads everything, workspace has no maps.
    """
    try:
        config, dot = call.configuration(GemmConfiguration), _twin(call)
    except RunError:
        return
    if dot is None:
        return
    alike = 1 + config.epilogue.gives_input
    for result in range(min(alike, len(call.parts))):
        yield from (replace(found, result=result) for found in own_maps(dot, inverse))
        for operand in range(2, len(call.inputs)):
            yield from shared_maps(call, inverse, operand, result, last_dimensions)
    if config.damax_output and alike < len(call.parts):
        for operand in range(len(call.inputs)):
            yield from shared_maps(call, inverse, operand, alike, no_dimensions)


TARGETS: dict[str, Target] = dict.fromkeys(
    ("__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"), Target(_gemm, maps=_maps, twin=_twin)
)
