//===- Processors.cpp - Limits that control groups set --------------------===//

#include "Unit.h"

#include "nacho/Runtime/Processors.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using namespace nacho;
using namespace nacho::unit;

namespace {
/// A folder like /sys/fs/cgroup.
class Groups {
public:
  Groups() {
    std::string name =
        std::filesystem::temp_directory_path() / "nacho-groups-XXXXXX";
    root = mkdtemp(name.data());
  }
  ~Groups() { std::filesystem::remove_all(root); }

  /// Writes the text of each file.
  void write(const std::map<std::string, std::string> &files) const {
    for (const auto &[file, text] : files) {
      std::filesystem::path path = root + "/" + file;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
  }

  /// Checks how many processors each text of /proc/self/cgroup stands for.
  void expect(const std::map<std::string, int64_t> &processors) const {
    for (const auto &[groups, expected] : processors) {
      write({{"groups", groups}});
      int64_t found = processorsOfGroups(root + "/groups", root);
      check(found == expected, [&, groups = groups, expected = expected] {
        return groups + " has " + std::to_string(found) + " processors, not " +
               std::to_string(expected);
      });
    }
  }

private:
  std::string root;
};
} // namespace

NACHO_SUITE("processors") {
  Groups second;
  second.expect({{"", 0}, {"no line of such a file", 0}, {"0::/\n", 0}});
  second.write({{"cpu.max", "max 100000\n"},
                {"a/cpu.max", "250000 100000\n"},
                {"a/b/cpu.max", "max 100000\n"},
                {"a/b/c/cpu.max", "50000 100000\n"},
                {"broken/cpu.max", "100000 0\n"}});
  second.expect({{"0::/\n", 0},
                 {"0::/a\n", 3},
                 {"0::/a/b\n", 3},
                 {"0::/a/b/c\n", 1},
                 {"0::/broken\n", 0},
                 {"0::/missing/in/a/container\n", 0}});

  Groups first;
  first.write({{"cpu/cpu.cfs_quota_us", "-1\n"},
               {"cpu/cpu.cfs_period_us", "100000\n"},
               {"cpu/a/cpu.cfs_quota_us", "400000\n"},
               {"cpu/a/cpu.cfs_period_us", "100000\n"}});
  first.expect({{"3:cpuset:/a\n2:cpu,cpuacct:/\n", 0},
                {"3:cpuset:/\n2:cpuacct,cpu:/a\n", 4},
                {"2:cpu:/a\n0::/\n", 4}});
}
