//===- BranchPasses.td - Rewrites of branches in loops -----*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_BRANCH_PASSES
#define NACHO_OPTIMIZATIONS_BRANCH_PASSES

include "mlir/Pass/PassBase.td"

def NachoBranchOnLookups : Pass<"nacho-branch-on-lookups", "::mlir::func::FuncOp"> {
  let summary = "Do only what a lookup needs, and only if it finds something";
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

    An array of coordinates may have been edited since it was checked. So each step of
    a loop tests whether its coordinate is below the extent, and what the coordinate
    is an index of is accessed at the least of the coordinate and the last place. In an
    innermost loop, of which most steps look a coordinate up and find nothing, that is
    much of the work. One more branch does both, and is always taken as long as nobody
    edits the array.

    Before:
    ```mlir
    %outside = scf.for %p = %begin to %end step %c1 iter_args(%before = %false) -> (i1) {
      %k = memref.load %coordinates[%p] : memref<?xindex>
      %place = arith.minui %k, %last : index
      %isThere = memref.load %bits[%place] : memref<?xi1>
      scf.if %isThere {
        "use"(%place)
      }
      %isOutside = arith.cmpi uge, %k, %extent : index
      %either = arith.ori %before, %isOutside : i1
      scf.yield %either : i1
    }
    ```
    After:
    ```mlir
    %places = arith.addi %last, %c1 : index
    %bound = arith.minui %extent, %places : index
    %outside = scf.for %p = %begin to %end step %c1 iter_args(%before = %false) -> (i1) {
      %k = memref.load %coordinates[%p] : memref<?xindex>
      %isInside = arith.cmpi ult, %k, %bound : index
      %either = scf.if %isInside -> (i1) {
        %isThere = memref.load %bits[%k] : memref<?xi1>
        scf.if %isThere {
          "use"(%k)
        }
        scf.yield %before : i1
      } else {
        scf.yield %true : i1
      }
      scf.yield %either : i1
    }
    ```

    The result is refused if the loop reports a coordinate, so it does not matter what
    the other steps do. A place is clipped only where there is one for each coordinate
    below the extent, or where the call is refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NachoSkipSteps : Pass<"nacho-skip-steps", "::mlir::func::FuncOp"> {
  let summary = "Run over the steps of a loop that do nothing in a loop of their own";
  let description = [{
    Most steps of an innermost loop that looks coordinates up find nothing. What a step
    does if it finds something needs so many registers that others, such as the start
    of an array, are read from the stack in each step. A loop that only runs over steps
    that find nothing has all that it needs in registers.

    Before:
    ```mlir
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%before = %zero) -> (f64) {
      %k = memref.load %coordinates[%p] : memref<?xindex>
      %isThere = memref.load %bits[%k] : memref<?xi1>
      %after = scf.if %isThere -> (f64) {
        %x = "use"(%k, %before)
        scf.yield %x : f64
      } else {
        scf.yield %before : f64
      }
      scf.yield %after : f64
    }
    ```
    After:
    ```mlir
    %last, %sum = scf.while (%from = %begin, %before = %zero) : (index, f64) -> (index, f64) {
      %more = arith.cmpi slt, %from, %end : index
      scf.condition(%more) %from, %before : index, f64
    } do {
    ^bb0(%from: index, %before: f64):
      %p = scf.while (%at = %from) : (index) -> index {
        %isInside = arith.cmpi slt, %at, %end : index
        %isIdle = scf.if %isInside -> (i1) {
          %k = memref.load %coordinates[%at] : memref<?xindex>
          %isThere = memref.load %bits[%k] : memref<?xi1>
          %not = arith.xori %isThere, %true : i1
          scf.yield %not : i1
        } else {
          scf.yield %false : i1
        }
        scf.condition(%isIdle) %at : index
      } do {
      ^bb0(%at: index):
        %next = arith.addi %at, %c1 : index
        scf.yield %next : index
      }
      %isFound = arith.cmpi slt, %p, %end : index
      %sum = scf.if %isFound -> (f64) {
        // The step as before.
        scf.yield %after : f64
      } else {
        scf.yield %before : f64
      }
      %next = arith.addi %p, %c1 : index
      scf.yield %next, %sum : index, f64
    }
    ```

    A step that does something tests its conditions twice: first in the inner loop,
    which writes nothing, and then in the step. Lanes of a GPU would wait for each other
    at the end of each inner loop: there, this pass does not run.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // NACHO_OPTIMIZATIONS_BRANCH_PASSES
