//===- Reader.cpp - From the text of PTX to kernels -----------------------===//
//
// Reads what LLVM writes: an instruction, a label or a directive per line.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace ptx;

namespace {
/// A branch to a label, which may come later.
struct Jump {
  size_t instruction;
  std::string label;
};

class Reader {
public:
  explicit Reader(const std::string &text) : lines(text) {}
  std::map<std::string, Kernel> read();

private:
  bool nextLine();
  void beginKernel();
  void readParameter();
  void readArray(size_t &all);
  void readDirective();
  void readInstruction();
  void readOperand(const std::string &word, Shape shape, Instruction &made);
  void endKernel();

  int32_t registerOf(const std::string &word);
  int32_t constantOf(uint64_t bits);
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error("line " + std::to_string(number) + ": " + what + ": " + line);
  }

  std::istringstream lines;
  std::string line;
  size_t number = 0;

  std::map<std::string, Kernel> kernels;
  Kernel *kernel = nullptr;
  bool isInBody = false;
  std::map<std::string, int32_t> registers;
  std::map<std::string, size_t> parameters, labels;
  std::map<uint64_t, int32_t> constants;
  std::vector<Jump> jumps;
};
} // namespace

static std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t"),
         end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

static bool beginsWith(const std::string &text, const char *prefix) {
  return text.compare(0, std::strlen(prefix), prefix) == 0;
}

/// The words of a text that commas, blanks, brackets or braces separate.
static std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (!std::strchr(", \t{}[]();", c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

bool Reader::nextLine() {
  while (std::getline(lines, line)) {
    ++number;
    line = trimmed(line.substr(0, line.find("//")));
    if (!line.empty())
      return true;
  }
  return false;
}

std::map<std::string, Kernel> Reader::read() {
  while (nextLine()) {
    if (beginsWith(line, ".visible .entry"))
      beginKernel();
    else if (beginsWith(line, ".param"))
      readParameter();
    else if (line == "{")
      isInBody = true;
    else if (line == "}")
      endKernel();
    else if (line.front() == '.' || !isInBody)
      readDirective();
    else if (line.back() == ':')
      labels[line.substr(0, line.size() - 1)] = kernel->code.size();
    else
      readInstruction();
  }
  return std::move(kernels);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void Reader::beginKernel() {
  kernel = &kernels[wordsOf(line).back()];
  registers = {{"%ctaid.x", kBlock},
               {"%tid.x", kThread},
               {"%nctaid.x", kBlocks},
               {"%ntid.x", kThreads}};
  parameters.clear();
  labels.clear();
  constants.clear();
  jumps.clear();
}

static size_t bytesOf(const std::string &type) {
  size_t digits = type.find_first_of("0123456789");
  return digits == std::string::npos
             ? 0
             : std::strtoull(&type[digits], nullptr, 10) / 8;
}

/// .param .u64 .ptr .align 1 name, or .param .align 8 .b8 name[16]
void Reader::readParameter() {
  std::vector<std::string> words = wordsOf(line);
  size_t bytes = 0, alignment = 0;
  for (size_t n = 1; n < words.size(); ++n)
    if (bytes == 0 && words[n][0] == '.' && words[n] != ".align")
      bytes = bytesOf(words[n]);
  alignment = bytes;
  std::string name = words.back();
  // An array of bytes, whose size comes after the name.
  if (line.find('[') != std::string::npos) {
    alignment = std::strtoull(words[2].c_str(), nullptr, 10);
    bytes = std::strtoull(name.c_str(), nullptr, 10);
    name = words[words.size() - 2];
  }
  if (!kernel || bytes == 0 || alignment == 0)
    refuse("unknown parameter");
  size_t at = (kernel->parameterBytes + alignment - 1) / alignment * alignment;
  parameters[name] = at;
  kernel->parameterOffsets.push_back(at);
  kernel->parameterSizes.push_back(bytes);
  kernel->parameterBytes = at + bytes;
}

/// .local .align 8 .b8 __local_depot0[16]; or, of one number, .u64 name;
///
/// `all` is how many bytes of this kind the kernel has.
void Reader::readArray(size_t &all) {
  std::vector<std::string> words = wordsOf(line);
  size_t bytes = std::strtoull(words.back().c_str(), nullptr, 10);
  if (line.find('[') == std::string::npos)
    bytes = bytesOf(words[words.size() - 2]);
  else
    words.pop_back();
  size_t begin = (all + 15) / 16 * 16;
  registers[words.back()] = constantOf(begin);
  all = begin + bytes;
}

/// .reg .b64 %rd<27>;
void Reader::readDirective() {
  if (kernel && isInBody && beginsWith(line, ".local"))
    return readArray(kernel->localBytes);
  if (kernel && isInBody && beginsWith(line, ".shared"))
    return readArray(kernel->sharedBytes);
  for (const char *known :
       {".reg", ".version", ".target", ".address_size", ".maxntid", ".maxnreg",
        ".pragma", ".loc", ".file", ")"})
    if (beginsWith(line, known))
      return;
  refuse("unknown directive");
}

void Reader::endKernel() {
  for (const Jump &jump : jumps) {
    auto target = labels.find(jump.label);
    if (target == labels.end())
      refuse("no label " + jump.label);
    kernel->code[jump.instruction].target = target->second;
  }
  isInBody = false;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

int32_t Reader::constantOf(uint64_t bits) {
  auto [known, isNew] = constants.emplace(bits, int32_t(kernel->numRegisters));
  if (isNew)
    kernel->constants.push_back({int32_t(kernel->numRegisters++), bits});
  return known->second;
}

/// A register by its name, or one that has a constant: 12, -1,
/// 0d3FF0000000000000 or 0f3F800000.
int32_t Reader::registerOf(const std::string &word) {
  if (auto known = registers.find(word); known != registers.end())
    return known->second;
  if (word[0] == '%' || word == "_")
    return registers[word] = int32_t(kernel->numRegisters++);
  bool isFloat = beginsWith(word, "0d") || beginsWith(word, "0f");
  char *end = nullptr;
  const char *digits = word.c_str() + (isFloat ? 2 : 0);
  uint64_t bits = word[0] == '-'
                      ? uint64_t(std::strtoll(digits, &end, 0))
                      : std::strtoull(digits, &end, isFloat ? 16 : 0);
  if (*end && *end != 'U')
    refuse("unknown operand '" + word + "'");
  return constantOf(bits);
}

/// The offset after a register or a name: %rd1+8
static int64_t splitOffset(std::string &word) {
  size_t sign = word.find('+');
  if (sign == std::string::npos)
    return 0;
  int64_t offset = std::strtoll(&word[sign + 1], nullptr, 0);
  word.resize(sign);
  return offset;
}

void Reader::readOperand(const std::string &word, Shape shape,
                         Instruction &made) {
  std::string name = word;
  if (shape == Shape::branch) {
    jumps.push_back({kernel->code.size(), name});
    return;
  }
  if (shape != Shape::values)
    made.offset += splitOffset(name);
  auto parameter = parameters.find(name);
  if (shape == Shape::parameter && parameter != parameters.end())
    made.offset += int64_t(parameter->second);
  else
    made.operands.push_back(registerOf(name));
}

/// @%p1 bra $L__BB0_2;
///
/// Older PTX has a scope for what the half of a value that nobody wants is put
/// into: { .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd1; }
void Reader::readInstruction() {
  static const std::string scope = "{ .reg .b32 tmp; ";
  if (beginsWith(line, scope.c_str())) {
    line = line.substr(scope.size());
    line.replace(line.find("tmp"), 3, "_");
  }
  std::vector<std::string> words = wordsOf(line);
  Instruction made;
  made.site = "line " + std::to_string(number);
  if (words.front()[0] == '@') {
    made.isNegated = words.front()[1] == '!';
    made.guard = registerOf(words.front().substr(made.isNegated ? 2 : 1));
    words.erase(words.begin());
  }
  // mov.b32 {%rs1, %rs2}, %r3; or mov.b32 %r3, {%rs1, %rs2};
  if (words.front().compare(0, 4, "mov.") == 0 && words.size() != 3) {
    if (words.size() != 4)
      refuse("values in more than two parts");
    bool takesApart = line.find('{') < line.find(',');
    words.front().replace(0, 3, takesApart ? "unpack" : "pack");
  }
  try {
    Operation operation = operationOf(words.front());
    made.run = operation.run;
    kernel->meets |= operation.meets;
    for (size_t n = 1; n < words.size(); ++n)
      readOperand(words[n], operation.shape, made);
  } catch (const Error &error) {
    refuse(error.what());
  }
  kernel->code.push_back(std::move(made));
}

std::map<std::string, Kernel> ptx::read(const std::string &text) {
  return Reader(text).read();
}
