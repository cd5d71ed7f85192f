// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu -split-input-file -verify-diagnostics

// A warp is divided among parts, without a rest.

func.func @third(%n: index, %threads: index, %out: memref<?xindex>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{needs a warp of as many lanes, which are 32}}
    %lane = nacho.lane of 12
    memref.store %lane, %out[%part] : memref<?xindex>
  }
  return
}

// -----

// A vote is one of all lanes of a warp.

func.func @half(%n: index, %threads: index, %x: i1, %out: memref<?xi32>) {
  nacho.parallel %part in %n threads %threads {
    // expected-error @below {{needs a warp of as many lanes, which are 32}}
    %lane = nacho.lane of 16
    %all = nacho.ballot %x : i32
    memref.store %all, %out[%part] : memref<?xi32>
  }
  return
}
