// RUN: nacho-opt %s -nacho-concretize | FileCheck %s

#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>

// Loops over entries of both operands imply the condition: nothing is asked.
//
// CHECK-LABEL: func.func @implied(
// CHECK:         nacho.coiterate %{{.+}} of {{.+}} in intersect(
// CHECK:           nacho.append %{{[^ ]+}} at(%{{[^ ]+}}) : f64
func.func @implied(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>)
    -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %0 = nacho.stored %a : f64
    %1 = nacho.stored %b : f64
    %2 = nacho.binary andbits %0, %1 : i1
    %3 = nacho.binary add %a, %b : f64
    %4 = nacho.keep %3 if %2 : f64
    nacho.yield %4 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// A condition on values is asked at every entry.
//
// CHECK-LABEL: func.func @by_value(
// CHECK:         nacho.coiterate %{{.+}} of (%[[A1:.+]] = %{{.+}} : {{.+}}) in %[[A1]]
// CHECK:           %[[A:.+]] = nacho.load %[[A1]]
// CHECK:           %[[POSITIVE:.+]] = nacho.compare gt %[[A]], %{{.+}} : f64
// CHECK:           nacho.append %[[A]] at(%{{.+}}) if %[[POSITIVE]] : f64
func.func @by_value(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xf64, #SV> {
    %zero = arith.constant 0.0 : f64
    %0 = nacho.compare gt %a, %zero : f64
    %1 = nacho.keep %a if %0 : f64
    nacho.yield %1 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// Where an operand is not stored, the loop visits all coordinates.
//
// CHECK-LABEL: func.func @complement(
// CHECK:         nacho.coiterate %{{.+}} of (%[[A1:.+]] = %{{.+}} : {{.+}}) in intersect()
// CHECK:           %[[STORED:.+]] = nacho.restrict %true to %[[A1]]
// CHECK:           %[[NOT:.+]] = nacho.unary notbits %[[STORED]] : i1
// CHECK:           nacho.append %{{.+}} at(%{{.+}}) if %[[NOT]] : f64
func.func @complement(%A: tensor<?xf64, #SV>) -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [i] : tensor<?xf64, #SV> {
    %one = arith.constant 1.0 : f64
    %0 = nacho.stored %a : f64
    %1 = nacho.unary notbits %0 : i1
    %2 = nacho.keep %one if %1 : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// An element that another operator takes is 0 where it is not kept.
//
// CHECK-LABEL: func.func @operand(
// CHECK:           %[[POSITIVE:.+]] = nacho.compare gt %[[A:.+]], %{{.+}} : f64
// CHECK:           %[[KEPT:.+]] = arith.select %[[POSITIVE]], %[[A]], %{{.+}} : f64
// CHECK:           %[[SUM:.+]] = nacho.binary add %[[KEPT]], %{{.+}} : f64
// CHECK:           nacho.append %[[SUM]] at(%{{.+}}) : f64
func.func @operand(%A: tensor<?xf64, #SV>, %B: tensor<?xf64, #SV>)
    -> tensor<?xf64, #SV> {
  %Z = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>, %b = %B[i] : tensor<?xf64, #SV>)
      -> [i] : tensor<?xf64, #SV> {
    %zero = arith.constant 0.0 : f64
    %0 = nacho.compare gt %a, %zero : f64
    %1 = nacho.keep %a if %0 : f64
    %2 = nacho.binary add %1, %b : f64
    nacho.yield %2 : f64
  }
  return %Z : tensor<?xf64, #SV>
}

// A reduction takes what is kept only.
//
// CHECK-LABEL: func.func @reduced(
// CHECK:         nacho.nest reduce min stored
// CHECK:           nacho.append %[[A:.+]] at() if %{{.+}} : f64
func.func @reduced(%A: tensor<?xf64, #SV>) -> tensor<f64> {
  %y = nacho.assign (%a = %A[i] : tensor<?xf64, #SV>) -> [] : tensor<f64> {
    %zero = arith.constant 0.0 : f64
    %0 = nacho.compare gt %a, %zero : f64
    %1 = nacho.keep %a if %0 : f64
    %2 = nacho.reduce min stored %1 over [i] : f64
    nacho.yield %2 : f64
  }
  return %y : tensor<f64>
}
