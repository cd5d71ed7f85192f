// RUN: nacho-opt %s -nacho-table-rows=most=64 -canonicalize | FileCheck %s

// Lanes count the steps of different inner loops, and add up what they have counted. A
// row that is short enough goes to a table, another one to the workspace as before. What
// is used after the row comes from either.
//
// CHECK-LABEL: func.func @rows(
// CHECK:         nacho.parallel
// CHECK-NEXT:      %[[LANE:.+]] = nacho.lane of 32
// CHECK:           %[[W:.+]] = nacho.workspace
// CHECK:           scf.for %[[I:.+]] = %c0 to
// CHECK:             %[[FROM:.+]] = arith.addi %{{.+}}, %[[LANE]] : index
// CHECK-NEXT:        %[[OWN:.+]] = scf.for %[[J:.+]] = %[[FROM]] to %{{.+}} step %c32 iter_args(%[[N:.+]] = %c0) -> (index) {
// CHECK-NEXT:          %[[BEGIN:.+]] = memref.load %{{.+}}[%[[J]]]
// CHECK-NEXT:          %[[AFTER:.+]] = arith.addi %[[J]], %c1 : index
// CHECK-NEXT:          %[[END:.+]] = memref.load %{{.+}}[%[[AFTER]]]
// CHECK-NEXT:          %[[LENGTH:.+]] = arith.subi %[[END]], %[[BEGIN]] : index
// CHECK-NEXT:          %[[STEPS:.+]] = arith.maxsi %[[LENGTH]], %c0 : index
// CHECK-NEXT:          %[[MORE:.+]] = arith.addi %[[N]], %[[STEPS]] : index
// CHECK-NEXT:          scf.yield %[[MORE]] : index
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[FEW:.+]] = arith.minui %[[OWN]], %c65 : index
// CHECK-NEXT:        arith.index_castui %[[FEW]] : index to i32
// CHECK-COUNT-5:     nacho.from_lane
// CHECK:             %[[ALL:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK-NEXT:        %[[SHORT:.+]] = arith.cmpi ule, %[[ALL]], %c64 : index
// CHECK-NEXT:        %[[NEXT:.+]] = scf.if %[[SHORT]] -> (index) {
// CHECK-NEXT:          %[[T:.+]] = nacho.lane_table for %[[ALL]] of 64 lane %[[LANE]] status %{{.+}} : memref<i32> -> <f64>
// CHECK:               nacho.insert {{.+}} into %[[T]]
// CHECK:               nacho.lane_sync
// CHECK:               %[[ONE:.+]] = nacho.drain {{.+}} of %[[T]]
// CHECK:               scf.yield %[[ONE]] : index
// CHECK-NEXT:        } else {
// CHECK:               nacho.insert {{.+}} into %[[W]]
// CHECK:               %[[OTHER:.+]] = nacho.drain {{.+}} of %[[W]]
// CHECK:               scf.yield %[[OTHER]] : index
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.yield %[[NEXT]] : index
func.func @rows(%parts: index, %threads: index, %N: index, %lo: index, %hi: index,
                %pos: memref<?xindex>, %crd: memref<?xindex>, %out: memref<?xindex>,
                %values: memref<?xf64>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks with %sums row %slot lane %lane extent %N status %status
        : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
    %end = scf.for %i = %c0 to %N step %c1 iter_args(%at = %c0) -> (index) {
      scf.for %j = %lo to %hi step %c1 {
        %begin = memref.load %pos[%j] : memref<?xindex>
        %after = arith.addi %j, %c1 : index
        %stop = memref.load %pos[%after] : memref<?xindex>
        %first = arith.addi %begin, %lane : index
        scf.for %p = %first to %stop step %c32 {
          %k = memref.load %crd[%p] : memref<?xindex>
          %x = memref.load %values[%p] : memref<?xf64>
          %new = nacho.insert %x : f64 distinct at %k into %w : !nacho.workspace<f64>
        }
        nacho.lane_sync
      }
      %next = nacho.drain %k, %x of %w iter_args(%n = %at : index) : !nacho.workspace<f64> {
        memref.store %k, %out[%n] : memref<?xindex>
        %m = arith.addi %n, %c1 : index
        nacho.yield %m : index
      }
      scf.yield %next : index
    }
    memref.store %end, %out[%part] : memref<?xindex>
  }
  return
}

// A loop that no other is around is counted by the first lane; one that is only reached
// in a branch, in the same branch.
//
// CHECK-LABEL: func.func @branch(
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %c0 : index
// CHECK-NEXT:    %[[OWN:.+]] = arith.select %[[FIRST]], %{{.+}}, %c0 : index
// CHECK:         %[[MORE:.+]] = scf.if %{{.+}} -> (index) {
// CHECK:           arith.select
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %c0 : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[BOTH:.+]] = arith.addi %[[OWN]], %[[MORE]] : index
// CHECK-NEXT:    arith.minui %[[BOTH]], %c65 : index
// CHECK:         nacho.lane_table for %{{.+}} of 64
func.func @branch(%parts: index, %threads: index, %N: index, %lo: index, %hi: index,
                  %both: i1, %crd: memref<?xindex>, %marks: memref<?x?xi64>,
                  %status: memref<i32>) {
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %first = arith.addi %lo, %lane : index
    scf.for %p = %first to %hi step %c32 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.lane_sync
    scf.if %both {
      %second = arith.addi %hi, %lane : index
      scf.for %p = %second to %N step %c32 {
        %k = memref.load %crd[%p] : memref<?xindex>
        %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
      }
      nacho.lane_sync
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// What both sides of a branch depend on is computed in each of them. A step that may
// insert twice counts twice.
//
// CHECK-LABEL: func.func @sides(
// CHECK:         scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %c32 iter_args(
// CHECK:           scf.if %{{.+}} -> (index) {
// CHECK-NEXT:        memref.load %{{.+}}[%[[J]]]
// CHECK-NEXT:        arith.subi
// CHECK-NEXT:        arith.maxsi
// CHECK-NEXT:        arith.muli %{{.+}}, %c2
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } else {
// CHECK-NEXT:        memref.load %{{.+}}[%[[J]]]
// CHECK-NEXT:        arith.subi
// CHECK-NEXT:        arith.maxsi
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK:         nacho.lane_table
func.func @sides(%parts: index, %threads: index, %N: index, %lo: index, %hi: index,
                 %side: i1, %flag: i1, %pos: memref<?xindex>, %crd: memref<?xindex>,
                 %marks: memref<?x?xi64>, %status: memref<i32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    scf.for %j = %lo to %hi step %c1 {
      %stop = memref.load %pos[%j] : memref<?xindex>
      scf.if %side {
        %first = arith.addi %lo, %lane : index
        scf.for %p = %first to %stop step %c32 {
          %k = memref.load %crd[%p] : memref<?xindex>
          %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
          scf.if %flag {
            %next = arith.addi %k, %N : index
            %too = nacho.insert distinct at %next into %w : !nacho.workspace<none>
          }
        }
        nacho.lane_sync
      } else {
        %first = arith.addi %hi, %lane : index
        scf.for %p = %first to %stop step %c32 {
          %k = memref.load %crd[%p] : memref<?xindex>
          %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
        }
        nacho.lane_sync
      }
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// How far the second loop goes is found out before the first one begins.
//
// CHECK-LABEL: func.func @two(
// CHECK:         %[[STOP:.+]] = memref.load
// CHECK-NEXT:    arith.subi %[[STOP]], %{{.+}} : index
// CHECK:         nacho.lane_table
// CHECK:         scf.for
// CHECK:         nacho.lane_sync
// CHECK-NEXT:    %[[AGAIN:.+]] = memref.load
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[AGAIN]] step %c32
func.func @two(%parts: index, %threads: index, %N: index, %lo: index, %hi: index,
               %pos: memref<?xindex>, %crd: memref<?xindex>, %marks: memref<?x?xi64>,
               %status: memref<i32>) {
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %first = arith.addi %lo, %lane : index
    scf.for %p = %first to %hi step %c32 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.lane_sync
    %stop = memref.load %pos[%part] : memref<?xindex>
    %second = arith.addi %hi, %lane : index
    scf.for %p = %second to %stop step %c32 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.lane_sync
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// How far an inner loop goes depends on what the steps before have found.
//
// CHECK-LABEL: func.func @negative_carried(
// CHECK-NOT:     nacho.lane_table
// CHECK:         return
func.func @negative_carried(%parts: index, %threads: index, %N: index, %hi: index,
                            %crd: memref<?xindex>, %marks: memref<?x?xi64>,
                            %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %last = scf.for %j = %c0 to %hi step %c1 iter_args(%begin = %c0) -> (index) {
      %stop = memref.load %crd[%begin] : memref<?xindex>
      %first = arith.addi %begin, %lane : index
      scf.for %p = %first to %stop step %c32 {
        %k = memref.load %crd[%p] : memref<?xindex>
        %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
      }
      nacho.lane_sync
      scf.yield %stop : index
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// The workspace has no lanes.
//
// CHECK-LABEL: func.func @negative_alone(
// CHECK-NOT:     nacho.lane_table
// CHECK:         return
func.func @negative_alone(%parts: index, %threads: index, %N: index, %lo: index,
                          %hi: index, %crd: memref<?xindex>, %marks: memref<?x?xi64>,
                          %status: memref<i32>) {
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %parts threads %threads {
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    scf.for %p = %lo to %hi step %c1 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.drain %k of %w : !nacho.workspace<none> {
    }
  }
  return
}

// What is inserted before a loop is drained inside of it: no block has a whole row.
//
// CHECK-LABEL: func.func @negative_apart(
// CHECK-NOT:     nacho.lane_table
// CHECK:         return
func.func @negative_apart(%parts: index, %threads: index, %N: index, %lo: index,
                          %hi: index, %crd: memref<?xindex>, %marks: memref<?x?xi64>,
                          %status: memref<i32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  nacho.parallel %part in %parts threads %threads {
    %lane = nacho.lane of 32
    %slot = nacho.slot
    %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
        : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
    %first = arith.addi %lo, %lane : index
    scf.for %p = %first to %hi step %c32 {
      %k = memref.load %crd[%p] : memref<?xindex>
      %new = nacho.insert distinct at %k into %w : !nacho.workspace<none>
    }
    nacho.lane_sync
    scf.for %i = %lo to %hi step %c1 {
      nacho.drain %k of %w : !nacho.workspace<none> {
      }
    }
  }
  return
}
