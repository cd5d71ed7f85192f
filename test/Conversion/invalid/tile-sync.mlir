// RUN: nacho-opt %s -verify-diagnostics -convert-nacho-parallel-to-gpu

func.func @loaded(%n: index, %in: memref<?xindex>, %out: memref<?xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %x = memref.load %in[%part] : memref<?xindex>
    // expected-error @below {{has values before it that are used after it, and take memory}}
    nacho.tile_sync
    memref.store %x, %out[%begin] : memref<?xindex>
  }
  return
}
