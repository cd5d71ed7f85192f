// RUN: nacho-opt %s -nacho-fuse-rows | FileCheck %s

// Sums of rows: a part may be in another step of another row than its neighbours.
//
//   while i < n:
//     if not open: p, end = pos[i], pos[i + 1]; sum = 0; now = p < end
//     if now: sum += values[p]; p += 1; open = p < end
//     if not open: sums[i] = sum; i += 1
//
// CHECK-LABEL: func.func @rows(
// CHECK:         gpu.launch
// CHECK:           scf.while (%[[I0:.+]] = %{{.+}}, %[[OPEN0:.+]] = %false{{.*}}, %{{.+}}) : (index, i1, index, index, f64)
// CHECK:             arith.cmpi slt, %[[I0]]
// CHECK:           ^bb0(%[[I:[^:]+]]: index, %[[OPEN:[^:]+]]: i1,
// CHECK:             %[[ROW:.+]]:4 = scf.if %[[OPEN]] -> (i1, index, index, f64) {
// CHECK:             } else {
// CHECK:               memref.load
// CHECK:               memref.load
// CHECK:               arith.cmpi slt
// CHECK:             %[[STEP:.+]]:3 = scf.if %[[ROW]]#0 -> (i1, index, f64) {
// CHECK:               memref.load
// CHECK:               arith.addf
// CHECK:               arith.cmpi slt, %{{.+}}, %[[ROW]]#1
// CHECK:             } else {
// CHECK:               scf.yield %[[ROW]]#0, %[[ROW]]#2, %[[ROW]]#3
// CHECK:             %[[NEXT:.+]] = scf.if %[[STEP]]#0 -> (index) {
// CHECK:               scf.yield %[[I]]
// CHECK:             } else {
// CHECK:               memref.store %[[STEP]]#2, %{{.+}}[%{{.+}}]
// CHECK:               arith.addi
// CHECK:             scf.yield %[[NEXT]], %[[STEP]]#0, %[[ROW]]#1, %[[STEP]]#1, %[[STEP]]#2
// CHECK-NOT:       scf.for
// CHECK:           gpu.terminator
func.func @rows(%n: index, %pos: memref<?xindex>, %values: memref<?xf64>, %sums: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %next = arith.addi %i, %c1 : index
      %begin = memref.load %pos[%i] : memref<?xindex>
      %end = memref.load %pos[%next] : memref<?xindex>
      %sum = scf.for %p = %begin to %end step %c1 iter_args(%s = %zero) -> (f64) {
        %value = memref.load %values[%p] : memref<?xf64>
        %more = arith.addf %s, %value : f64
        scf.yield %more : f64
      }
      memref.store %sum, %sums[%i] : memref<?xf64>
    }
    gpu.terminator
  }
  return
}

// Both loops carry the place where entries go as one number, since the inner one begins where
// the outer one is, and that goes on where the inner one ends. They do not if the place of the
// row's beginning is used again, or if the outer loop asks for it: then, both begin alike.
//
//   while i < n:
//     if not open: p, end = pos[i], pos[i + 1]; now = p < end
//     if now: out[at] = p; p += 1; at += 1; open = p < end
//     if not open: i += 1
//
// CHECK-LABEL: func.func @shared(
// CHECK:           scf.while (%{{.+}} = %{{.+}}, %[[AT0:.+]] = %{{.+}}, %{{.+}} = %false{{.*}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) : (index, index, i1, index, index)
// CHECK:           ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: i1, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[AT:.+]]: index):
// CHECK:             scf.if
// CHECK:             %[[STEP:.+]]:3 = scf.if %{{.+}} -> (i1, index, index) {
// CHECK:               memref.store
// CHECK:             %[[NEXT:.+]]:2 = scf.if %[[STEP]]#0 -> (index, index) {
// CHECK-NEXT:          scf.yield %{{.+}}, %[[STEP]]#2
// CHECK:             } else {
// CHECK:               scf.yield %{{.+}}, %[[STEP]]#2
// CHECK:             scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %[[STEP]]#0, %{{.+}}, %[[STEP]]#1 :
// CHECK-LABEL: func.func @negative_shared_begin(
// CHECK-SAME:      %[[N:[^ ]+]]: index
// CHECK:           scf.while ({{[^,]+}}, %{{.+}} = %[[N]], {{.+}}, {{[^,]+}}, {{[^,]+}}, %{{.+}} = %[[N]]) : (index, index, i1, index, index, index) ->
// CHECK-LABEL: func.func @negative_shared_bound(
// CHECK:           scf.while ({{.+}}) : (index, i1, index) ->
func.func @shared(%n: index, %pos: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
      %next = arith.addi %i, %c1 : index
      %begin = memref.load %pos[%i] : memref<?xindex>
      %end = memref.load %pos[%next] : memref<?xindex>
      %last = scf.for %p = %begin to %end step %c1 iter_args(%place = %at) -> (index) {
        memref.store %p, %out[%place] : memref<?xindex>
        %after = arith.addi %place, %c1 : index
        scf.yield %after : index
      }
      scf.yield %last : index
    }
    gpu.terminator
  }
  return
}
func.func @negative_shared_begin(%n: index, %pos: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%at = %n) -> (index) {
      %end = memref.load %pos[%i] : memref<?xindex>
      %last = scf.for %p = %i to %end step %c1 iter_args(%place = %at) -> (index) {
        memref.store %at, %out[%place] : memref<?xindex>
        %after = arith.addi %place, %c1 : index
        scf.yield %after : index
      }
      memref.store %at, %pos[%end] : memref<?xindex>
      scf.yield %last : index
    }
    gpu.terminator
  }
  return
}
func.func @negative_shared_bound(%n: index, %pos: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    %all = scf.while (%at = %c0) : (index) -> index {
      %more = arith.cmpi ult, %at, %n : index
      scf.condition(%more) %at : index
    } do {
    ^bb0(%at: index):
      %last = scf.while (%place = %at) : (index) -> index {
        %end = memref.load %pos[%place] : memref<?xindex>
        %go = arith.cmpi ult, %place, %end : index
        scf.condition(%go) %place : index
      } do {
      ^bb0(%place: index):
        memref.store %place, %out[%place] : memref<?xindex>
        %after = arith.addi %place, %c1 : index
        scf.yield %after : index
      }
      scf.yield %last : index
    }
    gpu.terminator
  }
  return
}

// A loop over columns is part of a step, if each takes as many of them. Lanes that do a part
// together, and ask each other, are in the same row.
//
// CHECK-LABEL: func.func @columns(
// CHECK:         gpu.launch
// CHECK-NOT:       scf.for
// CHECK:           scf.while
// CHECK:             %[[NOW:.+]]:{{[0-9]+}} = scf.if
// CHECK:             scf.if %[[NOW]]#0
// CHECK:               scf.for
// CHECK:               nvvm.shfl.sync
// CHECK:             } else {
// CHECK-NOT:       scf.for
// CHECK:           gpu.terminator
func.func @columns(%n: index, %m: index, %pos: memref<?xindex>, %out: memref<?xi32>, %mask: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %clamp = arith.constant 31 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %next = arith.addi %i, %c1 : index
      %from = memref.load %pos[%i] : memref<?xindex>
      %to = memref.load %pos[%next] : memref<?xindex>
      scf.for %p = %from to %to step %c1 {
        %sum = scf.for %k = %c0 to %m step %c1 iter_args(%s = %zero) -> (i32) {
          %value = memref.load %out[%k] : memref<?xi32>
          %more = arith.addi %s, %value : i32
          scf.yield %more : i32
        }
        %other = nvvm.shfl.sync idx %mask, %sum, %zero, %clamp : i32 -> i32
        memref.store %other, %out[%p] : memref<?xi32>
      }
    }
    gpu.terminator
  }
  return
}

// All rows of a dense matrix have the same length, so that no thread waits.
//
// CHECK-LABEL: func.func @negative_same_length(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_same_length(%n: index, %m: index, %out: memref<?x?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %m step %c1 {
        memref.store %j, %out[%i, %j] : memref<?x?xindex>
      }
    }
    gpu.terminator
  }
  return
}

// Neither are two loops of a row fused, nor loops of the host.
//
// CHECK-LABEL: func.func @negative_two_loops(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_two_loops(%n: index, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %i step %c1 {
        memref.store %j, %out[%i] : memref<?xindex>
      }
      scf.for %j = %i to %n step %c1 {
        memref.store %j, %out[%j] : memref<?xindex>
      }
    }
    gpu.terminator
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      memref.store %j, %out[%i] : memref<?xindex>
    }
  }
  return
}

// What decides whether there is another row must not change anything: it is done again
// before each step. Views of memory are not carried from step to step.
//
// CHECK-LABEL: func.func @negative_state(
// CHECK-COUNT-2: scf.for
// CHECK-COUNT-2: scf.while
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_state(%n: index, %rows: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %row = memref.subview %out[%i] [%n] [1] : memref<?xindex> to memref<?xindex, strided<[1], offset: ?>>
      scf.for %j = %c0 to %i step %c1 {
        memref.store %j, %row[%j] : memref<?xindex, strided<[1], offset: ?>>
      }
    }
    scf.while : () -> () {
      %left = memref.load %rows[%c0] : memref<?xindex>
      %less = arith.subi %left, %c1 : index
      memref.store %less, %rows[%c0] : memref<?xindex>
      %more = arith.cmpi ne, %left, %c0 : index
      scf.condition(%more)
    } do {
      %length = memref.load %rows[%c1] : memref<?xindex>
      %end = scf.while (%j = %c0) : (index) -> index {
        %go = arith.cmpi ult, %j, %length : index
        scf.condition(%go) %j : index
      } do {
      ^bb0(%j: index):
        memref.store %j, %out[%j] : memref<?xindex>
        %next = arith.addi %j, %c1 : index
        scf.yield %next : index
      }
      scf.yield
    }
    gpu.terminator
  }
  return
}

// Nor where lanes wait for each other, which take the same steps.
//
// CHECK-LABEL: func.func @negative_lanes(
// CHECK-COUNT-2: scf.for
// CHECK:         nvvm.bar.warp.sync
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_lanes(%n: index, %ends: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = arith.constant -1 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %end = memref.load %ends[%i] : memref<?xindex>
      scf.for %j = %tx to %end step %c1 {
        memref.store %i, %out[%j] : memref<?xindex>
      }
      nvvm.bar.warp.sync %all : i32
    }
    gpu.terminator
  }
  return
}

// Nor where a warp does a part: its lanes take the same steps, and none waits for another
// one's row.
//
// CHECK-LABEL: func.func @negative_warps(
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @negative_warps(%n: index, %ends: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%sx = %c1, %sy = %c1, %sz = %c1)
      threads(%tx, %ty, %tz) in (%dx = %c1, %dy = %c1, %dz = %c1) {
    scf.for %i = %c0 to %n step %c1 {
      %end = memref.load %ends[%i] : memref<?xindex>
      scf.for %j = %c0 to %end step %c1 {
        memref.store %i, %out[%j] : memref<?xindex>
      }
    }
    gpu.terminator
  } {nacho.warp_does_part}
  return
}
