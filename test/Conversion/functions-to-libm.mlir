// RUN: nacho-opt %s -convert-nacho-functions-to-libm | FileCheck %s

// Each function is declared once.
//
// CHECK-DAG:   func.func private @csqrt(complex<f64>) -> complex<f64>
// CHECK-DAG:   func.func private @cabs(complex<f64>) -> f64
// CHECK-DAG:   func.func private @ctanh(complex<f64>) -> complex<f64>

// What is not a function stays, and so do functions of real numbers.
//
// CHECK-LABEL: func.func @negative(
// CHECK-NEXT:    complex.mul
// CHECK-NEXT:    math.sqrt
func.func @negative(%x: complex<f64>, %y: f64) -> (complex<f64>, f64) {
  %0 = complex.mul %x, %x : complex<f64>
  %1 = math.sqrt %y : f64
  return %0, %1 : complex<f64>, f64
}

// CHECK-LABEL: func.func @double(
// CHECK-SAME:    %[[X:.+]]: complex<f64>)
// CHECK-NEXT:    call @cabs(%[[X]]) : (complex<f64>) -> f64
// CHECK-NEXT:    %[[ROOT:.+]] = call @csqrt(%[[X]]) : (complex<f64>) -> complex<f64>
// CHECK-NEXT:    call @csqrt(%[[ROOT]])
// CHECK-NEXT:    call @cexp(%[[X]])
// CHECK-NEXT:    call @clog(%[[X]])
// CHECK-NEXT:    call @csin(%[[X]])
// CHECK-NEXT:    call @ccos(%[[X]])
// CHECK-NEXT:    call @ctanh(%[[X]])
func.func @double(%x: complex<f64>) -> f64 {
  %0 = nacho.unary abs %x : complex<f64>
  %1 = nacho.unary sqrt %x : complex<f64>
  %2 = nacho.unary sqrt %1 : complex<f64>
  %3 = nacho.unary exp %x : complex<f64>
  %4 = nacho.unary log %x : complex<f64>
  %5 = nacho.unary sin %x : complex<f64>
  %6 = nacho.unary cos %x : complex<f64>
  %7 = nacho.unary tanh %x : complex<f64>
  return %0 : f64
}

// Single precision is left only for the call.
//
// CHECK-LABEL: func.func @single(
// CHECK-SAME:    %[[X:.+]]: complex<f32>)
// CHECK:         %[[RE:.+]] = arith.extf %{{.+}} : f32 to f64
// CHECK:         %[[IM:.+]] = arith.extf %{{.+}} : f32 to f64
// CHECK:         %[[WIDE:.+]] = complex.create %[[RE]], %[[IM]] : complex<f64>
// CHECK-NEXT:    %[[SINE:.+]] = call @csin(%[[WIDE]])
// CHECK:         arith.truncf %{{.+}} : f64 to f32
// CHECK:         complex.create %{{.+}}, %{{.+}} : complex<f32>
// CHECK:         %[[SIZE:.+]] = call @cabs(%{{.+}}) : (complex<f64>) -> f64
// CHECK-NEXT:    arith.truncf %[[SIZE]] : f64 to f32
func.func @single(%x: complex<f32>) -> (complex<f32>, f32) {
  %0 = nacho.unary sin %x : complex<f32>
  %1 = nacho.unary abs %x : complex<f32>
  return %0, %1 : complex<f32>, f32
}

// Two functions of real numbers, which MLIR would compute from others.
//
// CHECK-LABEL: func.func @small_numbers(
// CHECK-SAME:    %[[X:.+]]: f64, %[[Y:.+]]: f32)
// CHECK-NEXT:    call @expm1(%[[X]]) : (f64) -> f64
// CHECK-NEXT:    %[[WIDE:.+]] = arith.extf %[[Y]] : f32 to f64
// CHECK-NEXT:    %[[LOG:.+]] = call @log1p(%[[WIDE]]) : (f64) -> f64
// CHECK-NEXT:    arith.truncf %[[LOG]] : f64 to f32
func.func @small_numbers(%x: f64, %y: f32) -> (f64, f32) {
  %0 = math.expm1 %x : f64
  %1 = math.log1p %y : f32
  return %0, %1 : f64, f32
}

// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[X:.+]]: vector<2xf64>)
// CHECK-NEXT:    %[[FIRST:.+]] = vector.extract %[[X]][0]
// CHECK-NEXT:    %[[LOG:.+]] = call @log1p(%[[FIRST]])
// CHECK-NEXT:    %[[ONE:.+]] = vector.insert %[[LOG]], %[[X]] [0]
// CHECK-NEXT:    %[[SECOND:.+]] = vector.extract %[[X]][1]
// CHECK-NEXT:    %[[LOG2:.+]] = call @log1p(%[[SECOND]])
// CHECK-NEXT:    %[[BOTH:.+]] = vector.insert %[[LOG2]], %[[ONE]] [1]
// CHECK-NEXT:    return %[[BOTH]]
func.func @vectors(%x: vector<2xf64>) -> vector<2xf64> {
  %0 = math.log1p %x : vector<2xf64>
  return %0 : vector<2xf64>
}
