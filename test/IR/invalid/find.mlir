// RUN: nacho-opt %s -split-input-file -verify-diagnostics

// Every diagnostic of nacho.find, and of the numbers of children.

func.func @find_in_an_array(%A0: !nacho.fiber<tensor<?xf64>, 0>, %k: index) {
  // expected-error @below {{cannot look into a '!nacho.fiber<tensor<?xf64>, 0>': its children need unique coordinates}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64>, 0>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @find_rows_that_are_dense(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @find_one_of_several(%A0: !nacho.fiber<tensor<?x?xf64, #COO>, 0>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?x?xf64, #COO>, 0>
  return
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
func.func @find_in_a_run(%A1: !nacho.fiber<tensor<?x?xf64, #COO>, 1>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A1 : !nacho.fiber<tensor<?x?xf64, #COO>, 1>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_in_an_element(%A1: !nacho.fiber<tensor<?xf64, #V>, 1>, %k: index) {
  // expected-error @below {{cannot look into a}}
  %0 = nacho.find %k in %A1 : !nacho.fiber<tensor<?xf64, #V>, 1>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_by_values(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %k: index,
                          %table: !nacho.workspace<f64>) {
  // expected-error @below {{looks for numbers in a '!nacho.workspace<f64>'}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64, #V>, 0> by %table : !nacho.workspace<f64>
  return
}

// -----

#V = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @find_by_coordinates(%A0: !nacho.fiber<tensor<?xf64, #V>, 0>, %k: index,
                               %table: !nacho.workspace<none>) {
  // expected-error @below {{looks for numbers in a '!nacho.workspace<none>'}}
  %0 = nacho.find %k in %A0 : !nacho.fiber<tensor<?xf64, #V>, 0> by %table : !nacho.workspace<none>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @number_in_a_dense_level(%A0: !nacho.fiber<tensor<?x?xf64, #CSR>, 0>,
                                   %A1: !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) {
  // expected-error @below {{knows no numbers of the children of a '!nacho.fiber}}
  %0 = nacho.child_number %A1 in %A0
      : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>, !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @number_of_itself(%A1: !nacho.fiber<tensor<?x?xf64, #CSR>, 1>) {
  // expected-error @below {{cannot have a}}
  %0 = nacho.child_number %A1 in %A1
      : !nacho.fiber<tensor<?x?xf64, #CSR>, 1>, !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
  return
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @coordinate_in_an_element(%A2: !nacho.fiber<tensor<?x?xf64, #CSR>, 2>, %n: index) {
  // expected-error @below {{knows no numbers of the children of a}}
  %0 = nacho.child_coordinate %n in %A2 : !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
  return
}
