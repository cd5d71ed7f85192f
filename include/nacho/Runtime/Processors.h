//===- Processors.h - The number of threads of a process ------------------===//

#ifndef NACHO_RUNTIME_PROCESSORS_H
#define NACHO_RUNTIME_PROCESSORS_H

#include <cstdint>
#include <string>

namespace nacho {

/// The most threads that a caller may ask for.
inline constexpr int64_t kMostThreads = 1024;

/// The number of processors on which the calling thread may run.
int64_t countProcessors();

/// The number of threads of the whole system that run now, or wait for a
/// processor; 0 if the system does not say.
int64_t countRunning();

/// Returns how many processors' time the control groups have that `groups`, a
/// file like /proc/self/cgroup, names, and the groups around them; 0 if none
/// has a limit. Parts of a processor count as one. Their limits are under
/// `root`, in files of version 2 (cpu.max) or 1 (cpu/cpu.cfs_quota_us).
int64_t processorsOfGroups(const std::string &groups, const std::string &root);

/// The number of threads that computations have unless their caller says it:
/// NACHO_NUM_THREADS or OMP_NUM_THREADS if they are set, else as many as there
/// are processors for this process.
int64_t defaultThreads();

} // namespace nacho

#endif // NACHO_RUNTIME_PROCESSORS_H
