// RUN: nacho-opt %s -nacho-verify-contract='target=gpu sorts=false workspaces=false tiles=false' -split-input-file -verify-diagnostics

// Every diagnostic of nacho-verify-contract.

func.func @sort(%crd: memref<?xi32>, %values: memref<?xf64>, %N: index,
                %status: memref<i32>, %threads: index) {
  // expected-error @below {{'nacho.sort' op needs sorts, which target 'gpu' does not have}}
  nacho.sort (%crd) below (%N) with %values status %status threads %threads
      : (memref<?xi32>) with memref<?xf64> status memref<i32>
  return
}

// -----

func.func @slot(%n: index, %out: memref<?xindex>) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{'nacho.slot' op needs workspaces, which target 'gpu' does not have}}
    %slot = nacho.slot
    memref.store %slot, %out[%worker] : memref<?xindex>
  }
  return
}

// -----

// Memory comes from the caller.

func.func @allocation(%n: index) {
  // expected-error @below {{'memref.alloc' op is not among what backends lower}}
  %buffer = memref.alloc(%n) : memref<?xf64>
  return
}

// -----

func.func @other_parallelism(%n: index, %one: index) {
  // expected-error @below {{'scf.parallel' op is not among what backends lower}}
  scf.parallel (%i) = (%one) to (%n) step (%one) {
  }
  return
}

// -----

func.func @operator(%a: f64) -> f64 {
  // expected-error @below {{'nacho.unary' op is not among what backends lower}}
  %b = nacho.unary sqrt %a : f64
  return %b : f64
}

// -----

func.func @cut(%bounds: memref<?x7xindex>, %p: index) {
  // expected-error @below {{'nacho.origin' op is not among what backends lower}}
  %lo = nacho.origin : !nacho.cut<2, 2>
  nacho.store_cut %lo, %bounds[%p] : !nacho.cut<2, 2>, memref<?x7xindex>
  return
}

// -----

func.func @backend(%n: index) {
  // expected-error @below {{'gpu.barrier' op is not among what backends lower}}
  gpu.barrier
  return
}

// -----

func.func @other_cast(%x: i8) -> i16 {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is not among what backends lower}}
  %y = builtin.unrealized_conversion_cast %x : i8 to i16
  return %y : i16
}

// -----

func.func @tile(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{'nacho.tile' op needs tiles, which target 'gpu' does not have}}
    %begin, %end = nacho.tile %part of %n by 32
    memref.store %begin, %out[%part] : memref<?xindex>
  }
  return
}

// -----

func.func @lanes(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{'nacho.lane' op needs warps, which target 'gpu' does not have}}
    %lane = nacho.lane of 32
    memref.store %lane, %out[%part] : memref<?xindex>
  }
  return
}
