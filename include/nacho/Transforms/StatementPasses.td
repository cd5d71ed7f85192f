//===- StatementPasses.td - Passes that rewrite statements -*- tablegen -*-===//

#ifndef NACHO_TRANSFORMS_STATEMENTPASSES
#define NACHO_TRANSFORMS_STATEMENTPASSES

include "mlir/Pass/PassBase.td"

def NachoSeparateReductions : Pass<"nacho-separate-reductions", "::mlir::ModuleOp"> {
  let summary = "Compute reductions inside of expressions on their own";
  let description = [{
    An assignment can only yield a sum whose terms are reductions or unreduced values.
    Any other reduction becomes a statement of its own, those inside of others first.
    Reductions that are the same but for the names of indices share a statement.
    If it keeps one index, it is a dense vector. If it keeps more, it has an entry
    wherever its value has one for some of the indices that it is reduced over: it is
    stored as a sparse tensor, with 64-bit positions, unless its value has entries
    everywhere.

    Before:
    ```mlir
    %y = nacho.assign (%a = %A[i, j] : ...) -> [i] {
      %0 = nacho.reduce max %a over [j] : f64
      %1 = nacho.unary sqrt %0 : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %T = nacho.assign (%a = %A[i, j] : ...) -> [i] : tensor<?xf64> {
      %0 = nacho.reduce max %a over [j] : f64
      nacho.yield %0 : f64
    } {sizes = array<i64: 100000, 100000>}
    %y = nacho.assign (%t = %T[i] : tensor<?xf64>) -> [i] {
      %1 = nacho.unary sqrt %t : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoSolveEquations : Pass<"nacho-solve-equations", "::mlir::ModuleOp"> {
  let summary = "Give sparse operands at sums of indices loops of their own";
  let description = [{
    Where a dense operand is accessed by an index that follows from others, such as
    `m = i + k`, its elements are located. The levels of a sparse operand need loops, so
    that no loop looks for elements that are not stored: the equation is solved for
    another index, `i = m - k`. A statement of its own lists the entries of the operand,
    at the indices `i` and `k`; the first statement reads the list. The whole term is
    listed if several sparse operands are factors of it.

    An equation is solved for an index that no sparse operand of the list's statement
    stores, for one of the result if there is one. If there is none, the equation is a
    condition on the loops; then operands are listed apart, if that avoids it.

    If only dense operands have equations, loops over the result's indices but the last
    come first, so that parts can be cut between them.

    Before:
    ```mlir
    %I = nacho.coordinates : tensor<6xi64>
    %O = nacho.assign (%a = %A[m, n] : ..., %f = %F[k, l] : ..., %i = %I[i], %j = %I[j])
        where (m = i + k, n = j + l) -> [i, j] {
      %0 = nacho.binary mul %a, %f : f64
      %1 = nacho.reduce add %0 over [k, l] : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %E = nacho.assign collect<sorted_list> (%a = %A[m, n] : ..., %f = %F[k, l] : ...,
                                            %i = %I[i], %j = %I[j])
        where (i = m - k, j = n - l) -> [i, j, k, l] {
      %0 = nacho.binary mul %a, %f : f64
      nacho.yield %0 : f64
    }
    %O = nacho.assign (%e = %E[i, j, k, l] : ...) -> [i, j] {
      %1 = nacho.reduce add %e over [k, l] : f64
      nacho.yield %1 : f64
    } {whole_entries}
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoFactorSums : Pass<"nacho-factor-sums", "::mlir::ModuleOp"> {
  let summary = "Compute sums of some factors of a product on their own";
  let description = [{
    A sum of a product of several factors becomes several statements: a factor that
    lacks an index is taken out of the sum over this index. The sums are chosen that
    are expected to cost least, by the sizes of operands in the attributes `nacho.sizes`
    of the function's arguments; a product stays whole if that is not clearly cheaper,
    or if `order` is given. Instead, `contract` may list the indices that are to have
    sums of their own, in order. A remark tells which sums were made, and why.

    A sum has an entry only where its product has one: it is stored as a sparse tensor,
    with 64-bit positions, unless all its factors are dense. So the result has the same
    entries as before. If the result is dense, and the sum is expected to have entries at
    half of its coordinates, the sum is dense, too, as a vector is where sizes are not
    known: then flags tell for which of its rows the other factors count, since 0 times
    infinity would be no number. Only sums are factored, no other reductions, and only
    where factors are 0 where their operands are absent.

    Before:
    ```mlir
    %y = nacho.assign (%a = %A[i, j] : ..., %b = %B[j, k] : ..., %v = %x[k] : ...) -> [i] {
      %0 = nacho.binary mul %a, %b : f64
      %1 = nacho.binary mul %0, %v : f64
      %2 = nacho.reduce add %1 over [j, k] : f64
      nacho.yield %2 : f64
    }
    ```
    After:
    ```mlir
    %T = nacho.assign (%b = %B[j, k] : ..., %v = %x[k] : ...) -> [j] : tensor<?xf64> {
      %0 = nacho.binary mul %b, %v : f64
      %1 = nacho.reduce add %0 over [k] : f64
      nacho.yield %1 : f64
    } {sizes = array<i64: 100000, 100000>}
    %has = nacho.assign (%b = %B[j, k] : ...) -> [j] : tensor<?xi1> {
      %0 = nacho.stored %b : f64
      %1 = nacho.reduce add %0 over [k] : i1
      nacho.yield %1 : i1
    }
    %y = nacho.assign (%a = %A[i, j] : ..., %t = %T[j] : ..., %h = %has[j] : ...) -> [i] {
      %0 = nacho.binary mul %a, %t : f64
      %1 = nacho.select %h, %0, %zero : f64
      %2 = nacho.reduce add %1 over [j] : f64
      nacho.yield %2 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoOrderLoops : Pass<"nacho-order-loops", "::mlir::ModuleOp"> {
  let summary = "Give every statement loops that all tensors follow";
  let description = [{
    Splits a statement if no order of loops follows all its operands and its result:
    a statement of its own then makes a sorted list of entries. The list replaces a
    transposed operand, a diagonal, or a term whose reduction would scatter entries
    over the result, whichever is expected to cost least; also if it halves the cost.
    The sizes of operands are read from the attributes `nacho.sizes` of the function's
    arguments, or else assumed; the pass removes them.

    If a reduction scatters entries over one level, each part adds them up in a
    workspace, and the list's last coordinate is the number of the part. With
    `whole-rows`, a workspace may instead collect a whole row of the result: then the
    statement keeps its reduction, and `order` puts other loops inside of that. So does
    one with a dense result, unless `sort-products` makes it sort all its products.

    With `transpose-dense`, a statement of its own transposes a dense operand if the
    loop over one of its indices, which no sparse operand has, would step from row to
    row of it: as E[k, j] in the sampled product A[i, j] * D[i, k] * E[k, j], of which
    E[j, k] is made.

    Before:
    ```mlir
    %Z = nacho.assign (%a = %A[i, j] : ..., %b = %B[j, k] : ...) -> [i, k] {
      %0 = nacho.binary mul %a, %b : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %E = nacho.assign (%a = %A[i, j] : ..., %b = %B[j, k] : ...) -> [i, k, part] {
      %0 = nacho.binary mul %a, %b : f64
      nacho.yield %0 : f64
    } {order = ["i", "j", "k"], partial, sorted}
    %Z = nacho.assign (%e = %E[i, k, part] : ...) -> [i, k] {
      %1 = nacho.reduce add %e over [part] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
  let options = [
    Option<"wholeRows", "whole-rows", "bool", /*default=*/"false",
           "Leave rows whole that a workspace collects">,
    Option<"sortProducts", "sort-products", "bool", /*default=*/"false",
           "List and sort the products that are scattered over a dense result">,
    Option<"transposeDense", "transpose-dense", "bool", /*default=*/"false",
           "Copy dense operands across whose rows the innermost loop would step">
  ];
}

#endif // NACHO_TRANSFORMS_STATEMENTPASSES
