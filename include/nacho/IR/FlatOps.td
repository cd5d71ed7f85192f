//===- FlatOps.td - Entries by one key ---------------------*- tablegen -*-===//

#ifndef NACHO_IR_FLAT_OPS
#define NACHO_IR_FLAT_OPS

include "nacho/IR/NachoTypes.td"

def Nacho_FlattenOp : Nacho_Op<"flatten", [Pure, InferTypeOpAdaptor]> {
  let summary = "a list or tree of entries as a sparse vector";
  let description = [{
    The vector uses the arrays of the list (COO) or of the tree (CSF) without copying
    them. An entry's coordinate in the vector is its *key*, which is computed from the
    entry's coordinates in the tensor whenever it is read. A key has a field of bits for
    each level, as wide as the level's extent needs, the first level in the highest
    bits; so keys are in the order of the entries. All fields together must not need
    more than 62 bits. An entry outside of the extents has the largest key, which lies
    outside of the vector's extent.

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
  let summary = "the coordinate of one level, taken from a key";
  let description = [{
    The key is one that `nacho.flatten` computes for an entry of the tensor.

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
