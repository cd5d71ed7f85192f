//===- ControlGroups.cpp - Limits that control groups set -----------------===//

#include "ControlGroups.h"

#include <algorithm>
#include <fstream>

using namespace nacho;

int64_t nacho::lesserOf(int64_t left, int64_t right) {
  return left && right ? std::min(left, right) : std::max(left, right);
}

/// The least that a group and those around it have.
static int64_t leastOf(const std::string &root, std::string path,
                       LimitOfGroup limitOf) {
  int64_t least = 0;
  for (;;) {
    least = lesserOf(least, limitOf(root + path));
    size_t parent = path.rfind('/');
    if (parent == std::string::npos)
      return least;
    path.resize(parent);
  }
}

int64_t nacho::leastOfGroups(const std::string &groups, const std::string &root,
                             const std::string &controller,
                             LimitOfGroup limitOf) {
  // Lines are "number:controllers:path". Version 2 has no controllers there.
  std::ifstream lines(groups);
  int64_t least = 0;
  for (std::string line; std::getline(lines, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    bool isSecondVersion = names == ",,";
    if (!isSecondVersion &&
        names.find("," + controller + ",") == std::string::npos)
      continue;
    least = lesserOf(least,
                     leastOf(isSecondVersion ? root : root + "/" + controller,
                             line.substr(second + 1), limitOf));
  }
  return least;
}
