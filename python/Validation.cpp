//===- Validation.cpp - nacho._nacho: checks of arrays --------------------===//

#include "Validation.h"

#include "Signals.h"

#include "nacho/Runtime/Processors.h"
#include "nacho/Runtime/Runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <vector>

namespace nb = nanobind;
using namespace nacho;

static const char *nameOf(Violation violation) {
  switch (violation) {
  case Violation::positions:
    return "positions";
  case Violation::range:
    return "range";
  case Violation::order:
    return "order";
  case Violation::duplicate:
    return "duplicate";
  }
  return "";
}

using IndexArray =
    nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// An array that need not be contiguous, such as a column of another array.
using IndexColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

/// Calls `f` with the array's elements as int32 or int64.
template <typename Array, typename F>
static auto dispatchIndex(const Array &array, F f) {
  if (array.dtype() == nb::dtype<int32_t>())
    return f(static_cast<const int32_t *>(array.data()));
  if (array.dtype() == nb::dtype<int64_t>())
    return f(static_cast<const int64_t *>(array.data()));
  throw nb::type_error("expected an array of int32 or int64");
}

static int64_t pyCheckPositions(const IndexArray &pos, int64_t length,
                                int64_t entries) {
  if (length < 0 || int64_t(pos.size()) < length + 1)
    throw nb::value_error("the positions are too short");
  return dispatchIndex(pos, [&](auto *data) {
    Unlocked unlocked;
    return untilChecked(length,
                        [&] { return checkPositions(data, length, entries); });
  });
}

/// The bytes of an element of int32 or int64.
template <typename Array>
static int64_t bytesOf(const Array &array) {
  return dispatchIndex(array, [](auto *data) { return sizeof(*data); });
}

/// The first fault of entries that have these positions. No threads are as many
/// as calls use by default.
static std::optional<Fault> firstFault(const IndexArray &pos, LevelEntries of,
                                       int64_t threads) {
  if (pos.size() < 1)
    throw nb::value_error("the positions are too short");
  of.positions = pos.data();
  of.positionBytes = bytesOf(pos);
  of.fibers = pos.size() - 1;
  std::optional<Fault> fault;
  {
    Unlocked unlocked;
    if (!threads)
      threads = defaultThreads();
    fault = untilChecked(of.fibers + of.entries,
                         [&] { return findFault(of, threads); });
  }
  if (fault && fault->violation == Violation::positions)
    throw nb::value_error("the positions are not valid");
  return fault;
}

static std::pair<int64_t, std::string> pyCheckCoordinates(const IndexArray &pos,
                                                          const IndexArray &crd,
                                                          int64_t extent,
                                                          int64_t threads) {
  LevelEntries of = {};
  const void *coordinates = crd.data();
  of.coordinates = &coordinates;
  of.coordinateBytes = bytesOf(crd);
  of.stride = of.levels = 1;
  of.entries = crd.size();
  of.extents = &extent;
  std::optional<Fault> fault = firstFault(pos, of, threads);
  if (!fault)
    return {-1, ""};
  return {fault->entry, nameOf(fault->violation)};
}

/// Checks the entries of levels whose coordinates are tuples. All arrays of
/// coordinates have one type and one stride.
static nb::object pyCheckTuples(const IndexArray &pos, const nb::list &list,
                                const nb::list &extentList, int64_t threads) {
  std::vector<IndexColumn> arrays;
  std::vector<const void *> coordinates;
  std::vector<int64_t> extents;
  for (nb::handle item : list) {
    arrays.push_back(nb::cast<IndexColumn>(item));
    coordinates.push_back(arrays.back().data());
  }
  for (nb::handle item : extentList)
    extents.push_back(nb::cast<int64_t>(item));
  if (arrays.empty() || arrays.size() != extents.size())
    throw nb::value_error("expected one extent for every array");
  LevelEntries of = {};
  of.coordinates = coordinates.data();
  of.coordinateBytes = bytesOf(arrays.front());
  of.levels = int64_t(arrays.size());
  of.entries = arrays.front().size();
  of.extents = extents.data();
  // NumPy may report any stride for arrays of a single element.
  of.stride = of.entries > 1 ? arrays.front().stride(0) : 1;
  for (const IndexColumn &array : arrays)
    if (array.dtype() != arrays.front().dtype() ||
        int64_t(array.size()) != of.entries ||
        (of.entries > 1 && array.stride(0) != of.stride))
      throw nb::value_error("the coordinates differ in type, length or stride");
  std::optional<Fault> fault = firstFault(pos, of, threads);
  if (!fault)
    return nb::make_tuple(-1, -1, "");
  return nb::make_tuple(fault->entry, fault->level, nameOf(fault->violation));
}

void addValidation(nb::module_ &m) {
  m.def("check_positions", &pyCheckPositions, nb::arg("pos"), nb::arg("length"),
        nb::arg("nnz"));
  m.def("check_coordinates", &pyCheckCoordinates, nb::arg("pos"),
        nb::arg("crd"), nb::arg("extent"), nb::arg("threads") = 0);
  m.def("check_tuples", &pyCheckTuples, nb::arg("pos"), nb::arg("crds"),
        nb::arg("extents"), nb::arg("threads") = 0);
}
