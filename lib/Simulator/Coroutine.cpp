//===- Coroutine.cpp - Coroutines -----------------------------------------===//
//
// A switch between stacks is a call that saves the registers which a function
// must preserve, and returns on the other stack. Where it is not written for a
// processor, ucontext does the same, in a hundred times the time.
//
//===----------------------------------------------------------------------===//

#include "Coroutine.h"

#include "nacho/Runtime/Sanitizer.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

using namespace nacho;

/// Pages of a stack take memory when they are used for the first time.
static constexpr size_t kStackSize = size_t(1) << 18;

//===----------------------------------------------------------------------===//
// Switches
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

// The names are those in the assembly below.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
/// Saves where the caller is in `*from`, and goes on at `to`.
void nacho_switch_stack(void **from, void *to);
/// Calls %r12 with %rbx on a new stack. That never returns.
void nacho_begin_stack();
}
// NOLINTEND(readability-identifier-naming)

asm(R"(
.text
.hidden nacho_switch_stack
.globl nacho_switch_stack
.type nacho_switch_stack, @function
nacho_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size nacho_switch_stack, .-nacho_switch_stack

.hidden nacho_begin_stack
.globl nacho_begin_stack
.type nacho_begin_stack, @function
nacho_begin_stack:
  movq %rbx, %rdi
  callq *%r12
  ud2
.size nacho_begin_stack, .-nacho_begin_stack
)");

static void switchStack(void *&from, void *to) {
  nacho_switch_stack(&from, to);
}

/// Prepares what nacho_switch_stack() takes from the stack, from r15 to the
/// address where it returns to.
static void *newStack(char *low, size_t size, void (*function)(void *),
                      void *argument, void * /*reuse*/) {
  auto **top = reinterpret_cast<void **>(low + size);
  void **saved = top - 7;
  saved[3] = reinterpret_cast<void *>(function);
  saved[4] = argument;
  saved[5] = nullptr;
  saved[6] = reinterpret_cast<void *>(nacho_begin_stack);
  return saved;
}

static void forgetStack(void * /*saved*/) {}

#else

#include <ucontext.h>

static void switchStack(void *&from, void *to) {
  if (!from)
    from = new ucontext_t;
  swapcontext(static_cast<ucontext_t *>(from), static_cast<ucontext_t *>(to));
}

/// makecontext() passes integers only.
static void callWith(unsigned functionHigh, unsigned functionLow,
                     unsigned argumentHigh, unsigned argumentLow) {
  auto joined = [](unsigned high, unsigned low) {
    return uintptr_t(uint64_t(high) << 32 | low);
  };
  auto function =
      reinterpret_cast<void (*)(void *)>(joined(functionHigh, functionLow));
  function(reinterpret_cast<void *>(joined(argumentHigh, argumentLow)));
}

static void *newStack(char *low, size_t size, void (*function)(void *),
                      void *argument, void *reuse) {
  auto *made = reuse ? static_cast<ucontext_t *>(reuse) : new ucontext_t;
  getcontext(made);
  made->uc_stack.ss_sp = low;
  made->uc_stack.ss_size = size;
  made->uc_link = nullptr;
  auto called = uint64_t(reinterpret_cast<uintptr_t>(function));
  auto given = uint64_t(reinterpret_cast<uintptr_t>(argument));
  makecontext(made, reinterpret_cast<void (*)()>(callWith), 4,
              unsigned(called >> 32), unsigned(called), unsigned(given >> 32),
              unsigned(given));
  return made;
}

static void forgetStack(void *saved) {
  delete static_cast<ucontext_t *>(saved);
}

#endif

//===----------------------------------------------------------------------===//
// Coroutines
//===----------------------------------------------------------------------===//

Coroutine::Coroutine() {
  void *made = mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    throw std::bad_alloc();
  stack = static_cast<char *>(made);
  mprotect(stack, sysconf(_SC_PAGESIZE), PROT_NONE);
#if defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
  ownMark = __tsan_create_fiber(0);
#endif
}

Coroutine::~Coroutine() {
  forgetStack(own);
#if !defined(__x86_64__)
  forgetStack(caller);
#endif
#if defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
  __tsan_destroy_fiber(ownMark);
#endif
  munmap(stack, kStackSize);
}

void Coroutine::start(void (*function)(void *), void *argument) {
  this->function = function;
  this->argument = argument;
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  ownMark = nullptr;
#endif
  // What a function that was left had on this stack is no longer there.
  allowAccess(stack, kStackSize);
  own = newStack(stack, kStackSize, run, this, own);
}

void Coroutine::run(void *coroutine) {
  auto *self = static_cast<Coroutine *>(coroutine);
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &self->callerStack,
                                  &self->callerSize);
#endif
  self->function(self->argument);
  self->wait();
  std::abort();
}

void Coroutine::resume() {
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&callerMark, stack, kStackSize);
#elif defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
  callerMark = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(ownMark, 0);
#endif
  switchStack(caller, own);
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(callerMark, nullptr, nullptr);
#endif
}

void Coroutine::wait() {
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&ownMark, callerStack, callerSize);
#elif defined(NACHO_BUILT_FOR_THREAD_SANITIZER)
  __tsan_switch_to_fiber(callerMark, 0);
#endif
  switchStack(own, caller);
#if defined(NACHO_BUILT_FOR_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(ownMark, &callerStack, &callerSize);
#endif
}
