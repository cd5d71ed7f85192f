// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.locate.

func.func @locate(%x: f64) {
  // expected-error @below {{expected a ranked tensor type}}
  nacho.locate %x[] : f64
  return
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @locate(%x: tensor<?xf64, #SV>, %i: index) {
  // expected-error @below {{needs a dense tensor, got 'tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>'}}
  nacho.locate %x[%i] : tensor<?xf64, #SV>
  return
}

// -----

func.func @locate(%x: tensor<?x?xf64>, %i: index) {
  // expected-error @below {{locates 1 coordinates in 'tensor<?x?xf64>'}}
  nacho.locate %x[%i] : tensor<?x?xf64>
  return
}

// -----

func.func @locate(%x: tensor<?xf64>, %i: index) {
  // expected-error @below {{reads a 'f64'}}
  "nacho.locate"(%x, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (tensor<?xf64>, index) -> f32
  return
}

// -----

func.func @locate(%x: tensor<?xf64>, %i: index, %mask: vector<4xi1>) {
  // expected-error @below {{reads a 'vector<4xf64>'}}
  "nacho.locate"(%x, %i, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<?xf64>, index, vector<4xi1>) -> f64
  return
}

// -----

func.func @locate(%x: tensor<f64>, %mask: vector<4xi1>) {
  // expected-error @below {{finds one element, not one for each lane}}
  nacho.locate %x[] lanes %mask : tensor<f64>, vector<4xi1>
  return
}
