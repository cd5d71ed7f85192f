// RUN: nacho-opt %s -split-input-file -verify-diagnostics -nacho-access-on-device

func.func @of_the_host(%pos: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.load' op reads memory of the device for the host itself: not supported}}
  %blocks = memref.load %pos[%c0] : memref<?xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %blocks, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    memref.store %c1, %out[%tx] : memref<?xindex>
    gpu.terminator
  }
  return
}

// -----

func.func @counter(%counts: memref<?xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  // expected-error@+1 {{'memref.atomic_rmw' op writes, and returns what the host uses: not supported}}
  %n = memref.atomic_rmw addi %c1, %counts[%c0] : (i64, memref<?xi64>) -> i64
  return %n : i64
}

// -----

func.func @changed(%pos: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.load' op reads memory of the device that changes before a kernel uses what was read}}
  %n = memref.load %pos[%c0] : memref<?xindex>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    memref.store %c1, %pos[%c0] : memref<?xindex>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
    memref.store %n, %pos[%tx] : memref<?xindex>
    gpu.terminator
  }
  return
}

// -----

func.func private @change(%pos: memref<?xindex>)
func.func @changed_in_a_loop(%pos: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'memref.load' op reads memory of the device that changes before a kernel uses what was read}}
  %n = memref.load %pos[%c0] : memref<?xindex>
  scf.for %i = %c0 to %c1 step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%x = %c1, %y = %c1, %z = %c1) {
      memref.store %n, %out[%tx] : memref<?xindex>
      gpu.terminator
    }
    func.call @change(%pos) : (memref<?xindex>) -> ()
  }
  return
}
