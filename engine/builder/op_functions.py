"""Functions that add one instruction: a table of rows, which follow from the classes of ops."""

from __future__ import annotations

from . import preparation
from .elementwise import Elementwise
from .instructions import instruction, unary
from .padding import convolution, paddings, reduce_windows, selection_windows

_PRODUCT = "precision_config=None, preferred_element_type: element_type=None"
_CONVOLUTION = f"feature_group_count=1, batch_group_count=1, {_PRODUCT}"
_CHANNEL = "replica_groups=(), channel_id: channel_handle=None"


class OpFunctions(Elementwise):
    """XLA's functions that are one op each, by XLA's names and arguments."""

    # Conversions and copies

    convert_element_type = instruction(
        "stablehlo.convert", "operand, new_element_type", preparation.converted
    )
    stochastic_convert_type = instruction(
        "hlo.stochastic_convert", "operand, random, new_element_type", preparation.converted
    )
    bitcast_convert_type = instruction(
        "stablehlo.bitcast_convert", "operand, new_element_type", preparation.bitcast_converted
    )
    bitcast = instruction("hlo.bitcast", "operand, shape: result")
    copy = unary("hlo.copy")
    copy_start = unary("hlo.copy_start")
    copy_done = unary("hlo.copy_done")

    # Shapes

    transpose = instruction("stablehlo.transpose")
    rev = instruction("stablehlo.reverse")
    get_dimension_size = instruction("stablehlo.get_dimension_size")
    set_dimension_size = instruction(
        "stablehlo.set_dimension_size", "operand, val: size, dimension", preparation.dynamic_dimension
    )
    dynamic_reshape = instruction(
        "hlo.dynamic_reshape",
        "operand, dim_sizes, new_size_bounds, dims_are_dynamic",
        preparation.dynamic_shape,
    )

    # Parts of arrays

    concatenate = concat_in_dim = instruction("stablehlo.concatenate", "operands: inputs, dimension")
    slice = instruction(
        "stablehlo.slice", "operand, start_indices, limit_indices, strides=None", preparation.strides
    )
    dynamic_slice = instruction("stablehlo.dynamic_slice", "", preparation.start_indices)
    dynamic_update_slice = instruction("stablehlo.dynamic_update_slice", "", preparation.start_indices)
    gather = instruction("stablehlo.gather")
    scatter = instruction(
        "stablehlo.scatter",
        "operands: inputs, scatter_indices, updates, update_computation, "
        "dimension_numbers: scatter_dimension_numbers, indices_are_sorted=False, unique_indices=False",
    )
    pad = instruction("stablehlo.pad", "operand, padding_value, padding_config", paddings)

    # Products, normalizations, transforms

    dot = instruction("stablehlo.dot_general", f"lhs, rhs, {_PRODUCT}", preparation.dot)
    dot_general = instruction(
        "stablehlo.dot_general", f"lhs, rhs, dimension_numbers: dot_dimension_numbers, {_PRODUCT}"
    )
    scaled_dot = instruction(
        "hlo.scaled_dot",
        f"lhs, lhs_scale, rhs, rhs_scale, dimension_number: dot_dimension_numbers, {_PRODUCT}",
    )
    ragged_dot = instruction(
        "hlo.ragged_dot",
        "lhs, rhs, group_sizes, dimension_numbers: dot_dimension_numbers, lhs_ragged_dimensions: lhs_ragged_dims, "
        f"rhs_group_dimensions: rhs_group_dims=(), {_PRODUCT}",
    )
    conv = conv_with_general_padding = instruction(
        "stablehlo.convolution", f"lhs, rhs, window_strides, padding, {_CONVOLUTION}", convolution
    )
    conv_general = conv_with_general_dimensions = instruction(
        "stablehlo.convolution",
        f"lhs, rhs, window_strides, padding, dimension_numbers, {_CONVOLUTION}",
        convolution,
    )
    conv_general_dilated = instruction(
        "stablehlo.convolution",
        "lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, "
        f"{_CONVOLUTION}, window_reversal=None",
    )
    batch_norm_training = instruction("stablehlo.batch_norm_training")
    batch_norm_inference = instruction("stablehlo.batch_norm_inference")
    batch_norm_grad = instruction(
        "stablehlo.batch_norm_grad",
        "operand, scale, batch_mean: mean, batch_var: variance, grad_output, epsilon, feature_index",
    )
    fft = instruction("stablehlo.fft")
    cholesky = instruction("stablehlo.cholesky", "a, lower=True")
    triangular_solve = instruction(
        "stablehlo.triangular_solve",
        "a, b, left_side=True, lower=True, unit_diagonal=False, transpose_a='NO_TRANSPOSE'",
    )

    # Computations on elements

    reduce = instruction(
        "stablehlo.reduce",
        "operands: inputs, init_values, computation: body, dimensions_to_reduce: dimensions",
    )
    reduce_window = instruction(
        "stablehlo.reduce_window",
        "operands: inputs, init_values, computation: body, window_dimensions, window_strides, padding, "
        "base_dilations=None, window_dilations=None",
        reduce_windows,
    )
    reduce_window_with_general_padding = instruction(
        "stablehlo.reduce_window",
        "operands: inputs, init_values, computation: body, window_dimensions, window_strides, base_dilations, "
        "window_dilations, padding",
    )
    select_and_scatter = select_and_scatter_with_general_padding = instruction(
        "stablehlo.select_and_scatter",
        "operand, select, window_dimensions, window_strides, padding, source, init_value, scatter",
        selection_windows,
    )
    map = instruction(
        "stablehlo.map",
        "operands: inputs, computation, dimensions=None, static_operands=()",
        preparation.map_operands,
    )
    sort = instruction(
        "stablehlo.sort",
        "operands: inputs, comparator=None, dimension=None, is_stable=False",
        preparation.sort_operands,
    )
    top_k = instruction("hlo.topk")
    scan = instruction(
        "hlo.scan",
        "inputs, init_values, computation: body, scan_dimension: dimension, is_reverse=False, is_associative=False",
        preparation.scan_operands,
    )

    # Tuples and calls

    tuple = instruction("stablehlo.tuple", "elements: val")
    get_tuple_element = instruction("stablehlo.get_tuple_element", "tuple_data: operand, index")
    fusion = instruction(
        "hlo.fusion", "computation: calls, operands: inputs, fusion_kind: kind='kLoop'", preparation.fusion
    )
    composite_call = instruction(
        "stablehlo.composite",
        "computation: decomposition, operands: inputs, name, attributes: composite_attributes=None, version=None",
        preparation.composite,
    )
    custom_call = instruction(
        "stablehlo.custom_call",
        "target_name: call_target_name, operands: inputs, shape: result, opaque='', has_side_effect=False, "
        "called_computations=(), api_version=1",
        preparation.custom_call,
    )
    conditional = instruction(
        "hlo.conditional",
        "predicate: branch_index, true_operand, true_computation, false_operand=None, false_computation=None",
        preparation.conditional,
    )
    async_start = instruction("hlo.async_start", "computation, operands", preparation.async_start)
    async_update = unary("hlo.async_update")
    async_done = unary("hlo.async_done")

    # Order

    after_all = instruction("stablehlo.after_all", "tokens: inputs=()")
    add_dependency = instruction("hlo.add_dependency")
    optimization_barrier = instruction("stablehlo.optimization_barrier", "operand")

    # Transfers

    infeed_with_token = instruction(
        "hlo.infeed", "token, shape, config: infeed_config=''", preparation.infeed
    )
    outfeed_with_token = instruction(
        "hlo.outfeed", "operand, token, shape_with_layout=None, outfeed_config=''", preparation.outfeed
    )
    create_send = instruction(
        "hlo.send", "operand, token, channel_id: channel_handle, is_host_transfer=False", preparation.transfer
    )
    send_done = instruction(
        "hlo.send_done", "context: operand, is_host_transfer=False", preparation.channel_of_start
    )
    create_recv = instruction(
        "hlo.recv", "shape, token, channel_id: channel_handle, is_host_transfer=False", preparation.transfer
    )
    recv_done = instruction(
        "hlo.recv_done", "context: operand, is_host_transfer=False", preparation.channel_of_start
    )

    # Collectives

    all_gather = instruction(
        "stablehlo.all_gather",
        f"operand: operands, all_gather_dimension: all_gather_dim, shard_count, {_CHANNEL}, layout=None, "
        "use_global_device_ids=False",
        preparation.all_gather,
    )
    all_gather_start = instruction(
        "hlo.all_gather_start",
        f"operand: operands, all_gather_dimension: all_gather_dim, shard_count, {_CHANNEL}, layout=None, "
        "use_global_device_ids=False",
        preparation.all_gather_start,
    )
    all_gather_done = unary("hlo.all_gather_done")
    all_reduce = instruction(
        "stablehlo.all_reduce",
        f"operand: operands, computation, {_CHANNEL}, shape_with_layout=None, use_global_device_ids=False",
        preparation.all_reduce,
    )
    all_reduce_start = instruction(
        "hlo.all_reduce_start",
        f"operand: operands, computation, {_CHANNEL}, shape_with_layout=None, use_global_device_ids=False",
        preparation.all_reduce,
    )
    all_reduce_done = unary("hlo.all_reduce_done")
    reduce_scatter = instruction(
        "stablehlo.reduce_scatter",
        f"operand, computation, scatter_dimension, shard_count, {_CHANNEL}, layout=None, use_global_device_ids=False",
        preparation.reduce_scatter,
    )
    all_to_all_tuple = instruction(
        "hlo.all_to_all_tuple", f"operands, {_CHANNEL}", preparation.all_to_all_tuple
    )
    ragged_all_to_all = instruction(
        "hlo.ragged_all_to_all",
        f"input, input_offsets, send_sizes, output, output_offsets, recv_sizes, {_CHANNEL}",
    )
    collective_broadcast = instruction("stablehlo.collective_broadcast", f"operand, {_CHANNEL}")
    collective_permute = instruction(
        "stablehlo.collective_permute",
        "operand, source_target_pairs, channel_id: channel_handle=None, inplace=False",
    )
    collective_permute_start = instruction(
        "hlo.collective_permute_start",
        "operand: operands, source_target_pairs, channel_id: channel_handle=None, inplace=False",
        preparation.collective_permute_start,
    )
    collective_permute_done = unary("hlo.collective_permute_done")
    replica_id = instruction("stablehlo.replica_id")
    partition_id = instruction("stablehlo.partition_id", "shape='u32[]'", preparation.partition_id)

    # Random numbers

    rng_uniform = instruction(
        "hlo.rng", "a, b, shape: result", preparation.random_operands, rng_distribution="UNIFORM"
    )
    rng_normal = instruction(
        "hlo.rng", "mu: a, sigma: b, shape: result", preparation.random_operands, rng_distribution="NORMAL"
    )
    rng_bit_generator = instruction(
        "stablehlo.rng_bit_generator",
        "algorithm: rng_algorithm, initial_state, shape",
        preparation.random_bits,
    )
    rng_get_and_update_state = instruction("hlo.rng_get_and_update_state", "delta, shape: result='u64[2]'")
