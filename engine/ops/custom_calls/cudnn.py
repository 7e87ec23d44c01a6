"""cuDNN's convolutions, as XLA calls them: forward, its two gradients, and forward with bias and activation.

The window, the names of dimensions and the groups are those of the forward convolution in all of them; a gradient
has the forward convolution's input, or its kernel, as its result. The sizes of that are known from the stated
type: strides leave them open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap, compose, reverse_maps
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import TensorType
from ..checking import first_broken
from ..convolution import Convolution, dilated
from ..convolution_rules import ConvolutionDimensionNumbers
from ..numeric import Compute, computed, converted, widened
from ..op import Array
from .activations import ACTIVATIONS, leaky_relu
from .maps import Maps, last_dimensions, moved_operand, own_maps, regrouping, shared_maps
from .target import Answer, Target, need, static_tensor, with_workspace

if TYPE_CHECKING:
    from .custom_call import CustomCall

_MODES = ("none", "sigmoid", "relu", "relu6", "relux", "tanh", "bandpass", "elu", "leakyrelu", "geluexact")
"""What numbers stand for as `activation_mode`."""


def _wide(element_type: ElementType) -> ElementType:
    """What is computed in: nothing is rounded before the end."""
    if element_type.is_integer:
        return ELEMENT_TYPES["f64"]
    is_small = element_type.is_float and element_type.bits < 32
    return ELEMENT_TYPES["f32"] if is_small else element_type


def _tensors(call: CustomCall) -> tuple[TensorType, TensorType]:
    name, count = call.call_target_name, len(call.inputs)
    need(count >= 2, f"@{name} takes 2 operands or more, not {count}")
    lhs, rhs = call.inputs[:2]
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType) and lhs.is_static and rhs.is_static:
        return lhs, rhs
    raise RunError(f"@{name} convolves tensors of known sizes, not {lhs} and {rhs}")


def _checked(call: CustomCall, op: Convolution) -> Convolution:
    broken = first_broken(op)
    need(broken is None, f"@{call.call_target_name}: {broken[1] if broken else ''}")
    return op


def _convolution(call: CustomCall, lhs: TensorType, rhs: TensorType) -> Convolution:
    """The forward convolution of an input and a kernel, as the call states it."""
    numbers = call.dimension_numbers
    if numbers is None:
        raise RunError(f"@{call.call_target_name} needs dim_labels")
    op = Convolution(
        lhs,
        rhs,
        numbers,
        call.feature_group_count,
        call.batch_group_count,
        call.window_strides,
        call.lhs_dilation,
        call.rhs_dilation,
        call.window_reversal,
        result=lhs.with_element_type(_wide(static_tensor(call, 0).element_type)),
        padding=call.padding,
    )
    return _checked(call, op)


def _forward_op(call: CustomCall) -> Convolution:
    return _convolution(call, *_tensors(call))


def _forward(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    value = _forward_op(call).evaluate(*operands)
    return _given(call, _scaled(call, value))


def _scaled(call: CustomCall, value: Array) -> Array:
    scale = _factor(call, "conv_result_scale", 1)
    return value if scale == 1 else value * value.dtype.type(scale)


def _given(call: CustomCall, value: Array) -> tuple[Array, ...]:
    stated = static_tensor(call, 0).element_type
    return with_workspace(call, [converted(value, _wide(stated), stated)])


def _with_bias(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """`activation(conv_result_scale * convolution + side_input_scale * side input + bias)`."""
    name, count = call.call_target_name, len(operands)
    need(count in (3, 4), f"@{name} takes 3 or 4 operands, not {count}")
    op = _forward_op(call)
    value = _scaled(call, op.evaluate(*operands[:2]))
    if count == 4:
        side = operands[3]
        need(side.shape == value.shape, f"@{name}: the side input {side.shape} does not fit {value.shape}")
        value = value + value.dtype.type(_factor(call, "side_input_scale", 0)) * _as(side, value)
    value = value + _as(_spread(call, operands[2], value, op), value)
    compute = _activation(call)
    wide = _wide(static_tensor(call, 0).element_type)
    return _given(call, value if compute is None else computed(compute, (value,), wide))


def _spread(call: CustomCall, bias: Array, value: Array, op: Convolution) -> Array:
    at = op.dimension_numbers.output_feature_dimension
    fits = bias.shape == (value.shape[at],)
    need(fits, f"@{call.call_target_name}: a bias of shape {bias.shape} for {value.shape[at]} features")
    return bias.reshape([-1 if k == at else 1 for k in range(value.ndim)])


def _as(operand: Array, value: Array) -> Array:
    return widened(operand).astype(value.dtype)


def _settings(call: CustomCall) -> dict[str, Any]:
    found = call.settings.get("cudnn_conv_backend_config", call.settings)
    return found if isinstance(found, dict) else {}


def _factor(call: CustomCall, name: str, default: float) -> float:
    found = _settings(call).get(name, default)
    known = isinstance(found, int | float) and not isinstance(found, bool)
    need(known, f"@{call.call_target_name}: {name} must be a number, not {found}")
    return float(found)


def _activation(call: CustomCall) -> Compute | None:
    """`kRelu`, or the number of such a name."""
    found = _settings(call).get("activation_mode", 0)
    text = str(found).removeprefix("k").lower()
    number = int(text) if text.isdecimal() else -1
    mode = _MODES[number] if 0 <= number < len(_MODES) else text
    if mode == "none":
        return None
    if mode == "leakyrelu":
        return leaky_relu(_factor(call, "leakyrelu_alpha", 0))
    compute = ACTIVATIONS.get(mode.upper())
    need(compute is not None, f"@{call.call_target_name}: {found} is no activation that is known here")
    return compute


def _gradient_of_input(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Operands are the gradient of the forward convolution's result, and its kernel."""
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    op = _input_op(call)
    n, (gradient, kernel) = op.dimension_numbers, operands
    features = n.kernel_input_feature_dimension, n.kernel_output_feature_dimension
    value = op.evaluate(gradient, _regrouped(kernel, *features, call.feature_group_count))
    return _given(call, _scaled(call, value))


def _input_op(call: CustomCall) -> Convolution:
    """The gradient, spread out to where its windows began, under the kernel turned round."""
    gradient, kernel = _tensors(call)
    forward = _fitting(call, static_tensor(call, 0), kernel, gradient)
    n, shape = forward.dimension_numbers, list(kernel.sizes)
    shape[n.kernel_input_feature_dimension] *= forward.feature_group_count
    shape[n.kernel_output_feature_dimension] //= forward.feature_group_count
    op = replace(
        forward,
        lhs=gradient,
        rhs=kernel.with_shape(tuple(shape)),
        dimension_numbers=ConvolutionDimensionNumbers(
            n.output_batch_dimension,
            n.output_feature_dimension,
            n.kernel_output_feature_dimension,
            n.kernel_input_feature_dimension,
            n.input_batch_dimension,
            n.input_feature_dimension,
            n.output_spatial_dimensions,
            n.kernel_spatial_dimensions,
            n.input_spatial_dimensions,
        ),
        window_strides=forward.base_dilations,
        lhs_dilation=forward.strides,
        window_reversal=tuple(not reverse for reverse in forward.reversals),
        padding=tuple(_padding_of_input_gradient(forward, k) for k in range(forward.spatial_count)),
    )
    return _checked(call, op)


def _padding_of_input_gradient(forward: Convolution, k: int) -> tuple[int, int]:
    n = forward.dimension_numbers
    size = forward.lhs.sizes[n.input_spatial_dimensions[k]]
    reach = (forward.rhs.sizes[n.kernel_spatial_dimensions[k]] - 1) * forward.window_dilations[k]
    count = forward.infer().sizes[n.output_spatial_dimensions[k]]
    low = reach - (forward.padding or ((0, 0),) * (k + 1))[k][0]
    whole = (size - 1) * forward.base_dilations[k] + reach + 1
    return low, whole - low - dilated(count, forward.strides[k])


def _regrouped(kernel: Array, inputs: int, outputs: int, groups: int) -> Array:
    """Moves the groups of one dimension to the other: [g inputs, outputs] becomes [inputs, g outputs]."""
    moved = np.moveaxis(kernel, (inputs, outputs), (0, 1))
    rows, columns, *rest = moved.shape
    parts = moved.reshape(groups, rows // groups, columns, *rest).swapaxes(0, 1)
    joined = parts.reshape(rows // groups, groups * columns, *rest)
    return np.moveaxis(joined, (0, 1), (inputs, outputs))


def _fitting(call: CustomCall, lhs: TensorType, rhs: TensorType, result: TensorType) -> Convolution:
    """The forward convolution, whose result must be as the gradient of it is."""
    name, op = call.call_target_name, _convolution(call, lhs, rhs)
    need(op.batch_group_count == 1, f"@{name}: there are no groups of batches in cuDNN")
    found = op.infer().shape
    sentence = f"@{name}: a gradient of shape {result.shape} for a convolution that gives {found}"
    need(found == result.shape, sentence)
    return op


def _gradient_of_kernel(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Operands are the forward convolution's input, and the gradient of its result."""
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    op = _kernel_op(call)
    spatial, reversals = op.dimension_numbers.output_spatial_dimensions, call.window_reversal or ()
    turned = [at for at, reverse in zip(spatial, reversals, strict=False) if reverse]
    return _given(call, _scaled(call, np.flip(op.evaluate(*operands), tuple(turned))))


def _kernel_op(call: CustomCall) -> Convolution:
    """The input under the gradient, spread out to where its windows began; batches are what is summed over."""
    source, gradient = _tensors(call)
    forward = _fitting(call, source, static_tensor(call, 0), gradient)
    n = forward.dimension_numbers
    op = replace(
        forward,
        lhs=source,
        rhs=gradient,
        dimension_numbers=ConvolutionDimensionNumbers(
            n.input_feature_dimension,
            n.input_batch_dimension,
            n.output_batch_dimension,
            n.output_feature_dimension,
            n.kernel_input_feature_dimension,
            n.kernel_output_feature_dimension,
            n.input_spatial_dimensions,
            n.output_spatial_dimensions,
            n.kernel_spatial_dimensions,
        ),
        feature_group_count=1,
        batch_group_count=forward.feature_group_count,
        window_strides=forward.window_dilations,
        rhs_dilation=forward.strides,
        window_reversal=None,
        padding=tuple(_padding_of_kernel_gradient(forward, k) for k in range(forward.spatial_count)),
    )
    return _checked(call, op)


def _padding_of_kernel_gradient(forward: Convolution, k: int) -> tuple[int, int]:
    n = forward.dimension_numbers
    size = dilated(forward.lhs.sizes[n.input_spatial_dimensions[k]], forward.base_dilations[k])
    reach = (forward.rhs.sizes[n.kernel_spatial_dimensions[k]] - 1) * forward.window_dilations[k]
    count = forward.infer().sizes[n.output_spatial_dimensions[k]]
    low = (forward.padding or ((0, 0),) * (k + 1))[k][0]
    return low, reach + dilated(count, forward.strides[k]) - low - size


def _input_maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """Of the convolution that it is; with groups the kernel is regrouped before."""
    op = _input_op(call)
    kernel, n = _tensors(call)[1], op.dimension_numbers
    features = n.kernel_input_feature_dimension, n.kernel_output_feature_dimension
    there, back = regrouping(kernel.sizes, *features, call.feature_group_count)
    return moved_operand(own_maps(op, inverse), 1, there, back, inverse)


def _kernel_maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """Of the convolution that it is; where the forward one turns its kernel round, so does this its result."""
    op = _kernel_op(call)
    spatial, reversals = op.dimension_numbers.output_spatial_dimensions, call.window_reversal or ()
    turned = [at for at, reverse in zip(spatial, reversals, strict=False) if reverse]
    (turn,) = reverse_maps(static_tensor(call, 0).sizes, turned)
    for found in own_maps(op, inverse):
        joined = compose(found.map, turn.map) if inverse else compose(turn.map, found.map)
        yield replace(found, map=joined) if turned else found


def _others(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """The bias of each feature, and the side input."""
    feature = _forward_op(call).dimension_numbers.output_feature_dimension
    if len(call.inputs) > 2:
        yield from shared_maps(call, inverse, 2, 0, lambda bias, result: {0: feature})
    if len(call.inputs) > 3:
        yield from shared_maps(call, inverse, 3, 0, last_dimensions)


def _if_known(maps: Maps) -> Maps:
    """None, of a call whose configuration makes no sense: a run stops at it."""

    def found(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
        try:
            yield from maps(call, inverse)
        except RunError:
            return

    return found


TARGETS: dict[str, Target] = {
    "__cudnn$convForward": Target(_forward, twin=_forward_op),
    "__cudnn$convBackwardInput": Target(_gradient_of_input, maps=_if_known(_input_maps), twin=_input_op),
    "__cudnn$convBackwardFilter": Target(_gradient_of_kernel, maps=_if_known(_kernel_maps), twin=_kernel_op),
    "__cudnn$convBiasActivationForward": Target(_with_bias, twin=_forward_op, others=_if_known(_others)),
}
