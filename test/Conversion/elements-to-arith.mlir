// RUN: nacho-opt %s -convert-nacho-elements-to-arith -canonicalize | FileCheck %s

// What is not an operator of the notation stays.
//
// CHECK-LABEL: func.func @negative(
// CHECK:         nacho.load
// CHECK-NEXT:    arith.addf
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @negative(%A1: !nacho.fiber<tensor<?xf64, #SV>, 1>, %x: f64) -> f64 {
  %a = nacho.load %A1 : !nacho.fiber<tensor<?xf64, #SV>, 1>
  %0 = arith.addf %a, %x : f64
  return %0 : f64
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

// A NaN is one also for min and max, which take the second of two equal ones.
//
// CHECK-LABEL: func.func @floats(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64)
// CHECK-NEXT:    arith.addf %[[X]], %[[Y]] : f64
// CHECK-NEXT:    arith.subf %[[X]], %[[Y]] : f64
// CHECK-NEXT:    arith.mulf %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[LESS:.+]] = arith.cmpf olt, %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]] : f64
// CHECK-NEXT:    %[[FIRST:.+]] = arith.ori %[[LESS]], %[[NAN]] : i1
// CHECK-NEXT:    arith.select %[[FIRST]], %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[MORE:.+]] = arith.cmpf ogt, %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]] : f64
// CHECK-NEXT:    %[[FIRST:.+]] = arith.ori %[[MORE]], %[[NAN]] : i1
// CHECK-NEXT:    arith.select %[[FIRST]], %[[X]], %[[Y]] : f64
// CHECK-NEXT:    arith.negf %[[X]] : f64
func.func @floats(%x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64) {
  %0 = nacho.binary add %x, %y : f64
  %1 = nacho.binary sub %x, %y : f64
  %2 = nacho.binary mul %x, %y : f64
  %3 = nacho.binary min %x, %y : f64
  %4 = nacho.binary max %x, %y : f64
  %5 = nacho.unary neg %x : f64
  return %0, %1, %2, %3, %4, %5 : f64, f64, f64, f64, f64, f64
}

// CHECK-LABEL: func.func @signed(
// CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32)
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-NEXT:    arith.addi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.subi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.muli %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.minsi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.maxsi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.subi %[[ZERO]], %[[X]] : i32
func.func @signed(%x: i32, %y: i32) -> (i32, i32, i32, i32, i32, i32) {
  %0 = nacho.binary add %x, %y : i32
  %1 = nacho.binary sub %x, %y : i32
  %2 = nacho.binary mul %x, %y : i32
  %3 = nacho.binary min %x, %y : i32
  %4 = nacho.binary max %x, %y : i32
  %5 = nacho.unary neg %x : i32
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
}

// The sign goes from the type into the op.
//
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME:    %[[U:.+]]: ui8, %[[V:.+]]: ui8)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : i8
// CHECK-DAG:     %[[X:.+]] = builtin.unrealized_conversion_cast %[[U]] : ui8 to i8
// CHECK-DAG:     %[[Y:.+]] = builtin.unrealized_conversion_cast %[[V]] : ui8 to i8
// CHECK:         %[[SUM:.+]] = arith.addi %{{.+}}, %{{.+}} : i8
// CHECK:         builtin.unrealized_conversion_cast %[[SUM]] : i8 to ui8
// CHECK:         arith.minui %{{.+}}, %{{.+}} : i8
// CHECK:         arith.maxui %{{.+}}, %{{.+}} : i8
// CHECK:         arith.subi %[[ZERO]], %{{.+}} : i8
func.func @unsigned(%x: ui8, %y: ui8) -> (ui8, ui8, ui8, ui8) {
  %0 = nacho.binary add %x, %y : ui8
  %1 = nacho.binary min %x, %y : ui8
  %2 = nacho.binary max %x, %y : ui8
  %3 = nacho.unary neg %x : ui8
  return %0, %1, %2, %3 : ui8, ui8, ui8, ui8
}

// add is "or" and mul is "and"; false is less than true.
//
// CHECK-LABEL: func.func @booleans(
// CHECK-SAME:    %[[X:.+]]: i1, %[[Y:.+]]: i1)
// CHECK-NEXT:    arith.ori %[[X]], %[[Y]] : i1
// CHECK-NEXT:    arith.{{andi|muli}} %[[X]], %[[Y]] : i1
// CHECK-NEXT:    arith.minui %[[X]], %[[Y]] : i1
// CHECK-NEXT:    arith.maxui %[[X]], %[[Y]] : i1
func.func @booleans(%x: i1, %y: i1) -> (i1, i1, i1, i1) {
  %0 = nacho.binary add %x, %y : i1
  %1 = nacho.binary mul %x, %y : i1
  %2 = nacho.binary min %x, %y : i1
  %3 = nacho.binary max %x, %y : i1
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @complex(
// CHECK-SAME:    %[[X:.+]]: complex<f64>, %[[Y:.+]]: complex<f64>)
// CHECK-NEXT:    %[[X_RE:.+]] = complex.re %[[X]]
// CHECK-NEXT:    %[[X_IM:.+]] = complex.im %[[X]]
// CHECK-NEXT:    %[[Y_RE:.+]] = complex.re %[[Y]]
// CHECK-NEXT:    %[[Y_IM:.+]] = complex.im %[[Y]]
// CHECK-NEXT:    %[[SUM_RE:.+]] = arith.addf %[[X_RE]], %[[Y_RE]] : f64
// CHECK-NEXT:    %[[SUM_IM:.+]] = arith.addf %[[X_IM]], %[[Y_IM]] : f64
// CHECK-NEXT:    complex.create %[[SUM_RE]], %[[SUM_IM]] : complex<f64>
// CHECK:         %[[DIFFERENCE_RE:.+]] = arith.subf
// CHECK-NEXT:    %[[DIFFERENCE_IM:.+]] = arith.subf
// CHECK-NEXT:    complex.create %[[DIFFERENCE_RE]], %[[DIFFERENCE_IM]] : complex<f64>
// CHECK-NEXT:    %[[X_RE:.+]] = complex.re %[[X]]
// CHECK-NEXT:    %[[X_IM:.+]] = complex.im %[[X]]
// CHECK-NEXT:    %[[Y_RE:.+]] = complex.re %[[Y]]
// CHECK-NEXT:    %[[Y_IM:.+]] = complex.im %[[Y]]
// CHECK-DAG:     %[[RE_RE:.+]] = arith.mulf %[[X_RE]], %[[Y_RE]] : f64
// CHECK-DAG:     %[[IM_IM:.+]] = arith.mulf %[[X_IM]], %[[Y_IM]] : f64
// CHECK-DAG:     %[[RE:.+]] = arith.subf %[[RE_RE]], %[[IM_IM]] : f64
// CHECK-DAG:     %[[IM_RE:.+]] = arith.mulf %[[X_IM]], %[[Y_RE]] : f64
// CHECK-DAG:     %[[RE_IM:.+]] = arith.mulf %[[X_RE]], %[[Y_IM]] : f64
// CHECK-DAG:     %[[IM:.+]] = arith.addf %[[IM_RE]], %[[RE_IM]] : f64
// CHECK:         complex.create %[[RE]], %[[IM]] : complex<f64>
// CHECK-NEXT:    %[[RE:.+]] = complex.re %[[X]]
// CHECK-NEXT:    %[[NEG_RE:.+]] = arith.negf %[[RE]] : f64
// CHECK-NEXT:    %[[IM:.+]] = complex.im %[[X]]
// CHECK-NEXT:    %[[NEG_IM:.+]] = arith.negf %[[IM]] : f64
// CHECK-NEXT:    complex.create %[[NEG_RE]], %[[NEG_IM]] : complex<f64>
func.func @complex(%x: complex<f64>, %y: complex<f64>)
    -> (complex<f64>, complex<f64>, complex<f64>, complex<f64>) {
  %0 = nacho.binary add %x, %y : complex<f64>
  %1 = nacho.binary sub %x, %y : complex<f64>
  %2 = nacho.binary mul %x, %y : complex<f64>
  %3 = nacho.unary neg %x : complex<f64>
  return %0, %1, %2, %3 : complex<f64>, complex<f64>, complex<f64>, complex<f64>
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @functions(
// CHECK-SAME:    %[[X:.+]]: f32, %[[Y:.+]]: f32)
// CHECK-NEXT:    arith.divf %[[X]], %[[Y]] : f32
// CHECK-NEXT:    math.absf %[[X]] : f32
// CHECK-NEXT:    math.sqrt %[[X]] : f32
// CHECK-NEXT:    math.exp %[[X]] : f32
// CHECK-NEXT:    math.log %[[X]] : f32
// CHECK-NEXT:    math.sin %[[X]] : f32
// CHECK-NEXT:    math.cos %[[X]] : f32
// CHECK-NEXT:    math.tanh %[[X]] : f32
func.func @functions(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = nacho.binary div %x, %y : f32
  %1 = nacho.unary abs %x : f32
  %2 = nacho.unary sqrt %x : f32
  %3 = nacho.unary exp %x : f32
  %4 = nacho.unary log %x : f32
  %5 = nacho.unary sin %x : f32
  %6 = nacho.unary cos %x : f32
  %7 = nacho.unary tanh %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// Of real numbers only; integers are rounded already.
//
// CHECK-LABEL: func.func @more_functions(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64, %[[N:.+]]: i32)
// CHECK-NEXT:    math.powf %[[X]], %[[Y]] : f64
// CHECK-NEXT:    math.log1p %[[X]] : f64
// CHECK-NEXT:    math.expm1 %[[X]] : f64
// CHECK-NEXT:    math.floor %[[X]] : f64
// CHECK-NEXT:    math.ceil %[[X]] : f64
// CHECK-NEXT:    return {{.*}} %[[N]], %[[N]]
func.func @more_functions(%x: f64, %y: f64, %n: i32) -> (f64, f64, f64, f64, f64, i32, i32) {
  %0 = nacho.binary pow %x, %y : f64
  %1 = nacho.unary log1p %x : f64
  %2 = nacho.unary expm1 %x : f64
  %3 = nacho.unary floor %x : f64
  %4 = nacho.unary ceil %x : f64
  %5 = nacho.unary floor %n : i32
  %6 = nacho.unary ceil %n : i32
  return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, i32, i32
}

// CHECK-LABEL: func.func @bits(
// CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32, %[[P:.+]]: i1, %[[Q:.+]]: i1)
// CHECK-DAG:     arith.andi %[[X]], %[[Y]] : i32
// CHECK-DAG:     arith.ori %[[P]], %[[Q]] : i1
// CHECK-DAG:     arith.xori %[[X]], %[[Y]] : i32
// CHECK-DAG:     %[[ONES:.+]] = arith.constant -1 : i32
// CHECK-DAG:     arith.xori %[[X]], %[[ONES]] : i32
func.func @bits(%x: i32, %y: i32, %p: i1, %q: i1) -> (i32, i1, i32, i32) {
  %0 = nacho.binary andbits %x, %y : i32
  %1 = nacho.binary orbits %p, %q : i1
  %2 = nacho.binary xorbits %x, %y : i32
  %3 = nacho.unary notbits %x : i32
  return %0, %1, %2, %3 : i32, i1, i32, i32
}

// What has no sign is its own absolute value.
//
// CHECK-LABEL: func.func @sizes_of_integers(
// CHECK-SAME:    %[[X:.+]]: i16, %[[Y:.+]]: ui8, %[[P:.+]]: i1)
// CHECK-NEXT:    %[[SIZE:.+]] = math.absi %[[X]] : i16
// CHECK-NEXT:    return %[[SIZE]], %[[Y]], %[[P]]
func.func @sizes_of_integers(%x: i16, %y: ui8, %p: i1) -> (i16, ui8, i1) {
  %0 = nacho.unary abs %x : i16
  %1 = nacho.unary abs %y : ui8
  %2 = nacho.unary abs %p : i1
  return %0, %1, %2 : i16, ui8, i1
}

// Functions of complex numbers wait for -convert-nacho-functions-to-libm.
//
// CHECK-LABEL: func.func @complex_functions(
// CHECK-SAME:    %[[X:.+]]: complex<f64>)
// CHECK-NEXT:    nacho.unary abs %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary sqrt %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary exp %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary log %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary sin %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary cos %[[X]] : complex<f64>
// CHECK-NEXT:    nacho.unary tanh %[[X]] : complex<f64>
func.func @complex_functions(%x: complex<f64>)
    -> (f64, complex<f64>, complex<f64>, complex<f64>, complex<f64>, complex<f64>,
        complex<f64>) {
  %0 = nacho.unary abs %x : complex<f64>
  %1 = nacho.unary sqrt %x : complex<f64>
  %2 = nacho.unary exp %x : complex<f64>
  %3 = nacho.unary log %x : complex<f64>
  %4 = nacho.unary sin %x : complex<f64>
  %5 = nacho.unary cos %x : complex<f64>
  %6 = nacho.unary tanh %x : complex<f64>
  return %0, %1, %2, %3, %4, %5, %6
    : f64, complex<f64>, complex<f64>, complex<f64>, complex<f64>, complex<f64>,
      complex<f64>
}

// The larger part of the divisor is divided by.
//
// CHECK-LABEL: func.func @complex_quotient(
// CHECK-SAME:    %[[X:.+]]: complex<f64>, %[[Y:.+]]: complex<f64>)
// CHECK-DAG:     %[[RE:.+]] = complex.re %[[Y]]
// CHECK-DAG:     %[[IM:.+]] = complex.im %[[Y]]
// CHECK:         %[[ABS_RE:.+]] = math.absf %[[RE]]
// CHECK:         %[[ABS_IM:.+]] = math.absf %[[IM]]
// CHECK:         %[[LARGER:.+]] = arith.cmpf oge, %[[ABS_RE]], %[[ABS_IM]]
// CHECK:         %[[P:.+]] = arith.select %[[LARGER]], %[[RE]], %[[IM]]
// CHECK:         %[[Q:.+]] = arith.select %[[LARGER]], %[[IM]], %[[RE]]
// CHECK:         arith.divf %[[Q]], %[[P]]
func.func @complex_quotient(%x: complex<f64>, %y: complex<f64>) -> complex<f64> {
  %0 = nacho.binary div %x, %y : complex<f64>
  return %0 : complex<f64>
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// A NaN is equal to nothing, and different from everything.
//
// CHECK-LABEL: func.func @comparisons(
// CHECK:         arith.cmpf olt, %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:    arith.cmpf ole
// CHECK-NEXT:    arith.cmpf ogt
// CHECK-NEXT:    arith.cmpf oge
// CHECK-NEXT:    arith.cmpf oeq
// CHECK-NEXT:    arith.cmpf une
func.func @comparisons(%x: f64, %y: f64) -> (i1, i1, i1, i1, i1, i1) {
  %0 = nacho.compare lt %x, %y : f64
  %1 = nacho.compare le %x, %y : f64
  %2 = nacho.compare gt %x, %y : f64
  %3 = nacho.compare ge %x, %y : f64
  %4 = nacho.compare eq %x, %y : f64
  %5 = nacho.compare ne %x, %y : f64
  return %0, %1, %2, %3, %4, %5 : i1, i1, i1, i1, i1, i1
}

// CHECK-LABEL: func.func @comparisons_of_integers(
// CHECK:         arith.cmpi slt, %{{.+}}, %{{.+}} : i32
// CHECK:         arith.cmpi ult, %{{.+}}, %{{.+}} : i8
// CHECK:         arith.cmpi uge, %{{.+}}, %{{.+}} : i1
// CHECK:         arith.cmpi eq, %{{.+}}, %{{.+}} : i8
func.func @comparisons_of_integers(%x: i32, %y: i32, %u: ui8, %v: ui8, %p: i1, %q: i1)
    -> (i1, i1, i1, i1) {
  %0 = nacho.compare lt %x, %y : i32
  %1 = nacho.compare lt %u, %v : ui8
  %2 = nacho.compare ge %p, %q : i1
  %3 = nacho.compare eq %u, %v : ui8
  return %0, %1, %2, %3 : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @comparisons_of_complex_numbers(
// CHECK:         %[[RE:.+]] = arith.cmpf oeq, %{{.+}}, %{{.+}} : f64
// CHECK:         %[[IM:.+]] = arith.cmpf oeq, %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:    arith.andi %[[RE]], %[[IM]]
// CHECK:         %[[RE:.+]] = arith.cmpf une, %{{.+}}, %{{.+}} : f64
// CHECK:         %[[IM:.+]] = arith.cmpf une, %{{.+}}, %{{.+}} : f64
// CHECK-NEXT:    arith.ori %[[RE]], %[[IM]]
func.func @comparisons_of_complex_numbers(%x: complex<f64>, %y: complex<f64>) -> (i1, i1) {
  %0 = nacho.compare eq %x, %y : complex<f64>
  %1 = nacho.compare ne %x, %y : complex<f64>
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @choices(
// CHECK-SAME:    %[[C:.+]]: i1, %[[X:.+]]: ui8, %[[Z:[^ ]+]]: complex<f64>, 
// CHECK:         arith.select %[[C]], %[[X]], %{{.+}} : ui8
// CHECK-NEXT:    arith.select %[[C]], %[[Z]], %{{.+}} : complex<f64>
func.func @choices(%c: i1, %x: ui8, %z: complex<f64>, %y: ui8, %w: complex<f64>)
    -> (ui8, complex<f64>) {
  %0 = nacho.select %c, %x, %y : ui8
  %1 = nacho.select %c, %z, %w : complex<f64>
  return %0, %1 : ui8, complex<f64>
}

// The order is the compiler's choice where it makes a difference at all.
//
// CHECK-LABEL: func.func @reassociable(
// CHECK:         arith.addf %{{.+}}, %{{.+}} fastmath<reassoc> : f32
// CHECK-NEXT:    arith.maximumf %{{.+}}, %{{.+}} fastmath<reassoc> : f32
// CHECK:         arith.addf %{{.+}}, %{{.+}} fastmath<reassoc> : f32
// CHECK-NEXT:    arith.addf %{{.+}}, %{{.+}} fastmath<reassoc> : f32
// CHECK-NEXT:    complex.create
// CHECK-NEXT:    arith.addi %{{.+}}, %{{.+}} : i64
func.func @reassociable(%x: f32, %y: f32, %c: complex<f32>, %n: i64) -> (f32, f32, complex<f32>, i64) {
  %0 = nacho.binary add %x, %x reassociable : f32
  %1 = nacho.binary max %x, %y reassociable : f32
  %2 = nacho.binary add %c, %c reassociable : complex<f32>
  %3 = nacho.binary add %n, %n reassociable : i64
  return %0, %1, %2, %3 : f32, f32, complex<f32>, i64
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @negative_same_type(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: ui8)
// CHECK-NEXT:    return %[[X]], %[[Y]]
func.func @negative_same_type(%x: f64, %y: ui8) -> (f64, ui8) {
  %0 = nacho.cast %x : f64 to f64
  %1 = nacho.cast %y : ui8 to ui8
  return %0, %1 : f64, ui8
}

// CHECK-LABEL: func.func @between_floats(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f32)
// CHECK-NEXT:    arith.truncf %[[X]] : f64 to f32
// CHECK-NEXT:    arith.extf %[[Y]] : f32 to f64
func.func @between_floats(%x: f64, %y: f32) -> (f32, f64) {
  %0 = nacho.cast %x : f64 to f32
  %1 = nacho.cast %y : f32 to f64
  return %0, %1 : f32, f64
}

// By way of a type that has room for the range of the smaller ones.
//
// CHECK-LABEL: func.func @from_float(
// CHECK-SAME:    %[[X:.+]]: f64)
// CHECK:         arith.fptosi %[[X]] : f64 to i64
// CHECK:         %[[WIDE:.+]] = arith.fptosi %[[X]] : f64 to i64
// CHECK-NEXT:    arith.trunci %[[WIDE]] : i64 to i32
// CHECK:         %[[WIDE:.+]] = arith.fptosi %[[X]] : f64 to i64
// CHECK-NEXT:    %[[BYTE:.+]] = arith.trunci %[[WIDE]] : i64 to i8
// CHECK-NEXT:    builtin.unrealized_conversion_cast %[[BYTE]] : i8 to ui8
// CHECK:         arith.cmpf une, %[[X]], %{{.+}} : f64
func.func @from_float(%x: f64) -> (i64, i32, ui8, i1) {
  %0 = nacho.cast %x : f64 to i64
  %1 = nacho.cast %x : f64 to i32
  %2 = nacho.cast %x : f64 to ui8
  %3 = nacho.cast %x : f64 to i1
  return %0, %1, %2, %3 : i64, i32, ui8, i1
}

// CHECK-LABEL: func.func @to_float(
// CHECK-SAME:    %[[I:.+]]: i32, %[[U:.+]]: ui8, %[[P:.+]]: i1)
// CHECK:         arith.sitofp %[[I]] : i32 to f64
// CHECK:         %[[BYTE:.+]] = builtin.unrealized_conversion_cast %[[U]] : ui8 to i8
// CHECK-NEXT:    arith.uitofp %[[BYTE]] : i8 to f32
// CHECK:         arith.uitofp %[[P]] : i1 to f64
func.func @to_float(%i: i32, %u: ui8, %p: i1) -> (f64, f32, f64) {
  %0 = nacho.cast %i : i32 to f64
  %1 = nacho.cast %u : ui8 to f32
  %2 = nacho.cast %p : i1 to f64
  return %0, %1, %2 : f64, f32, f64
}

// The source tells how to extend, and of what is cut off nothing is left; a boolean
// is whether there is anything.
//
// CHECK-LABEL: func.func @between_integers(
// CHECK-SAME:    %[[I:.+]]: i8, %[[U:.+]]: ui8, %[[P:.+]]: i1, %[[L:.+]]: i64)
// CHECK:         arith.extsi %[[I]] : i8 to i32
// CHECK:         %[[BYTE:.+]] = builtin.unrealized_conversion_cast %[[U]] : ui8 to i8
// CHECK-NEXT:    arith.extui %[[BYTE]] : i8 to i32
// CHECK:         arith.extui %[[P]] : i1 to i32
// CHECK:         %[[LOW:.+]] = arith.trunci %[[L]] : i64 to i8
// CHECK-NEXT:    builtin.unrealized_conversion_cast %[[LOW]] : i8 to ui8
// CHECK:         arith.cmpi ne, %[[L]], %{{.+}} : i64
func.func @between_integers(%i: i8, %u: ui8, %p: i1, %l: i64) -> (i32, i32, i32, ui8, i1) {
  %0 = nacho.cast %i : i8 to i32
  %1 = nacho.cast %u : ui8 to i32
  %2 = nacho.cast %p : i1 to i32
  %3 = nacho.cast %l : i64 to ui8
  %4 = nacho.cast %l : i64 to i1
  return %0, %1, %2, %3, %4 : i32, i32, i32, ui8, i1
}

// CHECK-LABEL: func.func @to_complex(
// CHECK-SAME:    %[[X:.+]]: f64, %[[I:.+]]: i32, %[[C:.+]]: complex<f64>)
// CHECK:         %[[RE:.+]] = arith.truncf %[[X]] : f64 to f32
// CHECK-NEXT:    complex.create %[[RE]], %{{.+}} : complex<f32>
// CHECK:         %[[RE:.+]] = arith.sitofp %[[I]] : i32 to f64
// CHECK-NEXT:    complex.create %[[RE]], %{{.+}} : complex<f64>
// CHECK-DAG:     %[[RE:.+]] = complex.re %[[C]]
// CHECK-DAG:     %[[IM:.+]] = complex.im %[[C]]
// CHECK-DAG:     %[[NARROW_RE:.+]] = arith.truncf %[[RE]] : f64 to f32
// CHECK-DAG:     %[[NARROW_IM:.+]] = arith.truncf %[[IM]] : f64 to f32
// CHECK:         complex.create %[[NARROW_RE]], %[[NARROW_IM]] : complex<f32>
func.func @to_complex(%x: f64, %i: i32, %c: complex<f64>)
    -> (complex<f32>, complex<f64>, complex<f32>) {
  %0 = nacho.cast %x : f64 to complex<f32>
  %1 = nacho.cast %i : i32 to complex<f64>
  %2 = nacho.cast %c : complex<f64> to complex<f32>
  return %0, %1, %2 : complex<f32>, complex<f64>, complex<f32>
}

// The imaginary part is dropped, unless it is asked whether there is anything.
//
// CHECK-LABEL: func.func @from_complex(
// CHECK-SAME:    %[[C:.+]]: complex<f64>)
// CHECK:         %[[RE:.+]] = complex.re %[[C]]
// CHECK-NEXT:    arith.truncf %[[RE]] : f64 to f32
// CHECK:         %[[RE:.+]] = complex.re %[[C]]
// CHECK-NEXT:    %[[WIDE:.+]] = arith.fptosi %[[RE]] : f64 to i64
// CHECK-NEXT:    arith.trunci %[[WIDE]] : i64 to i32
// CHECK:         %[[RE:.+]] = complex.re %[[C]]
// CHECK-NEXT:    %[[ANY_RE:.+]] = arith.cmpf une, %[[RE]], %{{.+}} : f64
// CHECK-NEXT:    %[[IM:.+]] = complex.im %[[C]]
// CHECK-NEXT:    %[[ANY_IM:.+]] = arith.cmpf une, %[[IM]], %{{.+}} : f64
// CHECK-NEXT:    arith.ori %[[ANY_RE]], %[[ANY_IM]] : i1
func.func @from_complex(%c: complex<f64>) -> (f32, i32, i1) {
  %0 = nacho.cast %c : complex<f64> to f32
  %1 = nacho.cast %c : complex<f64> to i32
  %2 = nacho.cast %c : complex<f64> to i1
  return %0, %1, %2 : f32, i32, i1
}

// Nothing is divided by 0, and -1 divides the least number as if it were 1.
//
// CHECK-LABEL: func.func @quotients(
// CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32, %[[U:.+]]: i32)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -2147483648 : i32
// CHECK-DAG:     %[[MINUS:.+]] = arith.constant -1 : i32
// CHECK:         %[[IS_ZERO:.+]] = arith.cmpi eq, %[[Y]], %[[ZERO]]
// CHECK:         %[[IS_MINUS:.+]] = arith.cmpi eq, %[[Y]], %[[MINUS]]
// CHECK:         %[[IS_LEAST:.+]] = arith.cmpi eq, %[[X]], %[[LEAST]]
// CHECK:         %[[OVERFLOWS:.+]] = arith.andi %[[IS_MINUS]], %[[IS_LEAST]]
// CHECK:         %[[IS_ONE:.+]] = arith.ori %[[IS_ZERO]], %[[OVERFLOWS]]
// CHECK:         %[[D:.+]] = arith.select %[[IS_ONE]], %[[ONE]], %[[Y]]
// CHECK:         %[[Q:.+]] = arith.divsi %[[X]], %[[D]]
// CHECK:         arith.select %[[IS_ZERO]], %[[ZERO]], %[[Q]]
// CHECK:         arith.remui %[[U]], %{{.+}} : i32
func.func @quotients(%x: i32, %y: i32, %u: i32) -> (i32, ui32) {
  %0 = nacho.binary quo %x, %y : i32
  %v = nacho.cast %u : i32 to ui32
  %1 = nacho.binary rem %v, %v : ui32
  return %0, %1 : i32, ui32
}

// What rounds down has the sign of the divisor; a remainder of C has that of the
// dividend.
//
// CHECK-LABEL: func.func @remainders(
// CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32, %[[P:.+]]: f32, %[[Q:.+]]: f32)
// CHECK:         %[[REST:.+]] = arith.remsi %[[X]], %{{.+}} : i32
// CHECK:         %[[BELOW:.+]] = arith.cmpi slt, %[[REST]], %{{.+}} : i32
// CHECK:         %[[DIVISOR_BELOW:.+]] = arith.cmpi slt, %[[Y]], %{{.+}} : i32
// CHECK-NEXT:    %[[OF_SIGN:.+]] = arith.xori %[[DIVISOR_BELOW]], %[[BELOW]]
// CHECK:         %[[SOME:.+]] = arith.cmpi ne, %[[REST]], %{{.+}} : i32
// CHECK-NEXT:    %[[DIFFERS:.+]] = arith.andi %[[SOME]], %[[OF_SIGN]]
// CHECK:         %[[MORE:.+]] = arith.addi %[[REST]], %[[Y]]
// CHECK-NEXT:    arith.select %[[DIFFERS]], %[[MORE]], %[[REST]]
// CHECK:         arith.remf %[[P]], %[[Q]] : f32
func.func @remainders(%x: i32, %y: i32, %p: f32, %q: f32) -> (i32, f32) {
  %0 = nacho.binary mod %x, %y : i32
  %1 = nacho.binary fmod %p, %q : f32
  return %0, %1 : i32, f32
}

// The sum of squares is that of numbers which are scaled to be near 1.
//
// CHECK-LABEL: func.func @hypotenuse(
// CHECK-SAME:    %[[X:.+]]: f32, %[[Y:.+]]: f32)
// CHECK:         %[[WIDE:.+]] = arith.extf %[[X]] : f32 to f64
// CHECK-NEXT:    %[[S:.+]] = math.absf %[[WIDE]] : f64
// CHECK:         %[[T:.+]] = math.absf %{{.+}} : f64
// CHECK-NEXT:    arith.maximumf %[[S]], %[[T]]
// CHECK-NEXT:    arith.minimumf %[[S]], %[[T]]
// CHECK:         %[[ROOT:.+]] = math.sqrt
// CHECK:         arith.mulf %[[ROOT]]
// CHECK:         arith.truncf %{{.+}} : f64 to f32
func.func @hypotenuse(%x: f32, %y: f32) -> f32 {
  %0 = nacho.binary hypot %x, %y : f32
  return %0 : f32
}

// Real numbers have parts, too.
//
// CHECK-LABEL: func.func @parts_of_real_numbers(
// CHECK-SAME:    %[[X:.+]]: f64)
// CHECK-NEXT:    %[[ZERO:.+]] = arith.constant 0.0{{.*}} : f64
// CHECK-NEXT:    return %[[X]], %[[ZERO]] : f64, f64
func.func @parts_of_real_numbers(%x: f64) -> (f64, f64) {
  %0 = nacho.unary conj %x : f64
  %1 = nacho.unary real %0 : f64
  %2 = nacho.unary imag %x : f64
  return %1, %2 : f64, f64
}

// A shift by a number of bits that is known needs no test.
//
// CHECK-LABEL: func.func @shifts(
// CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32)
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : i32
// CHECK-DAG:     %[[MOST:.+]] = arith.constant 31 : i32
// CHECK-DAG:     %[[WIDTH:.+]] = arith.constant 32 : i32
// CHECK:         arith.shli %[[X]], %[[THREE]] : i32
// CHECK:         %[[FITS:.+]] = arith.cmpi ult, %[[Y]], %[[WIDTH]]
// CHECK:         %[[AMOUNT:.+]] = arith.select %[[FITS]], %[[Y]], %[[MOST]]
// CHECK:         arith.shrsi %[[X]], %[[AMOUNT]] : i32
func.func @shifts(%x: i32, %y: i32) -> (i32, i32) {
  %three = arith.constant 3 : i32
  %0 = nacho.binary shl %x, %three : i32
  %1 = nacho.binary shr %x, %y : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @numbers_before_nan(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64)
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:         %[[S:.+]] = arith.select %[[NAN]], %[[Y]], %[[X]]
// CHECK:         %[[NAN:.+]] = arith.cmpf uno, %[[Y]], %[[Y]]
// CHECK:         %[[T:.+]] = arith.select %[[NAN]], %[[X]], %[[Y]]
// CHECK:         arith.minimumf %[[S]], %[[T]]
func.func @numbers_before_nan(%x: f64, %y: f64) -> f64 {
  %0 = nacho.binary minnum %x, %y : f64
  return %0 : f64
}

// CHECK-LABEL: func.func @parts_and_bits(
// CHECK-SAME:    %[[C:.+]]: complex<f64>)
// CHECK-DAG:     complex.re %[[C]]
// CHECK-DAG:     %[[IM:.+]] = complex.im %[[C]]
// CHECK:         arith.bitcast %[[IM]] : f64 to i64
func.func @parts_and_bits(%c: complex<f64>) -> (f64, ui64) {
  %0 = nacho.unary real %c : complex<f64>
  %1 = nacho.unary imag %c : complex<f64>
  %2 = nacho.bitcast %1 : f64 to ui64
  return %0, %2 : f64, ui64
}

// CHECK-LABEL: func.func @functions_and_parts(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64)
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.{{0+}}e+00 : f64
// CHECK-DAG:     %[[NO_HEIGHT:.+]] = arith.cmpf oeq, %[[X]], %{{.+}} : f64
// CHECK-DAG:     %[[NO_WIDTH:.+]] = arith.cmpf oeq, %[[Y]], %{{.+}} : f64
// CHECK:         %[[IS_ORIGIN:.+]] = arith.andi %[[NO_HEIGHT]], %[[NO_WIDTH]] : i1
// CHECK-NEXT:    %[[UNIT:.+]] = math.copysign %[[ONE]], %[[Y]] : f64
// CHECK-NEXT:    %[[WIDTH:.+]] = arith.select %[[IS_ORIGIN]], %[[UNIT]], %[[Y]] : f64
// CHECK-NEXT:    %[[ANGLE:.+]] = math.atan2 %[[X]], %[[WIDTH]] : f64
// CHECK-NEXT:    %[[ROOT:.+]] = math.cbrt %[[ANGLE]] : f64
// CHECK-NEXT:    %[[EVEN:.+]] = math.roundeven %[[ROOT]] : f64
// CHECK-NEXT:    complex.create %[[EVEN]], %[[Y]] : complex<f64>
func.func @functions_and_parts(%x: f64, %y: f64) -> complex<f64> {
  %0 = nacho.binary atan2 %x, %y : f64
  %1 = nacho.unary cbrt %0 : f64
  %2 = nacho.unary round %1 : f64
  %3 = nacho.complex %2, %y : f64
  return %3 : complex<f64>
}

// CHECK-LABEL: func.func @exponential_less_one(
// CHECK-SAME:    %[[C:.+]]: complex<f64>)
// CHECK-DAG:     %[[X:.+]] = complex.re %[[C]]
// CHECK-DAG:     %[[Y:.+]] = complex.im %[[C]]
// CHECK-DAG:     math.expm1 %[[X]]
// CHECK-DAG:     math.cos %[[Y]]
// CHECK:         complex.create
func.func @exponential_less_one(%c: complex<f64>) -> complex<f64> {
  %0 = nacho.unary expm1 %c : complex<f64>
  return %0 : complex<f64>
}

// A coordinate that follows from those of loops.

// CHECK-LABEL: func.func @derive(
// CHECK-SAME:    %[[M:.*]]: index, %[[K:.*]]: index, %[[EXTENT:.*]]: index)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK:         %[[ADDED:.*]] = arith.addi %[[M]], %[[THREE]] : index
// CHECK-NEXT:    %[[SUM:.*]] = arith.subi %[[ADDED]], %[[K]] : index
// CHECK-NEXT:    %[[I:.*]] = arith.divsi %[[SUM]], %[[TWO]] : index
// CHECK-NEXT:    %[[REST:.*]] = arith.remsi %[[SUM]], %[[TWO]] : index
// CHECK-NEXT:    %[[DIVIDES:.*]] = arith.cmpi eq, %[[REST]], %[[ZERO]] : index
// CHECK-NEXT:    %[[BELOW:.*]] = arith.cmpi ult, %[[I]], %[[EXTENT]] : index
// CHECK-NEXT:    %[[INSIDE:.*]] = arith.andi %[[DIVIDES]], %[[BELOW]] : i1
// CHECK-NEXT:    return %[[I]], %[[INSIDE]]
func.func @derive(%m: index, %k: index, %extent: index) -> (index, i1) {
  %i, %inside = nacho.derive (%m, %k) by [1, -1] plus 3 over 2 to %extent
  return %i, %inside : index, i1
}

// The number of a block: a remainder does not matter.

// CHECK-LABEL: func.func @derive_rounded(
// CHECK-SAME:    %[[I:.*]]: index, %[[EXTENT:.*]]: index)
// CHECK:         %[[BLOCK:.*]] = arith.divui %[[I]], %{{.*}} : index
// CHECK-NEXT:    %[[INSIDE:.*]] = arith.cmpi ult, %[[BLOCK]], %[[EXTENT]] : index
// CHECK-NEXT:    return %[[BLOCK]], %[[INSIDE]]
func.func @derive_rounded(%i: index, %extent: index) -> (index, i1) {
  %i0, %inside = nacho.derive (%i) by [1] plus 0 over 4 to %extent {rounds}
  return %i0, %inside : index, i1
}

// A divisor that is not known yet is at least 1.

// CHECK-LABEL: func.func @derive_by_stride(
// CHECK-SAME:    %[[M:.*]]: index, %[[STRIDE:.*]]: index, %[[EXTENT:.*]]: index)
// CHECK:         %[[LEAST:.*]] = arith.maxsi %[[STRIDE]], %{{.*}} : index
// CHECK-NEXT:    %[[I:.*]] = arith.divsi %[[M]], %[[LEAST]] : index
// CHECK-NEXT:    arith.remsi %[[M]], %[[LEAST]] : index
func.func @derive_by_stride(%m: index, %stride: index, %extent: index) -> (index, i1) {
  %i, %inside = nacho.derive (%m) by [1] plus 0 over 1 times %stride to %extent
  return %i, %inside : index, i1
}
