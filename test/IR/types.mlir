// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL

#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 32 }>
#Costs = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Fiber types repeat a tensor type and are therefore given names.
//
// CHECK-DAG: #[[CSC:[^ ]+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed)
// CHECK-DAG: ![[F0:[^ ]+]] = !nacho.fiber<tensor<?x4xf32, #[[CSC]]>, 0>
// CHECK-DAG: ![[F2:[^ ]+]] = !nacho.fiber<tensor<?x4xf32, #[[CSC]]>, 2>
// CHECK-DAG: ![[SCALAR:[^ ]+]] = !nacho.fiber<tensor<f64>, 0>
// CHECK-DAG: ![[LIST:[^ ]+]] = !nacho.fiber<tensor<?xi64, #[[COSTS:.+]]>, 1, scanned_list>

// CHECK:       func.func private @fibers(![[F0]], ![[F2]], ![[SCALAR]], ![[LIST]])
// LOCAL:       func.func private @fibers(
// LOCAL-SAME:    !nacho.fiber<tensor<?x4xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 32 }>>, 0>,
// LOCAL-SAME:    2>, !nacho.fiber<tensor<f64>, 0>,
// LOCAL-SAME:    1, scanned_list>)
func.func private @fibers(!nacho.fiber<tensor<?x4xf32, #CSC>, 0>,
                          !nacho.fiber<tensor<?x4xf32, #CSC>, 2>,
                          !nacho.fiber<tensor<f64>, 0>,
                          !nacho.fiber<tensor<?xi64, #Costs>, 1, scanned_list>)

// CHECK:       func.func private @cuts(!nacho.cut<>, !nacho.cut<2>, !nacho.cut<2, 3>,
// CHECK-SAME:    !nacho.cuts<>, !nacho.cuts<10, 10>)
func.func private @cuts(!nacho.cut<>, !nacho.cut<2>, !nacho.cut<2, 3>,
                        !nacho.cuts<>, !nacho.cuts<10, 10>)

// CHECK:       func.func private @workspaces(!nacho.workspace<none>, !nacho.workspace<ui8>, !nacho.workspace<complex<f32>>)
func.func private @workspaces(!nacho.workspace<none>, !nacho.workspace<ui8>, !nacho.workspace<complex<f32>>)
