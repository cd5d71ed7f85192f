//===- FunctionRef.h - A reference to something callable ------------------===//

#ifndef NACHO_RUNTIME_FUNCTIONREF_H
#define NACHO_RUNTIME_FUNCTIONREF_H

#include <type_traits>
#include <utility>

namespace nacho {

template <typename Signature>
class FunctionRef;

/// A function that a caller lends to another one, which calls it: unlike a
/// std::function, it needs no memory. It is C++26's std::function_ref.
template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
public:
  template <typename Callable, typename = std::enable_if_t<!std::is_same_v<
                                   std::decay_t<Callable>, FunctionRef>>>
  FunctionRef(Callable &&callable)
      : callable(&callable), run([](const void *callable, Args... args) {
          return (*static_cast<const std::decay_t<Callable> *>(callable))(
              std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const {
    return run(callable, std::forward<Args>(args)...);
  }

private:
  const void *callable;
  Result (*run)(const void *, Args...);
};

} // namespace nacho

#endif // NACHO_RUNTIME_FUNCTIONREF_H
