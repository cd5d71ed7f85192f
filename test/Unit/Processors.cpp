//===- Processors.cpp - Limits that control groups set --------------------===//

#include "Unit.h"

#include "nacho/Runtime/Processors.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

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

  void write(const std::string &file, const std::string &text) const {
    std::filesystem::path path = root + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  void expect(const std::string &groups, int64_t processors) const {
    write("groups", groups);
    int64_t found = processorsOfGroups(root + "/groups", root);
    check(found == processors, [&] {
      return groups + " has " + std::to_string(found) + " processors, not " +
             std::to_string(processors);
    });
  }

private:
  std::string root;
};
} // namespace

NACHO_SUITE("processors") {
  Groups second;
  second.expect("", 0);
  second.expect("no line of such a file", 0);
  second.expect("0::/\n", 0);
  second.write("cpu.max", "max 100000\n");
  second.write("a/cpu.max", "250000 100000\n");
  second.write("a/b/cpu.max", "max 100000\n");
  second.write("a/b/c/cpu.max", "50000 100000\n");
  second.write("broken/cpu.max", "100000 0\n");
  second.expect("0::/\n", 0);
  second.expect("0::/a\n", 3);
  second.expect("0::/a/b\n", 3);
  second.expect("0::/a/b/c\n", 1);
  second.expect("0::/broken\n", 0);
  second.expect("0::/missing/in/a/container\n", 0);

  Groups first;
  first.write("cpu/cpu.cfs_quota_us", "-1\n");
  first.write("cpu/cpu.cfs_period_us", "100000\n");
  first.write("cpu/a/cpu.cfs_quota_us", "400000\n");
  first.write("cpu/a/cpu.cfs_period_us", "100000\n");
  first.expect("3:cpuset:/a\n2:cpu,cpuacct:/\n", 0);
  first.expect("3:cpuset:/\n2:cpuacct,cpu:/a\n", 4);
  first.expect("2:cpu:/a\n0::/\n", 4);
}
