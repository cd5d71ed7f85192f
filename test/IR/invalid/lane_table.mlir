// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.lane_table.

func.func @not_a_power_of_two(%n: index, %threads: index, %status: memref<i32>) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    // expected-error @below {{has room for a power of two of coordinates, not 48}}
    %w = nacho.lane_table for %part of 48 lane %lane status %status
        : memref<i32> -> !nacho.workspace<f64>
  }
  return
}

// -----

func.func @too_large(%n: index, %threads: index, %status: memref<i32>) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    // expected-error @below {{whose maximum value is 2048}}
    %w = nacho.lane_table for %part of 4096 lane %lane status %status
        : memref<i32> -> !nacho.workspace<f64>
  }
  return
}

// -----

func.func @without_lanes(%n: index, %threads: index, %status: memref<i32>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be inside a nacho.parallel with a nacho.lane}}
    %w = nacho.lane_table for %part of 64 lane %part status %status
        : memref<i32> -> !nacho.workspace<f64>
  }
  return
}

// -----

func.func @memory_without_lanes(%n: index, %threads: index) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{must be inside a nacho.parallel with a nacho.lane}}
    %m = nacho.lane_memory : memref<32xf64>
  }
  return
}

// -----

func.func @memory_of_any_size(%n: index, %threads: index) {
  nacho.parallel %part in %n threads %threads {
    %lane = nacho.lane of 32
    // expected-error @below {{must be statically shaped memref}}
    %m = nacho.lane_memory : memref<?xf64>
  }
  return
}
