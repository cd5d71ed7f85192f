// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-workspace-to-scf

// What the lowering cannot take it refuses: never a crash, never a silent skip.

func.func private @use(!nacho.workspace<f64>)
func.func @passed_on(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>,
                     %row: index, %N: index, %status: memref<i32>) {
  %w = nacho.workspace marks %marks keys %keys with %sums row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xf64> status memref<i32>
      -> !nacho.workspace<f64>
  // expected-error @below {{uses a workspace as it cannot be used}}
  func.call @use(%w) : (!nacho.workspace<f64>) -> ()
  return
}

// -----

// Without keys the place alone would tell.
func.func @lookup_without_keys(%marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %row: index,
                               %N: index, %status: memref<i32>, %k: index) -> (f64, i1) {
  %w = nacho.workspace marks %marks with %sums row %row extent %N status %status
      : memref<?x?xi64> with memref<?x?xf64> status memref<i32> -> !nacho.workspace<f64>
  // expected-error @below {{uses a workspace as it cannot be used}}
  %v, %isThere = nacho.lookup %k in %w : !nacho.workspace<f64>
  return %v, %isThere : f64, i1
}

// -----

// A fiber that is looked into has a table when loops are lowered: here it has none that is known.
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @found_by_a_set_of_sums(%A: tensor<?xf64, #SV>, %marks: memref<?x?xi64>,
                                  %sums: memref<?x?xi64>, %row: index, %N: index,
                                  %status: memref<i32>, %k: index)
    -> !nacho.fiber<tensor<?xf64, #SV>, 1> {
  %w = nacho.workspace marks %marks with %sums row %row extent %N status %status
      : memref<?x?xi64> with memref<?x?xi64> status memref<i32> -> !nacho.workspace<i64>
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{uses a workspace as it cannot be used}}
  %A1 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64, #SV>, 0> by %w : !nacho.workspace<i64>
  return %A1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
}

// -----

func.func @lookup_in_a_table(%n: index, %threads: index, %status: memref<i32>,
                             %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %w = nacho.lane_table for %n of 64 lane %lane status %status
        : memref<i32> -> !nacho.workspace<f64>
    // expected-error @below {{uses a workspace as it cannot be used}}
    %v, %isThere = nacho.lookup %part in %w : !nacho.workspace<f64>
    memref.store %v, %out[%part] : memref<?xf64>
  }
  return
}

// -----

func.func @carry_more_than_a_position(%n: index, %threads: index, %status: memref<i32>,
                                      %x: f64) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    %w = nacho.lane_table for %n of 64 lane %lane status %status
        : memref<i32> -> !nacho.workspace<none>
    // expected-error @below {{uses a workspace as it cannot be used}}
    %end:2 = nacho.drain %k of %w iter_args(%a = %n : index, %b = %x : f64) : !nacho.workspace<none> {
      nacho.yield %a, %b : index, f64
    }
  }
  return
}

// -----

func.func @table_that_is_drained(%keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %numbers: memref<?x?xi32>,
                                 %row: index, %N: index, %status: memref<i32>) {
  %w = nacho.workspace marks %marks keys %keys with %numbers row %row extent %N status %status
      : memref<?x?xi64> keys memref<?x?xi32> with memref<?x?xi32> status memref<i32> -> !nacho.workspace<i32>
  nacho.renew %w for %N : !nacho.workspace<i32>
  // expected-error @below {{uses a workspace as it cannot be used}}
  nacho.drain %k, %v of %w : !nacho.workspace<i32> {
  }
  return
}

// -----

func.func @flat_that_is_drained_without_end(%marks: memref<?x?xi64>, %row: index, %N: index, %status: memref<i32>) {
  %w = nacho.workspace flat marks %marks row %row extent %N status %status
      : memref<?x?xi64> status memref<i32> -> !nacho.workspace<none>
  // expected-error @below {{uses a workspace as it cannot be used}}
  nacho.drain %k of %w : !nacho.workspace<none> {
  }
  return
}
