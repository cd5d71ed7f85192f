// RUN: nacho-opt %s -convert-nacho-parallel-to-gpu=shared-bytes=1024 | FileCheck %s

// A block copies windows to memory that its threads share, and does the parts of a tile. All
// windows of a tile are there, or none: parts choose once. There are some rows in any case,
// unless the array has none.
//
//   first = min(begin, max(rows of in, 1) - 1)
//   size = min(max(end, first + 1), rows of in) - first
//   whole = in has a row, and the windows take at most 1024 bytes
//   if whole:
//     skipped = first mod 4, so that threads begin with a sector
//     start = thread < skipped ? thread - skipped + threads : thread - skipped
//     for n = start to size: window[n] = in[first + n]
//   barrier
//   if part < parts:
//     if whole: out[part] = window[min(part - first, size - 1)]
//     else: out[part] = in[part]
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
// CHECK:           %[[ROWS:.+]] = memref.dim %[[IN]]
// CHECK:           arith.cmpi uge, %[[ROWS]], %c1
// CHECK:           %[[FIRST:.+]] = arith.minui %[[BEGIN]], %{{.+}} : index
// CHECK:           %[[NEXT:.+]] = arith.addi %[[FIRST]], %c1
// CHECK:           %[[NEEDED:.+]] = arith.maxui %[[END]], %[[NEXT]] : index
// CHECK:           %[[LAST:.+]] = arith.minui %[[NEEDED]], %[[ROWS]] : index
// CHECK:           %[[SIZE:.+]] = arith.subi %[[LAST]], %[[FIRST]] : index
// CHECK:           %[[END:.+]] = arith.subi %[[SIZE]], %c1
// CHECK:           %[[WINDOW:.+]] = memref.view %[[SHARED]][%{{.+}}][%[[SIZE]]] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           %[[FITS:.+]] = arith.cmpi ule, %{{.+}}, %c1024
// CHECK:           %[[WHOLE:.+]] = arith.andi %{{.+}}, %[[FITS]] : i1
// CHECK:           scf.if %[[WHOLE]] {
// CHECK:             %[[SKIPPED:.+]] = arith.remui %[[FIRST]], %c4{{.*}}
// CHECK:             %[[MOVED:.+]] = arith.subi %[[TX]], %[[SKIPPED]]
// CHECK:             %[[BEFORE:.+]] = arith.cmpi ult, %[[TX]], %[[SKIPPED]]
// CHECK:             %[[NEXT:.+]] = arith.addi %[[MOVED]], %c4{{.*}}
// CHECK:             %[[START:.+]] = arith.select %[[BEFORE]], %[[NEXT]], %[[MOVED]]
// CHECK:             scf.for %[[N:.+]] = %[[START]] to %[[SIZE]]
// CHECK-NEXT:          %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[N]]
// CHECK-NEXT:          %[[X:.+]] = memref.load %[[IN]][%[[PLACE]]]
// CHECK-NEXT:          memref.store %[[X]], %[[WINDOW]][%[[N]]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.if %[[WHOLE]] {
// CHECK:               %[[AT:.+]] = arith.subi %[[PART]], %[[FIRST]]
// CHECK-NEXT:          %[[INSIDE:.+]] = arith.minui %[[AT]], %[[END]]
// CHECK-NEXT:          %[[X:.+]] = memref.load %[[WINDOW]][%[[INSIDE]]]
// CHECK-NEXT:          memref.store %[[X]], %[[OUT]][%[[PART]]]
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %[[X:.+]] = memref.load %[[IN]][%[[PART]]]
// CHECK-NEXT:          memref.store %[[X]], %[[OUT]][%[[PART]]]
// CHECK-NOT:       gpu.barrier
// CHECK:           gpu.terminator
func.func @stage_in(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] alone : memref<?xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    memref.store %x, %out[%part] : memref<?xf64>
  }
  return
}

// Parts that also need other rows ask each time. So do all parts before the last barrier.
//
//   whole: out[part] = part - first < size ? window[part - first] : in[part]
//
// CHECK-LABEL: func.func @ask(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.if
// CHECK:               %[[AT:.+]] = arith.subi %[[PART:.+]], %{{.+}}
// CHECK:               %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %{{.+}}
// CHECK:               %[[X:.+]] = scf.if %[[INSIDE]] -> (f64) {
// CHECK-NEXT:            memref.load %{{.+}}[%[[AT]]] : memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:               } else {
// CHECK-NEXT:            memref.load %[[IN]][%[[PART]]]
// CHECK:               memref.store %[[X]], %[[OUT]][%[[PART]]]
// CHECK:             } else {
// CHECK-NEXT:          memref.load %[[IN]][%[[PART]]]
// CHECK:           gpu.terminator
func.func @ask(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    memref.store %x, %out[%part] : memref<?xf64>
  }
  return
}

// They ask once for the rows of several arrays that lie in the same window, unless something
// is written in between.
//
//   whole: x, y = part - first < size ? windows[part - first] : in[part], more[part]
//
// CHECK-LABEL: func.func @ask_once(
// CHECK-SAME:    %[[N:[^ ]+]]: index, %[[IN:[^ ]+]]: memref<?xf64>, %[[MORE:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.if
// CHECK:               %[[BOTH:.+]]:2 = scf.if %{{.+}} -> (f64, f64) {
// CHECK-NEXT:            memref.load %{{.+}}[%[[AT:.+]]] : memref<?xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT:            memref.load %{{.+}}[%[[AT]]] : memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:               } else {
// CHECK-NEXT:            memref.load %[[IN]][%[[PART:.+]]]
// CHECK-NEXT:            memref.load %[[MORE]][%[[PART]]]
// CHECK:               arith.mulf %[[BOTH]]#0, %[[BOTH]]#0
// CHECK:               arith.addf %{{.+}}, %[[BOTH]]#1
// CHECK:           gpu.terminator
func.func @ask_once(%n: index, %in: memref<?xf64>, %more: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xf64>
    nacho.stage_in %more[%begin to %end] : memref<?xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    %square = arith.mulf %x, %x : f64
    %y = memref.load %more[%part] : memref<?xf64>
    %sum = arith.addf %square, %y : f64
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}

// CHECK-LABEL: func.func @negative_ask_once(
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK-COUNT-2:       scf.if %{{.+}} -> (f64) {
// CHECK:           gpu.terminator
func.func @negative_ask_once(%n: index, %in: memref<?xf64>, %more: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xf64>
    nacho.stage_in %more[%begin to %end] : memref<?xf64>
    %x = memref.load %in[%part] : memref<?xf64>
    memref.store %x, %out[%begin] : memref<?xf64>
    %y = memref.load %more[%part] : memref<?xf64>
    memref.store %y, %out[%part] : memref<?xf64>
  }
  return
}

// What is loaded at 0 in place of a row, and not used, may be any row of the window.
//
//   whole: x = window[min(part - first, size - 1)]
//          out[part] = has ? x : 0
//
// CHECK-LABEL: func.func @optional(
// CHECK-SAME:    memref<?xi32>, %[[OUT:[^ ]+]]: memref<?xindex>, %[[HAS:[^ ]+]]: i1)
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK:             scf.if
// CHECK:               arith.subi %[[PART:.+]], %{{.+}}
// CHECK:               %[[AT:.+]] = arith.minui
// CHECK-NEXT:          %[[X:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:          %[[INDEX:.+]] = arith.index_castui %[[X]]
// CHECK-NEXT:          %[[Y:.+]] = arith.select %[[HAS]], %[[INDEX]]
// CHECK-NEXT:          memref.store %[[Y]], %[[OUT]][%[[PART]]]
// CHECK:           gpu.terminator
func.func @optional(%n: index, %in: memref<?xi32>, %out: memref<?xindex>, %has: i1) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] alone : memref<?xi32>
    %safe = arith.select %has, %part, %c0 : index
    %x = memref.load %in[%safe] : memref<?xi32>
    %index = arith.index_castui %x : i32 to index
    %y = arith.select %has, %index, %c0 : index
    memref.store %y, %out[%part] : memref<?xindex>
  }
  return
}

// So may what is computed of it, unless somebody sees that.
//
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:    %[[IN:[^ ]+]]: memref<?xi32>, %[[OUT:[^ ]+]]: memref<?xindex>, %[[HAS:[^ ]+]]: i1)
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK:             scf.if
// CHECK:               arith.subi %[[PART:.+]], %{{.+}}
// CHECK:               %[[AT:.+]] = arith.minui
// CHECK-NEXT:          %[[X:.+]] = memref.load %{{.+}}[%[[AT]]] : memref<?xi32, #gpu.address_space<workgroup>>
// CHECK:               %[[KEY:.+]] = arith.shli
// CHECK-NEXT:          arith.select %[[HAS]], %[[KEY]]
// CHECK:           gpu.terminator
func.func @computed(%n: index, %in: memref<?xi32>, %out: memref<?xindex>, %has: i1) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] alone : memref<?xi32>
    %safe = arith.select %has, %part, %c0 : index
    %x = memref.load %in[%safe] : memref<?xi32>
    %index = arith.index_castui %x : i32 to index
    %key = arith.shli %index, %n : index
    %y = arith.select %has, %key, %c0 : index
    memref.store %y, %out[%part] : memref<?xindex>
  }
  return
}

// CHECK-LABEL: func.func @negative_computed_and_seen(
// CHECK-SAME:    %[[HAS:[^ ]+]]: i1)
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK:             scf.if
// CHECK:               %[[SAFE:.+]] = arith.select %[[HAS]], %{{.+}}, %c0
// CHECK-NEXT:          arith.subi %[[SAFE]], %{{.+}}
// CHECK:           gpu.terminator
func.func @negative_computed_and_seen(%n: index, %in: memref<?xi32>, %out: memref<?xindex>, %has: i1) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] alone : memref<?xi32>
    %safe = arith.select %has, %part, %c0 : index
    %x = memref.load %in[%safe] : memref<?xi32>
    %index = arith.index_castui %x : i32 to index
    %key = arith.shli %index, %n : index
    memref.store %key, %out[%part] : memref<?xindex>
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
//   skipped = 3 * from mod 4, as above
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

// Vectors may begin with the last row, so that the window has 7 more. A window that is written
// may have fewer rows than a vector.
//
//   whole: x = window[min(8 * part - first, size - 8)]
//          at = 8 * part - begin
//          if at < max(written, 7) - 7: window[at .. at + 8] = x
//   else: out[8 * part .. 8 * part + 8] = in[8 * part .. 8 * part + 8]
//
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[IN:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>)
// CHECK:         gpu.launch
// CHECK:           %[[ROWS:.+]] = memref.dim %[[IN]]
// CHECK:           arith.cmpi uge, %[[ROWS]], %c8
// CHECK:           %[[TO:.+]] = arith.addi %{{.+}}, %c7{{.*}}
// CHECK:           %[[NEEDED:.+]] = arith.maxui %[[TO]], %{{.+}} : index
// CHECK-NEXT:      %[[LAST:.+]] = arith.minui %[[NEEDED]], %[[ROWS]] : index
// CHECK-NEXT:      %[[SIZE:.+]] = arith.subi %[[LAST]],
// CHECK:           %[[LAST:.+]] = arith.subi %[[SIZE]], %c8
// CHECK:           %[[WRITTENSIZE:.+]] = arith.select
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}}[%[[SIZE]]] : {{.+}} to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           %[[WRITTEN:.+]] = memref.view {{.+}}[%[[WRITTENSIZE]]] : {{.+}} to memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK:             scf.if
// CHECK:               %[[PLACE:.+]] = arith.muli
// CHECK:               %[[AT:.+]] = arith.minui %{{.+}}, %[[LAST]]
// CHECK:               %[[X:.+]] = vector.load %[[WINDOW]][%[[AT]]] : memref<?xf64, #gpu.address_space<workgroup>>
// CHECK:               %[[AT:.+]] = arith.subi %[[PLACE]]
// CHECK:               %[[MOST:.+]] = arith.maxui %[[WRITTENSIZE]], %c7{{.*}} : index
// CHECK:               %[[ENDS:.+]] = arith.subi %[[MOST]], %c7{{.*}}
// CHECK:               %[[INSIDE:.+]] = arith.cmpi ult, %[[AT]], %[[ENDS]]
// CHECK:               scf.if %[[INSIDE]] {
// CHECK-NEXT:            vector.store %[[X]], %[[WRITTEN]][%[[AT]]]
// CHECK:             } else {
// CHECK:               vector.load %[[IN]]
// CHECK:               vector.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.terminator
func.func @vectors(%n: index, %in: memref<?xf64>, %out: memref<?xf64>) {
  %c8 = arith.constant 8 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %first = arith.muli %begin, %c8 : index
    %last = arith.muli %end, %c8 : index
    nacho.stage_in %in[%first to %last] alone : memref<?xf64>
    nacho.stage_out %out[%first to %last] : memref<?xf64>
    %at = arith.muli %part, %c8 : index
    %x = vector.load %in[%at] : memref<?xf64>, vector<8xf64>
    vector.store %x, %out[%at] : memref<?xf64>, vector<8xf64>
  }
  return
}

// Arrays of which parts say that they access the same rows share a window, those with larger
// elements first. They have as many rows as the shorter array.
//
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[NARROW:[^ ]+]]: memref<?xi32>, %[[WIDE:[^ ]+]]: memref<?xf64>
// CHECK:         gpu.launch
// CHECK:           %[[MANY:.+]] = memref.dim %[[WIDE]]
// CHECK:           %[[FEW:.+]] = memref.dim %[[NARROW]]
// CHECK-NEXT:      %[[COUNT:.+]] = arith.minui %[[MANY]], %[[FEW]] : index
// CHECK:           %[[LAST:.+]] = arith.minui %{{.+}}, %[[COUNT]] : index
// CHECK-NEXT:      %[[SIZE:.+]] = arith.subi %[[LAST]],
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
// CHECK:           memref.load %[[NEARWIDE]]
// CHECK:           memref.load %[[NEARNARROW]]
// CHECK:           gpu.terminator
func.func @shared(%n: index, %narrow: memref<?xi32>, %wide: memref<?xf64>, %out: memref<?xf64>) {
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %narrow[%begin to %end] alone : memref<?xi32>
    nacho.stage_in %wide[%begin to %end] alone : memref<?xf64>
    %x = memref.load %wide[%part] : memref<?xf64>
    %i = memref.load %narrow[%part] : memref<?xi32>
    %y = arith.sitofp %i : i32 to f64
    %sum = arith.addf %x, %y : f64
    memref.store %sum, %out[%part] : memref<?xf64>
  }
  return
}

// What is written is copied when all parts are done. It starts with zeros, for parts may
// leave elements out. What would be outside of the window is not written.
//
// CHECK-LABEL: func.func @stage_out(
// CHECK-SAME:    %[[OUT:[^ ]+]]: memref<?xf32>)
// CHECK:         gpu.launch
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}}[%[[SIZE:.+]]] : {{.+}} to memref<?xf32, #gpu.address_space<workgroup>>
// CHECK:           %[[WORDS:.+]] = memref.view {{.+}} to memref<?xi64, #gpu.address_space<workgroup>>
// CHECK:           scf.for
// CHECK:             memref.store %c0_i64{{.*}}, %[[WORDS]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.if %[[WHOLE:.+]] {
// CHECK:               %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %[[SIZE]]
// CHECK-NEXT:          scf.if %[[INSIDE]] {
// CHECK-NEXT:            memref.store %{{.+}}, %[[WINDOW]]
// CHECK:             } else {
// CHECK-NEXT:          memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[WHOLE]]
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

// Arrays that parts access in other ways, both read and write, or do not access, have no
// window.
//
// CHECK-LABEL: func.func @negative_stages(
// CHECK:         gpu.launch
// CHECK-NOT:       memref.view
// CHECK:           gpu.terminator
func.func @negative_stages(%n: index, %in: memref<?xi32>, %unused: memref<?xi32>,
                           %both: memref<?xi32>, %rows: memref<?x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %in[%begin to %end] : memref<?xi32>
    nacho.stage_in %unused[%begin to %end] : memref<?xi32>
    %x = memref.load %in[%part] : memref<?xi32>
    %old = memref.atomic_rmw addi %c1, %in[%part] : (i32, memref<?xi32>) -> i32
    nacho.stage_out %both[%begin to %end] : memref<?xi32>
    %y = memref.load %both[%part] : memref<?xi32>
    memref.store %y, %both[%part] : memref<?xi32>
    nacho.stage_in %rows[%begin to %end] : memref<?x4xi32>
    %row = vector.load %rows[%part, %c0] : memref<?x4xi32>, vector<4xi32>
    vector.store %row, %rows[%part, %c0] : memref<?x4xi32>, vector<4xi32>
  }
  return
}

// Threads wait for the others of their tile: each of them gets to the barrier. What takes no
// memory, a quotient for instance, is computed on both sides of it. Parts ask before it.
//
// CHECK-LABEL: func.func @sync(
// CHECK:         gpu.launch
// CHECK:           %[[EXISTS:.+]] = arith.cmpi ult
// CHECK:           %[[WINDOW:.+]] = memref.view {{.+}} to memref<?x2xindex, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        scf.if %[[WHOLE:.+]] {
// CHECK-NEXT:          arith.divui
// CHECK:               scf.if
// CHECK-NEXT:            memref.load %[[WINDOW]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK-NEXT:        scf.if %[[WHOLE]] {
// CHECK-NEXT:          arith.divui
// CHECK:               %[[AT:.+]] = arith.minui
// CHECK-NEXT:          memref.load %[[WINDOW]][%[[AT]], %c0]
// CHECK-NOT:       gpu.barrier
// CHECK:           gpu.terminator
func.func @sync(%n: index, %rows: memref<?x2xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4 sharing 512
    nacho.stage_in %rows[%begin to %end] alone : memref<?x2xindex>
    %next = arith.divui %part, %n : index
    %x = memref.load %rows[%part, %c0] : memref<?x2xindex>
    memref.store %x, %out[%next] : memref<?xindex>
    nacho.tile_sync
    %y = memref.load %rows[%begin, %c0] : memref<?x2xindex>
    %sum = arith.addi %y, %next : index
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
//   if part < parts: out[part] = in[part] + from
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
// CHECK:           %[[FROM:.+]] = memref.load %[[CUTS]][%c0{{.*}}, %c0{{.*}}]
// CHECK:           memref.view %[[SHARED]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[EXISTS]] {
// CHECK:             arith.addi %{{.+}}, %[[FROM]]
// CHECK:           gpu.barrier
// CHECK:           %[[LAST:.+]] = arith.cmpi eq, %[[END]], %[[N]]
// CHECK:           %[[SIZE:.+]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           %[[MORE:.+]] = arith.select %[[LAST]], %{{.+}}, %{{.+}} : index
// CHECK-NEXT:      %[[ALL:.+]] = arith.addi %[[SIZE]], %[[MORE]]
// CHECK:           %[[NEAR:.+]] = memref.reinterpret_cast %[[CUTS]]
// CHECK:           %[[FAR:.+]] = memref.reinterpret_cast %[[ROWS]]
// CHECK:           scf.for %[[AT:.+]] =
// CHECK-NEXT:        %[[CUT:.+]] = memref.load %[[NEAR]][%[[AT]]]
// CHECK-NEXT:        %[[PLACE:.+]] = arith.addi %{{.+}}, %[[AT]]
// CHECK-NEXT:        memref.store %[[CUT]], %[[FAR]][%[[PLACE]]]
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
// Whatever p is, the word says a row of the tile, which is read even if has is false.
//
//   whole: word = min(p - first, size - 1) | min(q - first, size - 1) << 15
//               | has << 30 | other << 31
//   barrier
//   whole: for n in the window: out[begin + n] = what the word says
//
// CHECK-LABEL: func.func @last(
// CHECK-SAME:    index, %[[A:[^ ]+]]: memref<?xf64>, %[[B:[^ ]+]]: memref<?xf64>, %[[OUT:[^ ]+]]: memref<?xf64>
// CHECK:         gpu.launch
// CHECK-NOT:       memref.load
// CHECK:           %[[SHORT:.+]] = arith.cmpi ule, %{{.+}}, %c32768{{.*}} : index
// CHECK:           %[[WORDS:.+]] = memref.view %{{.+}} : memref<1024xi8, #gpu.address_space<workgroup>> to memref<?xi32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %c0_i64
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        scf.if %[[WHOLE:.+]] {
// CHECK:               scf.if
// CHECK-COUNT-2:         arith.minui
// CHECK:                 memref.store %{{.+}}, %[[WORDS]]
// CHECK:             } else {
// CHECK:               memref.load %[[A]]
// CHECK:               memref.load %[[B]]
// CHECK:               memref.store %{{.+}}, %[[OUT]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      scf.if %[[WHOLE]] {
// CHECK:           scf.for %[[N:.+]] =
// CHECK:             %[[WORD:.+]] = memref.load %[[WORDS]][%[[N]]]
// CHECK:             %[[OFFSET:.+]] = arith.index_castui
// CHECK-NEXT:        %[[P:.+]] = arith.addi %[[OFFSET]], %{{.+}} : index
// CHECK:             %[[OFFSET:.+]] = arith.index_castui
// CHECK-NEXT:        %[[Q:.+]] = arith.addi %[[OFFSET]], %{{.+}} : index
// CHECK:             arith.andi %[[WORD]], %c1073741824
// CHECK:             arith.cmpi slt, %[[WORD]], %c0{{.*}} : i32
// CHECK:             memref.load %[[A]][%[[P]]]
// CHECK:             memref.load %[[B]][%[[Q]]]
// CHECK:             %[[SUM:.+]] = arith.addf
// CHECK:             memref.store %[[SUM]], %[[OUT]]
// CHECK:           gpu.terminator
func.func @last(%n: index, %a: memref<?xf64>, %b: memref<?xf64>, %out: memref<?xf64>,
                %where: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    nacho.stage_in %a[%begin to %end] alone : memref<?xf64>
    nacho.stage_in %b[%begin to %end] alone : memref<?xf64>
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
    nacho.stage_in %a[%begin to %end] alone : memref<?xf64>
    nacho.stage_out %out[%begin to %end] : memref<?xf64>
    %x = memref.load %a[%part] : memref<?xf64>
    memref.store %x, %out[%part] : memref<?xf64>
    memref.store %x, %more[%part] : memref<?xf64>
  }
  return
}

// Two columns of cuts have the same number in each row: only the first one is read, and the
// memory of the block has no other. The last row of all has both.
//
//   cuts[row] = (part, i), or what row 0 has
//   out[part] = cuts[row][1] + cuts[row][1]
//   if end == parts: bounds[end] = (cuts[end - begin][0], the same [1], the same [1])
//
// CHECK-LABEL: func.func @same_columns(
// CHECK-SAME:    %[[BOUNDS:[^ ]+]]: memref<?x3xindex>
// CHECK:         gpu.launch
// CHECK-SAME:      workgroup(%[[CUTS:[^ ]+]] : memref<5x2xindex, #gpu.address_space<workgroup>>
// CHECK:           scf.if
// CHECK:             memref.store %{{.+}}, %[[CUTS]][%[[ROW:.+]], %c0]
// CHECK-NEXT:        memref.store %{{.+}}, %[[CUTS]][%[[ROW]], %c1]
// CHECK-NEXT:      } else {
// CHECK:           gpu.barrier
// CHECK:           %[[I:.+]] = memref.load %[[CUTS]][%{{.+}}, %c1{{.*}}]
// CHECK-NOT:       memref.load
// CHECK:           %[[SUM:.+]] = arith.addi %[[I]], %[[I]]
// CHECK:             memref.store %[[SUM]]
// CHECK:           gpu.barrier
// CHECK-NEXT:      %[[LAST:.+]] = arith.cmpi eq, %[[END:.+]], %{{.+}} : index
// CHECK:           scf.if
// CHECK:             memref.load %[[CUTS]][%{{.+}}, %c0{{.*}}]
// CHECK-NEXT:        memref.store %{{.+}}, %[[BOUNDS]][%[[END]], %c0{{.*}}]
// CHECK:             %[[SAME:.+]] = memref.load %[[CUTS]][%{{.+}}, %c1{{.*}}]
// CHECK-NEXT:        memref.store %[[SAME]], %[[BOUNDS]][%[[END]], %c1{{.*}}]
// CHECK:             memref.load %[[CUTS]][%{{.+}}, %c1{{.*}}]
// CHECK-NEXT:        memref.store %{{.+}}, %[[BOUNDS]][%[[END]], %c2{{.*}}]
// CHECK:           gpu.terminator
func.func @same_columns(%n: index, %i: index, %first: i1, %bounds: memref<?x3xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %cuts = nacho.tile_cuts %bounds alone : memref<?x3xindex> -> memref<5x3xindex>
    %row = arith.subi %part, %begin : index
    scf.if %first {
      memref.store %part, %cuts[%row, %c0] : memref<5x3xindex>
      memref.store %i, %cuts[%row, %c1] : memref<5x3xindex>
      memref.store %i, %cuts[%row, %c2] : memref<5x3xindex>
    } else {
      %a = memref.load %cuts[%c0, %c0] : memref<5x3xindex>
      %b = memref.load %cuts[%c0, %c1] : memref<5x3xindex>
      %c = memref.load %cuts[%c0, %c2] : memref<5x3xindex>
      memref.store %a, %cuts[%row, %c0] : memref<5x3xindex>
      memref.store %b, %cuts[%row, %c1] : memref<5x3xindex>
      memref.store %c, %cuts[%row, %c2] : memref<5x3xindex>
    }
    nacho.tile_sync
    %x = memref.load %cuts[%row, %c1] : memref<5x3xindex>
    %y = memref.load %cuts[%row, %c2] : memref<5x3xindex>
    %sum = arith.addi %x, %y : index
    memref.store %sum, %out[%part] : memref<?xindex>
  }
  return
}

// In one of the rows they do not, though one is loaded from the other.
//
// CHECK-LABEL: func.func @negative_other_columns(
// CHECK:         gpu.launch
// CHECK:           gpu.barrier
// CHECK:           %[[X:.+]] = memref.load %[[CUTS:.+]][%{{.+}}, %c0{{.*}}]
// CHECK:           %[[Y:.+]] = memref.load %[[CUTS]][%{{.+}}, %c1{{.*}}]
// CHECK:           %[[SUM:.+]] = arith.addi %[[X]], %[[Y]]
// CHECK:           gpu.terminator
func.func @negative_other_columns(%n: index, %i: index, %first: i1, %bounds: memref<?x2xindex>, %out: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %cuts = nacho.tile_cuts %bounds alone : memref<?x2xindex> -> memref<5x2xindex>
    %row = arith.subi %part, %begin : index
    scf.if %first {
      memref.store %part, %cuts[%row, %c0] : memref<5x2xindex>
      memref.store %i, %cuts[%row, %c1] : memref<5x2xindex>
    } else {
      %a = memref.load %cuts[%c0, %c0] : memref<5x2xindex>
      memref.store %a, %cuts[%row, %c0] : memref<5x2xindex>
      memref.store %a, %cuts[%row, %c1] : memref<5x2xindex>
    }
    nacho.tile_sync
    %x = memref.load %cuts[%row, %c0] : memref<5x2xindex>
    %y = memref.load %cuts[%row, %c1] : memref<5x2xindex>
    %sum = arith.addi %x, %y : index
    memref.store %sum, %out[%part] : memref<?xindex>
  }
  return
}

// A thread loads each number of a cut once, where the cut is there: both ends of the tile, as
// no part stores them, before its own cut and the next one. What it computes of these alone is
// there after the next barrier. Threads without a part take the last cut.
//
//   cuts[part - begin] = part
//   barrier
//   first = cuts[0]; last = cuts[end - begin]
//   if part < parts and part != begin: cuts[part - begin] = first + last
//   barrier
//   own = cuts[min(thread, end - begin)]; next = cuts[min(thread + 1, end - begin)]
//   size = next - own
//   if part < parts: out[part] = size
//   barrier
//   if part < parts: more[part] = size + first
//
// CHECK-LABEL: func.func @load_once(
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.+}}, %[[CUTS:.+]][
// CHECK:           gpu.barrier
// CHECK:           %[[FIRST:.+]] = memref.load %[[CUTS]][%c0{{.*}}, %c0{{.*}}]
// CHECK:           %[[LAST:.+]] = memref.load %[[CUTS]]
// CHECK:           %[[SUM:.+]] = arith.addi %[[FIRST]], %[[LAST]]
// CHECK:           memref.store %[[SUM]], %[[CUTS]]
// CHECK:           gpu.barrier
// CHECK:           %[[OWN_ROW:.+]] = arith.minui %[[THREAD:.+]], %{{.+}} : index
// CHECK:           %[[OWN:.+]] = memref.load %[[CUTS]][%[[OWN_ROW]]
// CHECK:           arith.addi %[[THREAD]], %c1
// CHECK-NEXT:      %[[NEXT_ROW:.+]] = arith.minui
// CHECK:           %[[NEXT:.+]] = memref.load %[[CUTS]][%[[NEXT_ROW]]
// CHECK:           %[[SIZE:.+]] = arith.subi %[[NEXT]], %[[OWN]]
// CHECK:           scf.if
// CHECK-NOT:         memref.load %[[CUTS]]
// CHECK:             memref.store %[[SIZE]]
// CHECK:           gpu.barrier
// CHECK-NOT:       memref.load %[[CUTS]]
// CHECK:             memref.store %{{.+}}, %{{.+}}[
// CHECK:           gpu.terminator
func.func @load_once(%n: index, %bounds: memref<?x1xindex>, %out: memref<?xindex>, %more: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  nacho.parallel %part in %n threads %n {
    %begin, %end = nacho.tile %part of %n by 4
    %cuts = nacho.tile_cuts %bounds alone : memref<?x1xindex> -> memref<5x1xindex>
    %row = arith.subi %part, %begin : index
    memref.store %part, %cuts[%row, %c0] : memref<5x1xindex>
    nacho.tile_sync
    %end_row = arith.subi %end, %begin : index
    %first = memref.load %cuts[%c0, %c0] : memref<5x1xindex>
    %last = memref.load %cuts[%end_row, %c0] : memref<5x1xindex>
    %is_later = arith.cmpi ne, %part, %begin : index
    scf.if %is_later {
      %sum = arith.addi %first, %last : index
      memref.store %sum, %cuts[%row, %c0] : memref<5x1xindex>
    }
    nacho.tile_sync
    %own = memref.load %cuts[%row, %c0] : memref<5x1xindex>
    %next_part = arith.addi %part, %c1 : index
    %next_row = arith.subi %next_part, %begin : index
    %next = memref.load %cuts[%next_row, %c0] : memref<5x1xindex>
    %size = arith.subi %next, %own : index
    memref.store %size, %out[%part] : memref<?xindex>
    nacho.tile_sync
    %row_plus_one = arith.addi %row, %c1 : index
    %next_again = memref.load %cuts[%row_plus_one, %c0] : memref<5x1xindex>
    %own_again = memref.load %cuts[%row, %c0] : memref<5x1xindex>
    %first_again = memref.load %cuts[%c0, %c0] : memref<5x1xindex>
    %size_again = arith.subi %next_again, %own_again : index
    %all = arith.addi %size_again, %first_again : index
    memref.store %all, %more[%part] : memref<?xindex>
  }
  return
}
