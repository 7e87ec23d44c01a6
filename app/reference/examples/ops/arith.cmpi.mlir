// title: arith.cmpi
// description: As signed integers, -1 is less than 1; as unsigned integers, it is the largest number.
func.func @main() -> (tensor<1xi1>, tensor<1xi1>) {
  %lhs = arith.constant -1 : i32
  %rhs = arith.constant 1 : i32
  %signed = arith.cmpi slt, %lhs, %rhs : i32
  %unsigned = arith.cmpi ult, %lhs, %rhs : i32
  %signed_tensor = tensor.from_elements %signed : tensor<1xi1>
  %unsigned_tensor = tensor.from_elements %unsigned : tensor<1xi1>
  check.expect_eq_const %signed_tensor, dense<[true]> : tensor<1xi1>
  check.expect_eq_const %unsigned_tensor, dense<[false]> : tensor<1xi1>
  return %signed_tensor, %unsigned_tensor : tensor<1xi1>, tensor<1xi1>
}
