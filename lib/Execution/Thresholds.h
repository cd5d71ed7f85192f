//===- Thresholds.h - Thresholds of the chooser -----------------*- C++ -*-===//
//
// The numbers by which Chooser.cpp decides, and that ChoiceText.cpp tells.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_LIB_EXECUTION_THRESHOLDS_H
#define NACHO_LIB_EXECUTION_THRESHOLDS_H

#include <cstdint>

namespace nacho {

/// With fewer entries to read and write, which take some 10 microseconds, one
/// thread computes a call: to tell others, and to hear from them, would take
/// longer than they save.
inline constexpr int64_t kSerialBelow = 3 << 12;
/// Few entries may have many products: parts that cost so much together, which
/// is some 100 microseconds, are for several threads.
inline constexpr int64_t kSharedFrom = 8 * kSerialBelow;
/// A union of more entries takes so many times as long as the system leaves a
/// processor to a thread that several threads gain, whatever else runs.
inline constexpr int64_t kAloneBelow = 1 << 21;
/// With fewer entries, a call is not cut: finding the cuts would take longer
/// than a fiftieth of the work.
inline constexpr int64_t kWholeBelow = 1 << 13;
/// The number of entries of a part, if that gives some parts, but not too many:
/// as many as are needed to keep the threads of most machines equally busy.
inline constexpr int64_t kEntriesPerPart = 1 << 18;
inline constexpr int64_t kFewestParts = 8, kManyParts = 32;
/// From this many entries on, a part takes a notable part of a second, and only
/// between parts does a thread find out that it shall stop. So there are more.
inline constexpr int64_t kMostEntriesPerPart = 1 << 24, kMostParts = 1 << 10;
/// The most parts that the entries of a call are divided into for a device
/// with a thread for each of them: their numbers fit in 32 bits.
inline constexpr int64_t kMostPartsOfDevice = int64_t(1) << 30;
/// The most parts of a call whose threads need workspaces, on a device.
inline constexpr int64_t kMostPartsWithWorkspaces = 1 << 13;
/// Finding a cut of lists takes as long as merging a thousand entries: if there
/// are few entries, a part of them has at least as many.
inline constexpr int64_t kLeastPartOfList = 1 << 15;

/// The most parts of a step whose parts are fixed, as many as threads can run,
/// and the least cost of each.
inline constexpr int64_t kMostFixedParts = 64;
inline constexpr int64_t kLeastFixedCost = 1 << 16;

/// Products that cost at least so much are worth sorting, if there are not
/// several rows of sums and there are more than kSortedCost threads: one thread
/// takes so many times as long to list, sort and add up products as to scatter
/// them over one row.
inline constexpr int64_t kLeastSorted = 1 << 18, kSortedCost = 6;

/// From so many entries for each row of the operands that are better
/// transposed, to transpose them takes less time than to load from them as they
/// are.
inline constexpr int64_t kWorthTransposing = 2;

/// Parts keep their order if all cost the same but for this fraction: then
/// neighbours, which share cache lines, run at the same time.
inline constexpr int64_t kNotable = 8;

/// The least share of the cost for which rows are cut into pieces: single sums
/// are too heavy for a smaller share, so that cutting seldom helps.
inline constexpr int64_t kLeastPieceShare = 1 << 10;

/// The most parts that fill tables of their own, unless more take a small part
/// of their work for that: an entry of a table takes as long as some elements.
inline constexpr int64_t kFewTables = 8, kElementsPerTableEntry = 8;

/// A key has at most as many bits.
inline constexpr unsigned kMostBits = 62;
/// With fewer entries, merging level by level instead of by keys does not gain
/// the time that it takes to compile it.
inline constexpr int64_t kWorthKeys = 1 << 20;
/// From so many entries per row on, merging level by level is faster than by
/// keys.
inline constexpr int64_t kLongRow = 64;

/// With fewer entries, a sample of the operands' first coordinates takes about
/// as long as merging all entries.
inline constexpr int64_t kOverlapFrom = 1 << 14;
/// The least overlap for an intersection by keys: with less, one level by
/// level, which skips the other entries, is faster.
inline constexpr double kLeastOverlap = 0.25;

/// The least cost of a union at which it pays to take a sample of it.
inline constexpr int64_t kSampleFrom = 1 << 17;
/// Two steps in this many may be mispredicted for a merge to be foreseen: a
/// step that selects takes about as long as one that branches, and a bit more
/// than a quarter of what a misprediction costs.
inline constexpr int64_t kSurpriseRate = 7;
/// Merging this many entries with branches instead of selects saves about the
/// time that it takes to compile the variant.
inline constexpr int64_t kWorthBranches = 1 << 24;

} // namespace nacho

#endif // NACHO_LIB_EXECUTION_THRESHOLDS_H
