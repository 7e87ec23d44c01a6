"""batch_norm_training, batch_norm_inference and batch_norm_grad: each feature brought to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...indexing import IndexMap, OperandMap, feature_map, inverse_feature_map, same_feature_map
from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import TensorType, Type, is_quantized
from ..core.facets import DimensionNames, Drawing, HloSpelling, Roles, Rounding, Section, name_dimensions
from ..core.facets.rounding import full_error
from ..core.field_plans import field_plans
from ..core.kinds import FLOAT, PER_TENSOR, Kinds, holds, same_baseline
from ..core.nudging import widest
from ..core.numeric import round_to, widen
from ..core.op import Array, Constraint, Cost, Op, merged_shape, shapes_agree
from ..core.quantization import dequantize, quantize
from ..core.quiet import quiet
from ..core.ranks import Arrays
from ..core.rounding import NO_ERROR, UNKNOWN, Errors, is_exact, magnitude, times
from ..core.rules import agree
from .near_numbers import Near

FLOATS: Kinds = (*FLOAT, *PER_TENSOR)
OPERAND, VECTOR = "operand", "vector"
"""The form of an operand or result: as large as `operand`, or one element per feature."""


class BatchNormDrawing(Drawing["BatchNorm"]):
    def dimension_roles(self, op: BatchNorm) -> Roles:
        def of(found: Type) -> DimensionNames:
            rank = found.rank if isinstance(found, TensorType) else 0
            return (
                name_dimensions(rank, {"feature_index": [op.feature_index if rank > 1 else 0]})
                if rank
                else ()
            )

        return tuple(map(of, op.operand_types)), tuple(map(of, op.known_results))


class BatchNormRounding(Rounding["BatchNorm"]):
    def error_bound(self, op: BatchNorm, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        if any(map(is_quantized, op.inputs.values())):
            return ((np.ones(()) if is_exact(errors) else UNKNOWN),) * len(results)
        dtype = operands[0].dtype
        vectors = [op._kind(number) == VECTOR for number in range(len(operands))]
        given = [
            Near(widest(value), full_error(value, error), dtype).spread(op._others if is_vector else ())
            for value, error, is_vector in zip(operands, errors, vectors, strict=True)
        ]
        epsilon = Near(widest(op._epsilon), NO_ERROR, dtype)
        return tuple(
            np.where(np.isfinite(magnitude(result)), near.error.reshape(result.shape), 0.0)
            for near, result in zip(op._near(*given, epsilon), results, strict=True)
        )


class BatchNorm(Op):
    """Base of the three ops.

    Floats narrower than f32 are computed in f32 and rounded once, at the end; sums are added up in f64. A
    feature without elements has NaN as mean and variance.
    """

    section = Section(result_is_requantized=True)
    drawing = BatchNormDrawing()
    rounding = BatchNormRounding()
    epsilon: float
    feature_index: int

    @property
    def inputs(self) -> dict[str, TensorType]:
        """The operands, the large one first, by name."""
        plans = (plan for plan in field_plans(type(self)) if plan.source == "operand")
        return {plan.name: getattr(self, plan.name) for plan in plans}

    def _shape_constraints(self, label_of_elements: str, **labels: str) -> Iterator[Constraint]:
        """`labels` are those of the operands with one element for each feature."""
        inputs = self.inputs
        for number, (name, found) in enumerate(inputs.items(), 1):
            yield holds(f"I{number}", name, found, FLOATS)
            if name in labels:
                yield f"I{number}", found.rank == 1, f"{name} must have rank 1, not {found.rank}"
        operand = inputs["operand"]
        sentence = f"feature_index {self.feature_index} is outside rank {operand.rank}"
        yield "C1", 0 <= self.feature_index < operand.rank, sentence
        for name, found in inputs.items():
            sentence = f"operand holds {operand.element_type}, {name} {found.element_type}"
            yield label_of_elements, same_baseline(operand.element_type, found.element_type), sentence
        features = operand.shape[self.feature_index]
        for name, label in labels.items():
            size = inputs[name].shape[0]
            sentence = f"{name} has {size} elements for {features} features (dimension {self.feature_index} of operand)"
            yield label, agree(size, features), sentence

    def _results(self) -> tuple[TensorType, ...]:
        """The result types that follow from the operands; a quantized result may state its own scales."""
        raise NotImplementedError

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]:
        types = tuple(self.inputs.values())
        element_type = _expressed_type(types[0].element_type)
        stated = [result.element_type for result in self._results()]
        with quiet():
            wide = [widen(dequantize(x, of.element_type)) for x, of in zip(operands, types, strict=True)]
            found = self._compute(_Features(wide[0], self.feature_index), *wide, self._epsilon)
            results = tuple(
                _finish(value, element_type, target) for value, target in zip(found, stated, strict=True)
            )
        return results if len(results) > 1 else results[0]

    @property
    def _epsilon(self) -> Array:
        """Epsilon, an f32, as an element of the operand, widened."""
        element_type = _expressed_type(self.inputs["operand"].element_type)
        wide = widen(np.zeros((), element_type.dtype)).dtype
        return widen(round_to(np.array(np.float32(self.epsilon), wide), element_type))

    @property
    def _others(self) -> tuple[int, ...]:
        """All dimensions but that of the features."""
        return tuple(k for k in range(self.inputs["operand"].rank) if k != self.feature_index)

    def _compute(self, features: _Features, *operands: Array) -> tuple[Array, ...]:
        """The results, from wide operands and epsilon."""
        raise NotImplementedError

    def _near(self, *operands: Near) -> tuple[Near, ...]:
        """The results and their errors, from operands and epsilon; vectors have all dimensions."""
        raise NotImplementedError

    reads: ClassVar[tuple[tuple[int, str, int, bool], ...]]
    """`(result, what it is, operand, whether all elements of a feature are read)`, in pairs that read at all."""

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for result, kind, operand, whole in self.reads:
            read = self._kind(operand)
            source, target = (read, kind) if inverse else (kind, read)
            yield OperandMap(operand, self._map(source, target, whole), result)

    def _kind(self, operand: int) -> str:
        name, _ = list(self.inputs.items())[operand]
        return OPERAND if name in ("operand", "grad_output") else VECTOR

    def _map(self, source: str, target: str, whole: bool) -> IndexMap:
        shape, feature = self.inputs["operand"].sizes, self.feature_index
        match source, target:
            case "operand", "operand":
                return same_feature_map(shape, feature) if whole else IndexMap.identity(shape)
            case "operand", "vector":
                return feature_map(shape, feature)
            case "vector", "operand":
                return inverse_feature_map(shape, feature)
        return IndexMap.identity((shape[feature],))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """About ten operations for each element, on a few wide copies of it."""
        tensors = [found for found in (*operand_types, *result_types) if isinstance(found, TensorType)]
        largest = max(found.element_count for found in tensors)
        size = sum(t.byte_count for t in result_types if isinstance(t, TensorType))
        return Cost(10 * largest, size, 3 * 8 * largest)


@dataclass(frozen=True)
class _Features:
    """Sums over, and repetition along, all dimensions but that of the features."""

    operand: Array
    feature: int

    @property
    def others(self) -> tuple[int, ...]:
        return tuple(k for k in range(self.operand.ndim) if k != self.feature)

    @property
    def count(self) -> Any:
        """Elements of each feature."""
        return np.prod([self.operand.shape[k] for k in self.others], dtype=np.float64)

    def total(self, values: Array) -> Any:
        return np.sum(values, axis=self.others, dtype=np.float64)

    def mean(self, values: Array) -> Any:
        return (self.total(values) / self.count).astype(values.dtype)

    def spread(self, vector: Array) -> Any:
        """One element for each feature, in a shape that repeats along the others."""
        return np.expand_dims(vector, self.others)

    def normalize(self, scale: Array, offset: Array, mean: Array, variance: Array, epsilon: Array) -> Any:
        centered = self.operand - self.spread(mean)
        return self.spread(scale) * (centered / np.sqrt(self.spread(variance) + epsilon)) + self.spread(
            offset
        )


def _normalize(
    operand: Near, scale: Near, offset: Near, mean: Near, variance: Near, epsilon: Near, least: Any = 0.0
) -> Near:
    return scale * (operand - mean) * (variance + epsilon).inverse_root(least) + offset


def _expressed_type(element_type: ElementType) -> ElementType:
    return element_type.expressed if isinstance(element_type, QuantizedType) else element_type


def _finish(value: Any, computed_in: ElementType, target: ElementType) -> Array:
    found = round_to(np.asarray(value), computed_in)
    return quantize(found, target) if isinstance(target, QuantizedType) else found


@dataclass(frozen=True)
class BatchNormTraining(BatchNorm):
    """Normalizes each feature of `operand` by its own mean and variance, and returns those too.

    The variance is the mean of the squared distances to the mean (divided by the number of elements, not by one
    less); `output = scale * (operand - mean) / sqrt(variance + epsilon) + offset`. Specification:
    batch_norm_training.
    """

    name = "stablehlo.batch_norm_training"
    hlo = HloSpelling(
        "batch-norm-training",
        "BatchNormTraining",
        note="Output, mean and variance are one tuple.",
        packs_results=True,
    )
    section = replace(
        BatchNorm.section,
        result_labels={"element_type": "C2", "shape": "C7", "shape 1": "C5", "shape 2": "C6"},
    )
    reads = (
        *((0, OPERAND, 0, True), (0, OPERAND, 1, False), (0, OPERAND, 2, False)),
        *((1, VECTOR, 0, True), (2, VECTOR, 0, True)),
    )

    operand: TensorType
    scale: TensorType
    offset: TensorType
    epsilon: float
    feature_index: int
    results: tuple[TensorType, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        return self._shape_constraints("C2", scale="C3", offset="C4")

    def infer(self) -> tuple[TensorType, ...]:
        vector = self.operand.with_shape(merged_shape(_features(self), self.scale.shape, self.offset.shape))
        return self.operand.with_shape(self.operand.shape), vector, vector

    def _results(self) -> tuple[TensorType, ...]:
        return self.results or self.infer()

    def _compute(self, features: _Features, *operands: Array) -> tuple[Array, ...]:
        operand, scale, offset, epsilon = operands
        mean = features.mean(operand)
        centered = operand - features.spread(mean)
        variance = features.mean(centered * centered)
        return features.normalize(scale, offset, mean, variance, epsilon), mean, variance

    def _near(self, *operands: Near) -> tuple[Near, ...]:
        """Others subtract the square of the mean from the mean of the squares for the variance.

        XLA does so. The variance of any operand is at least 0, but such a difference may be less by its roundings.
        """
        operand, scale, offset, epsilon = operands
        mean, exact = operand.mean(self._others), operand.farthest()
        squared_mean = exact.mean(self._others)
        other = (exact * exact).mean(self._others) - squared_mean * squared_mean
        variance = operand.squared_around(mean.value).mean(self._others).moved(other.error)
        smallest = Near(np.zeros(()), other.error, other.dtype) + epsilon
        least = smallest.value - smallest.error
        return _normalize(operand, scale, offset, mean, variance, epsilon, least), mean, variance


@dataclass(frozen=True)
class BatchNormInference(BatchNorm):
    """Normalizes each feature of `operand` by a given mean and variance.

    `result = scale * (operand - mean) / sqrt(variance + epsilon) + offset`, with the elements of the vectors that
    belong to the feature. Specification: batch_norm_inference.
    """

    name = "stablehlo.batch_norm_inference"
    hlo = HloSpelling("batch-norm-inference", "BatchNormInference")
    section = replace(BatchNorm.section, result_labels={"element_type": "C2", "shape": "C7"})
    reads = tuple((0, OPERAND, operand, False) for operand in range(5))

    operand: TensorType
    scale: TensorType
    offset: TensorType
    mean: TensorType
    variance: TensorType
    epsilon: float
    feature_index: int
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        return self._shape_constraints("C2", scale="C3", offset="C4", mean="C5", variance="C6")

    def infer(self) -> TensorType:
        return self.operand.with_shape(self.operand.shape)

    def _results(self) -> tuple[TensorType, ...]:
        return (self.result or self.infer(),)

    def _compute(self, features: _Features, *operands: Array) -> tuple[Array, ...]:
        _, *vectors = operands
        return (features.normalize(*vectors),)

    def _near(self, *operands: Near) -> tuple[Near, ...]:
        return (_normalize(*operands),)


@dataclass(frozen=True)
class BatchNormGrad(BatchNorm):
    """The gradients of batch_norm_training: from that of its output to those of operand, scale and offset.

    `mean` and `variance` are the batch's own. With `centered = operand - mean` and n elements of each feature,
    `grad_operand = scale / sqrt(variance + epsilon) / n * (n * grad_output - sum(grad_output) - centered *
    sum(grad_output * centered) / (variance + epsilon))`. Specification: batch_norm_grad.
    """

    name = "stablehlo.batch_norm_grad"
    hlo = HloSpelling(
        "batch-norm-grad", "BatchNormGrad", note="The three gradients are one tuple.", packs_results=True
    )
    section = replace(
        BatchNorm.section,
        result_labels={"element_type": "C2", "shape": "C3", "shape 1": "C4", "shape 2": "C4"},
    )
    reads = (
        *((0, OPERAND, 0, True), (0, OPERAND, 1, False), (0, OPERAND, 2, False)),
        *((0, OPERAND, 3, False), (0, OPERAND, 4, True)),
        *((1, VECTOR, 0, True), (1, VECTOR, 2, False), (1, VECTOR, 3, False), (1, VECTOR, 4, True)),
        (2, VECTOR, 4, True),
    )

    operand: TensorType
    scale: TensorType
    mean: TensorType
    variance: TensorType
    grad_output: TensorType
    epsilon: float
    feature_index: int
    results: tuple[TensorType, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        yield from self._shape_constraints("C2", scale="C5")
        shapes = self.operand.shape, self.grad_output.shape
        sentence = f"operand is {self.operand}, grad_output {self.grad_output}: their shapes must be equal"
        yield "C3", shapes_agree(*shapes), sentence
        for name, label, found in (("mean", "I3", self.mean), ("variance", "I4", self.variance)):
            yield label, found.rank == 1, f"{name} must have rank 1, not {found.rank}"
            sentence = f"scale is {self.scale}, {name} {found}: their shapes must be equal"
            yield "C4", shapes_agree(self.scale.shape, found.shape), sentence

    def infer(self) -> tuple[TensorType, ...]:
        shape = merged_shape(self.operand.shape, self.grad_output.shape)
        vectors = self.scale.shape, self.mean.shape, self.variance.shape
        vector = self.operand.with_shape(merged_shape(_features(self), *vectors))
        return self.operand.with_shape(shape), vector, vector

    def _results(self) -> tuple[TensorType, ...]:
        return self.results or self.infer()

    def _compute(self, features: _Features, *operands: Array) -> tuple[Array, ...]:
        operand, scale, mean, variance, gradient, epsilon = operands
        centered = operand - features.spread(mean)
        shifted = features.spread(variance) + epsilon
        deviation = np.sqrt(shifted)
        count = operand.dtype.type(features.count)
        total = features.total(gradient).astype(operand.dtype)
        weighted = features.total(gradient * centered).astype(operand.dtype)
        left = gradient * count - features.spread(total) - features.spread(weighted) * centered / shifted
        grad_operand = features.spread(scale) / deviation / count * left
        grad_scale = features.total(gradient * (centered / deviation)).astype(operand.dtype)
        return grad_operand, grad_scale, total

    def _near(self, *operands: Near) -> tuple[Near, ...]:
        operand, scale, mean, variance, gradient, epsilon = operands
        root = (variance + epsilon).inverse_root()
        count = operand.count(self._others)
        total = gradient.total(self._others)
        # An error of the mean is one of all distances to it.
        weighted = (gradient * (operand - mean.without_error())).total(self._others)
        weighted = weighted.moved(times(np.abs(total.value) + total.error, mean.error))
        left = gradient * count - total - weighted * root * root * (operand - mean)
        return (scale * root * left).over(count), weighted * root, total


def _features(op: BatchNorm) -> tuple[int | None, ...]:
    return (op.inputs["operand"].shape[op.feature_index],)
