"""gather and scatter; batch normalization; fft and the factorizations of matrices."""

from __future__ import annotations

from collections.abc import Sequence

from ..ops.indexed.gather import GatherDimensionNumbers
from ..ops.indexed.scatter import ScatterDimensionNumbers
from .builder_error import BuilderError
from .handles import XlaOp
from .property_attributes import enum
from .reduction_functions import Computation, Reductions, Several, scalars_of


class Indexed(Reductions):
    """Functions that look up and store, and whole algorithms of numerics."""

    def gather(
        self,
        operand: XlaOp,
        start_indices: XlaOp,
        dimension_numbers: GatherDimensionNumbers,
        slice_sizes: Sequence[int],
        indices_are_sorted: bool = False,
    ) -> XlaOp:
        """Slices of the operand, each of sizes `slice_sizes`, from places that `start_indices` holds.

        Along `index_vector_dim` lie the parts of one place, in the dimensions of `start_index_map`. A place that
        would put the slice outside is moved in. The result has the other dimensions of the indices, and those of a
        slice, without `collapsed_slice_dims`, at `offset_dims`: `T[d0, …], S[i0, …] -> T[…]`.
        """
        return self.emit(
            "stablehlo.gather",
            (operand, start_indices),
            dimension_numbers=dimension_numbers,
            slice_sizes=slice_sizes,
            indices_are_sorted=indices_are_sorted,
        )

    def scatter(
        self,
        operands: Several,
        scatter_indices: XlaOp,
        updates: Several,
        update_computation: Computation,
        dimension_numbers: ScatterDimensionNumbers,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
    ) -> XlaOp:
        """The operands with slices of `updates` combined in at places that `scatter_indices` holds.

        `update_computation` takes the current elements, one of each operand, then the new ones, and gives what is
        kept. A slice that is not wholly inside is left out. The result is like the operand, a tuple for several.
        """
        arrays, new = self.several(operands, "scatter"), self.several(updates, "scatter")
        if len(arrays) != len(new):
            message = f"there are {len(arrays)} operands, but {len(new)} updates"
            raise BuilderError(message, op="scatter")
        return self.emit(
            "stablehlo.scatter",
            (*arrays, scatter_indices, *new),
            regions=[self.region(update_computation, scalars_of(arrays) * 2)],
            scatter_dimension_numbers=dimension_numbers,
            indices_are_sorted=indices_are_sorted,
            unique_indices=unique_indices,
            drops_whole_windows=True,
        )

    def batch_norm_training(
        self, operand: XlaOp, scale: XlaOp, offset: XlaOp, epsilon: float, feature_index: int
    ) -> XlaOp:
        """Each feature normalised by its own mean and variance: `T[d0, …], T[f], T[f] -> (T[d0, …], T[f], T[f])`.

        The result has `scale * (x - mean) / sqrt(variance + epsilon) + offset`, the means and the variances.
        """
        operands = (operand, scale, offset)
        return self.emit(
            "stablehlo.batch_norm_training", operands, epsilon=epsilon, feature_index=feature_index
        )

    def batch_norm_inference(
        self,
        operand: XlaOp,
        scale: XlaOp,
        offset: XlaOp,
        mean: XlaOp,
        variance: XlaOp,
        epsilon: float,
        feature_index: int,
    ) -> XlaOp:
        """`batch_norm_training` with means and variances that are given: `T[d0, …], T[f] x 4 -> T[d0, …]`."""
        operands = (operand, scale, offset, mean, variance)
        return self.emit(
            "stablehlo.batch_norm_inference", operands, epsilon=epsilon, feature_index=feature_index
        )

    def batch_norm_grad(
        self,
        operand: XlaOp,
        scale: XlaOp,
        batch_mean: XlaOp,
        batch_var: XlaOp,
        grad_output: XlaOp,
        epsilon: float,
        feature_index: int,
    ) -> XlaOp:
        """Gradients of `batch_norm_training`: `(T[d0, …], T[f], T[f])`, of its operand, scale and offset."""
        operands = (operand, scale, batch_mean, batch_var, grad_output)
        return self.emit("stablehlo.batch_norm_grad", operands, epsilon=epsilon, feature_index=feature_index)

    def fft(self, operand: XlaOp, fft_type: str, fft_length: Sequence[int]) -> XlaOp:
        """The Fourier transform along the last dimensions, as many as `fft_length` has entries, at most 3.

        `fft_type` is FFT or IFFT (complex to complex), RFFT (real to complex, the last size n becomes n // 2 + 1) or
        IRFFT (back to real numbers, `fft_length[-1]` of them). Inverses divide by the number of elements.
        """
        kind = enum("fft_type", fft_type.upper())
        return self.emit("stablehlo.fft", (operand,), fft_type=kind, fft_length=fft_length)

    def cholesky(self, a: XlaOp, lower: bool = True) -> XlaOp:
        """The triangular factor of each positive definite matrix: `T[…, n, n] -> T[…, n, n]`.

        `a = l . l^H`, where only that triangle of `a` is read; with `lower` false `a = u^H . u`.
        """
        return self.emit("stablehlo.cholesky", (a,), lower=lower)

    def triangular_solve(
        self,
        a: XlaOp,
        b: XlaOp,
        left_side: bool = True,
        lower: bool = True,
        unit_diagonal: bool = False,
        transpose_a: str = "NO_TRANSPOSE",
    ) -> XlaOp:
        """x of `op(a) . x = b`, or of `x . op(a) = b` unless `left_side`: `T[…, m, m], T[…, m, k] -> T[…, m, k]`.

        `op` is what `transpose_a` says: NO_TRANSPOSE, TRANSPOSE or ADJOINT. Only one triangle of `a` is read, the
        lower one or the upper one; with `unit_diagonal` its diagonal is taken for 1.
        """
        return self.emit(
            "stablehlo.triangular_solve",
            (a, b),
            left_side=left_side,
            lower=lower,
            unit_diagonal=unit_diagonal,
            transpose_a=enum("transpose", transpose_a.upper()),
        )
