// RUN: nacho-opt %s -nacho-partition-loops | FileCheck %s

// The lists that a loop over keys merges: callers take a sample of their last coordinates,
// if these have one type.

#COO = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#Keys = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 64 }>
#Wide = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 64 }>
!A0 = !nacho.fiber<tensor<?xf64, #Keys>, 0>
!A1 = !nacho.fiber<tensor<?xf64, #Keys>, 1>

// CHECK-LABEL: func.func @union(
// CHECK-SAME:    cuts = <accesses = [0 of 0, 1 of 1], loops = [<"ij"[0, 1]>], {{.+}} delta = 2, merge = <union(1 of 0, 1 of 1)>>
func.func @union(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Keys> {input = 0 : i64}
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Keys> {input = 1 : i64}
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %ij of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
      %i = nacho.unflatten 0 of %ij in %A : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %ij in %A : tensor<?x?xf64, #COO>
      %a = nacho.load %A1 : !A1
      %b = nacho.load %B1 : !A1
      %add = nacho.binary add %a, %b : f64
      nacho.append %add at(%i, %j) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}

// CHECK-LABEL: func.func @intersection(
// CHECK-SAME:    cuts = <accesses = [0 of 0, 1 of 1], loops = [<"ij"[0, 1]>], {{.+}} delta = 2, merge = <intersect(1 of 0, 1 of 1)>>
func.func @intersection(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Keys> {input = 0 : i64}
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Keys> {input = 1 : i64}
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %ij of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in intersect(%A1, %B1) {
      %i = nacho.unflatten 0 of %ij in %A : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %ij in %A : tensor<?x?xf64, #COO>
      %a = nacho.load %A1 : !A1
      %b = nacho.load %B1 : !A1
      %add = nacho.binary add %a, %b : f64
      nacho.append %add at(%i, %j) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}

// CHECK-LABEL: func.func @negative_types(
// CHECK-SAME:    cuts = <accesses = [0 of 0, 1 of 1], loops = [<"ij"[0, 1]>], {{.+}} delta = 2>
func.func @negative_types(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #Wide>) -> tensor<?x?xf64, #COO> {
  %A_flat = nacho.flatten %A : tensor<?x?xf64, #COO>
  %A0 = nacho.root %A_flat : tensor<?xf64, #Keys> {input = 0 : i64}
  %B_flat = nacho.flatten %B : tensor<?x?xf64, #Wide>
  %B0 = nacho.root %B_flat : tensor<?xf64, #Keys> {input = 1 : i64}
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %ij of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
      %i = nacho.unflatten 0 of %ij in %A : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %ij in %A : tensor<?x?xf64, #COO>
      %a = nacho.load %A1 : !A1
      %b = nacho.load %B1 : !A1
      %add = nacho.binary add %a, %b : f64
      nacho.append %add at(%i, %j) : f64
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}
