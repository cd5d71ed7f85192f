//===- Chooser.h - The choice of a variant for a call ---------------------===//
//
// Decides, or lets a program refuse (StepRefusals.cpp), what depends on the
// operands of a call:
//
//   workers     few entries are computed by one thread, and so is a union where
//               other programs have the processors
//   fixed parts a step that scatters values over rows of sums has as many parts
//               as its cost is worth, whatever number was asked for
//   order       heavy parts are started first
//   products    are scattered by one part, or sorted by several, where a step
//               is not worth several rows of sums
//   transposed  dense operands are copied, if entries are many enough
//   keys        lists are merged by keys, or level by level
//   whole rows  parts own whole rows of the result, unless these are too
//               unequal
//   heavy rows  rows that are too heavy for a part are computed apart
//   drafts      entries are appended without counting, unless too much memory
//               would be needed for all that might be appended; the parts of a
//               large union move theirs in turn, if nobody asked for a number
//               of parts
//   narrow      kernels of a GPU compute with indices of 32 bits, unless an
//               array is too long
//   branches    a union is merged with branches if a branch predictor would
//               foresee which operand comes next
//
// A call begins with choose(). A program that cannot compute the call answers
// with a Refusal, and instead() chooses another one. No decision depends on
// time, and none that could change a result depends on earlier calls, or on
// what else the machine does.
//
//===----------------------------------------------------------------------===//

#ifndef NACHO_EXECUTION_CHOOSER_H
#define NACHO_EXECUTION_CHOOSER_H

#include "nacho/Execution/Layout.h"
#include "nacho/Execution/Variant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nacho {

class Program;

/// The purpose for which operands are planned.
enum class Purpose {
  call,  ///< The result is computed once.
  count, ///< The number of its entries is all that is asked for.
  plan,  ///< The caller sees the cuts, and computes values again and again.
};

/// The request of a caller. A number of threads or parts that is 0 is chosen.
struct Asked {
  Purpose purpose = Purpose::call;
  int64_t threads = 0, parts = 0;
  int64_t work = 0;   ///< The entries that are read and written, roughly.
  int64_t memory = 0; ///< The most bytes that are allocated at a time; 0: any.
};

/// Facts about the operands of a call, known before any of it is computed.
struct Facts {
  unsigned keyBits = 0; ///< The bits of a key of the first operand with levels.
  int64_t entries = 0;  ///< The number of entries of all operands.
  /// The number of rows of all operands: the fibers of their last levels or,
  /// for a list, all combinations of the coordinates of its other levels.
  int64_t rows = 0;
  /// The part of the entries with a first coordinate that all operands have, by
  /// a sample; 1 if none was taken.
  double overlap = 1;
  int64_t stored = 0; ///< The entries of operands that store coordinates.
  /// The fibers of these operands, of all levels but the first.
  int64_t fibers = 0;
  /// The rows that operands would have which are better transposed; 0 if there
  /// are none.
  int64_t transposedRows = 0;
  int64_t longest = 0; ///< The longest array, or the largest extent.
  /// Other programs leave no processor to a second thread.
  bool isCrowded = false;
};

/// The facts about a module that the chooser has to know.
struct KernelFacts {
  bool canMergeKeys = false; ///< Its lists can be merged by keys.
  /// The lists are intersected: loops over their levels skip the entries whose
  /// first coordinate an operand lacks, but a loop over keys visits them.
  bool intersectsKeys = false;
  /// On the host, entries of operands may be united.
  bool unites = false;
  int64_t entriesPerPart = 0; ///< See Device.
  /// The numbers of the dense operands that are better transposed, and a bit
  /// for each level that the rows of the transposed operand belong to.
  std::vector<std::pair<size_t, size_t>> transposed = {};
};

/// The facts that the arguments of a call tell.
Facts factsOf(const std::vector<TensorLayout> &operands,
              const std::vector<Argument> &args,
              const KernelFacts &kernel = {});

/// The results of trial runs of a merge of two operands.
struct Sample {
  int64_t steps = 0;     ///< The number of steps that were tried.
  int64_t surprises = 0; ///< Steps that a branch predictor would not foresee.
};

/// The answer of a program that cannot compute a call.
struct Refusal {
  enum Needs {
    heavyRows, ///< A row is too heavy for a part that owns it.
    splitRows, ///< A row is too wide for a workspace without keys.
    sorting,   ///< One part would scatter all products, unless they are sorted.
    counts,    ///< The entries have to be counted first.
    wideIndices, ///< A number may not fit 32 bits.
  } needs;
  std::string reason;
  int64_t share = 0; ///< The cost for each worker, if a row is too heavy.
  /// Rows are looked up in tables, of which each piece of a row needs its own.
  bool fillsTables = false;
};

/// The decisions for a call, and the facts that they depend on.
struct Choice {
  Variant variant;
  int64_t threads = 1, parts = 1;
  /// Nacho chose the number of parts, and a thread takes the next part when it
  /// is done with one.
  bool isShared = false;

  Asked asked;
  Facts facts;
  std::vector<Refusal> refusals;
  /// No other program is better balanced.
  bool acceptsImbalance = false;
  /// Each part is computed without the others, elsewhere.
  bool areAlone = false;
  /// One part may scatter all products of a step.
  bool acceptsOnePart = false;
  std::optional<Sample> sample; ///< A sample of the last step's innermost loop.
  /// The cost of the parts that the busiest worker runs, over its share. Of
  /// several steps with whole rows, the one with the largest ratio counts.
  double heaviest = 0;
  /// The fixed parts of the last step, and the size of a row; 0 if its parts
  /// are not fixed.
  int64_t fixedParts = 0, rowSize = 0;
  int64_t cost = 0; ///< That of all parts, if it decided about the threads.
  int64_t rows = 0; ///< The rows that are shared out like entries to parts.

  /// Chooses as many parts as a program is best run with by a device, whose
  /// parts have so many entries: more if blocks keep what their rows append,
  /// and fewer if each thread needs workspaces, since a device does not have
  /// memory for those of all its threads.
  void adaptParts(const Program &program, int64_t entriesPerPart);

  /// Among how many workers the cost has to be balanced.
  int64_t workers() const { return isShared ? threads : parts; }
};

class Chooser {
public:
  Chooser(const Pins &pins, const KernelFacts &kernel)
      : pins(pins), kernel(kernel) {}

  /// The facts that the arguments of a call tell.
  Facts factsOf(const std::vector<TensorLayout> &operands,
                const std::vector<Argument> &args) const {
    return nacho::factsOf(operands, args, kernel);
  }

  /// Has as many threads take part as are there, if nobody asked for a number,
  /// and the parts cost far more than operands with few entries let expect.
  void shareCost(Choice &choice, int64_t cost, int64_t available) const;

  /// Whether choose() needs to know if other programs have the processors: one
  /// thread does less for a union than several together, and gains if those
  /// have to wait for a processor, or for each other.
  bool wantsCrowd(const Asked &asked) const;

  /// Whether choose() needs to know the overlap of the operands. Only the host
  /// reads single coordinates of them.
  bool wantsOverlap(const Asked &asked, const Facts &facts) const;

  /// The choice with which a call begins. `available` is the number of threads
  /// that a call uses if its caller does not say.
  Choice choose(const Asked &asked, const Facts &facts,
                int64_t available) const;

  /// The choice for a call whose parts run where the others are not. They are
  /// counted; a loop over keys, which has no parts of its own, is left to calls
  /// with few entries.
  Choice chooseForLoneParts(const Asked &asked, const Facts &facts) const;

  /// The choice after a refusal; none if another variant would not help.
  std::optional<Choice> instead(const Choice &choice,
                                const Refusal &refusal) const;

  /// The variants that choose() and instead() can choose, whatever the
  /// operands: all that a program needs. Branches, which only make a union
  /// faster, come later.
  std::vector<Variant> reachable() const;

  /// Whether to take a sample of the innermost loop of the last step, which
  /// unites two operands, when the step costs `cost`. GPUs predict no branches.
  bool wantsSample(int64_t cost) const;

  /// Whether to merge a union with branches. `merged` is how many entries the
  /// kernel has merged in unions that it could merge with branches.
  static bool wantsBranches(const Choice &choice, int64_t merged);

  /// The number of parts of a step that costs `cost` and whose parts add to
  /// rows of `rowSize` sums. It depends on nothing else, since the order in
  /// which values are added up depends on it.
  static int64_t fixedParts(int64_t cost, int64_t rowSize);

  /// Whether the step takes less time if its products are sorted, so that many
  /// threads share it: `threads` of the host, or those of a device that has so
  /// many `entriesPerPart`. If so, on the host, fixedParts() gives one part,
  /// which adds up the products of each sum in the same order: which of the two
  /// computes a call makes no difference to the result.
  static bool wantsSorting(int64_t cost, int64_t rowSize, int64_t threads,
                           int64_t entriesPerPart = 0);

  /// The numbers of all parts in the order in which threads start them: those
  /// that cost most come first if one costs notably more than others, so that
  /// no thread begins with it when all other parts are done.
  static std::vector<int64_t> startOrder(const std::vector<int64_t> &costs,
                                         int64_t threads);

  /// The most parts of a step that reads `elements` elements, if each of them
  /// fills a table with `entries` entries.
  static int64_t partsWithTable(int64_t elements, int64_t entries);

  /// The most parts of a step that reads `entries` entries, if each has `sums`
  /// sums for entries of the result that it shares with other parts.
  static int64_t partsWithRows(int64_t entries, int64_t sums);

  /// Whether a sample tells that a branch predictor foresees most steps.
  static bool isForeseen(const Sample &sample);

  /// Describes each decision that made a difference, and why it was made.
  std::vector<std::string> describe(const Choice &choice,
                                    const Program &program) const;
  /// Describes the numbers of threads and parts. `areProducts` says that the
  /// work of the caller is that of products, and not that of reading entries.
  std::string describeWorkers(const Choice &choice,
                              bool areProducts = false) const;

private:
  bool wantsKeys(const Asked &asked, const Facts &facts) const;
  bool wantsTransposed(const Asked &asked, const Facts &facts) const;
  Indices chooseIndices(const Choice &choice) const;
  Fill chooseFill(const Choice &choice) const;
  std::vector<Choice> beginnings() const;
  std::optional<Choice> withoutHeavyRows(Choice choice) const;
  static std::optional<Choice> withSharedRows(Choice choice);
  std::string describeKeys(const Choice &choice) const;
  std::string describeRows(const Choice &choice) const;
  std::string describeProducts(const Choice &choice) const;
  std::string describeTransposed(const Choice &choice) const;
  std::string describeDraft(const Choice &choice) const;
  std::string describeIndices(const Choice &choice) const;
  std::string describeBranches(const Choice &choice) const;
  static std::string describeFixedParts(const Choice &choice);

  Pins pins;
  KernelFacts kernel;
};

} // namespace nacho

#endif // NACHO_EXECUTION_CHOOSER_H
