// ----- mesh forms
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @m2 = <["a"=2], device_ids=[1, 0]>
  sdy.mesh @maximal = #sdy.mesh<[], device_ids=[0]>
  sdy.mesh @e = <[]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}) {
    return %a : tensor<8x16xf32>
  }
}
// ----- reduce_scatter
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %6 = sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    return %a : tensor<8x16xf32>
  }
}
// ----- constant
module {
  func.func public @main() -> tensor<8x16xf32> {
    %0 = sdy.constant dense<1.0> : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----- manual no results
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%x: tensor<4x16xf32>) {
      sdy.return %x : tensor<4x16xf32>
    } {a.b = 1 : i32} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "sdy.sharding_group"(%a) <{group_id = 3 : i64}> : (tensor<8x16xf32>) -> ()
    return %0 : tensor<8x16xf32>
  }
}
// ----- unreduced
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}p1, {}]>}) -> tensor<8x16xf32> {
    return %a : tensor<8x16xf32>
  }
}
// ----- call indirect | only MLIR: functions are no values in StableHLO
func.func @main(%a: tensor<f32>) {
  %f = func.constant @main : (tensor<f32>) -> ()
  func.call_indirect %f(%a) : (tensor<f32>) -> ()
  return
}
// ----- cast | only MLIR: what a half-done conversion leaves
func.func @f(%a: tensor<2xf32>) -> tensor<?xf32> {
  %0 = builtin.unrealized_conversion_cast %a : tensor<2xf32> to tensor<?xf32>
  %1:2 = builtin.unrealized_conversion_cast %a, %a : tensor<2xf32>, tensor<2xf32> to tensor<?xf32>, tensor<2xf32> {a.b = 1 : i32}
  %2 = "builtin.unrealized_conversion_cast"(%a) : (tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// ----- all
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    sdy.sharding_group %a group_id=3 {a.b} : tensor<8x16xf32>
    %0 = sdy.reshard %a <@mesh, [{"x"}, {}]> {a.b} : tensor<8x16xf32>
    %1 = sdy.all_gather [{"x"}, {}] %0 out_sharding=<@mesh, [{}, {}]> {a.b} : tensor<8x16xf32>
    %3 = sdy.all_slice [{"x"}, {}] %1 out_sharding = <@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %4 = sdy.all_reduce {"y"} %3 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>
    %5 = sdy.all_to_all [{"x"}: 0->1] %4 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %6 = sdy.collective_permute %5 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>
    %7 = sdy.reduce_scatter [{"y"}, {}] %6 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x16xf32>
    %2 = sdy.propagation_barrier %a allowed_direction=NONE {a.b} : tensor<8x16xf32>
    %8 = sdy.propagation_barrier %a allowed_direction=BACKWARD : tensor<8x16xf32>
    %9 = "sdy.propagation_barrier"(%a) <{allowed_direction = 1 : i32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----- edge
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = sdy.data_flow_edge %a sharding=<@mesh, [{"x"}, {}]> {a.b} : tensor<8x16xf32>
    %1 = sdy.data_flow_edge %b {a.b} : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
