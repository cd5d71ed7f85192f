//===- TileOps.td - Stage `tile`: parts that share memory -*- tablegen -*-===//
//
// A block of a GPU takes a tile, which is several neighbouring parts: a thread each.
// The parts of a tile lie between two cuts, and so does most of what they read and
// write: a *window* of each array. The block copies the windows to and from memory
// that its threads share.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_IR_TILE_OPS
#define NACHO_IR_TILE_OPS

include "nacho/IR/ParallelOps.td"

def Nacho_TileOp : Nacho_Op<"tile", [
    Nacho_BackendTrait, Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the parts that are done together with this one";
  let description = [{
    `part` is the worker of a `nacho.parallel`, one of `parts`. Its tile is the parts
    from `begin` up to, but not including, `end`: `by` of them, but for the last tile.
    Their windows are expected to take at most `bytes` together.

    For a backend: a block with a thread for each part. A CPU has tiles of a single
    part, which a thread does alone.

    ```mlir
    func.func @f(%parts: index, %threads: index, %firsts: memref<?xindex>) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        memref.store %begin, %firsts[%part] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$part, Index:$parts,
                       ConfinedAttr<I64Attr, [IntPositive]>:$by,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$bytes);
  let results = (outs Index:$begin, Index:$end);
  let assemblyFormat = "$part `of` $parts `by` $by (`sharing` $bytes^)? attr-dict";
  let hasVerifier = 1;
}

class Nacho_StageOp<string mnemonic>
    : Nacho_Op<mnemonic, [Nacho_BackendTrait, MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins MemRefRankOf<[AnyType], [1, 2]>:$array, Index:$from, Index:$to);
  let assemblyFormat = "$array `[` $from `to` $to `]` attr-dict `:` type($array)";
  let hasVerifier = 1;
}

def Nacho_StageInOp : Nacho_StageOp<"stage_in"> {
  let summary = "a window of an array that the parts of a tile read";
  let description = [{
    Most of what the parts of a tile read of an array lies in the elements, or rows,
    from `from` up to, but not including, `to`. The window is the same for all parts of
    the tile. It is a promise about speed only: parts may read anything else, too. With
    `alone`, it is more than that: after the last `nacho.tile_sync`, parts of valid
    operands need nothing else of the array, so that it makes no difference what they
    read there. No part of any tile writes to the array. The window may be empty, end
    before it begins, or reach beyond the array.

    For a backend: threads that lie next to each other copy elements that do, into
    memory that they share, and read those there.

    ```mlir
    func.func @f(%parts: index, %threads: index, %in: memref<?xf64>, %out: memref<?xf64>) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        nacho.stage_in %in[%begin to %end] alone : memref<?xf64>
        %x = memref.load %in[%part] : memref<?xf64>
        memref.store %x, %out[%part] : memref<?xf64>
      }
      return
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[AnyType], [1, 2]>:$array, Index:$from, Index:$to,
                       UnitAttr:$alone);
  let assemblyFormat = [{
    $array `[` $from `to` $to `]` (`alone` $alone^)? attr-dict `:` type($array)
  }];
}

def Nacho_StageOutOp : Nacho_StageOp<"stage_out"> {
  let summary = "a window of an array that the parts of a tile write";
  let description = [{
    The parts of a tile write all elements, or rows, from `from` up to, but not
    including, `to`, each once, and parts of other tiles write none of them. Parts of
    valid operands write no other elements, and no part of any tile reads any. Should
    parts leave out an element, it may have any value afterwards.

    For a backend: parts write elements to memory that they share. When all of them are
    done, threads that lie next to each other copy elements that do.

    ```mlir
    func.func @f(%parts: index, %threads: index, %x: f64, %out: memref<?xf64>) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        nacho.stage_out %out[%begin to %end] : memref<?xf64>
        memref.store %x, %out[%part] : memref<?xf64>
      }
      return
    }
    ```
  }];
}

def Nacho_TileSyncOp : Nacho_Op<"tile_sync", [
    Nacho_BackendTrait, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what the parts of a tile have written is there for all of them";
  let description = [{
    No part of a tile does what comes after it before all of them have done what comes
    before it. So a part may read what others of its tile have written earlier, which
    otherwise no worker may. Of what is computed before it, only what takes no memory
    is used after it.

    For a backend: a barrier of the block.

    ```mlir
    func.func @f(%parts: index, %threads: index, %numbers: memref<?xindex>,
                 %firsts: memref<?xindex>) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        memref.store %part, %numbers[%part] : memref<?xindex>
        nacho.tile_sync
        %first = memref.load %numbers[%begin] : memref<?xindex>
        memref.store %first, %firsts[%part] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Nacho_TileCutsOp : Nacho_Op<"tile_cuts", [
    Nacho_BackendTrait,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the cuts of a tile, in memory that its parts share";
  let description = [{
    Row `n` of the memory stands for row `begin + n` of `bounds`, where `begin` is the
    first part of the tile. There is a row more than the tile has parts: two tiles have
    the cut between them, and neither waits for the other one. Parts write all rows, and
    `bounds` not at all.

    With `alone`, nobody needs `bounds` afterwards, but for the last row of all.

    For a backend: shared memory of a block. When all parts are done, threads that lie
    next to each other copy numbers that do: every row but the one at the end of the
    tile, which only the last tile copies.

    ```mlir
    func.func @f(%parts: index, %threads: index, %bounds: memref<?x1xindex>) {
      %c0 = arith.constant 0 : index
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %cuts = nacho.tile_cuts %bounds : memref<?x1xindex> -> memref<33x1xindex>
        %row = arith.subi %part, %begin : index
        memref.store %part, %cuts[%row, %c0] : memref<33x1xindex>
      }
      return
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[Index], [2]>:$bounds, UnitAttr:$alone);
  let results = (outs MemRefRankOf<[Index], [2]>:$cuts);
  let assemblyFormat = [{
    $bounds (`alone` $alone^)? attr-dict `:` type($bounds) `->` type($cuts)
  }];
  let hasVerifier = 1;
}

def Nacho_TileScanOp : Nacho_Op<"tile_scan", [
    Nacho_BackendTrait, Nacho_EndsWithYield, SingleBlock,
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "exclusive scan of a row of each part, for the parts of a tile";
  let description = [{
    Row p of `all` becomes what `nacho.exclusive_scan` makes of the rows of all parts
    before part p, whatever tiles these are of, and there is one row more, the total. The
    parts of a tile find theirs in memory that they share: row `n` of the result stands
    for row `begin + n` of `all`, and there is a row more than the tile has parts. Like
    `nacho.tile_sync`, it lets parts see what others of their tile have written before,
    and what is used after it of what is computed before takes no memory.

    So parts can count what they append, and append it, in the same `nacho.parallel`.
    Only this one reads rows of other tiles, which may not be done yet, and nobody else
    reads `all` before all parts are done.

    For a backend: blocks, or the threads of a CPU, take tiles in order, and wait for
    those before them as little as they can. The number of parts in a block's tile is a
    multiple of that of the threads in a warp.

    ```mlir
    func.func @f(%parts: index, %threads: index, %all: memref<?x1xindex>,
                 %out: memref<?xindex>) {
      %c0 = arith.constant 0 : index
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %rows = nacho.tile_scan(%part) into %all : memref<?x1xindex> -> memref<33x1xindex> {
        ^bb0(%x: index, %y: index):
          %sum = arith.addi %x, %y : index
          nacho.yield %sum : index
        }
        %row = arith.subi %part, %begin : index
        %before = memref.load %rows[%row, %c0] : memref<33x1xindex>
        memref.store %before, %out[%part] : memref<?xindex>
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$row, MemRefRankOf<[Index], [2]>:$all);
  let results = (outs MemRefRankOf<[Index], [2]>:$rows);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $row `)` `into` $all attr-dict `:` type($all) `->` type($rows) $combine
  }];
  let hasVerifier = 1;
}

def Nacho_TileMemoryOp : Nacho_Op<"tile_memory", [
    Nacho_BackendTrait, MemoryEffects<[MemAlloc]>]> {
  let summary = "memory for so many elements, which the parts of a tile share";
  let description = [{
    The size is the same for all parts of the tile, and known from the first and the
    last of its cuts. There is such memory only where `nacho.tile_room` holds, but for
    memory of a single element, which is always there.

    For a backend: shared memory of a block.

    ```mlir
    func.func @f(%parts: index, %threads: index, %size: index) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %ends = nacho.tile_memory of %size : memref<?xi32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Index:$size);
  let results = (outs MemRefRankOf<[AnyType], [1]>:$memory);
  let assemblyFormat = "`of` $size attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Nacho_TileRoomOp : Nacho_Op<"tile_room", [
    Nacho_BackendTrait, MemoryEffects<[MemRead]>]> {
  let summary = "whether there is room for all windows and all memory of a tile";
  let description = [{
    It is the same for all parts of the tile. A branch on it, directly in the
    `nacho.parallel`, has what parts do if there is room; in there, they access windows
    in place of arrays without asking. Parts can do nothing else than say that there is
    none, so that the call is done in another way.

    ```mlir
    func.func @f(%parts: index, %threads: index, %size: index, %x: i32,
                 %status: memref<i32>) {
      %c0 = arith.constant 0 : index
      %c2_i32 = arith.constant 2 : i32
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %slots = nacho.tile_memory of %size : memref<?xi32>
        %hasRoom = nacho.tile_room
        scf.if %hasRoom {
          memref.store %x, %slots[%c0] : memref<?xi32>
        } else {
          memref.atomic_rmw ori %c2_i32, %status[] : (i32, memref<i32>) -> i32
        }
      }
      return
    }
    ```
  }];
  let results = (outs I1:$hasRoom);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Nacho_TileAppendOp : Nacho_Op<"tile_append", [
    Nacho_BackendTrait, SameVariadicOperandSize,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "append what parts keep in slots of their tile";
  let description = [{
    A part has kept elements of each of some arrays in `nacho.tile_memory`, or, if it is
    alone in its tile, in another array, from the element `slot` on. They become those
    from `place` up to, but not including, `next` of the array. What comes before the
    place of the tile's first part is `first`, and `last` is where the next tile begins to
    append. Elements for which an array is too short are left out.

    For a backend: threads that lie next to each other copy elements that do; a CPU
    copies them as bytes.

    ```mlir
    func.func @f(%parts: index, %threads: index, %x: f64, %size: index,
                 %all: memref<?x1xindex>, %out: memref<?xf64>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %slots = nacho.tile_memory of %size : memref<?xf64>
        %row = arith.subi %part, %begin : index
        %next = arith.addi %row, %c1 : index
        %parts_here = arith.subi %end, %begin : index
        memref.store %x, %slots[%row] : memref<?xf64>
        %rows = nacho.tile_scan(%c1) into %all : memref<?x1xindex> -> memref<33x1xindex> {
        ^bb0(%a: index, %b: index):
          %sum = arith.addi %a, %b : index
          nacho.yield %sum : index
        }
        %at = memref.load %rows[%row, %c0] : memref<33x1xindex>
        %to = memref.load %rows[%next, %c0] : memref<33x1xindex>
        %first = memref.load %rows[%c0, %c0] : memref<33x1xindex>
        %last = memref.load %rows[%parts_here, %c0] : memref<33x1xindex>
        nacho.tile_append %slots[%row] to %out[%at to %to in %first to %last]
            : memref<?xf64> to memref<?xf64>
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<MemRefRankOf<[AnyType], [1]>>:$slots, Index:$slot,
                       Variadic<MemRefRankOf<[AnyType], [1]>>:$arrays,
                       Index:$place, Index:$next, Index:$first, Index:$last);
  let assemblyFormat = [{
    $slots `[` $slot `]` `to` $arrays `[` $place `to` $next `in` $first `to` $last `]`
    attr-dict `:` type($slots) `to` type($arrays)
  }];
  let hasVerifier = 1;
}

#endif // NACHO_IR_TILE_OPS
