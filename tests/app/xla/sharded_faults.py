"""Programs on several devices that XLA gets wrong, each with inputs that show it."""

from __future__ import annotations

import numpy as np

UPDATE = (
    """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %u: tensor<2x1xi32>, %at: tensor<i32>)
      -> (tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r = stablehlo.dynamic_update_slice %x, %u, %zero, %at
      : (tensor<2x2xi32>, tensor<2x1xi32>, tensor<i32>, tensor<i32>) -> tensor<2x2xi32>
    return %r : tensor<2x2xi32>
  }
}""",
    [np.arange(4, dtype=np.int32).reshape(2, 2), np.full((2, 1), 99, np.int32), np.int32(2)],
)
"""openxla/xla#49118: the partitioner looks for the owner of the update by the start before it is clamped."""
SLICE = (
    """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<2x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %at: tensor<i32>)
      -> (tensor<2x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r = stablehlo.dynamic_slice %x, %zero, %at, sizes = [2, 6]
      : (tensor<2x8xi32>, tensor<i32>, tensor<i32>) -> tensor<2x6xi32>
    return %r : tensor<2x6xi32>
  }
}""",
    [np.arange(16, dtype=np.int32).reshape(2, 8), np.int32(7)],
)
"""openxla/xla#49122: algsimp merges two slices, and adds their starts before they are clamped."""
SHARED_PAD = (
    """module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["d"=4]>
  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>})
      -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}]>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %x, %zero, low = [-3], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.pad %x, %zero, low = [0], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %3 = stablehlo.pad %x, %zero, low = [-1], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
    %4 = stablehlo.pad %x, %zero, low = [0], high = [-3], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
    %6 = stablehlo.add %2, %5 : tensor<4xf32>
    return %6 : tensor<4xf32>
  }
}""",
    [np.arange(4, dtype=np.float32)],
)
"""jax-ml/jax#39301: the partitioner makes a malformed concatenate."""
DILATED_PAD = (
    """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.pad %x, %zero, low = [-1], high = [2], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
    return %r : tensor<16xf32>
  }
}""",
    [np.arange(8, dtype=np.float32)],
)
"""The partitioner aborts over a negative edge beside interior padding."""
