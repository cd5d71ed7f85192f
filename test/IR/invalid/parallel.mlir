// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.parallel and nacho.parallel_call.

func.func @parallel(%n: index) {
  // expected-error @below {{body takes the number of the worker}}
  "nacho.parallel"(%n, %n) ({
    nacho.yield
  }) : (index, index) -> ()
  return
}

// -----

func.func private @callee()
func.func @parallel(%n: index) {
  // expected-error @below {{body must not call functions}}
  nacho.parallel %worker in %n threads %n {
    func.call @callee() : () -> ()
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not allocate or free, as memref.alloc does}}
  nacho.parallel %worker in %n threads %n {
    scf.for %i = %worker to %n step %n {
      %buffer = memref.alloc(%n) : memref<?xf64>
    }
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not hold nacho.parallel}}
  nacho.parallel %worker in %n threads %n {
    nacho.parallel %inner in %n threads %n {
    }
  }
  return
}

// -----

func.func @parallel(%n: index, %rows: memref<?x1xindex>) {
  // expected-error @below {{body must not hold nacho.exclusive_scan}}
  nacho.parallel %worker in %n threads %n {
    nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{body must not hold host-only gpu.barrier}}
  nacho.parallel %worker in %n threads %n {
    gpu.barrier
  }
  return
}

// -----

func.func @parallel_frees(%n: index, %m: memref<?xf64>) {
  // expected-error @below {{body must not allocate or free, as memref.dealloc does}}
  nacho.parallel %worker in %n threads %n {
    memref.dealloc %m : memref<?xf64>
  }
  return
}

// -----

func.func @parallel_in_parallel(%n: index, %m: memref<?xindex>) {
  // expected-error @below {{body must not hold scf.parallel}}
  nacho.parallel %worker in %n threads %n {
    scf.parallel (%i) = (%worker) to (%n) step (%n) {
      memref.store %i, %m[%i] : memref<?xindex>
    }
  }
  return
}

// -----

func.func @prefix_sum_in_parallel(%n: index, %costs: memref<?xi64>) {
  // expected-error @below {{body must not hold nacho.prefix_sum}}
  nacho.parallel %worker in %n threads %n {
    nacho.prefix_sum %costs threads %n : memref<?xi64>
  }
  return
}

// -----

func.func @parallel(%n: index) {
  // expected-error @below {{there is no function @worker}}
  %stopped = nacho.parallel_call @worker in %n threads %n
  return
}

// -----

func.func private @worker(index, index, i64, f32)
func.func @parallel(%n: index, %x: f64) {
  // expected-error @below {{@worker has the type '(index, index, i64, f32) -> ()', but '(index, index, i64, f64) -> ()' is called}}
  %stopped = nacho.parallel_call @worker(%x : f64) in %n threads %n
  return
}

// -----

func.func private @worker(index, index, i64) -> i1
func.func @parallel(%n: index) {
  // expected-error @below {{@worker has the type '(index, index, i64) -> i1', but '(index, index, i64) -> ()' is called}}
  %stopped = nacho.parallel_call @worker in %n threads %n
  return
}
