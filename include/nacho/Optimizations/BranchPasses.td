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
  let summary = "List the steps of a loop that find something, and run only these";
  let description = [{
    Whether a step that looks a coordinate up finds it cannot be foreseen: a processor
    that foresees it wrongly loses the time of several steps. So the steps that find
    something are listed first, which takes no branch, and only they run. The list has a
    bounded size: a loop of many steps is cut into pieces. A loop of fewer than ten steps
    runs as it is.

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
    %busy = memref.alloca() : memref<256xindex>
    %steps = arith.subi %end, %begin : index
    %areFew = arith.cmpi slt, %steps, %c10 : index
    %sum = scf.if %areFew -> (f64) {
      // The loop as before.
      scf.yield %same : f64
    } else {
      %listed = scf.for %from = %begin to %end step %c256 iter_args(%before = %zero) -> (f64) {
        %next = arith.addi %from, %c256 : index
        %to = arith.minsi %next, %end : index
        %count = scf.for %p = %from to %to step %c1 iter_args(%n = %c0) -> (index) {
          memref.store %p, %busy[%n] : memref<256xindex>
          %k = memref.load %coordinates[%p] : memref<?xindex>
          %isThere = memref.load %bits[%k] : memref<?xi1>
          %one = arith.index_castui %isThere : i1 to index
          %more = arith.addi %n, %one : index
          scf.yield %more : index
        }
        %after = scf.for %n = %c0 to %count step %c1 iter_args(%before = %before) -> (f64) {
          %p = memref.load %busy[%n] : memref<256xindex>
          // The step as before, which has found something.
          scf.yield %x : f64
        }
        scf.yield %after : f64
      }
      scf.yield %listed : f64
    }
    ```

    Only what is looked up first decides whether a step is listed: others are tested as
    before. A coordinate outside of its extent is listed, so that the step reports it.

    With `gathers`, vectors look coordinates of 32 bits up, 16 at once, if a loop of at
    least eight steps seeks them in one table. Up to four such vectors keep what they have
    found, and leave a word with a bit for each step that has found something:
    ```mlir
    %after = scf.for %n = %c0 to %count step %c1 iter_args(%bits = %all, %before = %sum) -> (i64, f64) {
      %step = math.cttz %bits : i64
      // The step %from + %step, which does not look its element up again.
      scf.yield %others, %x : i64, f64
    }
    ```
    Coordinates outside of their extent are reported once for these steps. And a loop that
    starts an element if the bit of its coordinate is not set, and adds to it otherwise,
    tests 16 bits at once: where all are set, no step tests its own.

    Before:
    ```mlir
    %outside = scf.for %p = %begin to %end step %c1 iter_args(%old = %false) -> (i1) {
      %k = memref.load %coordinates[%p] : memref<?xindex>
      %word = memref.load %bits[%k] : memref<?xi64>
      %isNew = arith.cmpi eq, %word, %zero : i64
      scf.if %isNew {
        "start"(%k)
      } else {
        "add"(%k)
      }
      %beyond = arith.cmpi uge, %k, %extent : index
      %either = arith.ori %old, %beyond : i1
      scf.yield %either : i1
    }
    ```
    After, for steps that fill a vector:
    ```mlir
    %ks = vector.load %coordinates[%from] : memref<?xindex>, vector<16xindex>
    %words = vector.gather %bits[%c0] [%ks], %all, %zeros
        : memref<?xi64>, vector<16xindex>, vector<16xi1>, vector<16xi64> into vector<16xi64>
    %areNew = arith.cmpi eq, %words, %zeros : vector<16xi64>
    %beyond = arith.cmpi uge, %ks, %extents : vector<16xindex>
    %isAny = vector.reduction <or>, %areNew : vector<16xi1> into i1
    %outside = scf.if %isAny -> (i1) {
      // The steps as before.
      scf.yield %same : i1
    } else {
      scf.for %p = %from to %next step %c1 {
        %k = memref.load %coordinates[%p] : memref<?xindex>
        "add"(%k)
      }
      %wrong = vector.reduction <or>, %beyond : vector<16xi1> into i1
      %either = arith.ori %old, %wrong : i1
      scf.yield %either : i1
    }
    ```
    Lanes of a GPU take the steps of different rows: there, this pass does not run.
  }];
  let options = [
    Option<"gathers", "gathers", "bool", /*default=*/"false",
           "List vectors of steps, which gather what they look up">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // NACHO_OPTIMIZATIONS_BRANCH_PASSES
