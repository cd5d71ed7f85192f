//===- BinaryOperators.td - Operators on two elements ------*- tablegen -*-===//
//
// Included by Operators.td, which says what the fields mean.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_BINARY_OPERATORS
#define NACHO_IR_BINARY_OPERATORS

class BinaryOperator<string operatorName>
    : Operator<operatorName, "binary", 2>, Computed<"double x, double y", "double">,
      LoweredTo {
  code kind = "BinaryKind::" # operatorName;

  // The operand that makes the result 0 where it is absent, whatever the other one
  // is: "none", "either", or the "dividend".
  string annihilator = "none";
  code annihilatorCase = "Annihilator::" # annihilator;

  // The start of a reduction: "zero", "one", all "bits", the "largest" or "smallest"
  // number of a type, or "nan"; "none" for an operator that does not reduce.
  string identity = "none";
  code identityCase = "Identity::" # identity;

  // The notation of a reduction by the operator: `sum` in sum(j, A[i,j]). It is
  // empty for an operator by which the notation does not reduce.
  string reduces = "";

  // The operator that this one is replaced by when it reduces bools. On bools, add
  // is "or" and mul is "and".
  string boolReduction = operatorName;
}

def Add : BinaryOperator<"add"> {
  let spelling = "+";
  let grammar = "sum";
  let identity = "zero";
  let reduces = "sum";
  let value = "x + y";
  let floatOp = "arith.addf";
  let signedOp = "arith.addi";
  let unsignedOp = "arith.addi";
  let boolOp = "arith.ori";
  let complexOp = "complex.add";
}

def Sub : BinaryOperator<"sub"> {
  let spelling = "-";
  let grammar = "sum";
  let noun = "difference";
  let numpy = "subtract";
  let refusesBools = true;
  let value = "x - y";
  let floatOp = "arith.subf";
  let signedOp = "arith.subi";
  let unsignedOp = "arith.subi";
  let boolOp = "arith.subi";
  let complexOp = "complex.sub";
}

def Mul : BinaryOperator<"mul"> {
  let spelling = "*";
  let grammar = "product";
  let numpy = "multiply";
  let annihilator = "either";
  let identity = "one";
  let reduces = "prod";
  let value = "x * y";
  let floatOp = "arith.mulf";
  let signedOp = "arith.muli";
  let unsignedOp = "arith.muli";
  let boolOp = "arith.muli";
  let complexOp = "complex.mul";
}

def Div : BinaryOperator<"div"> {
  let spelling = "/";
  let grammar = "product";
  let noun = "quotient";
  let numpy = "divide";
  let isFractional = true;
  let annihilator = "dividend";
  let value = "x / y";
  let floatOp = "arith.divf";
  let complexOp = "complex.div";
}

// The quotient rounded down, and what is left of the dividend by it, which has the
// sign of the divisor. On integers, what is divided by 0 is 0.
class Floored<string operatorName, string symbol, string what>
    : BinaryOperator<operatorName> {
  let spelling = symbol;
  let grammar = "product";
  let noun = what;
  let needsOrder = true;
  let refusesBools = true;
  let annihilator = "dividend";
}

def FloorDiv : Floored<"floordiv", "//", "quotient"> {
  let numpy = "floor_divide";
  let value = "flooredQuotient(x, y)";
}
def Mod : Floored<"mod", "%", "remainder"> {
  let numpy = "remainder";
  let value = "flooredRemainder(x, y)";
}

// What is left by the quotient rounded towards 0. It has the sign of the dividend.
def Fmod : BinaryOperator<"fmod"> {
  let noun = "remainder";
  let function = "fmod";
  let summary = "what the first expression leaves when the second one divides it, "
                "with the sign of the first one; that of ``%`` is the second one's";
  let needsOrder = true;
  let refusesBools = true;
  let annihilator = "dividend";
  let value = "std::fmod(x, y)";
  let floatOp = "arith.remf";
}

def Pow : BinaryOperator<"pow"> {
  let spelling = "**";
  let grammar = "power";
  let noun = "power";
  let numpy = "power";
  let needsOrder = true;
  let isFractional = true;
  let value = "std::pow(x, y)";
  let floatOp = "math.powf";
}

// The angle of the point (y, x), which is pi, not 0, for the point (-1, 0).
def Atan2 : BinaryOperator<"atan2"> {
  let function = "atan2";
  let summary = "the angle at which the point is whose height is the first, and whose "
                "width is the second expression";
  let numpy = "arctan2";
  let needsOrder = true;
  let isFractional = true;
  let value = "std::atan2(x, y)";
  let floatOp = "math.atan2";
}

def Hypot : BinaryOperator<"hypot"> {
  let function = "hypot";
  let summary = "the square root of the sum of the squares of two expressions";
  let needsOrder = true;
  let isFractional = true;
  let value = "std::hypot(x, y)";
}

def LogAddExp : BinaryOperator<"logaddexp"> {
  let function = "logaddexp";
  let summary = "the logarithm of the sum of the exponentials of two expressions: "
                "log(2) where both are 0";
  let needsOrder = true;
  let isFractional = true;
  let identity = "smallest";
  let value = "x == y ? x + std::log(2.0) : "
              "std::fmax(x, y) + std::log1p(std::exp(-std::abs(x - y)))";
}

// On bits; C++ has words of its own for them.
class Bitwise<string operatorName, string symbol, string rule, string mlirOp>
    : BinaryOperator<operatorName> {
  let spelling = symbol;
  let grammar = rule;
  let numpy = "bitwise_" # rule;
  let isIntegral = true;
  let value = "double(int64_t(x) " # symbol # " int64_t(y))";
  let signedOp = mlirOp;
  let unsignedOp = mlirOp;
  let boolOp = mlirOp;
}

def AndBits : Bitwise<"andbits", "&", "and", "arith.andi"> {
  let annihilator = "either";
  let identity = "bits";
}
let identity = "zero" in {
def OrBits : Bitwise<"orbits", "|", "or", "arith.ori">;
def XorBits : Bitwise<"xorbits", "^", "xor", "arith.xori">;
}

// On integers, and not written in the notation.
class IntegerOperator<string operatorName, string ofSigned, string ofUnsigned>
    : BinaryOperator<operatorName> {
  let spelling = "";
  let isIntegral = true;
  let signedOp = ofSigned;
  let unsignedOp = ofUnsigned;
}

// Rounded towards 0. What is divided by 0 is 0, whatever the machine does.
let annihilator = "either" in {
def Quo : IntegerOperator<"quo", "arith.divsi", "arith.divui"> {
  let value = "y == 0 ? 0 : std::trunc(x / y)";
}
def Rem : IntegerOperator<"rem", "arith.remsi", "arith.remui"> {
  let value = "y == 0 ? 0 : std::fmod(x, y)";
}
}

// Bits that are shifted out of an integer are lost, all of them by its width or more.
let annihilator = "dividend" in {
def Shl : IntegerOperator<"shl", "arith.shli", ""> {
  let value = "std::ldexp(x, int(y))";
}
def Shr : IntegerOperator<"shr", "arith.shrsi", "arith.shrui"> {
  let value = "std::floor(std::ldexp(x, -int(y)))";
}
}

// The op on floats is the one that may be reassociated.
def Min : BinaryOperator<"min"> {
  let function = "minimum";
  let summary = "the smaller one of two expressions or numbers; NaN if one is that";
  let numpy = "minimum";
  let needsOrder = true;
  let identity = "largest";
  let reduces = "min";
  let boolReduction = "mul";
  let value = "std::isunordered(x, y) ? x + y : std::fmin(x, y)";
  let floatOp = "arith.minimumf";
  let signedOp = "arith.minsi";
  let unsignedOp = "arith.minui";
  let boolOp = "arith.minui";
}

def Max : BinaryOperator<"max"> {
  let function = "maximum";
  let summary = "the larger one of two expressions or numbers; NaN if one is that";
  let numpy = "maximum";
  let needsOrder = true;
  let identity = "smallest";
  let reduces = "max";
  let boolReduction = "add";
  let value = "std::isunordered(x, y) ? x + y : std::fmax(x, y)";
  let floatOp = "arith.maximumf";
  let signedOp = "arith.maxsi";
  let unsignedOp = "arith.maxui";
  let boolOp = "arith.maxui";
}

// The smaller or the larger one of two numbers, not written in the notation: the
// other one if one is NaN.
class NumberOperator<string operatorName, string mlirOp> : BinaryOperator<operatorName> {
  let spelling = "";
  let needsOrder = true;
  let isFractional = true;
  let identity = "nan";
  let value = "std::f" # !substr(operatorName, 0, 3) # "(x, y)";
  let floatOp = mlirOp;
}

def MinNum : NumberOperator<"minnum", "arith.minnumf">;
def MaxNum : NumberOperator<"maxnum", "arith.maxnumf">;

def CopySign : BinaryOperator<"copysign"> {
  let function = "copysign";
  let summary = "the absolute value of the first expression, with the sign of the "
                "second one";
  let needsOrder = true;
  let isFractional = true;
  let annihilator = "dividend";
  let value = "std::copysign(x, y)";
  let floatOp = "math.copysign";
}

def BinaryOperators : GenericTable {
  let FilterClass = "BinaryOperator";
  let Fields = ["kind", "name", "noun", "needsOrder", "isFractional",
                "isIntegral", "annihilatorCase", "identityCase", "floatOp", "signedOp",
                "unsignedOp", "boolOp", "complexOp", "compute"];
  string TypeOf_kind = "code";
  string TypeOf_annihilatorCase = "code";
  string TypeOf_identityCase = "code";
  string TypeOf_compute = "code";
}

#endif // NACHO_IR_BINARY_OPERATORS
