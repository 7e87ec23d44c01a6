// title: All-to-all as a transpose
// description: Four processes hold the rows of a matrix. All-to-all exchanges its blocks, so that each process then holds columns.
// inputs: iota
module @transpose attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  // The whole matrix is 8 by 8, the numbers 0 to 63; its
  // sharding cuts it into four strips, and each process
  // has two of its rows. Select %rows and open Assembled
  // in the grid: process 0 has the numbers up to 15,
  // process 3 those from 48.
  func.func @main(%rows: tensor<2x8xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) -> (tensor<2x8xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) {
    // Process i cuts its strip into four blocks of two
    // columns and sends block j to process j. Play it
    // under Data moving, and follow one block: block j
    // of process i becomes block i of process j, and the
    // blocks on the diagonal do not move. That
    // is a transpose, of a 4 by 4 matrix of blocks.
    %columns = "stablehlo.all_to_all"(%rows) <{
      split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
    }> {mhlo.sharding = "{devices=[1,4]<=[4]}"} : (tensor<2x8xf32>) -> tensor<8x2xf32>
    // Each process now has two whole columns; assembled,
    // %columns is the same matrix, cut the other way. A
    // computation on whole columns, such as the second
    // half of a two-dimensional Fourier transform, needs
    // no further communication. Process 0 has the columns
    // 0, 8, 16, … and 1, 9, 17, …

    // Each block itself is not transposed yet. That needs
    // no communication.
    %transposed = stablehlo.transpose %columns, dims = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
    // Joined, the strips of %transposed are the
    // transposed matrix: its first row is the first
    // column of the matrix above.
    return %transposed : tensor<2x8xf32>
  }
}
