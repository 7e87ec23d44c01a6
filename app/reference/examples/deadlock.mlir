// title: A deadlock to find
// description: Four processes learn one number together, and then wait for each other forever. One line is the cause: which?
// inputs: each [2, 3] | [3, 2] | [1, 1] | [2, -3]; each [4, 6] | [6, 4] | [2, 2] | [4, -6]
module @training attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  // Each process has its own two examples (x, y). All of
  // them search for the weight w with w * x = y: it is 2.
  // They average their gradients, so that every process
  // takes the same step from the same weight, and the
  // weights never differ.
  //
  // The run stops: three processes are at one op and one
  // is at another. Before you read the solution in the
  // last lines:
  // - Which process is not at the same op as the others,
  //   and what does it wait for?
  // - After which round did it leave them? The timeline
  //   has a row for each process.
  // - Was every value the same in all of them? Go back
  //   one round, step through it, and select
  //   Compare.
  func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<f32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rate = stablehlo.constant dense<0.01> : tensor<f32>
    %tolerance = stablehlo.constant dense<0.01> : tensor<f32>
    %huge = stablehlo.constant dense<1.0e+30> : tensor<f32>

    %weight, %rounds, %last = stablehlo.while(%w = %zero, %round = %none, %error = %huge) : tensor<f32>, tensor<i32>, tensor<f32>
      cond {
        // Has the error fallen below the tolerance?
        %go_on = stablehlo.compare GT, %error, %tolerance, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %go_on : tensor<i1>
      } do {
        %spread = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %guess = stablehlo.multiply %spread, %x : tensor<2xf32>
        %off = stablehlo.subtract %guess, %y : tensor<2xf32>
        %squares = stablehlo.multiply %off, %off : tensor<2xf32>
        %loss = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
        %slopes = stablehlo.multiply %off, %x : tensor<2xf32>
        %slope = stablehlo.reduce(%slopes init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>

        // The gradients of all four, on channel 1.
        %slope_of_all = "stablehlo.all_reduce"(%slope) <{
          replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
        }> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %sum = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %sum : tensor<f32>
        }) : (tensor<f32>) -> tensor<f32>

        %step = stablehlo.multiply %slope_of_all, %rate : tensor<f32>
        %better = stablehlo.subtract %w, %step : tensor<f32>
        %next = stablehlo.add %round, %one : tensor<i32>
        stablehlo.return %better, %next, %loss : tensor<f32>, tensor<i32>, tensor<f32>
      }

    // The total number of rounds of all four processes,
    // on channel 2.
    %work = "stablehlo.all_reduce"(%rounds) <{
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids
    }> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %sum = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %weight, %work : tensor<f32>, tensor<i32>
  }
}

// The solution. Process 2 waits at the end for the others
// to add up their rounds; they wait for it in the loop to
// average one more gradient. Its own loss was small
// enough two rounds before theirs, because its examples
// are small: %loss differs between the processes, and it
// decides whether the loop continues. A loop with a
// collective needs a condition that is the same in all
// processes, such as the sum of gradients. To fix it,
// replace the last line of the loop's body by these two
// lines:
//
//         %steepness = stablehlo.abs %slope_of_all : tensor<f32>
//         stablehlo.return %better, %next, %steepness : tensor<f32>, tensor<i32>, tensor<f32>
