//===- Texts.cpp - nacho._nacho: entries of tensors as text ---------------===//

#include "Texts.h"

#include "Signals.h"

#include "nacho/Runtime/EntryText.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>

namespace nb = nanobind;
using namespace nacho;

using Bytes = nb::ndarray<nb::ro, const uint8_t, nb::ndim<1>, nb::c_contig,
                          nb::device::cpu>;
using Coordinates = nb::ndarray<nb::ro, const int64_t, nb::ndim<2>,
                                nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A NumPy array that owns its elements.
template <typename T>
static nb::object own(std::unique_ptr<T[]> data,
                      std::initializer_list<size_t> shape) {
  nb::capsule owner(data.get(),
                    [](void *p) noexcept { delete[] static_cast<T *>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data.release(), shape, owner));
}

template <typename T>
static nb::tuple readAs(const Bytes &bytes, int64_t threads) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  std::unique_ptr<int64_t[]> coordinates;
  std::unique_ptr<T[]> values;
  std::string fault;
  int64_t rank = 0, entries = 0;
  {
    Unlocked unlocked;
    EntryText lines(text, threads);
    // Some line is shorter than the first one: there is no need for memory.
    if (!lines.isLongEnough())
      throw nb::value_error("entries have different numbers of coordinates");
    rank = lines.rank(), entries = lines.numEntries();
    coordinates.reset(new int64_t[rank * entries]);
    values.reset(new T[entries]);
    fault = lines.read(coordinates.get(), values.get());
  }
  if (!fault.empty())
    throw nb::value_error(fault.c_str());
  return nb::make_tuple(
      own(std::move(coordinates), {size_t(rank), size_t(entries)}),
      own(std::move(values), {size_t(entries)}));
}

/// Returns the coordinates, of shape (rank, entries), and the values, which are
/// integers or floats.
static nb::tuple readEntries(const Bytes &bytes, int64_t threads,
                             bool areWhole) {
  return areWhole ? readAs<int64_t>(bytes, threads)
                  : readAs<double>(bytes, threads);
}

/// Returns what is wrong with the first line that does not have so many
/// integers and then so many numbers; else nothing.
static std::string checkNumbers(const Bytes &bytes, int64_t threads,
                                int64_t integers, int64_t numbers) {
  Unlocked unlocked;
  EntryText lines({reinterpret_cast<const char *>(bytes.data()), bytes.size()},
                  threads);
  return lines.check(integers, numbers);
}

static nb::bytes writeEntriesOf(const Coordinates &coordinates,
                                const Values &values) {
  int64_t rank = coordinates.shape(0), entries = coordinates.shape(1);
  if (int64_t(values.size()) != entries)
    throw nb::value_error("there are other numbers of coordinates and values");
  bool isWhole = values.dtype() == nb::dtype<int64_t>();
  if (!isWhole && values.dtype() != nb::dtype<double>())
    throw nb::type_error("expected values of int64 or float64");
  std::string text;
  {
    Unlocked unlocked;
    text = isWhole ? writeEntries(rank, entries, coordinates.data(),
                                  static_cast<const int64_t *>(values.data()))
                   : writeEntries(rank, entries, coordinates.data(),
                                  static_cast<const double *>(values.data()));
  }
  return nb::bytes(text.data(), text.size());
}

void addTexts(nb::module_ &m) {
  m.def("read_entries", &readEntries, nb::arg("text"), nb::arg("threads"),
        nb::arg("whole"));
  m.def("check_numbers", &checkNumbers, nb::arg("text"), nb::arg("threads"),
        nb::arg("integers"), nb::arg("numbers"));
  m.def("write_entries", &writeEntriesOf, nb::arg("coordinates"),
        nb::arg("values"));
}
