//===- TilePasses.td - Parts that a GPU does together ----*- tablegen -*-===//

#ifndef NACHO_OPTIMIZATIONS_TILE_PASSES
#define NACHO_OPTIMIZATIONS_TILE_PASSES

include "mlir/Pass/PassBase.td"

def NachoTileParts : Pass<"nacho-tile-parts", "::mlir::func::FuncOp"> {
  let summary = "Let neighbouring parts share what they read and write";
  let description = [{
    A block of a GPU does `parts` neighbouring parts, its *tile*: a thread each. The
    parts lie between the cuts with which the tile begins and ends. So do the positions
    that they read, of every level that a cut loop steps through; and what they append
    lies between two offsets. As costs count positions, tiles of equal cost have windows
    of about the same size.

    Before:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %lo = nacho.load_cut %bounds[%part]
      %hi = nacho.load_cut %bounds[%part + 1]
      %from = memref.load %offsets[%part, %c0]
      %to = memref.load %offsets[%part + 1, %c0]
      nacho.coiterate %i of (%A1 = %A0, %B1 = %B0) between (%lo1 = %lo, %hi1 = %hi)
          iter_args(%at = %from) {
        memref.store %z, %values[%at]
      }
    }
    ```
    After:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %begin, %end = nacho.tile %part of %parts by 32
      %first = nacho.load_cut %bounds[%begin]
      %last = nacho.load_cut %bounds[%end]
      nacho.stage_in %bounds[%begin to %end + 1]
      %A_from = nacho.cut_position %first[0, 0]
      %A_to = nacho.cut_position %last[0, 0]
      %A_crd0 = sparse_tensor.coordinates %A {level = 0}
      nacho.stage_in %A_crd0[%A_from to %A_to + 1]
      // Likewise for the values, and for B.
      nacho.stage_out %values[%offsets[%begin, %c0] to %offsets[%end, %c0]]
      ...
    ```
    Workers that need rows of workspaces are left alone, and what does parts in an order
    of its own.
  }];
  let options = [
    Option<"parts", "parts", "int64_t", /*default=*/"32", "Parts of a tile">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // NACHO_OPTIMIZATIONS_TILE_PASSES
