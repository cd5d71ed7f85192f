// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.tile, nacho.tile_cuts, nacho.stage_in and nacho.stage_out.

func.func @outside(%n: index) {
  // expected-error @below {{takes the worker of the nacho.parallel around it, and their number}}
  %begin, %end = nacho.tile %n of %n by 32
  return
}

// -----

func.func @other(%n: index, %m: index) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{takes the worker of the nacho.parallel around it, and their number}}
    %begin, %end = nacho.tile %worker of %m by 32
  }
  return
}

// -----

func.func @no_tile(%n: index, %in: memref<?xf64>) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
    nacho.stage_in %in[%n to %n] : memref<?xf64>
  }
  return
}

// -----

// Only some threads of a block might get there.
func.func @branch(%n: index, %is: i1, %in: memref<?xf64>) {
  nacho.parallel %worker in %n threads %n {
    %begin, %end = nacho.tile %worker of %n by 32
    scf.if %is {
      // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
      nacho.stage_in %in[%begin to %end] : memref<?xf64>
    }
  }
  return
}

// -----

func.func @columns(%n: index, %in: memref<?x?xf64>) {
  nacho.parallel %worker in %n threads %n {
    %begin, %end = nacho.tile %worker of %n by 32
    // expected-error @below {{needs a static number of columns}}
    nacho.stage_in %in[%begin to %end] : memref<?x?xf64>
  }
  return
}

// -----

func.func @no_tile_to_wait_for(%n: index) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
    nacho.tile_sync
  }
  return
}

// -----

func.func @wait_in_branch(%n: index, %some: i1) {
  nacho.parallel %worker in %n threads %n {
    %begin, %end = nacho.tile %worker of %n by 32
    scf.if %some {
      // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
      nacho.tile_sync
    }
  }
  return
}

// -----

func.func @no_tile_to_write(%n: index, %out: memref<?xf64>) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
    nacho.stage_out %out[%n to %n] : memref<?xf64>
  }
  return
}

// -----

func.func @no_tile_with_cuts(%n: index, %bounds: memref<?x3xindex>) {
  nacho.parallel %worker in %n threads %n {
    // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x3xindex>
  }
  return
}

// -----

// The cut at the end of a tile needs a row, too.
func.func @rows_of_cuts(%n: index, %bounds: memref<?x3xindex>) {
  nacho.parallel %worker in %n threads %n {
    %begin, %end = nacho.tile %worker of %n by 32
    // expected-error @below {{needs a row for each part and one more, which are 33, as long as those of the cuts}}
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<32x3xindex>
  }
  return
}

// -----

func.func @columns_of_cuts(%n: index, %bounds: memref<?x3xindex>) {
  nacho.parallel %worker in %n threads %n {
    %begin, %end = nacho.tile %worker of %n by 32
    // expected-error @below {{needs a row for each part and one more, which are 33, as long as those of the cuts}}
    %cuts = nacho.tile_cuts %bounds : memref<?x3xindex> -> memref<33x4xindex>
  }
  return
}
