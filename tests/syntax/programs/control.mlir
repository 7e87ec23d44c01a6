module @control {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<4x6xf32>, %arg2: tensor<i1>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<4x6xf32>
    cond {
      %5 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = func.call @increment(%iterArg) : (tensor<i32>) -> tensor<i32>
      %6:2 = stablehlo.while(%iterArg_2 = %5, %iterArg_3 = %iterArg_1) : tensor<i32>, tensor<4x6xf32> attributes {mhlo.inner}
      cond {
        stablehlo.return %arg2 : tensor<i1>
      } do {
        stablehlo.return %iterArg_2, %iterArg_3 : tensor<i32>, tensor<4x6xf32>
      }
      stablehlo.return %6#0, %6#1 : tensor<i32>, tensor<4x6xf32>
    }
    %1 = stablehlo.reduce(%0#1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.iota dim = 0 : tensor<4x6xi32>
    %3:2 = stablehlo.reduce(%0#1 init: %cst), (%2 init: %c_0) across dimensions = [0] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
     reducer(%arg3: tensor<f32>, %arg5: tensor<f32>) (%arg4: tensor<i32>, %arg6: tensor<i32>)  {
      %5 = stablehlo.compare GT, %arg3, %arg5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.select %5, %arg3, %arg5 : tensor<i1>, tensor<f32>
      %7 = stablehlo.select %5, %arg4, %arg6 : tensor<i1>, tensor<i32>
      stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
    }
    %4 = "stablehlo.if"(%arg2) ({
      stablehlo.return %1 : tensor<6xf32>
    }, {
      %5 = stablehlo.reduce(%0#1 init: %cst) across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
       reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {
        %6 = stablehlo.subtract %arg3, %arg4 : tensor<f32>
        stablehlo.return %6 : tensor<f32>
      }
      stablehlo.return %5 : tensor<6xf32>
    }) : (tensor<i1>) -> tensor<6xf32>
    return %4 : tensor<6xf32>
  }
  func.func private @increment(%arg0: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    return %0 : tensor<i32>
  }
}
