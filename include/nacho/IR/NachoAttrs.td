//===- NachoAttrs.td - Operators, merge expressions, costs *- tablegen -*-===//

#ifndef NACHO_IR_ATTRS
#define NACHO_IR_ATTRS

include "nacho/IR/NachoDialect.td"
include "nacho/IR/Operators.td"

class Nacho_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Nacho_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Nacho_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nacho";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

def Nacho_Element : Type<
    Or<[AnyFloat.predicate, AnyInteger.predicate, AnyComplex.predicate]>,
    "a number">;

// An enum with one case for every record of the table of operators.
class Nacho_OperatorEnum<string name, string summary, list<Operator> operators>
    : Nacho_Enum<name, summary, !foreach(number, !range(!size(operators)),
          I32EnumAttrCase<operators[number].name, number>)>;

def Nacho_BinaryKind : Nacho_OperatorEnum<
    "BinaryKind", "binary operator", !instances<BinaryOperator>()>;
def Nacho_BinaryKindAttr : EnumAttr<Nacho_Dialect, Nacho_BinaryKind, "binary_kind">;

def Nacho_UnaryKind : Nacho_OperatorEnum<
    "UnaryKind", "unary operator", !instances<UnaryOperator>()>;
def Nacho_UnaryKindAttr : EnumAttr<Nacho_Dialect, Nacho_UnaryKind, "unary_kind">;

def Nacho_CompareKind : Nacho_OperatorEnum<
    "CompareKind", "comparison", !instances<Comparison>()>;
def Nacho_CompareKindAttr
    : EnumAttr<Nacho_Dialect, Nacho_CompareKind, "compare_kind">;

//===----------------------------------------------------------------------===//
// Monoids
//===----------------------------------------------------------------------===//

def Nacho_MonoidAttr : Nacho_Attr<"Monoid", "monoid"> {
  let summary = "what a reduction combines elements with";
  let description = [{
    A binary operator that reduces, and whether elements that are not stored take part
    in the reduction. Without `stored` they count as 0, so that the minimum of a row
    with entries 2 and 3, and without others, is 0. With `stored` it is 2; reducing
    nothing gives the identity of the operator, of which the largest number is that of
    `min`. A 0 changes no sum, so that `stored` makes no difference to `add`.

    The name of a `nacho.monoid` stands for the operator that it defines, which reduces
    stored elements only.

    A reduction may begin `from` a number other than the identity, which takes part once,
    whatever the parts are.

    ```mlir
    module attributes {
      test.sum = #nacho<monoid add>,
      test.least = #nacho<monoid min stored>,
      test.most = #nacho<monoid max stored from 100.0 : f64>
    } {}
    ```
  }];
  let parameters = (ins "::nacho::BinaryKind":$kind, "bool":$stored,
                        OptionalParameter<"::mlir::TypedAttr">:$start,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$name);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::nacho::BinaryKind":$kind, CArg<"bool", "false">:$stored,
                     CArg<"::mlir::TypedAttr", "{}">:$start), [{
      return $_get($_ctxt, kind, stored, start, ::mlir::FlatSymbolRefAttr());
    }]>,
    AttrBuilderWithInferredContext<(ins "::mlir::FlatSymbolRefAttr":$name), [{
      return $_get(name.getContext(), BinaryKind::add, true, ::mlir::TypedAttr(),
                   name);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Whether an element that is not stored may change the result.
    bool reducesAbsent() const;
    /// Whether the reduction is nothing but a sum.
    bool isSum() const {
      return getKind() == BinaryKind::add && !getStart() && !getName();
    }
    /// The same monoid, for a reduction that begins from a number, or from none.
    MonoidAttr from(::mlir::TypedAttr start) const;
    /// The result of a reduction of no elements, without the number to begin from.
    ::mlir::Value emitIdentity(::mlir::ImplicitLocOpBuilder &b,
                               ::mlir::Type type) const;
    /// x combined with the number from which the reduction begins, if there is one.
    ::mlir::Value emitFromStart(::mlir::ImplicitLocOpBuilder &b, ::mlir::Value x) const;
    /// x combined with y.
    ::mlir::Value emit(::mlir::ImplicitLocOpBuilder &b, ::mlir::Value x,
                       ::mlir::Value y, bool reassociable = false) const;
  }];
}

//===----------------------------------------------------------------------===//
// Merge expressions
//===----------------------------------------------------------------------===//

def Nacho_MergeKind : Nacho_Enum<"MergeKind", "merge operator", [
  I32EnumAttrCase<"leaf", 0>, I32EnumAttrCase<"unite", 1, "union">,
  I32EnumAttrCase<"intersect", 2>
]>;

def Nacho_MergeAttr : Nacho_Attr<"Merge", "merge"> {
  let summary = "nested unions and intersections of the fibers of an op";
  let description = [{
    Says which coordinates a loop visits, as a monotone boolean expression over
    "operand `n` has this coordinate". `union()` is always false and `intersect()`
    always true.

    ```mlir
    module attributes {
      // Z = A + B * C
      test.merge = #nacho.merge<union(0, intersect(1, 2))>
    } {}
    ```
  }];
  let parameters = (ins
    "::nacho::MergeKind":$kind,
    "unsigned":$operand,
    ArrayRefParameter<"::mlir::Attribute">:$args
  );
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "unsigned":$operand), [{
      return $_get($_ctxt, MergeKind::leaf, operand,
                   ArrayRef<::mlir::Attribute>());
    }]>,
    AttrBuilder<(ins "::nacho::MergeKind":$kind,
                     "::llvm::ArrayRef<::mlir::Attribute>":$args), [{
      return $_get($_ctxt, kind, 0u, args);
    }]>
  ];
  let extraClassDeclaration = [{
    bool isLeaf() const { return getKind() == MergeKind::leaf; }
    /// Whether the expression contains an operand.
    bool mentions(unsigned operand) const;
    auto children() const {
      return ::llvm::map_range(getArgs(), [](::mlir::Attribute arg) {
        return ::llvm::cast<MergeAttr>(arg);
      });
    }
  }];
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

def Nacho_CostKind : Nacho_Enum<"CostKind", "what a cost query counts", [
  I32EnumAttrCase<"nnz", 0>, I32EnumAttrCase<"loops", 1>,
  I32EnumAttrCase<"scan", 2>
]>;
def Nacho_CostKindAttr : EnumAttr<Nacho_Dialect, Nacho_CostKind, "cost_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Nacho_ChargeKind : Nacho_Enum<"ChargeKind", "what a cost model charges", [
  I32EnumAttrCase<"entries", 0>, I32EnumAttrCase<"steps", 1>,
  I32EnumAttrCase<"units", 2>, I32EnumAttrCase<"products", 3>
]>;

def Nacho_CostModelAttr : Nacho_Attr<"CostModel", "cost_model"> {
  let summary = "what counts as work when a nest is cut into parts of equal cost";
  let description = [{
    The cost of a part is the sum of its charges, each times its weight, which is 1 if
    none is written:

    - `entries`: the stored entries of every operand, each as often as it is iterated;
    - `steps`: the iterations of the innermost loop, if nothing sparse limits them;
    - `units`: the iterations of every outer loop. An iteration of a sparse loop is
      charged once for each operand that stores the coordinate;
    - `products`: the iterations of the innermost loop, each of which computes one term.
      Of a loop that merges, these are the entries of the fewest operands without which
      it visits no coordinate: at least as many as there are terms. Where they are not
      known without running the loops, entries are charged instead.

    Options take the name of a model, too: `nnz` is the paper's model, which charges
    entries and steps; `nnz+loops` also charges units; `flops` charges products only. With
    `time`, parts of equal cost take nearly equal time on most inputs: a unit costs as
    much as 4 entries, which was measured.

    ```mlir
    module attributes {
      // nnz+loops
      test.named = #nacho.cost_model<entries, steps, units>,
      // time: coming to a row takes as long as four of its entries.
      test.weighted = #nacho.cost_model<entries, steps, 4 * units>
    } {}
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::nacho::ChargeKind">:$kinds,
    ArrayRefParameter<"int64_t">:$weights
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The weight of a kind of charge; 0 if the model does not have it.
    int64_t getWeight(ChargeKind kind) const;
    /// The least cost of the loops' way to an entry that they append: a part that
    /// costs c appends at most c / getEntryCost() entries.
    int64_t getEntryCost() const;
    /// The model that `text` names or writes out. Emits an error at `op` if
    /// `text` does neither.
    static ::llvm::FailureOr<CostModelAttr> lookUp(::mlir::Operation *op,
                                                   ::llvm::StringRef text);
  }];
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

def Nacho_DerivedIndexAttr : Nacho_Attr<"DerivedIndex", "derived_index"> {
  let summary = "an index of a statement that follows from other indices";
  let description = [{
    `i = m - 2 * k + 1 over 3` stands for i = (m - 2 * k + 1) / 3. There is no such
    index where the division leaves a remainder, or where it is outside of its extent.
    With `floordiv` in place of `over`, the quotient is rounded down.

    ```mlir
    module attributes {
      test.sum = #nacho.derived_index<m = i + 2 * k>,
      test.solved = #nacho.derived_index<i = m - 2 * k>,
      test.constant = #nacho.derived_index<n = 3>,
      test.quotient = #nacho.derived_index<j = n - 1 over 2>,
      test.block = #nacho.derived_index<i0 = i floordiv 4>
    } {}
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$index,
    ArrayRefParameter<"::mlir::StringAttr">:$sources,
    ArrayRefParameter<"int64_t">:$factors,
    "int64_t":$constant,
    "int64_t":$divisor,
    "bool":$rounds
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Parses and prints the equation, without brackets.
    static ::mlir::FailureOr<DerivedIndexAttr>
    parseEquation(::mlir::AsmParser &parser);
    void printEquation(::mlir::AsmPrinter &printer) const;
  }];
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

def Nacho_CollectKind : Nacho_Enum<"CollectKind",
                                   "how a nest collects the entries of its result", [
  I32EnumAttrCase<"inOrder", 0, "in_order">,
  I32EnumAttrCase<"sortedList", 1, "sorted_list">,
  I32EnumAttrCase<"partSums", 2, "part_sums">,
  I32EnumAttrCase<"wholeRows", 3, "whole_rows">,
  I32EnumAttrCase<"scannedList", 4, "scanned_list">,
  I32EnumAttrCase<"buckets", 5, "buckets">,
  I32EnumAttrCase<"lightRows", 6, "light_rows">,
  I32EnumAttrCase<"pieceList", 7, "piece_list">
]>;

def Nacho_CollectAttr : EnumAttr<Nacho_Dialect, Nacho_CollectKind, "collect"> {
  let summary = "how a nest collects the entries of its result";
  let description = [{
    - `in_order`, which is the default: entries are appended in the order of the
      result's levels.
    - `sorted_list`: entries are appended in any order to a list, in which each
      entry has its own coordinate at every level. The list is sorted once all
      entries have been appended.
    - `part_sums`: each part adds up, in its workspace, the values that it appends at
      the same coordinate of one level, and then appends the sums to a list. The list
      is sorted once all parts have appended their sums. Its last level holds the
      number of the part.
    - `whole_rows`: each part adds up, in its workspace, the values that it appends to
      one row of the result, and then appends the row in order. A row is a fiber of
      the last level; no row is divided between parts.
    - `scanned_list`: entries are costs, appended to a list in order. Then each value
      is replaced by the sum of all values up to and including it. The levels after
      those of the loops may hold any numbers.
    - `buckets`: the result has a dense level and inside of it a compressed one. Each
      coordinate of the dense level is a bucket, to which entries are appended in the
      order of the compressed level. So a tensor is transposed by counting.
    - `light_rows`: as `whole_rows`, where no row is too heavy for a part, since other
      nests compute the heavy rows (`--nacho-split-heavy-rows`).
    - `piece_list`: as `scanned_list`, but the list is sorted by the coordinates of the
      loops before its values are added up. Only loops over another scanned list are cut.

    ```mlir
    module attributes {
      test.collect = #nacho.collect<part_sums>
    } {}
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

#endif // NACHO_IR_ATTRS
