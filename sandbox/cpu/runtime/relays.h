// Finds bytes that a program copies to the host and from there, unchanged, back to a device.
//
// Theory of operation. A program that moves its inputs to the host and its outputs from there may have computed them in
// host code, so requirements say nothing about its kernels (judge/counters.py). A program that only takes the way
// through the host, as from one device to another, copies the same bytes in both directions. The hash of each copy to
// the host is kept. A copy to a device with the same size and hash is a relay of it, unless it is small.
#pragma once

#include <mutex>
#include <set>
#include <utility>

#include "copies.h"

namespace warpcourt::cpu {

class Relays {
 public:
  void start_call();
  // The bytes of `place` are those of a copy between a device and the host, in that direction.
  void count(bool to_device, const Place& place, const Extent& extent);
  // Of all copies to a device.
  u64 bytes() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::pair<u64, std::size_t>> on_host_;  // the size and hash of each copy to the host
  u64 bytes_ = 0;
};

Relays& relays();

}  // namespace warpcourt::cpu
