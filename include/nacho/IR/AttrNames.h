//===- AttrNames.h - The attributes that passes leave on functions --------===//

#ifndef NACHO_IR_ATTRNAMES_H
#define NACHO_IR_ATTRNAMES_H

namespace nacho {

/// On an argument of the kernel: the number of entries that the operand is
/// expected to have, then its extents.
inline constexpr char kSizesAttr[] = "nacho.sizes";
/// On an argument of a step: the number of the kernel's operand, or of the
/// earlier step, whose value it is. An argument n without either is operand n.
inline constexpr char kOperandAttr[] = "nacho.operand";
inline constexpr char kStepAttr[] = "nacho.step";
/// On the partition function: a cut costs at most this much less than its
/// query; -1 if no such bound is known.
inline constexpr char kDeltaAttr[] = "nacho.delta";
/// On the execute function: it takes the offsets at which the parts begin to
/// fill the result.
inline constexpr char kCountsAttr[] = "nacho.counts";
/// On the execute function: it takes partial entries, of these types.
inline constexpr char kPartialsAttr[] = "nacho.partials";
/// On the execute function: it appends to a draft; a compact function makes the
/// result from the draft.
inline constexpr char kDraftAttr[] = "nacho.draft";
/// On the execute function: it takes workspaces for the coordinates of this
/// level of the result.
inline constexpr char kWorkspaceAttr[] = "nacho.workspace";
/// On the execute function: every part owns whole rows of the result.
inline constexpr char kWholeRowsAttr[] = "nacho.whole_rows";
/// On the execute function: it takes tables of positions. For each table, the
/// number of the operand and the level of the children that the table finds.
inline constexpr char kTablesAttr[] = "nacho.tables";

} // namespace nacho

#endif // NACHO_IR_ATTRNAMES_H
