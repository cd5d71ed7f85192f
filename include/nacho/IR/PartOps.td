//===- PartOps.td - Stage `assemble`: ops of a part --------*- tablegen -*-===//
//
// Assembly repeats the loops of a nest inside of each part. A loop that does no
// more than what one of these ops does becomes that op.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_PART_OPS
#define NACHO_IR_PART_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"
include "mlir/Interfaces/LoopLikeInterface.td"

def Nacho_CountOp : Nacho_Op<"count", [
    AttrSizedOperandSegments, NoMemoryEffect]> {
  let summary = "how many coordinates a coiteration would visit";
  let description = [{
    The number of coordinates at which the merge expression holds, between the two
    cuts if given. The operands are those of `nacho.coiterate`, but no body runs at the
    coordinates, so they need not be visited one by one, nor in order. The cuts go
    through one loop only, since no loop lies inside.

    ```mlir
    #SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
    !A0 = !nacho.fiber<tensor<?xf64, #SV>, 0>
    // The number of coordinates in A u (B n C), within one part.
    func.func @count(%A0: !A0, %B0: !A0, %C0: !A0,
                     %lo: !nacho.cut<3>, %hi: !nacho.cut<3>) -> index {
      %count = nacho.count of (%A0 : !A0, %B0 : !A0, %C0 : !A0)
          in union(%A0, intersect(%B0, %C0)) between (%lo, %hi : !nacho.cut<3>)
      return %count : index
    }
    ```
  }];
  let arguments = (ins Variadic<Nacho_FiberType>:$fibers,
                       Variadic<Nacho_FiberType>:$guards,
                       Optional<Index>:$extent,
                       Optional<Nacho_CutType>:$lower,
                       Optional<Nacho_CutType>:$upper,
                       Nacho_MergeAttr:$merge);
  let results = (outs Index:$count);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$fibers, "::mlir::ValueRange":$guards,
                   "::mlir::Value":$extent, "::nacho::MergeAttr":$merge,
                   CArg<"::mlir::Value", "{}">:$lower,
                   CArg<"::mlir::Value", "{}">:$upper), [{
      build($_builder, $_state, $_builder.getIndexType(), fibers, guards, extent,
            lower, upper, merge);
    }]>
  ];
}

def Nacho_AccumulateOp : Nacho_Op<"accumulate", [
    AttrSizedOperandSegments, Nacho_EndsWithYield, SingleBlock,
    DeclareOpInterfaceMethods<LoopLikeOpInterface>]> {
  let summary = "add a term to each sum of a row";
  let description = [{
    Each buffer of `sums` has a row for each entry that is being summed up, and the row
    has a sum for each coordinate of the innermost levels of the result. The op does,
    shown for addition,

        for n = 0 to length:
          sums[row, first + n] = sums[row, first + n] + term(n)

    and likewise for any other operator that reduces. The region computes the terms, one
    for each buffer, from the number n. It has no effects and reads tensors only, so the
    sums may be computed in any order of n, or several at a time. A buffer that is named
    twice gets its two terms one after the other. Nothing is added if the condition is
    false.

    ```mlir
    #Dense = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : dense) }>
    // sums[row, k] += a * B[j, k] for k < N
    func.func @f(%a: f64, %B: tensor<?x?xf64, #Dense>, %j: index, %N: index,
                 %sums: memref<?x?xf64>, %row: index) {
      %c0 = arith.constant 0 : index
      nacho.accumulate add into %sums at [%row, %c0] to %N : memref<?x?xf64> {
      ^bb0(%k: index):
        %b = nacho.locate %B[%j, %k] : tensor<?x?xf64, #Dense>
        %product = nacho.binary mul %a, %b : f64
        nacho.yield %product : f64
      }
      return
    }
    ```
  }];
  let arguments = (ins Nacho_MonoidAttr:$monoid,
                       Arg<Variadic<MemRefRankOf<[AnyType], [2]>>, "rows of sums",
                           [MemRead, MemWrite]>:$sums,
                       Index:$row, Index:$first, Index:$length,
                       Optional<I1>:$condition);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `` $monoid `into` $sums `at` `[` $row `,` $first `]` `to` $length
    (`if` $condition^)? attr-dict `:` type($sums) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// The number of the sum in the row, from 0 on.
    ::mlir::BlockArgument getNumber() { return getBodyBlock()->getArgument(0); }
    ::mlir::OperandRange getTerms() {
      return getBodyBlock()->getTerminator()->getOperands();
    }
  }];
}

def Nacho_EachLaneOp : Nacho_Op<"each_lane", [
    NoMemoryEffect, Nacho_EndsWithYield, SingleBlock]> {
  let summary = "compute with the elements of vectors, lane by lane";
  let description = [{
    The region gets the elements of the vectors in one lane, and yields the elements of
    the results in that lane. Values from outside are the same in all lanes. This way
    operators on elements need not support vectors.

    ```mlir
    // next = sum + a * b
    func.func @f(%sum: vector<8xf64>, %a: f64, %b: vector<8xf64>) -> vector<8xf64> {
      %next = nacho.each_lane (%sum, %b) : (vector<8xf64>, vector<8xf64>) -> vector<8xf64> {
      ^bb0(%x: f64, %y: f64):
        %product = nacho.binary mul %a, %y : f64
        %z = nacho.binary add %x, %product : f64
        nacho.yield %z : f64
      }
      return %next : vector<8xf64>
    }
    ```
  }];
  let arguments = (ins Variadic<VectorOfRankAndType<[1], [AnyType]>>:$vectors);
  let results = (outs Variadic<VectorOfRankAndType<[1], [AnyType]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $vectors `)` attr-dict `:` functional-type($vectors, $results) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
  }];
}

#endif // NACHO_IR_PART_OPS
