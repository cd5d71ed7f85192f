// RUN: nacho-opt %s -split-input-file -verify-diagnostics -convert-nacho-parallel-to-gpu

func.func @half_a_warp(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 16
    // expected-error @below {{needs tiles with a multiple of 32 parts}}
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<17x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @wait_again(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
    // expected-error @below {{comes after a nacho.tile_scan}}
    nacho.tile_sync
  }
  return
}

// -----

func.func @stage_again(%n: index, %all: memref<?x1xindex>, %in: memref<?xi32>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
    // expected-error @below {{comes after a nacho.tile_scan}}
    nacho.stage_in %in[%begin to %end] : memref<?xi32>
  }
  return
}
