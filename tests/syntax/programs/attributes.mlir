#alias = {x = 1 : i64, y = [1, 2.500000e+00, "s", @f::@g, unit, tensor<2xf32>]}
!pair = tuple<tensor<f32>, tensor<2xi32>>
module @attributes attributes {test.array = array<i64: 1, -2>, test.bools = array<i1: true, false>, test.empty = array<i32>, test.floats = array<f32: 1.000000e+00, 0x7FC00000>, test.hex = 0xFF : i16, test.alias = #alias, test.nested = {deep = {deeper = [[], [[1 : i32]]]}}, test.string = "a\22b\\c\0Ad\C3\A9", test.unit, test.type = !pair, test.function = (tensor<f32>) -> (tensor<f32>, i32), test.neg = -1 : i8, test.float = 0x7F800000 : f32, test.bf = 1.500000e+00 : bf16, test.odd = {"odd name" = false}, test.dense = dense<1> : tensor<2xindex>, test.opaque = #sdy.sharding<@mesh, [{"x", ?}, {}]>, test.symbol = @"odd symbol", test.map = affine_map<(d0, d1) -> (d1, d0)>, test.index = 3 : index, test.enum = #stablehlo<precision HIGH>, test.f64 = 1.000000e-01 : f64} {
  func.func @main(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32, jax.arg_info = "x['a']"}, %arg1: tensor<2xi32>) -> !pair attributes {llvm.linkage = "external"} {
    %0 = stablehlo.tuple %arg0, %arg1 : !pair
    return %0 : tuple<tensor<f32>, tensor<2xi32>>
  }
}
