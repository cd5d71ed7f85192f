//===- FlatOps.td - Entries by one key ---------------------*- tablegen -*-===//

#ifndef NACHO_IR_FLAT_OPS
#define NACHO_IR_FLAT_OPS

include "nacho/IR/NachoTypes.td"

def Nacho_FlattenOp : Nacho_Op<"flatten", [Pure, InferTypeOpAdaptor]> {
  let summary = "a list or tree of entries as a sparse vector";
  let description = [{
    The vector has the arrays of the list (COO), or of the tree (CSF), and nothing is
    copied: an entry's coordinate, its *key*, is computed from its coordinates there
    whenever it is read. A key has a field of bits for each of them, as many as its
    extent needs, the first one on top; so keys are in the order of the entries. Those
    of all levels must not need more than 62 bits. What lies outside of the extents has
    the largest key, which lies outside of the vector's extent.

    ```mlir
    #COO = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    #Flat = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed), crdWidth = 64 }>
    func.func @f(%A: tensor<?x?xf64, #COO>) {
      %flat = nacho.flatten %A : tensor<?x?xf64, #COO>
      %A0 = nacho.root %flat : tensor<?xf64, #Flat>
      return
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor);
  let results = (outs AnyRankedTensor:$flat);
  let assemblyFormat = "$tensor `:` type($tensor) attr-dict";
  let hasVerifier = 1;
}

def Nacho_UnflattenOp : Nacho_Op<"unflatten", [Pure]> {
  let summary = "the coordinate of a level that is part of a key";
  let description = [{
    Of the keys that `nacho.flatten` gives to the entries of a tensor.

    ```mlir
    #COO = #sparse_tensor.encoding<{
      map = (d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa)) }>
    func.func @f(%A: tensor<?x?xf64, #COO>, %key: index) -> (index, index) {
      %i = nacho.unflatten 0 of %key in %A : tensor<?x?xf64, #COO>
      %j = nacho.unflatten 1 of %key in %A : tensor<?x?xf64, #COO>
      return %i, %j : index, index
    }
    ```
  }];
  let arguments = (ins I64Attr:$level, Index:$key, AnyRankedTensor:$tensor);
  let results = (outs Index:$coordinate);
  let assemblyFormat = "$level `of` $key `in` $tensor `:` type($tensor) attr-dict";
  let hasVerifier = 1;
}

#endif // NACHO_IR_FLAT_OPS
