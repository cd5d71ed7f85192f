// RUN: nacho-opt --nacho-set-index-widths %s | FileCheck %s

// Index arrays have elements of an integer type, as wide as `index`.

// CHECK: #[[BOTH:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 64 }>
// CHECK: #[[ONE:.+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 32 }>
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Narrow = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), crdWidth = 32 }>

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %{{.*}}: tensor<?x?xf64, #[[BOTH]]>, %{{.*}}: tensor<?x?xf64, #[[ONE]]>) -> tensor<?x?xf64, #[[BOTH]]>
// CHECK:         nacho.assign
// CHECK-SAME:      -> [i, j] : tensor<?x?xf64, #[[BOTH]]>
func.func @add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #Narrow>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #Narrow>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// CHECK-LABEL: func.func @negative_without_encoding(
// CHECK-SAME:    %{{.*}}: tensor<?xf64>)
func.func @negative_without_encoding(%x: tensor<?xf64>) -> tensor<?xf64> {
  return %x : tensor<?xf64>
}
