// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.tile_scan.

func.func @no_tile(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    // expected-error @below {{must be directly inside a nacho.parallel that has a nacho.tile}}
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @rows(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{needs a row for each part and one more, which are 33, as long as those of all parts}}
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<32x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @columns(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{is given a row that is not as long as others}}
    %rows = nacho.tile_scan(%part, %n) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @several(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{must be the only one of its nacho.parallel}}
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
    %others = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x : index
    }
  }
  return
}

// -----

func.func @combine(%n: index, %all: memref<?x1xindex>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 32
    // expected-error @below {{region must yield a row of 1 columns}}
    %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
    ^bb0(%x: index, %y: index):
      nacho.yield %x, %y : index, index
    }
  }
  return
}
