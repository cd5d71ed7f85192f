//===- Fork.cpp - Locks that are free in forked processes -----------------===//

#include "nacho/Runtime/Fork.h"

#include <functional>
#include <new>
#include <pthread.h>
#include <vector>

using namespace nacho;

namespace {
/// The locks that fork() takes, in the order in which they were added.
class Held {
public:
  template <typename Mutex>
  void add(Mutex &mutex) {
    std::lock_guard<std::mutex> lock(own);
    all.push_back(
        {[&] { mutex.lock(); }, [&] { mutex.unlock(); },
         // The child's thread may not unlock what its parent's locked.
         [&] { new (&mutex) Mutex; }});
  }

  void lock() {
    own.lock();
    for (const Calls &calls : all)
      calls.lock();
  }
  void unlock() {
    for (auto calls = all.rbegin(); calls != all.rend(); ++calls)
      calls->unlock();
    own.unlock();
  }
  void renew() {
    ++forks;
    for (const Calls &calls : all)
      calls.renew();
    new (&own) std::mutex;
  }

  int forks = 0;

private:
  struct Calls {
    std::function<void()> lock, unlock, renew;
  };
  std::mutex own;
  std::vector<Calls> all;
};
} // namespace

/// Never destroyed, since a process may fork while it ends.
static Held &held() {
  static Held *instance = [] {
    pthread_atfork([] { held().lock(); }, [] { held().unlock(); },
                   [] { held().renew(); });
    return new Held;
  }();
  return *instance;
}

void nacho::holdAtFork(std::mutex &mutex) { held().add(mutex); }
void nacho::holdAtFork(std::shared_mutex &mutex) { held().add(mutex); }

int nacho::timesForked() { return held().forks; }

static std::shared_mutex &workInProgress() {
  static auto *mutex = [] {
    auto *made = new std::shared_mutex;
    holdAtFork(*made);
    return made;
  }();
  return *mutex;
}

NoFork::NoFork() { workInProgress().lock_shared(); }
NoFork::~NoFork() { workInProgress().unlock_shared(); }
