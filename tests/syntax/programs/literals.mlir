module @literals {
  func.func @main() {
    %0 = stablehlo.constant dense<[[1, -2, 3], [4, 5, 6]]> : tensor<2x3xi32>
    %1 = stablehlo.constant dense<> : tensor<0x3xf32>
    %2 = stablehlo.constant dense<[0x7FC00000, 0xFF800000, 0x7F800000, 1.000000e+00]> : tensor<4xf32>
    %3 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %4 = stablehlo.constant dense<[(1.000000e+00, -2.000000e+00), (0x7FC00000, 0.000000e+00)]> : tensor<2xcomplex<f32>>
    %5 = stablehlo.constant dense<(1.000000e+00, 2.500000e-01)> : tensor<2x2xcomplex<f64>>
    %6 = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
    %7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %8 = stablehlo.constant dense<[1.000000e-01, 0.333333343, 1.234567e+06, 0x4B800001, -0.000000e+00]> : tensor<5xf32>
    %9 = stablehlo.constant dense<[-128, 127]> : tensor<2xi8>
    %10 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %11 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %12 = stablehlo.constant dense<[1.000000e+00, 0x7E]> : tensor<2xf8E4M3FN>
    %13 = stablehlo.constant dense<[1.000000e+00, 9.990230e-01]> : tensor<2xf16>
    %14 = stablehlo.constant dense<[1.000000e+00, 3.140630e+00]> : tensor<2xbf16>
    %15 = stablehlo.constant dense<1> : tensor<5xi32>
    %16 = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101]> : tensor<101xi8>
    %17 = stablehlo.constant dense<[0.10000000000000001, 1.0E-300, 2.000000e+00]> : tensor<3xf64>
    %18 = stablehlo.constant dense<"0x01000101"> : tensor<4xi1>
    return
  }
}
