//===- Operators.td - The table of operators ---------------*- tablegen -*-===//
//
// One record for every operator of the notation. Code that depends on single
// operators reads these records, and does not enumerate operators itself:
//
//   the kinds of nacho.unary, nacho.binary, nacho.compare     NachoAttrs.td
//   which types an operator takes and gives                   AssignOps.cpp
//   its value on zeros, and where its result has entries      Algebra.cpp
//   which ops of MLIR it comes from and becomes               LinalgBody.cpp,
//                                      ElementsToArith.cpp, FunctionsToLibm.cpp
//   how it is written, promoted and computed in Python        notation/operators.py
//
// C++ sees the records as the structs of Operators.h, Python as JSON that
// llvm-tblgen writes beside the extension module.
//
// To add a function of one number for which MLIR has an op takes one record: see
// `FractionalFunction`. If the table names no op for an operator on some types,
// ElementsToArith.cpp lowers the operator on these types by hand.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_OPERATORS
#define NACHO_IR_OPERATORS

include "llvm/TableGen/SearchableTable.td"

//===----------------------------------------------------------------------===//
// What every operator has
//===----------------------------------------------------------------------===//

class Operator<string operatorName, string op, int operandCount> {
  string name = operatorName;
  int arity = operandCount;

  // The operator as an operation of the dialect: `nacho.unary sqrt`.
  string mnemonic = op # " " # operatorName;

  // How the notation writes the operator, and the rule of its grammar (parser.py)
  // that reads it: "comparison", "or", "xor", "and", "sum", "product", "sign", "not",
  // "power", or "call" for f(x, ...).
  string spelling = operatorName;
  string grammar = "call";

  // What the result is called where a message refuses the operator: "quotient".
  string noun = "";

  // The public function of the Python package, if it needs one: operators with a
  // symbol, and abs, are Python's own. `summary` completes "Return ...".
  string function = "";
  string summary = "";

  // The function of NumPy that computes the same.
  string numpy = operatorName;

  // Not defined on complex numbers, which have no order.
  bit needsOrder = false;
  // Integers and bools are converted to f64 first.
  bit isFractional = false;
  // NumPy has no such operator on bools.
  bit refusesBools = false;
  // Defined on integers and bools only.
  bit isIntegral = false;
}

// The operator on doubles, as an expression of C++ in the parameters. Algebra.cpp
// computes the background of an expression with it.
class Computed<string parameters, string result> {
  string value = ?;
  code compute = "[](" # parameters # ") -> " # result # " { return " # value
                 # "; }";
}

// The op of MLIR that is the operator on elements of a type. An empty name stands
// for none: ElementsToArith.cpp then lowers the operator by hand, as it does for
// complex numbers.
class LoweredTo {
  string floatOp = "";
  string signedOp = "";
  string unsignedOp = "";
  string boolOp = "";
}

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

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
}

def Abs : UnaryOperator<"abs"> {
  let numpy = "absolute";
  let givesReal = true;
  let floatOp = "math.absf";
  let signedOp = "math.absi";
  let libm = "cabs";
}

def Sqrt : FractionalFunction<"sqrt", "the square root of an expression">;
def Exp : FractionalFunction<
    "exp", "the exponential of an expression: 1 where it is 0">;
def Log : FractionalFunction<"log", "the natural logarithm of an expression">;
def Sin : FractionalFunction<"sin", "the sine of an expression">;
def Cos : FractionalFunction<
    "cos", "the cosine of an expression: 1 where it is 0">;
def Tanh : FractionalFunction<"tanh", "the hyperbolic tangent of an expression">;

// f(x) of real numbers only, where MLIR has math.f.
class RealFunction<string operatorName, string what>
    : FractionalFunction<operatorName, what> {
  let needsOrder = true;
  let libm = "";
}

def Log1p : RealFunction<
    "log1p", "the natural logarithm of 1 more than an expression">;
def Expm1 : RealFunction<"expm1", "1 less than the exponential of an expression">;

// Integers stay as they are.
let isFractional = false in {
def Floor : RealFunction<
    "floor", "the largest integer that is not more than an expression">;
def Ceil : RealFunction<
    "ceil", "the smallest integer that is not less than an expression">;
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
                "givesReal",
                "floatOp", "signedOp", "unsignedOp", "boolOp", "libm",
                "compute"];
  string TypeOf_kind = "code";
  string TypeOf_compute = "code";
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

class BinaryOperator<string operatorName>
    : Operator<operatorName, "binary", 2>, Computed<"double x, double y", "double">,
      LoweredTo {
  code kind = "BinaryKind::" # operatorName;

  // Which operand makes the result 0 where it is absent, whatever the other one is:
  // "none", "either", or the "dividend".
  string annihilator = "none";
  code annihilatorCase = "Annihilator::" # annihilator;

  // What a reduction starts with: "zero", "one", the "largest" or the "smallest"
  // number of a type; "none" for an operator that does not reduce.
  string identity = "none";
  code identityCase = "Identity::" # identity;

  // How the notation writes a reduction by the operator: `sum` in sum(j, A[i,j]). It
  // is empty for an operator that does not reduce.
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
}
def OrBits : Bitwise<"orbits", "|", "or", "arith.ori">;
def XorBits : Bitwise<"xorbits", "^", "xor", "arith.xori">;

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

def BinaryOperators : GenericTable {
  let FilterClass = "BinaryOperator";
  let Fields = ["kind", "name", "noun", "needsOrder", "isFractional",
                "isIntegral", "annihilatorCase", "identityCase", "floatOp", "signedOp",
                "unsignedOp", "boolOp", "compute"];
  string TypeOf_kind = "code";
  string TypeOf_annihilatorCase = "code";
  string TypeOf_identityCase = "code";
  string TypeOf_compute = "code";
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// `ofFloats`, `ofSigned` and `ofUnsigned` are predicates of arith.cmpf and
// arith.cmpi. A NaN is equal to nothing, not even to itself.
class Comparison<string operatorName, string symbol, string ofFloats,
                 string ofSigned, string ofUnsigned>
    : Operator<operatorName, "compare", 2>,
      Computed<"double x, double y", "bool"> {
  code kind = "CompareKind::" # operatorName;
  let spelling = symbol;
  let grammar = "comparison";
  let value = "x " # symbol # " y";
  code floatPredicate = "mlir::arith::CmpFPredicate::" # ofFloats;
  code signedPredicate = "mlir::arith::CmpIPredicate::" # ofSigned;
  code unsignedPredicate = "mlir::arith::CmpIPredicate::" # ofUnsigned;
}

let needsOrder = true in {
def Lt : Comparison<"lt", "<", "OLT", "slt", "ult"> { let numpy = "less"; }
def Le : Comparison<"le", "<=", "OLE", "sle", "ule"> { let numpy = "less_equal"; }
def Gt : Comparison<"gt", ">", "OGT", "sgt", "ugt"> { let numpy = "greater"; }
def Ge : Comparison<"ge", ">=", "OGE", "sge", "uge"> {
  let numpy = "greater_equal";
}
}
def Eq : Comparison<"eq", "==", "OEQ", "eq", "eq"> { let numpy = "equal"; }
def Ne : Comparison<"ne", "!=", "UNE", "ne", "ne"> { let numpy = "not_equal"; }

def Comparisons : GenericTable {
  let FilterClass = "Comparison";
  let Fields = ["kind", "name", "needsOrder", "isFractional", "isIntegral",
                "floatPredicate",
                "signedPredicate", "unsignedPredicate", "compute"];
  string TypeOf_kind = "code";
  string TypeOf_floatPredicate = "code";
  string TypeOf_signedPredicate = "code";
  string TypeOf_unsignedPredicate = "code";
  string TypeOf_compute = "code";
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

def Where : Operator<"where", "select", 3> {
  let mnemonic = "select";
  let function = "where";
  let summary = "``lhs`` where the condition is not 0, else ``rhs``";
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

def Pattern : Operator<"pattern", "stored", 1> {
  let mnemonic = "stored";
  let function = "pattern";
  let summary = "whether an element of a tensor is stored, as a bool";
  let numpy = "";
}

#endif // NACHO_IR_OPERATORS
