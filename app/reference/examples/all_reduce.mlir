// title: All-reduce, step by step
// description: Four replicas add up their vectors: in one op, in pairs, by hand around a ring, and with another reduction.
// inputs: each [1, 2, 3, 4] | [10, 20, 30, 40] | [100, 200, 300, 400] | [1000, 2000, 3000, 4000]
module @all_reduce attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  // Four processes run this function, each with its own
  // vector. The tab Grid has a cell for each. Replica 0
  // counts in ones, replica 1 in tens, 2 in hundreds, 3
  // in thousands: every digit of a sum shows which
  // replica contributed it.
  func.func @main(%own: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    // 1. One group of all four. A process waits here for
    // the others; then all of them have the sum, 1111,
    // 2222, … Select %total and then Compare in the
    // grid: it is the same in all.
    %total = "stablehlo.all_reduce"(%own) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %sum = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>

    // 2. Two groups, which the grid shows in two
    // colours. Replicas 0 and 2 get nothing from 1 and
    // 3: one group has 101, the other 1010.
    %pair = "stablehlo.all_reduce"(%own) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %sum = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>

    // 3. The same as 1, by hand: each vector goes around
    // the ring, and each process adds what it receives.
    // Step through the loop round by round, and watch
    // %so_far grow: replica 0 has 1, then 1001, then
    // 1101, then 1111.
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %rounds, %travelling, %by_hand = stablehlo.while(%round = %zero, %here = %own, %so_far = %own) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      cond {
        %go_on = stablehlo.compare LT, %round, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %go_on : tensor<i1>
      } do {
        // Each sends to the next process and receives from
        // the previous one. Play it under Data moving: four
        // vectors move at once.
        %came = "stablehlo.collective_permute"(%here) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
        %more = stablehlo.add %so_far, %came : tensor<4xf32>
        %next = stablehlo.add %round, %one : tensor<i32>
        stablehlo.return %next, %came, %more : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      }

    // 4. The reduction may be any computation of two
    // numbers: here the root of the sum of their squares,
    // the length of a vector that is spread over the
    // replicas. hloscope recognises a sum or a maximum;
    // it runs a reduction like this one op by op, and you
    // can step into it.
    %length = "stablehlo.all_reduce"(%own) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %square_x = stablehlo.multiply %x, %x : tensor<f32>
      %square_y = stablehlo.multiply %y, %y : tensor<f32>
      %both = stablehlo.add %square_x, %square_y : tensor<f32>
      %root = stablehlo.sqrt %both : tensor<f32>
      stablehlo.return %root : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %total, %pair, %by_hand, %length : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
