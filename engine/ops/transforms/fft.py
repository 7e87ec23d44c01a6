"""fft: Fourier transforms along the last one to three dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import log2

import numpy as np

from ...indexing import OperandMap, shared_dimensions_map
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import Dimension, TensorType, Type
from ..core.facets import Drawing, HloSpelling, Roles, Section, matrices
from ..core.facets.findings import Findings
from ..core.kinds import COMPLEX, FLOAT, complex_part, holds
from ..core.numeric import round_to
from ..core.op import Array, Constraint, Cost, Op
from ..core.quiet import quiet
from ..core.ranks import Arrays, OperandRanks, SeenRanks, matrix_ranks
from ..core.rules import Sizes, agree, format_list


class FftType(StrEnum):
    """`#stablehlo<fft_type …>`."""

    FFT = "FFT"
    IFFT = "IFFT"
    RFFT = "RFFT"
    IRFFT = "IRFFT"


_COMPLEX_OF = {"f32": ELEMENT_TYPES["complex<f32>"], "f64": ELEMENT_TYPES["complex<f64>"]}


class FftDrawing(Drawing["Fft"]):
    def dimension_roles(self, op: Fft) -> Roles:
        names = matrices(op.operand.rank, *["transformed"] * len(op.fft_length))
        return (names,), (names,)


class FftFindings(Findings["Fft"]):
    def outweighs(self, op: Fft) -> bool:
        return True

    def ranks_read(self, op: Fft, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        return (matrix_ranks(ranks, len(op.fft_length)),)


@dataclass(frozen=True)
class Fft(Op):
    """Transforms `operand` along its last `size(fft_length)` dimensions.

    FFT and IFFT take and give complex numbers; RFFT takes real ones and gives the first half of what FFT would,
    `n / 2 + 1` elements in the last dimension; IRFFT takes that back to `fft_length` real elements. The inverse
    ones divide by the number of elements. IRFFT does not look at imaginary parts that a real signal cannot have
    (of the first element of a line, and of the last where the length is even). For FFT and IFFT `fft_length` says
    no more than the number of dimensions, as in the specification. Everything is computed in f64 and rounded once.
    Specification: fft.
    """

    name = "stablehlo.fft"
    findings = FftFindings(raises_flags=False)
    short_form = "operands , type = $fft_type<fft_type> , length = $fft_length attr-dict : functional-type"
    hlo = HloSpelling("fft", "Fft")
    section = Section(result_labels={"element_type": "C2", "shape": "C5"})
    drawing = FftDrawing()

    operand: TensorType
    fft_type: FftType
    fft_length: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, (*FLOAT, *COMPLEX))
        count, rank = len(self.fft_length), self.operand.rank
        yield "C3", 1 <= count <= 3, f"fft_length must have 1 to 3 elements, not {count}"
        sentence = f"fft_length has {count} elements, but the operand has rank {rank}"
        yield "C1", count <= rank, sentence
        found, real = self.operand.element_type, self.fft_type is FftType.RFFT
        wanted = "f32 or f64" if real else "complex"
        sentence = f"{self.fft_type} takes {wanted} elements, not {found}"
        yield "C2", found.name in _COMPLEX_OF if real else found.is_complex, sentence
        yield from self._length_constraints(self.operand.shape[rank - count :])

    def _length_constraints(self, sizes: Sizes) -> Iterator[Constraint]:
        if self.fft_type is FftType.RFFT:
            sentence = f"fft_length {format_list(self.fft_length)} must be the operand's last sizes, {format_list(sizes)}"
            yield "C4", all(map(agree, sizes, self.fft_length)), sentence
        elif self.fft_type is FftType.IRFFT:
            sentence = f"fft_length {format_list(self.fft_length)} must not be negative"
            yield "C4", all(length >= 0 for length in self.fft_length), sentence
            wanted = (*self.fft_length[:-1], _half(self.fft_length[-1]))
            sentence = f"for fft_length {format_list(self.fft_length)} the operand's last sizes must be {format_list(wanted)}, not {format_list(sizes)}"
            yield "C5", all(map(agree, sizes, wanted)), sentence

    def infer(self) -> TensorType:
        shape: tuple[Dimension, ...] = self.operand.shape
        found: ElementType = self.operand.element_type
        if self.fft_type is FftType.RFFT:
            last = shape[-1] if shape[-1] is not None else self.fft_length[-1]
            return TensorType((*shape[:-1], _half(last)), _COMPLEX_OF[found.name])
        if self.fft_type is FftType.IRFFT:
            batch = shape[: self.operand.rank - len(self.fft_length)]
            return TensorType((*batch, *self.fft_length), complex_part(found))
        return TensorType(shape, found)

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        result = self.infer()
        if 0 in result.sizes:
            return np.zeros(result.sizes, result.element_type.dtype)
        with quiet():
            wide = operand.astype(np.complex128 if operand.dtype.kind == "c" else np.float64)
            return round_to(self._transform(wide), result.element_type)

    def _transform(self, wide: Array) -> Array:
        axes = range(wide.ndim - len(self.fft_length), wide.ndim)
        match self.fft_type:
            case FftType.FFT:
                return np.fft.fftn(wide, axes=axes)
            case FftType.IFFT:
                return np.fft.ifftn(wide, axes=axes)
            case FftType.RFFT:
                return np.fft.rfftn(wide, axes=axes)
            case FftType.IRFFT:
                return np.fft.irfftn(wide, self.fft_length, axes)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Every element of a line that is transformed depends on all of the line."""
        kept = {k: k for k in range(self.operand.rank - len(self.fft_length))}
        found = shared_dimensions_map(self.infer().sizes, self.operand.sizes, kept, inverse=inverse)
        yield OperandMap(0, found)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Some operations for each level of each dimension's butterflies; two wide complex copies."""
        tensors = [t for t in (*operand_types, *result_types) if isinstance(t, TensorType)]
        largest = max(t.element_count for t in tensors)
        size = sum(t.byte_count for t in result_types if isinstance(t, TensorType))
        return Cost(int(5 * largest * (1 + log2(max(largest, 1)))), size, 2 * 16 * largest)


def _half(length: int) -> int:
    """The number of elements of a real signal's transform that determine the others."""
    return length // 2 + 1 if length else 0
