//===- Processors.cpp - Limits that control groups set --------------------===//

#include "Unit.h"

#include "nacho/Runtime/Memory.h"
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

  /// Checks which limit each text of /proc/self/cgroup stands for.
  void expect(const std::map<std::string, int64_t> &limits,
              int64_t (*limitOf)(const std::string &groups,
                                 const std::string &root)) const {
    for (const auto &[groups, expected] : limits) {
      write({{"groups", groups}});
      int64_t found = limitOf(root + "/groups", root);
      check(found == expected, [&, groups = groups, expected = expected] {
        return groups + " has a limit of " + std::to_string(found) + ", not " +
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
  second.expect({{"", 0}, {"no line of such a file", 0}, {"0::/\n", 0}},
                processorsOfGroups);
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
                 {"0::/missing/in/a/container\n", 0}},
                processorsOfGroups);

  Groups first;
  first.write({{"cpu/cpu.cfs_quota_us", "-1\n"},
               {"cpu/cpu.cfs_period_us", "100000\n"},
               {"cpu/a/cpu.cfs_quota_us", "400000\n"},
               {"cpu/a/cpu.cfs_period_us", "100000\n"}});
  first.expect({{"3:cpuset:/a\n2:cpu,cpuacct:/\n", 0},
                {"3:cpuset:/\n2:cpuacct,cpu:/a\n", 4},
                {"2:cpu:/a\n0::/\n", 4}},
               processorsOfGroups);

  second.write({{"memory.max", "max\n"},
                {"memory.current", "7000\n"},
                {"a/memory.max", "5000\n"},
                {"a/memory.current", "3000\n"},
                {"a/b/memory.max", "4000\n"},
                {"a/b/memory.current", "2500\n"},
                {"full/memory.max", "4000\n"},
                {"full/memory.current", "4000\n"}});
  second.expect({{"0::/\n", 0},
                 {"0::/a\n", 2000},
                 {"0::/a/b\n", 1500},
                 {"0::/full\n", 1}},
                memoryOfGroups);
  first.write({{"memory/a/memory.limit_in_bytes", "900\n"},
               {"memory/a/memory.usage_in_bytes", "200\n"}});
  first.expect({{"3:memory:/a\n2:cpu:/\n", 700}, {"3:cpu:/a\n", 0}},
               memoryOfGroups);
  check(availableMemory() > 0, [] { return "There is no memory."; });
}
