// expect: 4:3 parse "unknown op 'vhlo.func_v1'"
// hint: this is VHLO, the form in which StableHLO is stored
module {
  "vhlo.func_v1"() <{sym_name = #vhlo.string_v1<"main">}> ({
    %0 = "vhlo.constant_v1"() : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    "vhlo.return_v1"(%0) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()
  }) : () -> ()
}
