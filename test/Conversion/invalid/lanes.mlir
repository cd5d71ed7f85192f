// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu -verify-diagnostics

// A part is done by a whole warp: shuffles exchange values of its lanes.

func.func @half(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{needs a warp of as many lanes, which are 32}}
    %lane = nacho.lane of 16
    memref.store %lane, %out[%part] : memref<?xindex>
  }
  return
}
