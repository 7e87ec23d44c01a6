"""A table of ops that can only be read and printed, with the short forms that MLIR gives them."""

from __future__ import annotations

from dataclasses import dataclass, field

_FUNCTIONAL = "operands attr-dict : functional-type"
_SAME = "operands attr-dict : same-type"
_FORMS: dict[str, str | None] = {
    "after_all": _SAME,
    "all_gather": None,
    "all_reduce": None,
    "all_to_all": None,
    "bitcast_convert": _FUNCTIONAL,
    "broadcast": "operands , sizes = $broadcast_sizes attr-dict : functional-type",
    "broadcast_in_dim": "operands , dims = $broadcast_dimensions attr-dict : functional-type",
    "case": None,
    "cholesky": "operands (, lower = $lower)? attr-dict : same-type",
    "clamp": _SAME,
    "collective_permute": None,
    "compare": "$comparison_direction<comparison_direction> , operands (, $compare_type<comparison_type>)? attr-dict : functional-type",
    "complex": "operands attr-dict : result-type",
    "composite": "$name operands attr-dict : functional-type",
    "concatenate": "operands , dim = $dimension attr-dict : functional-type",
    "constant": "attr-dict $value",
    "convert": _FUNCTIONAL.replace("functional-type", "same-type"),
    "convolution": "custom convolution",
    "create_token": "attr-dict : result-type",
    "custom_call": "$call_target_name<symbol-name> ( operands ) attr-dict : functional-type",
    "dot": "operands precision-config attr-dict : functional-type",
    "dot_general": "custom dot_general",
    "dynamic_broadcast_in_dim": "operands , dims = $broadcast_dimensions attr-dict : functional-type",
    "dynamic_iota": "operands , dim = $iota_dimension attr-dict : functional-type",
    "dynamic_pad": _FUNCTIONAL,
    "dynamic_reshape": _FUNCTIONAL,
    "dynamic_slice": "operands , sizes = $slice_sizes attr-dict : functional-type",
    "dynamic_update_slice": _FUNCTIONAL,
    "einsum": "operands , config = $einsum_config attr-dict : functional-type",
    "fft": "operands , type = $fft_type<fft_type> , length = $fft_length attr-dict : functional-type",
    "gather": None,
    "get_dimension_size": "operands , dim = $dimension attr-dict : functional-type",
    "get_tuple_element": "operands [ $index<i32> ] attr-dict : functional-type",
    "if": None,
    "imag": _FUNCTIONAL,
    "iota": "dim = $iota_dimension attr-dict : result-type",
    "is_finite": _FUNCTIONAL,
    "map": None,
    "optimization_barrier": "operands attr-dict : pairwise-types",
    "pad": "operands , low = $edge_padding_low , high = $edge_padding_high , interior = $interior_padding attr-dict : functional-type",
    "partition_id": "attr-dict : result-type",
    "real": _FUNCTIONAL,
    "real_dynamic_slice": _FUNCTIONAL,
    "reduce": "custom reduce",
    "reduce_precision": "operands , format = exponent-mantissa attr-dict : same-type",
    "reduce_scatter": None,
    "reduce_window": None,
    "replica_id": "attr-dict : result-type",
    "reshape": _FUNCTIONAL,
    "return": "operands? attr-dict (: operand-types)?",
    "reverse": "operands , dims = $dimensions attr-dict : same-type",
    "rng": "operands , distribution = $rng_distribution<rng_distribution> attr-dict : functional-type",
    "rng_bit_generator": "operands , algorithm = $rng_algorithm<rng_algorithm> attr-dict : functional-type",
    "scatter": None,
    "select": "operands attr-dict : select-type",
    "select_and_scatter": None,
    "set_dimension_size": "operands , dim = $dimension attr-dict : functional-type",
    "slice": "operands slice-ranges attr-dict : functional-type",
    "sort": None,
    "transpose": "operands , dims = $permutation attr-dict : functional-type",
    "triangular_solve": None,
    "tuple": "operands attr-dict : result-type",
    "uniform_dequantize": _FUNCTIONAL,
    "uniform_quantize": _FUNCTIONAL,
    "while": "custom while",
}
_ELEMENTWISE = """abs add and atan2 cbrt ceil cosine count_leading_zeros divide exponential exponential_minus_one
    floor log log_plus_one logistic maximum minimum multiply negate not or popcnt power remainder
    round_nearest_afz round_nearest_even rsqrt shift_left shift_right_arithmetic shift_right_logical sign sine
    sqrt subtract tan tanh xor"""
_CHLO = "square erf erf_inv sinh lgamma digamma"
_INHERENT = {
    "all_gather": "all_gather_dim replica_groups channel_handle use_global_device_ids",
    "all_reduce": "replica_groups channel_handle use_global_device_ids",
    "all_to_all": "split_dimension concat_dimension split_count replica_groups channel_handle",
    "collective_permute": "source_target_pairs channel_handle",
    "composite": "name composite_attributes decomposition version composite_regions",
    "convolution": """window_strides padding lhs_dilation rhs_dilation window_reversal dimension_numbers
        feature_group_count batch_group_count precision_config""",
    "custom_call": """call_target_name has_side_effect backend_config api_version called_computations
        operand_layouts result_layouts output_operand_aliases""",
    "dot": "precision_config",
    "dot_general": "dot_dimension_numbers precision_config algorithm",
    "dynamic_broadcast_in_dim": """broadcast_dimensions known_expanding_dimensions
        known_nonexpanding_dimensions""",
    "exponential": "result_accuracy",
    "gather": "dimension_numbers slice_sizes indices_are_sorted",
    "map": "dimensions",
    "reduce": "dimensions",
    "reduce_precision": "exponent_bits mantissa_bits",
    "reduce_scatter": "scatter_dimension replica_groups channel_handle use_global_device_ids",
    "reduce_window": "window_dimensions window_strides base_dilations window_dilations padding",
    "scatter": "scatter_dimension_numbers indices_are_sorted unique_indices",
    "select_and_scatter": "window_dimensions window_strides padding",
    "slice": "start_indices limit_indices strides",
    "sort": "dimension is_stable",
    "triangular_solve": "left_side lower unit_diagonal transpose_a",
}


@dataclass(frozen=True)
class SyntaxOp:
    """An op as the parser sees it."""

    name: str
    short_form: str | None
    aliases: tuple[str, ...] = ()
    inherent: frozenset[str] = field(default=frozenset())

    def inherent_attributes(self) -> frozenset[str]:
        """The names in its short form, and those listed here."""
        words = (self.short_form or "").replace("(,", "").split()
        stated = {word[1:].split("<")[0].split(")")[0] for word in words if word.startswith("$")}
        return (
            frozenset(stated)
            | self.inherent
            | frozenset(_INHERENT.get(self.name.partition(".")[2], "").split())
        )


def _table() -> dict[str, SyntaxOp]:
    forms = _FORMS | dict.fromkeys(_ELEMENTWISE.split(), _SAME)
    ops = [SyntaxOp(f"stablehlo.{name}", form) for name, form in forms.items()]
    ops += [
        SyntaxOp(f"chlo.{name}", "operands attr-dict : operand-types -> result-types")
        for name in _CHLO.split()
    ]
    ops += [
        SyntaxOp("chlo.next_after", "operands attr-dict : operand-types -> result-types"),
        SyntaxOp("chlo.top_k", "( operands , k = $k ) attr-dict : operand-types -> result-types"),
        SyntaxOp("func.return", "operands? attr-dict (: operand-types)?", ("return",)),
        SyntaxOp("func.call", "$callee ( operands ) attr-dict : functional-type", ("call",)),
        SyntaxOp("check.expect_eq", "operands attr-dict : operand-type"),
        SyntaxOp("check.expect_eq_const", "operands , $value attr-dict"),
    ]
    return {name: op for op in ops for name in (op.name, *op.aliases)}


OP_TABLE = _table()
