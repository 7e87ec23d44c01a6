// ----- elementwise pretty
func.func @f(%a: tensor<2xf32>, %i: tensor<2xi32>, %p: tensor<2xi1>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi32>
  %2 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2xf32>
  %3 = stablehlo.clamp %a, %a, %a : tensor<2xf32>
  %4 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<2xi1>
  %5 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %6 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
  %8 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %9 = stablehlo.convert %a : tensor<2xf32>
  %10 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2xi32>
  %11 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>
  %12 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  %13 = "stablehlo.exponential"(%a) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<2xf32>) -> tensor<2xf32>
  %14 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<2xf32>) -> tensor<2xf32>
  %15 = stablehlo.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %16 = stablehlo.select %p, %a, %a : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %17 = stablehlo.count_leading_zeros %i : tensor<2xi32>
  return
}
// ----- barrier empty
func.func @f() {
  stablehlo.optimization_barrier ()
  "stablehlo.optimization_barrier"() : () -> ()
  return
}
// ----- movement | only here: older spelling
func.func @f(%a: tensor<2x3xf32>, %z: tensor<f32>, %i: tensor<i64>) {
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>
  %3 = stablehlo.pad %a, %z, low = [0, 1], high = [2, 1], interior = [1, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x2xf32>
  %5 = stablehlo.dynamic_update_slice %a, %4, %i, %i : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
  %6 = stablehlo.iota dim = 0 : tensor<4xi32>
  %7 = stablehlo.slice %a [0:2:2, 1:3] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %8 = "stablehlo.slice"(%a) {limit_indices = dense<[2, 3]> : tensor<2xi64>, start_indices = dense<[0, 1]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %9 = "stablehlo.pad"(%a, %z) {edge_padding_high = dense<[2, 1]> : tensor<2xi64>, edge_padding_low = dense<[0, 1]> : tensor<2xi64>, interior_padding = dense<[1, 2]> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  %10 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<2x3xf32>) -> tensor<i32>
  %11 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  %12 = stablehlo.broadcast %a, sizes = [2] : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
  %13 = stablehlo.slice %z [] : (tensor<f32>) -> tensor<f32>
  return
}
// ----- set_dimension_size
func.func @f(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  return
}
// ----- tuples tokens
func.func @f(%a: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = stablehlo.tuple %a, %t : tuple<tensor<2xf32>, !stablehlo.token>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  %2 = stablehlo.after_all %t, %t : !stablehlo.token
  %3 = stablehlo.create_token : !stablehlo.token
  %4 = stablehlo.after_all : !stablehlo.token
  %5 = stablehlo.tuple : tuple<>
  %6:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = [[0]]} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %7 = "stablehlo.outfeed"(%a, %t) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %8 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %9:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// ----- rng fft etc | only here: older spelling
func.func @f(%a: tensor<f32>, %s: tensor<2xi64>, %m: tensor<2x2xf32>, %c: tensor<4xcomplex<f32>>, %st: tensor<2xui64>) {
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>
  %1, %2 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  %3 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %4 = stablehlo.cholesky %m, lower = true : tensor<2x2xf32>
  %5 = stablehlo.cholesky %m : tensor<2x2xf32>
  %6 = "stablehlo.triangular_solve"(%m, %m) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %7 = "stablehlo.fft"(%c) {fft_length = dense<4> : tensor<1xi64>, fft_type = #stablehlo<fft_type FFT>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %8:2 = "stablehlo.rng_bit_generator"(%st) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  %9 = "stablehlo.rng"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
// ----- batch norm
func.func @f(%a: tensor<2x3xf32>, %s: tensor<3xf32>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) {epsilon = 1.000000e-03 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
// ----- dynamic | only here: older spelling
func.func @f(%a: tensor<?x3xf32>, %s: tensor<2xi64>, %z: tensor<f32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %2 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %3 = stablehlo.dynamic_pad %a, %z, %s, %s, %s : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>, known_expanding_dimensions = dense<[]> : tensor<0xi64>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %6 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  return
}
// ----- dynamic gather conv
func.func @f(%a: tensor<3x4x2xi32>, %b: tensor<2x3x2xi64>, %s: tensor<3xi64>, %l: tensor<1x8x8x3xf32>, %r: tensor<3x3x3x4xf32>, %p: tensor<2x2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %b, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  %1 = "stablehlo.dynamic_conv"(%l, %r, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x2xi64>) -> tensor<1x?x?x4xf32>
  return
}
// ----- sort map windows | only here: older spelling
func.func @f(%a: tensor<4x4xf32>, %z: tensor<f32>) {
  %0:2 = "stablehlo.sort"(%a, %a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):
    %1 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %2 = "stablehlo.map"(%a, %a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "stablehlo.reduce_window"(%a, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {base_dilations = dense<1> : tensor<2xi64>, padding = dense<0> : tensor<2x2xi64>, window_dilations = dense<1> : tensor<2xi64>, window_dimensions = dense<2> : tensor<2xi64>, window_strides = dense<2> : tensor<2xi64>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<2x2xf32>
  %4 = "stablehlo.select_and_scatter"(%a, %3, %z) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {padding = dense<0> : tensor<2x2xi64>, window_dimensions = dense<2> : tensor<2xi64>, window_strides = dense<2> : tensor<2xi64>} : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}
// ----- composite
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "foo.bar" %a {composite_attributes = {x = 1 : i64}, decomposition = @g, version = 2 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.composite"(%a) {name = "foo.bar", composite_attributes = {}, decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "foo.bar" %a {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
// ----- quantize
func.func @f(%a: tensor<4xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return
}
// ----- einsum etc
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi32>) {
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = "stablehlo.unary_einsum"(%a) {einsum_config = "ab->ba"} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = "stablehlo.torch_index_select"(%a, %i) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}
// ----- cross_replica_sum
func.func @f(%a: tensor<2x3xf32>) {
  %2 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.partition_id : tensor<ui32>
  %4 = stablehlo.replica_id : tensor<ui32>
  %5 = "stablehlo.partition_id"() : () -> tensor<ui32>
  return
}
// ----- scan
func.func @f(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
    ^bb0(%x: tensor<2xf32>, %c: tensor<2xf32>):
      %s = stablehlo.add %x, %c : tensor<2xf32>
      stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)
  %1 = chlo.scan(%a) inits () dimension = 1 attributes {a.b = 1 : i32, is_reverse = true, is_associative = false} {
    ^bb0(%x: tensor<4xf32>):
      stablehlo.return %x : tensor<4xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2:2 = chlo.scan() inits (%b) dimension=0 attributes {scan_dim_size = 3 : i64} {
    ^bb0(%c: tensor<2xf32>):
      stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
  return
}
// ----- scan without its dimension | refused
func.func @f(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {
  %0:2 = chlo.scan(%a) inits (%b) {
    ^bb0(%x: tensor<2xf32>, %c: tensor<2xf32>):
      stablehlo.return %x, %c : tensor<2xf32>, tensor<2xf32>
  } : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)
  return
}
// ----- chlo | only here: older spelling
func.func @f(%a: tensor<2xf32>, %b: tensor<f32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1>
  %2 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>
  %3 = chlo.asin %a : tensor<2xf32> -> tensor<2xf32>
  %4 = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
  %5:2 = chlo.top_k(%a, k = 1) : tensor<2xf32> -> (tensor<1xf32>, tensor<1xi32>)
  %6 = chlo.next_after %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %7 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xi1>
  %8 = chlo.zeta %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %9 = chlo.polygamma %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %10 = chlo.constant dense<1.0> : tensor<2xf32>
  %11 = "chlo.constant_like"(%a) {value = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  %12 = "chlo.broadcast_add"(%a, %b) {broadcast_dimensions = array<i64>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %13 = "chlo.broadcast_add"(%a, %b) {broadcast_dimensions = dense<[]> : tensor<0xi64>} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// ----- chlo broadcast_select | refused
func.func @f(%p: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<f32>, %i: tensor<2xi1>) {
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = chlo.broadcast_and %i, %i : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %2 = chlo.constant_like %a, 1.0 : tensor<2xf32>
  return
}
// ----- all_reduce variadic, mesh axes
func.func @f(%a: tensor<2xf32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %2 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// ----- sdy
module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @m2 = <["a"=2], device_ids=[1, 0]>
  sdy.mesh @maximal = <[], device_ids=[0]>
  sdy.mesh @e = <[]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}) {
    %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2}p1, {}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----- sdy more ops
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    sdy.sharding_group %a group_id=3 : tensor<8x16xf32>
    %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %2 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8x16xf32>
    %3 = sdy.all_slice [{"x"}, {}] %1 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----- sdy named computation
module {
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = sdy.named_computation<"foo">(%a) (%x: tensor<8x16xf32>) {
      sdy.return %x : tensor<8x16xf32>
    } : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----- async
func.func @f(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<2xf32>):
    %2 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ----- mhlo | otherwise: the dialect mhlo, whose ops are read as those that StableHLO has
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mhlo.add %a, %a : tensor<2xf32>
  %1 = "mhlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- torch_xla
module @IrToHlo.10 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<10xf32>, %arg1: tensor<10x10xf32>) -> tuple<tensor<10x10xf32>> {
    %0 = stablehlo.transpose %arg1, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[10,10]{0,1}"} : (tensor<10x10xf32>) -> tensor<10x10xf32>
    %1 = stablehlo.tuple %0 {xla_shape = "(f32[10,10]{0,1})"} : tuple<tensor<10x10xf32>>
    return %1 : tuple<tensor<10x10xf32>>
  }
}
// ----- tan old custom attr
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.tan"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// ----- complex with all its types
func.func @f(%a: tensor<2xf32>) {
  %7 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  return
}
// ----- result accuracy default
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.tanh"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2xf32>
  return
}
// ----- constant forms
func.func @f() {
  %0 = stablehlo.constant() {value = dense<1> : tensor<2xi32>} : () -> tensor<2xi32>
  %1 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> {a.b = 1 : i32} : () -> tensor<2xi32>
  %2 = stablehlo.constant () <{value = dense<1> : tensor<2xi8>}> {a.b = 1 : i32} : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}
// ----- return forms 2
func.func @f(%a: tensor<2xi8>, %p: tensor<i1>) -> tensor<2xi8> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a {a.b = 1 : i32} : tensor<2xi8>
  }, {
    "stablehlo.return"(%a) {a.b = 1 : i32} : (tensor<2xi8>) -> ()
  }) : (tensor<i1>) -> tensor<2xi8>
  "func.return"(%a) {a.b = 1 : i32} : (tensor<2xi8>) -> ()
}
// ----- return none attr
func.func @f() {
  return {a.b = 1 : i32}
}
// ----- stablehlo return none attr
func.func @f(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return {a.b = 1 : i32}
  }, {
    "stablehlo.return"() {a.b = 1 : i32} : () -> ()
  }) : (tensor<i1>) -> ()
  return
}
// ----- call attrs
func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = func.call @f(%a) {a.b = 1 : i32} : (tensor<2xi8>) -> tensor<2xi8>
  %1 = "func.call"(%a) <{callee = @f, arg_attrs = [{a.b = 1 : i32}]}> : (tensor<2xi8>) -> tensor<2xi8>
  %2 = func.call @f(%a) : (tensor<2xi8>) -> (tensor<2xi8>)
  return %a : tensor<2xi8>
}
// ----- duplicates inherent | only MLIR: a property that is stated twice
func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = stablehlo.reverse %a, dims = [0] {dimensions = array<i64: 0>} : tensor<2xi8>
  return %a : tensor<2xi8>
}
// ----- discardable inherent wrong
func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>, foo = 1 : i32}> : (tensor<2xi8>) -> tensor<2xi8>
  return %a : tensor<2xi8>
}
// ----- both | only MLIR: a property that is stated twice
func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0>}> {dimensions = array<i64: 0>} : (tensor<2xi8>) -> tensor<2xi8>
  return %a : tensor<2xi8>
}
// ----- props and dict split
func.func @f(%a: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0, 0>}> {limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}
// ----- empty props | only here: with and without <{…}>
func.func @f(%a: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %0 = "stablehlo.add"(%a, %a) <{}> {} : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}
// ----- order props after regions | refused
func.func @f(%a: tensor<3xi32>, %i: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.reduce"(%a, %i) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    stablehlo.return %r : tensor<i32>
  }) <{dimensions = array<i64: 0>}> : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// ----- generic missing types | refused
func.func @f(%a: tensor<3xi32>) {
  %0 = "stablehlo.abs"(%a)
  return
}
// ----- if with () results
func.func @f(%p: tensor<i1>) {
  "stablehlo.if"(%p) ({
    stablehlo.return
  }, {
    "stablehlo.return"() : () -> ()
  }) : (tensor<i1>) -> ()
  return
}
// ----- unary einsum
func.func @f(%a: tensor<2x3xf32>) {
  %1 = stablehlo.unary_einsum %a, config = "ab->ba" : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// ----- triangular pretty | refused
func.func @f(%a: tensor<2x2xf32>) {
  %1 = stablehlo.triangular_solve %a, %a, left_side = true : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
// ----- convolution odd
func.func @f(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = []} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return
}
// ----- convolution dims question | refused
func.func @f(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x4xf32>) {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, ?, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}
// ----- slice spaces
func.func @f(%a: tensor<8xf32>) {
  %0 = stablehlo.slice %a[0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %a [ 0 : 8 : 2 ] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.slice %a [0:8:1] {x.y} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
// ----- gte
func.func @f(%a: tuple<tensor<f32>>) {
  %0 = stablehlo.get_tuple_element %a [0] : (tuple<tensor<f32>>) -> tensor<f32>
  %1 = "stablehlo.get_tuple_element"(%a) {index = 0 : i32} : (tuple<tensor<f32>>) -> tensor<f32>
  return
}
// ----- struct forms
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %1 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_batching_dimensions = [], rhs_batching_dimensions = []>} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}
// ----- algorithm generic
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %1 = "stablehlo.dot_general"(%a, %b) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}
// ----- trailing comma alg | refused
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false,> : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}
// ----- gather trailing comma
func.func @main(%a: tensor<3x4x2xi32>, %b: tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32> {
  %0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2,>, slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
  return %0 : tensor<2x3x2x2xi32>
}
// ----- result accuracy pretty forms
func.func @f(%a: tensor<2xf32>) {
  %12 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  %1 = "stablehlo.log"(%a) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "stablehlo.cbrt"(%a) <{result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// ----- loc on everything
func.func private @f(tensor<f32> loc("a")) loc("b")
// ----- loc in func result
func.func @g(%a: tensor<f32> {a.b = 1 : i32} loc("a")) -> (tensor<f32> {a.c = 1 : i32}) { return %a : tensor<f32> loc("q") } loc("z")
// ----- blanks and comments between brackets
func.func @f(%a: tensor<2
  x 3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.reverse"(%a) < { // the properties
    dimensions = array<i64: 0>} // they end here
  > : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("f":3)
  return %0 : tensor<2x3xf32>
}
// ----- floats in an array of integers | refused
func.func @f(%a: tensor<2xf32>) {
  %0 = "stablehlo.reverse"(%a) <{dimensions = array<i64: 0.0>}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// ----- barrier none
func.func @f(%a: tensor<2xi8>) {
  stablehlo.optimization_barrier ()
  return
}
// ----- barrier attr | refused
func.func @f(%a: tensor<2xi8>) {
  stablehlo.optimization_barrier () {a.b = 1 : i32}
  return
}
// ----- barrier generic attr
func.func @f(%a: tensor<2xi8>) {
  "stablehlo.optimization_barrier"() {a.b = 1 : i32} : () -> ()
  return
}
// ----- strings dense | only here: dialects that MLIR has not loaded here
func.func @f() attributes {x.a = dense<["foo", "b>ar"]> : vector<2x!quant.any<i8>>, x.b = dense<1> : vector<2xi32>} {
  return
}
// ----- barrier one attr
func.func @f(%a: tensor<2xi8>) {
  %0 = stablehlo.optimization_barrier {a.b = 1 : i32} %a : tensor<2xi8>
  %1:2 = "stablehlo.optimization_barrier"(%a, %a) {a.b = 1 : i32} : (tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>)
  return
}
// ----- attrs every short op
func.func @f(%a: tensor<2x3xf32>, %z: tensor<f32>, %i: tensor<i64>, %p: tensor<i1>, %c: tensor<4xcomplex<f32>>, %m: tensor<2x2xf32>, %st: tensor<2xui64>, %s: tensor<2xi64>) {
  %8 = stablehlo.select %p, %a, %a {a.b = 1 : i32} : tensor<i1>, tensor<2x3xf32>
  %0 = stablehlo.reshape %a {a.b = 1 : i32} : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = stablehlo.concatenate %a, %a, dim = 0 {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.reverse %a, dims = [0, 1] {a.b = 1 : i32} : tensor<2x3xf32>
  %3 = stablehlo.pad %a, %z, low = [0, 1], high = [2, 1], interior = [1, 2] {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x9xf32>
  %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x2xf32>
  %7 = stablehlo.slice %a [0:2:2, 1:3] {a.b = 1 : i32} : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %9 = stablehlo.broadcast %a, sizes = [2] {a.b = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
  %10 = stablehlo.clamp %z, %a, %z {a.b = 1 : i32} : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %11 = stablehlo.reduce_precision %a, format = e5m10 {a.b = 1 : i32} : tensor<2x3xf32>
  %12 = stablehlo.fft %c, type = FFT, length = [4] {a.b = 1 : i32} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %13 = stablehlo.cholesky %m, lower = true {a.b = 1 : i32} : tensor<2x2xf32>
  %14, %15 = stablehlo.rng_bit_generator %st, algorithm = THREE_FRY {a.b = 1 : i32} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)
  %16 = stablehlo.rng %z, %z, %s, distribution = UNIFORM {a.b = 1 : i32} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>
  %17 = stablehlo.compare EQ, %z, %z, FLOAT {a.b = 1 : i32} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %18 = stablehlo.dot %m, %m, precision = [HIGH, HIGH] {a.b = 1 : i32} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %19 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [0] {a.b = 1 : i32} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %20 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] {a.b = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  %21 = stablehlo.einsum %m, %m, config = "ab,bc->ac" {a.b = 1 : i32} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %22 = stablehlo.complex %z, %z {a.b = 1 : i32} : tensor<complex<f32>>
  %23 = stablehlo.is_finite %z {a.b = 1 : i32} : (tensor<f32>) -> tensor<i1>
  %24 = stablehlo.custom_call @foo(%z) {a.b = 1 : i32} : (tensor<f32>) -> tensor<i1>
  %25 = stablehlo.composite "a.b" %z {a.b = 1 : i32, decomposition = @g} : (tensor<f32>) -> tensor<f32>
  %26 = stablehlo.transpose %m, dims = [1, 0] {a.b = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %27 = stablehlo.convert %m {a.b = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x2xf64>
  %28 = stablehlo.unary_einsum %m, config = "ab->ba" {a.b = 1 : i32} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
func.func private @g(%z: tensor<f32>) -> tensor<f32> { return %z : tensor<f32> }
// ----- one type for operand and result
func.func @f(%a: tensor<2xf64>, %q: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf64> {
  %0 = stablehlo.imag %a : tensor<2xf64>
  %1 = stablehlo.real %0 : tensor<2xf64>
  %2 = stablehlo.uniform_quantize %q : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %1 : tensor<2xf64>
}
