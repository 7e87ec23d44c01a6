"""Where our verifier and MLIR's part, and why: what we refuse and MLIR takes, what we take and MLIR refuses."""

from __future__ import annotations

import re

from hloscope.engine.errors import Diagnostic
from hloscope.engine.ops import op_table

UNCHECKED: dict[tuple[str, str], str] = {
    ("compare", "C3"): "MLIR takes any compare_type for any element type",
    ("all_gather", "C5"): "MLIR refuses only negative channels",
    ("all_gather", "C6"): "MLIR takes any multiple of the operand's size",
    ("reduce_scatter", "C1"): "MLIR does not look at the size of groups",
    ("reduce_scatter", "C8"): "MLIR takes any part of the operand's size",
    ("all_reduce", "C2"): "MLIR takes rows of nobody for rows",
    ("all_reduce", "C5"): "MLIR takes computations of narrower floats",
    ("reduce_scatter", "C7"): "MLIR takes computations of narrower floats",
    ("cross-replica-sum", ""): "MLIR takes groups in any form",
    **{
        (name, label): "MLIR does not look at the pairs"
        for name in ("send", "recv")
        for label in ("C1", "C2", "C3", "C4", "I5", "I6")
    },
    (
        "dynamic_broadcast_in_dim",
        "C7",
    ): "MLIR counts the output dimensions only where their values are constant",
    **dict.fromkeys(
        (("dynamic_broadcast_in_dim", "C1"), ("dynamic_reshape", "C1")),
        "MLIR takes a quantized result of what is not quantized",
    ),
    ("dynamic_iota", "C2"): "MLIR does not count the sizes",
    ("dynamic_iota", ""): "MLIR takes an iota of booleans",
    ("real_dynamic_slice", ""): "MLIR takes a result of another rank",
    (
        "torch_index_select",
        "",
    ): "MLIR looks neither at dim, batch_dims and the result's sizes nor at quantized elements",
    **dict.fromkeys(
        (("einsum", ""), ("unary_einsum", "")),
        "MLIR does not read the equation, nor look at which elements are quantized",
    ),
    ("dot", ""): "MLIR takes a quantized result of what is not quantized",
    ("bitcast_convert", "C1"): "MLIR does not count the bits of quantized elements",
    **{
        (name, ""): "MLIR looks at broadcast_dimensions only where ranks differ, and not at quantized results"
        for name in op_table()
        if name.startswith("chlo.broadcast_")
    },
    ("custom_call", ""): "MLIR does not know the targets",
    (
        "chlo.scan",
        "",
    ): "MLIR compares the shapes of results alone with those of the body; XLA refuses the types too",
    ("set_dimension_size", ""): "MLIR does not look at the size, be it constant",
    ("dot_general", "C13"): "MLIR takes operands of any two element types",
    ("dot_general", "C17"): "MLIR takes signed and unsigned stored integers together",
    **{
        ("dynamic_conv", label): "MLIR looks neither at the windows nor at the result"
        for label in ("", "C2", "C3", "C5", "C6", "C7", "C8", "C9", "C25", "C26")
    },
    ("scatter", "I2"): "MLIR takes indices of booleans",
    ("scatter", "C6"): "MLIR takes updates that are booleans, or floats of any other width",
    ("select_and_scatter", "C1"): "MLIR takes floats of two widths",
    **dict.fromkeys(
        (("reduce_window", "C5"), ("select_and_scatter", "C5")),
        "MLIR takes windows of negative sizes, which make a result of no elements",
    ),
    **dict.fromkeys(
        (("reduce_window", "C12"), ("select_and_scatter", "C8")),
        "MLIR takes a padding of no dimensions for none",
    ),
    ("select_and_scatter", ""): "MLIR asks for window_dimensions only where there are dimensions",
    **dict.fromkeys(
        (("reduce", "I2"), ("reduce_window", "I2"), ("select_and_scatter", "I3")),
        "MLIR takes an init value of the shape of a slice; neither XLA nor the interpreter can compute with one",
    ),
    **dict.fromkeys(
        (("reduce", "C2"), ("reduce_window", "C3"), ("select_and_scatter", "C3")),
        "MLIR takes init values that are floats of any other width",
    ),
    **dict.fromkeys(
        (
            *(("reduce", "C6"), ("reduce_window", "C13")),
            *(("select_and_scatter", "C9"), ("select_and_scatter", "C10")),
        ),
        "MLIR takes computations of wider floats",
    ),
    ("rng_bit_generator", "I2"): "MLIR takes a state of any type",
    ("rng_bit_generator", "C1"): "MLIR compares shapes alone",
    ("rng_bit_generator", "C2"): "MLIR takes a state of any size",
}
"""Rules that MLIR's verifier does not check, by op and label, with what it does."""
_BOUNDS = re.compile("above its bound|which follows from bounds")
"""Of most ops MLIR compares sizes only where they are known; a size above a bound is none that can come."""

LENIENT: dict[str, tuple[str, str]] = {
    "in property conversion|invalid properties": (
        "",
        "lists of integers may be arrays, literals or lists, as in older versions of the text, flags units or booleans",
    ),
    r"failed to satisfy constraint: (32|64)-bit": ("", "numbers of attributes may be of any width"),
    "failed to satisfy constraint: Array of layout": (
        "stablehlo.custom_call",
        "layouts of a custom call do not change its values",
    ),
    "single bounded dimension": ("", "several sizes may have bounds, as in HLO"),
    r"is not equal to 1 or size of result dimension \d+ \(-": (
        "stablehlo.broadcast_in_dim",
        "a size that has a bound may be any up to it",
    ),
    "expects different type than prior uses": (
        "stablehlo.complex",
        "its short form states the result alone, and operands have the types that they have",
    ),
    r"inferred type\(s\)": (
        "stablehlo.batch_norm_grad stablehlo.batch_norm_training stablehlo.fft stablehlo.gather "
        "stablehlo.set_dimension_size",
        "bounds of the result are not worked out",
    ),
    "must be statically shaped 2-dimensional": ("stablehlo.dynamic_conv", "sizes of the padding may be open"),
    "must be ranked tensor of 4/6/8/16/32/64-bit float or complex": (
        "stablehlo.triangular_solve",
        "the specification takes quantized elements",
    ),
}
"""What MLIR says (a pattern) of which ops (of all, where none is named), and why we take it."""


def may_refuse(found: Diagnostic) -> bool:
    """Whether it is known that MLIR takes what is wrong here."""
    known = ((found.op or "").removeprefix("stablehlo."), found.label or "") in UNCHECKED
    return known or _BOUNDS.search(found.message) is not None


def may_take(op: str, refused: str) -> bool:
    """Whether it is known that MLIR refuses this of a program around `op`."""
    return any(
        re.search(pattern, refused) and (not ops or op in ops.split())
        for pattern, (ops, _) in LENIENT.items()
    )
