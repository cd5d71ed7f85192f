// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},nacho-find-coordinates,%{cut},%{assemble})' \
// RUN:   | FileCheck %s

// What is found by its coordinate: a part remembers a fiber in the table of its thread, as
// long as the loops outside come back to it.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 64 }>
#Default = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#RowSums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>

// Nothing is found, and there are no tables.
//
// CHECK-LABEL: func.func @negative_nothing_found_assemble(
// CHECK-SAME:    %bounds: memref<?x{{.+}}xindex>, %counts: memref<?x1xindex>, %status: memref<i32>, %threads: index)
// CHECK-NOT:     nacho.workspace
// CHECK-LABEL: func.func @negative_nothing_found_execute(
// CHECK-NOT:     tables = 
// CHECK:         return
func.func @negative_nothing_found(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[i] : tensor<?xf64, #SV>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// E[i, k, part] = sum_j M[i, k] * A[i, j] * B[j, k]. Coordinates of the table are as wide as
// those of M; it is one more than the one for the sums.
//
// CHECK-LABEL: func.func @masked_spgemm_assemble(
// CHECK-SAME:    %[[M:[^ ]+]]: tensor<{{[^:]+}}, %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[B:[^ ]+]]: tensor<
// CHECK-SAME:    %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %found_keys: memref<?x?xi32>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi32>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK:           %sums = nacho.workspace
// CHECK-NEXT:      %[[SLOT:.+]] = nacho.slot
// CHECK-NEXT:      %[[N:.+]] = sparse_tensor.lvl %[[M]], %c1
// CHECK-NEXT:      %table = nacho.workspace marks %found_marks keys %found_keys with %found_numbers row %[[SLOT]] extent %[[N]] status %status : {{.+}} -> <i32>
//
// At first nothing is remembered: no fiber is at position -1, but one that is absent, and
// has no children.
// CHECK-NEXT:      %[[ALL:.+]]:3 = nacho.coiterate %i of (%A1 = %A0 : {{.+}}, %B1 = %B0 : {{.+}}) {{.+}} iter_args(%{{.+}} = %c0 : index, %[[OUTER:.+]] = %c-1 : index, %[[OUTER_SIZE:.+]] = %c0 : index) {
// CHECK-NEXT:        %[[ROW:.+]]:4 = nacho.coiterate %j of {{.+}} iter_args(%[[BEFORE:[^ ]+]] = %{{[^ ]+}} : index, %[[REMEMBERED:[^ ]+]] = %[[OUTER]] : index, %[[SIZE:[^ ]+]] = %[[OUTER_SIZE]] : index, {{.+}}) {
//
// if position(M[i]) is not what is remembered:
//   size = size(M[i])
//   renew the table; for k in M[i]: table[k] = number of the child at k
// CHECK-NEXT:          %[[POSITION:.+]] = nacho.position %A1 :
// CHECK-NEXT:          %[[OTHER:.+]] = arith.cmpi ne, %[[POSITION]], %[[REMEMBERED]] : index
// CHECK-NEXT:          %[[KEPT:.+]] = scf.if %[[OTHER]] -> (index) {
// CHECK-NEXT:            %[[CHILDREN:.+]] = nacho.cost <loops> %A1 :
// CHECK-NEXT:            nacho.renew %table for %[[CHILDREN]] : <i32>
// CHECK-NEXT:            nacho.coiterate %[[K:.+]] of (%[[CHILD:.+]] = %A1 : {{[^)]+}}) in %[[CHILD]] {
// CHECK-NEXT:              %[[AT:.+]] = nacho.child_number %[[CHILD]] in %A1 :
// CHECK-NEXT:              %[[NUMBER:.+]] = arith.index_castui %[[AT]] : index to i32
// CHECK-NEXT:              nacho.insert %[[NUMBER]] : i32 at %[[K]] into %table : <i32>
// CHECK-NEXT:            }
// CHECK-NEXT:            scf.yield %[[CHILDREN]] : index
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %[[SIZE]] : index
// CHECK-NEXT:          }
//
// What M does not have is not counted.
// CHECK-NEXT:          %[[ONE_ROW:.+]]:2 = nacho.coiterate %k of (%C2 = %C1 : {{[^)]+}}) in %C2 {{.+}} iter_args(%[[SO_FAR:[^ ]+]] = %[[BEFORE]] : index, %{{[^ ]+}} = %false : i1) {
// CHECK-NEXT:            %A2 = nacho.find %k in %A1 : {{.+}} by %table : !nacho.workspace<i32>
// CHECK-NEXT:            %[[THERE:.+]] = nacho.present %A2 :
// CHECK-NEXT:            %[[NEW:.+]] = scf.if %[[THERE]] -> (i1) {
// CHECK-NEXT:              %[[INSERTED:.+]] = nacho.insert distinct at %k into %sums : <none>
// CHECK-NEXT:              scf.yield %[[INSERTED]] : i1
// CHECK-NEXT:            } else {
// CHECK-NEXT:              scf.yield %false : i1
// CHECK-NEXT:            }
// CHECK:                 nacho.yield %{{[^ ]+}}, %{{[^ ]+}} : index, i1
//
// The next row of B finds the same; so may the next row, but for what is remembered.
// CHECK:               nacho.yield %[[ONE_ROW]]#0, %[[POSITION]], %[[KEPT]], %{{.+}} : index, index, index, i1
// CHECK:             nacho.yield %[[ROW]]#0, %[[ROW]]#1, %[[ROW]]#2 : index, index, index
// CHECK-NEXT:      }
//
// When a part is done its tables are empty.
// CHECK-NEXT:      nacho.renew %table for %c0 : <i32>
// CHECK-NEXT:      memref.store %[[ALL]]#0, %counts[%part, %c0]
//
// CHECK-LABEL: func.func @masked_spgemm_compute(
// CHECK-SAME:    %sums: memref<?x?xf64>, %found_keys: memref<?x?xi32>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi32>, %status: memref<i32>, %threads: index)
// CHECK:           %table = nacho.workspace marks %found_marks keys %found_keys with %found_numbers row
// CHECK:           nacho.coiterate %i of {{.+}} iter_args({{.+}}, %{{.+}} = %c-1 : index, %{{.+}} = %c0 : index) {
// CHECK:             nacho.coiterate %j of
// CHECK:               %[[POSITION:.+]] = nacho.position %A1 :
// CHECK:               arith.cmpi ne, %[[POSITION]], %{{.+}} : index
// CHECK:                 nacho.insert %{{.+}} : i32 at %{{.+}} into %table : <i32>
// CHECK:               nacho.coiterate %k of
// CHECK-NEXT:            %A2 = nacho.find %k in %A1 : {{.+}} by %table
// CHECK-NEXT:            %[[THERE:.+]] = nacho.present %A2 :
// CHECK-NEXT:            %a = nacho.load %A2
// CHECK:                 scf.if %[[THERE]] {
// CHECK-NEXT:              nacho.insert %{{.+}} : f64 distinct at %k into
// CHECK-NEXT:            }
// CHECK:           nacho.renew %table for %c0 : <i32>
//
// CHECK-LABEL: func.func @masked_spgemm_plan(
// CHECK-SAME:    %sizes: memref<7xindex>, %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %found_keys: memref<?x?xi32>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi32>, %status: memref<i32>, %threads: index)
// CHECK:         call @masked_spgemm_assemble({{.+}}, %bounds, %counts, %keys, %marks, %found_keys, %found_marks, %found_numbers, %status, %threads)
//
// The table is for level 1 of operand 0.
//
// CHECK-LABEL: func.func @masked_spgemm_execute(
// CHECK-SAME:    buffers = <name = "masked_spgemm", result = tensor<?x?x?xf64, #{{[^>]+}}>, counts = 1, fixedParts = true, collect = part_sums, workspaceLevel = 1, tables = [1 of 0]>, reads = {{.+}}>} {
// CHECK:         call @masked_spgemm_compute({{.+}}, %sums, %found_keys, %found_marks, %found_numbers, %status, %threads)
func.func @masked_spgemm(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #RowSums> {
  %E = nacho.assign collect<part_sums> (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #RowSums> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    nacho.yield %1 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #RowSums>
}

// y[i] = sum_j A[i, j] * x[j]: there is nothing to be counted, and so the plan has no use
// for the table that it gets. The sum goes on where x is absent.
//
// CHECK-LABEL: func.func @sparse_vector_compute(
// CHECK-SAME:    %visited: memref<?xindex>, %found_keys: memref<?x?xi64>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi64>, %status: memref<i32>, %threads: index)
// CHECK:           %table = nacho.workspace marks %found_marks keys %found_keys with %found_numbers row
// CHECK-NEXT:      nacho.coiterate %i of {{.+}} iter_args(%[[REMEMBERED:[^ ]+]] = %c-1 : index, %[[SIZE:[^ ]+]] = %c0 : index) {
// CHECK:             %[[POSITION:.+]] = nacho.position %B0 :
// CHECK-NEXT:        %[[OTHER:.+]] = arith.cmpi ne, %[[POSITION]], %[[REMEMBERED]] : index
// CHECK-NEXT:        %[[KEPT:.+]] = scf.if %[[OTHER]] -> (index) {
// CHECK-NEXT:          %[[CHILDREN:.+]] = nacho.cost <loops> %B0 :
// CHECK-NEXT:          nacho.renew %table for %[[CHILDREN]] : <i64>
// CHECK-NEXT:          nacho.coiterate %{{.+}} of (%{{.+}} = %B0 :
// CHECK:             nacho.coiterate %j of {{.+}} iter_args(%{{[^ ]+}} = %c0 : index, %[[SUM:[^ ]+]] = %{{[^ ]+}} : f64) {
// CHECK-NEXT:          %B1 = nacho.find %j in %B0 : {{.+}} by %table
// CHECK-NEXT:          %[[THERE:.+]] = nacho.present %B1 :
// CHECK:               %[[NEXT:.+]]:2 = scf.if %[[THERE]] -> (index, f64) {
// CHECK:                 %[[MORE:.+]] = nacho.binary add %[[SUM]], %{{.+}} reassociable : f64
// CHECK-NEXT:            scf.yield %{{[^ ]+}}, %[[MORE]] : index, f64
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %{{[^ ]+}}, %[[SUM]] : index, f64
// CHECK-NEXT:          }
// CHECK-NEXT:          nacho.yield %[[NEXT]]#0, %[[NEXT]]#1 : index, f64
// CHECK:             nacho.yield %[[POSITION]], %[[KEPT]] : index, index
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.renew %table for %c0 : <i64>
//
// CHECK-LABEL: func.func @sparse_vector_plan(
// CHECK-SAME:    %sizes: memref<3xindex>, %found_keys: memref<?x?xi64>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi64>, %status: memref<i32>, %threads: index)
// CHECK-LABEL: func.func @sparse_vector_execute(
// CHECK-SAME:    , partials = [f64], tables = [0 of 1]>, reads = {{.+}}>} {
func.func @sparse_vector(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Z[i, j] = A[i, j] * (x[j] + y[j]): each has a table of its own.
//
// CHECK-LABEL: func.func @two_tables_assemble(
// CHECK-SAME:    %counts: memref<?x1xindex>, %[[KEYS:[^ ]+]]: memref<?x?xi64>, %[[MARKS:[^ ]+]]: memref<?x?xi64>, %[[NUMBERS:[^ ]+]]: memref<?x?xi64>, %[[KEYS2:[^ ]+]]: memref<?x?xi64>, %[[MARKS2:[^ ]+]]: memref<?x?xi64>, %[[NUMBERS2:[^ ]+]]: memref<?x?xi64>, %status: memref<i32>, %threads: index)
// CHECK:           %[[TABLE:.+]] = nacho.workspace marks %[[MARKS]] keys %[[KEYS]] with %[[NUMBERS]] row %[[SLOT:[^ ]+]]
// CHECK:           %[[TABLE2:.+]] = nacho.workspace marks %[[MARKS2]] keys %[[KEYS2]] with %[[NUMBERS2]] row %[[SLOT]]
// CHECK-NEXT:      nacho.coiterate %i of {{.+}} iter_args({{.*}}%{{[^ ]+}} = %c-1 : index, %{{[^ ]+}} = %c0 : index, %{{[^ ]+}} = %c-1 : index, %{{[^ ]+}} = %c0 : index) {
// CHECK:             nacho.position %B0 :
// CHECK:             scf.if
// CHECK-NEXT:          nacho.cost <loops> %B0
// CHECK-NEXT:          nacho.renew %[[TABLE]] for
// CHECK:                 nacho.insert %{{.+}} : i64 at %{{.+}} into %[[TABLE]] :
// CHECK:             nacho.position %C0 :
// CHECK:             scf.if
// CHECK-NEXT:          nacho.cost <loops> %C0
// CHECK-NEXT:          nacho.renew %[[TABLE2]] for
// CHECK:                 nacho.insert %{{.+}} : i64 at %{{.+}} into %[[TABLE2]] :
// CHECK:             nacho.coiterate %j of
// CHECK-NEXT:          nacho.find %j in %B0 : {{.+}} by %[[TABLE]] :
// CHECK-NEXT:          nacho.find %j in %C0 : {{.+}} by %[[TABLE2]] :
// CHECK:           nacho.renew %[[TABLE]] for %c0
// CHECK-NEXT:      nacho.renew %[[TABLE2]] for %c0
// CHECK-LABEL: func.func @two_tables_execute(
// CHECK-SAME:    , counts = 1, tables = [0 of 1, 0 of 2]>, reads = {{.+}}>} {
func.func @two_tables(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #SV>, %y: tensor<?xf64, #SV>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #SV>,
                     %c = %y[j] : tensor<?xf64, #SV>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %b, %c : f64
    %1 = nacho.binary mul %a, %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The coordinates of MLIR's default width are kept as i64 in a table.
//
// CHECK-LABEL: func.func @default_width_plan(
// CHECK-SAME:    %found_keys: memref<?x?xi64>, %found_marks: memref<?x?xi64>, %found_numbers: memref<?x?xi64>,
func.func @default_width(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #Default>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64, #Default>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}
