//===- Passes.td - Kernels in modules of other code --------*- tablegen -*-===//

#ifndef NACHO_SPARSIFIER_PASSES
#define NACHO_SPARSIFIER_PASSES

include "mlir/Pass/PassBase.td"

def NachoOutlineKernels : Pass<"nacho-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move linalg ops on sparse tensors to modules of their own";
  let description = [{
    Takes every op of linalg that has a sparse operand or a sparse result, and that
    `--nacho-cpu` compiles. Each becomes the only op of a function in a nested module,
    and a call of an external function. Numbers from outside of the op's body become
    constants in the kernel or arguments, which are passed as tensors without indices. All
    other ops stay as they are; with `remarks`, a remark on an op says why it does. A
    kernel sees some tensors with a simpler type than the program has: nonordered levels
    are ordered, the last level is unique, batch levels of results are dense, and an
    explicit value is part of the body. The attribute `nacho.program_type` of the kernel
    then has the type of the function in the program.

    A result takes the place of an output that has elements, if MLIR's bufferization
    would let the op overwrite it; a sparse one, if it has the same entries.

    An operand that is a slice (`tensor.extract_slice`) becomes the whole tensor, and
    the numbers of the slice that are no constants; the kernel makes the slice. With
    `library`, functions take whole tensors and numbers, too, in place of arguments that
    are slices, for MLIR's runtime library has none.

    Before:
    ```mlir
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %y = linalg.generic ... ins(%A, %x) outs(%y0) ...
      return %y : tensor<?xf64>
    }
    ```
    After:
    ```mlir
    module @kernel_0 attributes {nacho.kernel} {
      func.func @nacho_kernel_0(%A, %x, %y0) -> tensor<?xf64> {
        %y = linalg.generic ... ins(%A, %x) outs(%y0) ...
        return %y : tensor<?xf64>
      }
    }
    func.func private @nacho_kernel_0(tensor<?x?xf64, #CSR>, tensor<?xf64>, tensor<?xf64>)
        -> memref<?xf64>
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %y0: tensor<?xf64>)
        -> tensor<?xf64> {
      %made = call @nacho_kernel_0(%A, %x, %y0)
      %y = bufferization.to_tensor %made restrict writable
      return %y : tensor<?xf64>
    }
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
        "What counts as work: nnz, nnz+loops, flops, time">,
    Option<"library", "library", "bool", "true",
        "Sparse tensors will be those of MLIR's runtime library">,
    Option<"remarks", "remarks", "bool", "false",
        "Say why an op is left to other passes">,
    Option<"pack", "pack", "bool", "false",
        "Keep each kernel as text, in an attribute of the function that calls name, "
        "so that other passes leave it alone">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::sparse_tensor::SparseTensorDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NachoCompileKernels : Pass<"nacho-compile-kernels", "::mlir::ModuleOp"> {
  let summary = "Compile outlined kernels to LLVM's dialect";
  let description = [{
    The nested modules of `--nacho-outline-kernels`, or what it has packed, become
    modules of LLVM's dialect, each with the functions of the variants of the kernel, a
    text that describes them to the runtime library, and the function that the calls
    name. It passes arrays to the library, and returns what the library has made: a
    memref, the fields of a sparse tensor or, with `library`, the address of a sparse
    tensor of MLIR's own library.

    Before:
    ```mlir
    module @kernel_0 attributes {nacho.kernel} {
      func.func @nacho_kernel_0(%A: tensor<?x?xf64, #CSR>, ...) -> tensor<?xf64>
    }
    ```
    After:
    ```mlir
    module @kernel_0 attributes {nacho.kernel} {
      llvm.func internal @nacho_kernel_0_0_..._plan_entry(%words: !llvm.ptr)
      llvm.mlir.global internal @nacho_kernel_0_image() : !llvm.struct<(...)>
      llvm.func @nacho_call(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64)
      llvm.func @nacho_kernel_0(...) -> !llvm.struct<(...)> {
        llvm.call @nacho_call(%image, %operands, %results, %threads, %parts)
      }
    }
    ```
  }];
  let options = [
    Option<"cost", "cost", "std::string", "\"time\"",
        "What counts as work: nnz, nnz+loops, flops, time">,
    Option<"threads", "threads", "int64_t", "0",
        "How many threads compute a kernel; 0: as many as pay off">,
    Option<"parts", "parts", "int64_t", "0",
        "Into how many parts of equal cost kernels are cut; 0: as many as pay off">,
    Option<"library", "library", "bool", "true",
        "Sparse tensors are those of MLIR's runtime library">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def NachoLinkKernels : Pass<"nacho-link-kernels", "::mlir::ModuleOp"> {
  let summary = "Join compiled kernels with the module that calls them";
  let description = [{
    Moves what is in nested modules of `--nacho-compile-kernels` to the module around
    them, all of which is LLVM's dialect by now. A function that the module declares is
    replaced by its definition. What the program calls besides is in
    `libnacho_runtime.so`, with which it has to be linked, or run.

    Before:
    ```mlir
    module @kernel_0 attributes {nacho.kernel} {
      llvm.func @nacho_kernel_0(%A: !llvm.ptr, ...) -> !llvm.struct<(...)> { ... }
    }
    llvm.func @nacho_kernel_0(!llvm.ptr, ...) -> !llvm.struct<(...)>
    llvm.func @f(...) {
      llvm.call @nacho_kernel_0(%A, ...)
    }
    ```
    After:
    ```mlir
    llvm.func @nacho_kernel_0(%A: !llvm.ptr, ...) -> !llvm.struct<(...)> { ... }
    llvm.func @f(...) {
      llvm.call @nacho_kernel_0(%A, ...)
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // NACHO_SPARSIFIER_PASSES
