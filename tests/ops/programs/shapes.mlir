module {
  func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<3xf32>, %arg2: index, %arg3: i32, %arg4: i1, %arg5: tensor<2xindex>, %arg6: tensor<2xi1>, %arg7: !shape.shape, %arg8: !shape.size) {
    %0 = shape.shape_of %arg0 : tensor<?x3xf32> -> tensor<2xindex>
    %1 = shape.shape_of %arg1 : tensor<3xf32> -> tensor<1xindex>
    %2 = shape.shape_of %arg1 : tensor<3xf32> -> !shape.shape
    %3 = shape.num_elements %0 : tensor<2xindex> -> index
    %4 = shape.num_elements %arg7 : !shape.shape -> !shape.size
    %5 = shape.dim %arg0, %arg2 : tensor<?x3xf32>, index -> index
    %6 = shape.get_extent %0, %arg2 : tensor<2xindex>, index -> index
    %7 = shape.const_shape [1, 2] : tensor<2xindex>
    %8 = shape.const_shape [] : !shape.shape
    %c3 = shape.const_size 3
    %9 = shape.from_extents %arg2, %arg8 : index, !shape.size
    %10 = shape.to_extent_tensor %arg7 : !shape.shape -> tensor<?xindex>
    %11 = shape.broadcast %0, %1 : tensor<2xindex>, tensor<1xindex> -> tensor<2xindex>
    %12 = shape.broadcast %0, %arg7 : tensor<2xindex>, !shape.shape -> !shape.shape
    %13 = shape.concat %0, %1 : tensor<2xindex>, tensor<1xindex> -> tensor<3xindex>
    %14 = shape.index_to_size %arg2
    %15 = shape.size_to_index %arg8 : !shape.size
    %16 = shape.cstr_broadcastable %0, %1 : tensor<2xindex>, tensor<1xindex>
    %17 = shape.assuming %16 -> (index) {
      %34 = shape.num_elements %11 : tensor<2xindex> -> index
      shape.assuming_yield %34 : index
    }
    %18:2 = shape.assuming %16 -> (index, tensor<3xf32>) {
      shape.assuming_yield %17, %arg1 : index, tensor<3xf32>
    }
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c-1_i32 = arith.constant -1 : i32
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant dense<[1, 2]> : tensor<2xindex>
    %c7 = arith.constant {foo} 7 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x3xf32>
    %rank = tensor.rank %arg0 : tensor<?x3xf32>
    %from_elements = tensor.from_elements %dim, %c7 : tensor<2xindex>
    %from_elements_1 = tensor.from_elements %dim : tensor<index>
    %extracted = tensor.extract %0[%c0] : tensor<2xindex>
    %extracted_2 = tensor.extract %from_elements_1[] : tensor<index>
    %cast = tensor.cast %arg0 : tensor<?x3xf32> to tensor<2x3xf32>
    %19 = tensor.empty(%dim) : tensor<?x3xf32>
    %20 = tensor.empty() : tensor<2xf32>
    %21 = arith.index_cast %dim : index to i32
    %22 = arith.addi %dim, %c7 : index
    %23 = arith.subi %21, %arg3 overflow<nsw> : i32
    %24 = arith.muli %arg5, %cst_0 overflow<nsw, nuw> {foo} : tensor<2xindex>
    %25 = arith.divsi %dim, %c7 : index
    %26 = arith.cmpi slt, %dim, %c7 : index
    %27 = arith.cmpi uge, %arg5, %cst_0 : tensor<2xindex>
    %28 = arith.select %26, %dim, %c7 : index
    %29 = arith.select %26, %arg5, %cst_0 : tensor<2xindex>
    %30 = arith.select %27, %arg5, %cst_0 : tensor<2xi1>, tensor<2xindex>
    %31 = arith.maxsi %dim, %c7 : index
    %32 = arith.minsi %dim, %c7 : index
    %33 = arith.remsi %dim, %c7 : index
    return
  }
}
