// RUN: nacho-opt %s -nacho-share-rows -canonicalize | FileCheck %s
// RUN: nacho-opt %s -nacho-share-rows=lanes=64 -canonicalize | FileCheck %s --check-prefix=WIDE

// Each lane inserts every 32nd coordinate of a row, and counts the new ones for itself,
// beginning with those before in the first lane. Its count goes through the loop around,
// and is added to the others' before it is written. A flag that is reported stays each
// lane's own.
//
// CHECK-LABEL: func.func @count(
// CHECK:         nacho.parallel %[[PART:[^ ]+]] in
// CHECK-NEXT:      %[[LANE:.+]] = nacho.lane of 32
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %[[LANE]], %c0 : index
// CHECK:           %[[W:.+]] = nacho.workspace marks %{{.+}} row %{{.+}} lane %[[LANE]] extent
// CHECK-NEXT:      %[[INIT:.+]] = arith.select %[[FIRST]], %c7, %c0 : index
// CHECK-NEXT:      %[[OWN:.+]] = scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %c1 iter_args(%[[BEFORE:.+]] = %[[INIT]]) -> (index) {
// CHECK:             %[[BEGIN:.+]] = arith.addi %{{.+}}, %[[LANE]] : index
// CHECK-NEXT:        %[[NEXT:.+]]:2 = scf.for %[[P:.+]] = %[[BEGIN]] to %{{.+}} step %c32 iter_args(%{{.+}} = %[[BEFORE]], %{{.+}} = %false) -> (index, i1) {
// CHECK:               nacho.insert distinct at
// CHECK:             }
// CHECK-NEXT:        nacho.lane_sync
// CHECK-NEXT:        scf.if %[[NEXT]]#1 {
// CHECK-NEXT:          memref.atomic_rmw ori
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[NEXT]]#0 : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[SUM:.+]] = arith.index_cast %[[OWN]] : index to i64
// CHECK-NEXT:      %[[OTHER:.+]] = arith.xori %[[LANE]], %c16 : index
// CHECK-NEXT:      %[[ANOTHER:.+]] = nacho.from_lane %[[SUM]] at %[[OTHER]] : i64
// CHECK-NEXT:      arith.addi %[[SUM]], %[[ANOTHER]] : i64
// CHECK-COUNT-4:   nacho.from_lane
// CHECK:           %[[ALL:.+]] = arith.index_cast %{{.+}} : i64 to index
// CHECK-NEXT:      nacho.drain
// CHECK:           scf.if %[[FIRST]] {
// CHECK-NEXT:        memref.store %[[ALL]], %{{.+}}[%[[PART]]]
// CHECK-NEXT:      }
//
// On a GPU whose warps have 64 lanes, each inserts every 64th coordinate.
//
// WIDE-LABEL: func.func @count(
// WIDE:         %[[LANE:.+]] = nacho.lane of 64
// WIDE:         scf.for %{{.+}} step %c64 iter_args
// WIDE:         arith.xori %[[LANE]], %c32 : index
// WIDE-COUNT-6: nacho.from_lane
// WIDE:         nacho.drain
func.func @count(%parts: index, %threads: index, %lo: index, %hi: index, %N: index,
                 %pos: memref<?xindex>, %crd: memref<?xindex>, %marks: memref<?x?xi64>,
                 %counts: memref<?xindex>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %all = scf.for %j = %lo to %hi step %c1 iter_args(%n = %c7) -> (index) {
      %after = arith.addi %j, %c1 : index
      %begin = memref.load %pos[%j] : memref<?xindex>
      %end = memref.load %pos[%after] : memref<?xindex>
      %m, %bad = scf.for %p = %begin to %end step %c1 iter_args(%n1 = %n, %b1 = %no)
          -> (index, i1) {
        %k = memref.load %crd[%p] : memref<?xindex>
        %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
        %more = arith.select %new, %c1, %c0 : index
        %n2 = arith.addi %n1, %more : index
        %wide = arith.cmpi uge, %k, %N : index
        %b2 = arith.ori %b1, %wide : i1
        scf.yield %n2, %b2 : index, i1
      }
      scf.if %bad {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      scf.yield %m : index
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
    memref.store %all, %counts[%part] : memref<?xindex>
  }
  return
}

// A count that something else is done with in the loop around is added up there. The
// entries of a row are written by the lanes that drain them.
//
// CHECK-LABEL: func.func @add(
// CHECK:           nacho.workspace {{.+}} lane %{{.+}} extent
// CHECK:           scf.for
// CHECK:             scf.for {{.+}} step %c32
// CHECK:             nacho.lane_sync
// CHECK-COUNT-5:     nacho.from_lane
// CHECK:             %[[ALL:.+]] = arith.index_cast
// CHECK:             arith.muli %[[ALL]], %[[ALL]]
// CHECK:           nacho.drain %[[K:[^ ]+]], %[[V:[^ ]+]] of %{{.+}} iter_args(%[[AT:[^ ]+]] =
// CHECK-NEXT:        memref.store %[[V]], %{{.+}}[%[[AT]]]
// CHECK-NEXT:        arith.addi %[[AT]], %c1
func.func @add(%parts: index, %threads: index, %lo: index, %hi: index, %N: index, %v: f64,
               %crd: memref<?xindex>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
               %values: memref<?xf64>, %ends: memref<?xindex>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks with %sums row %slot extent %N status %status
        : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
    %all = scf.for %j = %lo to %hi step %c1 iter_args(%n = %c0) -> (index) {
      %m = scf.for %p = %lo to %j step %c1 iter_args(%n1 = %n) -> (index) {
        %k = memref.load %crd[%p] : memref<?xindex>
        %new = nacho.insert %v : f64 distinct at %k into %w : !nacho.workspace<f64>
        %more = arith.select %new, %c1, %c0 : index
        %n2 = arith.addi %n1, %more : index
        scf.yield %n2 : index
      }
      %square = arith.muli %m, %m : index
      scf.yield %square : index
    }
    %end = nacho.drain %k, %x of %w iter_args(%at = %all : index) : !nacho.workspace<f64> {
      memref.store %x, %values[%at] : memref<?xf64>
      %next = arith.addi %at, %c1 : index
      nacho.yield %next : index
    }
    memref.store %end, %ends[%part] : memref<?xindex>
  }
  return
}

// Not if two steps may insert at the same coordinate,
//
// CHECK-LABEL: func.func @not_distinct(
// CHECK-NOT:     nacho.lane
func.func @not_distinct(%parts: index, %threads: index, %N: index, %crd: memref<?xindex>,
                        %marks: memref<?x?xi64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    scf.for %p = %c0 to %N step %c1 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert at %k into %w : !nacho.workspace<none>
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// nor if a drain does not write all that it finds,
//
// CHECK-LABEL: func.func @filtered(
// CHECK-NOT:     nacho.lane
func.func @filtered(%parts: index, %threads: index, %N: index, %v: f64,
                    %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                    %ends: memref<?xindex>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks with %sums row %slot extent %N status %status
        : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
    scf.for %k = %c0 to %N step %c1 {
      %new = nacho.insert %v : f64 distinct at %k into %w : !nacho.workspace<f64>
    }
    %end = nacho.drain %k, %x of %w iter_args(%at = %c0 : index) : !nacho.workspace<f64> {
      %keep = arith.cmpf ogt, %x, %zero : f64
      %more = arith.select %keep, %c1, %c0 : index
      %next = arith.addi %at, %more : index
      nacho.yield %next : index
    }
    memref.store %end, %ends[%part] : memref<?xindex>
  }
  return
}

// nor if lanes would read what one of them has written,
//
// CHECK-LABEL: func.func @read(
// CHECK-NOT:     nacho.lane
func.func @read(%parts: index, %threads: index, %N: index, %marks: memref<?x?xi64>,
                %counts: memref<?xindex>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %n = memref.load %counts[%part] : memref<?xindex>
    scf.for %k = %c0 to %n step %c1 {
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
    memref.store %N, %counts[%part] : memref<?xindex>
  }
  return
}

// nor if the workspace has keys, nor if a loop adds up anything but numbers.
//
// CHECK-LABEL: func.func @hashed(
// CHECK-NOT:     nacho.lane
func.func @hashed(%parts: index, %threads: index, %N: index, %keys: memref<?x?xi32>,
                  %marks: memref<?x?xi64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks keys %keys row %slot extent %N status %status
        : memref<?x?xi64> keys memref<?x?xi32> status memref<i32> -> !nacho.workspace<none>
    scf.for %k = %c0 to %N step %c1 {
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     nacho.lane
func.func @sum(%parts: index, %threads: index, %N: index, %x: f64, %marks: memref<?x?xi64>,
               %out: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %sum = scf.for %k = %c0 to %N step %c1 iter_args(%s = %x) -> (f64) {
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
      %next = arith.addf %s, %x : f64
      scf.yield %next : f64
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}
