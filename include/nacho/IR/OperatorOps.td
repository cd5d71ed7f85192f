//===- OperatorOps.td - Operators on single elements ------*- tablegen -*-===//
//
// The operators of Operators.td as operations. Statements have them, and the loops
// that come of statements.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_OPERATOR_OPS
#define NACHO_IR_OPERATOR_OPS

include "nacho/IR/NachoAttrs.td"

def Nacho_BinaryOp : Nacho_Op<"binary", [Pure, SameOperandsAndResultType]> {
  let summary = "a binary operator of the notation on two elements";
  let description = [{
    Integers wrap around; on booleans `add` is "or" and `mul` is "and". `div` needs
    floating-point or complex numbers; `quo` and `rem` are the quotient of integers,
    rounded towards 0, and what remains: both are 0 if the divisor is. `min` and `max` give NaN if an operand is NaN,
    and the second operand if both are equal; as in NumPy, -0 equals +0. The operators
    of a reduction may be `reassociable`: the compiler chooses their order, and `min`
    and `max` treat -0 as less than +0 so that every order gives the same result.

    ```mlir
    func.func @f(%a: f64, %b: f64) -> f64 {
      %0 = nacho.binary mul %a, %b : f64
      return %0 : f64
    }
    ```
  }];
  let arguments = (ins Nacho_BinaryKindAttr:$kind, Nacho_Element:$lhs,
                       Nacho_Element:$rhs, UnitAttr:$reassociable);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = [{
    `` $kind $lhs `,` $rhs (`reassociable` $reassociable^)? attr-dict
    `:` type($result)
  }];
  let extraClassDeclaration = [{
    /// Creates an operator whose operands may change places: `min` and `max` of
    /// floating-point numbers become `reassociable`, and so treat -0 as less than +0.
    static ::nacho::BinaryOp createCommutative(::mlir::ImplicitLocOpBuilder &b,
                                               ::nacho::BinaryKind kind,
                                               ::mlir::Value lhs, ::mlir::Value rhs);
  }];
  let hasVerifier = 1;
}

def Nacho_UnaryOp : Nacho_Op<"unary", [Pure, InferTypeOpAdaptor]> {
  let summary = "a unary operator of the notation on an element";
  let description = [{
    `neg` and `abs` are defined on all numbers. The absolute value of a complex number
    is real; the absolute value of the smallest integer wraps around. `real` and `imag`
    need complex numbers; the other operators need floating-point or complex numbers.

    ```mlir
    func.func @f(%a: f32, %c: complex<f64>) -> (f32, f64) {
      %0 = nacho.unary tanh %a : f32
      %1 = nacho.unary abs %c : complex<f64>
      return %0, %1 : f32, f64
    }
    ```
  }];
  let arguments = (ins Nacho_UnaryKindAttr:$kind, Nacho_Element:$arg);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = "`` $kind $arg attr-dict `:` type($arg)";
  let hasVerifier = 1;
}

def Nacho_CompareOp : Nacho_Op<"compare", [Pure, SameTypeOperands]> {
  let summary = "a comparison of two elements";
  let description = [{
    False is less than true. A NaN is equal to nothing, not even to itself. Complex
    numbers can be compared for equality only.

    ```mlir
    func.func @f(%a: f64, %b: f64) -> i1 {
      %0 = nacho.compare le %a, %b : f64
      return %0 : i1
    }
    ```
  }];
  let arguments = (ins Nacho_CompareKindAttr:$kind, Nacho_Element:$lhs,
                       Nacho_Element:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasVerifier = 1;
}

def Nacho_SelectOp : Nacho_Op<"select", [
    Pure, AllTypesMatch<["onTrue", "onFalse", "result"]>]> {
  let summary = "one element or another";
  let description = [{
    ```mlir
    func.func @f(%c: i1, %a: f64, %b: f64) -> f64 {
      %0 = nacho.select %c, %a, %b : f64
      return %0 : f64
    }
    ```
  }];
  let arguments = (ins I1:$condition, Nacho_Element:$onTrue,
                       Nacho_Element:$onFalse);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = [{
    $condition `,` $onTrue `,` $onFalse attr-dict `:` type($result)
  }];
}

def Nacho_BitcastOp : Nacho_Op<"bitcast", [Pure]> {
  let summary = "the bits of an element as an element of another type";
  let description = [{
    Both types are of integers or floating-point numbers, and have the same width.

    ```mlir
    func.func @f(%a: f32) -> i32 {
      %0 = nacho.bitcast %a : f32 to i32
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins Nacho_Element:$arg);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = "$arg attr-dict `:` type($arg) `to` type($result)";
  let hasVerifier = 1;
}

def Nacho_ComplexOp : Nacho_Op<"complex", [
    Pure, AllTypesMatch<["re", "im"]>,
    TypesMatchWith<"the parts of the result have the type of the operands", "re",
                   "result", "::mlir::ComplexType::get($_self)">]> {
  let summary = "a complex number of its parts";
  let description = [{
    ```mlir
    func.func @f(%a: f64, %b: f64) -> complex<f64> {
      %0 = nacho.complex %a, %b : f64
      return %0 : complex<f64>
    }
    ```
  }];
  let arguments = (ins AnyFloat:$re, AnyFloat:$im);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = "$re `,` $im attr-dict `:` type($re)";
}

def Nacho_CastOp : Nacho_Op<"cast", [Pure]> {
  let summary = "an element as one of another type, as NumPy's astype";
  let description = [{
    ```mlir
    func.func @f(%a: ui8) -> complex<f64> {
      %0 = nacho.cast %a : ui8 to complex<f64>
      return %0 : complex<f64>
    }
    ```
  }];
  let arguments = (ins Nacho_Element:$arg);
  let results = (outs Nacho_Element:$result);
  let assemblyFormat = "$arg attr-dict `:` type($arg) `to` type($result)";
}

#endif // NACHO_IR_OPERATOR_OPS
