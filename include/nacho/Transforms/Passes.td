//===- Passes.td - Passes from index notation to bounded loops ------------===//

#ifndef NACHO_TRANSFORMS_PASSES
#define NACHO_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

include "nacho/Transforms/FrontendPasses.td"
include "nacho/Transforms/StatementPasses.td"
include "nacho/Transforms/NestPasses.td"

def NachoAssembleOutputs : Pass<"nacho-assemble-outputs", "::mlir::ModuleOp"> {
  let summary = "Split each bounded nest into partition, assemble, compute";
  let description = [{
    From here on results, bounds and counts are buffers. A function `@kernel`
    with one bounded nest is replaced by

    - `@kernel_partition`: each worker searches for one cut, either of the whole nest
      or of a part that is to be cut again;
    - `@kernel_assemble`, unless every element has a known place: counts the entries
      that each part appends;
    - `@kernel_scan`: finds where each part begins to append, by a scan of the counts,
      and the sizes of the result;
    - `@kernel_fill`, only if the nest may leave elements of dense levels unwritten:
      sets all elements to the value that they have where nothing is appended;
    - `@kernel_compute`: appends the entries of each part, from where the scan says.
      Where several parts contribute to an entry, each of them keeps its own sum as
      a partial;
    - `@kernel_clear`, only if parts add to rows of sums for the whole result: clears them;
    - `@kernel_combine`, only if there are such entries: adds up the partials in order;
    - `@kernel_plan` and `@kernel_execute`, which a caller calls: the first does
      everything up to the allocation of the result, the second everything after it.
      The `#nacho.step` of `@kernel_execute` is all that a caller has to know. The
      functions that these two call are exported, too, for callers that run parts one
      by one; but not those of buckets, of nests that keep where rows of a list are,
      and where there are tiles, which are cut and counted together, neither
      `@kernel_assemble` nor `@kernel_scan`.

    With `device`, the functions are for a device whose host would have to wait for copies
    of what it wants to see. So `@kernel_plan` begins by checking the arrays of positions
    of operands in parallel, in the loop that cuts tiles if there are any, unless it has
    few workers. Where there are tiles, and parts may differ in cost, the
    loop that cuts tiles also sets `%earlier`, the status of the steps before, if a part
    costs more than `2 * total / parts + %excess`, and nothing is counted if it is set: the
    host reads that, the costs and the counts together. And all these parts are started
    at once, in no order. `@kernel_combine` has one loop, whose workers wait for those
    that combine smaller groups of parts (`nacho.await`). If all sizes follow from
    extents, and the nest reads a single sparse operand, `@kernel_run` does what
    `@kernel_plan` and `@kernel_execute` do: `nacho-join-tiles` lets a block compute the
    parts that it has cut.

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

    With `drafts=some`, a nest does not count if it would only have to count the entries of
    the last level, and if counting would take as long as appending. This is so for
    nests that scatter, make lists, or intersect. A part appends no more entries than it
    costs, so the costs of the cuts tell where each part may write in a *draft* of the
    result:
    - `@kernel_plan` finds the cuts; a part's offset is the cost of all parts before it;
    - `@kernel_compute` appends, and stores how many entries each part appended;
      `@kernel_execute` scans these counts;
    - `@kernel_compact` moves the entries together. Every worker moves the same
      number of entries and positions, whichever parts have appended them.

    With `drafts=unions`, nor does a nest count that unites operands. Nearly all entries
    of the draft are those of the result, so that each thread has a draft for a single
    part only, which stays in a cache. Where its entries go, a part learns from those
    before it, and moves them in its turn (`nacho.tile_scan`): there is nothing to
    compact. A single part appends to the result.
  }];
  let options = [
    Option<"drafts", "drafts", "::nacho::Drafts", "::nacho::Drafts::none",
           "Nests that append to drafts, without counting first", [{::llvm::cl::values(
             clEnumValN(::nacho::Drafts::none, "none", "None"),
             clEnumValN(::nacho::Drafts::some, "some", "Those that are not slower by it"),
             clEnumValN(::nacho::Drafts::unions, "unions", "Unions, too"))}]>,
    Option<"tile", "tile", "int64_t", "0", "Parts that find their cuts together; 0: each alone">,
    Option<"device", "device", "bool", "false",
           "Let @kernel_plan check what the host of a device does not see">];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // NACHO_TRANSFORMS_PASSES
