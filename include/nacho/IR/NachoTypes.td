//===- NachoTypes.td - Fibers and cuts -------------------*- tablegen -*-===//

#ifndef NACHO_IR_TYPES
#define NACHO_IR_TYPES

include "nacho/IR/NachoDialect.td"

class Nacho_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Nacho_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Nacho_FiberType : Nacho_Type<"Fiber", "fiber"> {
  let summary = "the children, at one level, of a position that may be absent";
  let description = [{
    `!nacho.fiber<T, l>` stands for the sub-tensor of a `T` that is left when the
    coordinates of its first `l` levels are fixed. The fiber is *absent* if `T` does
    not store those coordinates. An absent fiber has no children, and
    `nacho.position` gives -1 for it; but it has a place in storage order, which is
    just before the next fiber. With `l` = rank the fiber is one element.

    `!nacho.fiber<T, l, scanned_list>` is a fiber of a list that a nest has collected as
    a `scanned_list`: its values are running sums of costs, and the levels after those
    of the loops keep numbers, which `nacho.recall` reads.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor, "unsigned":$level,
                        DefaultValuedParameter<"bool", "false">:$scannedList);
  let assemblyFormat = "`<` $tensor `,` $level `` custom<ScannedList>($scannedList) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of the fibers at this fiber's coordinates.
    FiberType getChild() const {
      return get(getContext(), getTensor(), getLevel() + 1, getScannedList());
    }
    bool isOfScannedList() const { return getScannedList(); }
    bool isElement() const {
      return static_cast<int64_t>(getLevel()) == getTensor().getRank();
    }
  }];
}

class Nacho_CutLike<string name, string mnemonic> : Nacho_Type<name, mnemonic> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$widths);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Nacho_CutType : Nacho_CutLike<"Cut", "cut"> {
  let summary = "a place in the iteration space where a part begins or ends";
  let description = [{
    `!nacho.cut<2, 3>` is a cut through two nested loops that iterate two and
    three operands. The cut has a coordinate for each loop and, for each operand
    of that loop, the position of the first entry that does not come before the
    cut in lexicographic order. Stepping into a coordinate of the outermost loop
    leaves a cut through the remaining loops. That cut is *on* only if the
    coordinate is the cut's own; otherwise it does not clip anything.
  }];
  let extraClassDeclaration = [{
    /// The type of the cut that remains inside the outermost loop.
    CutType getInner() const {
      return get(getContext(), getWidths().drop_front());
    }
    /// The columns of a buffer whose rows store cuts: cost, coordinates, positions.
    int64_t getNumColumns() const;
  }];
}

def Nacho_CutsType : Nacho_CutLike<"Cuts", "cuts"> {
  let summary = "the cuts between the parts of an iteration space, in order";
}

def Nacho_WorkspaceType : Nacho_Type<"Workspace", "workspace"> {
  let summary = "memory of one slot that holds elements by coordinate";
  let description = [{
    `!nacho.workspace<none>` is a set of coordinates, without elements.
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let extraClassDeclaration = [{
    bool isSet() const { return ::llvm::isa<::mlir::NoneType>(getElement()); }
  }];
}

#endif // NACHO_IR_TYPES
