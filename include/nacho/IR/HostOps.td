//===- HostOps.td - Ops of the backend of the host ---------*- tablegen -*-===//

#ifndef NACHO_IR_HOST_OPS
#define NACHO_IR_HOST_OPS

include "mlir/IR/SymbolInterfaces.td"
include "nacho/IR/ParallelOps.td"

def Nacho_ParallelCallOp : Nacho_Op<"parallel_call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "independent workers, each of which is a call";
  let description = [{
    What becomes of a `nacho.parallel` on the host. Calls a function once for every
    worker, in any order, on at most `threads` threads, with: the number of the worker;
    its slot (see `nacho.slot`); the address of the word of the calling thread, which a
    signal sets (Stop.h); and the operands. It is done when all workers are done that
    have begun and no other is left. The result says whether the word is set: what the
    workers compute may then be incomplete.

    ```mlir
    func.func private @worker(%worker: index, %slot: index, %word: i64,
                              %out: memref<?xindex>) {
      memref.store %slot, %out[%worker] : memref<?xindex>
      return
    }
    func.func @f(%n: index, %threads: index, %out: memref<?xindex>) {
      %stopped = nacho.parallel_call @worker(%out : memref<?xindex>) in %n threads %threads
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$captured,
                   Index:$workers, Index:$threads);
  let results = (outs I1:$stopped);
  let assemblyFormat = [{
    $callee (`(` $captured^ `:` type($captured) `)`)? `in` $workers `threads` $threads
    attr-dict
  }];
}

#endif // NACHO_IR_HOST_OPS
