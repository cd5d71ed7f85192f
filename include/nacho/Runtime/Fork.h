//===- Fork.h - Locks that are free in forked processes -------------------===//
//
// A forked process has only the thread that called fork(). A lock that another
// thread held at that moment would never be released in it, and what the lock
// guards may be half changed. So fork() takes the locks named here first.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_FORK_H
#define NACHO_RUNTIME_FORK_H

#include <mutex>
#include <shared_mutex>

namespace nacho {

/// Makes fork() wait until nobody holds the lock, which must live as long as
/// the process. Whoever holds it must not wait for the thread that calls
/// fork().
void holdAtFork(std::mutex &mutex);
void holdAtFork(std::shared_mutex &mutex);

/// The number of forks that lead from the first process to this one.
int timesForked();

/// While one of these exists, fork() waits: for work whose state is spread over
/// libraries that know nothing of fork(), as with a compilation.
class NoFork {
public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork &) = delete;
};

} // namespace nacho

#endif // NACHO_RUNTIME_FORK_H
