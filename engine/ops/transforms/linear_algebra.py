"""cholesky and triangular_solve, on batches of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import Any

import numpy as np

from ...indexing import (
    Dim,
    Expression,
    IndexMap,
    Interval,
    OperandMap,
    RuntimeVariable,
    shared_dimensions_map,
)
from ...indexing.op_maps.shared_dimension_maps import Conditions, Variables
from ...ir.element_types import QuantizedType
from ...ir.types import TensorType, Type
from ..core.blas import blas_threads, multiply_matrices
from ..core.facets import Drawing, HloSpelling, Roles, RuntimeVariables, Section, matrices
from ..core.facets.findings import Findings
from ..core.kinds import COMPLEX, FLOAT, PER_TENSOR, Kinds, holds, same_baseline
from ..core.numeric import PRECISE, round_to, widen
from ..core.op import Array, Constraint, Cost, Op, merged_shape
from ..core.quantization import dequantize, quantize
from ..core.quiet import quiet
from ..core.ranks import Arrays, OperandRanks, SeenRanks, Shape, matrix_ranks
from ..core.rules import agree, format_list

MATRICES: Kinds = (*FLOAT, *COMPLEX, *PER_TENSOR)


class CholeskyDrawing(Drawing["Cholesky"]):
    def dimension_roles(self, op: Cholesky) -> Roles:
        names = matrices(op.a.rank, "row", "column")
        return (names,), (names,)


class CholeskyRuntimeVariables(RuntimeVariables["Cholesky"]):
    def map_operands(self, op: Cholesky, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operand, and for each matrix whether it is not positive definite (1, else 0)."""
        factors = op._factors(operands[0])
        return (*operands, np.asarray(np.isnan(factors).any((-2, -1))).astype(np.int64))


class _MatrixFindings(Findings[Any]):
    def ranks_read(self, op: Any, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        return (matrix_ranks(ranks),)


class CholeskyFindings(_MatrixFindings):
    def birth_cause(self, op: Any, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        return "where {0} is not positive definite"


@dataclass(frozen=True)
class Cholesky(Op):
    """Factors each matrix of `a` (Hermitian, positive definite) as `l * l^H`, or `u^H * u` unless `lower`.

    Only the lower triangle is read, or the upper one unless `lower`. The specification leaves open what stands in
    the result's other triangle, and what becomes of a matrix that is not positive definite; as on XLA those are
    zeros, and a matrix of NaN. Computed in f64 and rounded once. Specification: cholesky.
    """

    name = "stablehlo.cholesky"
    findings = CholeskyFindings(raises_flags=False)
    short_form = "operands (, lower = $lower)? attr-dict : same-type"
    hlo = HloSpelling("cholesky", "Cholesky")
    section = Section(result_labels={"element_type": "C1", "shape": "C1"}, result_is_requantized=True)
    drawing = CholeskyDrawing()
    runtime_variables = CholeskyRuntimeVariables(names=("which matrices are not positive definite",))

    a: TensorType
    lower: bool = False
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "a", self.a, MATRICES)
        yield "C2", self.a.rank >= 2, f"a must have rank 2 or more, not {self.a.rank}"
        yield _is_square("C3", self.a)

    def infer(self) -> TensorType:
        return self.a.with_shape((*self.a.shape[:-2], *_square(self.a)))

    def evaluate(self, *operands: Array) -> Array:
        return _finish(self._factors(operands[0]), self.result or self.infer())

    def _factors(self, a: Array) -> Array:
        return factors_of(widen(dequantize(a, self.a.element_type), PRECISE), self.lower)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """An element at row i and column j of a lower factor is made of a's rows up to j, and of row i up to column j.
        A matrix that is not positive definite has no factor: of that all of its triangle is to blame.
        """
        shape = self.a.sizes
        shared = {k: k for k in range(self.a.rank - 2)}
        batch = IndexMap.of([Dim(k) for k in shared], shape)
        own = self.a.rank - 2 if self.lower else self.a.rank - 1
        parts: tuple[tuple[int, Conditions, dict[int, int]], ...] = (
            (0, self._of_row, {own: own}),
            (0, self._of_rows_above, {}),
            (1, self._triangle, {}),
        )
        for number, conditions, same in parts:
            which = RuntimeVariable(Interval(number, number), 1, batch, clamped=False)
            found = shared_dimensions_map(shape, shape, shared | same, conditions, (which,), inverse=inverse)
            yield OperandMap(0, found)

    def _of_row(self, result: Variables, a: Variables) -> list[Expression]:
        """The constraints (each at least 0) for elements of `a` in the element's own row, up to its column."""
        (i, j), (_, column) = self._lower(result), self._lower(a)
        return [j - column, i - j]

    def _of_rows_above(self, result: Variables, a: Variables) -> list[Expression]:
        """The constraints (each at least 0) for elements of `a` in the rows up to the element's column, above its
        own.
        """
        (i, j), (row, column) = self._lower(result), self._lower(a)
        return [j - row, row - column, i - row - 1, i - j]

    def _triangle(self, result: Variables, a: Variables) -> list[Expression]:
        row, column = self._lower(a)
        return [row - column]

    def _lower(self, at: Variables) -> tuple[Expression, Expression]:
        """Row and column, of a lower triangle; those of an upper one are turned round."""
        row, column = at(self.a.rank - 2), at(self.a.rank - 1)
        return (row, column) if self.lower else (column, row)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A third of the cube of the matrices' size for each of them; two wide copies."""
        *batch, n, _ = self.a.sizes
        return Cost(prod(batch) * n**3, self.a.byte_count, 2 * 16 * self.a.element_count)


class Transpose(StrEnum):
    """`#stablehlo<transpose …>`."""

    NO_TRANSPOSE = "NO_TRANSPOSE"
    TRANSPOSE = "TRANSPOSE"
    ADJOINT = "ADJOINT"


class TriangularSolveDrawing(Drawing["TriangularSolve"]):
    def dimension_roles(self, op: TriangularSolve) -> Roles:
        names = matrices(op.a.rank, "row", "column")
        return (names, names), (names,)


class TriangularSolveFindings(_MatrixFindings):
    def birth_cause(self, op: Any, operands: Arrays, result: Array, number: int, index: Shape) -> str:
        diagonal = np.diagonal(operands[0][index[:-2]])
        return "where {0} has a zero on its diagonal" if (diagonal == 0).any() else ""


@dataclass(frozen=True)
class TriangularSolve(Op):
    """Solves `op(a) * x = b` for x, or `x * op(a) = b` unless `left_side`, for each matrix of the batch.

    Of `a` only the lower triangle is read (the upper one unless `lower`), and with `unit_diagonal` not its
    diagonal, which counts as ones. `transpose_a` says what `op` does with that triangle: nothing, transpose it, or
    transpose and conjugate it. A zero on the diagonal gives infinities and NaN, as division does. Computed in f64
    by substitution, and rounded once. Specification: triangular_solve.
    """

    name = "stablehlo.triangular_solve"
    findings = TriangularSolveFindings(raises_flags=False)
    hlo = HloSpelling("triangular-solve", "TriangularSolve")
    section = Section(result_labels={"element_type": "C4", "shape": "C4"}, result_is_requantized=True)
    drawing = TriangularSolveDrawing()

    a: TensorType
    b: TensorType
    left_side: bool
    lower: bool
    unit_diagonal: bool
    transpose_a: Transpose
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "a", self.a, MATRICES)
        yield holds("I2", "b", self.b, MATRICES)
        a, b = self.a, self.b
        sentence = f"a holds {a.element_type}, b {b.element_type}"
        yield "C1", same_baseline(a.element_type, b.element_type), sentence
        sentence = f"a and b must have the same rank of 2 or more, not {a.rank} and {b.rank}"
        yield "C2", 2 <= a.rank == b.rank, sentence
        sentence = f"a is a batch of {format_list(a.shape[:-2])} matrices, b of {format_list(b.shape[:-2])}"
        yield "C3", all(map(agree, a.shape[:-2], b.shape[:-2])), sentence
        yield _is_square("C3", a)
        side, (size, _) = "rows" if self.left_side else "columns", _square(a)
        along = b.shape[self._solved]
        sentence = f"a has size {size}, but the matrices of b have {along} {side}"
        yield "C3", agree(size, along), sentence

    @property
    def _solved(self) -> int:
        """The dimension of b that the equations run along."""
        return self.b.rank - (2 if self.left_side else 1)

    def infer(self) -> TensorType:
        shape = list(self.b.shape)
        shape[:-2] = merged_shape(self.a.shape[:-2], self.b.shape[:-2])
        size, _ = merged_shape(_square(self.a), (shape[self._solved],) * 2)
        shape[self._solved] = size
        return self.b.with_shape(tuple(shape))

    def evaluate(self, *operands: Array) -> Array:
        types = self.a.element_type, self.b.element_type
        a, b = (widen(dequantize(x, found), PRECISE) for x, found in zip(operands, types, strict=True))
        solution = solve_triangular(a, b, self.left_side, self.lower, self.unit_diagonal, self.transpose_a)
        return _finish(solution, self.result or self.infer())

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Maps to the triangle of `a`, the rows up to the element's own, and to the equations of `b` up to it."""
        result, rank = self.infer().sizes, self.b.rank
        batch = {k: k for k in range(rank - 2)}
        known = shared_dimensions_map(result, self.a.sizes, batch, self._known_before, inverse=inverse)
        yield OperandMap(0, known)
        across = 2 * rank - 3 - self._solved
        shared = batch | {across: across}
        solved = shared_dimensions_map(result, result, shared, self._solved_before, inverse=inverse)
        yield OperandMap(1, solved)

    @property
    def _forward(self) -> bool:
        """Whether the first equation is solved first: what stands on the left of x is a lower triangle."""
        return self.lower ^ (self.transpose_a is not Transpose.NO_TRANSPOSE) ^ (not self.left_side)

    def _solved_before(self, result: Variables, b: Variables) -> list[Expression]:
        here, there = result(self._solved), b(self._solved)
        return [here - there if self._forward else there - here]

    def _known_before(self, result: Variables, a: Variables) -> list[Expression]:
        """An equation takes part if it is solved before; and it has only unknowns that were solved before it."""
        row, column = a(self.b.rank - 2), a(self.b.rank - 1)
        inside = row - column if self.lower else column - row
        # Of the two indices, the one further on in the order of solving is that of the equation.
        latest = (row if self.lower else column) if self._forward else (column if self.lower else row)
        here = result(self._solved)
        return [
            inside - 1 if self.unit_diagonal else inside,
            here - latest if self._forward else latest - here,
        ]

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A multiplication and an addition for each element of the triangle and each column; wide copies."""
        n, b = self.a.sizes[-1], self.b
        return Cost(n * b.element_count, b.byte_count, 2 * 16 * (self.a.element_count + b.element_count))


def _square(a: TensorType) -> tuple[int | None, int | None]:
    """The sizes of its matrices, each known if either is."""
    (size,) = merged_shape(a.shape[-2:-1], a.shape[-1:])
    return size, size


def _is_square(label: str, a: TensorType) -> Constraint:
    rows, columns = a.shape[-2:]
    return label, agree(rows, columns), f"the matrices of a must be square, not {rows} by {columns}"


def factors_of(matrices: Array, lower: bool) -> Array:
    """The Cholesky factors; NaN for what is not positive definite."""
    try:
        with blas_threads(matrices.shape[-1] ** 3 // 3):
            factors = np.linalg.cholesky(matrices, upper=not lower)
    except np.linalg.LinAlgError:
        factors = np.full_like(matrices, np.nan)
        for index in np.ndindex(matrices.shape[:-2]):
            with suppress(np.linalg.LinAlgError):
                factors[index] = np.linalg.cholesky(matrices[index], upper=not lower)
    # LAPACK may go on beyond a pivot that is NaN.
    factors[np.isnan(factors).any((-2, -1))] = np.nan
    return factors


_BLOCK = 64
"""Equations that are solved one after another before the others are rid of their unknowns at once."""


def solve_triangular(
    a: Array, b: Array, left_side: bool, lower: bool, unit_diagonal: bool, transpose: Transpose
) -> Array:
    """The solutions of triangular systems; see `TriangularSolve`."""
    if transpose is not Transpose.NO_TRANSPOSE:
        a, lower = np.swapaxes(a, -1, -2), not lower
    if transpose is Transpose.ADJOINT:
        a = np.conjugate(a)
    if not left_side:  # x * a = b is a^T * x^T = b^T
        found = solve_triangular(
            np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2), True, not lower, unit_diagonal, _AS_IS
        )
        return np.swapaxes(found, -1, -2)
    if not lower:  # turned round, the last equation is the first
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    with quiet():
        found = _substitute(a, b, unit_diagonal)
    return found if lower else found[..., ::-1, :]


_AS_IS = Transpose.NO_TRANSPOSE


def _substitute(a: Array, b: Array, unit_diagonal: bool) -> Array:
    x = np.array(b, np.result_type(a, b))
    for start in range(0, x.shape[-2], _BLOCK):
        stop = min(start + _BLOCK, x.shape[-2])
        for row in range(start, stop):
            known = multiply_matrices(a[..., row : row + 1, start:row], x[..., start:row, :])
            left = x[..., row, :] - known[..., 0, :]
            x[..., row, :] = left if unit_diagonal else left / a[..., row, row, None]
        x[..., stop:, :] -= multiply_matrices(a[..., stop:, start:stop], x[..., start:stop, :])
    return x


def _finish(value: Any, result: TensorType) -> Array:
    """`value`, computed wide, as elements of the result."""
    target = result.element_type
    with quiet():
        if isinstance(target, QuantizedType):
            return quantize(round_to(value, target.expressed), target)
        return round_to(np.asarray(value), target)
