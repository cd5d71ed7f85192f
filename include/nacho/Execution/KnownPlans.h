//===- KnownPlans.h - Plans that follow from the lengths of arrays --------===//

#ifndef NACHO_EXECUTION_KNOWNPLANS_H
#define NACHO_EXECUTION_KNOWNPLANS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace nacho {

/// What a device found out about a step for arguments of certain lengths, where
/// no other arguments of these lengths can lead to anything else. A call that
/// knows it need not wait for the device.
///
/// Of a step that may fill its result at once, a plan says what is best tried
/// first: the parts that had room, without sizes, or to count.
struct KnownPlan {
  int64_t parts = 1, cost = 0;
  std::vector<int64_t> sizes;
};

/// The plans that are known of a step. Any number of threads may use them at a
/// time.
class KnownPlans {
public:
  /// The lengths of the arguments, and what the caller asked for.
  using Key = std::vector<int64_t>;

  std::optional<KnownPlan> find(const Key &key) const;
  void add(const Key &key, KnownPlan plan);
  /// Forgets a plan of operands that were wrong after all.
  void forget(const Key &key);

private:
  mutable std::mutex mutex;
  std::map<Key, KnownPlan> plans;
};

} // namespace nacho

#endif // NACHO_EXECUTION_KNOWNPLANS_H
