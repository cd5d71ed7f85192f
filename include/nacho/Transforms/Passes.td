//===- Passes.td - From index notation to bounded loops --*- tablegen -*-===//

#ifndef NACHO_TRANSFORMS_PASSES
#define NACHO_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def Nacho_CostOption : Option<"cost", "cost", "std::string", "\"nnz+loops\"",
    "What counts as work: nnz, nnz+loops, or a #nacho.cost_model">;

def NachoFromLinalg : Pass<"nacho-from-linalg", "::mlir::ModuleOp"> {
  let summary = "Turn linalg ops into tensor index notation";
  let description = [{
    Takes `linalg.generic`, and named ops that generalise to it. Indexing maps must be
    lists of dimensions, and bodies must consist of operators that the notation has.
    If the body adds to the output, so does the assignment, unless the output is
    uninitialised or filled with zeros.

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
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoOrderLoops : Pass<"nacho-order-loops", "::mlir::ModuleOp"> {
  let summary = "Give every statement loops that all tensors follow";
  let description = [{
    Splits a statement if no order of loops follows all its operands and its result:
    a statement of its own then makes a sorted list of entries. The list replaces a
    transposed operand, the diagonal of an operand, or a term whose reduction would
    scatter entries over the result, whichever is expected to cost least. A statement
    is also split if another order is expected to cost less than half as much. The
    sizes of operands are read from the attributes `nacho.sizes` of the function's
    arguments, or else assumed; the pass removes these attributes.

    If a reduction scatters entries over one level, each part adds them up in a
    workspace, and the entries of the list have the number of the part as their last
    coordinate. Without `split-rows`, a workspace may instead collect a whole row of
    the result and append the row in order. The statement then keeps its reduction,
    and its `order` puts other loops inside of the reduction's. A statement with a
    dense result keeps its reduction in any case, and needs no workspace.

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
    Option<"splitRows", "split-rows", "bool", /*default=*/"true",
           "Let parts share what a workspace collects">
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

def NachoRemapIntersections
    : Pass<"nacho-remap-intersections", "::mlir::ModuleOp"> {
  let summary = "Make lists of what outer intersections leave over";
  let description = [{
    Recursive remapping (paper Alg. 2). Where an outer loop skips coordinates that
    an operand stores, costs that are read off the operand's positions count what
    is never iterated. Such loops are done first, by a nest of their own, that lists
    the coordinates that are left, where each operand is at them, and what the loops
    inside cost there; the costs are added up. The rest runs through the list.
    Deeper loops of the same kind are listed from the list.

    Loops that append something outside of the loops to be remapped are left.

    Coordinates at which a loop inside has nothing to do, since a fiber of a dense level
    is empty there, are left out: the children of the operand have to be `nonempty`.

    Before:
    ```mlir
    %Z = nacho.nest {
      nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) in intersect(%A1, %B1) {
        nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in intersect(%A2, %B2) { body }
    ```
    After:
    ```mlir
    %L = nacho.nest scanned {
      nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) in intersect(%A1, %B1) {
        %pA = nacho.position %A1
        %pB = nacho.position %B1
        %cost = ... nacho.cost <nnz> %A1 ... nacho.cost <nnz> %B1
        nacho.append %cost at (%i, %pA, %pB)
    %L0 = nacho.root %L scanned_list
    %Z = nacho.nest {
      nacho.coiterate %i of (%L1 = %L0) in %L1 {
        %pA = nacho.recall %L1 below 0
        %A1 = nacho.fiber_at %A0[%pA] certain
        %pB = nacho.recall %L1 below 1
        %B1 = nacho.fiber_at %B0[%pB] certain
        nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in intersect(%A2, %B2) { body }
    ```
  }];
  let options = [Nacho_CostOption];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoIsolateNests : Pass<"nacho-isolate-nests", "::mlir::ModuleOp"> {
  let summary = "Give every nest a function of its own";
  let description = [{
    The functions of one are in the order in which they have to run. The `inputs` of
    their `#nacho.step` say where the arguments come from: they are operands of the
    function that there was, or results of earlier functions, which are the steps of a
    kernel. A function that has one nest is left as it is.

    Before:
    ```mlir
    func.func @kernel(%A, %B) -> tensor<...> {
      %E = nacho.nest ... { ... %A ... }
      %Z = nacho.nest ... { ... %E ... %B ... }
      return %Z
    }
    ```
    After:
    ```mlir
    func.func @kernel_0(%A) -> tensor<...>
        attributes {nacho.step = #nacho.step<inputs = [operand 0]>} {
      %E = nacho.nest ... { ... %A ... }
      return %E
    }
    func.func @kernel(%E, %B) -> tensor<...>
        attributes {nacho.step = #nacho.step<inputs = [step 0, operand 1]>} {
      %Z = nacho.nest ... { ... %E ... %B ... }
      return %Z
    }
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::func::FuncDialect"];
}

def NachoPartitionLoops : Pass<"nacho-partition-loops", "::mlir::ModuleOp"> {
  let summary = "Cut each loop nest into parts of equal cost";
  let description = [{
    Hierarchical search (paper Alg. 1), specialised to the nest: one
    `nacho.search` per loop, each within the coordinate that the one before
    it found and with the residual that it left. The `cuts` of the function's
    `#nacho.step` tell callers which loops are cut.

    Before:
    ```mlir
    %Z = nacho.nest { nacho.coiterate %i of (%A1 = %A0, ...) { ... } }
    ```
    After:
    ```mlir
    %cuts = nacho.partition %total of (%A0, ...) into %parts ... {
    ^bb0(%query: index, %lo: !nacho.cut<2, 2>, %hi: !nacho.cut<2, 2>):
      %i, %residual, %A1, ... = nacho.search %query of (%A0, ...) between %lo, %hi {
      ^bb0(%x: index, %pos: index, ...):
        %cost = nacho.cost <nnz> %A0 to %pos
        ...
      }
      %j, ... = nacho.search %residual of (%A1, ...) between %lo1, %hi1 { ... }
      %cut = nacho.cut ... at (%i, %j) of (%A1, ..., %A2, ...)
    }
    %Z = nacho.nest in %cuts { ... }
    ```

    The cost of a part is what the cost model charges for it. `nnz` stands for
    `#nacho.cost_model<entries, steps>`, `nnz+loops` for
    `#nacho.cost_model<entries, steps, units>`. A unit, which belongs to a coordinate
    of an outer loop, is charged at the first coordinate inside it. Loops over all
    coordinates without sparse operands, inside of loops that
    have some, are not cut.
  }];
  let options = [Nacho_CostOption];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoBoundLoops : Pass<"nacho-bound-loops", "::mlir::ModuleOp"> {
  let summary = "Restrict the loops of partitioned nests to one part";
  let description = [{
    Before:
    ```mlir
    %Z = nacho.nest in %cuts {
      nacho.coiterate %i of (%A1 = %A0, ...) {
        nacho.coiterate %j of (%A2 = %A1, ...) {
    ```
    After:
    ```mlir
    %Z = nacho.nest in %cuts {
    ^bb0(%lo: !nacho.cut<2, 2>, %hi: !nacho.cut<2, 2>):
      nacho.coiterate %i of (%A1 = %A0, ...) between (%lo1 = %lo, %hi1 = %hi) {
        nacho.coiterate %j of (%A2 = %A1, ...) between (%lo2 = %lo1, %hi2 = %hi1) {
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoAssembleOutputs : Pass<"nacho-assemble-outputs", "::mlir::ModuleOp"> {
  let summary = "Split each bounded nest into partition, assemble, compute";
  let description = [{
    From here on results, bounds and counts are buffers. A function `@kernel`
    with one bounded nest is replaced by

    - `@kernel_partition`: workers search for one cut each, inside of parts that
      may have been cut before;
    - `@kernel_assemble`: counts the entries that each part appends;
    - `@kernel_compute`: appends the entries of each part, from the offset that the
      scan of the counts gives; a part keeps its sums for entries to which other
      parts contribute, too, as partials;
    - `@kernel_fill`, where needed: before, sets the elements of dense levels where
      nothing is stored;
    - `@kernel_combine`, where needed: afterwards, adds up the partials, one part
      after the other;
    - `@kernel_plan` and `@kernel_execute`, the two that a caller needs: everything
      up to the allocation of the result, and everything after. The `#nacho.step` of
      the latter is all that a caller has to know of the functions.

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

    With `single-pass`, nests do not count if only the entries of the last level
    would have to be counted, and counting would take as long as appending: nests
    that scatter, make lists, or intersect. A part appends no more entries than its
    cost, so that the cuts say where it may write in a *draft* of the result:

    - `@kernel_plan` finds the cuts; the offset of a part is the cost of all parts
      before it;
    - `@kernel_compute` appends, and stores how many entries each part appended;
      `@kernel_execute` scans these counts;
    - `@kernel_compact` moves the entries together. Every worker moves the same
      number of entries and positions, however many the parts have.
  }];
  let options = [
    Option<"singlePass", "single-pass", "bool", /*default=*/"false",
           "Append to drafts, without counting first">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"
  ];
}

#endif // NACHO_TRANSFORMS_PASSES
