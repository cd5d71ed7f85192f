//===- FrontendPasses.td - Passes that make statements -----*- tablegen -*-===//

#ifndef NACHO_TRANSFORMS_FRONTENDPASSES
#define NACHO_TRANSFORMS_FRONTENDPASSES

include "mlir/Pass/PassBase.td"

def NachoFuseOps : Pass<"nacho-fuse-ops", "::mlir::ModuleOp"> {
  let summary = "Make one op of two ops of linalg, where one reads the other";
  let description = [{
    A tensor that an op of linalg computes, and nobody reads but one other op with sparse
    operands, is not made. An op that computes each element from elements at the same
    place is inlined where its elements are read, as MLIR's `linalg` does; unless that
    would compute a function, such as a sine, several times for an element.

    A sum that is read as a factor of a product becomes part of it, if another factor of
    the product is a sparse operand: only sums at its entries are computed then. The
    operands of the sum may be sparse, too.

    Before:
    ```mlir
    %T = linalg.matmul ins(%A, %B : tensor<?x?xf64>, tensor<?x?xf64>) outs(%zeros)
    %Z = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                         affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%S, %T : tensor<?x?xf64, #CSR>, tensor<?x?xf64>) outs(%empty) {
    ^bb0(%s: f64, %t: f64, %z: f64):
      %0 = arith.mulf %s, %t : f64
      linalg.yield %0 : f64
    }
    ```
    After:
    ```mlir
    %Z = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                         affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%S, %A, %B) outs(%empty) {
    ^bb0(%s: f64, %a: f64, %b: f64, %z: f64):
      %0 = arith.mulf %a, %b : f64
      %1 = arith.mulf %s, %0 : f64
      %2 = arith.addf %z, %1 : f64
      linalg.yield %2 : f64
    }
    ```
  }];
  let options = [Option<"remarks", "remarks", "bool", "false",
                        "Say which ops have been fused">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def NachoSeparateOps : Pass<"nacho-separate-ops", "::mlir::ModuleOp"> {
  let summary = "Give each linalg op of a function a function of its own";
  let description = [{
    Where a function has several ops of linalg, or several results, each op becomes the
    only one of a private function, from which a kernel can be made, and a call of it.
    What an op reads is passed, but for constants, and outputs that have no elements yet
    or are filled with a constant. `sparse_tensor.convert` of a sparse tensor is such an
    op, too: it copies.

    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %T = linalg.generic ... ins(%A) outs(%empty) ...
      %y = linalg.matvec ins(%T, %x) outs(%y0)
      return %y : tensor<?xf64>
    }
    ```
    After:
    ```mlir
    func.func private @f_0(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR> {
      %T = linalg.generic ... ins(%A) outs(%empty) ...
      return %T : tensor<?x?xf64, #CSR>
    }
    func.func private @f_1(%T: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                           %y0: tensor<?xf64>) -> tensor<?xf64> {
      %y = linalg.matvec ins(%T, %x) outs(%y0)
      return %y : tensor<?xf64>
    }
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %T = call @f_0(%A)
      %y = call @f_1(%T, %x, %y0)
      return %y : tensor<?xf64>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoFromLinalg : Pass<"nacho-from-linalg", "::mlir::ModuleOp"> {
  let summary = "Turn linalg ops into tensor index notation";
  let description = [{
    Takes `linalg.generic`, and named ops that generalise to it. Indexing maps must be
    linear, and bodies must consist of ops of `arith`, `math` and `complex` for which
    the table of operators (`Operators.td`) has an operator. Numbers from outside of the
    body become constants or operands without indices, and `linalg.index` an operand that
    is a `nacho.coordinates`.

    A result of a map such as `d0 + d1` becomes an index with an equation. Coordinates are
    operands, too, if no other operand has the extent of an index. A tensor that is padded
    with zeros is accessed without its padding, at shifted indices.

    If the body adds to the output, so does the assignment, unless the output is
    uninitialised or filled with zeros. The body of a reduction may combine the output,
    as it is before, with other values by `+`, `*`, `min`, `max`, or operators on bits;
    absent elements of sparse operands take part as zeros. MLIR's own sparsifier takes
    such reductions of sparse operands only where zeros change nothing. Without
    reduction, a body may do with the output what it does with operands.

    An argument of the function that is a number, and of which only operands are made,
    becomes a tensor of rank 0, of integers if the number is an index. So does an index
    by which tensors are sliced; the function then reads the number. Functions that
    others call keep their arguments.

    The result of `sparse_tensor.unary`, `binary` and `select` has an entry where a region
    yields something (`nacho.keep`). `sparse_tensor.reduce` combines stored elements, from
    its own number on, by a `nacho.monoid` or an operator of the table.

    Before:
    ```mlir
    %y = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>,
                         affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%A, %x) outs(%y0) {
    ^bb0(%a: f64, %b: f64, %c: f64):
      %0 = arith.mulf %a, %b : f64
      %1 = arith.addf %c, %0 : f64
      linalg.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %y = nacho.assign (%a = %A[i, j], %b = %x[j]) init(%y0) -> [i] {
      %0 = nacho.binary mul %a, %b : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoSplitBlocks : Pass<"nacho-split-blocks", "::mlir::ModuleOp"> {
  let summary = "Give tensors in blocks two indices for each one that is split";
  let description = [{
    A tensor in blocks, such as BSR, has two levels for one dimension: the number of the
    block (`i floordiv 2`), and the place inside of it (`i mod 2`). Each of them becomes
    a dimension with an index of its own, `i0` and `i1`; so does each of the same index
    of all other tensors of the statement. No array changes: a dense vector of 8
    elements has 4 times 2 elements then. The attribute `nacho.blocks` tells callers of
    the function the sizes of the blocks by which an argument or the result was split.

    The coordinates of another sparse tensor would change, such as those of one in CSR
    that shares an index with one in blocks. A list takes its place: of an operand, one
    of its entries by `i0` and `i1`; of a result, one by `i`, of which the result is
    made. Refused are an index in blocks of different sizes, a tensor with blocks in
    other dimensions than those whose indices are in blocks, and an extent that is known
    not to be a multiple of the block.

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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::nacho::NachoDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoSetIndexWidths : Pass<"nacho-set-index-widths", "::mlir::ModuleOp"> {
  let summary = "Give index arrays of the default width 64 bits";
  let description = [{
    An encoding without widths stands for arrays of MLIR's type `index`. In kernels, only
    Nacho's own arrays have such elements: what is loaded from the others has to be
    compared with a bound (`--nacho-verify-contract`).

    Before:
    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    ```
    After:
    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed),
                                     posWidth = 64, crdWidth = 64 }>
    ```
  }];
}

def NachoListSlices : Pass<"nacho-list-slices", "::mlir::ModuleOp"> {
  let summary = "List the entries of sparse slices";
  let description = [{
    For each slice of a sparse tensor (`nacho.slice`), a statement lists its entries;
    all others read the list. The dimensions of the list are in the order in which the
    tensor's levels store them. The elements of a dense slice are located where they
    are.

    The cost of the statement is that of the coordinates between the ends of the slice:
    levels that store coordinates are searched for the ends, once for each fiber. What
    lies between them and is skipped by a stride is visited, and left out.

    If an index of a sparse operand is a number (`where (m = 3)`), and the statement has
    other operands, a statement lists the entries at this coordinate, too.

    Before:
    ```mlir
    %S = nacho.slice %A[%o, 5] [4, 3] [2, 1] : tensor<?x?xf64, #CSR> to tensor<4x3xf64, #CSR>
    %y = nacho.assign (%s = %S[i, j] : ..., %v = %x[j] : ...) -> [i] {
      %0 = nacho.binary mul %s, %v : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
    After:
    ```mlir
    %S = nacho.slice %A[%o, 5] [4, 3] [2, 1] : tensor<?x?xf64, #CSR> to tensor<4x3xf64, #CSR>
    %E = nacho.assign collect<sorted_list> (%s = %S[i, j] : ...) -> [i, j] {
      nacho.yield %s : f64
    }
    %y = nacho.assign (%s = %E[i, j] : ..., %v = %x[j] : ...) -> [i] {
      %0 = nacho.binary mul %s, %v : f64
      %1 = nacho.reduce add %0 over [j] : f64
      nacho.yield %1 : f64
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

#endif // NACHO_TRANSFORMS_FRONTENDPASSES
