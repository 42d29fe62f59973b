// Fibers: stacks with guard pages, and the switch between them.
//
// A switch saves the callee-saved registers on the stack that is left and loads them from the one that is
// entered. Signal masks and floating-point modes are not touched: device code changes neither.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpcourt::cpu {

constexpr std::size_t kStackBytes = 256 << 10;
// CUDA gives a thread up to 512 KiB of local memory (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"). A thread that needs much of it gets a stack of kLargeStack times the usual size.
constexpr std::size_t kLargeStack = 3;
constexpr std::size_t kMostOfOrdinaryStack = 128 << 10;  // local memory, as ptxas counts it
constexpr std::size_t kGuardBytes = 64 << 10;

// Stacks start at different distances from their guards: tops that lay a power of two apart would share a
// few cache sets, and every switch would miss. An odd number of cache lines spreads them over all sets.
constexpr std::size_t kColours = 256;
constexpr std::size_t kColourBytes = 5 * 64;
constexpr std::size_t kColourSpan = kColours * kColourBytes;

// What is mapped for one ordinary stack.
constexpr std::size_t kStackMappingBytes = kGuardBytes + kColourSpan + kStackBytes;

// A fiber's stack. `low` is its lowest address; the guard lies at most kColourSpan below it.
struct Stack {
  std::uint8_t* low = nullptr;
  std::uint8_t* mapped = nullptr;  // where its guard begins
  std::size_t units = 1;           // of kStackBytes, 1 or kLargeStack

  std::size_t bytes() const { return units * kStackBytes; }
  std::size_t mapping_bytes() const { return kGuardBytes + kColourSpan + bytes(); }
  bool contains(std::uint64_t address) const {
    return address - reinterpret_cast<std::uint64_t>(low) < bytes();
  }
  bool guard_contains(std::uint64_t address) const {
    return reinterpret_cast<std::uint64_t>(low) - 1 - address < kGuardBytes + kColourSpan;
  }
  // The saved stack pointer of a fiber that will start in `entry`, which must not return.
  void* prepare(void (*entry)()) const;
};

// The stacks of one OS thread, kept for reuse. Those that are free have one size.
class StackPool {
 public:
  // Returns an empty Stack when the system has no memory for one.
  Stack take(std::size_t units);
  void give_back(Stack stack) { free_.push_back(stack); }
  // Returns those that nothing uses to the system.
  void release();
  // How many ordinary stacks would take as much as all pools have taken from the system.
  static std::size_t mapped() { return mapped_.load(std::memory_order_relaxed); }

 private:
  std::vector<Stack> free_;
  std::size_t made_ = 0;
  static inline std::atomic<std::size_t> mapped_{0};
};

// Saves the running fiber's stack pointer in `*save` and continues the one saved in `to`.
extern "C" void warpcourt_switch(void** save, void* to);

}  // namespace warpcourt::cpu
