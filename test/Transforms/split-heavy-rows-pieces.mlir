// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-remap-intersections -nacho-split-heavy-rows=pieces=1 -cse --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-remap-intersections -nacho-split-heavy-rows=pieces=2 -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=TWICE
// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-remap-intersections -nacho-split-heavy-rows=pieces=1 -cse -nacho-isolate-nests -nacho-partition-loops -nacho-bound-loops -nacho-assemble-outputs=drafts=some -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=PARTS
// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-find-coordinates=seek-shared -nacho-remap-intersections -nacho-split-heavy-rows=pieces=1 -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=FOUND
// RUN: nacho-opt %s -nacho-order-loops=whole-rows -nacho-concretize -cse -nacho-find-coordinates=seek-shared -nacho-remap-intersections -nacho-split-heavy-rows=pieces=1 -cse -nacho-isolate-nests -nacho-partition-loops -nacho-bound-loops -nacho-assemble-outputs=drafts=some -cse --mlir-use-nameloc-as-prefix | FileCheck %s --check-prefix=TABLES

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>

// The entries of L are listed again for each piece of their row: where the children of B
// in the piece begin and end, and how wide the piece is. A workspace holds one piece.
//
// CHECK-LABEL: func.func @spgemm(
// CHECK:         %[[A0:.+]] = nacho.root %arg0
// CHECK:         %[[B0:.+]] = nacho.root %arg1
// CHECK:         %L = nacho.nest collect<scanned_list>
// CHECK:           nacho.append %{{.+}} at(%i, %j, %posA, %posB) : i64
// CHECK:         %[[L0:.+]] = nacho.root %L scanned_list
// CHECK:         %P = nacho.nest collect<piece_list> : tensor<?x?x?x?x?x?x?xi64,
// CHECK-NEXT:      nacho.coiterate %i of (%[[ROW:.+]] = %[[L0]] : {{.+}}) in
// CHECK:             %[[EXTENT:.+]] = sparse_tensor.lvl %arg1, %c1
// CHECK-NEXT:        %[[SHIFT:.+]] = nacho.piece_shift %[[ROW]] of %[[EXTENT]]
// CHECK-NEXT:        nacho.coiterate %j of (%[[ENTRY:.+]] = %[[ROW]] : {{.+}}) in
// CHECK-NEXT:          %[[POS:.+]] = nacho.recall %[[ENTRY]] below 1
// CHECK-NEXT:          %[[WHOLE:.+]] = nacho.fiber_at %[[B0]][%[[POS]]] certain
// CHECK-NEXT:          %[[PIECES:.+]] = nacho.pieces %[[WHOLE]] by %[[SHIFT]]
// CHECK-NEXT:          nacho.coiterate %piece of (%[[SOME:.+]] = %[[PIECES]] : {{.+}}) in
// CHECK-DAG:             %[[BEGIN:.+]] = nacho.position %[[SOME]]
// CHECK-DAG:             %[[END:.+]] = nacho.position end %[[SOME]]
// CHECK-DAG:             %[[POSA:.+]] = nacho.recall %[[ENTRY]] below 0
// CHECK-DAG:             %[[CHILDREN:.+]] = nacho.children_at %[[B0]][%[[BEGIN]] to %[[END]]]
// CHECK-DAG:             nacho.cost <nnz> %[[CHILDREN]]
// CHECK:                 nacho.append %{{.+}} at(%i, %piece, %j, %[[POSA]], %[[BEGIN]], %[[END]], %[[SHIFT]]) : i64
// CHECK:         %[[P0:.+]] = nacho.root %P scanned_list
// CHECK:         %[[Z:.+]] = nacho.nest collect<whole_rows> reduce add row_pieces 1 : tensor<?x?xf64,
// CHECK-NEXT:      nacho.coiterate %i of (%[[ROW:.+]] = %[[P0]] : {{.+}}) in
// CHECK-NEXT:        nacho.coiterate %piece of (%[[PIECE:.+]] = %[[ROW]] : {{.+}}) in
// CHECK-NEXT:          nacho.coiterate %j of (%[[ENTRY:.+]] = %[[PIECE]] : {{.+}}) in
// CHECK-NOT:             prefetch begin
// CHECK:                 %[[BEGIN:.+]] = nacho.recall %[[ENTRY]] below 1 :
// CHECK-NEXT:            %[[END:.+]] = nacho.recall %[[ENTRY]] below 2 :
// CHECK-NEXT:            %[[B1:.+]] = nacho.children_at %[[B0]][%[[BEGIN]] to %[[END]]]
// CHECK-NEXT:            nacho.coiterate %k of (%{{.+}} = %[[B1]] : {{.+}}) in
// CHECK:                   nacho.append %{{.+}} at(%i, %k) : f64
// CHECK-NOT:     nacho.nest
// CHECK:         return %[[Z]]

// Pieces of pieces have as many coordinates as the list of pieces says.
//
// TWICE-LABEL: func.func @spgemm(
// TWICE:         %[[P0:.+]] = nacho.root %P scanned_list
// TWICE:         nacho.nest collect<piece_list> : tensor<?x?x?x?x?x?x?x?xi64,
// TWICE-NEXT:      nacho.coiterate %i of (%[[ROW:.+]] = %[[P0]]
// TWICE-NEXT:        nacho.coiterate %piece of (%[[PIECE:.+]] = %[[ROW]]
// TWICE-NEXT:          %[[WIDTH:.+]] = nacho.recall %[[PIECE]] below 4
// TWICE:               %[[EXTENT:.+]] = arith.shli %c1, %{{.+}} : index
// TWICE-NEXT:          %[[SHIFT:.+]] = nacho.piece_shift %[[PIECE]] of %[[EXTENT]]
// TWICE-NEXT:          nacho.coiterate %j of (%[[ENTRY:.+]] = %[[PIECE]]
// TWICE-NEXT:            %[[BEGIN:.+]] = nacho.recall %[[ENTRY]] below 1
// TWICE-NEXT:            %[[END:.+]] = nacho.recall %[[ENTRY]] below 2
// TWICE-NEXT:            %[[WHOLE:.+]] = nacho.children_at %{{.+}}[%[[BEGIN]] to %[[END]]]
// TWICE-NEXT:            nacho.pieces %[[WHOLE]] by %[[SHIFT]]
// TWICE-NEXT:            nacho.coiterate %[[FINER:.+]] of
// TWICE:                   nacho.append %{{.+}} at(%i, %piece, %[[FINER]], %j, %{{.+}}, %{{.+}}, %{{.+}}, %[[SHIFT]]) : i64
// TWICE:         nacho.nest collect<whole_rows> reduce add row_pieces 2 : tensor<?x?xf64,

// The list of pieces is cut between entries of L, counted, sorted by row and piece, and
// scanned. Parts of the result own whole pieces, and may begin inside of a row.
//
// Each part can be counted and computed alone: the list says what is kept, and `execute`
// sorts it.
//
// PARTS-LABEL: func.func @spgemm_1_assemble(
// PARTS-SAME:    llvm.emit_c_interface
// PARTS-LABEL: func.func @spgemm_1_compute(
// PARTS-SAME:    llvm.emit_c_interface
// PARTS-LABEL: func.func @spgemm_1_execute(
// PARTS-SAME:    loops = [<"i"[0]>, <"j"[0]>]
// PARTS-SAME:    collect = piece_list, kept = [2 of 1, 1 of 0, end 1 of 0, number]
// PARTS:         nacho.sort(%crd0, %crd1) below({{.+}}) along(%crd2, %crd3, %crd4, %crd5, %crd6) with %values
// PARTS-NEXT:    nacho.prefix_sum %values
// PARTS:         func.func {{.*}}@spgemm_{{.+}}(
// PARTS:         nacho.coiterate %i
// PARTS:           nacho.coiterate %piece
// PARTS-LABEL: func.func @spgemm_execute(
// PARTS-SAME:    loops = [<"i"[0]>, <"piece"[0]>]
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// A loop that steps through the rows of two operands is not cut.
//
// CHECK-LABEL: func.func @masked(
// CHECK-NOT:     piece_list
// CHECK:         nacho.nest collect<light_rows>
// CHECK:         return

// The part of a mask's row that lies in a piece is sought, and kept. Without one, the piece
// is left out. The entry pays for as much of the table as is in the piece.
//
// FOUND-LABEL: func.func @masked(
// FOUND:         %P = nacho.nest collect<piece_list>
// FOUND:           %[[SHIFT:.+]] = nacho.piece_shift
// FOUND:           nacho.coiterate %piece of (%[[OWN:.+]] = %{{.+}} : {{.+}}) in
// FOUND:             %[[MASK:.+]] = nacho.pieces %{{.+}} by %[[SHIFT]]
// FOUND-NEXT:        %[[SOME:.+]] = nacho.seek %piece in %[[MASK]]
// FOUND-NEXT:        %[[HAS:.+]] = nacho.present %[[SOME]]
// FOUND-DAG:         %[[BEGIN:.+]] = nacho.position %[[SOME]]
// FOUND-DAG:         %[[END:.+]] = nacho.position end %[[SOME]]
// FOUND:             nacho.cost <scan>
// FOUND:             arith.ceildivui
// FOUND:             nacho.append %{{.+}} at(%i, %piece, %j, %[[BEGIN]], %{{.+}}, %{{.+}}, %{{.+}}, %[[END]], %[[SHIFT]]) if %[[HAS]] : i64
// FOUND:         nacho.nest collect<whole_rows> reduce add row_pieces 1
// FOUND:           %[[MASK:.+]] = nacho.children_at %{{.+}}[%{{.+}} to %{{.+}}]
// FOUND:           nacho.find %k in %[[MASK]]

// A table is filled anew where the children are others: they may begin as those of the
// piece before, and be more.
//
// TABLES-LABEL: func.func @masked_1_assemble(
// TABLES-SAME:    llvm.emit_c_interface
// TABLES-LABEL: func.func @masked_1_execute(
// TABLES-SAME:    kept = [1 of 0, 3 of 2, 1 of 1, end 1 of 1, end 1 of 0, number]
// TABLES-LABEL: func.func private @masked_compute(
// TABLES:         %[[MASK:.+]] = nacho.children_at %A0[%[[BEGIN:.+]] to %[[END:.+]]]
// TABLES:         %[[FROM:.+]] = arith.minui %[[BEGIN]], %[[END]] : index
// TABLES-NEXT:    %[[OTHER:.+]] = arith.cmpi ne, %[[FROM]], %table
// TABLES-NEXT:    %[[CHILDREN:.+]] = arith.subi %[[END]], %[[FROM]] : index
// TABLES-NEXT:    %[[MORE:.+]] = arith.cmpi ne, %[[CHILDREN]], %table
// TABLES-NEXT:    %[[ANEW:.+]] = arith.ori %[[OTHER]], %[[MORE]]
// TABLES-NEXT:    scf.if %[[ANEW]] -> (index) {
// TABLES-NEXT:      nacho.renew %table for %[[CHILDREN]]
// TABLES:           nacho.coiterate %k of (%{{.+}} = %[[MASK]] :
func.func @masked(%M: tensor<?x?xf64, #CSR>, %A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%m = %M[i, k] : tensor<?x?xf64, #CSR>, %a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[j, k] : tensor<?x?xf64, #CSR>) -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %m, %0 : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
