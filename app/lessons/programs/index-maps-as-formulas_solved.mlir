// A slice whose map is (d0, d1) -> (d0 + 2, d1 * 3 +
// 1).
func.func @main(%x: tensor<4x6xi32>) -> tensor<2x2xi32> {
  %part = stablehlo.slice %x [2:4:1, 1:6:3] : (tensor<4x6xi32>) -> tensor<2x2xi32>
  return %part : tensor<2x2xi32>
}
