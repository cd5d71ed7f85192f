// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{tile=32},canonicalize,cse)' \
// RUN:   | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// Callers may ask for cuts; a plan has the same, which parts find together with the others of
// their tile: first those with which it begins and ends, then, between these, all others.
//
//   if within == parts:
//     parallel number in ceil(parts / block) + 1:
//       row = min(number * block, parts)
//       if row is 0: bounds[row] = origin
//       else if row is parts: bounds[row] = limit
//       else: bounds[row] = cut between these
//   for stage in (within == parts ? 1 : 0) .. min(block, 2): ...
//
// CHECK-LABEL: func.func @add_partition(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[WITHIN:[^ ]+]]: index, %[[T:[^ ]+]]: index)
// CHECK-NOT:     nacho.tile
// CHECK:         %[[WHOLE:.+]] = arith.cmpi eq, %[[WITHIN]], %[[PARTS:.+]] : index
// CHECK-NEXT:    scf.if %[[WHOLE]] {
// CHECK:           %[[BLOCKS:.+]] = arith.ceildivui %[[PARTS]], %[[BLOCK:.+]] : index
// CHECK-NEXT:      %[[WORKERS:.+]] = arith.addi %[[BLOCKS]], %c1
// CHECK-NEXT:      nacho.parallel %[[NUMBER:.+]] in %[[WORKERS]] threads %[[T]] {
// CHECK-NEXT:        %[[ROW:.+]] = arith.muli %[[NUMBER]], %[[BLOCK]]
// CHECK-NEXT:        %[[AT:.+]] = arith.minui %[[ROW]], %[[PARTS]]
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[AT]]]
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[AT]]]
// CHECK:             nacho.search
// CHECK:             nacho.store_cut %{{.+}}, %[[BOUNDS]][%[[AT]]]
// CHECK:         %[[FIRST:.+]] = arith.select %[[WHOLE]], %c1, %c0 : index
// CHECK:         scf.for %{{.+}} = %[[FIRST]] to
// CHECK-NEXT:      nacho.parallel
// CHECK-NOT:     nacho.tile
// CHECK:         return
//
//   parallel part in parts:
//     begin, end = tile of part
//     for side in part - begin .. 2 step end - begin:
//       row = side is 0 ? begin : end
//       if row is 0: cuts[row - begin] = origin
//       else if row is parts: cuts[row - begin] = limit
//       else: cuts[row - begin] = cut between these
//     sync
//     if part is not begin: cuts[part - begin] = cut between cuts[0] and cuts[end - begin]
//
// CHECK-LABEL: func.func private @add_cuts(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x4xindex>, %[[T:[^ ]+]]: index)
// CHECK:         %[[TOTAL:.+]] = arith.select
// CHECK:         %[[PARTS:.+]] = arith.subi %{{.+}}, %c1
// CHECK-NEXT:    nacho.parallel %[[PART:.+]] in %[[PARTS]] threads %[[T]] {
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %[[PARTS]] by 32
// CHECK-NEXT:      %[[CUTS:.+]] = nacho.tile_cuts %[[BOUNDS]] : memref<?x4xindex> -> memref<33x4xindex>
// CHECK-NEXT:      %[[OWN:.+]] = arith.subi %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      %[[SIZE:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK-NEXT:      scf.for %[[SIDE:.+]] = %[[OWN]] to %c2 step %[[SIZE]] {
// CHECK-NEXT:        %[[IS_FIRST:.+]] = arith.cmpi eq, %[[SIDE]], %c0
// CHECK-NEXT:        %[[ROW:.+]] = arith.select %[[IS_FIRST]], %[[BEGIN]], %[[END]]
// CHECK-NEXT:        %[[AT:.+]] = arith.subi %[[ROW]], %[[BEGIN]]
// CHECK-NEXT:        %[[ORIGIN:.+]] = nacho.origin
// CHECK-NEXT:        %[[LIMIT:.+]] = nacho.limit %[[TOTAL]]
// CHECK-NEXT:        %[[IS_ORIGIN:.+]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK-NEXT:        scf.if %[[IS_ORIGIN]] {
// CHECK-NEXT:          nacho.store_cut %[[ORIGIN]], %[[CUTS]][%[[AT]]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[IS_LIMIT:.+]] = arith.cmpi eq, %[[ROW]], %[[PARTS]]
// CHECK-NEXT:          scf.if %[[IS_LIMIT]] {
// CHECK-NEXT:            nacho.store_cut %[[LIMIT]], %[[CUTS]][%[[AT]]]
// CHECK-NEXT:          } else {
// CHECK:                 %[[QUERY:.+]] = nacho.query %[[ROW]] of %[[PARTS]] from %c0 to %[[TOTAL]]
// CHECK-NEXT:            nacho.search %[[QUERY]] of{{.+}} between %[[ORIGIN]], %[[LIMIT]]
// CHECK:                 nacho.store_cut %{{.+}}, %[[CUTS]][%[[AT]]]
// CHECK:           nacho.tile_sync
// CHECK-NEXT:      %[[LO:.+]] = nacho.load_cut %[[CUTS]][%c0]
// CHECK:           %[[HI:.+]] = nacho.load_cut %[[CUTS]][%[[SIZE]]]
// CHECK-NEXT:      %[[INSIDE:.+]] = arith.cmpi ne, %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      scf.if %[[INSIDE]] {
// CHECK:             nacho.search %{{.+}} of{{.+}} between %[[LO]], %[[HI]]
// CHECK:             nacho.store_cut %{{.+}}, %[[CUTS]][%[[OWN]]]
// CHECK:         return
//
// Parts of tiles are counted together: callers cannot count a single one.
//
// CHECK-LABEL: func.func private @add_assemble(
// CHECK-LABEL: func.func private @add_scan(
// CHECK-LABEL: func.func @add_plan(
// CHECK:         call @add_cuts(
// CHECK-NEXT:    call @add_assemble(
// CHECK-NEXT:    call @add_scan(
func.func @add(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// Y[i, k] = A[i, j] * C[j, k]: a thread combines one sum of a row, and carries it from part to
// part, so that it need not wait for what it has just stored; its neighbours have the sums
// beside it.
//
// CHECK-LABEL: func.func @rows_combine(
// CHECK:         %[[K:.+]] = tensor.dim %{{.+}}, %c1
// CHECK:         nacho.parallel %[[WORKER:.+]] in
// CHECK:           %[[GROUP:.+]] = arith.divui %[[WORKER]], %[[K]]
// CHECK-NEXT:      %[[SUMS_BEFORE:.+]] = arith.muli %[[GROUP]], %[[K]]
// CHECK-NEXT:      %[[N:.+]] = arith.subi %[[WORKER]], %[[SUMS_BEFORE]]
// CHECK:           %[[COUNT:.+]] = memref.load %[[VISITED:.+]][%[[TAIL:.+]]] : memref<?xindex>
// CHECK-NEXT:      %[[SUM:.+]] = memref.load %[[PARTIALS:.+]][%{{.+}}, %[[N]]]
// CHECK:           %[[ALL:.+]]:2 = scf.for {{.+}} iter_args(%[[OPEN:.+]] = %[[COUNT]], %[[BEFORE:.+]] = %[[SUM]])
// CHECK:             %[[OWN:.+]] = memref.load %[[VISITED]]
// CHECK-NEXT:        %[[ALONE:.+]] = memref.load %[[PARTIALS]][%{{.+}}, %[[N]]]
// CHECK-NEXT:        %[[HAS_OWN:.+]] = arith.cmpi ne, %[[OWN]], %c0
// CHECK-NEXT:        %[[ZERO:.+]] = nacho.cast
// CHECK-NEXT:        %[[OTHER:.+]] = arith.select %[[HAS_OWN]], %[[ALONE]], %[[ZERO]]
// CHECK-NEXT:        %[[IS_OPEN:.+]] = arith.cmpi ne, %[[OPEN]], %c0
// CHECK-NEXT:        %[[BOTH:.+]] = nacho.binary add %[[BEFORE]], %[[OTHER]]
// CHECK-NEXT:        %[[AFTER:.+]] = arith.select %[[IS_OPEN]], %[[BOTH]], %[[ALONE]]
// CHECK-NEXT:        %[[NEXT:.+]] = arith.addi %[[OPEN]], %[[OWN]]
// CHECK-NEXT:        scf.yield %[[NEXT]], %[[AFTER]]
// CHECK:           memref.store %[[ALL]]#1, %[[PARTIALS]]
// CHECK:           memref.store %[[ALL]]#0, %[[VISITED]]
// CHECK:         nacho.parallel
// CHECK-COUNT-4:   scf.for %{{.+}} iter_args(
// CHECK-NOT:       memref.store %{{.+}}, %[[PARTIALS]]
// CHECK:           memref.store %{{.+}} : memref<?xf64>
// CHECK:         return
func.func @rows(%A: tensor<?x?xf64, #CSR>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %Y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %c = %C[j, k] : tensor<?x?xf64>)
      -> [i, k] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %c : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Y : tensor<?x?xf64>
}

// s = A[i, j]: so does the thread that combines all parts, in another order.
//
// CHECK-LABEL: func.func @sum_combine(
// CHECK:         nacho.parallel
// CHECK:           %[[ALL:.+]]:2 = scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[BEFORE:.+]] = %{{.+}})
// CHECK:             %[[OTHER:.+]] = memref.load %[[PARTIALS:.+]][%{{.+}}, %c0]
// CHECK-NEXT:        %[[BOTH:.+]] = nacho.binary add %[[OTHER]], %[[BEFORE]]
// CHECK:             arith.select %{{.+}}, %[[BOTH]], %[[BEFORE]]
// CHECK:           memref.store %[[ALL]]#1, %[[PARTIALS]]
// CHECK:         nacho.parallel
// CHECK-NOT:       memref.store %{{.+}}, %[[PARTIALS]]
// CHECK:         return
func.func @sum(%A: tensor<?x?xf64, #CSR>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i, j] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<f64>
}

// The values of blocks are set one by one, too.
//
// CHECK-LABEL: func.func @spread_fill(
// CHECK:         %[[SIZE:.+]] = memref.dim %[[VALUES:[^ ,]+]], %c0
// CHECK-NEXT:    nacho.parallel %[[AT:.+]] in %[[SIZE]]
// CHECK-NOT:       %c2048
// CHECK:           memref.store %{{.+}}, %[[VALUES]]
func.func @spread(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64> {
    %0 = nacho.binary mul %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64>
}

// Z[i, j] = A[i, j] * X[i, k]: the cuts tell where parts append, and the last one knows the
// sizes. Nothing is scanned.
//
// CHECK-LABEL: func.func private @positions_assemble(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x1xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>, %[[SIZES:[^ ]+]]: memref<5xindex>, %{{[^ ]+}}: memref<i32>, %{{[^ ]+}}: index)
// CHECK-NOT:       nacho.coiterate
// CHECK:           %[[ALL:.+]] = nacho.cost <nnz>
// CHECK-NEXT:      %[[END:.+]] = arith.minui %{{.+}}, %[[ALL]] : index
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.minui %{{.+}}, %[[ALL]] : index
// CHECK:           memref.store %{{.+}}, %[[COUNTS]][%[[PART:.+]], %c0]
// CHECK-NEXT:      memref.store %[[BEGIN]], %[[OFFSETS]][%[[PART]], %c0]
// CHECK-NEXT:      %[[IS_LAST:.+]] = arith.cmpi eq, %{{.+}}, %[[PARTS:.+]] : index
// CHECK-NEXT:      scf.if %[[IS_LAST]] {
// CHECK-NEXT:        memref.store %[[END]], %[[OFFSETS]][%[[PARTS]], %c0]
// CHECK:             memref.store %{{.+}}, %[[SIZES]][%c1]
// CHECK-NOT:   func.func private @positions_scan(
// CHECK-LABEL: func.func @positions_plan(
// CHECK:         call @positions_cuts(
// CHECK-NEXT:    call @positions_assemble(
// CHECK-NEXT:    return
func.func @positions(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %x = %X[i, k] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %x : f64
    %1 = nacho.reduce add %0 over [k] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Without a dense loop inside, parts append as soon as those before them have counted.
//
// CHECK-LABEL: func.func private @negative_scaled_assemble(
// CHECK-NOT:       nacho.coiterate
// CHECK:           nacho.cut_position
// CHECK-LABEL: func.func private @negative_scaled_scan(
// CHECK:         nacho.exclusive_scan
func.func @negative_scaled(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// The entries of an intersection are counted.
//
// CHECK-LABEL: func.func private @negative_both_assemble(
// CHECK:           nacho.coiterate
// CHECK-LABEL: func.func private @negative_both_scan(
func.func @negative_both(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                         %X: tensor<?x?xf64>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %x = %X[i, k] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %x : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
