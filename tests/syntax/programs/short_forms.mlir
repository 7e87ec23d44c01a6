module @short_forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @elementwise(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<2x3xi1>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.negate %0 : tensor<2x3xf32>
    %2 = stablehlo.convert %arg2 : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %3 = stablehlo.complex %1, %2 : tensor<2x3xcomplex<f32>>
    %4 = stablehlo.abs %3 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %5 = stablehlo.real %3 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %6 = stablehlo.compare LT, %4, %5, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %7 = stablehlo.compare EQ, %4, %5 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.select %6, %4, %5 : tensor<2x3xi1>, tensor<2x3xf32>
    %9 = stablehlo.is_finite %8 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %10 = stablehlo.clamp %arg0, %8, %arg1 : tensor<2x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.clamp %cst, %10, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %12 = stablehlo.reduce_precision %11, format = e5m10 : tensor<2x3xf32>
    %13 = stablehlo.exponential %12 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %14 = chlo.erf %13 : tensor<2x3xf32> -> tensor<2x3xf32>
    %15 = chlo.next_after %13, %14 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %16 = stablehlo.cosine %15 {mhlo.note = "kept", other.flag} : tensor<2x3xf32>
    return %16, %9 : tensor<2x3xf32>, tensor<2x3xi1>
  }
  func.func @movement(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<6x4xf32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %2 = stablehlo.broadcast %arg2, sizes = [4, 6] : (tensor<f32>) -> tensor<4x6xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<24xf32>
    %4 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.slice %arg0 [0:4:2, 1:6] : (tensor<4x6xf32>) -> tensor<2x5xf32>
    %6 = stablehlo.slice %arg2 [] : (tensor<f32>) -> tensor<f32>
    %7 = stablehlo.concatenate %0, %1, %2, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<12x6xf32>
    %8 = stablehlo.pad %arg0, %arg2, low = [0, -1], high = [1, 0], interior = [0, 2] : (tensor<4x6xf32>, tensor<f32>) -> tensor<5x15xf32>
    %9 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [2, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %10 = stablehlo.dynamic_update_slice %arg0, %9, %arg1, %arg1 : (tensor<4x6xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %11 = stablehlo.reverse %4, dims = [0, 1] : tensor<6x4xf32>
    %12 = stablehlo.bitcast_convert %11 : (tensor<6x4xf32>) -> tensor<6x4xi32>
    %13:2 = stablehlo.optimization_barrier %11, %12 : tensor<6x4xf32>, tensor<6x4xi32>
    %14 = stablehlo.get_dimension_size %13#0, dim = 1 : (tensor<6x4xf32>) -> tensor<i32>
    return %13#0 : tensor<6x4xf32>
  }
  func.func private @contraction(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<4x4xf32>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [0] {mhlo.frontend_attributes = {a = "b"}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [] x [] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4x4xf32>
    %4 = stablehlo.dot %arg2, %arg2, precision = [HIGH, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.dot %arg2, %arg2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.cholesky %arg2, lower = true : tensor<4x4xf32>
    %7 = stablehlo.einsum %arg2, %arg2, config = "ij,jk->ik" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func @convolution(%arg0: tensor<2x8x8x8xf32>, %arg1: tensor<3x3x8x4xf32>) -> tensor<2x8x5x4xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 2], [0, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x8xf32>, tensor<3x3x8x4xf32>) -> tensor<2x8x5x4xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x8xf32>, tensor<3x3x8x4xf32>) -> tensor<2x6x6x4xf32>
    return %0 : tensor<2x8x5x4xf32>
  }
  func.func @misc(%arg0: tensor<4x4xf32>, %arg1: tensor<2xui64>) -> tensor<4x4xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.replica_id : tensor<ui32>
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.after_all %2, %2 : !stablehlo.token
    %output_state, %output = stablehlo.rng_bit_generator %arg1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<4> : tensor<2xi64>
    %4 = stablehlo.rng %cst, %cst, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x4xf32>
    %5 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
    %6 = stablehlo.tuple %4, %0 : tuple<tensor<4x4xf32>, tensor<ui32>>
    %7 = stablehlo.get_tuple_element %6[1] : (tuple<tensor<4x4xf32>, tensor<ui32>>) -> tensor<ui32>
    %8:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
    stablehlo.custom_call @"<odd name>"(%8#1) {has_side_effect = true} : (tensor<i32>) -> ()
    %values, %indices = chlo.top_k(%8#0, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %9 = stablehlo.composite "my.op" %arg0 {composite_attributes = {n = 1 : i64}, decomposition = @"<lambda>"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %10 = call @"<lambda>"(%9) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    call @nothing() : () -> ()
    return %10 : tensor<4x4xf32>
  }
  func.func private @"<lambda>"(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    return %arg0 : tensor<4x4xf32>
  }
  func.func private @nothing() {
    return
  }
  func.func private @declared(tensor<?x4xf32> {some.attribute}, tensor<*xf32>) -> (tensor<f32>, tensor<f32>)
}
