// RUN: nacho-opt %s -split-input-file -nacho-narrow-indices -canonicalize | FileCheck %s
// RUN: nacho-opt %s -split-input-file -nacho-narrow-indices='longest=4294967296' -canonicalize | FileCheck %s --check-prefix=LONG

// Lengths and extents fit 32 bits, and so does what loops count. Elements of arrays of 32
// bits that are no place, such as -1, remain larger than all places; not so where they are
// bounded anyway.

// CHECK-LABEL: gpu.func @merge(
// CHECK-SAME:      %[[POS:.+]]: memref<?xi32>, %[[CRD:.+]]: memref<?xi32>, %[[ROW:.+]]: index)
// CHECK-DAG:     %[[MOST:.+]] = arith.constant 2147483647 : i32
// CHECK:         %[[DIM:.+]] = memref.dim %[[CRD]]
// CHECK:         %[[END:.+]] = memref.load %[[POS]][%[[ROW]]]
// CHECK:         %[[SHORT:.+]] = arith.index_cast %[[DIM]] : index to i32
// CHECK:         %[[STOP:.+]] = arith.minui %[[END]], %[[SHORT]] : i32
// CHECK:         scf.while (%[[P:.+]] = %{{.+}}, %[[N:.+]] = %{{.+}}) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT:      %[[MORE:.+]] = arith.cmpi ult, %[[P]], %[[STOP]] : i32
// CHECK-NEXT:      scf.condition(%[[MORE]]) %[[P]], %[[N]] : i32, i32
// CHECK:         ^bb0(%[[P:.+]]: i32, %[[N:.+]]: i32):
// CHECK:           %[[AT:.+]] = arith.index_cast %[[P]] : i32 to index
// CHECK:           %[[LOADED:.+]] = memref.load %[[CRD]][%[[AT]]]
// CHECK:           %[[J:.+]] = arith.minui %[[LOADED]], %[[MOST]] : i32
// CHECK:           %[[IS:.+]] = arith.cmpi ne, %[[J]], %{{.+}} : i32
// CHECK:           %[[ONE:.+]] = arith.extui %[[IS]] : i1 to i32
// CHECK:           %[[SUM:.+]] = arith.addi %[[N]], %[[ONE]] : i32
// CHECK:           scf.yield %{{.+}}, %[[SUM]] : i32, i32
// CHECK-NOT:     arith.index_castui
// CHECK:         gpu.return

// LONG-LABEL: gpu.func @merge(
// LONG:         scf.while ({{.+}}) : (index, index) -> (index, index) {
module attributes {gpu.container_module} {
  func.func @launch(%pos: memref<?xi32>, %crd: memref<?xi32>, %row: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@merge blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%pos : memref<?xi32>, %crd : memref<?xi32>, %row : index)
    return
  }
  gpu.module @kernels {
    gpu.func @merge(%pos: memref<?xi32>, %crd: memref<?xi32>, %row: index) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = memref.dim %crd, %c0 : memref<?xi32>
      %loaded = memref.load %pos[%row] : memref<?xi32>
      %end = arith.index_castui %loaded : i32 to index
      %stop = arith.minui %end, %dim : index
      %last:2 = scf.while (%p = %c0, %n = %c0) : (index, index) -> (index, index) {
        %more = arith.cmpi ult, %p, %stop : index
        scf.condition(%more) %p, %n : index, index
      } do {
      ^bb0(%p: index, %n: index):
        %coordinate = memref.load %crd[%p] : memref<?xi32>
        %j = arith.index_castui %coordinate : i32 to index
        %is = arith.cmpi ne, %j, %row : index
        %one = arith.index_castui %is : i1 to index
        %sum = arith.addi %n, %one : index
        %next = arith.addi %p, %c1 : index
        scf.yield %next, %sum : index, index
      }
      %number = arith.index_castui %last#1 : index to i32
      memref.store %number, %pos[%row] : memref<?xi32>
      gpu.return
    }
  }
}

// -----

// What is loaded from an array of indices is wide, unless it is marked as a place; so are
// products, and sums that a loop adds up. The smaller one of such a number and a length is
// narrow.

// CHECK-LABEL: gpu.func @costs(
// CHECK-DAG:     %[[COST:.+]] = memref.load %{{.+}}[%{{.+}}, %c0] : memref<?x2xindex>
// CHECK-DAG:     %[[PLACE:.+]] = memref.load %{{.+}}[%{{.+}}, %c1] {nacho.place} : memref<?x2xindex>
// CHECK:         arith.muli %{{.+}}, %{{.+}} : index
// CHECK:         %[[SUM:.+]] = scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %[[COST]]) -> (index)  : i32 {
// CHECK:           arith.addi %{{.+}}, %{{.+}} : index
// CHECK:         %[[LEAST:.+]] = arith.minui %[[SUM]], %{{.+}} : index
// CHECK:         %[[SHORTER:.+]] = arith.index_cast %[[LEAST]] : index to i32
// CHECK:         %[[SHORT:.+]] = arith.index_cast %[[PLACE]] : index to i32
// CHECK:         arith.cmpi slt, %[[SHORTER]], %[[SHORT]] : i32
module attributes {gpu.container_module} {
  func.func @launch(%cuts: memref<?x2xindex>, %n: index, %out: memref<i1>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@costs blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%cuts : memref<?x2xindex>, %n : index, %out : memref<i1>)
    return
  }
  gpu.module @kernels {
    gpu.func @costs(%cuts: memref<?x2xindex>, %n: index, %out: memref<i1>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %cost = memref.load %cuts[%n, %c0] : memref<?x2xindex>
      %place = memref.load %cuts[%n, %c1] {nacho.place} : memref<?x2xindex>
      %area = arith.muli %n, %n : index
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%so_far = %cost) -> (index) {
        %more = arith.addi %so_far, %area : index
        scf.yield %more : index
      }
      %least = arith.minui %sum, %n : index
      %is_less = arith.cmpi slt, %least, %place : index
      memref.store %is_less, %out[] : memref<i1>
      gpu.return
    }
  }
}

// -----

// A number that is compared with one above all places has a meaning of its own. What a
// loop increases by more than one in each step may be more than it counts.

// CHECK-LABEL: gpu.func @absent(
// CHECK:         %[[KEPT:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK-NEXT:    arith.cmpi ne, %[[KEPT]], %{{.+}} : index
// CHECK:         scf.for {{.+}} -> (index)
// CHECK-NEXT:      arith.addi %{{.+}}, %{{.+}} : index
module attributes {gpu.container_module} {
  func.func @launch(%list: memref<?xi32>, %n: index, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@absent blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%list : memref<?xi32>, %n : index, %out : memref<?xindex>)
    return
  }
  gpu.module @kernels {
    gpu.func @absent(%list: memref<?xi32>, %n: index, %out: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %none = arith.constant 4294967295 : index
      %loaded = memref.load %list[%n] : memref<?xi32>
      %kept = arith.index_castui %loaded : i32 to index
      %is_there = arith.cmpi ne, %kept, %none : index
      %place = arith.select %is_there, %kept, %n : index
      %bytes = scf.for %k = %c0 to %n step %c1 iter_args(%so_far = %place) -> (index) {
        %more = arith.addi %so_far, %c8 : index
        scf.yield %more : index
      }
      memref.store %bytes, %out[%c0] : memref<?xindex>
      gpu.return
    }
  }
}

// -----

// A kernel whose arguments nobody knows, and numbers that may be negative, which as
// unsigned numbers of 64 bits are larger than those of 32.

// CHECK-LABEL: gpu.func @unknown(
// CHECK:         arith.addi %{{.+}}, %{{.+}} : index
// CHECK-LABEL: gpu.func @negative(
// CHECK:         %[[LESS:.+]] = arith.subi %{{.+}}, %{{.+}} : i32
// CHECK:         %[[WIDE:.+]] = arith.index_cast %[[LESS]] : i32 to index
// CHECK:         arith.shrui %[[WIDE]], %{{.+}} : index
module attributes {gpu.container_module} {
  func.func @launch(%n: index, %out: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@negative blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%n : index, %out : memref<?xindex>)
    return
  }
  gpu.module @kernels {
    gpu.func @unknown(%n: index, %out: memref<?xindex>) kernel {
      %c1 = arith.constant 1 : index
      %more = arith.addi %n, %c1 : index
      memref.store %more, %out[%c1] : memref<?xindex>
      gpu.return
    }
    gpu.func @negative(%n: index, %out: memref<?xindex>) kernel {
      %c1 = arith.constant 1 : index
      %less = arith.subi %n, %c1 : index
      %half = arith.shrui %less, %c1 : index
      memref.store %half, %out[%c1] : memref<?xindex>
      gpu.return
    }
  }
}

// -----

// An element of a dense operand: its index may be any number of 64 bits, by what is known of
// the numbers that it is the sum and product of, but arrays are short, so that low bits
// suffice; not for a number that is used otherwise, too. What is below a place is no more than
// one.

// CHECK-LABEL: gpu.func @element(
// CHECK-SAME:      %[[CRD:.+]]: memref<?xi32>, %[[DENSE:.+]]: memref<?xf64>, %[[WIDTH:.+]]: index, %[[ROWS:.+]]: index)
// CHECK-NOT:     arith.minui
// CHECK:         %[[LOADED:.+]] = memref.load %[[CRD]]
// CHECK:         %[[SHORT:.+]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK:         %[[INSIDE:.+]] = arith.cmpi ult, %[[LOADED]], %[[SHORT]] : i32
// CHECK:         %[[ROW:.+]] = arith.select %[[INSIDE]], %[[LOADED]], %{{.+}} : i32
// CHECK:         %[[STRIDE:.+]] = arith.index_cast %[[WIDTH]] : index to i32
// CHECK:         %[[FIRST:.+]] = arith.muli %[[ROW]], %[[STRIDE]] overflow<nsw> : i32
// CHECK:         %[[AT:.+]] = arith.addi %[[FIRST]], %{{.+}} overflow<nsw> : i32
// CHECK:         %[[INDEX:.+]] = arith.index_cast %[[AT]] : i32 to index
// CHECK:         memref.load %[[DENSE]][%[[INDEX]]]
// CHECK:         %[[END:.+]] = arith.addi %{{.+}}, %{{.+}} : i32
// CHECK:         %[[BEFORE:.+]] = arith.subi %[[END]], %{{.+}} : i32
// CHECK:         %[[INDEX:.+]] = arith.index_cast %[[BEFORE]] : i32 to index
// CHECK:         memref.load %[[DENSE]][%[[INDEX]]]
// CHECK:         arith.muli %{{.+}}, %[[WIDTH]] : index

// LONG-LABEL: gpu.func @element(
// LONG-NOT:     overflow
module attributes {gpu.container_module} {
  func.func @launch_element(%crd: memref<?xi32>, %dense: memref<?xf64>, %width: index, %rows: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@element blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%crd : memref<?xi32>, %dense : memref<?xf64>, %width : index, %rows : index)
    return
  }
  gpu.module @kernels {
    gpu.func @element(%crd: memref<?xi32>, %dense: memref<?xf64>, %width: index, %rows: index) kernel {
      %c0 = arith.constant 0 : index
      %thread = gpu.thread_id x
      %loaded = memref.load %crd[%c0] : memref<?xi32>
      %i = arith.index_castui %loaded : i32 to index
      %inside = arith.cmpi ult, %i, %rows : index
      %row = arith.select %inside, %i, %c0 : index
      %first = arith.muli %row, %width : index
      %at = arith.addi %first, %thread : index
      %value = memref.load %dense[%at] : memref<?xf64>
      %end = arith.addi %width, %rows : index
      %before = arith.subi %end, %thread : index
      %last = memref.load %dense[%before] : memref<?xf64>
      memref.store %last, %dense[%thread] : memref<?xf64>
      %other = arith.muli %rows, %width : index
      %number = arith.index_cast %other : index to i64
      %sum = arith.sitofp %number : i64 to f64
      %both = arith.addf %sum, %value : f64
      memref.store %both, %dense[%c0] : memref<?xf64>
      gpu.return
    }
  }
}

// -----

// A difference may be negative, but not where it is at least 8. Elsewhere, a multiple
// of 8 of it is not known to be narrow.
//
// CHECK-LABEL: gpu.func @at_least(
// CHECK:         %[[NUMBER:.+]] = arith.subi %{{.+}} : i32
// CHECK:         %[[IS_ENOUGH:.+]] = arith.cmpi sge, %[[NUMBER]], %c8_i32 : i32
// CHECK:         scf.if %[[IS_ENOUGH]] {
// CHECK-NEXT:      %[[WHOLE:.+]] = arith.andi %[[NUMBER]], %c-8_i32 : i32
// CHECK:           scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c8_i32 : i32 {
// CHECK:         } else {
// CHECK:           arith.andi %{{.+}}, %c-8 : index
module attributes {gpu.container_module} {
  func.func @launch_at_least(%places: memref<?xindex>, %values: memref<?xf64>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@at_least blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%places : memref<?xindex>, %values : memref<?xf64>)
    return
  }
  gpu.module @kernels {
    gpu.func @at_least(%places: memref<?xindex>, %values: memref<?xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %mask = arith.constant -8 : index
      %from = memref.load %places[%c0] {nacho.place} : memref<?xindex>
      %to = memref.load %places[%c1] {nacho.place} : memref<?xindex>
      %number = arith.subi %to, %from : index
      %isEnough = arith.cmpi sge, %number, %c8 : index
      scf.if %isEnough {
        %whole = arith.andi %number, %mask : index
        %end = arith.addi %from, %whole : index
        scf.for %k = %from to %end step %c8 {
          %value = memref.load %values[%k] : memref<?xf64>
          memref.store %value, %values[%c0] : memref<?xf64>
        }
      } else {
        %whole = arith.andi %number, %mask : index
        memref.store %whole, %places[%c0] : memref<?xindex>
      }
      gpu.return
    }
  }
}

// -----

// A quarter of the way from low to high, rounded up, is between them, and so is what lies
// between that and high.
//
// CHECK-LABEL: gpu.func @quarter(
// CHECK:         scf.while (%{{.+}} = %c0_i32, %{{.+}} = %{{.+}}) : (i32, i32) -> (i32, i32) {
// CHECK:           %[[QUARTER:.+]] = arith.shrui %{{.+}}, %c2_i32 : i32
// CHECK:           %[[FIRST:.+]] = arith.addi %{{.+}}, %[[QUARTER]] : i32
// CHECK:           arith.subi %{{.+}}, %[[FIRST]] : i32
// CHECK:           scf.yield %{{.+}}, %{{.+}} : i32, i32
module attributes {gpu.container_module} {
  func.func @launch_quarter(%places: memref<?xindex>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@quarter blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%places : memref<?xindex>)
    return
  }
  gpu.module @kernels {
    gpu.func @quarter(%places: memref<?xindex>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %end = memref.load %places[%c0] {nacho.place} : memref<?xindex>
      %0:2 = scf.while (%low = %c0, %high = %end) : (index, index) -> (index, index) {
        %more = arith.cmpi slt, %low, %high : index
        scf.condition(%more) %low, %high : index, index
      } do {
      ^bb0(%low: index, %high: index):
        %span = arith.subi %high, %low : index
        %up = arith.addi %span, %c3 : index
        %quarter = arith.shrui %up, %c2 : index
        %first = arith.addi %low, %quarter : index
        %rest = arith.subi %high, %first : index
        %odd = arith.addi %rest, %c1 : index
        %half = arith.shrui %odd, %c1 : index
        %second = arith.addi %first, %half : index
        %cost = memref.load %places[%second] : memref<?xindex>
        %within = arith.cmpi ule, %cost, %end : index
        %below = arith.subi %first, %c1 : index
        %nextLow = arith.select %within, %second, %low : index
        %nextHigh = arith.select %within, %high, %below : index
        scf.yield %nextLow, %nextHigh : index, index
      }
      memref.store %0#0, %places[%c1] : memref<?xindex>
      gpu.return
    }
  }
}

// -----

// The middle between low and high, rounded down, is less than high. Arrays and tables have
// no more elements than fit 32 bits.
//
// CHECK-LABEL: gpu.func @half(
// CHECK:         arith.muli %{{.+}}, %{{.+}} : index
// CHECK:         scf.while (%{{.+}} = %c0_i32, %{{.+}} = %{{.+}}) : (i32, i32) -> (i32, i32) {
// CHECK:           %[[AFTER:.+]] = arith.addi %{{.+}}, %c1_i32 : i32
// CHECK:           scf.yield %{{.+}}, %{{.+}} : i32, i32
//
// CHECK-LABEL: gpu.func @negative_product(
// CHECK:         arith.muli %{{.+}}, %{{.+}} : index
// CHECK:         scf.while ({{.+}}) : (index, index) -> (index, index) {
module attributes {gpu.container_module} {
  func.func @launch_half(%places: memref<?xindex>, %table: memref<?x?xf64>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@half blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%places : memref<?xindex>, %table : memref<?x?xf64>)
    gpu.launch_func @kernels::@negative_product blocks in (%c1, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%places : memref<?xindex>, %table : memref<?x?xf64>)
    return
  }
  gpu.module @kernels {
    gpu.func @half(%places: memref<?xindex>, %table: memref<?x?xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %parts = memref.load %places[%c0] {nacho.place} : memref<?xindex>
      %rows = memref.dim %table, %c0 : memref<?x?xf64>
      %columns = memref.dim %table, %c1 : memref<?x?xf64>
      %workers = arith.muli %rows, %columns : index
      %0:2 = scf.while (%low = %c0, %high = %workers) : (index, index) -> (index, index) {
        %more = arith.cmpi ult, %low, %high : index
        scf.condition(%more) %low, %high : index, index
      } do {
      ^bb0(%low: index, %high: index):
        %span = arith.subi %high, %low : index
        %half = arith.shrui %span, %c1 : index
        %middle = arith.addi %low, %half : index
        %cost = memref.load %places[%middle] : memref<?xindex>
        %within = arith.cmpi ule, %cost, %parts : index
        %after = arith.addi %middle, %c1 : index
        %nextLow = arith.select %within, %after, %low : index
        %nextHigh = arith.select %within, %high, %middle : index
        scf.yield %nextLow, %nextHigh : index, index
      }
      memref.store %0#0, %places[%c1] : memref<?xindex>
      gpu.return
    }
    gpu.func @negative_product(%places: memref<?xindex>, %table: memref<?x?xf64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %parts = memref.load %places[%c0] {nacho.place} : memref<?xindex>
      %columns = memref.load %places[%c1] {nacho.place} : memref<?xindex>
      %workers = arith.muli %parts, %columns : index
      %0:2 = scf.while (%low = %c0, %high = %workers) : (index, index) -> (index, index) {
        %more = arith.cmpi ult, %low, %high : index
        scf.condition(%more) %low, %high : index, index
      } do {
      ^bb0(%low: index, %high: index):
        %span = arith.subi %high, %low : index
        %half = arith.shrui %span, %c1 : index
        %middle = arith.addi %low, %half : index
        %cost = memref.load %places[%middle] : memref<?xindex>
        %within = arith.cmpi ule, %cost, %parts : index
        %nextLow = arith.select %within, %middle, %low : index
        %nextHigh = arith.select %within, %high, %middle : index
        scf.yield %nextLow, %nextHigh : index, index
      }
      memref.store %0#0, %places[%c1] : memref<?xindex>
      gpu.return
    }
  }
}
