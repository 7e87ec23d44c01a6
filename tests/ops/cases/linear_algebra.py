"""Calls of batch_norm, fft, cholesky, triangular_solve and rng_bit_generator."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.kinds import COMPLEX, FLOAT, INTEGER
from hloscope.engine.ops.random_numbers.random_numbers import RngAlgorithm, RngBitGenerator
from hloscope.engine.ops.transforms.batch_norm import BatchNormGrad, BatchNormInference, BatchNormTraining
from hloscope.engine.ops.transforms.fft import Fft, FftType
from hloscope.engine.ops.transforms.linear_algebra import Cholesky, Transpose, TriangularSolve

from .drawing import Case, Cases, Draw, arrays, element_types, shapes


def _case(draw: Draw, op: object, exact: tuple[int, ...] = ()) -> Case:
    types = op.operand_types  # type: ignore[attr-defined]
    operands = tuple(draw(arrays(found.element_type, found.sizes)) for found in types)
    return Case(op, operands, exact)  # type: ignore[arg-type]


@st.composite
def _features(draw: Draw) -> tuple[TensorType, TensorType, float, int]:
    operand = TensorType(draw(shapes.filter(len)), draw(element_types(FLOAT)))
    feature = draw(st.integers(0, operand.rank - 1))
    vector = operand.with_shape((operand.shape[feature],))
    return operand, vector, draw(st.sampled_from((0.0, 1e-3))), feature


@st.composite
def trainings(draw: Draw) -> Case:
    operand, vector, epsilon, feature = draw(_features())
    return _case(draw, BatchNormTraining(operand, vector, vector, epsilon, feature))


@st.composite
def inferences(draw: Draw) -> Case:
    operand, vector, epsilon, feature = draw(_features())
    return _case(draw, BatchNormInference(operand, vector, vector, vector, vector, epsilon, feature))


@st.composite
def gradients(draw: Draw) -> Case:
    operand, vector, epsilon, feature = draw(_features())
    return _case(draw, BatchNormGrad(operand, vector, vector, vector, operand, epsilon, feature))


@st.composite
def transforms(draw: Draw) -> Case:
    shape = draw(shapes.filter(len))
    count = draw(st.integers(1, len(shape)))
    kind = draw(st.sampled_from(list(FftType)))
    part = draw(st.sampled_from(("f32", "f64")))
    element_type = ELEMENT_TYPES[part if kind is FftType.RFFT else f"complex<{part}>"]
    lengths = shape[len(shape) - count :]
    if kind is FftType.IRFFT and lengths[-1]:
        lengths = (*lengths[:-1], 2 * lengths[-1] - draw(st.sampled_from((1, 2))))
        lengths = lengths if lengths[-1] else (*lengths[:-1], 1)
    return _case(draw, Fft(TensorType(shape, element_type), kind, lengths))


@st.composite
def factorizations(draw: Draw) -> Case:
    """Half of them of matrices that are positive definite, with anything in the triangle that is not read."""
    n, batch = draw(st.integers(0, 3)), draw(st.lists(st.integers(0, 2), max_size=1))
    operand = TensorType((*batch, n, n), draw(element_types((*FLOAT, *COMPLEX))))
    found = _case(draw, Cholesky(operand, draw(st.booleans())))
    if draw(st.booleans()):
        return found
    rows = st.lists(st.sampled_from([-1, -0.5, 0.25, 0.5, 1]), min_size=n * n, max_size=n * n)
    factor = np.array(draw(rows)).reshape(n, n)
    definite = np.broadcast_to(factor @ factor.T + np.eye(n), operand.sizes).astype(
        operand.element_type.dtype
    )
    return Case(found.op, (definite,))


@st.composite
def solutions(draw: Draw) -> Case:
    n, other = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    batch = draw(st.lists(st.integers(0, 2), max_size=1))
    element_type = draw(element_types((*FLOAT, *COMPLEX)))
    left, lower, unit = (draw(st.booleans()) for _ in range(3))
    a = TensorType((*batch, n, n), element_type)
    b = TensorType((*batch, n, other) if left else (*batch, other, n), element_type)
    return _case(draw, TriangularSolve(a, b, left, lower, unit, draw(st.sampled_from(list(Transpose)))))


@st.composite
def generators(draw: Draw) -> Case:
    algorithm = draw(st.sampled_from(list(RngAlgorithm)))
    length = 2 if algorithm is RngAlgorithm.THREE_FRY else draw(st.sampled_from((2, 3)))
    state = TensorType((length,), ELEMENT_TYPES["ui64"])
    output = TensorType(draw(shapes), draw(element_types((*INTEGER, *FLOAT))))
    return _case(draw, RngBitGenerator(algorithm, state, (state, output)))


CASES: dict[str, Cases] = {
    BatchNormTraining.name: trainings(),
    BatchNormInference.name: inferences(),
    BatchNormGrad.name: gradients(),
    Fft.name: transforms(),
    Cholesky.name: factorizations(),
    TriangularSolve.name: solutions(),
    RngBitGenerator.name: generators(),
}

WITHOUT_CASES = {
    "stablehlo.rng": "its numbers are chosen by the op, not by its operands",
    "stablehlo.composite": "its function needs an interpreter",
    "stablehlo.custom_call": "what it does depends on its target; each has tests of its own",
}
