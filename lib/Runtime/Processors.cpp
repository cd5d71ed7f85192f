//===- Processors.cpp - The number of threads of a process ----------------===//

#include "nacho/Runtime/Processors.h"
#include "ControlGroups.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <unistd.h>

using namespace nacho;

int64_t nacho::countProcessors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors))
    return 1;
  return CPU_COUNT(&processors);
}

int64_t nacho::countRunning() {
  static const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  // Three averages, "running/all", and a number.
  std::array<char, 128> text;
  ssize_t size = pread(file, text.data(), text.size() - 1, 0);
  if (size <= 0)
    return 0;
  text[size] = '\0';
  double averages[3];
  long long running = 0;
  int found = std::sscanf(text.data(), "%lf %lf %lf %lld/", &averages[0],
                          &averages[1], &averages[2], &running);
  return found == 4 ? running : 0;
}

/// The processors' time that one group has: quota / period, rounded up; 0 if
/// that is not limited.
static int64_t processorsIn(const std::string &group) {
  int64_t quota = 0, period = 0;
  // A quota of "max" is no number, and one of -1 is no limit.
  if (std::ifstream both(group + "/cpu.max"); !(both >> quota >> period)) {
    quota = 0;
    std::ifstream(group + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(group + "/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? (quota + period - 1) / period : 0;
}

int64_t nacho::processorsOfGroups(const std::string &groups,
                                  const std::string &root) {
  return leastOfGroups(groups, root, "cpu", processorsIn);
}

/// Returns the number in a variable of the environment; 0 if it has none.
static int64_t numberOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? std::max<int64_t>(std::atoll(text), 0) : 0;
}

int64_t nacho::defaultThreads() {
  int64_t asked = numberOf("NACHO_NUM_THREADS");
  if (!asked)
    asked = numberOf("OMP_NUM_THREADS");
  if (!asked) {
    static const int64_t ofGroups =
        processorsOfGroups("/proc/self/cgroup", "/sys/fs/cgroup");
    asked = lesserOf(countProcessors(), ofGroups);
  }
  return std::clamp<int64_t>(asked, 1, kMostThreads);
}
