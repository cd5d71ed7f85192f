//===- UnaryOperators.td - Operators on one element --------*- tablegen -*-===//
//
// Included by Operators.td, which says what the fields mean.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_UNARY_OPERATORS
#define NACHO_IR_UNARY_OPERATORS

class UnaryOperator<string operatorName>
    : Operator<operatorName, "unary", 1>, Computed<"double x", "double">, LoweredTo {
  code kind = "UnaryKind::" # operatorName;
  let value = "std::" # operatorName # "(x)";

  // The result for a complex number is real.
  bit givesReal = false;

  // The function of C that computes the operator on complex numbers.
  string libm = "";
}

// f(x) of floating-point and complex numbers, where MLIR has math.f, and C has cf.
class FractionalFunction<string operatorName, string what>
    : UnaryOperator<operatorName> {
  let function = operatorName;
  let summary = what;
  let isFractional = true;
  let floatOp = "math." # operatorName;
  let complexOp = "complex." # operatorName;
  let libm = "c" # operatorName;
}

def Neg : UnaryOperator<"neg"> {
  let spelling = "-";
  let grammar = "sign";
  let noun = "negative";
  let numpy = "negative";
  let refusesBools = true;
  let value = "-x";
  let floatOp = "arith.negf";
  let complexOp = "complex.neg";
}

def Abs : UnaryOperator<"abs"> {
  let numpy = "absolute";
  let givesReal = true;
  let floatOp = "math.absf";
  let signedOp = "math.absi";
  let complexOp = "complex.abs";
  let libm = "cabs";
}

def Sqrt : FractionalFunction<"sqrt", "the square root of an expression">;
def Exp : FractionalFunction<
    "exp", "the exponential of an expression: 1 where it is 0">;
def Log : FractionalFunction<"log", "the natural logarithm of an expression">;
def Sin : FractionalFunction<"sin", "the sine of an expression">;
def Cos : FractionalFunction<
    "cos", "the cosine of an expression: 1 where it is 0">;
def Tan : FractionalFunction<"tan", "the tangent of an expression">;
def Tanh : FractionalFunction<"tanh", "the hyperbolic tangent of an expression">;

// MLIR has no such ops on complex numbers, but C has the functions.
let complexOp = "" in {
def Sinh : FractionalFunction<"sinh", "the hyperbolic sine of an expression">;
def Cosh : FractionalFunction<
    "cosh", "the hyperbolic cosine of an expression: 1 where it is 0">;
def Asin : FractionalFunction<"asin", "the inverse sine of an expression"> {
  let numpy = "arcsin";
}
def Acos : FractionalFunction<
    "acos", "the inverse cosine of an expression: pi / 2 where it is 0"> {
  let numpy = "arccos";
}
def Atan : FractionalFunction<"atan", "the inverse tangent of an expression"> {
  let numpy = "arctan";
}
def Asinh : FractionalFunction<
    "asinh", "the inverse hyperbolic sine of an expression"> {
  let numpy = "arcsinh";
}
def Acosh : FractionalFunction<
    "acosh", "the inverse hyperbolic cosine of an expression, which is not below 1"> {
  let numpy = "arccosh";
}
def Atanh : FractionalFunction<
    "atanh", "the inverse hyperbolic tangent of an expression"> {
  let numpy = "arctanh";
}
}

// C has no such functions of complex numbers.
let libm = "" in {
def Log1p : FractionalFunction<
    "log1p", "the natural logarithm of 1 more than an expression">;
def Expm1 : FractionalFunction<
    "expm1", "1 less than the exponential of an expression">;
}

// f(x) of real numbers only, where MLIR has math.f.
class RealFunction<string operatorName, string what>
    : FractionalFunction<operatorName, what> {
  let needsOrder = true;
  let complexOp = "";
  let libm = "";
}

def Cbrt : RealFunction<"cbrt", "the cube root of an expression">;
def Exp2 : RealFunction<
    "exp2", "2 to the power of an expression: 1 where it is 0">;
def Log2 : RealFunction<"log2", "the logarithm of an expression to the base 2">;
def Log10 : RealFunction<"log10", "the logarithm of an expression to the base 10">;

// Functions without a notation: NumPy has none of them.
let spelling = "" in {
def Erf : RealFunction<"erf", "the error function of an expression">;
def Erfc : RealFunction<
    "erfc", "1 less the error function of an expression: 1 where it is 0">;
// Halves are rounded away from 0.
def RoundAway : RealFunction<
    "roundaway", "the integer that is nearest to an expression"> {
  let value = "std::round(x)";
  let floatOp = "math.round";
}
def Rsqrt : RealFunction<"rsqrt", "1 over the square root of an expression"> {
  let value = "1 / std::sqrt(x)";
}
}

// Integers stay as they are.
let isFractional = false in {
def Trunc : RealFunction<"trunc", "the integer part of an expression">;
def Floor : RealFunction<
    "floor", "the largest integer that is not more than an expression">;
def Ceil : RealFunction<
    "ceil", "the smallest integer that is not less than an expression">;
// Halves are rounded to even integers. Python's own function rounds expressions.
def Round : RealFunction<"round", ""> {
  let function = "";
  let value = "std::nearbyint(x)";
  let floatOp = "math.roundeven";
}
}

// Of complex numbers. A real number is its own conjugate and real part.
class PartFunction<string operatorName, string what, string mlirOp>
    : UnaryOperator<operatorName> {
  let function = operatorName;
  let summary = what;
  let complexOp = mlirOp;
  let value = "x";
}

def Conj : PartFunction<
    "conj", "the complex conjugate of an expression", "complex.conj">;
let givesReal = true in {
def Real : PartFunction<"real", "the real part of an expression", "complex.re">;
def Imag : PartFunction<
    "imag", "the imaginary part of an expression", "complex.im"> {
  let value = "0";
}
}

def NotBits : UnaryOperator<"notbits"> {
  let spelling = "~";
  let grammar = "not";
  let numpy = "invert";
  let isIntegral = true;
  let value = "double(~int64_t(x))";
}

def UnaryOperators : GenericTable {
  let FilterClass = "UnaryOperator";
  let Fields = ["kind", "name", "needsOrder", "isFractional", "isIntegral",
                "givesReal", "floatOp", "signedOp", "unsignedOp", "boolOp", "complexOp", "libm",
                "compute"];
  string TypeOf_kind = "code";
  string TypeOf_compute = "code";
}

#endif // NACHO_IR_UNARY_OPERATORS
