//===- NestPasses.td - Passes from statements to nests -----*- tablegen -*-===//

#ifndef NACHO_TRANSFORMS_NESTPASSES
#define NACHO_TRANSFORMS_NESTPASSES

include "mlir/Pass/PassBase.td"

def Nacho_CostOption : Option<"cost", "cost", "std::string", "\"time\"",
    "What counts as work: nnz, nnz+loops, flops, time, or a #nacho.cost_model">;

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

def NachoFindCoordinates : Pass<"nacho-find-coordinates"> {
  let summary = "Look up coordinates in fibers that would be merged again and again";
  let description = [{
    A fiber of the innermost loop may be the same in every iteration of the loop around
    it, such as a row of a mask, and would be stepped through each time. If the other
    fibers decide which coordinates to visit, the pass reads the fiber only once, into a
    table, in which the innermost loop looks up its coordinates.

    Parts that share a row each fill a table of their own. With `seek-shared`, only
    nests that leave rows whole have tables; in others the fiber is searched. With
    `seek-in-lanes`, it is searched in nests that leave rows whole: the lanes of a warp
    do that together, each for coordinates of its own, but would fill a table one after
    the other.

    Before:
    ```mlir
    nacho.coiterate %i of (%M1 = %M0, %A1 = %A0) in intersect(%M1, %A1) {
      nacho.coiterate %j of (%A2 = %A1, %B1 = %B0) in intersect(%A2, %B1) {
        nacho.coiterate %k of (%M2 = %M1, %B2 = %B1) in intersect(%M2, %B2) {
          nacho.append %z at (%i, %k)
    ```
    After:
    ```mlir
    nacho.coiterate %i of (%M1 = %M0, %A1 = %A0) in intersect(%M1, %A1) {
      nacho.coiterate %j of (%A2 = %A1, %B1 = %B0) in intersect(%A2, %B1) {
        nacho.coiterate %k of (%B2 = %B1) in %B2 {
          %M2 = nacho.find %k in %M1
          %isThere = nacho.present %M2
          nacho.append %z at (%i, %k) if %isThere
    ```
  }];
  let options = [
    Option<"seekShared", "seek-shared", "bool", /*default=*/"false",
           "Search fibers of which several parts would need a table">,
    Option<"seekInLanes", "seek-in-lanes", "bool", /*default=*/"false",
           "Search fibers in nests of whole rows, which the lanes of a warp share">
  ];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::arith::ArithDialect"];
}

def NachoRemapIntersections
    : Pass<"nacho-remap-intersections", "::mlir::ModuleOp"> {
  let summary = "List the coordinates that outer intersections visit";
  let description = [{
    Recursive remapping (paper Alg. 2). An outer loop that skips coordinates of an
    operand makes costs wrong: they are differences of the operand's positions, and so
    include entries that no loop visits. The pass therefore runs such a loop first, in a
    nest of its own. That nest makes a list with an entry for each coordinate that the
    loop visits: the coordinate, the positions of the operands there, and the cost of
    the loops inside. The list stores the running sums of these costs. The rest of the
    nest then loops over the list. If a deeper loop skips coordinates, too, another nest
    loops over this list and makes the next one.

    A loop inside of the outermost loop that appends is not remapped: the entries that
    the outer loop appends would be lost where the inner loops visit nothing.

    The list leaves out coordinates at which the loops inside have nothing to do because
    a fiber below a dense level is empty there: that child has to be `nonempty`.

    An operand may have a row at some of the coordinates of a list, and rows that do not
    depend on the loops around. The loop would step through all of them again for each
    outer coordinate, which takes quadratic time. If another operand says which
    coordinates to visit, the rows are searched for these (`nacho.seek`), which takes
    logarithmic time for each, and no memory.

    Before:
    ```mlir
    %Z = nacho.nest {
      nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) in intersect(%A1, %B1) {
        nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in intersect(%A2, %B2) { body }
    ```
    After:
    ```mlir
    %L = nacho.nest collect<scanned_list> {
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

def NachoSplitHeavyRows : Pass<"nacho-split-heavy-rows", "::mlir::ModuleOp"> {
  let summary = "Compute rows that are too heavy for one part apart from the others";
  let description = [{
    A nest that collects `whole_rows` is cut between rows only. If it loops over a list
    `L`, light rows stay whole, but the elements of rows that are too heavy for a part
    (`nacho.heavy`) are listed, sorted and added up. They are sought, not found in tables.
    ```mlir
    %H, %K = ... // where the heavy rows of %L begin and end, and where the others do
    %E = nacho.nest collect<sorted_list> { over %L in %H: append at (%i, %k, %j) }
    %heavy = nacho.nest reduce add whole_entries { over %E: append at (%i, %k) }
    %light = nacho.nest collect<light_rows> reduce add { over %L in %K: append at (%i, %k) }
    %Z = nacho.nest { over the union of %heavy and %light: append at (%i, %k) }
    // With `pieces`, rows are cut by columns, if each entry of L has one fiber with them:
    %P = nacho.nest collect<piece_list> { over %L: append at (%i, %piece, %j) }
    %Z = nacho.nest collect<whole_rows> reduce add row_pieces 1 { over %P: append at (%i, %k) }
    ```
  }];
  let options = [Nacho_CostOption,
    Option<"pieces", "pieces", "unsigned", /*default=*/"0",
           "How often to cut rows, and then pieces, into pieces where that is possible">];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::arith::ArithDialect"];
}

def NachoIsolateNests : Pass<"nacho-isolate-nests", "::mlir::ModuleOp"> {
  let summary = "Give every nest a function of its own";
  let description = [{
    Replaces a function with several nests by one function for each nest, in the order
    in which they have to run. These functions are the steps of a kernel. The `inputs`
    of a function's `#nacho.step` say where its arguments come from: each is an operand
    of the original function, or the result of an earlier step. A function with just
    one nest stays as it is.

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
    Hierarchical search (paper Alg. 1), specialised to the nest: one `nacho.search` per
    loop, which searches inside of the coordinate that the search before it found, for
    the residual that that search left. The `cuts` of the function's `#nacho.step` tell
    callers which loops are cut.

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
    `#nacho.cost_model<entries, steps, units>`, `flops` for
    `#nacho.cost_model<products>`, `time` for
    `#nacho.cost_model<entries, steps, 4 * units>`. A unit belongs to a coordinate of an
    outer loop, and is charged at the first coordinate of the next loop inside it.

    If the innermost loops have no operands, but loops outside of them do, only those of
    the innermost loops are cut that run over indices of the result and lie outside of
    all reduced loops.
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

#endif // NACHO_TRANSFORMS_NESTPASSES
