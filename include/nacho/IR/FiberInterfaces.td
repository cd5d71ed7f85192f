//===- FiberInterfaces.td - Interfaces of ops that make fibers ------------===//

#ifndef NACHO_IR_FIBER_INTERFACES
#define NACHO_IR_FIBER_INTERFACES

include "mlir/IR/Interfaces.td"

def Nacho_FiberMakerOpInterface : OpInterface<"FiberMakerOpInterface"> {
  let description = [{
    An op that makes fibers, as its results or as arguments of its region. Every
    fiber is made of another fiber of the same tensor, but for the root, which is made
    of the tensor itself. Who follows these steps arrives at the root (`rootOf` in
    Fibers.h) without knowing which ops there are.
  }];
  let cppNamespace = "::nacho";
  let methods = [InterfaceMethod<
    "The fiber that `made` is made of; nothing if `made` is the root of a tensor, or "
    "is not made by this op but handed through it.",
    "::mlir::Value", "getSourceOf", (ins "::mlir::Value":$made)>];
}

#endif // NACHO_IR_FIBER_INTERFACES
