//===- StepAttrs.td - Attributes of a step, for its callers ---------------===//
//
// The contract between the passes and whoever calls what they make.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_STEP_ATTRS
#define NACHO_IR_STEP_ATTRS

include "nacho/IR/NachoAttrs.td"

class Nacho_PlainParameter<string type, string described>
    : AttrParameter<"::nacho::" # type, described>;

def Nacho_StepLoopAttr : Nacho_Attr<"StepLoop", "step_loop"> {
  let summary = "a loop that is cut";
  let description = [{
    The name of its index, which may be empty, and the accesses that have positions in
    the loop, by their numbers in `#nacho.step_cuts`. A loop is `full` if it visits all
    coordinates; any other visits those that its accesses have, or some of them.

    ```mlir
    module attributes { test.loop = #nacho.step_loop<"i"[0, 1]>,
                        test.full = #nacho.step_loop<"j"[0] full> } {}
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        ArrayRefParameter<"unsigned">:$accesses,
                        "bool":$isFull);
  let hasCustomAssemblyFormat = 1;
}

def Nacho_StepMergeAttr : Nacho_Attr<"StepMerge", "step_merge"> {
  let summary = "an innermost loop that merges two arrays of coordinates";
  let description = [{
    The union or the intersection of two levels, each written as `level of argument`.

    ```mlir
    module attributes { test.merge = #nacho.step_merge<union(1 of 0, 1 of 1)> } {}
    ```
  }];
  let parameters = (ins "::nacho::MergeKind":$kind,
                        Nacho_PlainParameter<"OfArgument", "a level">:$left,
                        Nacho_PlainParameter<"OfArgument", "a level">:$right);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Nacho_StepCutsAttr : Nacho_Attr<"StepCuts", "step_cuts"> {
  let summary = "how a step is cut into parts";
  let description = [{
    - `accesses`: what the nest reads of its sparse arguments, each written as `number
      of the access in the assignment, of argument`;
    - `loops`: those that are cut, outermost first. A cut has a cost, a coordinate
      for each of them, and then a position for each of their accesses;
    - `cost`: what counts as work;
    - `delta`: how much less than its query a cut may cost, -1 if there is no bound that
      holds for all operands;
    - `merge`: what the innermost loop merges, if that is the last one that is cut and
      merges two arrays of coordinates of one type.

    ```mlir
    module attributes { test.cuts = #nacho.step_cuts<
      accesses = [0 of 0, 1 of 1], loops = [<"i"[0, 1]>, <"j"[0, 1]>],
      cost = <entries, steps>, delta = 2, merge = <union(1 of 0, 1 of 1)>> } {}
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::nacho::OfArgument">:$accesses,
    ArrayRefParameter<"::nacho::StepLoopAttr">:$loops,
    "::nacho::CostModelAttr":$cost,
    "int64_t":$delta,
    OptionalParameter<"::nacho::StepMergeAttr">:$merge
  );
  let assemblyFormat = [{
    `<` struct(custom<OfArguments>($accesses), custom<StepLoops>($loops), $cost,
               $delta, $merge) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The numbers in a row of a buffer that stores a cut.
    int64_t getNumColumns() const;
  }];
}

def Nacho_FillingKind : Nacho_Enum<"FillingKind",
                                   "how parts know where their entries go", [
  I32EnumAttrCase<"counted", 0>, I32EnumAttrCase<"drafted", 1>,
  I32EnumAttrCase<"inTurn", 2, "in_turn">
]>;

def Nacho_StepBuffersAttr : Nacho_Attr<"StepBuffers", "step_buffers"> {
  let summary = "what the functions of a step take and fill";
  let description = [{
    - `name`: the functions are called `name_partition`, `name_plan`, `name_execute`
      and, of a draft, `name_compact`;
    - `result`: the type of the tensor whose arrays are filled;
    - `counts`: the columns of the buffers of counts and offsets; 0 if there are none;
    - `partials`: the types of partial entries, one buffer for each;
    - `partialRows`: the rows that each part has in each of these buffers;
    - `fixedParts`: the sums of several parts, in these rows or in a list, are added up
      to entries of the result. The number of parts then depends on the cost of the step
      and on the size of a row alone, so that the entries are the same whatever number
      of parts or threads a caller asks for;
    - `collect`: how the nest collects its entries, as `#nacho.collect` says;
    - `filling`: whether parts append where they have `counted` that their entries go;
      or what is executed is `drafted`, a draft of the result, to be compacted; or parts
      append to drafts of their threads, and move their entries to the result `in_turn`;
    - `workspaceLevel`: the level of the result at whose coordinates entries are added
      up in workspaces, if the nest collects them so;
    - `tables`: the fibers whose children are found by their coordinates, each written
      as `level of argument`. The functions take a table for each;
    - `buckets`: a level of an argument whose coordinates are the buckets, if the nest
      collects its entries in `buckets`;
    - `kept`: what a scanned list keeps in its levels after those with coordinates. These
      are positions in levels of arguments, where children of entries in such levels
      `end`, or any other `number`. Of an argument that is a list, it is the level that
      keeps the same;
    - `together`: parts that may differ in cost by more than a bound are started together
      by a device, which does not count those that cost too much.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    module attributes { test.buffers = #nacho.step_buffers<
      name = "kernel", result = tensor<?x?xf64, #CSR>, counts = 1, partials = [f64],
      collect = whole_rows, workspaceLevel = 1, tables = [1 of 0]> } {}
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    "::mlir::RankedTensorType":$result,
    DefaultValuedParameter<"int64_t", "0">:$counts,
    OptionalArrayRefParameter<"::mlir::Type">:$partials,
    DefaultValuedParameter<"unsigned", "2">:$partialRows,
    DefaultValuedParameter<"bool", "false">:$fixedParts,
    DefaultValuedParameter<"::nacho::CollectKind",
                           "::nacho::CollectKind::inOrder">:$collect,
    DefaultValuedParameter<"::nacho::FillingKind",
                           "::nacho::FillingKind::counted">:$filling,
    OptionalParameter<"::std::optional<unsigned>">:$workspaceLevel,
    OptionalArrayRefParameter<"::nacho::OfArgument">:$tables,
    OptionalArrayRefParameter<"::nacho::OfArgument">:$buckets,
    OptionalArrayRefParameter<"::nacho::KeptNumber">:$kept,
    DefaultValuedParameter<"bool", "false">:$together
  );
  let assemblyFormat = [{
    `<` struct($name, $result, $counts, custom<BracketedTypes>($partials),
               $partialRows, $fixedParts, $collect, $filling, $workspaceLevel,
               custom<OfArguments>($tables), custom<OfArguments>($buckets),
               custom<KeptNumbers>($kept), $together) `>`
  }];
  let genVerifyDecl = 1;
}

def Nacho_StepAttr : Nacho_Attr<"Step", "step"> {
  let summary = "what callers have to know of a step of a kernel";
  let description = [{
    A kernel is a list of *steps*, each of which is one nest. Their functions say in
    the attribute `nacho.step`, which is all that callers read:

    - `inputs`: which tensor each of the first arguments is, an `operand` of the kernel or
      the result of an earlier `step`. Written by `nacho-isolate-nests`; a function
      without takes the operands in order;
    - `cuts`: how the nest is cut into parts. Written by `nacho-partition-loops`;
    - `buffers`: what the functions that the step becomes take and fill. Written by
      `nacho-assemble-outputs` on the function that executes the step;
    - `reads`: for each input, the names of the loops over the levels of each access to
      it, which are empty where no loop is known. Written with the cuts;
    - `makes`: the names of the loops over the levels of the result, as well.

    It names tensors, and so is there as long as the functions take tensors: until
    `convert-nacho-storage-to-memref`.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    func.func private @kernel(tensor<?xf64, #SV>, tensor<?xf64, #SV>, index)
        -> tensor<?xf64, #SV> attributes {nacho.step = #nacho.step<
      inputs = [step 0, operand 2],
      cuts = <accesses = [0 of 0, 1 of 1], loops = [<"i"[0, 1]>],
              cost = <entries, steps, units>, delta = 2>,
      reads = [[["i"]], [["i"]]], makes = ["i"]
    >}
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::nacho::StepSource">:$inputs,
    OptionalParameter<"::nacho::StepCutsAttr">:$cuts,
    OptionalParameter<"::nacho::StepBuffersAttr">:$buffers,
    OptionalParameter<"::mlir::ArrayAttr">:$reads,
    OptionalParameter<"::mlir::ArrayAttr">:$makes
  );
  let assemblyFormat = [{
    `<` struct(custom<StepSources>($inputs), $cuts, $buffers, $reads, $makes) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The step of a function; if it has none, one that takes the first
    /// arguments as so many operands.
    static StepAttr ofFunction(::mlir::Operation *func, unsigned numOperands);
  }];
}

#endif // NACHO_IR_STEP_ATTRS
