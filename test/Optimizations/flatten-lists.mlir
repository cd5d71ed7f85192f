// RUN: nacho-opt %s -nacho-concretize -cse -nacho-flatten-lists=dynamic=true -cse --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-concretize -cse -nacho-flatten-lists -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=STATIC
// RUN: nacho-opt %s -nacho-concretize -nacho-flatten-lists='dynamic=true trees=false' | FileCheck %s --check-prefix=LISTS
// RUN: nacho-opt %s -pass-pipeline='builtin.module(nacho-concretize,nacho-flatten-lists{dynamic=true},%{cut},%{assemble})' \
// RUN:   --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=ASSEMBLED

#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#COO3 = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)) }>
#COOT = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : compressed(nonunique), d0 : singleton(soa)) }>
#DCSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>

// Z[i, j, k] = A[i, j, k] + B[i, j, k]
//
// CHECK-LABEL: func.func @union(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<
// CHECK-NEXT:    %A_flat = nacho.flatten %[[A]] : tensor<?x?x?xf64, #{{.+}}>
// CHECK-NEXT:    %A0 = nacho.root %A_flat : tensor<?xf64, #{{.+}}> {input = 0 : i64}
// CHECK-NEXT:    %B_flat = nacho.flatten %[[B]]
// CHECK-NEXT:    %B0 = nacho.root %B_flat : tensor<?xf64, #{{.+}}> {input = 1 : i64}
// CHECK-NEXT:    nacho.nest : tensor<?x?x?xf64
// CHECK-NEXT:      nacho.coiterate %ijk of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in union(%A1, %B1) {
// CHECK-NEXT:        %i = nacho.unflatten 0 of %ijk in %[[A]]
// CHECK-NEXT:        %j = nacho.unflatten 1 of %ijk in %[[A]]
// CHECK-NEXT:        %k = nacho.unflatten 2 of %ijk in %[[A]]
// CHECK-NEXT:        nacho.load %A1
// CHECK-NEXT:        nacho.load %B1
// CHECK-NEXT:        %[[Z:.+]] = nacho.binary add
// CHECK-NEXT:        nacho.append %[[Z]] at(%i, %j, %k)
//
// Whether dynamic extents fit, somebody has to say.
//
// STATIC-LABEL: func.func @union(
// STATIC-NOT:     nacho.flatten
// STATIC:         return
//
// A part is cut in its keys; and appends what they are made of, inside of the extent of
// all keys.
//
// ASSEMBLED-LABEL: func.func @union_partition(
// ASSEMBLED:         nacho.search %{{.+}} of(%A0, %B0) between %lo, %hi
// ASSEMBLED-NOT:     nacho.search
// ASSEMBLED:         nacho.cut %{{.+}} at(%ijk) of(%A1, %B1)
// ASSEMBLED:       func.func @union_assemble(
// ASSEMBLED:         nacho.count of (%A0 : {{.+}}, %B0 : {{.+}}) in union(%A0, %B0) between
// ASSEMBLED-NOT:     nacho.coiterate
// ASSEMBLED:       func.func @union_scan(
// ASSEMBLED-SAME:    %[[A:[^ ]+]]: tensor<
// ASSEMBLED-DAG:     sparse_tensor.lvl %[[A]], %c0
// ASSEMBLED-DAG:     sparse_tensor.lvl %[[A]], %c1
// ASSEMBLED-DAG:     sparse_tensor.lvl %[[A]], %c2
// ASSEMBLED:       func.func @union_compute(
// ASSEMBLED:         nacho.coiterate %ijk of
// ASSEMBLED:           %[[N:.+]] = sparse_tensor.lvl %A_flat, %c0
// ASSEMBLED-NEXT:      %[[INSIDE:.+]] = arith.cmpi ult, %ijk, %[[N]] : index
// ASSEMBLED-NEXT:      %[[VALID:.+]] = arith.andi %{{.+}}, %[[INSIDE]]
// ASSEMBLED:           scf.if %[[VALID]] {
// ASSEMBLED-DAG:         memref.store %{{.+}}, %crd0[
// ASSEMBLED-DAG:         memref.store %{{.+}}, %crd1[
// ASSEMBLED-DAG:         memref.store %{{.+}}, %crd2[
// ASSEMBLED-DAG:         memref.store %{{.+}}, %values[
func.func @union(%A: tensor<?x?x?xf64, #COO3>, %B: tensor<?x?x?xf64, #COO3>)
    -> tensor<?x?x?xf64, #COO3> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64, #COO3>,
                     %b = %B[i, j, k] : tensor<?x?x?xf64, #COO3>)
      -> [i, j, k] : tensor<?x?x?xf64, #COO3> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?x?xf64, #COO3>
}

// z = A[i, j] * B[i, j] - C[i, j]
//
// CHECK-LABEL: func.func @sum(
// CHECK:         nacho.coiterate %ij of (%A1 = %A0 : {{[^,]+}}, %B1 = %B0 : {{[^,]+}}, %C1 = %C0 : {{[^,]+}})
// CHECK-SAME:      in union(intersect(%A1, %B1), %C1) {
// CHECK-NOT:     nacho.coiterate
// CHECK:         return
func.func @sum(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>, %C: tensor<?x?xf64, #COO>)
    -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #COO>,
                     %c = %C[i, j] : tensor<?x?xf64, #COO>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary sub %0, %c : f64
    %2 = nacho.reduce add %1 over [i, j] : f64
    nacho.yield %2 : f64
  }
  return %z : tensor<f64>
}

// Static extents that need 62 bits, and 63.
//
// STATIC-LABEL: func.func @fits(
// STATIC:         nacho.coiterate %ij of
// STATIC:         return
func.func @fits(%A: tensor<2147483648x2147483648xf64, #COO>, %B: tensor<2147483648x2147483648xf64, #COO>)
    -> tensor<2147483648x2147483648xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<2147483648x2147483648xf64, #COO>,
                     %b = %B[i, j] : tensor<2147483648x2147483648xf64, #COO>)
      -> [i, j] : tensor<2147483648x2147483648xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<2147483648x2147483648xf64, #COO>
}

// CHECK-LABEL: func.func @negative_too_wide(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_too_wide(%A: tensor<2147483648x2147483649xf64, #COO>,
                             %B: tensor<2147483648x2147483649xf64, #COO>)
    -> tensor<2147483648x2147483649xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<2147483648x2147483649xf64, #COO>,
                     %b = %B[i, j] : tensor<2147483648x2147483649xf64, #COO>)
      -> [i, j] : tensor<2147483648x2147483649xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<2147483648x2147483649xf64, #COO>
}

// Nor do dynamic extents make up for those.
//
// CHECK-LABEL: func.func @negative_too_wide_anyway(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_too_wide_anyway(%A: tensor<?x2147483648x4294967296xf64, #COO3>,
                                    %B: tensor<?x2147483648x4294967296xf64, #COO3>)
    -> tensor<?x2147483648x4294967296xf64, #COO3> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x2147483648x4294967296xf64, #COO3>,
                     %b = %B[i, j, k] : tensor<?x2147483648x4294967296xf64, #COO3>)
      -> [i, j, k] : tensor<?x2147483648x4294967296xf64, #COO3> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x2147483648x4294967296xf64, #COO3>
}

// CHECK-LABEL: func.func @negative_one_list(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_one_list(%A: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>) -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// CHECK-LABEL: func.func @negative_other_format(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_other_format(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// The rows of the result begin and end in the loop over i.
//
// CHECK-LABEL: func.func @negative_other_result(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_other_result(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// CHECK-LABEL: func.func @negative_other_index(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_other_index(%A: tensor<?x?xf64, #COO>, %x: tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>,
                     %b = %x[j] : tensor<?xf64, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// Both are stored by columns, which the result is not.
//
// CHECK-LABEL: func.func @sums_of_columns(
// CHECK:         nacho.coiterate %ji of
// CHECK:         return
func.func @sums_of_columns(%A: tensor<?x?xf64, #COOT>, %B: tensor<?x?xf64, #COOT>) -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COOT>, %b = %B[i, j] : tensor<?x?xf64, #COOT>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

// Trees are flattened where they are intersected: at the end of a union, what is left of
// one of them would be merged key by key.
//
// CHECK-LABEL: func.func @trees(
// CHECK:         nacho.flatten %{{.+}} : tensor<?x?xf64, #[[DCSR:.+]]>
// CHECK:         nacho.flatten %{{.+}} : tensor<?x?xf64, #[[COO:.+]]>
// CHECK:         nacho.coiterate %ij of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) in intersect(%A1, %B1)
// CHECK:         return
//
// Without vectors, each key would take a search in each level.
//
// LISTS-LABEL: func.func @union(
// LISTS:         nacho.flatten
// LISTS-LABEL: func.func @trees(
// LISTS-NOT:     nacho.flatten
// LISTS:         return
func.func @trees(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #COO>) -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [] : tensor<f64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

// CHECK-LABEL: func.func @negative_union_of_trees(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_union_of_trees(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<f64> {
  %z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [] : tensor<f64> {
    %0 = nacho.binary sub %a, %b : f64
    %1 = nacho.reduce add %0 over [i, j] : f64
    nacho.yield %1 : f64
  }
  return %z : tensor<f64>
}

!C0 = !nacho.fiber<tensor<?x?xf64, #COO>, 0>
!C1 = !nacho.fiber<tensor<?x?xf64, #COO>, 1>
!C2 = !nacho.fiber<tensor<?x?xf64, #COO>, 2>

// One list is flattened once.
//
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-1: nacho.flatten
// CHECK-NOT:     nacho.flatten
// CHECK:         nacho.coiterate %{{.+}} of (%[[FIRST:.+]] = %[[ROOT:.+]] : {{.+}}, %[[SECOND:.+]] = %[[ROOT]] : {{.+}}) in union(
// CHECK:         return
func.func @twice(%A: tensor<?x?xf64, #COO>) -> tensor<?x?xf64, #COO> {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %A0 : !C0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !C1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !C2
        nacho.append %a at(%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}

// The body asks for the fiber of i.
//
// CHECK-LABEL: func.func @negative_used(
// CHECK-NOT:     nacho.flatten
// CHECK:         return
func.func @negative_used(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>, %at: memref<?xindex>)
    -> tensor<?x?xf64, #COO> {
  %A0 = nacho.root %A : tensor<?x?xf64, #COO>
  %B0 = nacho.root %B : tensor<?x?xf64, #COO>
  %Z = nacho.nest : tensor<?x?xf64, #COO> {
    nacho.coiterate %i of (%A1 = %A0 : !C0, %B1 = %B0 : !C0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !C1, %B2 = %B1 : !C1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !C2
        %p = nacho.position %A1 : !C1
        memref.store %p, %at[%j] : memref<?xindex>
        nacho.append %a at(%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #COO>
}
