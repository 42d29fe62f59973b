// Messages between the referee and a runner: the C++ side of sandbox/wire.py, which explains them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpcourt::wire {

constexpr std::uint32_t kMagic = 0x31515257;  // "WRQ1", little endian
constexpr unsigned kMaxArguments = 32;
constexpr unsigned kMaxRank = 4;
constexpr unsigned kMaxDescriptors = 250;
constexpr unsigned kMaxDevices = 4;

enum class Kind : std::uint32_t { kLoad = 1, kRun = 2, kQuit = 3, kPrepare = 4, kTime = 5 };

enum Flag : std::uint32_t {
  kDeterministic = 1,
  kRaces = 2,
  kReversed = 4,
  kGiven = 8,
  kSanitize = 16,
  kInterleaved = 32,
  kCount = 128,
  kSums = 256,
  kLateReads = 512,
  kTornReads = 1024,
  kStaleReads = 2048,
  kTrace = 4096,
};

enum ExitStatus : int {
  kIllegalAccess = 81,
  kRuntimeError = 82,
  kTimeLimit = 83,
  kMemoryLimit = 84,
  kLoadError = 85,
};

// Where a program gets an array; see MEMORY_CODES in sandbox/wire.py.
enum class Memory : std::uint8_t { kDevice = 0, kHost = 1, kPinned = 2 };

struct Argument {
  std::uint8_t scalar;
  std::uint8_t dtype;
  std::uint8_t rank;
  Memory memory;
  std::uint16_t descriptor;
  std::uint8_t device;
  std::uint8_t padding;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t value;
  std::uint64_t shape[kMaxRank];
};
static_assert(sizeof(Argument) == 64);

struct Request {
  std::uint32_t magic;
  Kind kind;
  std::uint64_t sequence;
  std::uint32_t argument_count;
  std::uint32_t time_limit_ms;
  std::uint32_t flags;
  std::uint32_t sets;
  std::uint64_t seed[2];
  std::uint32_t devices;
  std::uint8_t padding[12];
  Argument arguments[kMaxArguments];
};
static_assert(sizeof(Request) == 64 + kMaxArguments * 64);

// The page of a timed session; see Page in sandbox/wire.py.
struct alignas(64) Page {
  alignas(64) std::uint64_t order;
  alignas(64) std::uint64_t set;
  std::uint64_t kind;
  alignas(64) std::uint64_t go;
  alignas(64) std::uint64_t queued;
  alignas(64) std::uint64_t done;
};
constexpr std::size_t kPageBytes = 4096;

enum Order : std::uint64_t { kEnd = 0, kCalled = 1, kQueued = 2 };

// The flags of a timed session in device memory; see Flags in sandbox/wire.py.
constexpr std::size_t kFlagsBytes = 4096;
constexpr std::size_t kGoFlag = 0, kDoneFlag = 128;

}  // namespace warpcourt::wire
