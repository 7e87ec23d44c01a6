"""XLA's calls of cuDNN's fused attention, forward and backward, computed from their definition.

`softmax(fmha_scale * Q Kᵀ + bias + mask) V`, per batch element and head; a masked score is minus infinity, and a row
without any score gives 0. Training also returns the logarithm of each row's sum of exponentials, from which the backward
call recomputes the softmax. Operands are [batch, rows, heads, features], or [batch, heads, rows, features]; the
configuration says which. Results have the heads first. Dropout, packed sequences, pages, 8-bit floats and ALiBi depend
on what a text does not state: such calls are code outside of the program.

Source: the operands and settings that JAX's lowering of `dot_product_attention` writes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.types import TensorType
from ..core.blas import multiply_matrices
from ..core.numeric import round_to, widen
from ..core.op import Array
from .call import Call
from .configuration import FLAG, NUMBER, Configuration, one_of, record
from .gemm import GemmDimensions
from .target import Answer, Target, need, static_tensor, with_workspace
from .target_maps import Shared, shared_maps

_MASKS = {name: name for name in ("NO_MASK", "PADDING", "CAUSAL", "PADDING_CAUSAL", "ALIBI")}
_HEADS_FIRST = (0, 1)
"""The batch dimensions of operands whose heads come before their rows."""


@dataclass(frozen=True)
class AttentionConfiguration(Configuration):
    """The settings of XLA's CudnnfMHABackendConfig that affect results."""

    key: ClassVar[str] = "cudnn_fmha_backend_config"

    fmha_scale: float = field(default=1, metadata=NUMBER)
    mask_type: str = field(default="NO_MASK", metadata=one_of(_MASKS))
    sliding_window_length: float = field(default=0, metadata=NUMBER)
    """The number of last keys that a row reads, its own included; 0 for all."""
    dropout_rate: float = field(default=0, metadata=NUMBER)
    max_seg_per_batch: float = field(default=1, metadata=NUMBER)
    is_paged_attention: bool = field(default=False, metadata=FLAG)
    bmm1_dot_dimension_numbers: GemmDimensions | None = field(default=None, metadata=record(GemmDimensions))
    bmm2_grad_gemm2_dot_dimension_numbers: GemmDimensions | None = field(
        default=None, metadata=record(GemmDimensions)
    )
    """The product of the result's gradient and V, whose dimensions are those of Q and K."""

    @property
    def is_defined(self) -> bool:
        """Whether the text states all that the results depend on."""
        plain = self.mask_type != "ALIBI" and not self.is_paged_attention
        return plain and not self.dropout_rate and self.max_seg_per_batch <= 1

    @property
    def heads_first(self) -> bool:
        """Whether the heads of Q, K and V come before their rows."""
        stated = self.bmm1_dot_dimension_numbers or self.bmm2_grad_gemm2_dot_dimension_numbers
        return stated is not None and stated.lhs_batch_dimensions == _HEADS_FIRST

    @property
    def pads(self) -> bool:
        """Whether the lengths of the sequences are operands."""
        return "PADDING" in self.mask_type

    def allowed(self, rows: int, columns: int) -> Array:
        """The keys that each row may read, without regard to the lengths of sequences."""
        distance = np.arange(rows)[:, None] - np.arange(columns)
        found = distance >= 0 if "CAUSAL" in self.mask_type else np.ones_like(distance, np.bool_)
        return found & (distance < self.sliding_window_length) if self.sliding_window_length else found


class Operands(NamedTuple):
    """The operands of a forward or backward call, heads first, in f32 or wider."""

    query: Array
    key: Array
    value: Array
    bias: Array | None
    lengths: tuple[Array, ...]
    """The lengths of the sequences of Q, and of K and V; empty without padding."""
    activation: Array | None = None
    gradient: Array | None = None
    output: Array | None = None

    @property
    def group(self) -> int:
        """The number of heads of Q that share a head of K and V."""
        return int(self.query.shape[1] // self.key.shape[1])


def _operands(call: Call, operands: tuple[Array, ...]) -> Operands:
    """The operands by role. `RunError` if their number or their shapes do not fit."""
    roles = list(_roles(call))
    name = call.call_target_name
    need(len(roles) == len(operands), f"@{name} takes {len(roles)} operands, not {len(operands)}")
    heads_first = call.configuration(AttentionConfiguration).heads_first
    given = dict(zip(roles, operands, strict=True))
    for role in ("query", "key", "value", "gradient", "output"):
        if role in given:
            need(given[role].ndim == 4, f"@{name}: {role} must have rank 4, not {given[role].ndim}")
            found = widen(given[role])
            given[role] = found if heads_first else found.swapaxes(1, 2)
    lengths = tuple(given.pop(role) for role in ("query_lengths", "key_lengths") if role in given)
    bias = given.pop("bias", None)
    made = Operands(bias=None if bias is None else widen(bias), lengths=lengths, **given)
    (batch, heads, _, features), (_, key_heads, columns, _) = made.query.shape, made.key.shape
    fits = made.key.shape == (batch, key_heads, columns, features)
    fits = fits and made.value.shape[:3] == made.key.shape[:3] and heads % max(1, key_heads) == 0
    shapes = ", ".join(str(list(operand.shape)) for operand in operands[:3])
    need(fits, f"@{name}: query, key and value of shapes {shapes} do not fit")
    return made


def _roles(call: Call) -> Iterator[str]:
    yield from ("query", "key", "value")
    if _is_backward(call):
        yield from ("activation", "gradient")
    if "Bias" in call.call_target_name:
        yield "bias"
    if _is_backward(call):
        yield "output"
    if call.configuration(AttentionConfiguration).pads:
        yield from ("query_lengths", "key_lengths")


def _is_backward(call: Call) -> bool:
    return call.call_target_name.endswith("Backward")


def _scores(call: Call, given: Operands) -> Array:
    """The scaled and masked products of Q and K: [batch, heads, rows, columns]."""
    config = call.configuration(AttentionConfiguration)
    scores = multiply_matrices(given.query, _repeat(given.key, given.group).swapaxes(2, 3))
    scores = scores * scores.dtype.type(config.fmha_scale)
    rows, columns = scores.shape[2:]
    if given.bias is not None:
        scores = scores + given.bias.astype(scores.dtype)
    allowed = config.allowed(rows, columns)[None, None]
    for length, positions in zip(given.lengths, (np.arange(rows)[:, None], np.arange(columns)), strict=False):
        allowed = allowed & (positions < length.reshape(-1, 1, 1, 1))
    masked: Array = np.where(allowed, scores, scores.dtype.type(-np.inf))
    return masked


def _repeat(value: Array, group: int) -> Array:
    return value if group == 1 else np.repeat(value, group, axis=1)


def _sum_of_group(gradient: Array, group: int) -> Array:
    batch, heads, *rest = gradient.shape
    total: Array = gradient.reshape(batch, heads // group, group, *rest).sum(axis=2)
    return total


def _forward(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The attention, and in training the logarithm of each row's sum."""
    given = _operands(call, operands)
    scores = _scores(call, given)
    highest = scores.max(axis=3, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
    total = weights.sum(axis=3, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # rows without any score
        found = np.where(total == 0, 0, multiply_matrices(weights, _repeat(given.value, given.group)) / total)
        logarithm = (highest + np.log(total))[..., 0]
    results = [_rounded(call, 0, found)]
    if len(call.parts) > 2:
        results.append(_rounded(call, 1, logarithm))
    return with_workspace(call, results)


def _backward(call: Call, operands: tuple[Array, ...]) -> Answer:
    """The gradients of Q, K and V, and of the bias where it is a result."""
    given = _operands(call, operands)
    assert given.activation is not None
    assert given.gradient is not None
    assert given.output is not None
    key, value = (_repeat(found, given.group) for found in (given.key, given.value))
    scores = _scores(call, given)
    logarithm = np.where(np.isneginf(given.activation), 0, given.activation)  # rows without any score
    weights = np.exp(scores - logarithm[..., None])
    of_weights = multiply_matrices(given.gradient, value.swapaxes(2, 3))
    of_scores = weights * (of_weights - (given.gradient * given.output).sum(axis=3, keepdims=True))
    scale = scores.dtype.type(call.configuration(AttentionConfiguration).fmha_scale)
    found = [
        multiply_matrices(of_scores, key) * scale,
        _sum_of_group(multiply_matrices(of_scores.swapaxes(2, 3), given.query) * scale, given.group),
        _sum_of_group(multiply_matrices(weights.swapaxes(2, 3), given.gradient), given.group),
    ]
    if given.bias is not None and len(call.parts) > 4:
        repeated = tuple(k for k, size in enumerate(given.bias.shape) if size == 1)
        found.append(of_scores.sum(axis=repeated, keepdims=True))
    return with_workspace(call, [_rounded(call, number, each) for number, each in enumerate(found)])


def _rounded(call: Call, number: int, value: Array) -> Array:
    return round_to(value, static_tensor(call, number).element_type)


def _flops(call: Call) -> int:
    """Two products of rows, columns and features forward, five backward; 0 for operands that do not fit."""
    inputs = [found for found in call.inputs[:2] if isinstance(found, TensorType) and found.is_static]
    if len(inputs) < 2 or inputs[1].rank != 4:
        return 0
    rows = 2 if call.configuration(AttentionConfiguration).heads_first else 1
    return (10 if _is_backward(call) else 4) * inputs[0].element_count * inputs[1].sizes[rows]


def _is_defined(call: Call) -> bool:
    try:
        return call.configuration(AttentionConfiguration).is_defined
    except RunError:
        return True  # the run says what is wrong


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Each element reads the elements of an operand with its own batch element, head, row or key.

    The maps enclose what is read where a mask leaves keys out or heads share a head of K and V.
    """
    try:
        roles, config = list(_roles(call)), call.configuration(AttentionConfiguration)
    except RunError:
        return
    results = _BACKWARD_AXES if _is_backward(call) else _FORWARD_AXES
    for result, (axes, unread) in enumerate(results[: len(call.parts) - 1]):
        for operand, role in enumerate(roles):
            if role not in unread:
                own = _axes_of(role, heads_first=config.heads_first)
                yield from shared_maps(
                    call, inverse, operand, result, _shared(own, axes), enclosing=_encloses(call)
                )


_AXES = {
    "query": "bntf",
    "key": "bnsf",
    "value": "bnsw",
    "bias": "bnts",
    "activation": "bnt",
    "gradient": "bntw",
    "output": "bntw",
    "query_lengths": "b",
    "key_lengths": "b",
}
"""The axes of the operands, heads first: batch, head n, row t, key s, and the features of Q and K, f, and of V, w."""
_FORWARD_AXES = (("bntw", ()), ("bnt", ("value",)))
"""The axes along which an element of each result reads its own index alone, and the operands that it does not read."""
_BACKWARD_AXES = (("bnt", ()), ("bns", ()), ("bnsw", ("value", "output")), ("bnts", ()))


def _axes_of(role: str, *, heads_first: bool) -> str:
    axes, is_moved = _AXES[role], role in ("query", "key", "value", "gradient", "output")
    return axes[0] + axes[2] + axes[1] + axes[3] if is_moved and not heads_first else axes


def _shared(own: str, result_axes: str) -> Shared:
    def dimensions(operand: TensorType, made: TensorType) -> dict[int, int]:
        pairs = {k: result_axes.find(axis) for k, axis in enumerate(own[: operand.rank])}
        return {
            k: there
            for k, there in pairs.items()
            if 0 <= there < made.rank and operand.shape[k] == made.shape[there]
        }

    return dimensions


def _encloses(call: Call) -> bool:
    config = call.configuration(AttentionConfiguration)
    heads = _axes_of("query", heads_first=config.heads_first).index("n")
    shared = {
        found.shape[heads] for found in call.inputs[:2] if isinstance(found, TensorType) and found.rank == 4
    }
    return config.mask_type != "NO_MASK" or bool(config.sliding_window_length) or len(shared) != 1


_FORWARD = Target(_forward, maps=_maps, flops=_flops, covers=_is_defined)
_BACKWARD = Target(_backward, maps=_maps, flops=_flops, covers=_is_defined)
TARGETS: dict[str, Target] = {
    "__cudnn$fmhaSoftmax": _FORWARD,
    "__cudnn$fmhaScaleBiasSoftmax": _FORWARD,
    "__cudnn$fmhaSoftmaxBackward": _BACKWARD,
    "__cudnn$fmhaScaleBiasSoftmaxBackward": _BACKWARD,
}
