// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{drafts=some},canonicalize,cse)' \
// RUN:   | FileCheck %s

// Without counting: a part appends to a draft, from the offset that the parts before cost.
// What is there then moves together.

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#DCSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#COO = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)), posWidth = 32, crdWidth = 32 }>
#Costs = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#RowSums = #sparse_tensor.encoding<{
  map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa), d2 : singleton(soa)), posWidth = 64, crdWidth = 32 }>

// Of a union, nearly all that is appended to a draft would have to be moved.
//
// CHECK-LABEL: func.func @negative_union_assemble(
// CHECK-LABEL: func.func @negative_union_scan(
// CHECK-LABEL: func.func @negative_union_execute(
// CHECK-NOT:   filling = drafted
// CHECK-NOT:   @negative_union_compact
func.func @negative_union(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// Unless each thread has a draft for a part, which a cache holds: a part counts while it
// appends there, adds up what those before it have, and moves its entries: no more than
// there is room for, whatever it has visited.
//
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},%{cut},nacho-assemble-outputs{drafts=unions},canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=UNIONS
//
// UNIONS-NOT:    @negative_union_assemble(
// UNIONS-NOT:    @negative_union_scan(
// UNIONS:        func.func private @negative_union_compute(
// UNIONS-SAME:     %[[MOVED:moved[^ ]*]]: memref<?x1xindex>
// UNIONS-SAME:     %[[DRAFTCRD:draft_crd[^ ]*]]: memref<?xi32>, %[[DRAFT:draft_values[^ ]*]]: memref<?xf64>
// UNIONS-SAME:     %[[POS:pos[^ ]*]]: memref<?xi32>, %[[CRD:crd[^ ]*]]: memref<?xi32>, %[[VALUES:values[^ ]*]]: memref<?xf64>
// UNIONS-SAME:     %[[THREADS:threads[^ ]*]]: index)
// UNIONS:          nacho.parallel %[[PART:part[^ ]*]] in %[[PARTS:parts[^ ]*]] threads %[[THREADS]]
// UNIONS:            %[[ALL:.+]] = memref.dim %[[DRAFT]]
// UNIONS:            %[[SLOT:.+]] = nacho.slot
// UNIONS:            %[[ROOM:room.*]] = arith.divui %[[ALL]], %[[THREADS]]
// UNIONS:            %[[BEGIN:begin.*]] = arith.muli %[[SLOT]], %[[ROOM]]
// UNIONS:            memref.store %{{.+}}, %[[DRAFTCRD]]
// UNIONS:            %[[COUNT:.+]] = arith.minui %{{.+}}, %[[ROOM]]
// UNIONS:            %[[TILE:.+]], %{{.+}} = nacho.tile %[[PART]] of %[[PARTS]] by 1
// UNIONS-NEXT:       %[[ROWS:.+]] = nacho.tile_scan(%[[COUNT]]) into %[[MOVED]]
// UNIONS:            %[[BEFORE:.+]] = memref.load %[[ROWS]]
// UNIONS:            %[[NEXT:.+]] = memref.load %[[ROWS]]
// UNIONS:            %[[SEVERAL:.+]] = arith.cmpi ugt, %[[PARTS]],
// UNIONS-NEXT:       %[[END:.+]] = arith.select %[[SEVERAL]], %[[NEXT]], %[[BEFORE]]
// UNIONS-NEXT:       nacho.tile_append %[[DRAFTCRD]], %[[DRAFT]][%[[BEGIN]]] to %[[CRD]], %[[VALUES]][%[[BEFORE]] to %[[END]] in %[[BEFORE]] to %[[END]]]
// UNIONS:            scf.if %[[SEVERAL]] {
// UNIONS-NEXT:         %[[SHIFT:.+]] = arith.subi %[[BEFORE]], %[[BEGIN]]
// UNIONS:              memref.load %[[POS]]
// UNIONS:              memref.store %{{.+}}, %[[POS]]
// UNIONS:            %[[FULL:.+]] = arith.cmpi ugt, %[[NEXT]], %{{.+}}
// UNIONS-NEXT:       scf.if %[[FULL]] {
// UNIONS:              memref.atomic_rmw ori
// UNIONS:        func.func @negative_union_execute(
// UNIONS-SAME:   filling = in_turn
// UNIONS-NOT:    @negative_union_compact

// That is so for any number of operands.
//
// UNIONS-NOT:    @negative_union_of_three_assemble(
// UNIONS:        func.func @negative_union_of_three_execute(
// UNIONS-SAME:   filling = in_turn
//
// CHECK-LABEL: func.func @negative_union_of_three_execute(
// CHECK-NOT:   filling = drafted
// CHECK-NOT:   @negative_union_of_three_compact
func.func @negative_union_of_three(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                                   %C: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>,
                     %c = %C[i, j] : tensor<?x?xf64, #CSR>) -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary add %a, %b : f64
    %1 = nacho.binary add %0, %c : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// There is more to count than entries: which rows have any.
//
// UNIONS:        func.func @negative_two_levels_assemble(
// UNIONS-NOT:    @hadamard_assemble(
// UNIONS-NOT:    @hadamard_scan(
//
// CHECK-LABEL: func.func @negative_two_levels_assemble(
// CHECK-LABEL: func.func @negative_two_levels_execute(
// CHECK-NOT:   filling = drafted
// CHECK-NOT:   @negative_two_levels_compact
func.func @negative_two_levels(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?x?xf64, #DCSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #DCSR>, %b = %B[i, j] : tensor<?x?xf64, #DCSR>)
      -> [i, j] : tensor<?x?xf64, #DCSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #DCSR>
}

// Rows: their positions are those in the draft, at first.
//
// CHECK-NOT:     @hadamard_assemble
// CHECK-LABEL: func.func private @hadamard_compute(
// CHECK-SAME:    %bounds: memref<?x7xindex>, %offsets: memref<?x1xindex>, %counts: memref<?x1xindex>, %moved: memref<?x1xindex>, %sizes: memref<5xindex>, %pos1: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %part, %c1 : index
// CHECK-NEXT:      %[[FIRST:.+]] = memref.load %offsets[%part, %c0]
// CHECK-NEXT:      %[[LAST:.+]] = memref.load %offsets[%[[NEXT]], %c0]
// CHECK:           nacho.coiterate %j of {{.+}} in intersect({{.+}}) {{.+}} iter_args(%[[AT:[^ ]+]] = %{{[^ ]+}} : index) {
//
// Nothing is written to where the next part begins.
// CHECK:             %[[FITS:.+]] = arith.cmpi ult, %[[AT]], %[[LAST]] : index
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult, %j, %{{.+}} : index
// CHECK-NEXT:        %[[VALID:.+]] = arith.andi %[[FITS]], %[[INSIDE]] : i1
// CHECK-NEXT:        scf.if %[[VALID]] {
// CHECK:             } else {
// CHECK-NEXT:          %[[CODE:.+]] = arith.select %[[INSIDE]], %c32_i32, %c1_i32 : i32
// CHECK-NEXT:          memref.atomic_rmw ori %[[CODE]], %status[]
//
// What was appended is the count; whether it is all that there is, nobody knows.
// CHECK-NOT:       %c2_i32
// CHECK:           %[[COUNT:.+]] = arith.subi %{{.+}}, %[[FIRST]] : index
// CHECK-NEXT:      memref.store %[[COUNT]], %counts[%part, %c0]
//
// CHECK-LABEL: func.func @hadamard_plan(
// CHECK-SAME:    %bounds: memref<?x7xindex>, %offsets: memref<?x1xindex>, %sizes: memref<5xindex>, %status: memref<i32>, %threads: index)
// CHECK:         call @hadamard_partition(
// CHECK-NEXT:    nacho.parallel %{{.+}} in %c1 threads %threads {
// CHECK-NEXT:      %lo = nacho.load_cut %bounds[%c0]
// CHECK-NEXT:      %[[BASE:.+]] = nacho.cut_cost %lo
// CHECK-NEXT:      scf.for %[[PART:.+]] = %c0 to %{{.+}} step %c1 {
// CHECK-NEXT:        %hi = nacho.load_cut %bounds[%[[PART]]]
// CHECK-NEXT:        %[[COST:.+]] = nacho.cut_cost %hi
// CHECK-NEXT:        %[[OFFSET:.+]] = arith.subi %[[COST]], %[[BASE]] : index
// CHECK-NEXT:        memref.store %[[OFFSET]], %offsets[%[[PART]], %c0]
// CHECK:         %[[ROOM:.+]] = memref.load %offsets[%parts, %c0]
// CHECK:         memref.store %[[ROOM]], %sizes[%c1]
//
// CHECK-LABEL: func.func @hadamard_execute(
// CHECK-SAME:    buffers = <name = "hadamard", result = tensor<?x?xf64, #{{[^>]+}}>, counts = 1, filling = drafted>, reads = {{.+}}>} {
// CHECK:         call @hadamard_compute(
// CHECK:         nacho.exclusive_scan %counts into %moved
// CHECK:         %[[ENTRIES:.+]] = memref.load %moved[%parts, %c0]
// CHECK:         memref.store %[[ENTRIES]], %sizes[%c1]
//
// Every worker moves as many entries, which one or more parts have appended.
//
// CHECK-LABEL: func.func @hadamard_compact(
// CHECK-SAME:    %offsets: memref<?x1xindex>, %moved: memref<?x1xindex>, %draft_pos1: memref<?xi32>, %draft_crd1: memref<?xi32>, %draft_values: memref<?xf64>, %pos1: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>, %status: memref<i32>, %threads: index)
// CHECK:         nacho.parallel %part in %parts threads %threads {
// CHECK-NEXT:      %[[TOTAL:.+]] = memref.load %moved[%parts, %c0]
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %part, %c1 : index
// CHECK-NEXT:      %[[FROM:.+]] = nacho.query %part of %parts from %c0 to %[[TOTAL]]
// CHECK-NEXT:      %[[TO:.+]] = nacho.query %[[NEXT]] of %parts from %c0 to %[[TOTAL]]
//
// first = the last part with moved(first) < from + 1, by bisection
// CHECK:           %[[ABOVE:.+]]:2 = scf.while (%[[LOW:[^ ]+]] = %c1, %[[HIGH:[^ ]+]] = %parts)
// CHECK:             %[[MOVED:.+]] = memref.load %moved[%[[MIDDLE:.+]], %c0]
// CHECK-NEXT:        %[[BEFORE:.+]] = arith.cmpi ult, %[[MOVED]], %{{.+}} : index
// CHECK-NEXT:        %[[AFTER:.+]] = arith.addi %[[MIDDLE]], %c1 : index
// CHECK-NEXT:        arith.select %[[BEFORE]], %[[AFTER]], %{{.+}} : index
// CHECK:           %[[FIRST:.+]] = arith.subi %[[ABOVE]]#0, %c1 : index
//
// CHECK:           scf.for %[[OF:.+]] = %[[FIRST]] to %{{.+}} step %c1 {
// CHECK:             %[[BEGIN:.+]] = memref.load %moved[%[[OF]], %c0]
// CHECK-NEXT:        %[[LOW:.+]] = arith.maxui %[[FROM]], %[[BEGIN]] : index
// CHECK-NEXT:        %[[END:.+]] = memref.load %moved[%{{.+}}, %c0]
// CHECK-NEXT:        %[[HIGH:.+]] = arith.minui %[[TO]], %[[END]] : index
// CHECK-NEXT:        %[[WAS:.+]] = memref.load %offsets[%[[OF]], %c0]
// CHECK-NEXT:        %[[SHIFT:.+]] = arith.subi %[[WAS]], %[[BEGIN]] : index
// CHECK-NEXT:        scf.for %[[AT:.+]] = %[[LOW]] to %[[HIGH]] step %c1 {
// CHECK-NEXT:          %[[SOURCE:.+]] = arith.addi %[[AT]], %[[SHIFT]] : index
// CHECK-NEXT:          %[[CRD:.+]] = memref.load %draft_crd1[%[[SOURCE]]]
// CHECK-NEXT:          memref.store %[[CRD]], %crd1[%[[AT]]]
// CHECK:             scf.for
// CHECK:               memref.load %draft_values[
//
// And as many positions, which now are of the result.
// CHECK:           %[[DIM:.+]] = memref.dim %pos1, %c0
// CHECK-NEXT:      %[[ROWS:.+]] = arith.subi %[[DIM]], %c1 : index
// CHECK-NEXT:      %[[FROM:.+]] = nacho.query %part of %parts from %c0 to %[[ROWS]]
// CHECK:           scf.if
// CHECK-NEXT:        memref.store %c0_i32, %pos1[%c0]
// CHECK:             %[[WAS:.+]] = memref.load %draft_pos1[%[[AT:.+]]]
// CHECK-NEXT:        %[[WIDE:.+]] = arith.index_castui %[[WAS]] : i32 to index
// CHECK-NEXT:        %[[NOW:.+]] = arith.subi %[[WIDE]], %{{.+}} : index
// CHECK-NEXT:        %[[NARROW:.+]] = arith.index_castui %[[NOW]] : index to i32
// CHECK-NEXT:        memref.store %[[NARROW]], %pos1[%[[AT]]]
func.func @hadamard(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// All coordinates of an entry move; the one fiber of the first level is known when all
// has been appended. If there is but one part, that is the result already.
//
// CHECK-LABEL: func.func private @coo_compute(
// CHECK-NOT:     memref.store {{.+}}, %pos0
// CHECK-LABEL: func.func @coo_plan(
// CHECK-LABEL: func.func @coo_execute(
// CHECK:         nacho.exclusive_scan
// CHECK:         nacho.parallel %{{.+}} in %c1
// CHECK:           memref.store %{{.+}}, %pos0[%c1]
// CHECK:         return
// CHECK-LABEL: func.func @coo_compact(
// CHECK-SAME:    %draft_pos0: memref<?xi32>, %draft_crd0: memref<?xi32>, %draft_crd1: memref<?xi32>, %draft_values: memref<?xf64>, %pos0: memref<?xi32>, %crd0: memref<?xi32>, %crd1: memref<?xi32>, %values: memref<?xf64>,
// CHECK:         nacho.parallel %part in %parts
// CHECK-NEXT:      %[[FIRST:.+]] = arith.cmpi eq, %part, %c0
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NEXT:        %[[TOTAL:.+]] = memref.load %moved[%parts, %c0]
// CHECK-NEXT:        memref.store %c0_i32, %pos0[%c0]
// CHECK-NEXT:        %[[NARROW:.+]] = arith.index_castui %[[TOTAL]] : index to i32
// CHECK-NEXT:        memref.store %[[NARROW]], %pos0[%c1]
// CHECK:           memref.load %draft_crd0
// CHECK:           memref.load %draft_crd1
// CHECK:           memref.load %draft_values
// CHECK-NOT:       %draft_pos0
// CHECK:         return
func.func @coo(%A: tensor<?x?xf64, #COO>, %B: tensor<?x?xf64, #COO>)
    -> tensor<?x?xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #COO>, %b = %B[i, j] : tensor<?x?xf64, #COO>)
      -> [i, j] : tensor<?x?xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<?x?xf64, #COO>
}

// A list of costs that are added up: a part does that as it appends; what the parts
// before cost is added when the sums move.
//
// CHECK-LABEL: func.func private @list_compute(
// CHECK-SAME:    %counts: memref<?x2xindex>
// CHECK:           %[[SUMS:.+]]:2 = nacho.coiterate %{{.+}} of {{.+}} iter_args(%[[AT:.+]] = %entries : index, %[[SUM:.+]] = %c0_i64 : i64) {
// CHECK:             %[[NOW:.+]] = arith.addi %[[SUM]], %{{.+}} : i64
// CHECK:             memref.store %[[NOW]], %values[%[[AT]]]
// CHECK:             nacho.yield %{{.+}}, %[[NOW]] : index, i64
// CHECK:           %[[COST:.+]] = arith.index_cast %[[SUMS]]#1 : i64 to index
// CHECK:           memref.store %[[COST]], %counts[%part, %c0]
// CHECK-NEXT:      memref.store %{{.+}}, %counts[%part, %c1]
// CHECK-LABEL: func.func @list_execute(
// CHECK:         nacho.exclusive_scan
// CHECK-NEXT:    ^bb0(%x_cost: index, %x_entries: index, %y_cost: index, %y_entries: index):
// CHECK-NOT:     nacho.prefix_sum
// CHECK-LABEL: func.func @list_compact(
// CHECK:           %[[BEFORE:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:             %[[SUM:.+]] = memref.load %draft_values[
// CHECK-NEXT:        %[[ALL:.+]] = arith.addi %[[SUM]], %[[BEFORE]] : i64
// CHECK-NEXT:        memref.store %[[ALL]], %values[
// CHECK-NOT:     nacho.prefix_sum
// CHECK:         return
func.func @list(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
    -> tensor<?xi64, #Costs> {
  %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
  %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
  %Z = nacho.nest collect<scanned_list> : tensor<?xi64, #Costs> {
    nacho.coiterate %i of (%A1 = %A0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>,
                           %B1 = %B0 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>)
        in intersect(%A1, %B1) {
      %a = nacho.cost <nnz> %A1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
      %b = nacho.cost <nnz> %B1 : !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
      %both = arith.addi %a, %b : index
      %cost = arith.index_cast %both : index to i64
      nacho.append %cost at(%i) : i64
    }
    nacho.yield
  }
  return %Z : tensor<?xi64, #Costs>
}

// What is scattered: only those who append need workspaces. Sums of rows that several
// parts have are sorted when they are together.
//
// CHECK-LABEL: func.func @spgemm_plan(
// CHECK-NOT:     %marks
// CHECK:         return
// CHECK-LABEL: func.func @spgemm_execute(
// CHECK-SAME:    %values: memref<?xf64>, %keys: memref<?x?xi32>, %marks: memref<?x?xi64>, %sums: memref<?x?xf64>, %status
// CHECK-NOT:     nacho.sort
// CHECK-LABEL: func.func @spgemm_compact(
// CHECK:         nacho.parallel
// CHECK:         nacho.sort(%crd0, %crd1)
func.func @spgemm(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?x?xf64, #RowSums> {
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k, part] : tensor<?x?x?xf64, #RowSums> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  } {order = ["i", "j", "k"]}
  return %E : tensor<?x?x?xf64, #RowSums>
}

// A row of the result has no more entries than that of the mask: if the mask has fewer
// entries than the products cost, a part appends from the entries of the mask before it. Nor
// has it more than columns: if all rows have fewer elements than that, a part appends from
// the elements of the rows before it. How many there are may be too large for an index.
//
// RUN: nacho-opt %s --mlir-use-nameloc-as-prefix \
// RUN:   -pass-pipeline='builtin.module(%{concretize},nacho-find-coordinates,%{cut},nacho-assemble-outputs{drafts=some},canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=MASK
//
// The workspace has the numbers of the mask's entries in place of their coordinates.
//
// MASK-LABEL:  func.func private @masked_compute(
// MASK:            nacho.coiterate %i of
// MASK:              nacho.coiterate %j of
// MASK:                %M2 = nacho.find %k in %[[M1:.+]] of_row : {{.+}} by %table
// MASK:                %[[NUMBER:.+]] = nacho.child_number %M2 in %[[M1]] :
// MASK-NEXT:           nacho.insert {{.+}} distinct at %[[NUMBER]] into %sums
// MASK:              %[[IN:.+]] = nacho.fiber_at %M0[%{{.+}}] certain :
// MASK-NEXT:         %{{.+}} = nacho.drain %[[DRAINED:[^ ]+]], %{{[^ ]+}} of %sums
// MASK-NEXT:           %[[K:.+]] = nacho.child_coordinate %[[DRAINED]] in %[[IN]] :
// MASK:                arith.index_castui %[[K]] : index to i32
//
// MASK-LABEL:  func.func @masked_plan(
// MASK:          %M0 = nacho.root %M
// MASK:          nacho.parallel %{{.+}} in %c1 threads %threads {
// MASK-NEXT:       %lo = nacho.load_cut %bounds[%c0]
// MASK-NEXT:       %[[BASE:.+]] = nacho.cut_cost %lo
// MASK-NEXT:       %end = nacho.load_cut %bounds[%parts]
// MASK-NEXT:       %[[TOTAL:.+]] = nacho.cut_cost %end
// MASK-NEXT:       %[[MOST:.+]] = arith.subi %[[TOTAL]], %[[BASE]] : index
// MASK-NEXT:       %[[ROWS:.+]] = nacho.cut_coordinate %end[0]
// MASK-NEXT:       %[[ALL:.+]] = nacho.cost <nnz> %M0 to %[[ROWS]]
// MASK-NEXT:       %[[FEWER:.+]] = arith.cmpi ult, %[[ALL]], %[[MOST]] : index
// MASK-NEXT:       %[[LEAST:.+]] = arith.minui %[[ALL]], %[[MOST]] : index
// MASK-NEXT:       %[[COLUMNS:.+]] = sparse_tensor.lvl %arg2, %c1
// MASK-NEXT:       %[[SOME:.+]] = arith.maxui %[[COLUMNS]], %c1 : index
// MASK-NEXT:       %[[FULL:.+]] = arith.divui %[[LEAST]], %[[SOME]] : index
// MASK-NEXT:       %[[SHORT:.+]] = arith.cmpi ult, %[[ROWS]], %[[FULL]] : index
// MASK-NEXT:       scf.for %[[PART:.+]] = %c0 to %{{.+}} step %c1 {
// MASK-NEXT:         %hi = nacho.load_cut %bounds[%[[PART]]]
// MASK-NEXT:         %[[COST:.+]] = nacho.cut_cost %hi
// MASK-NEXT:         %[[BYCOST:.+]] = arith.subi %[[COST]], %[[BASE]] : index
// MASK-NEXT:         %[[ROW:.+]] = nacho.cut_coordinate %hi[0]
// MASK-NEXT:         %[[BEFORE:.+]] = nacho.cost <nnz> %M0 to %[[ROW]]
// MASK-NEXT:         %[[OTHERWISE:.+]] = arith.select %[[FEWER]], %[[BEFORE]], %[[BYCOST]] : index
// MASK-NEXT:         %[[ELEMENTS:.+]] = arith.muli %[[ROW]], %[[COLUMNS]] : index
// MASK-NEXT:         %[[OFFSET:.+]] = arith.select %[[SHORT]], %[[ELEMENTS]], %[[OTHERWISE]] : index
// MASK-NEXT:         memref.store %[[OFFSET]], %offsets[%[[PART]], %c0]
func.func @masked(%M: tensor<?x?xf64, #CSR> loc("M"), %A: tensor<?x?xf64, #CSR>,
                  %B: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign collect<whole_rows> (%m = %M[i, k] : tensor<?x?xf64, #CSR>,
        %a = %A[i, j] : tensor<?x?xf64, #CSR>, %b = %B[j, k] : tensor<?x?xf64, #CSR>)
      -> [i, k] : tensor<?x?xf64, #CSR> {
    %0 = nacho.binary mul %m, %a : f64
    %1 = nacho.binary mul %0, %b : f64
    %2 = nacho.reduce add %1 over [j] : f64
    nacho.yield %2 : f64
  } {order = ["i", "j", "k"]}
  return %Z : tensor<?x?xf64, #CSR>
}
