// ----- consts | only here: the specification's grammar of floats
func.func @f() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.constant dense<[0x7F800000, 1.0, -0.0, 1e10, 1.5E-3]> : tensor<5xf32>
  %4 = stablehlo.constant dense<(1.0, -2.5)> : tensor<complex<f32>>
  %5 = stablehlo.constant dense<[(1.0, 2.0), (0x7FC00000, -0.0)]> : tensor<2xcomplex<f32>>
  %6 = stablehlo.constant dense<> : tensor<0xf32>
  %7 = stablehlo.constant dense<> : tensor<2x0x3xi1>
  %8 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %9 = stablehlo.constant dense<"0x0100000002000000"> : tensor<2xi32>
  %10 = stablehlo.constant dense<"0x01000000"> : tensor<7xi32>
  %11 = stablehlo.constant dense<[-1, 255, -128]> : tensor<3xi8>
  %12 = stablehlo.constant dense<[255]> : tensor<1xui8>
  %13 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
  %14 = stablehlo.constant dense<[-2, 1]> : tensor<2xi2>
  %15 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %16 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %17 = stablehlo.constant {foo = 1 : i32} dense<1.0> : tensor<2xf32>
  %18 = stablehlo.constant dense<[0x00, 0x80, 0x7F]> : tensor<3xi8>
  %19 = stablehlo.constant dense<0x1> : tensor<i64>
  return
}
// ----- int as float | only here: the specification's grammar of floats
func.func @f() {
  %0 = stablehlo.constant dense<1> : tensor<f32>
  return
}
// ----- float as int | refused
func.func @f() {
  %0 = stablehlo.constant dense<1.0> : tensor<i32>
  return
}
// ----- bool as int | refused
func.func @f() {
  %0 = stablehlo.constant dense<true> : tensor<i32>
  return
}
// ----- int as bool
func.func @f() {
  %0 = stablehlo.constant dense<[1, 0]> : tensor<2xi1>
  return
}
// ----- minus one bool
func.func @f() {
  %0 = stablehlo.constant dense<-1> : tensor<2xi1>
  return
}
// ----- two bool | refused
func.func @f() {
  %0 = stablehlo.constant dense<2> : tensor<2xi1>
  return
}
// ----- plus sign | only here: the specification's grammar of numbers
func.func @f() {
  %0 = stablehlo.constant dense<+1.0> : tensor<2xf32>
  return
}
// ----- i8 256 | refused
func.func @f() {
  %0 = stablehlo.constant dense<256> : tensor<2xi8>
  return
}
// ----- ui8 -1 | refused
func.func @f() {
  %0 = stablehlo.constant dense<-1> : tensor<2xui8>
  return
}
// ----- i8 -129 | refused
func.func @f() {
  %0 = stablehlo.constant dense<-129> : tensor<2xi8>
  return
}
// ----- ragged | refused
func.func @f() {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi8>
  return
}
// ----- bracket splat of one
func.func @f() {
  %0 = stablehlo.constant dense<[1]> : tensor<1xi8>
  return
}
// ----- bracket scalar | refused
func.func @f() {
  %0 = stablehlo.constant dense<[1]> : tensor<i8>
  return
}
// ----- trailing comma | refused
func.func @f() {
  %0 = stablehlo.constant dense<[1, 2,]> : tensor<2xi8>
  return
}
// ----- wrong count | refused
func.func @f() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi8>
  return
}
// ----- wrong shape same count | refused
func.func @f() {
  %0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<2x2xi8>
  return
}
// ----- hex odd | refused
func.func @f() {
  %0 = stablehlo.constant dense<"0x010"> : tensor<1xi8>
  return
}
// ----- hex no prefix | refused
func.func @f() {
  %0 = stablehlo.constant dense<"0100"> : tensor<2xi8>
  return
}
// ----- hex lower
func.func @f() {
  %0 = stablehlo.constant dense<"0xabcd"> : tensor<2xi8>
  return
}
// ----- hex wrong count | refused
func.func @f() {
  %0 = stablehlo.constant dense<"0x010203"> : tensor<2xi8>
  return
}
// ----- hex bools
func.func @f() {
  %0 = stablehlo.constant dense<"0x010001"> : tensor<3xi1>
  return
}
// ----- hex bools packed old | only here: older spelling
func.func @f() {
  %0 = stablehlo.constant dense<"0x0103"> : tensor<10xi1>
  return
}
// ----- hex bool splat ff
func.func @f() {
  %0 = stablehlo.constant dense<"0xFF"> : tensor<10xi1>
  return
}
// ----- hex i4
func.func @f() {
  %0 = stablehlo.constant dense<"0x0108FF"> : tensor<3xi4>
  return
}
// ----- hex blob float
func.func @f() {
  %0 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  return
}
// ----- hex blob complex
func.func @f() {
  %0 = stablehlo.constant dense<"0x0000803F000000400000803F00000040"> : tensor<2xcomplex<f32>>
  return
}
// ----- int complex | only here: the specification's grammar of floats
func.func @f() {
  %0 = stablehlo.constant dense<(1, 2)> : tensor<complex<f32>>
  return
}
// ----- complex mix | refused
func.func @f() {
  %0 = stablehlo.constant dense<[1.0, (2.0, 1.0)]> : tensor<2xcomplex<f32>>
  return
}
// ----- complex blob el
func.func @f() {
  %0 = stablehlo.constant dense<[[(1.0, 1.0)], [(2.0, 1.0)]]> : tensor<2x1xcomplex<f64>>
  return
}
// ----- bf16 hex 32 | refused
func.func @f() {
  %0 = stablehlo.constant dense<0x3F800000> : tensor<bf16>
  return
}
// ----- f64 hex
func.func @f() {
  %0 = stablehlo.constant dense<[0x7FF0000000000000, 0x3FF0000000000000, 0xFFF8000000000000]> : tensor<3xf64>
  return
}
// ----- small floats
func.func @f() {
  %0 = stablehlo.constant dense<[1.0, 0x7F, -0.5]> : tensor<3xf8E4M3FN>
  %1 = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf4E2M1FN>
  %2 = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf6E3M2FN>
  %3 = stablehlo.constant dense<[1.0, 0xFF]> : tensor<2xf8E8M0FNU>
  return
}
// ----- dense_resource | otherwise: the data stands where it is used
func.func @f() {
  %0 = stablehlo.constant dense_resource<r> : tensor<2xi32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      r: "0x040000000100000002000000"
    }
  }
#-}
// ----- dense_resource missing | otherwise: MLIR renames resources
func.func @f() {
  %0 = stablehlo.constant dense_resource<r> : tensor<2xi32>
  return
}
// ----- dense_resource quoted, several | otherwise: the data stands where it is used
func.func @f() {
  %0 = stablehlo.constant dense_resource<"a b"> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      "a b": "0x040000000000803F00000040",
      torch_tensor_2_torch.float32: "0x040000000000803F00000040"
    }
  }
#-}
// ----- dense_resource bool, wrong size | only MLIR: data of another size than the type
func.func @f() {
  %0 = stablehlo.constant dense_resource<r> : tensor<2xi32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      r: "0x0400000001000000020000"
    }
  }
#-}
// ----- external resources
func.func @f() {
  return
}
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(x)", disable_threading: true, verify_each: false, n: 3
    }
  }
#-}
// ----- dense_resource used twice | otherwise: the data stands where it is used
func.func @f() {
  %0 = stablehlo.constant dense_resource<r> : tensor<2xi32>
  %1 = stablehlo.constant dense_resource<r> : tensor<2xi32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      r: "0x040000000100000002000000"
    }
  }
#-}
// ----- dense string | refused
func.func @f() attributes {x.a = dense<"foo"> : tensor<!tf_type.string>} {
  return
}
// ----- dense vector
func.func @f() attributes {x.a = dense<1> : vector<2xi32>} {
  return
}
// ----- dense quant const
func.func @f() {
  %0 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  return
}
// ----- dense quant const pretty
func.func @f() {
  %0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  return
}
// ----- constant dynamic type | refused
func.func @f() {
  %0 = stablehlo.constant dense<1> : tensor<?xi32>
  return
}
// ----- constant attr | refused
func.func @f() {
  %0 = stablehlo.constant 1 : i32
  return
}
// ----- nan literal | refused
func.func @f() {
  %0 = stablehlo.constant dense<nan> : tensor<f32>
  return
}
// ----- floats forms | only here: the specification's grammar of floats
func.func @f() {
  %0 = stablehlo.constant dense<[1., 1.e5, 1.0e+5, 123456789.123456789, 3.40282347E+38, 1.0E-45, 1e40]> : tensor<7xf32>
  return
}
// ----- e without dot | only here: the specification's grammar of floats
func.func @f() {
  %0 = stablehlo.constant dense<1e5> : tensor<f32>
  return
}
// ----- neg hex int
func.func @f() {
  %0 = stablehlo.constant dense<[-0x1]> : tensor<1xi32>
  return
}
// ----- neg hex float | refused
func.func @f() {
  %0 = stablehlo.constant dense<[-0x1]> : tensor<1xf32>
  return
}
// ----- upper hex prefix | refused
func.func @f() {
  %0 = stablehlo.constant dense<[0X1]> : tensor<1xi32>
  return
}
