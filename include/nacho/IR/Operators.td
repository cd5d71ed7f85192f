//===- Operators.td - The table of operators ---------------*- tablegen -*-===//
//
// One record for every operator on elements. Those without a spelling come from
// MLIR only; all others are operators of the notation. Code that depends on single
// operators reads these records, and does not enumerate operators itself:
//
//   the kinds of nacho.unary, nacho.binary, nacho.compare     NachoAttrs.td
//   which types an operator takes and gives                   AssignOps.cpp
//   its value on zeros, and where its result has entries      Algebra.cpp
//   which ops of MLIR it comes from and becomes               LinalgBody.cpp,
//                                      ElementsToArith.cpp, FunctionsToLibm.cpp
//   how it is written, promoted and computed in Python        _notation/operators.py
//
// Operators on one element are in UnaryOperators.td, those on two in
// BinaryOperators.td.
//
// C++ sees the records as the structs of Operators.h, Python as JSON that
// llvm-tblgen writes beside the extension module.
//
// To add a function of one number for which MLIR has an op takes one record: see
// `FractionalFunction` in UnaryOperators.td. If the table names no op for an operator on some types,
// ElementsToArith.cpp lowers the operator on these types by hand.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_OPERATORS
#define NACHO_IR_OPERATORS

include "llvm/TableGen/SearchableTable.td"

//===----------------------------------------------------------------------===//
// The fields of every operator
//===----------------------------------------------------------------------===//

class Operator<string operatorName, string op, int operandCount> {
  string name = operatorName;
  int arity = operandCount;

  // The operator as an operation of the dialect: `nacho.unary sqrt`.
  string mnemonic = op # " " # operatorName;

  // The notation of the operator (empty if it has none), and the rule of its grammar
  // (parser.py) that reads it: "comparison", "or", "xor", "and", "sum", "product",
  // "sign", "not", "power", or "call" for f(x, ...).
  string spelling = operatorName;
  string grammar = "call";

  // The name of the result where a message refuses the operator: "quotient".
  string noun = "";

  // The public function of the Python package, if it needs one: operators with a
  // symbol, and abs, are Python's own. `summary` completes "Return ...".
  string function = "";
  string summary = "";

  // The function of NumPy that computes the same.
  string numpy = operatorName;

  // Whether it is undefined on complex numbers, which have no order.
  bit needsOrder = false;
  // Integers and bools are converted to f64 first.
  bit isFractional = false;
  // NumPy has no such operator on bools.
  bit refusesBools = false;
  // Whether it is only defined on integers and bools.
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
// for none: ElementsToArith.cpp then lowers the operator by hand. It does so for all
// operators on complex numbers: `complexOp` is only what the operator comes from.
class LoweredTo {
  string floatOp = "";
  string signedOp = "";
  string unsignedOp = "";
  string boolOp = "";
  string complexOp = "";
}

include "nacho/IR/UnaryOperators.td"
include "nacho/IR/BinaryOperators.td"

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

def Keep : Operator<"keep", "keep", 2> {
  let mnemonic = "keep";
  let function = "keep";
  let summary = "an expression where the condition is not 0; nothing is stored elsewhere";
  let numpy = "";
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
