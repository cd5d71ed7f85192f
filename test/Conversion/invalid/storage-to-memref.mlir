// RUN: nacho-opt %s -verify-diagnostics -convert-nacho-storage-to-memref

#Ones = #sparse_tensor.encoding<{
  map = (d0) -> (d0 : compressed), explicitVal = 1.0 : f64 }>

// expected-error@+1 {{'func.func' op argument #1 is stored in a way that is not supported}}
func.func @explicit_value(%n: index, %A: tensor<4xf64, #Ones>) -> memref<?xindex> {
  %pos = sparse_tensor.positions %A {level = 0 : index}
      : tensor<4xf64, #Ones> to memref<?xindex>
  return %pos : memref<?xindex>
}
