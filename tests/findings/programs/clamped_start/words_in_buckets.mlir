// title: Embeddings of words by a hash, two rows for each bucket
// fault: there are 63 buckets instead of 31: the rows of bucket 48 begin at 96, in a table of 64
// inputs: iota; [104, 101, 108, 108, 111, 119, 111, 114, 108, 100]
func.func @main(%table: tensor<64xf32>, %letters: tensor<10xi32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %count = stablehlo.constant dense<10> : tensor<i32>
  %factor = stablehlo.constant dense<31> : tensor<i32>
  %buckets = stablehlo.constant dense<63> : tensor<i32> // faulty
  %buckets = stablehlo.constant dense<31> : tensor<i32> // sound
  // The hash is 33 bits long and wraps around, as it may.
  %end, %hash = stablehlo.while(%k = %zero, %h = %zero) : tensor<i32>, tensor<i32>
    cond {
      %more = stablehlo.compare LT, %k, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %part = stablehlo.dynamic_slice %letters, %k, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
      %letter = stablehlo.reshape %part : (tensor<1xi32>) -> tensor<i32>
      %multiplied = stablehlo.multiply %h, %factor : tensor<i32>
      %added = stablehlo.add %multiplied, %letter : tensor<i32>
      %next = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %next, %added : tensor<i32>, tensor<i32>
    }
  %rest = stablehlo.remainder %hash, %buckets : tensor<i32>
  %bucket = stablehlo.abs %rest : tensor<i32>
  %row = stablehlo.multiply %bucket, %two : tensor<i32>
  %rows = stablehlo.dynamic_slice %table, %row, sizes = [2] : (tensor<64xf32>, tensor<i32>) -> tensor<2xf32> // FAULT
  return %rows : tensor<2xf32>
}
