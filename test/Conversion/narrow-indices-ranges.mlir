// RUN: nacho-opt %s -split-input-file -nacho-narrow-indices -canonicalize | FileCheck %s

// A function that only others call gets numbers which these know: extents here, and what was
// loaded there. Nobody knows what a function gets that is called by one which is not public.

// CHECK-LABEL: gpu.func @known(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : i32
// CHECK-LABEL: gpu.func @loaded(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : index
// CHECK-LABEL: gpu.func @negative_inner(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : index
module attributes {gpu.container_module} {
  func.func private @negative_called_inside(%n: index, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@negative_inner blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%n : index, %out : memref<?xindex>)
    return
  }
  func.func private @called(%n: index, %m: index, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@known blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%n : index, %out : memref<?xindex>)
    gpu.launch_func @kernels::@loaded blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%m : index, %out : memref<?xindex>)
    call @negative_called_inside(%m, %out) : (index, memref<?xindex>) -> ()
    return
  }
  func.func @call(%n: index, %m: index, %out: memref<?xindex>, %sizes: memref<?xindex>) {
    %c0 = arith.constant 0 : index
    %size = memref.load %sizes[%c0] : memref<?xindex>
    call @called(%n, %m, %out) : (index, index, memref<?xindex>) -> ()
    call @called(%m, %size, %out) : (index, index, memref<?xindex>) -> ()
    return
  }
  gpu.module @kernels {
    gpu.func @known(%n: index, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %sum = arith.addi %n, %c7 : index
      memref.store %sum, %out[%c0] : memref<?xindex>
      gpu.return
    }
    gpu.func @loaded(%n: index, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %sum = arith.addi %n, %c7 : index
      memref.store %sum, %out[%c0] : memref<?xindex>
      gpu.return
    }
    gpu.func @negative_inner(%n: index, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %sum = arith.addi %n, %c7 : index
      memref.store %sum, %out[%c0] : memref<?xindex>
      gpu.return
    }
  }
}

// -----

// What is left of a number is no larger than it, though nothing is known of what is taken
// away. A difference may be anything.

// CHECK-LABEL: gpu.func @rest(
// CHECK:         %[[LARGER:.+]] = arith.maxui %{{.+}}, %{{.+}} : index
// CHECK:         %[[REST:.+]] = arith.subi %[[LARGER]], %{{.+}} : index
// CHECK:         %[[SHORT:.+]] = arith.index_cast %[[REST]] : index to i32
// CHECK:         arith.addi %[[SHORT]], %{{.+}} : i32
// CHECK:         %[[LESS:.+]] = arith.minui %{{.+}}, %{{.+}} : index
// CHECK:         %[[LEFT:.+]] = arith.subi %{{.+}}, %{{.+}} : i32
// CHECK:         arith.addi %[[LEFT]], %{{.+}} : i32
// CHECK-LABEL: gpu.func @negative_rest(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : index
module attributes {gpu.container_module} {
  func.func @call(%n: index, %costs: memref<?xindex>, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@rest blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%n : index, %costs : memref<?xindex>, %out : memref<?xindex>)
    gpu.launch_func @kernels::@negative_rest blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1)
        args(%n : index, %costs : memref<?xindex>, %out : memref<?xindex>)
    return
  }
  gpu.module @kernels {
    gpu.func @rest(%n: index, %costs: memref<?xindex>, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c7 = arith.constant 7 : index
      %cost = memref.load %costs[%c0] : memref<?xindex>
      %larger = arith.maxui %n, %cost : index
      %rest = arith.subi %larger, %cost : index
      %more = arith.addi %rest, %c7 : index
      memref.store %more, %out[%c0] : memref<?xindex>
      %less = arith.minui %n, %cost : index
      %left = arith.subi %n, %less : index
      %other = arith.addi %left, %c7 : index
      memref.store %other, %out[%c1] : memref<?xindex>
      gpu.return
    }
    gpu.func @negative_rest(%n: index, %costs: memref<?xindex>, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %cost = memref.load %costs[%c0] : memref<?xindex>
      %larger = arith.maxui %n, %cost : index
      %difference = arith.subi %larger, %n : index
      %more = arith.addi %difference, %c7 : index
      memref.store %more, %out[%c0] : memref<?xindex>
      gpu.return
    }
  }
}

// -----

// Numbers with few bits, or of which few are set, are extended to 32 bits alone; not so
// others.

// CHECK-LABEL: gpu.func @extended(
// CHECK:         %[[WORD:.+]] = memref.load %{{.+}} : memref<?xi16>
// CHECK:         %[[PLACE:.+]] = arith.extui %[[WORD]] : i16 to i32
// CHECK:         %[[AT:.+]] = arith.index_cast %[[PLACE]] : i32 to index
// CHECK:         %[[BOTH:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xi32>
// CHECK:         %[[LOW:.+]] = arith.andi %[[BOTH]], %{{.+}} : i32
// CHECK-NEXT:    arith.addi %[[LOW]], %{{.+}} : i32
// CHECK:         %[[SUM:.+]] = arith.xori %[[BOTH]], %[[LOW]] : i32
// CHECK-NEXT:    arith.index_castui %[[SUM]] : i32 to index
module attributes {gpu.container_module} {
  func.func @call(%order: memref<?xi16>, %words: memref<?xi32>, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@extended blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%order : memref<?xi16>, %words : memref<?xi32>, %out : memref<?xindex>)
    return
  }
  gpu.module @kernels {
    gpu.func @extended(%order: memref<?xi16>, %words: memref<?xi32>, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %mask = arith.constant 32767 : i32
      %word = memref.load %order[%c0] : memref<?xi16>
      %place = arith.index_castui %word : i16 to index
      %both = memref.load %words[%place] : memref<?xi32>
      %low = arith.andi %both, %mask : i32
      %position = arith.index_castui %low : i32 to index
      %next = arith.addi %position, %c1 : index
      memref.store %next, %out[%c0] : memref<?xindex>
      %other = arith.xori %both, %low : i32
      %number = arith.index_castui %other : i32 to index
      memref.store %number, %out[%c1] : memref<?xindex>
      gpu.return
    }
  }
}
