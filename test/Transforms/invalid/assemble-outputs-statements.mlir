// RUN: nacho-opt %s -split-input-file -verify-diagnostics \
// RUN:   -pass-pipeline='builtin.module(nacho-concretize,nacho-partition-loops,nacho-bound-loops,nacho-assemble-outputs)'

// What the pass refuses, by message, of functions that the passes before it take.

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @two(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    nacho.yield %a : f64
  }
  // expected-error @below {{must be the only nest of its function}}
  %Z = nacho.assign (%y = %Y[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    nacho.yield %y : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @not_returned(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  // expected-error @below {{must be all that its function does}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    nacho.yield %a : f64
  }
  return %A : tensor<?x?xf64, #DCSR>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @nested(%A: tensor<?x?xf64, #DCSR>, %c: i1) -> tensor<?x?xf64, #DCSR> {
  %Y = scf.if %c -> tensor<?x?xf64, #DCSR> {
    // expected-error @below {{must be all that its function does}}
    %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
      nacho.yield %a : f64
    }
    scf.yield %Z : tensor<?x?xf64, #DCSR>
  } else {
    scf.yield %A : tensor<?x?xf64, #DCSR>
  }
  return %Y : tensor<?x?xf64, #DCSR>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @effect(%A: tensor<?x?xf64, #DCSR>, %m: memref<f64>, %v: f64) -> tensor<?x?xf64, #DCSR> {
  // expected-error @below {{has an effect next to a nest}}
  memref.store %v, %m[] : memref<f64>
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// -----

// Nests that are not made by the pass before.

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
func.func @not_reduced(%A: tensor<?x?xf64, #DCSR>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  // expected-error @below {{a loop over other coordinates needs a reduction}}
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
        %a = nacho.load %A2 : !A2
        nacho.append %a at (%i) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
func.func @nothing(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  // expected-error @below {{nothing is appended}}
  %Z = nacho.nest reduce add : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
func.func @transposed(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  // expected-error @below {{its levels are not in the order of the loops}}
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
        %a = nacho.load %A2 : !A2
        nacho.append %a at (%j, %i) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @somewhere_else(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %Z = nacho.nest : tensor<?xf64, #SV> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %one = arith.constant 1 : index
      %next = arith.addi %i, %one : index
      %a = nacho.load %A1 : !A1
      // expected-error @below {{appends at coordinates that are no loop's}}
      nacho.append %a at (%next) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?xf64, #SV>
}

// -----

// Both i and k are scattered inside of j.

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)) }>
func.func @two_scattered(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?x?xf64, #Sums> {
  // expected-error @below {{a workspace holds one level}}
  %E = nacho.assign collect<part_sums> (%a = %A[j, i] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #Sums> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["j", "i", "k"]}
  return %E : tensor<?x?x?xf64, #Sums>
}

// -----

#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)) }>
func.func @none_scattered(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?x?xf64, #Sums> {
  // expected-error @below {{nothing is scattered over its workspace}}
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j, part] : tensor<?x?x?xf64, #Sums> {
    nacho.yield %a : f64
  }
  return %E : tensor<?x?x?xf64, #Sums>
}

// -----

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
!A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #SV>, 1>
func.func @parts_first(%A: tensor<?xf64, #SV>) -> tensor<?x?xf64, #Sums> {
  %A0 = nacho.root %A : tensor<?xf64, #SV>
  %E = nacho.nest collect<part_sums> : tensor<?x?xf64, #Sums> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %a = nacho.load %A1 : !A1
      %part = nacho.part
      // expected-error @below {{appends at coordinates that are no loop's}}
      nacho.append %a at (%part, %i) : f64
    }
    nacho.yield
  }
  return %E : tensor<?x?xf64, #Sums>
}

// -----

#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
func.func @used(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  // expected-error @below {{must be all that its function does}}
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i, j] : tensor<?x?xf64, #DCSR> {
    nacho.yield %a : f64
  }
  %root = nacho.root %Z : tensor<?x?xf64, #DCSR>
  return %Z : tensor<?x?xf64, #DCSR>
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), crdWidth = 64 }>
func.func @parts(%A: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %flat : tensor<?xf64, #Flat>
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %ij of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #Flat>, 0>) in %A1 {
      %i = nacho.unflatten 0 of %ij in %A : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %ij in %A : tensor<?x?xf64, #COO>
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #Flat>, 1>
      nacho.append %a at(%i, %j) : f64
      // expected-error @below {{appends at other parts of keys than before}}
      nacho.append %a at(%j, %i) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}

// -----

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), crdWidth = 64 }>
func.func @others(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %flat : tensor<?xf64, #Flat>
  // expected-error @below {{its levels are not in the order of the loops}}
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %ij of (%A1 = %A0 : !nacho.fiber<tensor<?xf64, #Flat>, 0>) in %A1 {
      %i = nacho.unflatten 0 of %ij in %B : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %ij in %B : tensor<?x?xf64, #COO>
      %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #Flat>, 1>
      nacho.append %a at(%i, %j) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}
