// Lets copies and kernels take their time. See link_time.h.
#include "link_time.h"

#include <algorithm>

namespace warpcourt::cpu {
namespace {

constexpr u64 kBytesOfKernel = 4;  // that a kernel moves in a unit of time

}  // namespace

LinkTime& link_time() {
  static auto* instance = new LinkTime;
  return *instance;
}

void LinkTime::start_call() {
  ends_.clear();
  free_[0] = free_[1] = all_end_ = end_ = largest_copy_ = 0;
  free_between_.clear();
  current_ = &all_end_;
}

void LinkTime::start(const Stamp* stamp) {
  if (!stamp) {
    all_end_ = end_;
    current_ = &all_end_;
    return;
  }
  u64 ready = all_end_;
  for (std::size_t i = 0; i < std::min(stamp->before.size(), ends_.size()); ++i) {
    const u64 ended = std::min<u64>(stamp->before[i], ends_[i].size());
    if (ended) ready = std::max(ready, ends_[i][ended - 1]);
  }
  if (ends_.size() <= stamp->stream) ends_.resize(stamp->stream + 1);
  std::vector<u64>& stream = ends_[stamp->stream];
  stream.resize(stamp->number, ready);
  current_ = &stream.back();
}

void LinkTime::copy(bool to_device, u64 bytes) {
  carry(free_[to_device], bytes);
  largest_copy_ = std::max(largest_copy_, bytes);
}

void LinkTime::copy_between(int from, int to, u64 bytes) { carry(free_between_[{from, to}], bytes); }

void LinkTime::copy_through_host(u64 bytes) {
  carry(free_[false], bytes);
  carry(free_[true], bytes);
}

void LinkTime::carry(u64& free, u64 bytes) {
  *current_ = free = std::max(*current_, free) + bytes;
  end_ = std::max(end_, free);
}

void LinkTime::kernel(u64 bytes) {
  *current_ += bytes / kBytesOfKernel;
  end_ = std::max(end_, *current_);
}

}  // namespace warpcourt::cpu
