// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},%{assemble})' \
// RUN:   | FileCheck %s

// Entries that are reduced: a part may begin and end inside of one, and keeps what it
// has of it for the pass over the parts that combines them.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#Loose = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : loose_compressed), posWidth = 32, crdWidth = 32 }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>

// Z[i, j] = A[i, j] * X[i, k] * Y[k, j]: no cut falls into an inner product, so that there is nothing
// to be combined. An entry of the structure for every one of A, if there is a k: a part has
// as many as there are positions between its cuts.
//
// CHECK-LABEL: func.func @negative_whole_entries_assemble(
// CHECK-NOT:       nacho.coiterate
// CHECK-NOT:       nacho.cost
// CHECK:           %[[TO:.+]] = nacho.cut_position %hi[1, 0]
// CHECK-NEXT:      %[[SOME:.+]] = arith.cmpi ne, %N_k, %c0 : index
// CHECK-NEXT:      %[[END:.+]] = arith.select %[[SOME]], %[[TO]], %c0 : index
// CHECK-NEXT:      %[[FROM:.+]] = nacho.cut_position %lo[1, 0]
// CHECK-NEXT:      %[[BEGIN:.+]] = arith.select %[[SOME]], %[[FROM]], %c0 : index
// CHECK-NEXT:      %[[LAST:.+]] = arith.maxui %[[END]], %[[BEGIN]] : index
// CHECK-NEXT:      %[[COUNT:.+]] = arith.subi %[[LAST]], %[[BEGIN]] : index
// CHECK-NEXT:      memref.store %[[COUNT]], %counts[%part, %c0]
//
// CHECK-LABEL: func.func @negative_whole_entries_compute(
// CHECK-NOT:     %partials
// CHECK:           nacho.coiterate %j of
// CHECK:             %[[REDUCED:.+]]:2 = nacho.coiterate %k to %N_k of () in intersect() iter_args(%{{[^ ]+}} = %c0 : index, %[[SUM:[^ ]+]] = %{{[^ ]+}} : f64) {
// CHECK:               %[[NEXT:.+]] = nacho.binary add %[[SUM]], %{{.+}} reassociable : f64
// CHECK:               nacho.yield %{{[^ ]+}}, %[[NEXT]] : index, f64
// CHECK:             memref.store %[[REDUCED]]#1, %values[
// CHECK-NOT:   func.func @negative_whole_entries_combine(
// CHECK-LABEL: func.func @negative_whole_entries_execute(
// CHECK-SAME:    , counts = 1>, reads = {{.+}}>} {
func.func @negative_whole_entries(%A: tensor<?x?xf64, #CSR>, %X: tensor<?x?xf64>, %Y: tensor<?x?xf64>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %X[i, k] : tensor<?x?xf64>,
                     %c = %Y[k, j] : tensor<?x?xf64>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.binary mul %0, %c : f64
    %2 = nacho.reduce add %1 over [k] : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Between the fibers of A there may be positions without entries.
//
// CHECK-LABEL: func.func @negative_gaps_assemble(
// CHECK:         nacho.coiterate
func.func @negative_gaps(%A: tensor<?x?xf64, #Loose>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #Loose>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %a : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// y[i] = A[i, j] * x[j] into a dense vector. Nothing is counted.
//
// CHECK-NOT:   @spmv_assemble(
// CHECK-LABEL: func.func @spmv_scan(
// CHECK-SAME:    %bounds: memref<?x5xindex>, %sizes: memref<3xindex>, %threads: index)
// CHECK-NOT:     nacho.exclusive_scan
// CHECK:         memref.store %{{.+}}, %sizes[%c0]
// CHECK-NEXT:    memref.store %c1, %sizes[%c1]
//
// CHECK-NOT:   @spmv_fill(
// CHECK-LABEL: func.func @spmv_compute(
// CHECK-SAME:    %bounds: memref<?x5xindex>, %values: memref<?xf64>, %partials: memref<?x?xf64>, %visited: memref<?xindex>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK:           %lo = nacho.load_cut %bounds[%part]
// CHECK:           %hi = nacho.load_cut
//
// Two rows of the partial entries are the part's, with nothing in them so far:
//   head, tail = 2 * part, 2 * part + 1
// CHECK:           %[[HEAD:.+]] = arith.muli %part, %c2 : index
// CHECK-NEXT:      memref.store %c0, %visited[%[[HEAD]]]
// CHECK-NEXT:      %[[TAIL:.+]] = arith.addi %[[HEAD]], %c1 : index
// CHECK-NEXT:      memref.store %c0, %visited[%[[TAIL]]]
//
// sum = A[i, j] * x[j] + ..., and how many there are
// CHECK-NEXT:      nacho.coiterate %i of (%A1 = %A0 : {{[^ ]+}}) in %A1 between (%lo1 = %lo, %hi1 = %hi : !nacho.cut<1, 1>) {
// CHECK-NEXT:        %[[ON_HI:.+]] = nacho.on_cut %hi1
// CHECK-NEXT:        %[[ZERO:.+]] = nacho.cast %{{.+}} : i8 to f64
// CHECK-NEXT:        %[[ROW:.+]]:3 = nacho.coiterate %j of (%A2 = %A1 : {{[^ ]+}}) in %A2 between ({{.+}}) iter_args(%[[SO_FAR:[^ ]+]] = %c0 : index, %[[SUM:[^ ]+]] = %[[ZERO]] : f64, %[[WRONG:[^ ]+]] = %false : i1) {
// CHECK:               nacho.locate %{{.+}}[%j] {checked} : tensor<?xf64>
// CHECK:               %[[V:.+]] = nacho.binary mul %a, %b : f64
// CHECK-DAG:           %[[MORE:.+]] = arith.addi %[[SO_FAR]], %c1 : index
// CHECK-DAG:           %[[NEXT:.+]] = nacho.binary add %[[SUM]], %[[V]] reassociable : f64
//
// A column that does not exist has been looked up in x: this is told once for the row.
// CHECK-DAG:           %[[M:.+]] = tensor.dim %{{.+}} : tensor<?xf64>
// CHECK-DAG:           %[[OUTSIDE:.+]] = arith.cmpi uge, %j, %[[M]] : index
// CHECK-DAG:           %[[ANY_WRONG:.+]] = arith.ori %[[WRONG]], %[[OUTSIDE]] : i1
// CHECK:               nacho.yield %[[MORE]], %[[NEXT]], %[[ANY_WRONG]] : index, f64, i1
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.if %[[ROW]]#2 {
// CHECK-NEXT:          memref.atomic_rmw ori %c1_i32, %status[]
// CHECK-NEXT:        }
//
// if neither cut is in the row: y[i] = sum
// else: partials[cut by the upper one ? tail : head] = sum
// CHECK:             %[[FINISHED:.+]] = arith.xori %[[ON_HI]], %true : i1
// CHECK-NEXT:        %[[ON_LO:.+]] = nacho.on_cut %lo1
// CHECK-NEXT:        %[[BEGUN:.+]] = arith.xori %[[ON_LO]], %true : i1
// CHECK-NEXT:        %[[WHOLE:.+]] = arith.andi %[[BEGUN]], %[[FINISHED]] : i1
// CHECK-NEXT:        scf.if %[[WHOLE]] {
// CHECK:               memref.store %[[ROW]]#1, %values[%i]
// CHECK:             } else {
// CHECK-NEXT:          %[[KEPT:.+]] = arith.select %[[ON_HI]], %[[TAIL]], %[[HEAD]] : index
// CHECK-NEXT:          memref.store %[[ROW]]#0, %visited[%[[KEPT]]]
// CHECK-NEXT:          memref.store %[[ROW]]#1, %partials[%[[KEPT]], %c0]
// CHECK-NEXT:        }
// CHECK-NEXT:      }
//
// combine: if there are many parts, a worker adds up what the groups of 2^bits parts in a larger
// group have of a row that all of them are in, and tells in a head how many were reduced.
//
// CHECK-LABEL: func.func @spmv_combine(
// CHECK:         arith.cmpi ugt, %parts, %c256 : index
// CHECK:         arith.cmpi ugt, %parts, %c8192 : index
// CHECK:         arith.cmpi ugt, %parts, %c262144 : index
// CHECK:         %[[VERY_MANY:.+]] = arith.cmpi ugt, %parts, %c8388608 : index
// CHECK-NEXT:    %[[MORE:.+]] = arith.select %[[VERY_MANY]], %c5, %c0 : index
// CHECK-NEXT:    %[[MOST:.+]] = arith.addi %{{.+}}, %[[MORE]] : index
// CHECK-NEXT:    scf.for %bits = %c0 to %[[MOST]] step %c5 {
// CHECK-NEXT:      %[[LARGER:.+]] = arith.addi %bits, %c5 : index
// CHECK-NEXT:      %[[GROUPS:.+]] = arith.shrui %parts, %[[LARGER]] : index
// CHECK-NEXT:      nacho.parallel %worker in %[[GROUPS]] threads %threads {
// CHECK-NEXT:        %[[GROUP:.+]] = arith.muli %worker, %c32 : index
// CHECK-NEXT:        %[[END:.+]] = arith.addi %[[GROUP]], %c32 : index
// CHECK-NEXT:        %[[BEGIN:.+]] = arith.shli %[[GROUP]], %bits : index
// CHECK-NEXT:        %lo = nacho.load_cut %bounds[%[[BEGIN]]]
// CHECK-NEXT:        %[[NEXT:.+]] = arith.shli %[[END]], %bits : index
// CHECK-NEXT:        %hi = nacho.load_cut %bounds[%[[NEXT]]]
// CHECK:             scf.if
// CHECK:               %[[SECOND:.+]] = arith.addi %[[GROUP]], %c1 : index
// CHECK:               %[[COUNT:.+]] = scf.for %group = %[[SECOND]] to %[[END]] step %c1 iter_args(%open = %{{.+}}) -> (index) {
// CHECK:                 nacho.binary add
// CHECK:               memref.store %[[COUNT]], %visited[
//
// Then there is a worker for each part that ends in another row than it begins in.
//
// CHECK:         nacho.parallel %worker in %parts threads %threads {
// CHECK-NEXT:      %lo = nacho.load_cut %bounds[%worker]
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %worker, %c1 : index
// CHECK-NEXT:      %hi = nacho.load_cut %bounds[%[[NEXT]]]
// CHECK-DAG:       %[[LO_I:.+]] = nacho.cut_coordinate %lo[0]
// CHECK-DAG:       %[[HI_I:.+]] = nacho.cut_coordinate %hi[0]
// CHECK:           %[[SPANS:.+]] = arith.cmpi ne, %[[LO_I]], %[[HI_I]] : index
//
// low = part - 31 if part - 32 begins before the row, and else 0
// CHECK-NEXT:      %[[AT_LEAST:.+]] = arith.maxui %worker, %c32 : index
// CHECK-NEXT:      %[[AFTER:.+]] = arith.addi %[[AT_LEAST]], %c-31 : index
// CHECK-NEXT:      %[[FAR:.+]] = arith.subi %[[AT_LEAST]], %c32 : index
// CHECK-NEXT:      %cut = nacho.load_cut %bounds[%[[FAR]]]
// CHECK-NEXT:      %[[I:.+]] = nacho.cut_coordinate %cut[0]
// CHECK-NEXT:      %[[MANY:.+]] = arith.cmpi ne, %[[I]], %[[LO_I]] : index
// CHECK-NEXT:      %[[BOTTOM:.+]] = arith.select %[[MANY]], %[[AFTER]], %c0 : index
//
// for n = 1 to 4: first = part - n, if that begins in the row
// CHECK-NEXT:      %[[AT_LEAST:.+]] = arith.maxui %worker, %c1 : index
// CHECK-NEXT:      %[[BEFORE1:.+]] = arith.subi %[[AT_LEAST]], %c1 : index
// CHECK-NEXT:      %[[CUT:.+]] = nacho.load_cut %bounds[%[[BEFORE1]]]
// CHECK-NEXT:      %[[I:.+]] = nacho.cut_coordinate %[[CUT]][0]
// CHECK-NEXT:      %[[OTHER1:.+]] = arith.cmpi ne, %[[I]], %[[LO_I]] : index
// CHECK-NEXT:      %[[FIRST1:.+]] = arith.select %[[OTHER1]], %worker, %[[BEFORE1]] : index
// CHECK:           %[[FIRST2:.+]] = arith.select %{{.+}}, %[[FIRST1]], %{{.+}} : index
// CHECK:           %[[FIRST3:.+]] = arith.select %{{.+}}, %[[FIRST2]], %{{.+}} : index
// CHECK:           %[[BEFORE4:.+]] = arith.subi %{{.+}}, %c4 : index
// CHECK:           %[[OTHER4:.+]] = arith.cmpi ne, %{{.+}}, %[[LO_I]] : index
// CHECK-NEXT:      %[[TOP:.+]] = arith.select %[[OTHER4]], %[[FIRST3]], %[[BEFORE4]] : index
//
// first = the first part in low .. first that begins in the row, by bisection, if the part
// completes the row
// CHECK-NEXT:      %[[STAYS:.+]] = arith.cmpi eq, %[[LO_I]], %[[HI_I]] : index
// CHECK-NEXT:      %[[IS_FOUND:.+]] = arith.ori %[[OTHER4]], %[[STAYS]] : i1
// CHECK-NEXT:      %[[BOTTOM2:.+]] = arith.select %[[IS_FOUND]], %[[TOP]], %[[BOTTOM]] : index
// CHECK-NEXT:      %[[FIRST:.+]]:2 = scf.while (%[[LOW:[^ ]+]] = %[[BOTTOM2]], %[[HIGH:[^ ]+]] = %[[TOP]])
// CHECK-NEXT:        arith.cmpi ult, %[[LOW]], %[[HIGH]] : index
// CHECK:           ^bb0(%[[LOW:[^ ]+]]: index, %[[HIGH:[^ ]+]]: index):
// CHECK-NEXT:        %[[SPAN:.+]] = arith.subi %[[HIGH]], %[[LOW]] : index
// CHECK-NEXT:        %[[HALF:.+]] = arith.shrui %[[SPAN]], %c1 : index
// CHECK-NEXT:        %[[MIDDLE:.+]] = arith.addi %[[LOW]], %[[HALF]] : index
// CHECK-NEXT:        %[[CUT:.+]] = nacho.load_cut %bounds[%[[MIDDLE]]]
// CHECK-NEXT:        %[[I:.+]] = nacho.cut_coordinate %[[CUT]][0]
// CHECK-NEXT:        %[[OTHER:.+]] = arith.cmpi ne, %[[I]], %[[LO_I]] : index
// CHECK-NEXT:        %[[ABOVE:.+]] = arith.addi %[[MIDDLE]], %c1 : index
// CHECK-NEXT:        %[[FROM:.+]] = arith.select %[[OTHER]], %[[ABOVE]], %[[LOW]] : index
// CHECK-NEXT:        %[[TO:.+]] = arith.select %[[OTHER]], %[[HIGH]], %[[MIDDLE]] : index
// CHECK-NEXT:        scf.yield %[[FROM]], %[[TO]]
//
// CHECK:           scf.if %[[SPANS]] {
//
// open = what the part before has of the row, if there is a part before
// CHECK:             %[[BEFORE:.+]] = memref.load %visited
// CHECK-NEXT:        %[[OPEN:.+]] = arith.select %{{.+}}, %c0, %[[BEFORE]] : index
//
// most = 0 if there are fewer parts than a larger group has
// CHECK:             %[[COUNT:.+]] = arith.subi %worker, %[[FIRST]]#0 : index
// CHECK-NEXT:        %[[ARE_FEW:.+]] = arith.cmpi ult, %[[COUNT]], %c32 : index
// CHECK-NEXT:        %[[LARGEST:.+]] = arith.select %[[ARE_FEW]], %c0, %[[MOST]] : index
//
// for bits = 0, 5, .. : as many groups of 2^bits parts as there are before a larger group
// CHECK-NEXT:        %[[UP:.+]]:2 = scf.for %[[BITS:[^ ]+]] = %c0 to %[[LARGEST]] step %c5 iter_args(%[[AT:[^ ]+]] = %[[FIRST]]#0, %[[SO_FAR:[^ ]+]] = %[[OPEN]])
// CHECK-NEXT:          %[[LARGER:.+]] = arith.addi %[[BITS]], %c5 : index
// CHECK:               %[[ROUNDED:.+]] = arith.shrui %{{.+}}, %[[LARGER]] : index
// CHECK-NEXT:          %[[NEXT:.+]] = arith.shli %[[ROUNDED]], %[[LARGER]] : index
// CHECK-NEXT:          %[[BEGINS:.+]] = arith.cmpi ule, %[[NEXT]], %worker : index
// CHECK-NEXT:          %[[TO:.+]] = arith.select %[[BEGINS]], %[[NEXT]], %[[AT]] : index
// CHECK-NEXT:          %[[FROM:.+]] = arith.shrui %[[AT]], %[[BITS]] : index
// CHECK-NEXT:          %[[BEFORE:.+]] = arith.shrui %[[TO]], %[[BITS]] : index
//
// sums of the group = sums of the group before + (group has anything ? its sums : 0), if
// anything is open
// CHECK-NEXT:          %[[ADDED:.+]] = scf.for %group = %[[FROM]] to %[[BEFORE]] step %c1 iter_args(%open = %[[SO_FAR]]) -> (index) {
// CHECK:                 %[[MINE:.+]] = memref.load %visited[
// CHECK:                 %[[IS_OPEN:.+]] = arith.cmpi ne, %open, %c0 : index
// CHECK-NEXT:            scf.if %[[IS_OPEN]] {
// CHECK:                   %[[LAST:.+]] = arith.subi %{{.+}}, %c1 : index
// CHECK-NEXT:              %[[ANY:.+]] = arith.cmpi ne, %[[MINE]], %c0 : index
// CHECK-NEXT:              %[[X:.+]] = memref.load %partials[%[[LAST]], %c0]
// CHECK-NEXT:              %[[STORED:.+]] = memref.load %partials[%[[ROW:.+]], %c0]
// CHECK-NEXT:              %[[ZERO:.+]] = nacho.cast %{{.+}} : i8 to f64
// CHECK-NEXT:              %[[Y:.+]] = arith.select %[[ANY]], %[[STORED]], %[[ZERO]] : f64
// CHECK-NEXT:              %[[SUM:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:              memref.store %[[SUM]], %partials[%[[ROW]], %c0]
// CHECK-NEXT:            }
// CHECK-NEXT:            %[[COUNT:.+]] = arith.addi %open, %[[MINE]] : index
// CHECK-NEXT:            scf.yield %[[COUNT]] : index
// CHECK:               scf.yield %[[TO]], %[[ADDED]] : index, index
//
// for bits = .., 5, 0, if there are parts before: as many as there are
// CHECK:             %[[MORE:.+]] = arith.addi %[[LARGEST]], %c5 : index
// CHECK-NEXT:        %[[NONE:.+]] = arith.cmpi eq, %{{.+}}, %worker : index
// CHECK-NEXT:        %[[SIZES:.+]] = arith.select %[[NONE]], %c0, %[[MORE]] : index
// CHECK-NEXT:        %[[DOWN:.+]]:2 = scf.for %[[LESS:[^ ]+]] = %c0 to %[[SIZES]] step %c5 iter_args(%[[AT:[^ ]+]] = %[[UP]]#0, %[[SO_FAR:[^ ]+]] = %[[UP]]#1)
// CHECK-NEXT:          %[[BITS:.+]] = arith.subi %[[LARGEST]], %[[LESS]] : index
// CHECK-NEXT:          %[[FROM:.+]] = arith.shrui %[[AT]], %[[BITS]] : index
// CHECK-NEXT:          %[[BEFORE:.+]] = arith.shrui %worker, %[[BITS]] : index
// CHECK-NEXT:          scf.for %group = %[[FROM]] to %[[BEFORE]] step %c1
// CHECK:                 nacho.binary add
// CHECK:               arith.maxui
//
// head = likewise; y[lo.i] = head
// CHECK:             %[[HEAD:.+]] = arith.muli %worker, %c2 : index
// CHECK-NEXT:        %[[MINE:.+]] = memref.load %visited[%[[HEAD]]]
// CHECK:               nacho.binary add
// CHECK:               memref.store %{{.+}}, %partials[%[[HEAD]], %c0]
// CHECK:             arith.addi %[[DOWN]]#1, %[[MINE]] : index
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult, %[[LO_I]], %{{.+}} : index
// CHECK:             scf.if %[[INSIDE]] {
// CHECK:               %[[STORED:.+]] = memref.load %partials[%[[HEAD]], %c0]
// CHECK:               %[[ENTRY:.+]] = arith.select %{{.+}}, %[[STORED]], %{{.+}} : f64
// CHECK:               memref.store %[[ENTRY]], %values[%[[LO_I]]]
//
// CHECK-LABEL: func.func @spmv_plan(
// CHECK-SAME:    %bounds: memref<?x5xindex>, %sizes: memref<3xindex>, %status: memref<i32>, %threads: index)
// CHECK:         call @spmv_scan({{.+}}, %bounds, %sizes, %threads)
//
// CHECK-LABEL: func.func @spmv_execute(
// CHECK-SAME:    result = tensor<?xf64>, partials = [f64]>, reads = {{.+}}>} {
// CHECK-NEXT:    call @spmv_compute(
// CHECK-NEXT:    call @spmv_combine(
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64>
}

// Into a sparse vector: the rows with entries are counted as those of a matrix are,
// and have their values at the same positions.
//
// CHECK-LABEL: func.func @sparse_vector_assemble(
// CHECK-SAME:    %counts: memref<?x4xindex>
// CHECK-NOT:     nacho.load %
// CHECK:           nacho.coiterate %i of {{.+}} iter_args(%head = %false : i1, %mid = %c0 : index, %tail = %false : i1, %entries = %c0 : index) {
//
// CHECK-LABEL: func.func @sparse_vector_scan(
// CHECK:         nacho.exclusive_scan %counts into %offsets : memref<?x4xindex> {
// CHECK:         memref.store %position, %sizes[%c0] : memref<3xindex>
//
// CHECK-LABEL: func.func @sparse_vector_compute(
// CHECK-SAME:    %offsets: memref<?x4xindex>, %pos0: memref<?xi32>, %crd0: memref<?xi32>, %values: memref<?xf64>, %partials: memref<?x?xf64>, %visited: memref<?xindex>,
// CHECK:           nacho.coiterate %i of {{.+}} iter_args(%[[POSITION:[^ ]+]] = %position : index, %[[OPEN:[^ ]+]] = %open : i1, %{{.+}} = %c0 : index) {
// CHECK:             %[[ROW:.+]]:3 = nacho.coiterate %j of {{.+}} iter_args(%{{[^ ]+}} = %c0 : index, %{{[^ ]+}} = %{{[^ ]+}} : f64, %{{[^ ]+}} = %false : i1) {
//
// if the row is whole and has entries: values[position] = sum
// CHECK:             %[[WHOLE:.+]] = arith.andi
// CHECK-NEXT:        scf.if %[[WHOLE]] {
// CHECK-NEXT:          %[[ANY:.+]] = arith.cmpi ne, %[[ROW]]#0, %c0 : index
// CHECK-NEXT:          scf.if %[[ANY]] {
// CHECK:                 memref.store %[[ROW]]#1, %values[%[[POSITION]]]
//
// who finishes the row: crd[position++] = i
// CHECK:             scf.if %{{.+}} {
// CHECK-NEXT:          %[[CRD:.+]] = arith.index_castui %i : index to i32
// CHECK-NEXT:          memref.store %[[CRD]], %crd0[%[[POSITION]]]
//
// CHECK-LABEL: func.func @sparse_vector_combine(
// CHECK-COUNT-3:   scf.for %group =
// CHECK:             %[[HEAD:.+]] = arith.muli %worker, %c2 : index
// CHECK:             %[[COUNT:.+]] = arith.addi
// CHECK-NEXT:        %[[ANY:.+]] = arith.cmpi ne, %[[COUNT]], %c0 : index
// CHECK:             %position = arith.select
// CHECK-NEXT:        scf.if %[[ANY]] {
// CHECK:               %[[STORED:.+]] = memref.load %partials[%[[HEAD]], %c0]
// CHECK:               memref.store %[[STORED]], %values[%position]
//
// CHECK-LABEL: func.func @sparse_vector_execute(
// CHECK-SAME:    , counts = 4, partials = [f64]>, reads = {{.+}}>} {
func.func @sparse_vector(%A: tensor<?x?xf64, #DCSR>, %x: tensor<?xf64>) -> tensor<?xf64, #SV> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %x[j] : tensor<?xf64>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<?xf64, #SV>
}

// A number: every part has some of it, in its only row; what is added outside of all
// loops is the last one's.
//
// CHECK-LABEL: func.func @sum_scan(
// CHECK-SAME:    %sizes: memref<1xindex>
// CHECK:         memref.store %c1, %sizes[%c0]
//
// CHECK-LABEL: func.func @sum_compute(
// CHECK:           memref.store %c0, %visited[%part]
// CHECK:           %[[ALL:.+]]:2 = nacho.coiterate %i of {{.+}} iter_args(%{{.+}} = %c0 : index, %{{.+}} = %[[ZERO:.+]] : f64) {
// CHECK:           %[[IS_LAST:.+]] = arith.cmpi eq, %{{.+}}, %parts : index
// CHECK-NEXT:      %b = tensor.extract
// CHECK:           %[[MORE:.+]] = nacho.binary add %[[ALL]]#1, %b reassociable : f64
// CHECK-NEXT:      %[[SUM:.+]] = arith.select %[[IS_LAST]], %[[MORE]], %[[ALL]]#1 : f64
// CHECK:           memref.store %[[SUM]], %partials[%part, %c0]
//
// combine: the row of the first part += that of each other part, in order; if there are
// many, that of the first of a group first, and then that of the first of each group
// CHECK-LABEL: func.func @sum_combine(
// CHECK:         scf.for %bits = %c0 to %[[MOST:.+]] step %c5 {
// CHECK-NEXT:      %[[LARGER:.+]] = arith.addi %bits, %c5 : index
// CHECK:           %[[GROUPS:.+]] = arith.shrui %{{.+}}, %[[LARGER]] : index
// CHECK-NEXT:      nacho.parallel %worker in %[[GROUPS]]
// CHECK:             %[[GROUP:.+]] = arith.muli %worker, %c32 : index
// CHECK:             %[[END:.+]] = arith.minui
// CHECK-NEXT:        %[[BEGIN:.+]] = arith.shli %[[GROUP]], %bits : index
// CHECK:             %[[COUNT:.+]] = scf.for %group = %{{.+}} to %[[END]] step %c1
// CHECK:               memref.store %{{.+}}, %partials[%[[BEGIN]], %c0]
// CHECK:             memref.store %[[COUNT]], %visited[%[[BEGIN]]]
// CHECK:         nacho.parallel %piece in %c1
// CHECK:           %[[END:.+]] = arith.shrui %{{.+}}, %[[MOST]] : index
// CHECK:           scf.for %group = %c1 to %[[END]] step %c1
// CHECK:             %[[OTHER:.+]] = arith.shli %group, %[[MOST]] : index
// CHECK:             %[[X:.+]] = memref.load %partials[%[[OTHER]], %c0]
// CHECK-NEXT:        %[[Y:.+]] = memref.load %partials[%c0, %c0]
// CHECK-NEXT:        %[[SUM:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:        memref.store %[[SUM]], %partials[%c0, %c0]
// CHECK:           scf.for %[[AT:.+]] = %c0 to
// CHECK-NEXT:        %[[SUM:.+]] = memref.load %partials[%c0, %[[AT]]]
// CHECK-NEXT:        memref.store %[[SUM]], %values[%[[AT]]]
func.func @sum(%A: tensor<?x?xf64, #DCSR>, %s: tensor<f64>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %s[] : tensor<f64>)
      -> [] : tensor<f64> {
    %0 = nacho.reduce add %a over [i, j] : f64
    %1 = nacho.binary add %0, %b : f64
    nacho.yield %1 : f64
  }
  return %y : tensor<f64>
}

// y[j] = A[i, j] * x[i]: every part scatters products over a row of sums of its own, which is as
// long as the result. There are as many parts, whatever is asked for, as the cost is worth.
//
// clear: the rows of all parts, in pieces of equal size
// CHECK-LABEL: func.func @scatter_clear(
// CHECK:         %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK:         %[[PIECES:.+]] = arith.divui %{{.+}}, %c2048 : index
// CHECK:         %[[ALL:.+]] = arith.muli %parts, %[[PIECES]] : index
// CHECK-NEXT:    nacho.parallel %piece in %[[ALL]] threads %threads {
// CHECK-NEXT:      %[[ROW:.+]] = arith.divui %piece, %[[PIECES]] : index
// CHECK-NEXT:      %[[IN_ROW:.+]] = arith.remui %piece, %[[PIECES]] : index
// CHECK-NEXT:      %[[FROM:.+]] = arith.muli %[[IN_ROW]], %c2048 : index
// CHECK:           %[[TO:.+]] = arith.minui %{{.+}}, %[[M]] : index
// CHECK:           scf.for %[[J:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK-NEXT:        memref.store %{{.+}}, %partials[%[[ROW]], %[[J]]]
//
// row[j] += A[i, j] * x[i]
// CHECK-LABEL: func.func @scatter_compute(
// CHECK:           memref.store %c0, %visited[%part]
// CHECK-NEXT:      nacho.coiterate %i of
// CHECK:             nacho.coiterate %j of
// CHECK:               %[[V:.+]] = nacho.binary mul
// CHECK:               %[[BEFORE:.+]] = memref.load %partials[%part, %j]
// CHECK-NEXT:          %[[AFTER:.+]] = nacho.binary add %[[BEFORE]], %[[V]] : f64
// CHECK-NEXT:          memref.store %[[AFTER]], %partials[%part, %j]
//
// combine: for each piece, the row of the first part += that of each other part; y = that row
// CHECK-LABEL: func.func @scatter_combine(
// CHECK:         nacho.parallel %piece in %{{.+}} threads %threads {
// CHECK:           scf.for %group = %c1 to %{{.+}} step %c1
// CHECK:             scf.if
// CHECK-NEXT:          scf.for %[[J:.+]] = %[[FROM:.+]] to %[[TO:.+]] step %c1 {
// CHECK-NEXT:            %[[X:.+]] = memref.load %partials[%[[OTHER:.+]], %[[J]]]
// CHECK-NEXT:            %[[Y:.+]] = memref.load %partials[%c0, %[[J]]]
// CHECK-NEXT:            %[[SUM:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:            memref.store %[[SUM]], %partials[%c0, %[[J]]]
// CHECK:           %[[END:.+]] = arith.minui %[[TO]], %{{.+}} : index
// CHECK-NEXT:      scf.for %[[J:.+]] = %[[FROM]] to %[[END]] step %c1 {
// CHECK-NEXT:        %[[SUM:.+]] = memref.load %partials[%c0, %[[J]]]
// CHECK-NEXT:        memref.store %[[SUM]], %values[%[[J]]]
//
// CHECK-LABEL: func.func @scatter_execute(
// CHECK-SAME:    partials = [f64], partialRows = 1, fixedParts = true>, reads = {{.+}}>} {
// CHECK:         call @scatter_clear(
// CHECK-NEXT:    call @scatter_compute(
//
// The row of a single part is the result itself.
// CHECK:         %[[SEVERAL:.+]] = arith.cmpi ugt, %parts, %c1 : index
// CHECK-NEXT:    scf.if %[[SEVERAL]] {
// CHECK-NEXT:      call @scatter_combine(
func.func @scatter(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %x[i] : tensor<?xf64>)
      -> [j] : tensor<?xf64> {
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [i] : f64
    nacho.yield %1 : f64
  } {order = ["i", "j"]}
  return %y : tensor<?xf64>
}

// The greatest element: -inf to begin with; 0 takes part where not every element is
// stored, which the number of those that were reduced tells.
//
// fill: y[i] = M > 0 ? max(-inf, 0) : -inf, in pieces
// CHECK-LABEL: func.func @max_fill(
// CHECK:         %[[MIN:.+]] = arith.constant 0xFFF0000000000000 : f64
// CHECK:           %[[FROM:.+]] = arith.muli %piece, %c2048 : index
// CHECK:           %[[TO:.+]] = arith.minui
// CHECK-NEXT:      %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:      %[[MISSING:.+]] = arith.cmpi ugt, %[[M]], %c0 : index
// CHECK:           %[[MAX:.+]] = nacho.binary max %[[MIN]], %{{.+}} : f64
// CHECK-NEXT:      %[[NOTHING:.+]] = arith.select %[[MISSING]], %[[MAX]], %[[MIN]] : f64
// CHECK-NEXT:      scf.for %[[AT:.+]] = %[[FROM]] to %[[TO]] step %c1 {
// CHECK-NEXT:        memref.store %[[NOTHING]], %values[%[[AT]]]
//
// CHECK-LABEL: func.func @max_compute(
// CHECK:         %[[MIN:.+]] = arith.constant 0xFFF0000000000000 : f64
// CHECK:             %[[ROW:.+]]:2 = nacho.coiterate %j of {{.+}} iter_args(%[[SO_FAR:[^ ]+]] = %c0 : index, %[[MAX:[^ ]+]] = %[[MIN]] : f64) {
// CHECK:               nacho.binary max %[[MAX]], %a reassociable : f64
// CHECK:             scf.if %{{.+}} {
// CHECK-NEXT:          %[[M:.+]] = sparse_tensor.lvl %{{.+}}, %c1
// CHECK-NEXT:          %[[MISSING:.+]] = arith.cmpi ult, %[[ROW]]#0, %[[M]] : index
// CHECK-NEXT:          %[[ZERO:.+]] = nacho.cast
// CHECK-NEXT:          %[[WITH_ZERO:.+]] = nacho.binary max %[[ROW]]#1, %[[ZERO]] reassociable : f64
// CHECK-NEXT:          %[[ENTRY:.+]] = arith.select %[[MISSING]], %[[WITH_ZERO]], %[[ROW]]#1 : f64
// CHECK:                 memref.store %[[ENTRY]], %values[%i]
//
// CHECK-LABEL: func.func @max_combine(
// CHECK:         scf.while
// CHECK-COUNT-3:       nacho.binary max
// CHECK:             %[[ALL:.+]] = arith.addi %{{.+}}, %{{.+}} : index
// CHECK-NEXT:        arith.cmpi ne, %[[ALL]], %c0 : index
// CHECK:                 arith.cmpi ult, %[[ALL]], %{{.+}} : index
//
// CHECK-LABEL: func.func @max_execute(
// CHECK:         call @max_fill(
// CHECK-NEXT:    call @max_compute(
// CHECK-NEXT:    call @max_combine(
func.func @max(%A: tensor<?x?xf64, #DCSR>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>) -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [j] : f64
    nacho.yield %0 : f64
  }
  return %y : tensor<?xf64>
}

// y[i] = f64(A[i, j]) + x[i], A of integers: a partial entry of either type, both of which go
// into one entry when that is complete.
//
// CHECK-LABEL: func.func @types_compute(
// CHECK-SAME:    %[[P0:partials[^ ]*]]: memref<?x?xf64>, %[[P1:partials[^ ]*]]: memref<?x?xi32>, %visited: memref<?xindex>
// CHECK:             scf.if
// CHECK:               %[[WIDE:.+]] = nacho.cast %[[SUM1:.+]] : i32 to f64
// CHECK-NEXT:          %[[ENTRY:.+]] = nacho.binary add %[[SUM0:.+]], %[[WIDE]] : f64
// CHECK:                 memref.store %[[ENTRY]], %values[%i]
// CHECK:             } else {
// CHECK-DAG:           memref.store %[[SUM0]], %[[P0]][
// CHECK-DAG:           memref.store %[[SUM1]], %[[P1]][
//
// CHECK-LABEL: func.func @types_combine(
// CHECK:               nacho.binary add %{{.+}}, %{{.+}} : f64
// CHECK:               nacho.binary add %{{.+}}, %{{.+}} : i32
//
// CHECK-LABEL: func.func @types_execute(
// CHECK-SAME:    partials = [f64, i32]>, reads = {{.+}}>} {
func.func @types(%A: tensor<?x?xi32, #CSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xi32, #CSR>, %b = %x[i] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce add %a over [j] : i32
    %1 = nacho.cast %0 : i32 to f64
    %2 = nacho.binary add %1, %b : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<?xf64>
}

// Z[i, j] = min_k A[i, k, j], but for ones. A part keeps a row of sums, of which a condition holds for
// some only: an element for which it does not hold counts as 0, so that all sums are of as many elements.
//
// CHECK-LABEL: func.func @conditions_in_rows_compute(
// CHECK:               nacho.coiterate %j to %N_j of ()
// CHECK:                 %[[KEPT:.+]] = nacho.compare ne %a, %[[ONE:.+]] : f64
// CHECK:                 %[[ZERO:.+]] = nacho.cast %c0_i8 : i8 to f64
// CHECK-NEXT:            %[[TERM:.+]] = arith.select %[[KEPT]], %a, %[[ZERO]] : f64
// CHECK-NEXT:            %[[SUM:.+]] = memref.load %partials[%{{.+}}, %j]
// CHECK-NEXT:            nacho.binary min %[[SUM]], %[[TERM]]
// CHECK:               %[[SOME:.+]] = arith.cmpi ne, %N_j, %c0 : index
// CHECK-NEXT:          %[[VISITED:.+]] = arith.select %[[SOME]], %c1, %c0 : index
func.func @conditions_in_rows(%A: tensor<?x?x?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, k, j] : tensor<?x?x?xf64>) -> [i, j] : tensor<?x?xf64> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.compare ne %a, %one : f64
    %1 = nacho.keep %a if %0 : f64
    %2 = nacho.reduce min %1 over [k] : f64
    nacho.yield %2 : f64
  } {order = ["i", "k", "j"]}
  return %Z : tensor<?x?xf64>
}

// The condition is the same for a whole row: it says whether the row reduces anything.
//
// CHECK-LABEL: func.func @negative_condition_of_rows_compute(
// CHECK:               nacho.coiterate %j to %N_j of ()
// CHECK:                 %[[KEPT:.+]] = nacho.compare ne %b{{.*}}, %{{.+}} : f64
// CHECK:                 scf.if %[[KEPT]] {
// CHECK:               %[[ALSO:.+]] = nacho.compare ne %b{{.*}}, %{{.+}} : f64
// CHECK-NEXT:          %[[SOME:.+]] = arith.andi %{{.+}}, %[[ALSO]] : i1
// CHECK-NEXT:          arith.select %[[SOME]], %c1, %c0 : index
func.func @negative_condition_of_rows(%A: tensor<?x?x?xf64>, %B: tensor<?xf64>) -> tensor<?x?xf64> {
  %Z = nacho.assign (%a = %A[i, k, j] : tensor<?x?x?xf64>, %b = %B[k] : tensor<?xf64>)
      -> [i, j] : tensor<?x?xf64> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.compare ne %b, %one : f64
    %1 = nacho.keep %a if %0 : f64
    %2 = nacho.reduce min %1 over [k] : f64
    nacho.yield %2 : f64
  } {order = ["i", "k", "j"]}
  return %Z : tensor<?x?xf64>
}

// y[i] = A[i, j] * j: the coordinate indexes no memory, but the result has it as a number, so that it is
// compared with the extent, too.
//
// CHECK-LABEL: func.func @numbers_compute(
// CHECK:           nacho.coiterate %j of {{.+}} %[[WRONG:[^ ]+]] = %false : i1) {
// CHECK:             arith.index_cast %j : index to i64
// CHECK:             %[[OUTSIDE:.+]] = arith.cmpi uge, %j, %{{.+}} : index
// CHECK:             arith.ori %[[WRONG]], %[[OUTSIDE]] : i1
func.func @numbers(%A: tensor<?x?xi64, #CSR>, %m: index) -> tensor<?xi64> {
  %J = nacho.coordinates %m : tensor<?xi64>
  %y = nacho.assign (%a = %A[i, j] : tensor<?x?xi64, #CSR>, %j = %J[j] : tensor<?xi64>)
      -> [i] : tensor<?xi64> {
    %0 = nacho.binary mul %a, %j : i64
    %1 = nacho.reduce add %0 over [j] : i64
    nacho.yield %1 : i64
  }
  return %y : tensor<?xi64>
}
