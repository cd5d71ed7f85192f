//===- Validation.cpp - nacho._nacho: checks of arrays --------------------===//

#include "Validation.h"

#include "Signals.h"

#include "nacho/Runtime/Runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <vector>

namespace nb = nanobind;
using namespace nacho;

static const char *const violationNames[] = {"", "range", "order", "duplicate"};

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

static std::pair<int64_t, std::string> pyCheckCoordinates(const IndexArray &pos,
                                                          const IndexArray &crd,
                                                          int64_t extent) {
  if (pos.size() < 1)
    throw nb::value_error("the positions are too short");
  Violation violation;
  int64_t fibers = pos.size() - 1, entries = crd.size();
  int64_t at = dispatchIndex(pos, [&](auto *positions) {
    return dispatchIndex(crd, [&](auto *coordinates) -> int64_t {
      Unlocked unlocked;
      return untilChecked(fibers + entries, [&]() -> int64_t {
        if (checkPositions(positions, fibers, entries) >= 0)
          return -2;
        return checkCoordinates(positions, fibers, coordinates, entries, extent,
                                violation);
      });
    });
  });
  if (at == -2)
    throw nb::value_error("the positions are not valid");
  return {at, violationNames[static_cast<int>(violation)]};
}

/// Checks the entries of levels whose coordinates are tuples. All arrays of
/// coordinates have one type and one stride.
static nb::object pyCheckTuples(const IndexArray &pos, const nb::list &list,
                                const nb::list &extentList) {
  std::vector<IndexColumn> arrays;
  std::vector<int64_t> extents;
  arrays.reserve(nb::len(list));
  extents.reserve(nb::len(extentList));
  for (nb::handle item : list)
    arrays.push_back(nb::cast<IndexColumn>(item));
  for (nb::handle item : extentList)
    extents.push_back(nb::cast<int64_t>(item));
  if (pos.size() < 1 || arrays.empty() || arrays.size() != extents.size())
    throw nb::value_error("expected one extent for every array");
  int64_t fibers = pos.size() - 1, entries = arrays.front().size(), level = -1;
  // NumPy may report any stride for arrays of a single element.
  int64_t stride = entries > 1 ? arrays.front().stride(0) : 1;
  for (const IndexColumn &array : arrays)
    if (array.dtype() != arrays.front().dtype() ||
        int64_t(array.size()) != entries ||
        (entries > 1 && array.stride(0) != stride))
      throw nb::value_error("the coordinates differ in type, length or stride");
  Violation violation = Violation::none;
  int64_t at = dispatchIndex(pos, [&](auto *positions) {
    return dispatchIndex(arrays.front(), [&](auto *first) -> int64_t {
      using Index = std::remove_pointer_t<decltype(first)>;
      std::vector<Index *> coordinates;
      coordinates.reserve(arrays.size());
      for (const IndexColumn &array : arrays)
        coordinates.push_back(static_cast<Index *>(array.data()));
      Unlocked unlocked;
      return untilChecked(fibers + entries, [&]() -> int64_t {
        if (checkPositions(positions, fibers, entries) >= 0)
          return -2;
        return checkTuples(positions, fibers, coordinates.data(), stride,
                           entries, extents.data(), int64_t(extents.size()),
                           level, violation);
      });
    });
  });
  if (at == -2)
    throw nb::value_error("the positions are not valid");
  return nb::make_tuple(at, level, violationNames[static_cast<int>(violation)]);
}

void addValidation(nb::module_ &m) {
  m.def("check_positions", &pyCheckPositions, nb::arg("pos"), nb::arg("length"),
        nb::arg("nnz"));
  m.def("check_coordinates", &pyCheckCoordinates, nb::arg("pos"),
        nb::arg("crd"), nb::arg("extent"));
  m.def("check_tuples", &pyCheckTuples, nb::arg("pos"), nb::arg("crds"),
        nb::arg("extents"));
}
