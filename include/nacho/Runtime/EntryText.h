//===- EntryText.h - Entries of tensors as text ---------------*- C++ -*-===//
//
// One line for each entry, as in FROSTT's files: its coordinates, which begin
// at 1, and its value. Fields are separated by spaces or tabs. What follows '#'
// or '%' in a line is a comment; lines without anything else are no entries.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_RUNTIME_ENTRYTEXT_H
#define NACHO_RUNTIME_ENTRYTEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nacho {

/// The lines of a text, in pieces of about the same length, each of which a
/// thread reads.
class EntryText {
public:
  /// Counts the entries of a text, on so many threads, which must outlive this.
  EntryText(std::string_view text, int64_t threads);

  int64_t numEntries() const { return firsts.back(); }
  /// The number of coordinates of the first entry; 0 if there is none.
  int64_t rank() const { return numCoordinates; }
  /// Whether the text is long enough for as many coordinates in each entry.
  bool isLongEnough() const {
    return numEntries() * (2 * rank() + 1) <= int64_t(text.size()) + 1;
  }

  /// Reads the entries: coordinates that begin at 0, an array of numEntries()
  /// for each dimension, one after the other; and values. Returns what is wrong
  /// with the first line that is no entry, and its number; else nothing.
  std::string read(int64_t *coordinates, double *values);
  std::string read(int64_t *coordinates, int64_t *values);

  /// Returns what is wrong with the first line that is not empty and does not
  /// have so many integers and then so many numbers, and its number; else
  /// nothing.
  std::string check(int64_t integers, int64_t numbers) const;

private:
  struct Fault {
    int64_t line = 0; ///< Counted from the begin of the piece.
    std::string what; ///< Empty if nothing is wrong.
  };

  void countPiece(int64_t piece);
  template <typename T>
  std::string readAll(int64_t *coordinates, T *values);
  template <typename Function>
  std::string firstFault(Function ofPiece) const;
  template <typename T>
  Fault readPiece(int64_t piece, int64_t *coordinates, T *values) const;
  int64_t lineOf(int64_t piece, const Fault &fault) const;

  std::string_view text;
  int64_t numCoordinates = 0;
  std::vector<std::string_view> pieces;
  std::vector<int64_t> firsts; ///< The number of the first entry of a piece.
};

/// Writes entries, in their order: the reverse of reading. Values are written
/// with as many digits as it takes to read the same again.
std::string writeEntries(int64_t rank, int64_t entries,
                         const int64_t *coordinates, const double *values);
std::string writeEntries(int64_t rank, int64_t entries,
                         const int64_t *coordinates, const int64_t *values);

} // namespace nacho

#endif // NACHO_RUNTIME_ENTRYTEXT_H
