// RUN: nacho-opt %s -split-input-file -verify-diagnostics

func.func @outside(%n: index) {
  // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
  %slots = nacho.tile_memory of %n : memref<?xi32>
  return
}

// -----

func.func @in_a_branch(%n: index, %some: i1) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    scf.if %some {
      // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
      %hasRoom = nacho.tile_room
    }
  }
  return
}

// -----

func.func @other_elements(%n: index, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    %slots = nacho.tile_memory of %n : memref<?xi32>
    // expected-error @below {{keeps elements of 'i32' for an array of 'f64'}}
    nacho.tile_append %slots[%part] to %out[%part to %end in %begin to %end]
        : memref<?xi32> to memref<?xf64>
  }
  return
}

// -----

func.func @no_slots(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{needs slots in a nacho.tile_memory}}
    nacho.tile_append %in[%part] to %out[%part to %end in %begin to %end]
        : memref<?xf64> to memref<?xf64>
  }
  return
}
