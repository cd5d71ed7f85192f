//===- StatementPasses.td - Which statements there are -----*- tablegen -*-===//

#ifndef NACHO_TRANSFORMS_STATEMENTPASSES
#define NACHO_TRANSFORMS_STATEMENTPASSES

include "mlir/Pass/PassBase.td"

def NachoSplitBlocks : Pass<"nacho-split-blocks", "::mlir::ModuleOp"> {
  let summary = "Give tensors in blocks two indices for each one that is split";
  let description = [{
    A tensor in blocks, such as BSR, has two levels for one dimension: the number of the
    block (`i floordiv 2`), and the place inside of it (`i mod 2`). Each of them becomes
    a dimension with an index of its own, `i0` and `i1`; so does each of the same index
    of all other tensors of the statement. No array changes: a dense vector of 8
    elements has 4 times 2 elements then. The attribute `nacho.blocks` tells callers of
    the function the sizes of the blocks by which an argument or the result was split.

    Refused are tensors whose coordinates would change, such as one in CSR that shares
    an index with one in blocks; an index in blocks of different sizes; and an extent
    that is known not to be a multiple of the block.

    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #BSR>, %x: tensor<?xf64>) -> tensor<?xf64> {
      %y = nacho.assign (%a = %A[i, j] : tensor<?x?xf64, #BSR>,
                         %b = %x[j] : tensor<?xf64>) -> [i] : tensor<?xf64> {
        %0 = nacho.binary mul %a, %b : f64
        %1 = nacho.reduce add %0 over [j] : f64
        nacho.yield %1 : f64
      }
    ```
    After:
    ```mlir
    func.func @f(%A: tensor<?x?x2x2xf64, #DSDD> {nacho.blocks = array<i64: 2, 2>},
                 %x: tensor<?x2xf64> {nacho.blocks = array<i64: 2>})
        -> (tensor<?x2xf64> {nacho.blocks = array<i64: 2>}) {
      %y = nacho.assign (%a = %A[i0, j0, i1, j1] : tensor<?x?x2x2xf64, #DSDD>,
                         %b = %x[j0, j1] : tensor<?x2xf64>)
          -> [i0, i1] : tensor<?x2xf64> {
        %0 = nacho.binary mul %a, %b : f64
        %1 = nacho.reduce add %0 over [j0, j1] : f64
        nacho.yield %1 : f64
      }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoSeparateReductions : Pass<"nacho-separate-reductions", "::mlir::ModuleOp"> {
  let summary = "Compute reductions inside of expressions on their own";
  let description = [{
    An assignment can only yield a sum whose terms are reductions or unreduced values.
    Any other reduction becomes a statement of its own, those inside of others first.
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
    entries as before. Only sums are factored, no other reductions, and only where
    factors are 0 where their operands are absent.

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
    %T = nacho.assign (%b = %B[j, k] : ..., %v = %x[k] : ...) -> [j] : tensor<?xf64, #SV> {
      %0 = nacho.binary mul %b, %v : f64
      %1 = nacho.reduce add %0 over [k] : f64
      nacho.yield %1 : f64
    } {sizes = array<i64: 100000, 100000>}
    %y = nacho.assign (%a = %A[i, j] : ..., %t = %T[j] : tensor<?xf64, #SV>) -> [i] {
      %0 = nacho.binary mul %a, %t : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

#endif // NACHO_TRANSFORMS_STATEMENTPASSES
