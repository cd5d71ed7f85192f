// RUN: nacho-opt %s \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 64 }>

// A function without a nest is none of the pass's business.
//
// CHECK-LABEL: func.func @negative_no_nest(
// CHECK-NEXT:    return
func.func @negative_no_nest(%A: tensor<?x?xf64, #DCSR>) -> tensor<?x?xf64, #DCSR> {
  return %A : tensor<?x?xf64, #DCSR>
}

// One nest becomes four kernels, and two functions that call them.
//
// CHECK-NOT:   func.func @dcsr_add(

// partition: the operands, the cuts, how many parts are to be made of each
// part there is, the threads.
//
// CHECK-LABEL: func.func @dcsr_add_partition(
// CHECK-SAME:    %{{[^ ]+}}: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}},
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[WITHIN:[^ ]+]]: index, %[[THREADS:[^ ]+]]: index)
// CHECK-SAME:    attributes {llvm.emit_c_interface} {
// CHECK:         %[[ROWS:.+]] = memref.dim %[[BOUNDS]], %c0
// CHECK-NEXT:    %[[PARTS:.+]] = arith.subi %[[ROWS]], %c1
//
// if within == parts: the two ends, exactly. Nothing else has to know the total.
// CHECK-NOT:     nacho.cost
// CHECK:         %[[WHOLE:.+]] = arith.cmpi eq, %[[WITHIN]], %[[PARTS]] : index
// CHECK-NEXT:    scf.if %[[WHOLE]] {
// CHECK:           %[[TOTAL:.+]] = arith.select
// CHECK-NEXT:      nacho.parallel {{.+}} in %c1{{.*}} threads %[[THREADS]] {
// CHECK-DAG:         %[[ORIGIN:.+]] = nacho.origin : <2, 2>
// CHECK-DAG:         %[[LIMIT:.+]] = nacho.limit %[[TOTAL]] {{.+}} -> <2, 2>
// CHECK-DAG:         nacho.store_cut %[[ORIGIN]], %[[BOUNDS]][%c0{{.*}}]
// CHECK-DAG:         nacho.store_cut %[[LIMIT]], %[[BOUNDS]][%[[PARTS]]]
//
// block = min(parts / 1024 + 1, 32)
// CHECK:         %[[SHARE:.+]] = arith.divui %[[PARTS]], %c1024{{.*}} : index
// CHECK-NEXT:    %[[SIZE:.+]] = arith.addi %[[SHARE]], %c1{{.*}} : index
// CHECK-NEXT:    %[[BLOCK:.+]] = arith.minui %[[SIZE]], %c32{{.*}} : index
// CHECK-NEXT:    %[[BLOCKS:.+]] = arith.ceildivui %[[PARTS]], %[[BLOCK]] : index
// CHECK-NEXT:    %[[STAGES:.+]] = arith.minui %[[BLOCK]], %c2{{.*}} : index
//
// parallel worker in blocks: in the first stage the first row of the block, then the others
// CHECK-NEXT:    scf.for %[[STAGE:.+]] = %c0{{.*}} to %[[STAGES]] step %c1{{.*}} {
// CHECK-NEXT:      nacho.parallel %[[WORKER:.+]] in %[[BLOCKS]] threads %[[THREADS]] {
// CHECK-NEXT:        %[[BEGIN:.+]] = arith.muli %[[WORKER]], %[[BLOCK]] : index
// CHECK-NEXT:        %[[IS_FIRST:.+]] = arith.cmpi eq, %[[STAGE]], %c0{{.*}} : index
// CHECK-NEXT:        %[[FIRST:.+]] = arith.addi %[[BEGIN]], %[[STAGE]] : index
// CHECK-NEXT:        %[[AFTER:.+]] = arith.addi %[[BEGIN]], %[[BLOCK]] : index
// CHECK-DAG:         %[[ONE_ROW:.+]] = arith.addi %[[FIRST]], %c1{{.*}} : index
// CHECK-DAG:         %[[ALL_ROWS:.+]] = arith.minui %[[AFTER]], %[[PARTS]] : index
// CHECK-NEXT:        %[[STOP:.+]] = arith.select %[[IS_FIRST]], %[[ONE_ROW]], %[[ALL_ROWS]] : index
// CHECK-NEXT:        scf.for %[[ROW:.+]] = %[[FIRST]] to %[[STOP]] step %c1{{.*}} {
//
// The first of each part that is cut is left out:
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.remui %[[ROW]], %[[WITHIN]] : index
// CHECK-NEXT:          %[[INTERIOR:.+]] = arith.cmpi ne, %[[INSIDE]], %c0
// CHECK-NEXT:          scf.if %[[INTERIOR]] {
// CHECK-NEXT:            %[[FROM:.+]] = arith.subi %[[ROW]], %[[INSIDE]] : index
// CHECK-NEXT:            %[[TO:.+]] = arith.addi %[[FROM]], %[[WITHIN]] : index
// CHECK-NEXT:            %[[BEFORE:.+]] = arith.subi %[[ROW]], %c1{{.*}} : index
// CHECK-NEXT:            %[[LOWER:.+]] = arith.select %[[IS_FIRST]], %[[FROM]], %[[BEFORE]] : index
// CHECK-NEXT:            %[[NEAREST:.+]] = arith.minui %[[TO]], %[[AFTER]] : index
// CHECK-NEXT:            %[[UPPER:.+]] = arith.select %[[IS_FIRST]], %[[TO]], %[[NEAREST]] : index
// CHECK-NEXT:            %[[FROM_CUT:.+]] = nacho.load_cut %[[BOUNDS]][%[[FROM]]]
// CHECK-NEXT:            %[[BASE:.+]] = nacho.cut_cost %[[FROM_CUT]]
// CHECK-NEXT:            %[[TO_CUT:.+]] = nacho.load_cut %[[BOUNDS]][%[[TO]]]
// CHECK-NEXT:            %[[END:.+]] = nacho.cut_cost %[[TO_CUT]]
// CHECK-NEXT:            %[[LO:.+]] = nacho.load_cut %[[BOUNDS]][%[[LOWER]]]
// CHECK-NEXT:            %[[COSTS:.+]] = arith.cmpi ult, %[[BASE]], %[[END]] : index
// CHECK-NEXT:            scf.if %[[COSTS]] {
// CHECK-NEXT:              %[[HI:.+]] = nacho.load_cut %[[BOUNDS]][%[[UPPER]]]
// CHECK-NEXT:              %[[QUERY:.+]] = nacho.query %[[INSIDE]] of %[[WITHIN]] from %[[BASE]] to %[[END]]
// CHECK-NEXT:              nacho.search %[[QUERY]] of({{.+}}) between %[[LO]], %[[HI]]
// CHECK:                   nacho.search
// CHECK:                   %[[CUT:.+]] = nacho.cut
// CHECK-NEXT:              nacho.store_cut %[[CUT]], %[[BOUNDS]][%[[ROW]]]
// CHECK-NEXT:            } else {
// CHECK-NEXT:              nacho.store_cut %[[LO]], %[[BOUNDS]][%[[ROW]]]

// assemble: counts, without computing anything. Callers may count single parts.
//
// CHECK-LABEL: func.func @dcsr_add_assemble(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[COUNTS:[^ ]+]]: memref<?x5xindex>, %[[STATUS:[^ ]+]]: memref<i32>, %{{[^ ]+}}: index)
// CHECK-SAME:    attributes {llvm.emit_c_interface} {
// CHECK-NOT:     nacho.load %
// CHECK:         nacho.parallel %[[PART:.+]] in {{.+}} {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[PART]], %c1
// CHECK:           %[[LO:.+]] = nacho.load_cut %[[BOUNDS]][%[[PART]]]
// CHECK-NEXT:      %[[HI:.+]] = nacho.load_cut %[[BOUNDS]][%[[NEXT]]]
//
// Carried: whether the row the part begins in has entries, how many rows with
// entries it has to itself, whether the row it ends in has any; all entries.
// CHECK-NEXT:      %[[COUNTED:.+]]:4 = nacho.coiterate %[[I:.+]] of {{.+}} between (%[[LO1:.+]] = %[[LO]], %[[HI1:.+]] = %[[HI]] : !nacho.cut<2, 2>)
// CHECK-SAME:        iter_args(%[[HEAD:[^ ]+]] = {{.+}} : i1, %[[MID:[^ ]+]] = {{.+}} : index, %[[TAIL:[^ ]+]] = {{.+}} : i1, %[[ENTRIES:[^ ]+]] = {{.+}} : index) {
//
// A row that does not exist would be looked up in the positions.
// CHECK-NEXT:        %[[N:.+]] = nacho.extent
// CHECK-NEXT:        %[[OUTSIDE:.+]] = arith.cmpi uge, %[[I]], %[[N]] : index
// CHECK-NEXT:        scf.if %[[OUTSIDE]] {
// CHECK-NEXT:          memref.atomic_rmw ori %c1_i32, %[[STATUS]][]
//
// Whether a cut is inside the row: then other parts have a share in it.
// CHECK:             nacho.on_cut %[[LO1]]
// CHECK-NEXT:        nacho.on_cut %[[HI1]]
// CHECK-NEXT:        %[[INNER:.+]] = nacho.count of {{.+}} in union({{.+}}) between (%[[LO1]], %[[HI1]] : !nacho.cut<2>)
// CHECK-NEXT:        %[[MORE:.+]] = arith.addi %[[ENTRIES]], %[[INNER]]
// CHECK-NEXT:        %[[ANY:.+]] = arith.cmpi ne, %[[MORE]], %[[ENTRIES]] : index
// CHECK:             nacho.yield {{.+}} : i1, index, i1, index
//
// counts[part] = spans, head, mid, tail, entries
// CHECK-DAG:       nacho.cut_coordinate %[[LO]][0]
// CHECK-DAG:       nacho.cut_coordinate %[[HI]][0]
// CHECK-DAG:       memref.store {{.+}}, %[[COUNTS]][%[[PART]], %c0{{.*}}]
// CHECK-DAG:       memref.store {{.+}}, %[[COUNTS]][%[[PART]], %c1{{.*}}]
// CHECK-DAG:       memref.store %[[COUNTED]]#1, %[[COUNTS]][%[[PART]], %c2{{.*}}]
// CHECK-DAG:       memref.store {{.+}}, %[[COUNTS]][%[[PART]], %c3{{.*}}]
// CHECK-DAG:       memref.store %[[COUNTED]]#3, %[[COUNTS]][%[[PART]], %c4{{.*}}]

// scan: what all parts before a part append, and what is to be allocated. Of the
// operands, it reads the extents.
//
// CHECK-LABEL: func.func @dcsr_add_scan(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<{{[^:]+}}, %{{[^ ]+}}: tensor<{{[^:]+}},
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[COUNTS:[^ ]+]]: memref<?x5xindex>, %[[OFFSETS:[^ ]+]]: memref<?x5xindex>,
// CHECK-SAME:    %[[SIZES:[^ ]+]]: memref<5xindex>, %{{[^ ]+}}: index)
// CHECK-SAME:    attributes {llvm.emit_c_interface} {
// CHECK:         %[[ROWS:.+]] = memref.dim %[[BOUNDS]], %c0
// CHECK-NEXT:    %[[PARTS:.+]] = arith.subi %[[ROWS]], %c1
//
// What x appends, and then y:
// CHECK-NEXT:    nacho.exclusive_scan %[[COUNTS]] into %[[OFFSETS]] : memref<?x5xindex> {
// CHECK-NEXT:    ^{{[^(]+}}(%[[XSPANS:[^ ]+]]: index, %[[XHEAD:[^ ]+]]: index, %[[XMID:[^ ]+]]: index, %[[XTAIL:[^ ]+]]: index, %[[XENTRIES:[^ ]+]]: index,
// CHECK-SAME:             %[[YSPANS:[^ ]+]]: index, %[[YHEAD:[^ ]+]]: index, %[[YMID:[^ ]+]]: index, %[[YTAIL:[^ ]+]]: index, %[[YENTRIES:[^ ]+]]: index):
// CHECK-DAG:       %[[X:.+]] = arith.cmpi ne, %[[XSPANS]], %c0 : index
// CHECK-DAG:       %[[Y:.+]] = arith.cmpi ne, %[[YSPANS]], %c0 : index
//
// spans = x.spans | y.spans
// CHECK-NEXT:      %[[SPANS:.+]] = arith.ori %[[XSPANS]], %[[YSPANS]] : index
//
// met = (x.spans ? x.tail : x.head) | y.head: whether the row in which x ends and y
// begins has entries
// CHECK-NEXT:      %[[END:.+]] = arith.select %[[X]], %[[XTAIL]], %[[XHEAD]] : index
// CHECK-NEXT:      %[[MET:.+]] = arith.ori %[[END]], %[[YHEAD]] : index
//
// head = x.spans ? x.head : met
// CHECK-NEXT:      %[[HEAD:.+]] = arith.select %[[X]], %[[XHEAD]], %[[MET]] : index
//
// mid = x.mid + y.mid + (x.spans & y.spans ? met : 0)
// CHECK-NEXT:      %[[BOTH:.+]] = arith.andi %[[X]], %[[Y]] : i1
// CHECK-NEXT:      %[[BETWEEN:.+]] = arith.select %[[BOTH]], %[[MET]], %c0 : index
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[XMID]], %[[YMID]] : index
// CHECK-NEXT:      %[[MID:.+]] = arith.addi %[[SUM]], %[[BETWEEN]] : index
//
// tail = y.spans ? y.tail : x.spans ? met : 0
// CHECK-NEXT:      %[[OPEN:.+]] = arith.select %[[X]], %[[MET]], %c0 : index
// CHECK-NEXT:      %[[TAIL:.+]] = arith.select %[[Y]], %[[YTAIL]], %[[OPEN]] : index
//
// entries = x.entries + y.entries
// CHECK-NEXT:      %[[ENTRIES:.+]] = arith.addi %[[XENTRIES]], %[[YENTRIES]] : index
// CHECK-NEXT:      nacho.yield %[[SPANS]], %[[HEAD]], %[[MID]], %[[TAIL]], %[[ENTRIES]] : index, index, index, index, index
// CHECK-NEXT:    }
//
// rows = spans ? head + mid : 0, of all parts: the row in which the last one ends is behind
// those of the operands.
// CHECK-NEXT:    %[[SPANS:.+]] = memref.load %[[OFFSETS]][%[[PARTS]], %c0]
// CHECK-NEXT:    %[[HEAD:.+]] = memref.load %[[OFFSETS]][%[[PARTS]], %c1]
// CHECK-NEXT:    %[[MID:.+]] = memref.load %[[OFFSETS]][%[[PARTS]], %c2]
// CHECK-NEXT:    %[[ENTRIES:.+]] = memref.load %[[OFFSETS]][%[[PARTS]], %c4]
// CHECK-NEXT:    %[[ANY:.+]] = arith.cmpi ne, %[[SPANS]], %c0 : index
// CHECK-NEXT:    %[[FINISHED:.+]] = arith.addi %[[HEAD]], %[[MID]] : index
// CHECK-NEXT:    %[[ROWS:.+]] = arith.select %[[ANY]], %[[FINISHED]], %c0 : index
//
// sizes = rows, entries, the size of a partial entry, of which there is none; the extents
// CHECK-NEXT:    %[[N:.+]] = sparse_tensor.lvl %[[A]], %c0
// CHECK-NEXT:    %[[M:.+]] = sparse_tensor.lvl %[[A]], %c1
// CHECK-NEXT:    memref.store %[[ROWS]], %[[SIZES]][%c0]
// CHECK-NEXT:    memref.store %[[ENTRIES]], %[[SIZES]][%c1]
// CHECK-NEXT:    memref.store %c1, %[[SIZES]][%c2]
// CHECK-NEXT:    memref.store %[[N]], %[[SIZES]][%c3]
// CHECK-NEXT:    memref.store %[[M]], %[[SIZES]][%c4]
// CHECK-NEXT:    return

// compute: appends from the offsets of the scan, rows and entries.
//
// CHECK-LABEL: func.func @dcsr_add_compute(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[OFFSETS:[^ ]+]]: memref<?x5xindex>,
// CHECK-SAME:    %[[POS0:[^ ]+]]: memref<?xi32>, %[[CRD0:[^ ]+]]: memref<?xi64>, %[[POS1:[^ ]+]]: memref<?xi32>, %[[CRD1:[^ ]+]]: memref<?xi64>,
// CHECK-SAME:    %[[VALUES:[^ ]+]]: memref<?xf64>, %[[STATUS:[^ ]+]]: memref<i32>, %{{[^ ]+}}: index)
// CHECK:         nacho.parallel %[[PART:.+]] in {{.+}} {
// CHECK:           %[[FIRST:.+]] = memref.load %[[OFFSETS]][%[[PART]], %c4{{.*}}]
// CHECK:           %[[LAST:.+]] = memref.load %[[OFFSETS]][%{{.+}}, %c4{{.*}}]
//
// The one fiber of the first level is the first part's to write.
// CHECK:           memref.store %{{.+}}, %[[POS0]][%c0{{.*}}]
// CHECK:           memref.store %{{.+}}, %[[POS0]][%c1{{.*}}]
// CHECK:           memref.store %{{.+}}, %[[POS1]][%c0{{.*}}]
//
// Carried: the row to append next, whether earlier parts have entries in it,
// the entry to append next.
// CHECK:           %{{.+}}:3 = nacho.coiterate %[[I:.+]] of {{.+}} iter_args(%[[ROW:[^ ]+]] = {{.+}} : index, %[[OPEN:[^ ]+]] = {{.+}} : i1, %[[BEGIN:[^ ]+]] = %[[FIRST]] : index) {
// CHECK:             %[[DONE:[^ :]+]] = nacho.coiterate %[[J:.+]] of {{.+}} iter_args(%[[AT:[^ ]+]] = %[[BEGIN]] : index) {
//
// values[at], crd1[at] = A[i, j] + B[i, j], j
// CHECK:               %[[SUM:.+]] = nacho.binary add
// CHECK-NEXT:          %[[NEXT:.+]] = arith.addi %[[AT]], %c1{{.*}} : index
// CHECK-NEXT:          %[[FITS:.+]] = arith.cmpi ult, %[[AT]], %[[LAST]] : index
// CHECK-NEXT:          %[[COLUMNS:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.cmpi ult, %[[J]], %[[COLUMNS]] : index
// CHECK-NEXT:          %[[VALID:.+]] = arith.andi %[[FITS]], %[[INSIDE]] : i1
// CHECK-NEXT:          scf.if %[[VALID]] {
// CHECK-NEXT:            memref.store %[[SUM]], %[[VALUES]][%[[AT]]]
// CHECK-NEXT:            %[[WIDE:.+]] = arith.index_castui %[[J]] : index to i64
// CHECK-NEXT:            memref.store %[[WIDE]], %[[CRD1]][%[[AT]]]
// CHECK-NEXT:          } else {
// CHECK-NEXT:            %[[CODE:.+]] = arith.select %[[INSIDE]], %{{.+}}, %{{.+}} : i32
// CHECK-NEXT:            memref.atomic_rmw ori %[[CODE]], %{{.+}}[]
//
// The part that finishes a row appends it, if anyone had entries in it.
// CHECK:             scf.if %{{.+}} {
// CHECK-DAG:           %[[CRD:.+]] = arith.index_castui %[[I]] : index to i64
// CHECK-DAG:           memref.store %[[CRD]], %[[CRD0]][%[[ROW]]]
// CHECK-DAG:           %[[END:.+]] = arith.index_castui %[[DONE]] : index to i32
// CHECK-DAG:           memref.store %[[END]], %[[POS1]][%{{.+}}]
// CHECK:             nacho.yield
//
// Anything but what was counted means that the operands have changed since.
// CHECK:           scf.if %{{.+}} {
// CHECK-NEXT:        memref.atomic_rmw ori %c2_i32, %[[STATUS]][]

// plan: partition, assemble, scan.
//
// CHECK-LABEL: func.func @dcsr_add_plan(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x7xindex>, %[[COUNTS:[^ ]+]]: memref<?x5xindex>, %[[OFFSETS:[^ ]+]]: memref<?x5xindex>,
// CHECK-SAME:    %[[SIZES:[^ ]+]]: memref<5xindex>, %[[STATUS:[^ ]+]]: memref<i32>, %[[THREADS:[^ ]+]]: index) attributes {llvm.emit_c_interface}
// CHECK:         call @dcsr_add_partition({{.+}}, %[[BOUNDS]], %{{.+}}, %[[THREADS]])
// CHECK-NEXT:    call @dcsr_add_assemble({{.+}}, %[[BOUNDS]], %[[COUNTS]], %[[STATUS]], %[[THREADS]])
// CHECK-NEXT:    call @dcsr_add_scan({{.+}}, %[[BOUNDS]], %[[COUNTS]], %[[OFFSETS]], %[[SIZES]], %[[THREADS]])
// CHECK-NEXT:    return

// execute says all that a caller has to know of the kernels.
//
// CHECK-LABEL: func.func @dcsr_add_execute(
// CHECK-SAME:    attributes {llvm.emit_c_interface, nacho.step = #nacho.step<inputs = [operand 0, operand 1],
// CHECK-SAME:    cuts = <accesses = [0 of 0, 1 of 1], loops = [<"i"[0, 1]>, <"j"[0, 1]>], cost = <entries, steps>, delta = 2, merge = <union(1 of 0, 1 of 1)>>,
// CHECK-SAME:    buffers = <name = "dcsr_add", result = tensor<?x?xf64, #{{[^>]+}}>, counts = 5>, reads = {{.+}}, makes = ["i", "j"]>} {
// CHECK-NEXT:    call @dcsr_add_compute(
// CHECK-NEXT:    return
func.func @dcsr_add(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// A CSR result has no rows to count, and a position for every row there is.
//
// CHECK-LABEL: func.func @csr_add_assemble(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x1xindex>,
// CHECK:         %[[COUNTED:.+]] = nacho.coiterate {{.+}} iter_args(%{{[^ ]+}} = {{.+}} : index) {
// CHECK-NOT:       nacho.on_cut
// CHECK:         memref.store %[[COUNTED]], %[[COUNTS]][
//
// CHECK-LABEL: func.func @csr_add_scan(
// CHECK-SAME:    %[[COUNTS:[^ ]+]]: memref<?x1xindex>, %[[OFFSETS:[^ ]+]]: memref<?x1xindex>, %[[SIZES:[^ ]+]]: memref<5xindex>
// CHECK:         nacho.exclusive_scan %[[COUNTS]] into %[[OFFSETS]]
// CHECK-NEXT:    ^{{.+}}(%[[X:.+]]: index, %[[Y:.+]]: index):
// CHECK-NEXT:      %[[SUM:.+]] = arith.addi %[[X]], %[[Y]] : index
// CHECK-NEXT:      nacho.yield %[[SUM]]
// CHECK:         %[[ENTRIES:.+]] = memref.load %[[OFFSETS]][
// CHECK-NEXT:    %[[N:.+]] = sparse_tensor.lvl %{{.+}}, %c0
// CHECK:         memref.store %[[N]], %[[SIZES]][%c0]
// CHECK-NEXT:    memref.store %[[ENTRIES]], %[[SIZES]][%c1]
//
// CHECK-LABEL: func.func @csr_add_compute(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi32>, %[[VALUES:[^ ]+]]: memref<?xf64>, %{{[^ ]+}}: memref<i32>, %{{[^ ]+}}: index)
// CHECK:         nacho.parallel %[[PART:.+]] in {{.+}} {
// CHECK:           %[[LO:.+]] = nacho.cut_coordinate %{{.+}}[0]
// CHECK:           %[[HI:.+]] = nacho.cut_coordinate %{{.+}}[0]
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi eq, %[[PART]], %c0
// CHECK-NEXT:      %[[WRITTEN:.+]] = arith.select %[[IS_FIRST]], %c-1{{.*}}, %[[LO]]
//
// pos[i] = at, for every row i but the one in which the part begins
// CHECK:           %[[ROWS:.+]]:2 = nacho.coiterate %[[I:.+]] of {{.+}} iter_args(%[[LAST:[^ ]+]] = %[[WRITTEN]] : index, %[[AT:[^ ]+]] = {{.+}} : index) {
// CHECK:             nacho.coiterate
// CHECK:             %[[IS_NEW:.+]] = arith.cmpi slt, %[[LAST]], %[[I]] : index
// CHECK-NEXT:        scf.if %[[IS_NEW]] {
// CHECK-NEXT:          %[[NARROW:.+]] = arith.index_castui %[[AT]] : index to i32
// CHECK-NEXT:          memref.store %[[NARROW]], %[[POS]][%[[I]]]
// CHECK:             nacho.yield %[[I]],
//
// ... and in the end up to the row in which the part ends
// CHECK:           scf.for %[[X:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK-NEXT:        %[[NARROW:.+]] = arith.index_castui %[[ROWS]]#1 : index to i32
// CHECK-NEXT:        memref.store %[[NARROW]], %[[POS]][%[[X]]]
func.func @csr_add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// If the loop skips rows, their positions are stored with those of the next row that has
// entries.
//
// CHECK-LABEL: func.func @csr_of_some_rows_compute(
// CHECK-SAME:    %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi32>, %[[VALUES:[^ ]+]]: memref<?xf64>, %{{[^ ]+}}: memref<i32>, %{{[^ ]+}}: index)
//
// pos[x] = at, for the rows x from the last one written up to this one, if it has entries
// CHECK:           nacho.coiterate %[[I:.+]] of {{.+}} iter_args(%[[LAST:[^ ]+]] = %{{.+}} : index, %[[AT:[^ ]+]] = {{.+}} : index) {
// CHECK:             nacho.coiterate
// CHECK:             scf.for %[[X:.+]] = %{{.+}} to %{{.+}} step %c1{{.*}} {
// CHECK-NEXT:          %[[NARROW:.+]] = arith.index_castui %[[AT]] : index to i32
// CHECK-NEXT:          memref.store %[[NARROW]], %[[POS]][%[[X]]]
func.func @csr_of_some_rows(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}
