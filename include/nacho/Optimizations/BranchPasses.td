//===- BranchPasses.td - Rewrites of branches in loops -----*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_BRANCH_PASSES
#define NACHO_OPTIMIZATIONS_BRANCH_PASSES

include "mlir/Pass/PassBase.td"

def NachoNestBranches : Pass<"nacho-nest-branches", "::mlir::func::FuncOp"> {
  let summary = "Do what depends on a lookup only if the lookup finds something";
  let description = [{
    Most lookups of a masked product find nothing. What follows from a lookup is a
    condition, and a branch that adds to a sum if it holds; in between, elements are
    loaded and multiplied that only this branch needs. The branch becomes a part of the
    one in which the lookup found something, and so does what only the branch needs: if
    nothing is found, nothing else is done.

    Before:
    ```mlir
    %position, %found = scf.if %marked -> (index, i1) {
      "search"
      scf.yield %p, %f : index, i1
    } else {
      scf.yield %c0, %false : index, i1
    }
    %inside = arith.cmpi ult, %position, %end : index
    %there = arith.andi %found, %inside : i1
    %x = memref.load %values[%i] : memref<?xf64>
    scf.if %there {
      "add"(%x)
    }
    ```
    After:
    ```mlir
    scf.if %marked {
      "search"
      %inside = arith.cmpi ult, %p, %end : index
      %there = arith.andi %f, %inside : i1
      scf.if %there {
        %x = memref.load %values[%i] : memref<?xf64>
        "add"(%x)
      }
    }
    ```

    Nothing may be written from the first branch up to the second.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def NachoUnswitchLoops : Pass<"nacho-unswitch-loops", "::mlir::func::FuncOp"> {
  let summary = "Choose the kind of a table once, not in each step of a loop";
  let description = [{
    A table may be dense, or need a search. That is the same for all steps of a loop
    that looks coordinates up. So there are two loops, one for each kind of table; the
    one for dense tables has no loop inside.

    Before:
    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %at = scf.if %isDense -> (index) {
        scf.yield %key : index
      } else {
        scf.while ...
      }
      "use"(%at)
    }
    ```
    After:
    ```mlir
    scf.if %isDense {
      scf.for %p = %begin to %end step %c1 {
        "use"(%key)
      }
    } else {
      scf.for %p = %begin to %end step %c1 {
        scf.while ...
        "use"(%at)
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // NACHO_OPTIMIZATIONS_BRANCH_PASSES
