//===- TilePasses.td - Passes that share parts on GPUs -----*- tablegen -*-===//

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
    of about the same size, which `share` tells. If they would not fit in the 48 KiB
    that a block of any GPU has, tiles have half as many parts, down to 32.

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
      %begin, %end = nacho.tile %part of %parts by 32 sharing 40000
      %first = nacho.load_cut %bounds[%begin]
      %last = nacho.load_cut %bounds[%end]
      nacho.stage_in %bounds[%begin to %end + 1] alone
      %A_from = nacho.cut_position %first[0, 0]
      %A_to = nacho.cut_position %last[0, 0]
      %A_crd0 = sparse_tensor.coordinates %A {level = 0}
      nacho.stage_in %A_crd0[%A_from to %A_to + 1] alone
      // Likewise for the values, and for B.
      nacho.stage_out %values[%offsets[%begin, %c0] to %offsets[%end, %c0]]
      ...
    ```
    An array is staged `alone` if parts step through its level once, from one cut to the
    next, and neither search in it nor read it elsewhere.

    Workers that need rows of workspaces are left alone, and what does parts in an order
    of its own; with `warps`, so are those with loops over dense levels.
  }];
  let options = [
    Option<"parts", "parts", "int64_t", /*default=*/"32", "Parts of a tile">,
    Option<"share", "share", "int64_t", /*default=*/"32", "What each part costs">,
    Option<"warps", "warps", "bool", /*default=*/"false",
           "Leave parts with dense loops to nacho-share-parts">,
    Option<"sharedBytes", "shared-bytes", "int64_t", /*default=*/"49152",
           "Bytes that the threads of a block share, at most">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def NachoJoinTiles : Pass<"nacho-join-tiles", "::mlir::ModuleOp"> {
  let summary = "Let a block do parts of the tile that it has cut";
  let description = [{
    Where one call cuts tiles into parts, and the next one does something for each part,
    the workers of the second need the cuts of their own tile only. So both become
    workers of the caller, with a barrier between them. A block then copies the windows
    of its tile once, and there is one launch less.

    Before:
    ```mlir
    func.func private @cuts(%A, %bounds, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %cuts = nacho.tile_cuts %bounds
        nacho.store_cut %cut, %cuts[%part - %begin]
      }
    }
    func.func private @count(%A, %bounds, %counts, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %lo = nacho.load_cut %bounds[%part]
        %hi = nacho.load_cut %bounds[%part + 1]
        memref.store %count, %counts[%part, %c0]
      }
    }
    func.func @plan(%A, %bounds, %counts, %threads) {
      call @cuts(%A, %bounds, %threads)
      call @count(%A, %bounds, %counts, %threads)
    }
    ```
    After:
    ```mlir
    func.func @plan(%A, %bounds, %counts, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %cuts = nacho.tile_cuts %bounds
        nacho.store_cut %cut, %cuts[%part - %begin]
        nacho.tile_sync
        %lo = nacho.load_cut %cuts[%part - %begin]
        %hi = nacho.load_cut %cuts[%part + 1 - %begin]
        memref.store %count, %counts[%part, %c0]
      }
    }
    ```
    The first workers must keep cuts in memory that their tile shares. The second must load
    no other cuts than those of their part, neither load nor store what the first store,
    and need no rows of workspaces; but both may add to the same number, such as a status.
    Different arguments of a function are taken to be different arrays.
  }];
  let dependentDialects = ["::nacho::NachoDialect"];
}

def NachoScanTiles : Pass<"nacho-scan-tiles", "::mlir::ModuleOp"> {
  let summary = "Let a block append what it has counted";
  let description = [{
    Where workers cut their tile and count what each part appends, and the scan of the
    counts and workers that append come next, the workers of a tile need only the
    offsets of their own parts. So they do all of it, and learn from the tiles before
    theirs where their results begin. They merge only once: in place of counting them,
    parts keep their entries in slots of the tile, which become part of the result when
    offsets are known. The positions of cuts tell how many slots a part needs at most.
    The windows of a tile are copied once, and there are two launches less. The last
    part does what follows the scan.

    Before:
    ```mlir
    func.func private @scan(%counts, %offsets, %sizes) {
      nacho.exclusive_scan %counts into %offsets
      %all = memref.load %offsets[%parts, %c0]
      memref.store %all, %sizes[%c0]
    }
    func.func private @append(%A, %bounds, %offsets, %Z, %status, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %from = memref.load %offsets[%part, %c0]
        %to = memref.load %offsets[%part + 1, %c0]
        nacho.coiterate %i of %A iter_args(%at = %from) {
          scf.if %at < %to and %i < %extent {
            memref.store %a, %Z[%at]
          } else {
            // Say in %status what is wrong.
          }
          nacho.yield %at + 1
        }
      }
    }
    func.func @run(%A, %bounds, %counts, %offsets, %sizes, %Z, %status, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %cuts = nacho.tile_cuts %bounds
        nacho.tile_sync
        %count = nacho.count of %A
        memref.store %count, %counts[%part, %c0]
      }
      call @scan(%counts, %offsets, %sizes)
      call @append(%A, %bounds, %offsets, %Z, %status, %threads)
    }
    ```
    After:
    ```mlir
    func.func @run(%A, %bounds, %counts, %offsets, %sizes, %Z, %status, %threads) {
      nacho.parallel %part in %parts threads %threads {
        %begin, %end = nacho.tile %part of %parts by 32
        %cuts = nacho.tile_cuts %bounds alone
        nacho.tile_sync
        %slots = nacho.tile_memory of %last - %first
        // Look whether the cuts of all parts are in order.
        %slot = nacho.cut_position %lo[0, 0] - %first
        %limit = nacho.cut_position %hi[0, 0] - %first
        %count = scf.if (nacho.tile_room) and %areOrdered {
          nacho.coiterate %i of %A iter_args(%at = %slot) {
            scf.if %at < %limit: memref.store %a, %slots[%at]
            // Say in %status if %i is wrong.
          }
          scf.yield %at - %slot
        } else {
          // Say so in %status.
          scf.yield %c0
        }
        %rows = nacho.tile_scan(%count) into %offsets
        scf.if %part + 1 == %parts {
          %all = memref.load %rows[%parts - %begin, %c0]
          memref.store %all, %sizes[%c0]
        }
        nacho.tile_append %slots[%slot] to %Z[%rows[%part - %begin] to %rows[%part + 1 - %begin]]
      }
    }
    ```
    If parts append something else than entries, such as where rows end, the loops around
    the innermost one are there again after the scan. Parts note in memory of the tile
    how many entries they had found after each row.

    The workers that append must load no other cuts and offsets than those of their
    part, and store to nothing that was accessed before; but all may add to the same
    number, such as a status. They must loop over what was counted, append an entry in
    each step of the innermost loop, and store it only if it was counted. Parts that
    warps do better, since they have dense loops, are left alone.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"32",
           "The number of threads in a warp">,
    Option<"warps", "warps", "bool", /*default=*/"true",
           "Whether the lanes of warps share dense loops">
  ];
  let dependentDialects = ["::nacho::NachoDialect", "::mlir::scf::SCFDialect"];
}

def NachoShareRows : Pass<"nacho-share-rows", "::mlir::func::FuncOp"> {
  let summary = "Let the lanes of a warp add up a row of a workspace together";
  let description = [{
    Where a part collects rows in workspaces without keys, the 32 lanes of a warp do it
    together. Each lane takes every 32nd step of a loop that inserts another coordinate
    in each of its steps, and lanes wait for each other after it, so that the elements of
    each coordinate are added up in the same order as by one lane. What the steps count,
    each lane counts for itself at first. Lanes drain the workspace together, and do all
    else alike, but only the first one writes.

    Before:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %slot = nacho.slot
      %w = nacho.workspace marks %marks row %slot extent %N status %status
      %n = scf.for %j = %lo to %hi step %c1 iter_args(%n1 = %c0) {
        %n3 = scf.for %p = %begin to %end step %c1 iter_args(%n2 = %n1) {
          %k = memref.load %B_crd[%p]
          %isNew = nacho.insert distinct at %k into %w
          scf.yield %n2 + %isNew
        }
        scf.yield %n3
      }
      nacho.drain %k of %w {}
      memref.store %n, %counts[%part]
    }
    ```
    After:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %lane = nacho.lane of 32
      %slot = nacho.slot
      %w = nacho.workspace marks %marks row %slot lane %lane extent %N status %status
      %own = scf.for %j = %lo to %hi step %c1 iter_args(%n1 = %c0) {
        %n3 = scf.for %p = %begin + %lane to %end step %c32 iter_args(%n2 = %n1) {
          // as before
        }
        nacho.lane_sync
        scf.yield %n3
      }
      %n = sum of %own over all lanes: five times
        %other = nacho.from_lane %own at %lane xor 16 (8, 4, 2, 1) : i64
      nacho.drain %k of %w {}
      scf.if %lane == %c0 {
        memref.store %n, %counts[%part]
      }
    }
    ```
    Left alone are parts with other workspaces, or whose drains carry anything but the
    position of the next entry.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"32", "Lanes of a warp">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def NachoTableRows : Pass<"nacho-table-rows", "::mlir::func::FuncOp"> {
  let summary = "Keep short rows in tables in memory that lanes share";
  let description = [{
    Where lanes collect rows in a workspace of theirs, they first count how many
    coordinates a row inserts at most: each lane adds up the steps of some of the loops
    that insert. A row with at most `most` is collected in a `nacho.lane_table`, whose
    size depends on that number; others, in the workspace, as before.

    Before:
    ```mlir
    %w = nacho.workspace marks %marks with %sums row %slot lane %lane extent %N status %status
    scf.for %i = %first to %last step %c1 {
      scf.for %j = %lo to %hi step %c1 {
        %k = memref.load %A_crd[%j]
        %begin = memref.load %B_pos[%k]
        %end = memref.load %B_pos[%k + 1]
        scf.for %p = %begin + %lane to %end step %c32 {
          nacho.insert %x distinct at %c into %w
        }
        nacho.lane_sync
      }
      nacho.drain %c, %x of %w { ... }
    }
    ```
    After:
    ```mlir
    scf.for %i = %first to %last step %c1 {
      %own = scf.for %j = %lo + %lane to %hi step %c32 iter_args(%n = %c0) {
        // %begin and %end as below
        scf.yield %n + max(%end - %begin, 0)
      }
      %all = sum of min(%own, %most + 1) over all lanes
      scf.if %all <= %most {
        %t = nacho.lane_table for %all of 256 lane %lane status %status
        // as before, with %t
      } else {
        // as before, with %w
      }
    }
    ```
    Left alone are rows whose loops depend on what earlier steps have found.
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"256",
           "The most coordinates of a row in a table, a power of two">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def NachoShareParts : Pass<"nacho-share-parts", "::mlir::func::FuncOp"> {
  let summary = "Let the lanes of a warp do a part together";
  let description = [{
    Where a part has loops over dense rows, the 32 lanes of a warp do it together, so
    that lanes which lie next to each other load elements that do. Each lane takes every
    32nd step of a loop whose steps only write elements of their own, and has one lane
    of each vector in which `nacho-sum-in-lanes` adds up. Lanes do all else alike, but
    only the first one writes. What is computed stays the same, bit for bit.

    Before:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      scf.for %j = %lo to %hi step %c1 {
        %a = memref.load %A_values[%j]
        scf.for %k = %c0 to %N step %c1 {
          %d = memref.load %D_values[%row + %k]
          %z = memref.load %rows[%part, %k]
          memref.store %z + %a * %d, %rows[%part, %k]
        }
      }
      memref.store %c1, %visited[%part]
    }
    ```
    After:
    ```mlir
    nacho.parallel %part in %parts threads %threads {
      %lane = nacho.lane of 32
      scf.for %j = %lo to %hi step %c1 {
        %a = memref.load %A_values[%j]
        scf.for %k = %lane to %N step %c32 {
          // as before
        }
      }
      scf.if %lane == %c0 {
        memref.store %c1, %visited[%part]
      }
    }
    ```
    Of vectors, before and after:
    ```mlir
    %x = vector.load %D_values[%at] : memref<?xf64>, vector<32xf64>
    %x = memref.load %D_values[%at + %lane] : memref<?xf64>

    %high = vector.extract_strided_slice %x {offsets = [16], sizes = [16], strides = [1]}
    %high = nacho.from_lane %x at (%lane + 16) mod 32 : f64

    %sum = vector.extract %x1[0] : f64 from vector<1xf64>
    %sum = nacho.from_lane %x1 at %c0 : f64

    // %s is a multiple of 32, and so what this lane writes of %rows is what it reads
    // in loops over rows.
    vector.store %x, %rows[%part, %s] : memref<?x?xf64>, vector<32xf64>
    memref.store %x, %rows[%part, %s + %lane] : memref<?x?xf64>
    ```
    Where vectors are added up, four lanes do a part, and each has four neighbours of 16
    elements. So there are fewer shuffles, and a warp does eight parts at once:
    ```mlir
    %sum = arith.addf %low, %high : vector<16xf64>    // halves of %x : vector<32xf64>

    %sum0 = arith.addf %x0, %x4 : f64                 // of elements 4 * %lane + n
    %sum1 = arith.addf %x1, %x5 : f64                 // and so on
    ```
    Left alone are parts whose lanes could read what others write, that have no such
    loop, tiles, and parts that need rows of workspaces.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", /*default=*/"32", "Lanes of a warp">,
    Option<"sumLanes", "sum-lanes", "int64_t", /*default=*/"4",
           "Lanes that do a part which adds up the elements of vectors">
  ];
  let dependentDialects = [
    "::nacho::NachoDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // NACHO_OPTIMIZATIONS_TILE_PASSES
