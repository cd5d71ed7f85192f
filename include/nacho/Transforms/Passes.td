//===- Passes.td - Passes from index notation to bounded loops ------------===//

#ifndef NACHO_TRANSFORMS_PASSES
#define NACHO_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

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

def NachoConcretize : Pass<"nacho-concretize", "::mlir::ModuleOp"> {
  let summary = "Turn tensor index notation into coiterative loops";
  let description = [{
    Chooses the loop order, derives from the operators which coordinates each
    loop visits, and makes the zero of an absent entry explicit. Dense operands are
    located, not iterated. The innermost loop of each term appends it; the reductions
    of all terms share their loops, which lie inside those over the result's
    coordinates. Statements that would need a scatter or a transposition are refused.

    Before:
    ```mlir
    %Z = nacho.assign (%a = %A[i, j], %b = %B[i, j]) -> [i, j] {
      %0 = nacho.binary add %a, %b : f64
      nacho.yield %0 : f64
    }
    ```
    After:
    ```mlir
    %Z = nacho.nest {
      nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) in union(%A1, %B1) {
        nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in union(%A2, %B2) {
          %a = nacho.load %A2
          %b = nacho.load %B2
          %z = nacho.binary add %a, %b : f64
          nacho.append %z at (%i, %j) : f64
    ```
  }];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::tensor::TensorDialect",
    "::mlir::complex::ComplexDialect"
  ];
}

def NachoAssembleOutputs : Pass<"nacho-assemble-outputs", "::mlir::ModuleOp"> {
  let summary = "Split each bounded nest into partition, assemble, compute";
  let description = [{
    From here on results, bounds and counts are buffers. A function `@kernel`
    with one bounded nest is replaced by

    - `@kernel_partition`: each worker searches for one cut, either of the whole nest
      or of a part that is to be cut again;
    - `@kernel_assemble`: counts the entries that each part appends;
    - `@kernel_fill`, only if the nest may leave elements of dense levels unwritten:
      sets all elements to the value that they have where nothing is appended;
    - `@kernel_compute`: appends the entries of each part, from the offset that the
      scan of the counts gives. Where several parts contribute to an entry, each of
      them keeps its own sum as a partial;
    - `@kernel_clear`, only if parts add to rows of sums for the whole result: clears them;
    - `@kernel_combine`, only if there are such entries: adds up the partials in order;
    - `@kernel_plan` and `@kernel_execute`, which a caller calls: the first does
      everything up to the allocation of the result, the second everything after it.
      The `#nacho.step` of `@kernel_execute` is all that a caller has to know.

    Before:
    ```mlir
    nacho.coiterate %j of (%A2 = %A1, ...) between (...) {
      ...
      nacho.append %z at (%i, %j) : f64
    }
    ```
    After, in `@kernel_compute`:
    ```mlir
    %end = nacho.coiterate %j of (%A2 = %A1, ...) between (...)
        iter_args(%offset = %begin : index) {
      ...
      scf.if %offset < %last and %j < %extent {
        memref.store %z, %values[%offset]
        memref.store %j, %coordinates[%offset]
      } else { set the status }
      %next = arith.addi %offset, %c1 : index
      nacho.yield %next : index
    }
    ```

    A nest that scatters values over a dense result, such as `y[j] = A[i, j] * x[i]`, is
    the one whose sums would depend on the parts most, and whose rows of partials could
    take more time and memory than its loops. Its number of parts therefore follows from
    its cost and from the size of a row alone (`fixedParts` in Chooser.h): all rows
    together have at most a third as many sums as the nest costs, and the row of a single
    part is the result itself. Sorting the products, or appending them to buckets, would
    bound time and memory, too, but moves each product several times: that takes longer
    than adding it to a row where there are many products for a sum, and no less than
    adding all of them to a single row where there are few.

    With `drafts`, a nest does not count if it would only have to count the entries of
    the last level, and if counting would take as long as appending. This is so for
    nests that scatter, make lists, or intersect. A part appends no more entries than it
    costs, so the costs of the cuts tell where each part may write in a *draft* of the
    result (`draft-unions`: also of two operands, whose draft by one part is the result):
    - `@kernel_plan` finds the cuts; a part's offset is the cost of all parts before it;
    - `@kernel_compute` appends, and stores how many entries each part appended;
      `@kernel_execute` scans these counts;
    - `@kernel_compact` moves the entries together. Every worker moves the same
      number of entries and positions, whichever parts have appended them.
  }];
  let options = [
    Option<"drafts", "drafts", "bool", "false", "Append to drafts, without counting first">,
    Option<"draftUnions", "draft-unions", "bool", "false", "Also of unions of two operands">,
    Option<"tile", "tile", "int64_t", "0", "Parts whose outer cuts are found first; 0: none">];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect"];
}

include "nacho/Transforms/NestPasses.td"
include "nacho/Transforms/StatementPasses.td"

#endif // NACHO_TRANSFORMS_PASSES
