// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.exclusive_scan.

func.func @exclusive_scan(%rows: memref<?x?xindex>) {
  // expected-error @below {{needs a static number of columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x?xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x : index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x2xindex>) {
  // expected-error @below {{region combines two rows of 2 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x2xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x, %y : index, index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region combines two rows of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: i1, %y: index):
    nacho.yield %y : index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region must yield a row of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    nacho.yield %x, %y : index, index
  }
  return
}

// -----

func.func @exclusive_scan(%rows: memref<?x1xindex>) {
  // expected-error @below {{region must yield a row of 1 columns}}
  nacho.exclusive_scan %rows into %rows : memref<?x1xindex> {
  ^bb0(%x: index, %y: index):
    %less = arith.cmpi ult, %x, %y : index
    nacho.yield %less : i1
  }
  return
}
