// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},nacho-remap-intersections{cost=nnz},cse,nacho-isolate-nests,%{cut},%{assemble})' \
// RUN:   | FileCheck %s --check-prefix=REMAP

// Sums that are scattered: a part collects them in the workspace of its thread, and
// appends what has come together when the loops outside go on.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#Wide = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 64, crdWidth = 64 }>
#Sums = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 64, crdWidth = 64 }>
#RowSums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>

// All products are appended: nothing is collected.
//
// CHECK-LABEL: func.func @negative_products_assemble(
// CHECK-SAME:    %bounds: memref<?x8xindex>, %counts: memref<?x1xindex>, %status: memref<i32>, %threads: index)
// CHECK-NOT:     nacho.workspace
// CHECK-LABEL: func.func @negative_products_execute(
// CHECK-SAME:    counts = 1, collect = sorted_list>, reads = {{.+}}>} {
func.func @negative_products(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #RowSums> {
  %E = nacho.assign collect<sorted_list> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, j] : tensor<?x?x?xf64, #RowSums> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #RowSums>
}

// E[i, k, part] = sum_j A[i, j] * B[j, k]
//
// CHECK-LABEL: func.func @spgemm_assemble(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %bounds: memref<?x8xindex>, %counts: memref<?x1xindex>, %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK:           %[[SLOT:.+]] = nacho.slot
// CHECK-NEXT:      %[[N:.+]] = sparse_tensor.lvl %[[B]], %c1
// CHECK-NEXT:      %sums = nacho.workspace marks %marks keys %keys row %[[SLOT]] extent %[[N]] status %status : {{.+}} -> <none>
//
// The coordinates of a row, or what the part has of it, are a set: those that are new are
// counted, without any values.
// CHECK-NEXT:      %[[ALL:.+]] = nacho.coiterate %i of {{.+}} iter_args(%[[BEFORE:.+]] = %c0 : index) {
// CHECK-NEXT:        %[[ROW:.+]]:2 = nacho.coiterate %j of {{.+}} iter_args(%{{.+}} = %[[BEFORE]] : index, %{{.+}} = %false : i1) {
// CHECK-NEXT:          nacho.coiterate %k of {{.+}} iter_args(%[[SO_FAR:[^ ]+]] = %{{.+}} : index, {{.+}}) {
// CHECK-NOT:             nacho.load
// CHECK:                 %[[NEW:.+]] = nacho.insert distinct at %k into %sums : <none>
// CHECK-NEXT:            %[[ONE:.+]] = arith.select %[[NEW]], %c1, %c0 : index
// CHECK-NEXT:            %[[COUNT:.+]] = arith.addi %[[SO_FAR]], %[[ONE]] : index
//
// A column that B does not have is told, as everywhere.
// CHECK:                 %[[OUTSIDE:.+]] = arith.cmpi uge, %k, %{{.+}} : index
// CHECK:                 nacho.yield %[[COUNT]], %{{.+}} : index, i1
//
// CHECK:             nacho.drain %{{.+}} of %sums : !nacho.workspace<none> {
// CHECK-NEXT:        }
// CHECK-NEXT:        nacho.yield %[[ROW]]#0 : index
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %[[ALL]], %counts[%part, %c0]
//
// There are as many coordinates of the last level as there are parts. A list is made for
// later steps, and its parts are not counted alone.
//
// CHECK-LABEL: func.func @spgemm_scan(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %bounds: memref<?x8xindex>, %counts: memref<?x1xindex>, %offsets: memref<?x1xindex>, %sizes: memref<7xindex>, %threads: index)
// CHECK:         %[[M:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-NEXT:    %[[N:.+]] = sparse_tensor.lvl %[[B]], %c1
// CHECK:         memref.store %[[M]], %sizes[%c4]
// CHECK-NEXT:    memref.store %[[N]], %sizes[%c5]
// CHECK-NEXT:    memref.store %parts, %sizes[%c6]
//
// CHECK-LABEL: func.func @spgemm_compute(
// CHECK-SAME:    %offsets: memref<?x1xindex>, %pos0: memref<?xi64>, %crd0: memref<?xi32>, %crd1: memref<?xi32>, %crd2: memref<?xi32>, %values: memref<?xf64>, %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK:           %[[FIRST:.+]] = memref.load %offsets[%part, %c0]
// CHECK-NEXT:      %[[END:.+]] = memref.load %offsets[%{{.+}}, %c0]
// CHECK:           %[[SLOT:.+]] = nacho.slot
// CHECK:           %[[W:.+]] = nacho.workspace marks %marks keys %keys with %sums row %[[SLOT]] extent %{{.+}} status %status : {{.+}} -> <f64>
// CHECK-NEXT:      %[[LAST:.+]] = nacho.coiterate %i of {{.+}} iter_args(%[[AT:.+]] = %[[FIRST]] : index) {
// CHECK-NEXT:        nacho.coiterate %j of {{.+}} iter_args(%{{[^ ]+}} = %false : i1) {
// CHECK-NEXT:          nacho.coiterate %k of {{.+}} iter_args(%{{[^ ]+}} = %false : i1) {
// CHECK-NEXT:            %a = nacho.load %A2
// CHECK-NEXT:            %b = nacho.load %B2
// CHECK-NEXT:            %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-NEXT:            nacho.insert %[[V]] : f64 distinct at %k into %[[W]] : <f64>
// CHECK:                 nacho.yield %{{[^ ]+}} : i1
//
// for k, sum in w: E[at] = (i, k, part, sum); at += 1; the offsets say how far the part may go
// CHECK:             %[[NEXT:.+]] = nacho.drain %[[K:.+]], %[[SUM:.+]] of %[[W]] iter_args(%[[TO:.+]] = %[[AT]] : index) : !nacho.workspace<f64> {
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi ult, %[[TO]], %[[END]] : index
// CHECK-NEXT:          scf.if %[[FITS]] {
// CHECK-NEXT:            memref.store %[[SUM]], %values[%[[TO]]]
// CHECK-NEXT:            %[[CRD0:.+]] = arith.index_castui %i : index to i32
// CHECK-NEXT:            memref.store %[[CRD0]], %crd0[%[[TO]]]
// CHECK-NEXT:            %[[CRD1:.+]] = arith.index_castui %[[K]] : index to i32
// CHECK-NEXT:            memref.store %[[CRD1]], %crd1[%[[TO]]]
// CHECK-NEXT:            %[[CRD2:.+]] = arith.index_castui %part : index to i32
// CHECK-NEXT:            memref.store %[[CRD2]], %crd2[%[[TO]]]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            memref.atomic_rmw ori %c2_i32, %status[]
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[ONE_MORE:.+]] = arith.addi %[[TO]], %c1 : index
// CHECK-NEXT:          nacho.yield %[[ONE_MORE]] : index
// CHECK-NEXT:        }
// CHECK-NEXT:        nacho.yield %[[NEXT]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      arith.cmpi ne, %[[LAST]], %[[END]] : index
//
// CHECK-LABEL: func.func @spgemm_plan(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<{{[^:]+}}, %bounds: memref<?x8xindex>, %counts: memref<?x1xindex>, %offsets: memref<?x1xindex>, %sizes: memref<7xindex>, %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %status: memref<i32>, %threads: index)
// CHECK:         call @spgemm_assemble(%[[A]], %[[B]], %bounds, %counts, %keys, %marks, %status, %threads)
// CHECK-NEXT:    call @spgemm_scan(%[[A]], %[[B]], %bounds, %counts, %offsets, %sizes, %threads)
//
// The entries of a part come in order of i, and of k as long as the table is dense; those
// of one i and k are in the order of the parts, and stay so.
//
// CHECK-LABEL: func.func @spgemm_execute(
// CHECK-SAME:    counts = 1, fixedParts = true, collect = part_sums, workspaceLevel = 1>, reads = {{.+}}>} {
// CHECK:         call @spgemm_compute(
// CHECK:         nacho.sort(%crd0, %crd1) below(%{{.+}}, %{{.+}}) along(%crd2) with %values
//
// What is fetched ahead is the same for both, but that nobody reads the elements to count.
//
// REMAP-LABEL: func.func @spgemm_assemble(
// REMAP:         nacho.coiterate %j of
// REMAP:           nacho.prefetch begin %{{[^ ]+}} :
// REMAP:           nacho.prefetch %{{[^ ]+}} :
// REMAP-NOT:       elements
// REMAP:         return
// REMAP-LABEL: func.func @spgemm_compute(
// REMAP:         nacho.coiterate %j of
// REMAP:           nacho.prefetch begin %{{[^ ]+}} :
// REMAP:           nacho.prefetch %{{[^ ]+}} elements :
// REMAP:         return
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #RowSums> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #RowSums> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #RowSums>
}

// E[j, part] = sum_i A[i, j]: there is no loop outside, and a part appends when all its
// loops are done. Coordinates are as wide as those of the list.
//
// CHECK-LABEL: func.func @sums_of_columns_assemble(
// CHECK-SAME:    %keys: memref<?x?xi64>, %marks: memref<?x?xi64>, %status
// CHECK:           %[[ALL:.+]] = nacho.coiterate %i of {{.+}} iter_args(%{{.+}} = %c0 : index) {
// CHECK-NOT:         nacho.drain
// CHECK:             nacho.coiterate %j of
// CHECK:               nacho.insert distinct at %j into %sums : <none>
// CHECK-NOT:         nacho.drain
// CHECK:             nacho.yield %{{[^,]+}} : index
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.drain %{{.+}} of %sums : !nacho.workspace<none> {
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %[[ALL]], %counts[%part, %c0]
//
// CHECK-LABEL: func.func @sums_of_columns_compute(
// CHECK:           %[[FIRST:.+]] = memref.load %offsets[%part, %c0]
// CHECK:           nacho.coiterate %i of {{.+}} between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
// CHECK-NOT:         nacho.drain
// CHECK:             nacho.coiterate %j of
// CHECK:               nacho.insert %a : f64 distinct at %j into %[[W:.+]] : <f64>
// CHECK-NOT:         nacho.drain
// CHECK:               memref.atomic_rmw ori %c1_i32, %status[]
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[LAST:.+]] = nacho.drain %[[J:.+]], %[[SUM:.+]] of %[[W]] iter_args(%[[TO:.+]] = %[[FIRST]] : index) : !nacho.workspace<f64> {
// CHECK:               memref.store %[[SUM]], %values[%[[TO]]]
// CHECK-NEXT:          %[[CRD0:.+]] = arith.index_castui %[[J]] : index to i64
// CHECK-NEXT:          memref.store %[[CRD0]], %crd0[%[[TO]]]
// CHECK-NEXT:          %[[CRD1:.+]] = arith.index_castui %part : index to i64
// CHECK-NEXT:          memref.store %[[CRD1]], %crd1[%[[TO]]]
// CHECK:           arith.cmpi ne, %[[LAST]], %{{.+}} : index
//
// CHECK-LABEL: func.func @sums_of_columns_execute(
// CHECK-SAME:    counts = 1, fixedParts = true, collect = part_sums, workspaceLevel = 0>, reads = {{.+}}>} {
// CHECK:         nacho.sort(%crd0) below(%{{.+}}) along(%crd1) with %values
func.func @sums_of_columns(%A: tensor<?x?xf64, #Wide>) -> tensor<?x?xf64, #Sums> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #Wide>) -> [j, part] : tensor<?x?xf64, #Sums> {
    nacho.yield %a : f64
  } {order = ["i", "j"]}
  return %E : tensor<?x?xf64, #Sums>
}

// E[j, part] = sum_i A[i, i] * B[i, j]: what is not on the diagonal is not inserted.
//
// CHECK-LABEL: func.func @diagonal_assemble(
// CHECK:           %[[ON:.+]] = arith.cmpi eq, %{{.+}}, %i : index
// CHECK-NEXT:      %[[NEW:.+]] = scf.if %[[ON]] -> (i1) {
// CHECK-NEXT:        %[[INSERTED:.+]] = nacho.insert at %j into %sums : <none>
// CHECK-NEXT:        scf.yield %[[INSERTED]] : i1
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %false : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[ONE:.+]] = arith.select %[[NEW]], %c1, %c0 : index
// CHECK-LABEL: func.func @diagonal_compute(
// CHECK:           %[[V:.+]] = nacho.binary mul
// CHECK-NEXT:      %[[ON:.+]] = arith.cmpi eq, %{{.+}}, %i : index
// CHECK-NEXT:      scf.if %[[ON]] {
// CHECK-NEXT:        nacho.insert %[[V]] : f64 at %j into
// CHECK-NEXT:      }
func.func @diagonal(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #Sums> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, i] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [j, part] : tensor<?x?xf64, #Sums> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j"]}
  return %E : tensor<?x?xf64, #Sums>
}
