//===- VerifyPasses.td - The check of lowered code ---------*- tablegen -*-===//

#ifndef NACHO_CONVERSION_VERIFY_PASSES
#define NACHO_CONVERSION_VERIFY_PASSES

include "mlir/Pass/PassBase.td"

def NachoVerifyContract : Pass<"nacho-verify-contract", "::mlir::ModuleOp"> {
  let summary = "Refuse what a backend does not lower, or must not run";
  let description = [{
    ParallelOps.td states which operations a backend lowers. The pass refuses any other
    operation, which an earlier pass should have lowered. It also refuses operations of
    the contract that need something that the target lacks; such a kernel can only be
    compiled for other targets.

    Arrays of operands may hold anything, since their owner may edit them at any time.
    So the lowering compares each integer that it loads with a bound before it uses it
    as an index. The pass is the proof: it follows loaded integers to loads, stores,
    bounds of loops, and buffers of indices that other functions read, and refuses a
    function in which one arrives unchecked.

    ```mlir
    %stored = memref.load %A_crd[%p] : memref<?xi32>
    %crd = arith.index_castui %stored : i32 to index
    %x = memref.load %x_values[%crd]      // refused
    %last = arith.subi %extent, %c1
    %at = arith.minui %crd, %last
    %y = memref.load %x_values[%at]       // accepted
    ```

    Nor must a loop go on for as long as such arrays say. In every step of an
    `scf.while`, a position moves on that is compared with a bound, an interval or a
    number gets smaller, or a word has fewer bits.

    ```mlir
    scf.while (%p = %begin) : (index) -> index {       // accepted
      %more = arith.cmpi ult, %p, %end : index
      scf.condition(%more) %p : index
    } do {
    ^bb0(%p: index):
      %next = arith.addi %p, %c1 : index
      scf.yield %next : index
    }
    scf.while (%p = %begin) : (index) -> index {       // refused
      %stored = memref.load %crd[%p] : memref<?xindex>
      %more = arith.cmpi ne, %stored, %c0 : index
      ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The name of the backend, for diagnostics">,
    Option<"sorts", "sorts", "bool", /*default=*/"true", "It can sort">,
    Option<"workspaces", "workspaces", "bool", /*default=*/"true",
           "Its workers have slots">,
    Option<"tiles", "tiles", "bool", "true", "Parts of a tile share memory">];
}

#endif // NACHO_CONVERSION_VERIFY_PASSES
