// ----- all tensor types
func.func private @f(tensor<i1>, tensor<2xi2>, tensor<2xi4>, tensor<i8>, tensor<i16>, tensor<i32>, tensor<i64>, tensor<ui2>, tensor<ui4>, tensor<ui8>, tensor<ui16>, tensor<ui32>, tensor<ui64>, tensor<f16>, tensor<bf16>, tensor<f32>, tensor<f64>, tensor<tf32>, tensor<f4E2M1FN>, tensor<f6E2M3FN>, tensor<f6E3M2FN>, tensor<f8E3M4>, tensor<f8E4M3>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3FN>, tensor<f8E4M3FNUZ>, tensor<f8E5M2>, tensor<f8E5M2FNUZ>, tensor<f8E8M0FNU>, tensor<complex<f32>>, tensor<complex<f64>>, tensor<index>, tensor<0x3xf32>, tensor<?x2xf32>)
// ----- token tuple
func.func private @f(!stablehlo.token, tuple<tensor<i32>, tuple<tensor<f32>>>, tuple<>) -> tuple<!stablehlo.token>
// ----- unranked
func.func private @f(tensor<*xf32>, tensor<*xi1>)
// ----- si8 | otherwise: the specification's name of i8
func.func @f(%a: tensor<2xsi8>) -> tensor<2xsi8> {
  return %a : tensor<2xsi8> }
// ----- bounds
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  return %a : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
// ----- type_extensions
func.func @f(%a: tensor<?x3xf32, #stablehlo.type_extensions<bounds = [4, ?]>>) {
  return
}
// ----- bounds all static
func.func @f(%a: tensor<2x3xf32, #stablehlo.bounds<?, ?>>) {
  return
}
// ----- bounds rank mismatch | refused
func.func @f(%a: tensor<?x3xf32, #stablehlo.bounds<4>>) {
  return
}
// ----- bounds on static | refused
func.func @f(%a: tensor<2x3xf32, #stablehlo.bounds<4, ?>>) {
  return
}
// ----- mhlo bounds | otherwise: bounds of the dialect mhlo, which are read as those that StableHLO has
func.func @f(%a: tensor<?x3xf32, #mhlo.type_extensions<bounds = [4, ?]>>) {
  return
}
// ----- encoding
func.func @f(%a: tensor<2x3xf32, "enc">, %b: tensor<2xf32, 1 : i64>, %c: tensor<2xf32, #sdy.mesh<["x"=2]>>, %d: tensor<2xi8, {a = 1}>) {
  return
}
// ----- quant per tensor
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2x!quant.uniform<i8:f32, 0.5:-3>>, %c: tensor<2x!quant.uniform<u8:f32, 1.0:128>>, %d: tensor<2x!quant.uniform<i8<-127:127>:f32, 3.4e-02>>) {
  return
}
// ----- quant per axis
func.func @f(%a: tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 1.0:-2}>>, %b: tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 1.0}>>, %c: tensor<2x!quant.uniform<i32:f32:0, {0.5:0, 1.0:0}>>) {
  return
}
// ----- quant sub channel
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:2, 1:1}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- quant sub channel zp
func.func @f(%a: tensor<4x2x!quant.uniform<i8<-127:127>:f32:{0:2, 1:1}, {{0.5:1, 1.0:-2}, {2.0, 3.0:4}}>>) {
  return
}
// ----- quant sub channel 3d
func.func @f(%a: tensor<4x2x2x!quant.uniform<i8:f32:{0:2, 1:1, 2:1}, {{{0.5, 1.0},{1.0, 2.0}}, {{2.0, 3.0},{3.0, 4.0}}}>>) {
  return
}
// ----- quant sub channel empty
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{}, {0.5}>>) {
  return
}
// ----- quant sub channel bad counts | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:2}, {{0.5, 1.0}, {2.0}}>>) {
  return
}
// ----- quant sub channel 1d
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:2}, {0.5, 1.0}>>) {
  return
}
// ----- quant expressed others
func.func @f(%a: tensor<2x!quant.uniform<i8:f16, 0.5>>, %b: tensor<2x!quant.uniform<i4:bf16, 0.5>>, %c: tensor<2x!quant.uniform<u16:f64, 0.25>>, %d: tensor<2x!quant.uniform<i2:f32, 0.25>>) {
  return
}
// ----- quant ui8 spelled | otherwise: another spelling of u8
func.func @f(%a: tensor<2x!quant.uniform<ui8:f32, 0.5>>) {
  return
}
// ----- quant negative scale | refused
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, -0.5>>) {
  return
}
// ----- quant zero scale | refused
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 0.0>>) {
  return
}
// ----- quant int scale | only here: the specification's grammar of floats
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 1>>) {
  return
}
// ----- quant bad range | refused
func.func @f(%a: tensor<2x!quant.uniform<i8<-129:127>:f32, 1.0>>) {
  return
}
// ----- quant reversed range | refused
func.func @f(%a: tensor<2x!quant.uniform<i8<100:27>:f32, 1.0>>) {
  return
}
// ----- quant zp out of range | only MLIR: C7 of quantized types, which its ops ask for
func.func @f(%a: tensor<2x!quant.uniform<i8:f32, 1.0:300>>) {
  return
}
// ----- quant expressed int | refused
func.func @f(%a: tensor<2x!quant.uniform<i8:i32, 1.0>>) {
  return
}
// ----- quant scalar storages
func.func @f(%a: tensor<2x!quant.uniform<i16:f32, 1.0>>, %b: tensor<2x!quant.uniform<i32:f32, 1.0>>, %c : !quant.uniform<i8:f32, 1.0>) {
  return
}
// ----- quant odd storage i7 | only MLIR: no type of the specification
func.func @f(%a: tensor<2x!quant.uniform<i7:f32, 1.0>>) {
  return
}
// ----- quant any | only MLIR: no type of the specification
func.func @f(%a: tensor<2x!quant.any<i8:f32>>, %b: tensor<2x!quant.any<i8>>, %c: tensor<2x!quant.any<i8<-8:7>>>) {
  return
}
// ----- quant calibrated | only MLIR: no type of the specification
func.func @f(%a: tensor<2x!quant.calibrated<f32<-0.998:1.2321>>>) {
  return
}
// ----- quant alias
!q = !quant.uniform<i8:f32, 0.5>
!t = tensor<2x!q>
func.func @f(%a: tensor<2x!q>, %b: !t) -> !t {
  return %b : !t
}
// ----- whitespace in quant
func.func @f(%a: tensor<2x!quant.uniform<i8 : f32 , 0.5 : 3>>, %b: tensor<2x!quant.uniform<i8<-127 : 127> : f32 : 0, { 0.5, 1.0 : 3 }>>) {
  return
}
// ----- space in shapes
func.func @f(%a: tensor<2 x 3 x f32>) {
  return
}
// ----- memref vector
func.func private @f(memref<2x3xf32>, memref<?xf32, 1>, vector<4xf32>, vector<[4]xf32>, vector<2x[4]x3xi8>, memref<*xf32>, memref<2xf32, strided<[1], offset: 0>>, index, none, f80, f128, i24, si7)
// ----- function type as argument
func.func private @f((tensor<i32>) -> tensor<f32>, () -> ()) -> ((i32) -> i32)
// ----- future
func.func private @f(!stablehlo.future<tensor<2xf32>, tensor<i32>>)
// ----- complex ints | only MLIR: no type of the specification
func.func private @f(tensor<complex<i32>>)
// ----- complex scalar types | only MLIR: no type of the specification
func.func private @f(complex<f32>, complex<bf16>)
// ----- vhlo types
func.func private @f(!vhlo.i32_v1)
// ----- unregistered types | only here: dialects that MLIR has not loaded here
func.func private @f(!foo.bar<x>, !tf_type.string)
// ----- tensor of token | only MLIR: no type of the specification
func.func private @f(tensor<2x!stablehlo.token>)
// ----- tensor of opaque | refused
func.func private @f(tensor<2x!tf_type.string>)
// ----- tensor of tensor | refused
func.func private @f(tensor<2xtensor<2xf32>>)
// ----- huge dims
func.func private @f(tensor<9223372036854775807xf32>)
// ----- too huge | refused
func.func private @f(tensor<9223372036854775808xf32>)
// ----- leading zeros
func.func private @f(tensor<02xf32>)
// ----- hex dims
func.func private @f(tensor<0x2xf32>)
// ----- no x | refused
func.func private @f(tensor<2f32>)
// ----- i huge | refused
func.func private @f(i16777216)
// ----- f16 misspelt | refused
func.func private @f(tensor<2xfloat32>)
// ----- unranked quant
func.func private @f(tensor<*x!quant.uniform<i8:f32, 1.0>>)
// ----- pa mismatch sizes | only MLIR: C13 of quantized types
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {
  return
}
// ----- pa axis out | only MLIR: C12 of quantized types
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:5, {0.5, 1.0}>>) {
  return
}
// ----- pa axis out op | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:5, {0.5, 1.0}>>) {
  %0 = stablehlo.add %a, %a : tensor<4x2x!quant.uniform<i8:f32:5, {0.5, 1.0}>>
  return
}
// ----- pa neg axis | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:-1, {0.5, 1.0}>>) {
  return
}
// ----- braces without axis | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32, {0.5, 1.0}>>) {
  return
}
// ----- axis without braces | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:0, 0.5>>) {
  return
}
// ----- sub axis out
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{7:2, 1:1}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- sub wrong blocks
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:3, 1:1}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- sub dup
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:2, 0:1}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- sub zero | refused
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{0:0, 1:1}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- sub order
func.func @f(%a: tensor<4x2x!quant.uniform<i8:f32:{1:1, 0:2}, {{0.5, 1.0}, {2.0, 3.0}}>>) {
  return
}
// ----- infinite scale | refused
func.func @f(%a: tensor<2x!quant.uniform<i8:f16, 1.0e10>>) {
  return
}
// ----- zp | refused
func.func @f(%a: tensor<2x!quant.uniform<i8:f16, 1.0:9999999999999999999>>) {
  return
}
// ----- default range stated
func.func @f(%a: tensor<2x!quant.uniform<i8<-128:127>:f32, 1.0>>, %b: tensor<2x!quant.uniform<u8<0:255>:f32, 1.0>>) {
  return
}
// ----- low only
func.func @f(%a: tensor<2x!quant.uniform<i8<-128:126>:f32, 1.0:0>>) {
  return
}
// ----- equal range | refused
func.func @f(%a: tensor<2x!quant.uniform<i8<3:3>:f32, 1.0:3>>) {
  return
}
// ----- storage i64 | refused
func.func @f(%a: tensor<2x!quant.uniform<i64:f32, 1.0>>) {
  return
}
// ----- storage u32
func.func @f(%a: tensor<2x!quant.uniform<u32:f32, 1.0>>) {
  return
}
// ----- expressed f8
func.func @f(%a: tensor<2x!quant.uniform<i8:f8E4M3FN, 1.0>>) {
  return
}
// ----- empty scales | refused
func.func @f(%a: tensor<0x!quant.uniform<i8:f32:0, {}>>) {
  return
}
