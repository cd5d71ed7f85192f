// RUN: nacho-opt %s -nacho-link-kernels -split-input-file -verify-diagnostics | FileCheck %s

// What a kernel declares and the module has, is there once; a declaration of the
// module is replaced by the kernel's function.
//
// CHECK-LABEL: module @program {
// CHECK-NOT:     nacho.kernel
// CHECK-COUNT-1: llvm.func @free(!llvm.ptr)
// CHECK:         llvm.func @nacho_kernel_0(%{{.+}}: !llvm.ptr) {
// CHECK-NOT:     llvm.func @free
module @program {
  module @kernel_0 attributes {nacho.kernel} {
    llvm.func @free(!llvm.ptr)
    llvm.func @nacho_kernel_0(%arg0: !llvm.ptr) {
      llvm.call @free(%arg0) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
  llvm.func @free(!llvm.ptr)
  llvm.func @nacho_kernel_0(!llvm.ptr)
}

// -----

module {
  module @kernel_0 attributes {nacho.kernel} {
    llvm.func @nacho_kernel_0(%arg0: !llvm.ptr) {
      llvm.return
    }
  }
  // expected-error @below {{is a name that kernels of Nacho use for something else}}
  llvm.func @nacho_kernel_0(i64)
}

// -----

// A program's own function is not what a kernel calls.

module {
  module @kernel_0 attributes {nacho.kernel} {
    llvm.func @nacho_call(!llvm.ptr)
    llvm.func @nacho_kernel_0(%arg0: !llvm.ptr) {
      llvm.call @nacho_call(%arg0) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
  // expected-error @below {{is a name that kernels of Nacho use for something else}}
  llvm.func @nacho_call(%arg0: !llvm.ptr) {
    llvm.return
  }
  llvm.func @nacho_kernel_0(!llvm.ptr)
}
