//===- HostPasses.td - Passes for the backend of the host -*- tablegen -*-===//

#ifndef NACHO_CONVERSION_HOST_PASSES
#define NACHO_CONVERSION_HOST_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNachoParallelToCPU
    : Pass<"convert-nacho-parallel-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower the backend contract to calls of the runtime";
  let description = [{
    Before:
    ```mlir
    nacho.parallel %worker in %n threads %t { body }
    ```
    After:
    ```mlir
    func.func private @f_worker(%worker: index, %slot: index, %word: i64, captured...) {
      body
    }
    %stopped = nacho.parallel_call @f_worker(captured...) in %n threads %t
    ```
    The scan becomes a sequential loop, for it has only one row per part. The sort
    becomes a call of the runtime.
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ConvertNachoParallelCallsToLLVM
    : Pass<"convert-nacho-parallel-calls-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower parallel calls to calls of the runtime";
  let description = [{
    What is handed on to the workers is stored on the stack of the caller.

    Before:
    ```mlir
    %stopped = nacho.parallel_call @f_worker(%x : f64) in %n threads %t
    ```
    After:
    ```mlir
    llvm.store %x, %field : f64, !llvm.ptr   // %field = &%context.0
    %code = func.call @nacho_compute_parts(%n, %t, @f_worker_entry, %context)
    %stopped = llvm.icmp "ne" %code, %zero : i32

    llvm.func internal @f_worker_entry(%context: !llvm.ptr, %worker: i64, %slot: i64,
                                       %word: !llvm.ptr) {
      %x = llvm.load %field : !llvm.ptr -> f64
      func.call @f_worker(%worker, %slot, %word, %x)
    ```
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def NachoCallOwnFunctions : Pass<"nacho-call-own-functions", "::mlir::ModuleOp"> {
  let summary = "Call functions of C by names that no program has";
  let description = [{
    A program may define a function `@sin`, and the linker would take it for every call
    of C's function that the program's kernels make. Their calls, and the intrinsics and
    remainders of which LLVM can make such calls, become calls of the runtime library, which has
    counterparts of these functions.

    Before:
    ```mlir
    %0 = llvm.intr.sin(%x) : (f64) -> f64
    %1 = llvm.call @log1p(%0) : (f64) -> f64
    ```
    After:
    ```mlir
    %0 = llvm.call @nacho_sin(%x) : (f64) -> f64
    %1 = llvm.call @nacho_log1p(%0) : (f64) -> f64
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // NACHO_CONVERSION_HOST_PASSES
