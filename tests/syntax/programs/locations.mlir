#loc = loc(unknown)
#loc1 = loc("x")
#loc3 = loc("model.py":30:23 to :38)
module @locations {
  func.func public @main(%arg0: tensor<2xf32> loc("x"), %arg1: tensor<2xf32> loc(unknown)) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32> loc(#loc5)
    %1 = stablehlo.negate %0 : tensor<2xf32> loc(callsite("f"("a.py":1:2) at #loc3))
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %2 = stablehlo.reduce(%1 init: %cst) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32> loc("m"), %arg3: tensor<f32> loc(unknown))  {
      %4 = stablehlo.multiply %arg2, %arg3 : tensor<f32> loc(#loc)
      stablehlo.return %4 : tensor<f32> loc(#loc)
    } loc(fused<"meta">["a", #loc3])
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32> loc(fused[#loc1, "b.py":7:8 to :9])
    return %3 : tensor<2xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("model.py":30:23 to 31:26)
#loc4 = loc("step"(#loc2))
#loc5 = loc("jit(f)/add"(#loc4))
