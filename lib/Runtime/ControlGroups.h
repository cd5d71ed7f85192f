//===- ControlGroups.h - Limits that control groups set -------------------===//

#ifndef NACHO_LIB_RUNTIME_CONTROLGROUPS_H
#define NACHO_LIB_RUNTIME_CONTROLGROUPS_H

#include <cstdint>
#include <string>

namespace nacho {

/// Returns the lesser of two limits, where 0 is none.
int64_t lesserOf(int64_t left, int64_t right);

/// Returns the limit of the group that has a folder; 0 if it has none.
using LimitOfGroup = int64_t (*)(const std::string &folder);

/// Returns the least limit of a controller, such as "cpu", that the control
/// groups have that `groups`, a file like /proc/self/cgroup, names, or the
/// groups around them; 0 if there is none. Their folders are under `root`, of
/// version 2, or of version 1 and with the controller's name.
int64_t leastOfGroups(const std::string &groups, const std::string &root,
                      const std::string &controller, LimitOfGroup limitOf);

} // namespace nacho

#endif // NACHO_LIB_RUNTIME_CONTROLGROUPS_H
