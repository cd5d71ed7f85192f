// RUN: nacho-opt %s | FileCheck %s
// RUN: nacho-opt %s | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | nacho-opt | FileCheck %s
// RUN: nacho-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: nacho-opt %s -canonicalize | FileCheck %s --check-prefix=ISOLATED

#CSR = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d1 : dense, d0 : compressed), posWidth = 64, crdWidth = 32 }>
#List = #sparse_tensor.encoding<{
  map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>

// CHECK: #[[CSR:[^ ]+]] = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed)

// The names of the indices survive, those of the elements need not.
//
// GENERIC: "nacho.assign"
// GENERIC-SAME{LITERAL}: accesses = [["i", "j"], ["i", "j"]], collect = #nacho.collect<in_order>, operandSegmentSizes = array<i32: 2, 0>, resultAccess = ["i", "j"]
//
// CHECK-LABEL: func.func @matrices(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x?xf64, #[[CSR]]>,
// CHECK-SAME:    %[[B:[^ ]+]]: tensor<?x?xf64, #[[CSR]]>)
// CHECK:         %[[Z:.+]] = nacho.assign
// CHECK-SAME:      (%[[a:[^ ]+]] = %[[A]][i, j] : tensor<?x?xf64, #[[CSR]]>,
// CHECK-SAME:       %[[b:[^ ]+]] = %[[B]][i, j] : tensor<?x?xf64, #[[CSR]]>)
// CHECK-SAME:      -> [i, j] : tensor<?x?xf64, #[[CSR]]> {
// CHECK-NEXT:      %[[SUM:.+]] = nacho.binary add %[[a]], %[[b]] : f64
// CHECK-NEXT:      nacho.yield %[[SUM]] : f64
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Z]]
func.func @matrices(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #CSR>,
                     %b = %B[i, j] : tensor<?x?xf64, #CSR>)
      -> [i, j] : tensor<?x?xf64, #CSR> {
    %sum = nacho.binary add %a, %b : f64
    nacho.yield %sum : f64
  }
  return %Z : tensor<?x?xf64, #CSR>
}

// An index is any identifier; a transposed access and one of a scalar, which
// has no index; another element type than that of the result.
//
// CHECK-LABEL: func.func @accesses(
// CHECK:         nacho.assign
// CHECK-SAME:      = %{{.+}}[row, col_2] : tensor<3x?xf32, #[[CSR]]>
// CHECK-SAME:      = %{{.+}}[col_2, row] : tensor<?x3xf32,
// CHECK-SAME:      = %{{.+}}[] : tensor<f32>) -> [row, col_2] : tensor<3x?xf64, #[[CSR]]> {
func.func @accesses(%A: tensor<3x?xf32, #CSR>, %B: tensor<?x3xf32, #CSC>,
                    %s: tensor<f32>) -> tensor<3x?xf64, #CSR> {
  %Z = nacho.assign (%a = %A[row, col_2] : tensor<3x?xf32, #CSR>,
                     %b = %B[col_2, row] : tensor<?x3xf32, #CSC>,
                     %f = %s[] : tensor<f32>)
      -> [row, col_2] : tensor<3x?xf64, #CSR> {
    %0 = nacho.binary mul %a, %b : f32
    %1 = nacho.binary mul %f, %0 : f32
    %2 = nacho.cast %1 : f32 to f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<3x?xf64, #CSR>
}

// No operands and a result without indices. A literal stays where it is: the body
// is isolated from what is around it.
//
// ISOLATED-LABEL: func.func @nothing(
// ISOLATED-NEXT:    nacho.assign
// ISOLATED-NEXT:      arith.constant
//
// CHECK-LABEL: func.func @nothing(
// CHECK:         nacho.assign () -> [] : tensor<f64> {
// CHECK:         } {note = "kept"}
func.func @nothing() -> tensor<f64> {
  %Z = nacho.assign () -> [] : tensor<f64> {
    %0 = arith.constant 1.0 : f64
    nacho.yield %0 : f64
  } {note = "kept"}
  return %Z : tensor<f64>
}

// Reductions over one index and over several; a sum of them, and of what is not
// reduced.
//
// CHECK-LABEL: func.func @reductions(
// CHECK:         nacho.assign (%[[a:[^ ]+]] = %{{[^ ]+}}[i, j, k] : tensor<?x?x?xf64>, %[[b:[^ ]+]] = %{{[^ ]+}}[i] : tensor<?xf64>) -> [i] : tensor<?xf64> {
// CHECK-NEXT:      %[[MAX:.+]] = nacho.reduce max %[[a]] over [k] : f64
// CHECK-NEXT:      %[[ONE:.+]] = nacho.reduce add %[[MAX]] over [j] : f64
// CHECK-NEXT:      %[[BOTH:.+]] = nacho.reduce mul %[[a]] over [k, j] {note = "kept"} : f64
// CHECK-NEXT:      %[[NONE:.+]] = nacho.reduce min %[[b]] over [] : f64
// CHECK-NEXT:      %[[SUM:.+]] = nacho.binary add %[[ONE]], %[[BOTH]] : f64
// CHECK-NEXT:      %[[z:.+]] = nacho.binary add %[[SUM]], %[[NONE]] : f64
// CHECK-NEXT:      nacho.yield %[[z]] : f64
//
// GENERIC-LABEL: sym_name = "reductions"
// GENERIC:         "nacho.reduce"({{.+}}) <{indices = ["k"], monoid = #nacho<monoid max>}>
// GENERIC:         "nacho.reduce"({{.+}}) <{indices = ["j"], monoid = #nacho<monoid add>}>
// GENERIC:         "nacho.reduce"({{.+}}) <{indices = ["k", "j"], monoid = #nacho<monoid mul>}>
func.func @reductions(%A: tensor<?x?x?xf64>, %B: tensor<?xf64>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %A[i, j, k] : tensor<?x?x?xf64>, %b = %B[i] : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    %0 = nacho.reduce max %a over [k] : f64
    %1 = nacho.reduce add %0 over [j] : f64
    %2 = nacho.reduce mul %a over [k, j] {note = "kept"} : f64
    %3 = nacho.reduce min %b over [] : f64
    %4 = nacho.binary add %1, %2 : f64
    %5 = nacho.binary add %4, %3 : f64
    nacho.yield %5 : f64
  }
  return %Z : tensor<?xf64>
}

// A tensor to start from, which binds the indices of the result: also one that no
// operand has.
//
// CHECK-LABEL: func.func @init(
// CHECK-SAME:    %[[s:[^ ]+]]: tensor<f64>, %[[Y:[^ ]+]]: tensor<?xf64>)
// CHECK-NEXT:    nacho.assign (%[[a:[^ ]+]] = %[[s]][] : tensor<f64>) init(%[[Y]] : tensor<?xf64>) -> [i] : tensor<?xf64> {
//
// GENERIC-LABEL: sym_name = "init"
// GENERIC:         operandSegmentSizes = array<i32: 1, 1>
func.func @init(%s: tensor<f64>, %Y: tensor<?xf64>) -> tensor<?xf64> {
  %Z = nacho.assign (%a = %s[] : tensor<f64>) init(%Y : tensor<?xf64>)
      -> [i] : tensor<?xf64> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64>
}

// The index arrays of the tensor to start from may have other widths than the result's.
//
// CHECK-LABEL: func.func @init_of_other_widths(
// CHECK:         nacho.assign ({{.*}}) init(%{{.+}} : tensor<?xf64, #[[WIDE:.+]]>) -> [i] : tensor<?xf64, #{{.+}}> {
#narrow = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 32, crdWidth = 32 }>
#wide = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), posWidth = 64, crdWidth = 64 }>
func.func @init_of_other_widths(%s: tensor<f64>, %Y: tensor<?xf64, #wide>)
    -> tensor<?xf64, #narrow> {
  %Z = nacho.assign (%a = %s[] : tensor<f64>) init(%Y : tensor<?xf64, #wide>)
      -> [i] : tensor<?xf64, #narrow> {
    nacho.yield %a : f64
  }
  return %Z : tensor<?xf64, #narrow>
}

// Lists: of all that is at the coordinates, or of a sum over i for every part. The parts
// have an index that is no operand's.
//
// GENERIC-LABEL: sym_name = "lists"
// GENERIC:         "nacho.assign"({{.+}}collect = #nacho.collect<part_sums>, {{.*}}order = ["i", "j"], resultAccess = ["j", "part"]}>
//
// CHECK-LABEL: func.func @lists(
// CHECK-SAME:    %[[A:[^ ]+]]: tensor<?x4xf64, #[[CSR]]>)
// CHECK:         nacho.assign collect<sorted_list> (%{{.+}} = %[[A]][i, j] : {{.+}}) -> [j, i] : tensor<4x?xf64, #{{.+}}> {
// CHECK:         }
// CHECK:         nacho.assign collect<part_sums> (%{{.+}} = %[[A]][i, j] : {{.+}}) -> [j, part] : tensor<4x?xf64, #{{.+}}> {
// CHECK:         } {note = "kept", order = ["i", "j"]}
func.func @lists(%A: tensor<?x4xf64, #CSR>) {
  %T = nacho.assign collect<sorted_list> (%a = %A[i, j] : tensor<?x4xf64, #CSR>) -> [j, i] : tensor<4x?xf64, #List> {
    nacho.yield %a : f64
  }
  %E = nacho.assign collect<part_sums> (%a = %A[i, j] : tensor<?x4xf64, #CSR>) -> [j, part] : tensor<4x?xf64, #List> {
    nacho.yield %a : f64
  } {order = ["i", "j"], note = "kept"}
  return
}

// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[X:.+]]: ui8, %[[P:.+]]: i1)
// CHECK-NEXT:    %[[C:.+]] = nacho.cast %[[X]] : ui8 to complex<f64>
// CHECK-NEXT:    nacho.cast %[[C]] {note = "kept"} : complex<f64> to f32
// CHECK-NEXT:    nacho.cast %[[P]] : i1 to i64
func.func @casts(%x: ui8, %p: i1) {
  %0 = nacho.cast %x : ui8 to complex<f64>
  %1 = nacho.cast %0 {note = "kept"} : complex<f64> to f32
  %2 = nacho.cast %p : i1 to i64
  return
}

// CHECK-LABEL: func.func @operators(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f64, %[[H:.+]]: f16)
// CHECK-NEXT:    %[[ADD:.+]] = nacho.binary add %[[X]], %[[Y]] : f64
// CHECK-NEXT:    %[[SUB:.+]] = nacho.binary sub %[[ADD]], %[[Y]] : f64
// CHECK-NEXT:    %[[MUL:.+]] = nacho.binary mul %[[SUB]], %[[X]] {note = "kept"} : f64
// CHECK-NEXT:    %[[MIN:.+]] = nacho.binary min %[[MUL]], %[[X]] reassociable : f64
// CHECK-NEXT:    %[[MAX:.+]] = nacho.binary max %[[MIN]], %[[Y]] reassociable {note = "kept"} : f64
// CHECK-NEXT:    %[[NEG:.+]] = nacho.unary neg %[[MAX]] : f64
// CHECK-NEXT:    %[[HALF:.+]] = nacho.unary neg %[[H]] : f16
// CHECK-NEXT:    return %[[NEG]], %[[HALF]]
//
// GENERIC-LABEL: sym_name = "operators"
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind add>}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind sub>}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind mul>}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind min>, reassociable}>
// GENERIC:         "nacho.binary"({{.+}}) <{kind = #nacho<binary_kind max>, reassociable}>
// GENERIC:         "nacho.unary"({{.+}}) <{kind = #nacho<unary_kind neg>}>
func.func @operators(%x: f64, %y: f64, %h: f16) -> (f64, f16) {
  %0 = nacho.binary add %x, %y : f64
  %1 = nacho.binary sub %0, %y : f64
  %2 = nacho.binary mul %1, %x {note = "kept"} : f64
  %3 = nacho.binary min %2, %x reassociable : f64
  %4 = nacho.binary max %3, %y reassociable {note = "kept"} : f64
  %5 = nacho.unary neg %4 : f64
  %6 = nacho.unary neg %h : f16
  return %5, %6 : f64, f16
}

// Functions; the absolute value of a complex number is real.
//
// CHECK-LABEL: func.func @functions(
// CHECK-SAME:    %[[X:.+]]: f64, %[[C:.+]]: complex<f32>, %[[N:.+]]: ui8)
// CHECK-NEXT:    nacho.binary div %[[X]], %[[X]] : f64
// CHECK-NEXT:    nacho.binary div %[[C]], %[[C]] : complex<f32>
// CHECK-NEXT:    %[[SIZE:.+]] = nacho.unary abs %[[C]] : complex<f32>
// CHECK-NEXT:    nacho.unary sqrt %[[SIZE]] : f32
// CHECK-NEXT:    nacho.unary exp %[[X]] : f64
// CHECK-NEXT:    nacho.unary log %[[X]] {note = "kept"} : f64
// CHECK-NEXT:    nacho.unary sin %[[C]] : complex<f32>
// CHECK-NEXT:    nacho.unary cos %[[X]] : f64
// CHECK-NEXT:    nacho.unary tanh %[[C]] : complex<f32>
// CHECK-NEXT:    nacho.unary abs %[[N]] : ui8
//
// GENERIC-LABEL: sym_name = "functions"
// GENERIC:         "nacho.unary"({{.+}}) <{kind = #nacho<unary_kind abs>}> : (complex<f32>) -> f32
func.func @functions(%x: f64, %c: complex<f32>, %n: ui8) {
  %0 = nacho.binary div %x, %x : f64
  %1 = nacho.binary div %c, %c : complex<f32>
  %2 = nacho.unary abs %c : complex<f32>
  %3 = nacho.unary sqrt %2 : f32
  %4 = nacho.unary exp %x : f64
  %5 = nacho.unary log %x {note = "kept"} : f64
  %6 = nacho.unary sin %c : complex<f32>
  %7 = nacho.unary cos %x : f64
  %8 = nacho.unary tanh %c : complex<f32>
  %9 = nacho.unary abs %n : ui8
  return
}

// CHECK-LABEL: func.func @choices(
// CHECK-SAME:    %[[X:.+]]: f64, %[[N:.+]]: ui8, %[[C:.+]]: complex<f64>)
// CHECK-NEXT:    %[[LT:.+]] = nacho.compare lt %[[X]], %[[X]] : f64
// CHECK-NEXT:    %[[LE:.+]] = nacho.compare le %[[N]], %[[N]] : ui8
// CHECK-NEXT:    nacho.compare gt %[[LT]], %[[LE]] : i1
// CHECK-NEXT:    nacho.compare ge %[[X]], %[[X]] {note = "kept"} : f64
// CHECK-NEXT:    %[[EQ:.+]] = nacho.compare eq %[[C]], %[[C]] : complex<f64>
// CHECK-NEXT:    nacho.compare ne %[[C]], %[[C]] : complex<f64>
// CHECK-NEXT:    nacho.select %[[EQ]], %[[N]], %[[N]] : ui8
// CHECK-NEXT:    nacho.select %[[EQ]], %[[C]], %[[C]] {note = "kept"} : complex<f64>
//
// GENERIC-LABEL: sym_name = "choices"
// GENERIC:         "nacho.compare"({{.+}}) <{kind = #nacho<compare_kind lt>}> : (f64, f64) -> i1
func.func @choices(%x: f64, %n: ui8, %c: complex<f64>) {
  %0 = nacho.compare lt %x, %x : f64
  %1 = nacho.compare le %n, %n : ui8
  %2 = nacho.compare gt %0, %1 : i1
  %3 = nacho.compare ge %x, %x {note = "kept"} : f64
  %4 = nacho.compare eq %c, %c : complex<f64>
  %5 = nacho.compare ne %c, %c : complex<f64>
  %6 = nacho.select %4, %n, %n : ui8
  %7 = nacho.select %4, %c, %c {note = "kept"} : complex<f64>
  return
}
