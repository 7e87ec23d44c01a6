"""Opcodes of linear algebra: dot, convolution, fft and factorizations; batch normalization."""

from ....ir.attributes import BoolAttribute, DenseArrayAttribute, StructAttribute
from ....ir.module import Operation
from ....ir.types import TensorType
from ..attributes.dim_labels import print_dim_labels, read_dim_labels
from ..attributes.precision import (
    is_default_precision,
    print_algorithm,
    print_precision,
    read_algorithm,
    read_precision,
)
from ..attributes.window_fields import (
    convolution_window,
    print_window,
    read_window,
    window_properties_of_convolution,
)
from ..fields import Flag, Integer, Numbers, Parsed, Real, Set, Struct, Word, Written, words
from ..instruction_draft import Draft
from ..opcode_forms import Form


class _DotDimensions(Struct):
    """The dimensions of a `dot`, which HLO text states in full: without any, all products are results."""

    def read(self, draft: Draft) -> None:
        """Read the dimensions; raise an error if there are none but the result lacks dimensions."""
        super().read(draft)
        types = [value.type for value in draft.operands]
        ranks = [found.rank for found in types if isinstance(found, TensorType)]
        stated = draft.raw.type
        if any(map(draft.has, self.lists)) or not isinstance(stated, TensorType) or len(ranks) != 2:
            return
        if stated.rank < sum(ranks):
            draft.fail(
                "needs the attributes 'lhs_contracting_dims' and 'rhs_contracting_dims', such as "
                f"lhs_contracting_dims={{{max(0, ranks[0] - 1)}}}, rhs_contracting_dims={{0}}"
            )


DOT = _DotDimensions(
    "dot_dimension_numbers",
    "dot",
    {
        "lhs_batch_dims": "lhs_batching_dimensions",
        "lhs_contracting_dims": "lhs_contracting_dimensions",
        "rhs_batch_dims": "rhs_batching_dimensions",
        "rhs_contracting_dims": "rhs_contracting_dimensions",
    },
    {},
)


class ConvolutionField:
    """`window={…}, dim_labels=b01f_01io->b01f` of a convolution."""

    keys = ("dim_labels", "window")

    def read(self, draft: Draft) -> None:
        """Read window and labels, and check the window's size against the kernel."""
        labels = draft.value("dim_labels", read_dim_labels)
        if labels is None:
            draft.fail("needs the attribute 'dim_labels', such as dim_labels=b01f_01io->b01f")
        window = draft.value("window", read_window)
        draft.properties |= window_properties_of_convolution(window)
        draft.properties["dimension_numbers"] = labels
        sizes = kernel_sizes(draft.operands[1].type, labels) if len(draft.operands) == 2 else None
        if window is not None and sizes is not None and tuple(window.size) != sizes:
            stated, found = ("x".join(map(str, each)) for each in (window.size, sizes))
            draft.fail_attribute(
                "window", f"size={stated}, but the kernel's spatial dimensions have {found or 'no'} sizes"
            )

    def write(self, operation: Operation) -> Written:
        """Yield window and labels; the window's size is the kernel's."""
        labels = operation.properties["dimension_numbers"]
        sizes = kernel_sizes(operation.operands[1].type, labels) or ()
        if sizes:
            yield "window", print_window(convolution_window(operation.properties, sizes))
        yield "dim_labels", print_dim_labels(labels)


def kernel_sizes(kernel: object, labels: object) -> tuple[int, ...] | None:
    """Sizes of the kernel's spatial dimensions; `None` if it has none, or open sizes."""
    if not isinstance(kernel, TensorType) or not isinstance(labels, StructAttribute):
        return None
    spatial = labels.parameters.get("kernel_spatial_dimensions")
    if not isinstance(spatial, DenseArrayAttribute) or not all(int(k) < kernel.rank for k in spatial.values):
        return None
    sizes = tuple(kernel.shape[int(k)] for k in spatial.values)
    return None if None in sizes else tuple(size for size in sizes if size is not None)


_GROUPS = (
    Integer("feature_group_count", "feature_group_count", default=1),
    Integer("batch_group_count", "batch_group_count", default=1),
)
_BATCH_NORM = (Real("epsilon", "epsilon"), Integer("feature_index", "feature_index"))
_TRANSPOSE = words("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
_PRECISION = Parsed(
    "operand_precision", "precision_config", read_precision, print_precision, is_default_precision
)
_ALGORITHM = Parsed("algorithm", "algorithm", read_algorithm, print_algorithm)

FORMS: tuple[Form, ...] = (
    Form("dot", "stablehlo.dot_general", (DOT, _PRECISION, _ALGORITHM)),
    Form("scaled-dot", "hlo.scaled_dot", (DOT, _PRECISION)),
    Form(
        "ragged-dot",
        "hlo.ragged_dot",
        (
            DOT,
            Numbers("lhs_ragged_dims", "lhs_ragged_dims"),
            Numbers("rhs_group_dims", "rhs_group_dims", needed=False),
            _PRECISION,
        ),
    ),
    Form(
        "convolution",
        "stablehlo.convolution",
        (ConvolutionField(), *_GROUPS, _PRECISION, Set("skips_padding", BoolAttribute(True))),
    ),
    Form(
        "fft",
        "stablehlo.fft",
        (
            Word("fft_type", "fft_type", "fft_type", words("FFT", "IFFT", "RFFT", "IRFFT")),
            Numbers("fft_length", "fft_length"),
        ),
    ),
    Form("cholesky", "stablehlo.cholesky", (Flag("lower", "lower"),)),
    Form(
        "triangular-solve",
        "stablehlo.triangular_solve",
        (
            Flag("left_side", "left_side"),
            Flag("lower", "lower"),
            Flag("unit_diagonal", "unit_diagonal"),
            Word("transpose_a", "transpose_a", "transpose", _TRANSPOSE, default="NO_TRANSPOSE"),
        ),
    ),
    Form("batch-norm-training", "stablehlo.batch_norm_training", _BATCH_NORM),
    Form("batch-norm-inference", "stablehlo.batch_norm_inference", _BATCH_NORM),
    Form("batch-norm-grad", "stablehlo.batch_norm_grad", _BATCH_NORM),
)
