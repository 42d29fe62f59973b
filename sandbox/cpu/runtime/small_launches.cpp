// Compares the launches of calls. See small_launches.h.
#include "small_launches.h"

#include <algorithm>

#include "diagnostics.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastLaunches = 64;
constexpr u64 kLeastGrowth = 8;
constexpr u64 kMostThreads = 1024;  // of a launch, on average

}  // namespace

SmallLaunches& small_launches() {
  static auto* instance = new SmallLaunches;
  return *instance;
}

void SmallLaunches::start_call() {
  kernels_.clear();
  launches_ = threads_ = 0;
}

void SmallLaunches::count(const Launch& launch) {
  ++kernels_[launch.name];
  ++launches_;
  threads_ += launch.blocks * launch.threads;
}

void SmallLaunches::end_call() {
  if (!launches_) return;
  const u64 fewest = fewest_ ? fewest_ : launches_;
  fewest_ = std::min(fewest, launches_);
  if (reported_ || launches_ < kLeastLaunches || launches_ < kLeastGrowth * fewest) return;
  if (threads_ > kMostThreads * launches_) return;
  reported_ = true;
  const auto most = std::max_element(kernels_.begin(), kernels_.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  report({Severity::kNote, "launch_bound",
          "solve() made " + std::to_string(launches_) + " launches, " + std::to_string(most->second) + " of them of kernel " +
              most->first + ", with " + cpu::count(threads_ / launches_, "thread") + " on average, and only " +
              std::to_string(fewest) + " in a smaller case. A launch takes microseconds, however little it does. " +
              "Let one launch do the work of many.",
          {most->first}});
}

}  // namespace warpcourt::cpu
