// RUN: nacho-opt %s -nacho-stage-terms=share=8 -canonicalize -cse | FileCheck %s

// Parts compute the terms of all entries of their tile, every entry once, and add up
// their own from memory that they share. Where a coordinate lies outside, each part
// does as before, and says so if it is one of its own. The windows of 12 bytes for each
// entry give way to memory of 8.
//
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    index, %{{[^ ]+}}: index, %[[CUTS:[^ ]+]]: memref<?x2xindex>, %[[POS:[^ ]+]]: memref<?xi32>, %[[CRD:[^ ]+]]: memref<?xi32>, %[[VALUES:[^ ]+]]: memref<?xf64>, %[[N:[^ ]+]]: index, %[[X:[^ ]+]]: memref<?xf64>, %[[Y:[^ ]+]]: memref<?xf64>, %[[STATUS:[^ ]+]]: memref<i32>)
// CHECK:         nacho.parallel %[[PART:[^ ]+]] in
// CHECK-NEXT:      %[[BEGIN:.+]], %[[END:.+]] = nacho.tile %[[PART]] of %{{.+}} by 32 sharing 15200
// CHECK-NOT:       nacho.stage_in
// CHECK:           %[[SIZE:.+]] = arith.subi
// CHECK-NEXT:      %[[TERMS:.+]] = nacho.tile_memory of %[[SIZE]] : memref<?xf64>
// CHECK-NEXT:      %[[WRONG:.+]] = nacho.tile_memory of %c1 : memref<?xi32>
// CHECK-NEXT:      %[[NUMBER:.+]] = arith.subi %[[PART]], %[[BEGIN]]
// CHECK-NEXT:      %[[IS_FIRST:.+]] = arith.cmpi eq, %[[NUMBER]], %c0
// CHECK-NEXT:      scf.if %[[IS_FIRST]] {
// CHECK-NEXT:        memref.store %c0_i32, %[[WRONG]][%c0]
// CHECK-NEXT:      }
// CHECK-NEXT:      nacho.tile_sync
// CHECK-NEXT:      %[[HERE:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK-NEXT:      %[[COUNT:.+]] = arith.maxsi %[[HERE]], %c1
// CHECK-NEXT:      %[[FROM:.+]] = memref.load %[[CUTS]][%[[BEGIN]], %c1]
// CHECK-NEXT:      %[[ROOM:.+]] = nacho.tile_room
// CHECK-NEXT:      scf.if %[[ROOM]] {
// CHECK-NEXT:        %[[ALL:.+]] = memref.dim %[[TERMS]]
// CHECK-NEXT:        %[[NONE:.+]] = scf.for %[[AT:.+]] = %[[NUMBER]] to %[[ALL]] step %[[COUNT]] iter_args(%[[SO_FAR:.+]] = %true) -> (i1) {
// CHECK-NEXT:          %[[K:.+]] = arith.addi %[[FROM]], %[[AT]]
// CHECK-NEXT:          %[[J32:.+]] = memref.load %[[CRD]][%[[K]]]
// CHECK-NEXT:          %[[J:.+]] = arith.index_castui %[[J32]]
// CHECK-NEXT:          %[[A:.+]] = memref.load %[[VALUES]][%[[K]]]
// CHECK-NEXT:          %[[IS_INSIDE:.+]] = arith.cmpi ult, %[[J]], %[[N]]
// CHECK-NEXT:          %[[SAFE:.+]] = arith.select %[[IS_INSIDE]], %[[J]], %c0
// CHECK-NEXT:          %[[B:.+]] = memref.load %[[X]][%[[SAFE]]]
// CHECK-NEXT:          %[[TERM:.+]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:          memref.store %[[TERM]], %[[TERMS]][%[[AT]]]
// CHECK-NEXT:          %[[BOTH:.+]] = arith.andi %[[SO_FAR]], %[[IS_INSIDE]]
// CHECK-NEXT:          scf.yield %[[BOTH]]
// CHECK-NEXT:        }
// CHECK-NEXT:        %[[FLAG:.+]] = arith.xori %[[NONE]], %true
// CHECK-NEXT:        scf.if %[[FLAG]] {
// CHECK-NEXT:          memref.atomic_rmw ori %c1_i32, %[[WRONG]][%c0]
// CHECK:           nacho.tile_sync
// CHECK-NEXT:      %[[HAS_ROOM:.+]] = nacho.tile_room
// CHECK-NEXT:      %[[WORD:.+]] = memref.load %[[WRONG]][%c0]
// CHECK-NEXT:      %[[IS_RIGHT:.+]] = arith.cmpi eq, %[[WORD]], %c0_i32
// CHECK-NEXT:      %[[IS_THERE:.+]] = arith.andi %[[HAS_ROOM]], %[[IS_RIGHT]]
// CHECK-NEXT:      %[[FIRST:.+]] = memref.load %[[CUTS]][%[[BEGIN]], %c1]
// CHECK:           scf.if %[[IS_THERE]] {
// CHECK-NEXT:        scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %c1 {
// CHECK:               %[[FROM_FIRST:.+]] = arith.subi %{{.+}}, %[[FIRST]]
// CHECK-NEXT:          %[[LO:.+]] = arith.minui %[[FROM_FIRST]], %[[LAST:.+]] : index
// CHECK-NEXT:          %[[TO_LAST:.+]] = arith.subi %{{.+}}, %[[FIRST]]
// CHECK-NEXT:          %[[HI:.+]] = arith.minui %[[TO_LAST]], %[[LAST]] : index
// CHECK-NEXT:          %[[SUM:.+]] = scf.for %[[AT:.+]] = %[[LO]] to %[[HI]] step %c1 iter_args(%[[SO_FAR:.+]] = %{{.+}}) -> (f64) {
// CHECK-NEXT:            %[[TERM:.+]] = memref.load %[[TERMS]][%[[AT]]]
// CHECK-NEXT:            %[[MORE:.+]] = arith.addf %[[SO_FAR]], %[[TERM]] fastmath<reassoc>
// CHECK-NEXT:            scf.yield %[[MORE]]
// CHECK-NEXT:          } {nacho.looks_up}
// CHECK-NEXT:          memref.store %[[SUM]], %[[Y]][%[[I]]]
// CHECK-NEXT:        }
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.for
// CHECK:               %{{.+}}:2 = scf.for %{{.+}} -> (f64, i1) {
// CHECK:               memref.atomic_rmw ori %c1_i32, %[[STATUS]][]
func.func @sums(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    nacho.stage_in %crd[%from to %to] alone : memref<?xi32>
    nacho.stage_in %values[%from to %to] alone : memref<?xf64>
    %next = arith.addi %part, %c1 : index
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%safe] : memref<?xf64>
        %term = arith.mulf %a, %b : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}

// What is multiplied by an element of the row is another term in each row; but the
// product before that depends on the entry alone.
//
// CHECK-LABEL: func.func @product_inside_of_a_term(
// CHECK:         scf.if %{{.+}} {
// CHECK:           %[[PRODUCT:.+]] = arith.mulf
// CHECK:           memref.store %[[PRODUCT]]
// CHECK:         nacho.tile_sync
// CHECK:         scf.if
// CHECK:             %[[PRODUCT:.+]] = memref.load %{{.+}} : memref<?xf64>
// CHECK-NEXT:        %[[OF_ROW:.+]] = memref.load %{{.+}} : memref<?xf64>
// CHECK-NEXT:        arith.mulf %[[PRODUCT]], %[[OF_ROW]]
func.func @product_inside_of_a_term(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    nacho.stage_in %crd[%from to %to] alone : memref<?xi32>
    nacho.stage_in %values[%from to %to] alone : memref<?xf64>
    %next = arith.addi %part, %c1 : index
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%safe] : memref<?xf64>
        %ofRow = memref.load %x[%i] : memref<?xf64>
        %product = arith.mulf %a, %b : f64
        %term = arith.mulf %product, %ofRow : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Some entries of a window may be no entries of the operand: what they have for a
// coordinate is looked up only where that is checked.
//
// CHECK-LABEL: func.func @negative_unchecked(
// CHECK-NOT:     nacho.tile_memory
// CHECK:         return
func.func @negative_unchecked(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    nacho.stage_in %crd[%from to %to] alone : memref<?xi32>
    nacho.stage_in %values[%from to %to] alone : memref<?xf64>
    %next = arith.addi %part, %c1 : index
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%j] : memref<?xf64>
        %term = arith.mulf %a, %b : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Parts that look nothing up read their entries from windows as well.
//
// CHECK-LABEL: func.func @negative_looks_nothing_up(
// CHECK-NOT:     nacho.tile_memory
// CHECK:         return
func.func @negative_looks_nothing_up(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    nacho.stage_in %crd[%from to %to] alone : memref<?xi32>
    nacho.stage_in %values[%from to %to] alone : memref<?xf64>
    %next = arith.addi %part, %c1 : index
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%k] : memref<?xf64>
        %term = arith.mulf %a, %b : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}

// Without a window, nobody knows which entries the tile has.
//
// CHECK-LABEL: func.func @negative_without_window(
// CHECK-NOT:     nacho.tile_memory
// CHECK:         return
func.func @negative_without_window(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    %next = arith.addi %part, %c1 : index
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%safe] : memref<?xf64>
        %term = arith.mulf %a, %b : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}

// What has been loaded before parts wait for each other cannot be used afterwards.
//
// CHECK-LABEL: func.func @negative_needs_memory_later(
// CHECK-NOT:     nacho.tile_memory
// CHECK:         return
func.func @negative_needs_memory_later(%parts: index, %threads: index, %cuts: memref<?x2xindex>,
                %pos: memref<?xi32>, %crd: memref<?xi32>, %values: memref<?xf64>,
                %N: index, %x: memref<?xf64>, %y: memref<?xf64>, %status: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %no = arith.constant false
  %one = arith.constant 1 : i32
  nacho.parallel %part in %parts threads %threads {
    %begin, %end = nacho.tile %part of %parts by 32 sharing 16384
    %from = memref.load %cuts[%begin, %c1] : memref<?x2xindex>
    %to = memref.load %cuts[%end, %c1] : memref<?x2xindex>
    %lo = memref.load %cuts[%part, %c0] : memref<?x2xindex>
    nacho.stage_in %crd[%from to %to] alone : memref<?xi32>
    nacho.stage_in %values[%from to %to] alone : memref<?xf64>
    %next = arith.addi %part, %c1 : index
    %first = memref.load %cuts[%part, %c1] : memref<?x2xindex>
    %hi = memref.load %cuts[%next, %c0] : memref<?x2xindex>
    scf.for %i = %lo to %hi step %c1 {
      %after = arith.addi %i, %c1 : index
      %p = memref.load %pos[%i] : memref<?xi32>
      %p_index = arith.index_castui %p : i32 to index
      %q = memref.load %pos[%after] : memref<?xi32>
      %q_index = arith.index_castui %q : i32 to index
      %sum, %flag = scf.for %k = %p_index to %q_index step %c1
          iter_args(%so_far = %zero, %any = %no) -> (f64, i1) {
        %j32 = memref.load %crd[%k] : memref<?xi32>
        %j = arith.index_castui %j32 : i32 to index
        %a = memref.load %values[%k] : memref<?xf64>
        %isInside = arith.cmpi ult, %j, %N : index
        %safe = arith.select %isInside, %j, %c0 : index
        %b = memref.load %x[%safe] : memref<?xf64>
        %term = arith.mulf %a, %b : f64
        %more = arith.addf %so_far, %term fastmath<reassoc> : f64
        %isOutside = arith.cmpi uge, %j, %N : index
        %either = arith.ori %any, %isOutside : i1
        scf.yield %more, %either : f64, i1
      }
      scf.if %flag {
        memref.atomic_rmw ori %one, %status[] : (i32, memref<i32>) -> i32
      }
      memref.store %sum, %y[%i] : memref<?xf64>
    }
  }
  return
}
