// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=shared-bytes=1024 | FileCheck %s

// A block copies windows to memory that its threads share, and does the parts of a tile.
// An index outside of the window is one of the array.
//
//   skipped = begin mod 4, so that threads begin with a sector
//   first = thread < skipped ? thread - skipped + threads : thread - skipped
//   for n = first to the size of the window: window[n] = in[begin + n]
//   barrier
//   if part < parts: out[part] = part - begin < size ? window[part - begin] : in[part]
//
// CHECK-LABEL: func.func @stage_in(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         %[[BY:.+]] = arith.constant 4 : index
// CHECK:         gpu.launch blocks(%[[BX:[^ ,]+]], %{{.+}}) threads(%[[TX:[^ ,]+]], %{{.+}}) in (%{{[^ ]+}} = %[[BY]],
// CHECK-SAME:      workgroup(%[[SHARED:.+]] : memref<1024xi8, #gpu.address_space<workgroup>>)
// CHECK:           %[[BEGIN:.+]] = arith.muli %[[BX]], %[[BY]]
// CHECK:           %[[PART:.+]] = arith.addi %[[BEGIN]], %[[TX]]
// CHECK:           %[[SUM:.+]] = arith.addi %[[BEGIN]], %[[BY]]
// CHECK:           %[[END:.+]] = arith.minui %[[SUM]], %[[N]]
// CHECK:           %[[SIZE:.+]] = arith.select
// CHECK:           %[[WINDOW:.+]] = memref.view %[[SHARED]][%{{.+}}][%[[SIZE]]] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           %[[SKIPPED:.+]] = arith.remui %[[BEGIN]], %c4{{.*}}
// CHECK:           %[[MOVED:.+]] = arith.subi %[[TX]], %[[SKIPPED]]
// CHECK:           %[[BEFORE:.+]] = arith.cmpi ult, %[[TX]], %[[SKIPPED]]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[MOVED]], %c4{{.*}}
// CHECK:           %[[FIRST:.+]] = arith.select %[[BEFORE]], %[[NEXT]], %[[MOVED]]
// CHECK:           scf.for %[[N:.+]] = %[[FIRST]] to %[[SIZE]]
// CHECK-NEXT:        %[[PLACE:.+]] = arith.addi %[[BEGIN]], %[[N]]
// CHECK-NEXT:        %[[X:.+]] = memref.load %[[IN]][%[[PLACE]]]
// CHECK-NEXT:        memref.store %[[X]], %[[WINDOW]][%[[N]]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             %[[AT:.+]] = arith.subi %[[PART]], %[[BEGIN]]
// CHECK:             %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[SIZE]]
// CHECK:             %[[READ:.+]] = scf.if %[[INSIDE]] -> (f64) {
// CHECK:               memref.load %[[WINDOW]][%[[AT]]]
// CHECK:             } else {
// CHECK:               memref.load %[[IN]][%[[PART]]]
// CHECK:             }
// CHECK:             memref.store %[[READ]], %[[OUT]][%[[PART]]]
// CHECK-NOT:       gpu.barrier
// CHECK:           gpu.terminator
func.func @stage_in(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    memref.store %x, %out[%part] : memref<?xf64>
  }
  return
}

// Windows take multiples of 16 bytes, and so does what they share.
//
// CHECK-LABEL: func.func @whole(
// CHECK:         gpu.launch
// CHECK-SAME:      workgroup(%{{.+}} : memref<32xi8, #gpu.address_space<workgroup>>)
func.func @whole(%n: index, %in: memref<?xf32>, %out: memref<?xf32>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 5 sharing 20
    nacho.stage_in %in[%begin to %end] : memref<?xf32>
    %x = memref.load %in[%part] : memref<?xf32>
    memref.store %x, %out[%part] : memref<?xf32>
  }
  return
}

// The window of rows is computed by every block, from its tile. It is copied as a list of
// elements.
//
//   skipped = 3 * first mod 4, as above
//   for n = ... to 3 * the rows of the window: window[n / 3, n mod 3] = rows[first + n / 3, ...]
//
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %{{[^ ]+}}: index, %[[ROWS:[^ ]+]]: memref<?x3xindex>, %[[FROM:[^ ]+]]: memref<?xindex>
// CHECK:         gpu.launch
// CHECK:           memref.load %[[FROM]]
// CHECK:           memref.load %[[FROM]]
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}} to memref<?x3xindex, #gpu.address_space<workgroup>>
// CHECK:           %[[FAR:.+]] = memref.reinterpret_cast %[[ROWS]] to offset: [0], sizes: [%{{.+}}], strides: [1] : memref<?x3xindex> to memref<?xindex>
// CHECK:           %[[NEAR:.+]] = memref.reinterpret_cast %[[WINDOW]] to offset: [0], sizes: [%{{.+}}], strides: [1] : memref<?x3xindex, #gpu.address_space<workgroup>> to memref<?xindex, #gpu.address_space<workgroup>>
// CHECK:           %[[FROM:.+]] = arith.muli %{{.+}}, %c3
// CHECK:           arith.remui %[[FROM]], %c4
// CHECK:           scf.for %[[N:.+]] = %{{.+}} to
// CHECK-NEXT:        %[[PLACE:.+]] = arith.addi %[[FROM]], %[[N]]
// CHECK-NEXT:        %[[X:.+]] = memref.load %[[FAR]][%[[PLACE]]]
// CHECK-NEXT:        memref.store %[[X]], %[[NEAR]][%[[N]]]
// CHECK:           gpu.barrier
// CHECK-NOT:       memref.load %[[FROM]]
// CHECK:           gpu.terminator
func.func @rows(%n: index, %rows: memref<?x3xindex>, %from: memref<?xindex>, %out: memref<?xindex>) {
  %c2 = arith.constant 2 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %first = memref.load %from[%begin] : memref<?xindex>
    %last = memref.load %from[%end] : memref<?xindex>
    nacho.stage_in %rows[%first to %last] : memref<?x3xindex>
    %x = memref.load %rows[%part, %c2] : memref<?x3xindex>
    memref.store %x, %out[%part] : memref<?xindex>
  }
  return
}

// A vector is loaded from the window if all of its elements are there, and as it was if not.
//
//   at = 8 * part - begin
//   x = at < max(size, 7) - 7 ? window[at .. at + 8] : in[8 * part .. 8 * part + 8]
//
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         gpu.launch
// CHECK:           %[[SIZE:.+]] = arith.select
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}}[%[[SIZE]]] : {{.+}} to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           %[[WRITTEN:.+]] = memref.view {{.+}} to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK:           %[[PLACE:.+]] = arith.muli
// CHECK:           %[[AT:.+]] = arith.subi %[[PLACE]]
// CHECK:           %[[MOST:.+]] = arith.maxui %[[SIZE]], %c7{{.*}} : index
// CHECK:           %[[ENDS:.+]] = arith.subi %[[MOST]], %c7{{.*}}
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[ENDS]]
// CHECK:           %[[X:.+]] = scf.if %[[INSIDE]] -> (vector<8xf64>) {
// CHECK:             vector.load %[[WINDOW]][%[[AT]]] : memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           } else {
// CHECK:             vector.load %[[IN]][%[[PLACE]]] : memref<?xf64>
// CHECK:           scf.if
// CHECK:             vector.store %[[X]], %[[WRITTEN]]
// CHECK:           } else {
// CHECK:             vector.store %[[X]], %[[OUT]][%[[PLACE]]]
// CHECK:           gpu.terminator
func.func @vectors(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  %c8 = arith.constant 8 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %first = arith.muli %begin, %c8 : index
    %last = arith.muli %end, %c8 : index
    nacho.stage_in %in[%first to %last] : memref<?xf64>
    nacho.stage_out %out[%first to %last] : memref<?xf64>
    %at = arith.muli %part, %c8 : index
    %x = vector.load %in[%at] : memref<?xf64>, vector<8xf64>
    vector.store %x, %out[%at] : memref<?xf64>, vector<8xf64>
  }
  return
}

// Arrays of which parts say that they access the same rows share a window, those with larger
// elements first. A loop over rows chooses once. Vectors may begin with the last row, so that
// the window has 7 more.
//
//   size = min(to + 7, rows of both arrays) - from, if there is room for so many of 12 bytes
//   if lower - from <= upper - from + 7 <= size:
//     for at = lower - from to upper - from step 8: wide[at .. at + 8], narrow[at]
//   else:
//     for row = lower to upper step 8: in[row .. row + 8], coordinates[row]
//
// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[NARROW:[^ ]+]]: memref<?xi32>, %[[WIDE:[^ ]+]]: memref<?xf64>, %[[LOWER:[^ ]+]]: index, %[[UPPER:[^ ]+]]: index
// CHECK:         gpu.launch
// CHECK:           %[[TO:.+]] = arith.addi %{{.+}}, %c7{{.*}}
// CHECK:           memref.dim %[[WIDE]]
// CHECK:           memref.dim %[[NARROW]]
// CHECK:           %[[MOST:.+]] = arith.divui %{{.+}}, %c12
// CHECK:           %[[SIZE:.+]] = arith.select
// CHECK:           %[[NEARWIDE:.+]] = memref.view %{{.+}}[%{{.+}}][%[[SIZE]]] : {{.+}} to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           %[[TAKEN:.+]] = arith.muli %[[SIZE]], %c8
// CHECK:           %[[OFFSET:.+]] = arith.addi %{{.+}}, %[[TAKEN]]
// CHECK:           %[[NEARNARROW:.+]] = memref.view %{{.+}}[%[[OFFSET]]][%[[SIZE]]] : {{.+}} to memref<?xi32, #gpu.address_space<workgroup>>
// CHECK:           scf.for
// CHECK:             %[[X:.+]] = memref.load %[[WIDE]]
// CHECK:             %[[I:.+]] = memref.load %[[NARROW]]
// CHECK:             memref.store %[[X]], %[[NEARWIDE]]
// CHECK:             memref.store %[[I]], %[[NEARNARROW]]
// CHECK:           gpu.barrier
// CHECK:           %[[FIRST:.+]] = arith.subi %[[LOWER]], %[[FROM:.+]] : index
// CHECK:           %[[LAST:.+]] = arith.subi %[[UPPER]], %[[FROM]] : index
// CHECK:           %[[END:.+]] = arith.addi %[[LAST]], %c7
// CHECK:           %[[ORDER:.+]] = arith.cmpi ule, %[[FIRST]], %[[END]]
// CHECK:           %[[FITS:.+]] = arith.cmpi ule, %[[END]], %[[SIZE]]
// CHECK:           %[[INSIDE:.+]] = arith.andi %[[FITS]], %[[ORDER]]
// CHECK:           %[[SUM:.+]] = scf.if %[[INSIDE]] -> (f64) {
// CHECK:             scf.for %[[AT:.+]] = %[[FIRST]] to %[[LAST]]
// CHECK:               arith.addi %[[AT]], %[[FROM]]
// CHECK:               vector.load %[[NEARWIDE]][%[[AT]]]
// CHECK:               memref.load %[[NEARNARROW]][%[[AT]]]
// CHECK:           } else {
// CHECK:             scf.for %[[ROW:.+]] = %[[LOWER]] to %[[UPPER]]
// CHECK:               vector.load %[[WIDE]][%[[ROW]]]
// CHECK:               memref.load %[[NARROW]][%[[ROW]]]
// CHECK:           memref.store %[[SUM]]
// CHECK:           gpu.terminator
func.func @loops(%n: index, %narrow: memref<?xi32>, %wide: memref<?xf64>, %lower: index, %upper: index, %out: memref<?xf64>) {
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %narrow[%begin to %end] : memref<?xi32>
    nacho.stage_in %wide[%begin to %end] : memref<?xf64>
    %all = scf.for %row = %lower to %upper step %c8 iter_args(%sum = %zero) -> (f64) {
      %x = vector.load %wide[%row] : memref<?xf64>, vector<8xf64>
      %i = memref.load %narrow[%row] : memref<?xi32>
      %first = vector.extract %x[0] : f64 from vector<8xf64>
      %y = arith.sitofp %i : i32 to f64
      %product = arith.mulf %first, %y : f64
      %more = arith.addf %sum, %product : f64
      scf.yield %more : f64
    }
    memref.store %all, %out[%part] : memref<?xf64>
  }
  return
}

// What is written is copied when all parts are done. It starts with zeros, for parts may
// leave elements out.
//
// CHECK-LABEL: func.func @stage_out(
// CHECK-SAME:    %[[OUT:[^ ]+]]: memref<?xf32>)
// CHECK:         gpu.launch
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}} to memref<?xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[WORDS:.+]] = memref.view {{.+}} to memref<?xi64, #gpu.address_space<workgroup>>
// CHECK:           scf.for
// CHECK:             memref.store %c0_i64{{.*}}, %[[WORDS]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             scf.if
// CHECK:               memref.store %{{.+}}, %[[WINDOW]]
// CHECK:             } else {
// CHECK:               memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK:           scf.for
// CHECK:             %[[X:.+]] = memref.load %[[WINDOW]]
// CHECK:             memref.store %[[X]], %[[OUT]]
// CHECK:           gpu.terminator
func.func @stage_out(%n: index, %x: f32, %out: memref<?xf32>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_out %out[%begin to %end] : memref<?xf32>
    memref.store %x, %out[%part] : memref<?xf32>
  }
  return
}

// Arrays that parts access in other ways, or not at all, have no window.
//
// CHECK-LABEL: func.func @negative_stages(
// CHECK:         gpu.launch
// CHECK-NOT:       memref.view
// CHECK:           gpu.terminator
func.func @negative_stages(%n: index, %in: memref<?xi32>, %unused: memref<?xi32>, %rows: memref<?x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xi32>
    nacho.stage_in %unused[%begin to %end] : memref<?xi32>
    %x = memref.load %in[%part] : memref<?xi32>
    %old = memref.atomic_rmw addi %c1, %in[%part] : (i32, memref<?xi32>) -> i32
    nacho.stage_in %rows[%begin to %end] : memref<?x4xi32>
    %row = vector.load %rows[%part, %c0] : memref<?x4xi32>, vector<4xi32>
    vector.store %row, %rows[%part, %c0] : memref<?x4xi32>, vector<4xi32>
  }
  return
}

// Threads wait for the others of their tile: each of them gets to the barrier. What takes no
// memory, a quotient for instance, is computed on both sides of it; rows may be written, and read afterwards.
//
// CHECK-LABEL: func.func @sync(
// CHECK:         gpu.launch
// CHECK:           %[[EXISTS:.+]] = arith.cmpi ult
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}} to memref<?x2xindex, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK:           scf.if %[[EXISTS]] {
// CHECK:             arith.divui
// CHECK:             memref.store %{{.+}}, %[[WINDOW]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        arith.divui
// CHECK:             memref.load %[[WINDOW]]
// CHECK:           gpu.barrier
// CHECK:           %[[LIST:.+]] = memref.reinterpret_cast %[[WINDOW]]
// CHECK:           memref.load %[[LIST]]
// CHECK:           gpu.terminator
func.func @sync(%n: index, %rows: memref<?x2xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4 sharing 512
    nacho.stage_out %rows[%begin to %end] : memref<?x2xindex>
    %next = arith.divui %part, %n : index
    memref.store %next, %rows[%part, %c0] : memref<?x2xindex>
    nacho.tile_sync
    %x = memref.load %rows[%begin, %c0] : memref<?x2xindex>
    %sum = arith.addi %x, %next : index
    memref.store %sum, %out[%part] : memref<?xindex>
  }
  return
}

// The parts of a tile find its cuts before there are windows, whose ends depend on them. The
// cuts lie in memory of the block, which copies all rows but the last one of its tile: that is
// the first one of the next, unless there is none.
//
//   if part < parts: cuts[part - begin] = part
//   barrier
//   from = cuts[0]; window[n] = in[from + n] ...
//   barrier
//   if part < parts: out[part] = in[part] + cuts[0]
//   barrier
//   for n in thread .. end - begin + (end == parts) step 4: rows[begin + n] = cuts[n]
//
// CHECK-LABEL: func.func @cuts(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[ROWS:[^ ]+]]: memref<?x1xindex>
// CHECK:         gpu.launch
// CHECK-SAME:      workgroup(%[[CUTS:[^ ]+]] : memref<5x1xindex, #gpu.address_space<workgroup>>, %[[SHARED:[^ ]+]] : memref<976xi8, #gpu.address_space<workgroup>>)
// CHECK:           %[[BEGIN:.+]] = arith.muli
// CHECK:           %[[END:.+]] = arith.minui %{{.+}}, %[[N]]
// CHECK:           %[[EXISTS:.+]] = arith.cmpi ult, %{{.+}}, %[[N]]
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK:             memref.store %{{.+}}, %[[CUTS]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      %[[FROM:.+]] = memref.load %[[CUTS]][%c0, %c0]
// CHECK:           memref.view %[[SHARED]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK:             memref.load %[[CUTS]][%c0, %c0]
// CHECK:           gpu.barrier
// CHECK:           %[[LAST:.+]] = arith.cmpi eq, %[[END]], %[[N]]
// CHECK:           %[[SIZE:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           %[[MORE:.+]] = arith.select %[[LAST]], %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      %[[ALL:.+]] = arith.addi %[[SIZE]], %[[MORE]]
// CHECK:           scf.for %[[AT:.+]] =
// CHECK:             %[[ROW:.+]] = arith.divui %[[AT]]
// CHECK:             %[[CUT:.+]] = memref.load %[[CUTS]][%[[ROW]], %{{.+}}]
// CHECK-NEXT:        %[[PLACE:.+]] = arith.addi %[[BEGIN]], %[[ROW]]
// CHECK-NEXT:        memref.store %[[CUT]], %[[ROWS]][%[[PLACE]], %{{.+}}]
// CHECK:           gpu.terminator
func.func @cuts(%n: index, %rows: memref<?x1xindex>, %in: memref<?xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %cuts = nacho.tile_cuts %rows : memref<?x1xindex> -> memref<5x1xindex>
    %row = arith.subi %part, %begin : index
    memref.store %part, %cuts[%row, %c0] : memref<5x1xindex>
    nacho.tile_sync
    %from = memref.load %cuts[%c0, %c0] : memref<5x1xindex>
    nacho.stage_in %in[%from to %end] : memref<?xindex>
    %x = memref.load %in[%part] : memref<?xindex>
    %first = memref.load %cuts[%c0, %c0] : memref<5x1xindex>
    %sum = arith.addi %x, %first : index
    memref.store %sum, %out[%part] : memref<?xindex>
  }
  return
}

// What is read for nothing but what is written is read last: a part writes a word that says
// where the elements are and which of them there are. The window of words starts with zeros.
// What has no place there, or in a word, a part computes itself.
//
//   word = (p - first) | (q - first) << 15 | has << 30 | other << 31
//   barrier
//   for n in the window: out[begin + n] = what the word says
//
// CHECK-LABEL: func.func @last(
// CHECK-SAME:    index, %[[A:[^ ]+]]: memref<?xf64>, %[[B:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>
// CHECK:         gpu.launch
// CHECK-NOT:       memref.load
// CHECK:           %[[WORDS:.+]] = memref.view %{{.+}} : memref<1024xi8, #gpu.address_space<workgroup>> to memref<?xi32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %c0_i64
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             %[[NEAR:.+]] = arith.cmpi ult, %{{.+}}, %c32768{{.*}} : index
// CHECK:             %[[FITS:.+]] = arith.andi %{{.+}}, %[[NEAR]] : i1
// CHECK:             scf.if %[[FITS]] {
// CHECK-NOT:           memref.load
// CHECK:               memref.store %{{.+}}, %[[WORDS]]
// CHECK:             } else {
// CHECK:               memref.load %[[A]]
// CHECK:               memref.load %[[B]]
// CHECK:               memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK:           scf.for %[[N:.+]] =
// CHECK:             %[[WORD:.+]] = memref.load %[[WORDS]][%[[N]]]
// CHECK:             memref.load %[[A]]
// CHECK:             memref.load %[[B]]
// CHECK:             %[[SUM:.+]] = arith.addf
// CHECK:             memref.store %[[SUM]], %[[OUT]]
// CHECK:           gpu.terminator
func.func @last(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %out: memref<?xf64>,
                %where: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %a[%begin to %end] : memref<?xf64>
    nacho.stage_in %b[%begin to %end] : memref<?xf64>
    nacho.stage_out %out[%begin to %end] : memref<?xf64>
    %p = memref.load %where[%part] : memref<?xindex>
    %has = arith.cmpi ult, %p, %end : index
    %at = arith.select %has, %p, %c0 : index
    %x = memref.load %a[%at] : memref<?xf64>
    %left = arith.select %has, %x, %zero : f64
    %other = arith.cmpi ult, %part, %p : index
    %place = arith.select %other, %part, %c0 : index
    %y = memref.load %b[%place] : memref<?xf64>
    %right = arith.select %other, %y, %zero : f64
    %sum = arith.addf %left, %right : f64
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}

// Not so if something else needs an element, too.
//
// CHECK-LABEL: func.func @negative_last(
// CHECK-NOT:     memref<?xi32
// CHECK:         return
func.func @negative_last(%n: index, %a: memref<?xf64>, %out: memref<?xf64>, %more: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %a[%begin to %end] : memref<?xf64>
    nacho.stage_out %out[%begin to %end] : memref<?xf64>
    %x = memref.load %a[%part] : memref<?xf64>
    memref.store %x, %out[%part] : memref<?xf64>
    memref.store %x, %more[%part] : memref<?xf64>
  }
  return
}
