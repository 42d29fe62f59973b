// Pages of pinned and managed memory that the host must not touch yet: an operation that it has not waited for uses
// them. The pages are inaccessible, or read-only, while host code runs, and the handler of signals opens them.
#pragma once

#include <map>
#include <set>

#include "footprint.h"

namespace warpcourt::cpu {

// Pages by address, and whether the host must not read them either.
using GuardedPages = std::map<u64, bool>;

// Adds the pages of pinned and managed memory in `touched`.
void add_host_pages(const Footprint& touched, GuardedPages& pages);
// Whether a kernel polls, or updates atomically, memory that the host may poll too.
bool talks_to_host(const Footprint& touched);

class HostGuards {
 public:
  void start_call();
  void close(const GuardedPages& pages);
  void open();
  // Opens the page of a host access that failed. False if that was not due to a guard. `write` becomes true where only
  // a write can have failed.
  bool open_at(u64 address, bool& write);

 private:
  GuardedPages closed_;
  std::set<u64> ever_closed_;
};

}  // namespace warpcourt::cpu
