//===- ObjectCache.cpp - Compiled code on disk ----------------------------===//
//
// A file has a digest of its key and of all that follows, the number of units,
// and for each unit how often it runs, the size of its bitcode, the bitcode,
// the size of its object, the object. A file is renamed when it is complete, so
// that readers never see half of one. Its name begins as pruneCache() of LLVM
// expects.
//
// What is in a file is executed. So the directory and the file have to be the
// user's own, and nobody else's to write to.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace nacho;

static constexpr uint64_t kMostBytes = uint64_t(256) << 20;
static constexpr size_t kDigestSize = 32;

static std::string cacheDirectory() {
  if (const char *asked = std::getenv("NACHO_CACHE_DIR"))
    return asked;
  SmallString<128> directory;
  if (!sys::path::cache_directory(directory))
    return "";
  sys::path::append(directory, "nacho");
  return std::string(directory);
}

/// Identifies this build of the compiler: the path, time and size of its file.
static std::string ownBuild() {
  Dl_info info;
  sys::fs::file_status status;
  if (!dladdr(reinterpret_cast<void *>(&ownBuild), &info) || !info.dli_fname ||
      sys::fs::status(info.dli_fname, status))
    return "";
  return (Twine(info.dli_fname) + ";" +
          Twine(status.getLastModificationTime().time_since_epoch().count()) +
          ";" + Twine(status.getSize()))
      .str();
}

/// Identifies the host: the name and the features of its CPU.
static std::string host() {
  std::string name = sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    if (feature.second)
      features.push_back(feature.first().str());
  llvm::sort(features);
  return name + ";" + join(features, ",");
}

static std::string digestOf(StringRef bytes) {
  auto digest = SHA256::hash(arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

/// Whether a directory has nothing but files of this cache.
static bool isOurs(const std::string &directory) {
  std::error_code error;
  for (sys::fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error))
    if (!sys::path::filename(entry->path()).starts_with("llvmcache"))
      return false;
  return !error;
}

static bool isOpenToOthers(const struct stat &found) {
  return found.st_mode & (S_IRWXG | S_IRWXO);
}

/// The reason why a directory that does not exist cannot be made, if any. Only
/// to make one, for a moment, tells that: rights do not, as in /proc.
static std::string refusalToMake(const std::string &directory) {
  SmallString<128> parent(directory);
  sys::fs::make_absolute(parent);
  do
    sys::path::remove_filename(parent);
  while (!parent.empty() && !sys::fs::exists(parent));
  std::string probe = (parent + "/nacho-XXXXXX").str();
  if (!::mkdtemp(probe.data()))
    return directory + " cannot be made: " + std::strerror(errno);
  ::rmdir(probe.c_str());
  return "";
}

/// The reason why a directory, which may not exist yet, is not used, if any.
/// One that its user made for the cache with ordinary rights can be closed to
/// others; one with other files, or in which all may write, is not ours to
/// close.
static std::string refusalOf(const std::string &directory) {
  struct stat found;
  if (directory.empty())
    return "";
  if (::stat(directory.c_str(), &found))
    return refusalToMake(directory);
  if (!S_ISDIR(found.st_mode))
    return directory + " is no directory";
  if (found.st_uid != geteuid())
    return directory + " belongs to another user";
  if (::access(directory.c_str(), R_OK | W_OK | X_OK))
    return directory + " cannot be written to";
  if (!isOpenToOthers(found))
    return "";
  if (found.st_mode & S_ISVTX)
    return directory + " is for all users: its mode should be 0700";
  if (!isOurs(directory))
    return directory + " is open to other users, and has files that are not "
                       "of the cache: its mode should be 0700";
  return "";
}

/// Closes a directory to other users, if it exists. Returns whether it is.
static bool closeToOthers(const std::string &directory) {
  struct stat found;
  return ::stat(directory.c_str(), &found) || !isOpenToOthers(found) ||
         !::chmod(directory.c_str(), S_IRWXU);
}

std::string ObjectCache::place() { return cacheDirectory(); }

std::string ObjectCache::refusal() { return refusalOf(cacheDirectory()); }

ObjectCache::ObjectCache(StringRef key) {
  static const std::string build = ownBuild(), machine = host();
  directory = cacheDirectory();
  if (directory.empty() || build.empty() || !refusalOf(directory).empty() ||
      !closeToOthers(directory))
    return;
  std::string all;
  for (StringRef input : {StringRef(build), StringRef(machine), key})
    all += (Twine(input.size()) + ":" + input).str();
  SmallString<128> file(directory);
  identity = digestOf(all);
  sys::path::append(file, "llvmcache-" + toHex(identity, true));
  path = std::string(file);
}

static void append(std::string &bytes, uint64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

static std::string pack(const CompiledCode &code) {
  std::string bytes;
  append(bytes, code.size());
  for (const CompiledUnit &unit : code) {
    append(bytes, uint64_t(unit.runs));
    for (const auto &data : {unit.bitcode, unit.object}) {
      append(bytes, data.size());
      bytes.append(data.begin(), data.end());
    }
  }
  return bytes;
}

/// Reverses pack(). Returns nothing if the sizes do not fit the bytes.
static std::optional<CompiledCode> unpack(StringRef bytes) {
  auto number = [&]() -> uint64_t {
    uint64_t value = 0;
    if (bytes.size() < sizeof(value))
      return UINT64_MAX;
    std::memcpy(&value, bytes.data(), sizeof(value));
    bytes = bytes.drop_front(sizeof(value));
    return value;
  };
  CompiledCode code;
  for (uint64_t units = number(); units > 0; --units) {
    CompiledUnit &unit = code.emplace_back();
    unit.runs = Runs(number());
    for (auto *data : {&unit.bitcode, &unit.object}) {
      uint64_t size = number();
      if (size > bytes.size())
        return std::nullopt;
      data->append(bytes.begin(), bytes.begin() + size);
      bytes = bytes.drop_front(size);
    }
  }
  return code;
}

/// Reads a file that only the user can write to, and that is no link.
static std::unique_ptr<MemoryBuffer> readOwn(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0)
    return nullptr;
  struct stat found;
  std::unique_ptr<MemoryBuffer> read;
  if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)))
    if (auto buffer = MemoryBuffer::getOpenFile(
            file, path, found.st_size, /*RequiresNullTerminator=*/false))
      read = std::move(*buffer);
  ::close(file);
  return read;
}

std::optional<CompiledCode> ObjectCache::load() const {
  if (path.empty())
    return std::nullopt;
  std::unique_ptr<MemoryBuffer> file = readOwn(path);
  if (!file)
    return std::nullopt;
  StringRef bytes = file->getBuffer();
  StringRef digest = bytes.take_front(kDigestSize);
  bytes = bytes.drop_front(digest.size());
  if (digestOf(identity + bytes.str()) != digest)
    return std::nullopt;
  return unpack(bytes);
}

/// Writes a file under another name, and then gives it its own. (TempFile of
/// LLVM would do so, too, but it also takes the handlers of signals from the
/// process, among them that of Ctrl-C.)
static bool writeOwn(const std::string &path, StringRef identity,
                     const std::string &bytes) {
  int file;
  SmallString<128> temporary;
  if (sys::fs::createUniqueFile(path + "-%%%%%%%%.tmp", file, temporary,
                                sys::fs::OF_None,
                                sys::fs::owner_read | sys::fs::owner_write))
    return false;
  raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << digestOf((identity + bytes).str()) << bytes;
  stream.close();
  if (!stream.has_error() && !sys::fs::rename(temporary, path))
    return true;
  stream.clear_error();
  // What cannot be removed either is left to whoever cleans the disk.
  consumeError(errorCodeToError(sys::fs::remove(temporary)));
  return false;
}

void ObjectCache::store(const CompiledCode &code) const {
  if (path.empty() ||
      sys::fs::create_directories(directory, true, sys::fs::owner_all))
    return;
  if (!writeOwn(path, identity, pack(code)))
    return;
  CachePruningPolicy policy;
  policy.Interval = std::chrono::minutes(1);
  policy.MaxSizeBytes = kMostBytes;
  pruneCache(directory, policy);
}
