"""cuBLAS's products of matrices, as XLA calls them: a product, a tensor to add, and an epilogue of bias and activation.

`out = alpha * dot(lhs, rhs) + beta * c`, then a bias along the last dimensions, then an activation. Behind the
operands of the product are `c` (unless `beta` is 0), the scales of 8-bit floats (scalars), and the bias.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import TensorType
from ..checking import first_broken
from ..dot_general import DotDimensionNumbers, DotGeneral
from ..numeric import computed, rounded, widened
from ..op import Array
from .activations import ACTIVATIONS
from .maps import last_dimensions, none_shared, own_maps, shared_maps
from .target import Answer, Target, need, static_tensor, with_workspace

if TYPE_CHECKING:
    from .custom_call import CustomCall

_AUXILIARY = "_AUX"
"""Behind an epilogue's name: what goes into the activation is a result, too."""
_MOST_SCALES = 4
"""Of lhs, rhs, `c` (in older programs) and the result."""
_DIMENSIONS = {
    "lhs_batch_dimensions": "lhs_batching_dimensions",
    "rhs_batch_dimensions": "rhs_batching_dimensions",
    "lhs_contracting_dimensions": "lhs_contracting_dimensions",
    "rhs_contracting_dimensions": "rhs_contracting_dimensions",
}


def _gemm(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    need(len(operands) >= 2, f"@{call.call_target_name} takes 2 operands or more, not {len(operands)}")
    config = _config(call)
    added, scales, bias = _others(call, config, operands[2:])
    value = _dot(call).evaluate(*operands[:2])
    value = value * _number(config, "alpha_real", 1, value, _number(config, "alpha_imag", 0))
    for scale in scales[:2]:
        value = value * widened(scale).astype(value.dtype)
    if added is not None:
        weight = _number(config, "beta", 0, value)
        for scale in scales[2:3] if len(scales) == 4 else ():
            weight = weight * widened(scale).astype(value.dtype)
        fits = added.shape == value.shape
        need(fits, f"@{call.call_target_name}: {added.shape} cannot be added to {value.shape}")
        value = value + weight * widened(added).astype(value.dtype)
    return with_workspace(call, _finished(call, config, value, scales[2:][-1:], bias))


def _config(call: CustomCall) -> Mapping[str, Any]:
    """XLA for GPUs puts it into the configuration that all instructions have; it did not always."""
    found = call.settings.get("gemm_backend_config", call.settings)
    return found if isinstance(found, dict) else {}


def _others(
    call: CustomCall, config: Mapping[str, Any], operands: tuple[Array, ...]
) -> tuple[Array | None, list[Array], Array | None]:
    """What is added, the scales, and the bias."""
    rest = list(operands)
    name, has_bias = call.call_target_name, "BIAS" in _epilogue(config)
    need(len(rest) >= 1 or not _number(config, "beta", 0), f"@{name}: beta needs a third operand")
    added = rest.pop(0) if _number(config, "beta", 0) else None
    scales = list(takewhile(lambda operand: operand.ndim == 0, rest))
    rest = rest[len(scales) :]
    need(len(scales) <= _MOST_SCALES, f"@{name}: {len(scales)} scales are too many")
    need(len(rest) == has_bias, f"@{name}: {len(rest)} biases for the epilogue {_epilogue(config)}")
    return added, scales, rest[0] if rest else None


def _epilogue(config: Mapping[str, Any]) -> str:
    return str(config.get("epilogue") or "DEFAULT")


def _wide(element_type: ElementType) -> ElementType:
    """What is computed in: nothing is rounded before the end."""
    is_small = element_type.is_float and element_type.bits < 32
    return ELEMENT_TYPES["f32"] if is_small else element_type


def _dot(call: CustomCall) -> DotGeneral:
    """The product alone; `RunError` if the configuration says nothing that fits."""
    lhs, rhs = call.inputs[:2]
    name, stated = call.call_target_name, _config(call).get("dot_dimension_numbers")
    if not (isinstance(lhs, TensorType) and isinstance(rhs, TensorType) and lhs.is_static and rhs.is_static):
        raise RunError(f"@{name} multiplies tensors of known sizes, not {lhs} and {rhs}")
    if not isinstance(stated, dict):
        raise RunError(f"@{name}: its configuration has no dot_dimension_numbers")
    lists = {ours: _numbers(call, stated.get(theirs)) for theirs, ours in _DIMENSIONS.items()}
    wide = _wide(static_tensor(call, 0).element_type)
    dot = DotGeneral(lhs, rhs, DotDimensionNumbers(**lists), result=lhs.with_element_type(wide))
    broken = first_broken(dot)
    need(broken is None, f"@{name}: {broken[1] if broken else ''}")
    return dot


def _twin(call: CustomCall) -> DotGeneral | None:
    return _dot(call) if len(call.inputs) >= 2 else None


def _numbers(call: CustomCall, stated: Any) -> tuple[int, ...]:
    """Dimensions, each as text or as a number."""
    try:
        return tuple(int(number) for number in stated or ())
    except (TypeError, ValueError):
        need(False, f"@{call.call_target_name}: {stated} is no list of dimensions")
        return ()


def _number(
    config: Mapping[str, Any], name: str, default: float, like: Array | None = None, imaginary: Any = 0
) -> Any:
    """A factor, as an element of `like`."""
    stated = config.get(name, default)
    known = isinstance(stated, int | float) and not isinstance(stated, bool)
    need(known, f"{name} must be a number, not {stated}")
    if like is None:
        return stated
    if like.dtype.kind == "c":
        return like.dtype.type(complex(stated, imaginary))
    need(like.dtype.kind == "f" or stated in (0, 1), f"{name} is {stated}, no factor for integers")
    return like.dtype.type(stated)


def _finished(
    call: CustomCall, config: Mapping[str, Any], value: Array, scale: list[Array], bias: Array | None
) -> list[Array]:
    """Bias, activation and scale; the result, what went into the activation, and the greatest magnitude."""
    name, epilogue = call.call_target_name, _epilogue(config)
    activation = epilogue.removesuffix(_AUXILIARY).removeprefix("BIAS").removeprefix("_") or "DEFAULT"
    known = activation in ("DEFAULT", "RELU", "GELU", "SILU")
    need(known, f"@{name}: {epilogue} is no epilogue that is known here")
    stated = static_tensor(call, 0)
    if bias is not None:
        fits = value.shape[value.ndim - bias.ndim :] == bias.shape
        need(fits, f"@{name}: a bias of shape {bias.shape} does not fit {value.shape}")
        value = value + widened(bias).astype(value.dtype)
    before = value
    if activation != "DEFAULT":
        compute = ACTIVATIONS[activation]
        value = computed(compute, (value,), _wide(stated.element_type))
    largest = np.max(np.abs(value), initial=0)
    for factor in scale:
        value = value * widened(factor).astype(value.dtype)
    found = [_rounded(value, stated.element_type)]
    if epilogue.endswith(_AUXILIARY):
        found.append(_rounded(before, stated.element_type))
    if config.get("damax_output") is True:
        found.append(np.asarray(largest, static_tensor(call, len(found)).element_type.dtype))
    return found


def _rounded(value: Array, element_type: ElementType) -> Array:
    """8-bit floats stop at the greatest finite one."""
    if element_type.is_float and element_type.bits == 8:
        greatest = float(ml_dtypes.finfo(element_type.dtype).max)
        value = np.clip(value, -greatest, greatest)
    return rounded(value, element_type)


def _maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """The product's; what is added and the scales lie along the last dimensions. What goes into the activation is as
    the result is, and the greatest magnitude hangs on everything. Workspace holds nothing.
    """
    try:
        product, config = _twin(call), _config(call)
    except RunError:
        return
    if product is None:
        return
    alike = 1 + _epilogue(config).endswith(_AUXILIARY)
    for result in range(min(alike, len(call.parts))):
        yield from (replace(found, result=result) for found in own_maps(product, inverse))
        for operand in range(2, len(call.inputs)):
            yield from shared_maps(call, inverse, operand, result, last_dimensions)
    if config.get("damax_output") is True and alike < len(call.parts):
        for operand in range(len(call.inputs)):
            yield from shared_maps(call, inverse, operand, alike, none_shared)


TARGETS: dict[str, Target] = dict.fromkeys(
    ("__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"),
    Target(_gemm, maps=_maps, twin=_twin),
)
