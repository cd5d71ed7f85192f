// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s

#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
#DV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>
#AllDense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
#Rows = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
!R0 = !nacho.fiber<tensor<?x?xf64, #Rows>, 0>
!A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
!A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
!A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>

// CHECK-DAG: #[[DCSR:[^ ]+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
// CHECK-DAG: ![[T0:[^ ]+]] = !nacho.fiber<tensor<?x?xf64, #[[DCSR]]>, 0>
// CHECK-DAG: ![[T1:[^ ]+]] = !nacho.fiber<tensor<?x?xf64, #[[DCSR]]>, 1>
// CHECK-DAG: ![[T2:[^ ]+]] = !nacho.fiber<tensor<?x?xf64, #[[DCSR]]>, 2>

// The listing of DCSR addition in the paper, section 2.2.
//
// CHECK-LABEL: func.func @dcsr_add(
// CHECK-SAME:    %[[A:.+]]: tensor<?x?xf64, #[[DCSR]]>, %[[B:.+]]: tensor<?x?xf64, #[[DCSR]]>)
// CHECK-NEXT:    %[[ROOT_A:.+]] = nacho.root %[[A]] : tensor<?x?xf64, #[[DCSR]]>
// CHECK-NEXT:    %[[ROOT_B:.+]] = nacho.root %[[B]] : tensor<?x?xf64, #[[DCSR]]>
// CHECK-NEXT:    %[[Z:.+]] = nacho.nest : tensor<?x?xf64, #[[DCSR]]> {
//
// while i <- rows(A) u rows(B):
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of
// CHECK-SAME:        (%[[ROW_A:.+]] = %[[ROOT_A]] : ![[T0]], %[[ROW_B:.+]] = %[[ROOT_B]] : ![[T0]])
// CHECK-SAME:        in union(%[[ROW_A]], %[[ROW_B]]) {
//
//   while j <- cols(A[i]) u cols(B[i]):
// CHECK-NEXT:        nacho.coiterate %[[J:.+]] of
// CHECK-SAME:          (%[[IJ_A:.+]] = %[[ROW_A]] : ![[T1]], %[[IJ_B:.+]] = %[[ROW_B]] : ![[T1]])
// CHECK-SAME:          in union(%[[IJ_A]], %[[IJ_B]]) {
//
//     Z[i, j] = A[i, j] + B[i, j]
// CHECK-NEXT:          %[[a:.+]] = nacho.load %[[IJ_A]] : ![[T2]]
// CHECK-NEXT:          %[[b:.+]] = nacho.load %[[IJ_B]] : ![[T2]]
// CHECK-NEXT:          %[[z:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:          nacho.append %[[z]] at(%[[I]], %[[J]]) : f64
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Z]]
func.func @dcsr_add(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in union(%A2, %B2) {
        %a = nacho.load %A2 : !A2
        %b = nacho.load %B2 : !A2
        %z = nacho.binary add %a, %b : f64
        nacho.append %z at (%i, %j) : f64
      }
    }
    nacho.yield
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// A nest that is cut, and one whose loops are bounded to a part.
//
// CHECK-LABEL: func.func @cut_nests(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[CUTS:[^ ]+]]: !nacho.cuts<1, 1>)
// CHECK:         nacho.nest in %[[CUTS]] : !nacho.cuts<1, 1> : tensor<?x?xf64, #[[DCSR]]> {
// CHECK-NEXT:      nacho.coiterate
// CHECK:         nacho.nest in %[[CUTS]] : !nacho.cuts<1, 1> {note = "kept"} : tensor<?x?xf64, #[[DCSR]]> {
// CHECK-NEXT:    ^{{.+}}(%[[LO:.+]]: !nacho.cut<1, 1>, %[[HI:.+]]: !nacho.cut<1, 1>):
// CHECK-NEXT:      nacho.coiterate %{{.+}} of (%[[A1:.+]] = %[[A0]] : ![[T0]]) in %[[A1]]
// CHECK-SAME:        between (%[[LO1:.+]] = %[[LO]], %[[HI1:.+]] = %[[HI]] : !nacho.cut<1, 1>) {
// CHECK-NEXT:        nacho.coiterate %{{.+}} of (%[[A2:.+]] = %[[A1]] : ![[T1]]) in %[[A2]]
// CHECK-SAME:          between (%{{.+}} = %[[LO1]], %{{.+}} = %[[HI1]] : !nacho.cut<1>) {
func.func @cut_nests(%A0: !A0, %cuts: !nacho.cuts<1, 1>) {
  %Y = nacho.nest in %cuts : !nacho.cuts<1, 1> : tensor<?x?xf64, #DCSR> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
      }
    }
    nacho.yield
  }
  %Z = nacho.nest in %cuts : !nacho.cuts<1, 1> {note = "kept"} : tensor<?x?xf64, #DCSR> {
  ^bb0(%lo: !nacho.cut<1, 1>, %hi: !nacho.cut<1, 1>):
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1
        between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
      nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2
          between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      }
    }
    nacho.yield
  }
  return
}

// Values carried around a loop, with and without bounds; the operands keep
// their numbers in the merge expression, also one that it does not name.
//
// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[X:[^ ]+]]: ![[T1]], %[[Y:[^ ]+]]: ![[T1]], %[[W:[^ ]+]]: ![[T1]],
// CHECK-SAME:    %[[LO:[^ ]+]]: !nacho.cut<3>, %[[HI:[^ ]+]]: !nacho.cut<3>,
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[F:[^ ]+]]: f64)
// CHECK-NEXT:    %[[C:.+]] = nacho.coiterate %[[I:.+]] of (%[[X1:.+]] = %[[X]] : ![[T1]],
// CHECK-SAME:      %[[Y1:.+]] = %[[Y]] : ![[T1]], %[[W1:.+]] = %[[W]] : ![[T1]])
// CHECK-SAME:      in intersect(%[[W1]], union(%[[X1]])) iter_args(%[[CARRIED:.+]] = %[[N]] : index) {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[CARRIED]], %[[I]] : index
// CHECK-NEXT:      nacho.yield %[[NEXT]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.+}}:2 = nacho.coiterate
// CHECK-SAME:      in union(
// CHECK-SAME:      between (%{{.+}} = %[[LO]], %{{.+}} = %[[HI]] : !nacho.cut<3>)
// CHECK-SAME:      iter_args(%[[M:.+]] = %[[C]] : index, %[[G:.+]] = %[[F]] : f64) {
// CHECK-NEXT:      nacho.yield %[[M]], %[[G]] : index, f64
// CHECK-NEXT:    } {note = "kept"}
func.func @carried(%x: !A1, %y: !A1, %w: !A1, %lo: !nacho.cut<3>,
                   %hi: !nacho.cut<3>, %n: index, %f: f64) -> (index, f64) {
  %count = nacho.coiterate %i of (%x1 = %x : !A1, %y1 = %y : !A1, %w1 = %w : !A1)
      in intersect(%w1, union(%x1)) iter_args(%c = %n : index) {
    %next = arith.addi %c, %i : index
    nacho.yield %next : index
  }
  %r:2 = nacho.coiterate %i of (%x1 = %x : !A1, %y1 = %y : !A1, %w1 = %w : !A1)
      in union(%x1, intersect(%y1, %w1)) between (%l = %lo, %h = %hi : !nacho.cut<3>)
      iter_args(%m = %count : index, %g = %f : f64) {
    nacho.yield %m, %g : index, f64
  } {note = "kept"}
  return %r#0, %r#1 : index, f64
}

// The number of the access that a root comes from, and a nest whose entries are
// reduced.
//
// CHECK-LABEL: func.func @reduced(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %[[CUTS:[^ ]+]]: !nacho.cuts<1>)
// CHECK-NEXT:    %[[A0:.+]] = nacho.root %[[A]] : tensor<?x?xf64, #[[DCSR]]> {input = 3 : i64}
// CHECK-NEXT:    nacho.nest reduce add : tensor<?xf64> {
// CHECK:         nacho.nest reduce max in %[[CUTS]] : !nacho.cuts<1> {note = "kept"} : tensor<?xf64> {
func.func @reduced(%A: tensor<?x?xf64, #DCSR>, %cuts: !nacho.cuts<1>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR> {input = 3}
  %y = nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  %z = nacho.nest reduce max in %cuts : !nacho.cuts<1> {note = "kept"} : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// Two reductions, of which an entry is made in the end.
//
// CHECK-LABEL: func.func @finished(
// CHECK:         nacho.nest reduce add : tensor<?xf64> {
// CHECK-NEXT:      nacho.coiterate %[[I:.+]] of
// CHECK-NEXT:        nacho.append %[[X:.+]] at(%[[I]]) : i64
// CHECK-NEXT:        nacho.append %[[Y:.+]] to 1 at(%[[I]]) if %{{.+}} : f64
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.yield
// CHECK-NEXT:    } finish {
// CHECK-NEXT:    ^{{.+}}(%[[SUM_X:.+]]: i64, %[[SUM_Y:.+]]: f64):
// CHECK-NEXT:      %[[WIDE:.+]] = nacho.cast %[[SUM_X]] : i64 to f64
// CHECK-NEXT:      %[[Z:.+]] = nacho.binary add %[[WIDE]], %[[SUM_Y]] : f64
// CHECK-NEXT:      nacho.yield %[[Z]] : f64
// CHECK-NEXT:    }
func.func @finished(%A0: !A0, %x: i64, %y: f64, %p: i1) {
  %z = nacho.nest reduce add : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.append %x to 0 at (%i) : i64
      nacho.append %y to 1 at (%i) if %p : f64
    }
    nacho.yield
  } finish {
  ^bb0(%sx: i64, %sy: f64):
    %0 = nacho.cast %sx : i64 to f64
    %1 = nacho.binary add %0, %sy : f64
    nacho.yield %1 : f64
  }
  return
}

// A loop over all coordinates, with and without fibers; one that is run if a fiber
// is present, or else steps through another one. What is given is not a fiber
// of the body.
//
// CHECK-LABEL: func.func @all_coordinates(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[B1:[^ ]+]]: ![[T1]], %[[C2:[^ ]+]]: ![[T2]],
// CHECK-SAME:    %[[LO:[^ ]+]]: !nacho.cut<0, 1>, %[[HI:[^ ]+]]: !nacho.cut<0, 1>, %[[N:[^ ]+]]: index)
// CHECK-NEXT:    nacho.coiterate %{{.+}} to %[[N]] of () in intersect()
// CHECK-SAME:      between (%[[LO1:.+]] = %[[LO]], %[[HI1:.+]] = %[[HI]] : !nacho.cut<0, 1>) {
// CHECK-NEXT:      nacho.coiterate %{{.+}} to %[[N]] of (%[[A1:.+]] = %[[A0]] : ![[T0]])
// CHECK-SAME:        given (%[[B1]] : ![[T1]], %[[C2]] : ![[T2]])
// CHECK-SAME:        in intersect(%[[B1]], union(%[[A1]], %[[C2]]))
// CHECK-SAME:        between (%{{.+}} = %[[LO1]], %{{.+}} = %[[HI1]] : !nacho.cut<1>) {
// CHECK-NEXT:        nacho.present %[[A1]] : ![[T1]]
func.func @all_coordinates(%A0: !A0, %B1: !A1, %C2: !A2, %lo: !nacho.cut<0, 1>,
                           %hi: !nacho.cut<0, 1>, %N: index) {
  nacho.coiterate %i to %N of () in intersect()
      between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<0, 1>) {
    nacho.coiterate %j to %N of (%A1 = %A0 : !A0) given (%B1 : !A1, %C2 : !A2)
        in intersect(%B1, union(%A1, %C2))
        between (%lo2 = %lo1, %hi2 = %hi1 : !nacho.cut<1>) {
      %0 = nacho.present %A1 : !A1
    }
  }
  return
}

// Rows that have no entries are as good as absent.
//
// CHECK-LABEL: func.func @nonempty_children(
// CHECK:         nacho.coiterate %{{.+}} of (%[[A1:.+]] = %{{.+}}, %[[B1:.+]] = %{{.+}}) in union(%[[A1]], %[[B1]]) nonempty(%[[B1]], %[[A1]])
// CHECK-SAME:      between (
func.func @nonempty_children(%A: tensor<?x?xf64, #Rows>, %B: tensor<?x?xf64, #Rows>,
                             %lo: !nacho.cut<2>, %hi: !nacho.cut<2>) {
  %A0 = nacho.root %A : tensor<?x?xf64, #Rows>
  %B0 = nacho.root %B : tensor<?x?xf64, #Rows>
  nacho.coiterate %i of (%A1 = %A0 : !R0, %B1 = %B0 : !R0) in union(%A1, %B1)
      nonempty(%B1, %A1) between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<2>) {
  }
  return
}

// Entries that are appended under a condition, and those that have no
// coordinates.
//
// CHECK-LABEL: func.func @appends(
// CHECK-SAME:    %[[V:[^ ]+]]: f64, %[[P:[^ ]+]]: i1)
// CHECK:           nacho.append %[[V]] at(%{{.+}}) if %[[P]] : f64
// CHECK:           nacho.append %[[V]] at() if %[[P]] {note = "kept"} : f64
// CHECK-NEXT:      nacho.append %[[V]] at() : f64
func.func @appends(%A0: !A0, %v: f64, %p: i1) {
  %y = nacho.nest : tensor<?xf64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.append %v at (%i) if %p : f64
    }
    nacho.yield
  }
  %z = nacho.nest reduce add : tensor<f64> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      nacho.append %v at () if %p {note = "kept"} : f64
      nacho.append %v at () : f64
    }
    nacho.yield
  }
  return
}

// An operand that is named twice is one operand.
//
// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[X:[^ ]+]]: ![[T2]], %[[Y:[^ ]+]]: ![[T2]])
// CHECK-NEXT:    %[[V:.+]] = nacho.load %[[X]] : ![[T2]]
// CHECK-NEXT:    %[[P:.+]] = nacho.present %[[Y]] : ![[T2]]
// CHECK-NEXT:    %[[R:.+]] = nacho.restrict %[[V]] to union(intersect(%[[Y]], %[[X]]), %[[Y]]) : f64 of ![[T2]], ![[T2]]
// CHECK-NEXT:    return %[[R]], %[[P]]
func.func @elements(%x: !A2, %y: !A2) -> (f64, i1) {
  %v = nacho.load %x : !A2
  %p = nacho.present %y : !A2
  %r = nacho.restrict %v to union(intersect(%y, %x), %y) : f64 of !A2, !A2
  return %r, %p : f64, i1
}

// Elements of dense tensors, whether they have an encoding or not, are found by
// their coordinates.
//
// CHECK-LABEL: func.func @located(
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<?x?xf64>, %[[Y:[^ ]+]]: tensor<4xi8, #{{[^ ]+}}>, %[[I:[^ ]+]]: index, %[[J:[^ ]+]]: index, %[[P:[^ ]+]]: i1)
// CHECK-NEXT:    %[[x:.+]] = nacho.locate %[[X]][%[[I]], %[[J]]] : tensor<?x?xf64>
// CHECK-NEXT:    %[[y:.+]] = nacho.locate %[[Y]][%[[J]]] if %[[P]] {note = "kept"} : tensor<4xi8, #{{.+}}>
// CHECK-NEXT:    return %[[x]], %[[y]] : f64, i8
func.func @located(%X: tensor<?x?xf64>, %Y: tensor<4xi8, #DV>, %i: index, %j: index,
                   %p: i1) -> (f64, i8) {
  %x = nacho.locate %X[%i, %j] : tensor<?x?xf64>
  %y = nacho.locate %Y[%j] if %p {note = "kept"} : tensor<4xi8, #DV>
  return %x, %y : f64, i8
}

// Nowhere is a place too: a product with a constant zero is restricted to it.
//
// CHECK-LABEL: func.func @nowhere(
// CHECK-SAME:    %[[V:[^ ]+]]: f64)
// CHECK-NEXT:    %{{.+}} = nacho.restrict %[[V]] to union() : f64
// CHECK-NEXT:    return
func.func @nowhere(%v: f64) -> f64 {
  %r = nacho.restrict %v to union() : f64
  return %r : f64
}

// Lists: entries in any order, sums of each part, and costs.
//
// CHECK-LABEL: func.func @lists(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[CUTS:[^ ]+]]: !nacho.cuts<1>, %[[V:[^ ]+]]: f64)
// CHECK-NEXT:    nacho.nest collect<sorted_list> : tensor<?x?xf64, #{{.+}}> {
// CHECK:         nacho.nest collect<part_sums> : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate %[[I:[^ ]+]] of
// CHECK-NEXT:        %[[PART:.+]] = nacho.part
// CHECK-NEXT:        nacho.append %[[V]] at(%[[I]], %[[PART]]) : f64
// CHECK:         nacho.nest collect<part_sums> in %[[CUTS]] : !nacho.cuts<1> {note = "kept"} : tensor<?x?xf64, #{{.+}}> {
// CHECK-NEXT:      nacho.coiterate
// CHECK-NEXT:        nacho.part {note = "kept"}
// CHECK:         nacho.nest collect<scanned_list> : tensor<?x?xi64, #{{.+}}> {
func.func @lists(%A0: !A0, %cuts: !nacho.cuts<1>, %v: f64) {
  %w = nacho.nest collect<sorted_list> : tensor<?x?xf64, #List> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  %x = nacho.nest collect<part_sums> : tensor<?x?xf64, #List> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %part = nacho.part
      nacho.append %v at (%i, %part) : f64
    }
    nacho.yield
  }
  %y = nacho.nest collect<part_sums> in %cuts : !nacho.cuts<1> {note = "kept"} : tensor<?x?xf64, #List> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
      %part = nacho.part {note = "kept"}
    }
    nacho.yield
  }
  %z = nacho.nest collect<scanned_list> : tensor<?x?xi64, #List> {
    nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    }
    nacho.yield
  }
  return
}

// What an entry of a list has further down, and one that comes later.
//
// CHECK-LABEL: func.func @recalled(
// CHECK-SAME:    %[[L0:[^ ]+]]: !{{[^,]+}}, %[[B0:[^ ]+]]: ![[T0]], %{{.+}}: tensor<
// CHECK:           %[[POS:.+]] = nacho.recall %[[L1:.+]] below 0 : ![[L1_TYPE:.+]]
// CHECK-NEXT:      %[[LATER:.+]] = nacho.recall %[[L1]] below 0 ahead 8 {note = "kept"} : ![[L1_TYPE]]
// CHECK-NEXT:      nacho.recall %[[L1]] below 0 : ![[L1_TYPE]]
// CHECK-NEXT:      nacho.fiber_at %[[B0]][%[[POS]] to %[[LATER]]] certain : ![[T0]] -> ![[T1]]
// CHECK-NEXT:      %[[B1:.+]] = nacho.fiber_at %[[B0]][%[[LATER]]] : ![[T0]] -> ![[T1]]
//
// CHECK-NEXT:      nacho.prefetch begin %[[B1]] : ![[T1]]
// CHECK-NEXT:      nacho.prefetch %[[B1]] : ![[T1]]
// CHECK-NEXT:      nacho.prefetch %[[B1]] elements {note = "kept"} : ![[T1]]
//
// CHECK-NEXT:      %[[AHEAD:.+]] = nacho.ahead %[[L1]] by 16 {note = "kept"} : ![[L1_TYPE]]
// CHECK-NEXT:      nacho.prefetch_row %{{.+}}[%[[AHEAD]]] {note = "kept"} : tensor<?x?xf64, #
func.func @recalled(%L0: !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>, %B0: !A0,
                    %D: tensor<?x?xf64, #AllDense>) {
  nacho.coiterate %i of (%L1 = %L0 : !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>) in %L1 {
    %pos = nacho.recall %L1 below 0 : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    %later = nacho.recall %L1 below 0 ahead 8 {note = "kept"} : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    %now = nacho.recall %L1 below 0 ahead 0 : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    %run = nacho.fiber_at %B0[%pos to %later] certain : !A0 -> !A1
    %B1 = nacho.fiber_at %B0[%later] : !A0 -> !A1
    nacho.prefetch begin %B1 : !A1
    nacho.prefetch %B1 : !A1
    nacho.prefetch %B1 elements {note = "kept"} : !A1
    %ahead = nacho.ahead %L1 by 16 {note = "kept"} : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    nacho.prefetch_row %D[%ahead] {note = "kept"} : tensor<?x?xf64, #AllDense>
  }
  return
}

// The child at a coordinate, before and after there is a table.
//
// CHECK-LABEL: func.func @found(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[A1:[^ ]+]]: ![[T1]], %[[TABLE:[^ ]+]]: !nacho.workspace<i32>, %[[K:[^ ]+]]: index)
// CHECK-SAME:    -> (![[T1]], ![[T2]])
// CHECK-NEXT:    %[[ROW:.+]] = nacho.find %[[K]] in %[[A0]] : ![[T0]]
// CHECK-NEXT:    nacho.find %[[K]] in %[[A1]] : ![[T1]] {note = "kept"}
// CHECK-NEXT:    %[[ELEMENT:.+]] = nacho.find %[[K]] in %[[A1]] : ![[T1]] by %[[TABLE]] : !nacho.workspace<i32>
// CHECK-NEXT:    nacho.find %[[K]] in %[[ROW]] : ![[T1]] by %[[TABLE]] : !nacho.workspace<i32> {note = "kept"}
// CHECK-NEXT:    return %[[ROW]], %[[ELEMENT]] : ![[T1]], ![[T2]]
func.func @found(%A0: !A0, %A1: !A1, %table: !nacho.workspace<i32>, %k: index) -> (!A1, !A2) {
  %row = nacho.find %k in %A0 : !A0
  %0 = nacho.find %k in %A1 : !A1 {note = "kept"}
  %element = nacho.find %k in %A1 : !A1 by %table : !nacho.workspace<i32>
  %1 = nacho.find %k in %row : !A1 by %table : !nacho.workspace<i32> {note = "kept"}
  return %row, %element : !A1, !A2
}

// CHECK-LABEL: func.func @sought(
// CHECK-SAME:    %[[A0:[^ ]+]]: ![[T0]], %[[A1:[^ ]+]]: ![[T1]], %[[K:[^ ]+]]: index)
// CHECK-NEXT:    %[[ROW:.+]] = nacho.seek %[[K]] in %[[A0]] : ![[T0]]
// CHECK-NEXT:    nacho.seek %[[K]] in %[[A1]] : ![[T1]] {note = "kept"}
// CHECK-NEXT:    return %[[ROW]] : ![[T1]]
func.func @sought(%A0: !A0, %A1: !A1, %k: index) -> !A1 {
  %row = nacho.seek %k in %A0 : !A0
  %0 = nacho.seek %k in %A1 : !A1 {note = "kept"}
  return %row : !A1
}

// A loop has the name of its coordinate, also where another value has taken it.
// Names that the printer makes up are none.
//
// CHECK-LABEL: func.func @names(
// CHECK-NEXT:    nacho.coiterate %i of (%{{.+}} = %{{.+}}) in %{{.+}} {
// CHECK-NEXT:      nacho.coiterate %arg{{[0-9]+}} of (%{{.+}} = %{{.+}}) in %{{.+}} {
// CHECK-NEXT:        nacho.coiterate %i_0 of (%{{.+}} = %{{.+}}) in %{{.+}} {
// CHECK-NEXT:        } {index_name = "i"}
// CHECK-NEXT:      }
// CHECK-NEXT:    }
func.func @names(%A0: !A0) {
  nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
    nacho.coiterate %arg9 of (%B1 = %A0 : !A0) in %B1 {
      nacho.coiterate %k of (%C1 = %A0 : !A0) in %C1 {
      } {index_name = "i"}
    }
  }
  return
}
