"""XLA's calls of cuDNN's convolutions: forward, its two gradients, and forward with bias and activation.

All of them state the window, the dimension names and the groups of the forward convolution. The result of a gradient
has the type of the forward convolution's input or kernel; its sizes come from the stated type because strides leave
them open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap, compose, reverse_maps
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import TensorType
from ..contractions.convolution import Convolution, dilated_size
from ..contractions.convolution_rules import ConvolutionDimensionNumbers
from ..core.numeric import Compute, apply_wide, convert, widen
from ..core.op import Array
from .activations import ACTIVATIONS, leaky_relu
from .call import Call
from .configuration import NUMBER, Configuration, one_of
from .target import Answer, Target, check_op, need, static_tensor, with_workspace
from .target_maps import (
    Maps,
    last_dimensions,
    move_operand,
    own_maps,
    regrouping,
    shared_maps,
)

_SLOPE = "kLeakyRelu"
"""The activation with a parameter."""
_MODES: Mapping[str, Compute | None] = {
    "kNone": None,
    "kSigmoid": ACTIVATIONS["SIGMOID"],
    "kRelu": ACTIVATIONS["RELU"],
    "kRelu6": ACTIVATIONS["RELU6"],
    "kTanh": ACTIVATIONS["TANH"],
    "kElu": ACTIVATIONS["ELU"],
    "kGeluExact": ACTIVATIONS["GELUEXACT"],
}
_NAMES = (
    *("kNone", "kSigmoid", "kRelu", "kRelu6", "kReluX"),
    *("kTanh", "kBandPass", "kElu", _SLOPE, "kGeluExact"),
)
"""XLA's names of activation modes, by number. kReluX and kBandPass need a bound that no call states."""
_STATED = {
    word: name
    for number, name in enumerate(_NAMES)
    for word in (name, str(number))
    if name in (*_MODES, _SLOPE)
}


@dataclass(frozen=True)
class CudnnConfiguration(Configuration):
    """The settings of XLA's CudnnConvBackendConfig that affect results."""

    key: ClassVar[str] = "cudnn_conv_backend_config"

    conv_result_scale: float = field(default=1, metadata=NUMBER)
    side_input_scale: float = field(default=0, metadata=NUMBER)
    activation_mode: str = field(default="kNone", metadata=one_of(_STATED))
    leakyrelu_alpha: float = field(default=0, metadata=NUMBER)

    @property
    def activation(self) -> Compute | None:
        """The function applied at the end; `None` for the identity."""
        if self.activation_mode == _SLOPE:
            return leaky_relu(self.leakyrelu_alpha)
        return _MODES[self.activation_mode]

    def scale(self, value: Array) -> Array:
        """The convolution's result times its factor."""
        scale = self.conv_result_scale
        return value if scale == 1 else value * value.dtype.type(scale)


@dataclass(frozen=True)
class ConvolutionCall:
    """The record of the forward convolution, as in `window` and `dim_labels` of HLO text."""

    dimension_numbers: ConvolutionDimensionNumbers | None = None
    window_dimensions: tuple[int, ...] | None = None
    """The sizes of the window, which the operands have too."""
    window_strides: tuple[int, ...] | None = None
    padding: tuple[tuple[int, ...], ...] | None = None
    lhs_dilation: tuple[int, ...] | None = None
    rhs_dilation: tuple[int, ...] | None = None
    window_reversal: tuple[bool, ...] | None = None
    feature_group_count: int = 1
    batch_group_count: int = 1

    @classmethod
    def of(cls, call: Call) -> ConvolutionCall:
        """The record in `call`."""
        return call.record(cls)


def _wide(element_type: ElementType) -> ElementType:
    """The element type of intermediate results, so that rounding happens once, at the end."""
    if element_type.is_integer:
        return ELEMENT_TYPES["f64"]
    is_small = element_type.is_float and element_type.bits < 32
    return ELEMENT_TYPES["f32"] if is_small else element_type


def _tensors(call: Call) -> tuple[TensorType, TensorType]:
    name, count = call.call_target_name, len(call.inputs)
    need(count >= 2, f"@{name} takes 2 operands or more, not {count}")
    lhs, rhs = call.inputs[:2]
    if isinstance(lhs, TensorType) and isinstance(rhs, TensorType) and lhs.is_static and rhs.is_static:
        return lhs, rhs
    raise RunError(f"@{name} convolves tensors of known sizes, not {lhs} and {rhs}")


def _convolution(call: Call, lhs: TensorType, rhs: TensorType) -> Convolution:
    """The forward convolution of an input and a kernel that the call states."""
    stated = ConvolutionCall.of(call)
    if stated.dimension_numbers is None:
        raise RunError(f"@{call.call_target_name} needs dim_labels")
    op = Convolution(
        lhs,
        rhs,
        stated.dimension_numbers,
        stated.feature_group_count,
        stated.batch_group_count,
        stated.window_strides,
        stated.lhs_dilation,
        stated.rhs_dilation,
        stated.window_reversal,
        result=lhs.with_element_type(_wide(static_tensor(call, 0).element_type)),
        padding=stated.padding,
    )
    return check_op(call, op)


def _forward_op(call: Call) -> Convolution:
    return _convolution(call, *_tensors(call))


def _forward(call: Call, operands: tuple[Array, ...]) -> Answer:
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    return _scaled_results(call, _forward_op(call).evaluate(*operands))


def _scaled_results(call: Call, value: Array) -> tuple[Array, ...]:
    return _results(call, call.configuration(CudnnConfiguration).scale(value))


def _results(call: Call, value: Array) -> tuple[Array, ...]:
    stated = static_tensor(call, 0).element_type
    return with_workspace(call, [convert(value, _wide(stated), stated)])


def _with_bias(call: Call, operands: tuple[Array, ...]) -> Answer:
    """`activation(conv_result_scale * convolution + side_input_scale * side input + bias)`."""
    name, count = call.call_target_name, len(operands)
    need(count in (3, 4), f"@{name} takes 3 or 4 operands, not {count}")
    op, config = _forward_op(call), call.configuration(CudnnConfiguration)
    value = config.scale(op.evaluate(*operands[:2]))
    if count == 4:
        side = operands[3]
        need(side.shape == value.shape, f"@{name}: the side input {side.shape} does not fit {value.shape}")
        value = value + value.dtype.type(config.side_input_scale) * _widen(side, value)
    value = value + _widen(_spread(call, operands[2], value, op), value)
    if config.activation is not None:
        value = apply_wide(config.activation, (value,), _wide(static_tensor(call, 0).element_type))
    return _results(call, value)


def _spread(call: Call, bias: Array, value: Array, op: Convolution) -> Array:
    at = op.dimension_numbers.output_feature_dimension
    fits = bias.shape == (value.shape[at],)
    need(fits, f"@{call.call_target_name}: a bias of shape {bias.shape} for {value.shape[at]} features")
    return bias.reshape([-1 if k == at else 1 for k in range(value.ndim)])


def _widen(operand: Array, value: Array) -> Array:
    return widen(operand).astype(value.dtype)


def _gradient_of_input(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The input's gradient, from the gradient of the forward convolution's result and the kernel."""
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    op = _input_op(call)
    n, (gradient, kernel) = op.dimension_numbers, operands
    features = n.kernel_input_feature_dimension, n.kernel_output_feature_dimension
    value = op.evaluate(gradient, _regroup(kernel, *features, ConvolutionCall.of(call).feature_group_count))
    return _scaled_results(call, value)


def _input_op(call: Call) -> Convolution:
    """The gradient dilated by the strides, convolved with the reversed kernel."""
    gradient, kernel = _tensors(call)
    forward = _forward_of_gradient(call, static_tensor(call, 0), kernel, gradient)
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
    return check_op(call, op)


def _padding_of_input_gradient(forward: Convolution, k: int) -> tuple[int, int]:
    n = forward.dimension_numbers
    size = forward.lhs.sizes[n.input_spatial_dimensions[k]]
    reach = (forward.rhs.sizes[n.kernel_spatial_dimensions[k]] - 1) * forward.window_dilations[k]
    count = forward.infer().sizes[n.output_spatial_dimensions[k]]
    low = reach - (forward.padding or ((0, 0),) * (k + 1))[k][0]
    whole = (size - 1) * forward.base_dilations[k] + reach + 1
    return low, whole - low - dilated_size(count, forward.strides[k])


def _regroup(kernel: Array, inputs: int, outputs: int, groups: int) -> Array:
    """Move the groups from one dimension to the other: [g inputs, outputs] becomes [inputs, g outputs]."""
    moved = np.moveaxis(kernel, (inputs, outputs), (0, 1))
    rows, columns, *rest = moved.shape
    parts = moved.reshape(groups, rows // groups, columns, *rest).swapaxes(0, 1)
    joined = parts.reshape(rows // groups, groups * columns, *rest)
    return np.moveaxis(joined, (0, 1), (inputs, outputs))


def _forward_of_gradient(call: Call, lhs: TensorType, rhs: TensorType, result: TensorType) -> Convolution:
    """The forward convolution; `RunError` unless its result has the gradient's type."""
    name, op = call.call_target_name, _convolution(call, lhs, rhs)
    need(op.batch_group_count == 1, f"@{name}: there are no groups of batches in cuDNN")
    found = op.infer().shape
    sentence = f"@{name}: a gradient of shape {result.shape} for a convolution that gives {found}"
    need(found == result.shape, sentence)
    return op


def _gradient_of_kernel(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The kernel's gradient, from the forward convolution's input and the gradient of its result."""
    need(len(operands) == 2, f"@{call.call_target_name} takes 2 operands, not {len(operands)}")
    op = _kernel_op(call)
    return _scaled_results(call, np.flip(op.evaluate(*operands), _turned_dimensions(call, op)))


def _turned_dimensions(call: Call, op: Convolution) -> tuple[int, ...]:
    """The dimensions along which the forward convolution reverses its kernel."""
    spatial = op.dimension_numbers.output_spatial_dimensions
    reversals = ConvolutionCall.of(call).window_reversal or ()
    return tuple(at for at, reverse in zip(spatial, reversals, strict=False) if reverse)


def _kernel_op(call: Call) -> Convolution:
    """The input convolved with the gradient dilated by the strides, summed over batches."""
    source, gradient = _tensors(call)
    forward = _forward_of_gradient(call, source, static_tensor(call, 0), gradient)
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
    return check_op(call, op)


def _padding_of_kernel_gradient(forward: Convolution, k: int) -> tuple[int, int]:
    n = forward.dimension_numbers
    size = dilated_size(forward.lhs.sizes[n.input_spatial_dimensions[k]], forward.base_dilations[k])
    reach = (forward.rhs.sizes[n.kernel_spatial_dimensions[k]] - 1) * forward.window_dilations[k]
    count = forward.infer().sizes[n.output_spatial_dimensions[k]]
    low = (forward.padding or ((0, 0),) * (k + 1))[k][0]
    return low, reach + dilated_size(count, forward.strides[k]) - low - size


def _input_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The maps of the equivalent convolution; with groups, its kernel is regrouped first."""
    op = _input_op(call)
    kernel, n = _tensors(call)[1], op.dimension_numbers
    features = n.kernel_input_feature_dimension, n.kernel_output_feature_dimension
    there, back = regrouping(kernel.sizes, *features, ConvolutionCall.of(call).feature_group_count)
    return move_operand(own_maps(op, inverse), 1, there, back, inverse)


def _kernel_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The maps of the equivalent convolution; its result is reversed where the forward one reverses its kernel."""
    op = _kernel_op(call)
    turned = _turned_dimensions(call, op)
    (turn,) = reverse_maps(static_tensor(call, 0).sizes, turned)
    for found in own_maps(op, inverse):
        joined = compose(found.map, turn.map) if inverse else compose(turn.map, found.map)
        yield replace(found, map=joined) if turned else found


def _others(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The maps of the bias, one per feature, and of the side input."""
    feature = _forward_op(call).dimension_numbers.output_feature_dimension
    if len(call.inputs) > 2:
        yield from shared_maps(call, inverse, 2, 0, lambda bias, result: {0: feature})
    if len(call.inputs) > 3:
        yield from shared_maps(call, inverse, 3, 0, last_dimensions)


def _if_known(maps: Maps) -> Maps:
    """The same maps, or none for an invalid configuration, which stops a run."""

    def known_maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
        try:
            yield from maps(call, inverse)
        except RunError:
            return

    return known_maps


TARGETS: dict[str, Target] = {
    "__cudnn$convForward": Target(_forward, twin=_forward_op, record=ConvolutionCall),
    "__cudnn$convBackwardInput": Target(
        _gradient_of_input, maps=_if_known(_input_maps), twin=_input_op, record=ConvolutionCall
    ),
    "__cudnn$convBackwardFilter": Target(
        _gradient_of_kernel, maps=_if_known(_kernel_maps), twin=_kernel_op, record=ConvolutionCall
    ),
    "__cudnn$convBiasActivationForward": Target(
        _with_bias, twin=_forward_op, others=_if_known(_others), record=ConvolutionCall
    ),
}
