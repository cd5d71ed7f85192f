//===- Collect.cpp - Properties of the ways of collecting entries ---------===//

#include "nacho/IR/Collect.h"

#include <iterator>

using namespace nacho;

const CollectTraits &nacho::traitsOf(CollectKind kind) {
  // In the order of the kinds.
  static constexpr CollectTraits table[] = {
      // list, scans, sorts, rearranges, workspaces, whole rows
      /*in_order    */ {false, false, false, false, false, false},
      /*sorted_list */ {true, false, true, true, false, false},
      /*part_sums   */ {true, false, true, true, true, false},
      /*whole_rows  */ {false, false, false, false, true, true},
      /*scanned_list*/ {true, true, false, true, false, false},
      /*buckets     */ {false, false, false, true, false, false},
      /*light_rows  */ {false, false, false, false, true, true},
      /*piece_list  */ {true, true, true, true, false, false},
  };
  static_assert(std::size(table) == getMaxEnumValForCollectKind() + 1);
  return table[static_cast<size_t>(kind)];
}
