"""Infer shapes from the rest of a form, for operands that state none.

An operand without a rule has the shape of its partner. A scalar operand, such as an initial value, has none.
`Unfit` reports a form from which no shape follows; the op's constraints say why.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hloscope.engine.ir.element_types import QuantizedType
from hloscope.engine.ir.types import TensorType

Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]
Rule = Callable[[Shapes, Mapping[str, Any]], Shape]


class Unfit(Exception):
    """The rest of the form determines no shape."""


def derived_shape(op: str, operand: str, shapes: Shapes, fields: Mapping[str, Any], goes_with: str) -> Shape:
    """The shape of an operand, inferred from the stated shapes of others and from the fields."""
    rule = _RULES.get((op, operand)) or _OF_ANY.get(operand)
    try:
        return rule(shapes, fields) if rule else shapes[goes_with]
    except (LookupError, ArithmeticError, TypeError, ValueError, RuntimeError) as error:
        raise Unfit from error


def _scalar(shapes: Shapes, fields: Mapping[str, Any]) -> Shape:
    return ()


def _features(shapes: Shapes, fields: Mapping[str, Any]) -> Shape:
    sizes, feature = shapes["operand"], fields["feature_index"]
    # Beyond the rank a constraint reports the error, and does not need this size.
    return (sizes[feature],) if 0 <= feature < len(sizes) else (1,)


def _updates(shapes: Shapes, fields: Mapping[str, Any]) -> Shape:
    """A whole window for each index vector."""
    inputs, vectors = shapes["inputs"], shapes["scatter_indices"]
    dropped = {*fields["inserted_window_dims"], *fields["input_batching_dims"]}
    window = iter([size for d, size in enumerate(inputs) if d not in dropped])
    scattered = iter([size for d, size in enumerate(vectors) if d != fields["index_vector_dim"]])
    batch = len([d for d in range(len(vectors)) if d != fields["index_vector_dim"]])
    placed = set(fields["update_window_dims"])
    rank = batch + len(placed)
    return tuple(next(window if d in placed else scattered) for d in range(rank))


def _windows(shapes: Shapes, fields: Mapping[str, Any]) -> Shape:
    """The shape with one element for each window."""
    sizes = zip(
        shapes["operand"],
        fields["window_dimensions"],
        fields["window_strides"],
        fields["padding"],
        strict=True,
    )
    return tuple(max(0, (size + sum(pair) - window) // stride + 1) for size, window, stride, pair in sizes)


_RULES: Mapping[tuple[str, str], Rule] = {
    ("stablehlo.scatter", "updates"): _updates,
    ("stablehlo.select_and_scatter", "source"): _windows,
    ("stablehlo.clamp", "min"): _scalar,
    ("stablehlo.clamp", "max"): _scalar,
    **{
        (f"stablehlo.batch_norm_{kind}", name): _features
        for kind in ("training", "inference", "grad")
        for name in ("scale", "offset", "mean", "variance")
    },
}
_OF_ANY: Mapping[str, Rule] = {"init_values": _scalar, "init_value": _scalar, "padding_value": _scalar}


def result_shape(op: str, operand: TensorType | None, shape: Shape | None, element_bits: int) -> Shape | None:
    """The inferred shape of a result; `None` if the op infers it from operand values."""
    if shape is not None or operand is None:
        return shape
    if op == "stablehlo.bitcast_convert":
        return _recast(operand, element_bits)
    if op.startswith("stablehlo.dynamic_"):
        return None
    return operand.sizes


def _recast(operand: TensorType, bits: int) -> Shape:
    """Add a last dimension for the parts of a split element; remove it if elements are joined."""
    element = operand.element_type
    before = element.storage.bits if isinstance(element, QuantizedType) else element.bits
    if before > bits:
        return (*operand.sizes, before // bits)
    return operand.sizes[:-1] if before < bits else operand.sizes
