// ----- locations
#loc = loc(unknown)
#loc1 = loc("a.py":1:2)
#loc2 = loc("name"(#loc1))
#loc3 = loc(callsite(#loc1 at #loc2))
#loc4 = loc(fused[#loc1, #loc2])
#loc5 = loc(fused<"meta">[#loc1, "x"])
#loc6 = loc("a.py":1:2 to :5)
#loc7 = loc("a.py":1:2 to 3:5)
module @m {
  func.func @f(%a: tensor<f32> loc("arg")) -> tensor<f32> {
    %0 = stablehlo.add %a, %a : tensor<f32> loc(#loc3)
    %1 = stablehlo.add %0, %a : tensor<f32> loc("b.py":10:2)
    %2 = stablehlo.add %1, %a : tensor<f32> loc(callsite("f" at "g.py":3:4))
    %3 = stablehlo.add %2, %a : tensor<f32> loc(fused["x", "y.py":1:1])
    %4 = stablehlo.add %3, %a : tensor<f32> loc(unknown)
    %5 = stablehlo.add %4, %a : tensor<f32> loc("n"(callsite("a" at "b")))
    return %5 : tensor<f32> loc(#loc7)
  } loc(#loc6)
} loc(#loc)
// ----- locations after
module {
  func.func @f(%a: tensor<f32> loc(#loc1)) -> tensor<f32> {
    return %a : tensor<f32> loc(#loc2)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("a.py":0:0)
#loc2 = loc(fused<{a = 1 : i64}>[#loc1])
// ----- location single fused
func.func @f() {
  return loc(fused["x"]) }
// ----- loc empty fused
func.func @f() {
  return loc(fused[]) }
// ----- loc in block args
func.func @f(%p: tensor<i1>, %x: tensor<2xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32> loc("q"), %b: tensor<f32> loc(unknown)):
    stablehlo.return %a : tensor<f32> loc("ret")
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32> loc("red")
  return }
// ----- undefined loc alias | refused
func.func @f() {
  return loc(#loc9) }
// ----- loc bad | refused
func.func @f() {
  return loc(foo) }
// ----- aliases
#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0)>
!t = tensor<2xf32>
!u = tuple<!t, !t>
#a = array<i64: 1>
#d = dense<1.0> : !t
module attributes {x.y = #a, x.m = #map, x.s = #set} {
  func.func @f(%a: !t) -> !t {
    %0 = stablehlo.constant #d
    %1 = "stablehlo.reverse"(%0) <{dimensions = array<i64: 0>}> : (!t) -> !t
    return %1 : !t
  }
}
// ----- alias dots | refused
#foo.bar = array<i64: 1>
func.func @f() { return }
// ----- alias redefinition | refused
#a = 1 : i32
#a = 2 : i32
func.func @f() { return }
// ----- alias dialect
#dot = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
#prec = #stablehlo<precision DEFAULT>
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %1 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #dot, precision_config = [#prec, #prec]} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}
// ----- nested modules
module @outer {
  module @inner {
    func.func @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
  }
  func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
}
// ----- nested modules same names
module @outer {
  module @inner {
    func.func private @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
    module {
      func.func @x() { return }
    }
  }
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    return %a : tensor<f32> }
}
// ----- nested generic
"builtin.module"() ({
  "builtin.module"() <{sym_name = "inner"}> ({
    "func.func"() <{sym_name = "g", function_type = () -> ()}> ({
      "func.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  "func.func"() <{sym_name = "main", function_type = () -> ()}> ({
      "func.return"() : () -> ()
    }) : () -> ()
}) : () -> ()
// ----- generic old attr dict
"builtin.module"() ({
  "func.func"() ({
    ^bb0(%a: tensor<f32>):
      "func.return"(%a) : (tensor<f32>) -> ()
    }) {sym_name = "main", function_type = (tensor<f32>) -> tensor<f32>, sym_visibility = "private", foo = 1 : i32} : () -> ()
}) {x.y = 1 : i32} : () -> ()
// ----- call nested symbol | refused
module @outer {
  module @inner {
    func.func @g(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
  }
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = func.call @inner::@g(%a) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32> }
}
// ----- calls
module {
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = call @f(%a) : (tensor<f32>) -> tensor<f32>
    %1 = func.call @"<lambda>"(%a) {x = 1 : i32} : (tensor<f32>) -> tensor<f32>
    %2 = "func.call"(%a) {callee = @f} : (tensor<f32>) -> tensor<f32>
    %3 = "func.call"(%a) <{callee = @f, no_inline}> : (tensor<f32>) -> tensor<f32>
    %4:2 = call @two() : () -> (tensor<f32>, tensor<i32>)
    call @none() : () -> ()
    return %1 : tensor<f32>
  }
  func.func private @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
  func.func private @"<lambda>"(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
  func.func private @two() -> (tensor<f32>, tensor<i32>) {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.constant dense<1> : tensor<i32>
    return %0, %1 : tensor<f32>, tensor<i32> }
  func.func nested @none() { func.return }
}
// ----- call no_inline pretty | refused
module {
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = call no_inline @f(%a) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f(%a: tensor<f32>) -> tensor<f32> attributes {no_inline} { return %a : tensor<f32> }
}
// ----- func no_inline keyword? | refused
module {
  func.func no_inline @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
}
// ----- func attrs
func.func public @f(%a: tensor<f32> {tf.aliasing_output = 0 : i32, jax.buffer_donor = true, mhlo.layout_mode = "default"}, %b: tensor<i32>) -> (tensor<f32> {jax.result_info = "result", mhlo.sharding = "{replicated}"}) attributes {llvm.emit_c_interface, tf.entry_function = {control_outputs = "", inputs = "a,b", outputs = "r"}, execution_thread = "main"} {
  return %a : tensor<f32>
}
// ----- results with parens
func.func @f(%a: tensor<f32>) -> (tensor<f32>) { return %a : tensor<f32> }
// ----- results empty parens
func.func @f(%a: tensor<f32>) -> () { return }
// ----- results no parens several | only here: the specification's grammar of functions
func.func @f(%a: tensor<f32>) -> tensor<f32>, tensor<f32> { return %a, %a : tensor<f32>, tensor<f32> }
// ----- declaration with names
func.func private @f(%a: tensor<f32>)
// ----- declaration public | refused
func.func @f(tensor<f32>)
// ----- declaration attributes
func.func private @f(tensor<f32> {a.b = 1 : i32}) -> (tensor<f32> {a.c}) attributes {x.y}
// ----- variadic function | refused
func.func private @f(tensor<f32>, ...)
// ----- block labels | refused
func.func @f(%a: tensor<f32>) -> tensor<f32> {
^bb0:
  return %a : tensor<f32>
}
// ----- block label generic named
func.func @f(%a: tensor<2xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
  ^first(%x: tensor<f32>, %y: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ----- block label in if
func.func @f(%p: tensor<i1>, %z: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
  ^bb0:
    stablehlo.return %z : tensor<f32>
  }, {
  ^bb0():
    stablehlo.return %z : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ----- names
func.func @f(%a.b$c-d: tensor<f32>, %0: tensor<f32>, %_x: tensor<f32>) -> tensor<f32> {
  %1 = stablehlo.add %a.b$c-d, %0 : tensor<f32>
  %x_1 = stablehlo.add %1, %_x : tensor<f32>
  return %x_1 : tensor<f32>
}
// ----- func names | refused
func.func @a.b$c-d() { return }
func.func @"with space"() { return }
func.func @"q\22uote"() { return }
func.func @_x() { return }
// ----- func name digit | refused
func.func @0() { return }
// ----- packs
func.func @f(%p: tensor<i32>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0:3 = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x, %p : tensor<f32>, tensor<f32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<i32>)
  %a, %b, %c = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x, %p : tensor<f32>, tensor<f32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<i32>)
  %d:2, %e = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x, %p : tensor<f32>, tensor<f32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<i32>)
  return %0#1, %d#0 : tensor<f32>, tensor<f32>
}
// ----- pack without index
func.func @f(%p: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %0:2 = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x : tensor<f32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>)
  return %0 : tensor<f32>
}
// ----- pack of one
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0:1 = stablehlo.abs %x : tensor<f32>
  return %0 : tensor<f32>
}
// ----- pack of one index
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.abs %x : tensor<f32>
  return %0#0 : tensor<f32>
}
// ----- unused results unnamed
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  stablehlo.abs %x : tensor<f32>
  "stablehlo.abs"(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}
// ----- use before def | refused
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %1 = stablehlo.abs %0 : tensor<f32>
  %0 = stablehlo.abs %x : tensor<f32>
  return %x : tensor<f32>
}
// ----- redefinition in nested region | refused
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %x = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ----- same name in sibling regions
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %y = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }, {
    %y = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %y : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  %y = stablehlo.constant dense<1.0> : tensor<f32>
  return %0 : tensor<f32>
}
// ----- attributes everywhere | otherwise: the specification's name of i8
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x {mhlo.sharding = "{replicated}", mhlo.frontend_attributes = {_xla_compute_type = "host"}, a = unit, b, c = true, d = -1 : i8, e = 1.5 : bf16, f = [1, "x", @s, @s::@t], g = tensor<f32>, h = {k = 1}, i = array<i1: true, false>, j = array<f32: 1.0, 2.5>, k = dense<[1, 2]> : tensor<2xi32>, l = #stablehlo<precision HIGH>, m = 0x10 : i32, n = 0x7FC00000 : f32, o = index, p = (i32) -> i32, q = "str" : i32, r = 1.0, s = array<i64>, t = loc("x"), u = 3 : index, v = -2 : si8, w = 255 : ui8, "x y" = 1 : i32} : tensor<f32>
  return %0 : tensor<f32>
}
// ----- attr more
func.func @f(%x: tensor<f32>) -> tensor<f32> attributes {a.a = affine_map<(d0, d1)[s0] -> (d0 + s0 floordiv 2, d1 mod 3)>, a.b = strided<[1, ?], offset: 3>, a.c = distinct[0]<1 : i32>, a.d = distinct[1]<>, a.e = vector<2xf32>, a.f = none, a.g = #sdy.sharding<@m, [{"x"}, {}]>, a.h = f80, a.i = i128, a.j = 123456789012345678901234567890 : i128, a.k = array<i8: -1, 0x7F>, a.l = memref<2xf32>} {
  return %x : tensor<f32>
}
// ----- number hex bare | only here: the specification's grammar of floats
func.func @f() attributes {a.a = 0x10, a.b = -5, a.c = 1.0e+5, a.d = 1 : f32} {
  return
}
// ----- float int typed | refused
func.func @f() attributes {a.d = 1.0 : i32} {
  return
}
// ----- attr int out of range | refused
func.func @f() attributes {a.d = 300 : i8} {
  return
}
// ----- attr i1 ints
func.func @f() attributes {a.d = 1 : i1, a.e = 0 : i1, a.f = false} {
  return
}
// ----- attr duplicates | refused
func.func @f() attributes {a.d = 1, a.d = 2} {
  return
}
// ----- comments
// a comment
func.func @f() { // c
  // d
  return // e
}
// end
// ----- strings
func.func @f() attributes {a.a = "\09\0A\\ \" \n\t \E2\82\AC €", a.b = "", a.c = "\FF"} {
  return
}
// ----- module attr
module @jit_f attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, mhlo.cross_program_prefetches = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false, mhlo.input_output_alias = [], mhlo.xla_entry_computation_parameter_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.x = 1} {
  func.func @main() { return }
}
// ----- module quoted name
module @"a b" { }
// ----- empty module
module {}
// ----- two modules
module {}
module {}
// ----- module then func
module {}
func.func @f() { return }
// ----- builtin.module pretty
builtin.module @x { func.func @f() { return } }
// ----- unrealized cast | only MLIR: what a half-done conversion leaves
func.func @f(%a: tensor<2xf32>) -> tensor<?xf32> {
  %0 = builtin.unrealized_conversion_cast %a : tensor<2xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
// ----- ml_program | refused
ml_program.global private mutable @g(dense<0> : tensor<i64>) : tensor<i64>
func.func @f() { return }
// ----- recursion
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ----- std call | refused
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = std.call @main(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ----- return typeless with values | refused
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a
}
// ----- func.return loc
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  func.return %a : tensor<f32> loc("x")
}
// ----- return attr
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  func.return {a.b = 1 : i32} %a : tensor<f32>
}
// ----- func const | only MLIR: functions are no values in StableHLO
func.func @main(%a: tensor<f32>) {
  %f = func.constant @main : (tensor<f32>) -> ()
  return
}
// ----- symbol visibility and uses
module @m attributes {sym_visibility = "public"} { func.func @f() { return } }
