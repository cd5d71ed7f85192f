//===- AttrNames.h - The attributes that passes leave on functions --------===//

#ifndef NACHO_IR_ATTRNAMES_H
#define NACHO_IR_ATTRNAMES_H

namespace nacho {

/// On an argument of the function: how many entries it is expected to have, and
/// its extents.
inline constexpr char kSizesAttr[] = "nacho.sizes";
/// On the arguments of a step: the operand of the kernel, or the earlier step,
/// that they are. Without, they are the operands in order.
inline constexpr char kOperandAttr[] = "nacho.operand";
inline constexpr char kStepAttr[] = "nacho.step";
/// On the partition function: how much less than its query a cut may cost.
inline constexpr char kDeltaAttr[] = "nacho.delta";
/// On the execute function: it takes offsets, and partial entries of some
/// types.
inline constexpr char kCountsAttr[] = "nacho.counts";
inline constexpr char kPartialsAttr[] = "nacho.partials";
/// It appends to a draft, which a compact function makes the result of.
inline constexpr char kDraftAttr[] = "nacho.draft";
/// It takes workspaces, for the coordinates of a level of the result.
inline constexpr char kWorkspaceAttr[] = "nacho.workspace";
/// Which a part has all entries of a row in.
inline constexpr char kWholeRowsAttr[] = "nacho.whole_rows";
/// It takes tables for the positions of fibers: by table, the number of the
/// operand, and the level of the children.
inline constexpr char kTablesAttr[] = "nacho.tables";

} // namespace nacho

#endif // NACHO_IR_ATTRNAMES_H
