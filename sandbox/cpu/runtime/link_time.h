// How long the copies and kernels of a call take on a simple machine, which shows how much of them can overlap.
//
// Theory of operation. The machine has a link that carries one copy to the device and one to the host at a time: a byte
// takes one unit of time in either direction. A kernel takes a quarter of a unit for each byte that it moves in device
// memory, which is longer than on a GPU, so that hiding it shows. Any number of kernels run together, and other
// operations take no time. An operation begins when all that is ordered before it has ended (stream_order.h), and a
// copy also waits for the copies of its direction that were submitted before it.
//
// Two devices of which one may access the other have a link of their own, which takes the same time for a byte. Between
// others, a copy goes to the host and then from there.
//
// So the end of the last operation depends on the order that the program states, and not on the number of its streams.
// Operations that are submitted only to look busy make it later, never earlier.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "stream_order.h"

namespace warpcourt::cpu {

class LinkTime {
 public:
  void start_call();
  // An operation begins. Without a stamp, nothing is known of its order: it waits for all before it, and all after it
  // wait for it.
  void start(const Stamp* stamp);
  // The operation that began last copies between host and device.
  void copy(bool to_device, u64 bytes);
  // It copies from one device to another, by the link between them or through the host.
  void copy_between(int from, int to, u64 bytes);
  void copy_through_host(u64 bytes);
  // It is a kernel, and moves so many further bytes.
  void kernel(u64 bytes);
  // When everything has ended.
  u64 end() const { return end_; }
  // The bytes of the largest copy.
  u64 largest_copy() const { return largest_copy_; }

 private:
  // The operation that began last moves bytes by a link that is busy until `free`.
  void carry(u64& free, u64 bytes);

  std::vector<std::vector<u64>> ends_;  // of operations, by stream and number
  u64 free_[2] = {0, 0};                // when the link is free, by direction
  std::map<std::pair<int, int>, u64> free_between_;  // the same for the link of two devices
  u64 all_end_ = 0;                     // what everything waits for
  u64 end_ = 0;
  u64 largest_copy_ = 0;
  u64* current_ = &all_end_;            // the end of the operation that began last
};

LinkTime& link_time();

}  // namespace warpcourt::cpu
