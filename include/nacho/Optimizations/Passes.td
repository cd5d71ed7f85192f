//===- Passes.td - Passes that make loops faster -----------*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_PASSES
#define NACHO_OPTIMIZATIONS_PASSES

include "mlir/Pass/PassBase.td"

def NachoFlattenLists : Pass<"nacho-flatten-lists"> {
  let summary = "Merge lists of entries by one key each";
  let description = [{
    Loops that take lists (COO) apart, level by level, have an overhead at each level,
    which pays badly if few entries share their first coordinates. If all loops of a
    nest step through the same lists, and the result is a list or a scalar, one loop
    over the keys of `nacho.flatten` does the same: to unite or intersect lists is to
    unite or intersect sets of keys. Trees (CSF) can be intersected this way, too, if
    vectors of keys can be made: to find all coordinates of a single entry takes a
    search in each level.

    Before:
    ```mlir
    nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) in union(%A1, %B1) {
      nacho.coiterate %j of (%A2 = %A1, %B2 = %B1) in union(%A2, %B2) {
        %a = nacho.load %A2
        nacho.append %a at (%i, %j)
    ```
    After:
    ```mlir
    %A_flat = nacho.flatten %A
    %A0 = nacho.root %A_flat
    nacho.coiterate %ij of (%A1 = %A0, %B1 = %B0) in union(%A1, %B1) {
      %i = nacho.unflatten 0 of %ij in %A
      %j = nacho.unflatten 1 of %ij in %A
      %a = nacho.load %A1
      nacho.append %a at (%i, %j)
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
  let options = [
    Option<"dynamic", "dynamic", "bool", "false",
           "Assume that keys of dynamic shapes have at most 62 bits">,
    Option<"trees", "trees", "bool", "true",
           "Intersect trees by keys, too, of which loops make vectors">
  ];
}

def NachoPrefetchRows : Pass<"nacho-prefetch-rows"> {
  let summary = "Prefetch rows of dense tensors";
  let description = [{
    A loop over stored coordinates that selects a row of a dense tensor in each
    iteration waits for memory each time, for the processor cannot predict where the
    next row begins. But the coordinates of later iterations are stored, so the loop can
    prefetch rows some iterations before they are needed.

    Before:
    ```mlir
    nacho.coiterate %j of (%A2 = %A1) in %A2 {
      nacho.coiterate %k to %N of () in intersect() {
        %d = nacho.locate %D[%j, %k]
    ```
    After:
    ```mlir
    nacho.coiterate %j of (%A2 = %A1) in %A2 {
      %later = nacho.ahead %A2 by 16
      nacho.prefetch_row %D[%later]
      nacho.coiterate %k to %N of () in intersect() {
        %d = nacho.locate %D[%j, %k]
    ```
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoCountUnions : Pass<"nacho-count-unions", "::mlir::func::FuncOp"> {
  let summary = "Count unions by what their operands have in common";
  let description = [{
    |A u B| = |A| + |B| - |A n B|: the count of a union is replaced by three simpler
    counts. The counts of A and of B are differences of positions; they need no loop.

    Before:
    ```mlir
    %n = nacho.count of (%A1, %B1) in union(%A1, %B1)
    ```
    After:
    ```mlir
    %nA = nacho.count of (%A1, %B1) in %A1
    %nB = nacho.count of (%A1, %B1) in %B1
    %nAB = nacho.count of (%A1, %B1) in intersect(%A1, %B1)
    %n = %nA + %nB - %nAB
    ```

    For a third operand, |A u B u C| = |A u B| + |C| - |(A u B) n C|, and likewise for a
    fourth. With more than two operands, this is less work only if the intersections
    compare `blocks` of coordinates, all of which must have the same bit width.
  }];
  let options = [
    Option<"blocks", "blocks", "bool", /*default=*/"false",
           "There are vector registers: count unions of three and four operands">,
  ];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::arith::ArithDialect"];
}

def NachoKeepSums : Pass<"nacho-keep-sums", "::mlir::func::FuncOp"> {
  let summary = "Keep rows of sums in registers";
  let description = [{
    A loop that adds a whole row to a row of sums for each stored coordinate loads and
    stores all these sums in every step, and each step waits for the one before. If a
    loop only adds to such rows, this pass lets it run for one strip of the rows after
    the other, so that the sums of a strip stay in vector registers. Each sum adds up
    its terms in the same order as before. Where the rows do not fill a strip, strips of
    half the size are next, and the last of these is masked; it has a quarter of the size
    if that is enough.

    What adds to the same rows right before the loop and after it does so in the same
    registers. A loop before all these that gives the sums a first value is merged, and
    so is one that copies the row afterwards. If nobody reads the sums after that copy
    (`nacho.last_read`), they are stored only where it is not made.

    Before:
    ```mlir
    nacho.coiterate %j of (%A2 = %A1) in %A2 {
      %a = nacho.load %A2
      nacho.accumulate add into %sums at [%row, %c0] to %N {
      ^bb0(%n: index):
        %b = nacho.locate %B[%j, %n]
        %product = nacho.binary mul %a, %b
        nacho.yield %product
      }
    }
    ```
    After, for doubles in strips of 2048 bits:
    ```mlir
    scf.for %s = %c0 to %N - %N mod 32 step %c32 {
      %set = arith.constant dense<true> : vector<32xi1>
      %strip = vector.load %sums[%row, %s]
      %all = nacho.coiterate %j of (%A2 = %A1) in %A2 iter_args(%sum = %strip) {
        %a = nacho.load %A2
        %b = nacho.locate %B[%j, %s] lanes %set
        %next = nacho.each_lane (%sum, %b) {
        ^bb0(%x: f64, %y: f64):
          %product = nacho.binary mul %a, %y
          %z = nacho.binary add %x, %product
          nacho.yield %z
        }
        nacho.yield %next
      }
      vector.store %all, %sums[%row, %s]
    }
    // The same for a strip of 16, and for a masked one, of 16 or 8.
    ```

    With `threads`, strips have as many sums, of which `nacho-share-parts` leaves one to
    each thread of a warp; and the masked strip is no smaller.
  }];
  let options = [
    Option<"stripBits", "strip-bits", "unsigned", /*default=*/"2048",
           "Bits of vector registers that the sums of a strip take">,
    Option<"threads", "threads", "int64_t", /*default=*/"0",
           "Sums of a strip, each of which a thread of a warp keeps; 0: no warps">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

include "nacho/Optimizations/BranchPasses.td"
include "nacho/Optimizations/SumPasses.td"
include "nacho/Optimizations/TilePasses.td"

#endif // NACHO_OPTIMIZATIONS_PASSES
