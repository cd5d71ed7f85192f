//===- NestOps.td - Stage `loops`: the nest of a result --*- tablegen -*-===//

#ifndef NACHO_IR_NEST_OPS
#define NACHO_IR_NEST_OPS

include "nacho/IR/NachoAttrs.td"
include "nacho/IR/NachoTypes.td"

def Nacho_NestOp : Nacho_Op<"nest", [Nacho_EndsWithYield, SingleBlock]> {
  let summary = "a loop nest whose appends make up one result";
  let description = [{
    The body is one chain of `nacho.coiterate` ops; other loops inside the chain have
    no fibers. Entries are appended in the order of the result's levels. With `reduce`,
    the entries appended at the same coordinates are reduced to one. Reduced loops lie
    inside the loops over the result's coordinates, except that loops over all
    coordinates of the result's last levels may lie inside reduced loops. A `finish`
    region computes the entry from several reductions, one per argument.

    `collect` says how the nest collects entries that are not appended in that order
    (see `#nacho.collect`). With `part_sums`, `whole_rows` and `light_rows`, a workspace
    holds one row: the entries of one level inside the *outer* loops, which are the
    loops before the first loop whose coordinate is not appended. When the outer loops
    move on, the row is appended and the workspace is emptied. A nest that collects
    `whole_rows` or `light_rows` reduces stored elements only, or by addition, and only
    its outer loops are cut. With `part_sums`, `reduce` is what each part combines
    elements with, and is addition if it is not written.

    With `whole_entries`, every entry of the result is reduced by one part, in the order
    in which the loops visit its elements: only loops over coordinates of the result are
    cut, so that the result does not depend on the cuts.

    With `row_pieces` n, the rows of a nest that collects `whole_rows` come in pieces. The
    n loops directly inside of the loops over rows visit the pieces of a row, the pieces
    of these, and so on, which have coordinates in ranges of their own, in order. They are
    outer loops, too: a workspace holds one piece, and parts own whole pieces.

    With `cuts` the nest runs part by part. Once `--nacho-bound-loops` has bounded the
    loops, the body has two arguments: the cuts where the current part begins and ends.
    The cuts go through the outermost loops; the loops inside those run as a whole.

    ```mlir
    #DCSR = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed, d1 : compressed) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 0>
    !A1 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 1>
    !A2 = !nacho.fiber<tensor<?x?xf64, #DCSR>, 2>
    // while i <- rows(A) u rows(B):
    //   while j <- cols(A[i]) u cols(B[i]):
    //     Z[i, j] = A[i, j] + B[i, j]
    func.func @dcsr_add(%A: tensor<?x?xf64, #DCSR>, %B: tensor<?x?xf64, #DCSR>)
        -> tensor<?x?xf64, #DCSR> {
      %A0 = nacho.root %A : tensor<?x?xf64, #DCSR>
      %B0 = nacho.root %B : tensor<?x?xf64, #DCSR>
      %Z = nacho.nest : tensor<?x?xf64, #DCSR> {
        nacho.coiterate %i of (%A1 = %A0 : !A0, %B1 = %B0 : !A0) in union(%A1, %B1) {
          nacho.coiterate %j of (%A2 = %A1 : !A1, %B2 = %B1 : !A1) in union(%A2, %B2) {
            %a = nacho.load %A2 : !A2
            %b = nacho.load %B2 : !A2
            %z = nacho.binary add %a, %b : f64
            nacho.append %z at (%i, %j) : f64
          }
        }
        nacho.yield
      }
      return %Z : tensor<?x?xf64, #DCSR>
    }
    ```
  }];
  let arguments = (ins Optional<Nacho_CutsType>:$cuts,
                       OptionalAttr<Nacho_MonoidAttr>:$reduce,
                       DefaultValuedAttr<Nacho_CollectAttr,
                                         "CollectKind::inOrder">:$collect,
                       UnitAttr:$wholeEntries,
                       DefaultValuedAttr<I64Attr, "0">:$rowPieces);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body, MaxSizedRegion<1>:$finish);
  let assemblyFormat = [{
    (`collect` `` $collect^)? (`reduce` `` $reduce^)?
    (`whole_entries` $wholeEntries^)? (`row_pieces` $rowPieces^)? (`in` $cuts^ `:` type($cuts))? attr-dict
    `:` type($result) $body (`finish` $finish^)?
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The loops of the chain, outermost first.
    ::llvm::SmallVector<CoiterateOp> getLoops();
    /// The types of the appended values, one for each reduction.
    ::llvm::SmallVector<::mlir::Type> getAppendedTypes();
    /// The number of loops that may be cut, counted from the outermost.
    unsigned getMaxCutLoops();
    /// The loops of the chain that are cut, outermost first.
    ::llvm::SmallVector<CoiterateOp> getCutLoops();
  }];
}

def Nacho_PartOp : Nacho_Op<"part", [Pure]> {
  let summary = "the number of the part that runs these loops";
  let description = [{
    Distinguishes the sums of different parts in a nest that collects `part_sums`.

    ```mlir
    #CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
    #List = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    !A0 = !nacho.fiber<tensor<?x?xf64, #CSR>, 0>
    !A1 = !nacho.fiber<tensor<?x?xf64, #CSR>, 1>
    !A2 = !nacho.fiber<tensor<?x?xf64, #CSR>, 2>
    // E[j, part] = the part's sum of A[i, j] over i
    func.func @columns(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #List> {
      %A0 = nacho.root %A : tensor<?x?xf64, #CSR>
      %E = nacho.nest collect<part_sums> : tensor<?x?xf64, #List> {
        nacho.coiterate %i of (%A1 = %A0 : !A0) in %A1 {
          nacho.coiterate %j of (%A2 = %A1 : !A1) in %A2 {
            %a = nacho.load %A2 : !A2
            %part = nacho.part
            nacho.append %a at (%j, %part) : f64
          }
        }
        nacho.yield
      }
      return %E : tensor<?x?xf64, #List>
    }
    ```
  }];
  let results = (outs Index:$part);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Nacho_HeavyOp : Nacho_Op<"heavy", [Pure, HasParent<"CoiterateOp">]> {
  let summary = "whether a row of a list costs too much for one part";
  let description = [{
    Compares the cost of a fiber of a scanned list with the share of the list's cost
    that each part has. A part that got a heavy row whole would have to do more than a
    quarter of a share above its own.

    ```mlir
    #List = #sparse_tensor.encoding<{
      map = (d0, d1, d2) -> (d0 : compressed(nonunique), d1 : singleton(soa),
                             d2 : singleton(soa)) }>
    !L0 = !nacho.fiber<tensor<?x?x?xi64, #List>, 0, scanned_list>
    !L1 = !nacho.fiber<tensor<?x?x?xi64, #List>, 1, scanned_list>
    !L2 = !nacho.fiber<tensor<?x?x?xi64, #List>, 2, scanned_list>
    // H = the entries of L in heavy rows
    func.func @heavy_rows(%L: tensor<?x?x?xi64, #List>) -> tensor<?x?x?xi64, #List> {
      %L0 = nacho.root %L scanned_list : tensor<?x?x?xi64, #List>
      %H = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #List> {
        nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
          %isHeavy = nacho.heavy %L1 : !L1
          nacho.coiterate %j of (%L2 = %L1 : !L1) in %L2 {
            %cost = nacho.cost <scan> %L2 : !L2
            %0 = arith.index_cast %cost : index to i64
            %posB = nacho.recall %L2 below 0 : !L2
            nacho.append %0 at (%i, %j, %posB) if %isHeavy : i64
          }
        }
        nacho.yield
      }
      return %H : tensor<?x?x?xi64, #List>
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber);
  let results = (outs I1:$isHeavy);
  let assemblyFormat = "$fiber attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

def Nacho_RowPositionOp : Nacho_Op<"row_position", [Pure, HasParent<"CoiterateOp">]> {
  let summary = "where a row of a list begins or ends, also if the part lacks that";
  let description = [{
    The position of the first entry of a fiber of a scanned list or, with `end`, one past
    the position of its last entry. If the row is cut, the loop has only some of its
    entries, and the row is sought in the list.

    ```mlir
    #List = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    #Rows = #sparse_tensor.encoding<{
      map = (d0, d1, d2) -> (d0 : compressed, d1 : singleton(soa), d2 : singleton(soa)) }>
    !L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>
    !L1 = !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
    !L2 = !nacho.fiber<tensor<?x?xi64, #List>, 2, scanned_list>
    // R = where the rows of L begin and end. The part that has a row's first entry
    // appends it.
    func.func @rows(%L: tensor<?x?xi64, #List>) -> tensor<?x?x?xi64, #Rows> {
      %L0 = nacho.root %L scanned_list : tensor<?x?xi64, #List>
      %cost = arith.constant 1 : i64
      %R = nacho.nest collect<scanned_list> : tensor<?x?x?xi64, #Rows> {
        nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 {
          %begin = nacho.row_position %L1 : !L1
          %end = nacho.row_position end %L1 : !L1
          nacho.coiterate %j of (%L2 = %L1 : !L1) in %L2 {
            %pos = nacho.position %L2 : !L2
            %isFirst = arith.cmpi eq, %pos, %begin : index
            nacho.append %cost at (%i, %begin, %end) if %isFirst : i64
          }
        }
        nacho.yield
      }
      return %R : tensor<?x?x?xi64, #Rows>
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, UnitAttr:$end);
  let results = (outs Index:$position);
  let assemblyFormat = "(`end` $end^)? $fiber attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

def Nacho_PieceShiftOp : Nacho_Op<"piece_shift", [Pure, HasParent<"CoiterateOp">]> {
  let summary = "how wide the pieces of a row have to be to suit the parts";
  let description = [{
    The pieces of a row have 2^shift coordinates each, of the `extent` that there are. A
    heavy row (`nacho.heavy`) gets as many pieces as are needed for each of them to cost
    a small part of a share, if its elements are spread evenly; any other row is one
    piece.

    ```mlir
    #List = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    !L0 = !nacho.fiber<tensor<?x?xi64, #List>, 0, scanned_list>
    func.func @f(%L0: !L0, %extent: index) {
      %merge = nacho.coiterate %i of (%L1 = %L0 : !L0) in %L1 iter_args(%0 = %extent : index) {
        %shift = nacho.piece_shift %L1 of %extent : !nacho.fiber<tensor<?x?xi64, #List>, 1, scanned_list>
        nacho.yield %shift : index
      }
      return
    }
    ```
  }];
  let arguments = (ins Nacho_FiberType:$fiber, Index:$extent);
  let results = (outs Index:$shift);
  let assemblyFormat = "$fiber `of` $extent attr-dict `:` type($fiber)";
  let hasVerifier = 1;
}

#endif // NACHO_IR_NEST_OPS
