//===- Arrays.h - The arrays of Python as the memory of kernels -----------===//

#ifndef NACHO_PYTHON_ARRAYS_H
#define NACHO_PYTHON_ARRAYS_H

#include "nacho/Execution/Kernel.h"

#include <nanobind/nanobind.h>

#include <array>
#include <forward_list>
#include <string>
#include <vector>

/// The reason why a kernel cannot use a Python object in place as an argument.
enum class ArrayFault { none, layout, type, device };

/// Throws TypeError if there is a fault.
void throwIfFaulty(ArrayFault fault, nacho::ElementType type);

/// The name of an element type in NumPy.
const char *nameOf(nacho::ElementType type);
/// The element type of a name. Throws TypeError if there is none.
nacho::ElementType elementTypeOf(const std::string &name);

/// The arguments of one call: Python arrays, which are kept alive, and extents.
/// Arrays of the host are copied if kernels cannot use its memory; those in the
/// memory of the device are used in place.
class CallArguments {
public:
  /// Without arguments yet.
  explicit CallArguments(const nacho::Kernel &kernel);
  /// The same, of at most so many arguments.
  CallArguments(nacho::Device &device, size_t most);
  /// Throws TypeError unless the list has the arguments of the kernel.
  CallArguments(const nacho::Kernel &kernel, const nanobind::list &list);
  CallArguments(const CallArguments &) = delete;

  /// Adds an array, or says why it cannot be used.
  ArrayFault addArray(nanobind::handle object, nacho::ElementType type);
  /// Adds a float of Python as one of some type, or an int. Returns false, and
  /// adds nothing, if it is another number, or too large.
  bool addNumber(nanobind::handle number, nacho::ElementType type);
  /// Has an argument be the positions of a level with one parent, which has so
  /// many entries, in place of the array that it was.
  void setPositions(size_t argument, int64_t entries, nacho::ElementType type);
  void addExtent(int64_t extent) { args.push_back({nullptr, extent}); }
  /// The number of dimensions of the array that was added last, which is in
  /// the memory of the host.
  int lastRank() const;
  /// Whether an array of the host has bytes in some memory.
  bool isIn(const void *memory, size_t bytes) const;
  /// Whether arrays of the host are copied to a device, maybe after this.
  bool copiesArrays() const { return !views.empty(); }

  std::vector<nacho::Argument> args;

private:
  ArrayFault addDeviceArray(nanobind::handle object, nacho::ElementType type);

  nacho::Device &device;
  std::vector<nanobind::object> arrays, deviceArrays;
  std::vector<nacho::DeviceView> views;
  std::vector<double> numbers; ///< The memory of numbers, of any type.
  /// The memory of positions, of any type.
  std::forward_list<std::array<int64_t, 2>> positions;
};

/// The memory of a Python array that a dense result is written to: an array of
/// the host, if kernels can use its memory, or one of the device.
class ResultRoom {
public:
  /// Throws TypeError unless kernels of the device can write elements of this
  /// type to the array.
  ResultRoom(nacho::Device &device, nacho::ElementType type,
             nanobind::handle array);

  nacho::Argument memory;

private:
  nanobind::object kept;
};

/// A NumPy array that owns the buffer.
nanobind::object toArray(nacho::Buffer filled);

/// NumPy arrays that own the buffers.
nanobind::list toArrays(std::vector<nacho::Buffer> filled);

/// A NumPy array of rank 2; of rank 1 if `columns` is 0.
nanobind::object copyToArray(std::vector<int64_t> values, size_t rows,
                             size_t columns);

/// Lets the functions of this file use NumPy. Returns false, and an exception
/// is set, if it is not there.
bool importNumPy();

#endif // NACHO_PYTHON_ARRAYS_H
