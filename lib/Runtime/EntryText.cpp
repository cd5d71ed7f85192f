//===- EntryText.cpp - Entries of tensors as text -------------------------===//

#include "nacho/Runtime/EntryText.h"

#include "Threads.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace nacho;

/// A shorter text is read by one thread.
static constexpr int64_t kWorthThreads = 1 << 16;

namespace {
/// Takes a text apart, line by line.
class Lines {
public:
  explicit Lines(std::string_view text)
      : next(text.data()), end(next + text.size()) {}

  /// Finds the next line that is an entry; false if there is none.
  bool find() {
    while (next != end) {
      ++number;
      line = next;
      const void *found = std::memchr(next, '\n', end - next);
      lineEnd = found ? static_cast<const char *>(found) : end;
      next = found ? lineEnd + 1 : end;
      skipSpaces();
      if (!isAtEnd())
        return true;
    }
    return false;
  }

  /// Whether nothing but a comment is left of the line.
  bool isAtEnd() const { return endsLine(line); }

  /// The field that is to be read, or where it begins.
  std::string field() const {
    const char *after = line;
    while (!endsField(after))
      ++after;
    constexpr int64_t kShown = 40;
    bool isLong = after - line > kShown;
    return std::string(line, isLong ? line + kShown : after) +
           (isLong ? "..." : "");
  }

  /// Reads a number, and the spaces behind it; false if there is none.
  template <typename T>
  bool read(T &number) {
    const char *begin = line;
    if (begin != lineEnd && *begin == '+' && ++begin != lineEnd &&
        *begin == '-')
      return false;
    auto [after, error] = std::from_chars(begin, lineEnd, number);
    if (after == begin || !endsField(after))
      return false;
    if constexpr (std::is_floating_point_v<T>) {
      // What is too large is infinite, and what is too small is 0.
      if (error == std::errc::result_out_of_range)
        number = std::strtod(std::string(begin, after).c_str(), nullptr);
    } else if (error != std::errc()) {
      return false;
    }
    line = after;
    skipSpaces();
    return true;
  }

  int64_t countFields() {
    int64_t count = 0;
    while (!isAtEnd()) {
      ++count;
      while (!endsField(line))
        ++line;
      skipSpaces();
    }
    return count;
  }

  int64_t number = 0; ///< The line's number, from 1.

private:
  static bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
  }
  bool endsLine(const char *at) const {
    return at == lineEnd || *at == '#' || *at == '%';
  }
  bool endsField(const char *at) const { return endsLine(at) || isSpace(*at); }
  void skipSpaces() {
    while (line != lineEnd && isSpace(*line))
      ++line;
  }

  const char *next, *end;
  const char *line = nullptr, *lineEnd = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

EntryText::EntryText(std::string_view text, int64_t threads) : text(text) {
  int64_t size = text.size();
  int64_t count = std::clamp<int64_t>(
      threads, 1, std::max<int64_t>(size / kWorthThreads, 1));
  int64_t begin = 0;
  for (int64_t piece = 0; piece < count; ++piece) {
    int64_t end = std::max(begin, evenBegin(size, count, piece + 1));
    size_t newline = text.find('\n', end);
    end = piece + 1 == count || newline == text.npos ? size : newline + 1;
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  if (Lines lines(text); lines.find())
    numCoordinates = lines.countFields() - 1;
  firsts.assign(count + 1, 0);
  onThreads(count, [&](int64_t piece) { countPiece(piece); });
  for (int64_t piece = 0; piece < count; ++piece)
    firsts[piece + 1] += firsts[piece];
}

void EntryText::countPiece(int64_t piece) {
  Lines lines(pieces[piece]);
  int64_t count = 0;
  while (lines.find())
    ++count;
  firsts[piece + 1] = count;
}

std::string EntryText::read(int64_t *coordinates, double *values) {
  return readAll(coordinates, values);
}

std::string EntryText::read(int64_t *coordinates, int64_t *values) {
  return readAll(coordinates, values);
}

template <typename T>
std::string EntryText::readAll(int64_t *coordinates, T *values) {
  return firstFault(
      [&](int64_t piece) { return readPiece(piece, coordinates, values); });
}

std::string EntryText::check(int64_t integers, int64_t numbers) const {
  return firstFault([&](int64_t piece) {
    Lines lines(pieces[piece]);
    auto fault = [&](const char *what) {
      return Fault{lines.number, lines.isAtEnd() ? "there are too few numbers"
                                                 : what + lines.field() + "'"};
    };
    while (lines.find()) {
      int64_t whole;
      for (int64_t n = 0; n < integers; ++n)
        if (!lines.read(whole))
          return fault("this is no integer: '");
      double number;
      for (int64_t n = 0; n < numbers; ++n)
        if (!lines.read(number))
          return fault("this is no number: '");
      if (!lines.isAtEnd())
        return fault("there are too many numbers: '");
    }
    return Fault();
  });
}

/// Looks for faults in all pieces, and returns the first one.
template <typename Function>
std::string EntryText::firstFault(Function ofPiece) const {
  int64_t count = pieces.size();
  std::vector<Fault> faults(count);
  onThreads(count, [&](int64_t piece) { faults[piece] = ofPiece(piece); });
  for (int64_t piece = 0; piece < count; ++piece)
    if (!faults[piece].what.empty())
      return "line " + std::to_string(lineOf(piece, faults[piece])) + ": " +
             faults[piece].what;
  return {};
}

template <typename T>
EntryText::Fault EntryText::readPiece(int64_t piece, int64_t *coordinates,
                                      T *values) const {
  Lines lines(pieces[piece]);
  auto fault = [&](const char *what) {
    return Fault{lines.number, lines.isAtEnd() ? "there are too few numbers"
                                               : what + lines.field() + "'"};
  };
  int64_t entries = numEntries();
  for (int64_t entry = firsts[piece]; lines.find(); ++entry) {
    if (entry == firsts[piece + 1])
      return {lines.number, "the text changes while it is read"};
    for (int64_t dimension = 0; dimension < numCoordinates; ++dimension) {
      int64_t coordinate;
      if (!lines.read(coordinate))
        return fault("a coordinate is no integer: '");
      if (coordinate < 1)
        return {lines.number, "a coordinate is less than 1"};
      coordinates[dimension * entries + entry] = coordinate - 1;
    }
    if (!lines.read(values[entry]))
      return fault(std::is_floating_point_v<T> ? "the value is no number: '"
                                               : "the value is no integer: '");
    if (!lines.isAtEnd())
      return fault("there are too many numbers: '");
  }
  return {};
}

int64_t EntryText::lineOf(int64_t piece, const Fault &fault) const {
  std::string_view before = text.substr(0, pieces[piece].data() - text.data());
  return std::count(before.begin(), before.end(), '\n') + fault.line;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename T>
static void append(std::string &text, T number, char separator) {
  char digits[64];
  auto [end, error] = std::to_chars(digits, std::end(digits), number);
  text.append(digits, end);
  text.push_back(separator);
}

template <typename T>
static std::string write(int64_t rank, int64_t entries,
                         const int64_t *coordinates, const T *values) {
  std::string text;
  text.reserve(entries * (8 * rank + 16));
  for (int64_t entry = 0; entry < entries; ++entry) {
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      append(text, coordinates[dimension * entries + entry] + 1, ' ');
    append(text, values[entry], '\n');
  }
  return text;
}

std::string nacho::writeEntries(int64_t rank, int64_t entries,
                                const int64_t *coordinates,
                                const double *values) {
  return write(rank, entries, coordinates, values);
}

std::string nacho::writeEntries(int64_t rank, int64_t entries,
                                const int64_t *coordinates,
                                const int64_t *values) {
  return write(rank, entries, coordinates, values);
}
