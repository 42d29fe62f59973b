// Guards pages by mprotect. See host_guards.h.
#include "host_guards.h"

#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

namespace warpcourt::cpu {
namespace {

u64 page_bytes() {
  static const u64 bytes = static_cast<u64>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Registered memory may share its pages with what else the program has, except in an argument. So may a managed variable
// where pages are larger than the translator takes them to be.
bool is_paged(const Allocation& memory) {
  return memory.kind == MemoryKind::kPinned ||
         (memory.kind == MemoryKind::kManaged && memory.base % page_bytes() == 0) ||
         (memory.kind == MemoryKind::kRegistered && memory.argument);
}

void protect(u64 begin, u64 end, int protection) {
  mprotect(reinterpret_cast<void*>(begin), end - begin, protection);
}

// Calls visit(run, allocation) for the runs outside the arena that lie in memory of one of the kinds.
template <class Visit>
void for_host_runs(const std::vector<Run>& runs, Visit visit) {
  std::optional<Allocation> within;
  for (const Run& run : runs) {
    if (in_arena(run.begin)) continue;
    if (!within || !within->contains(run.begin, 1)) within = live_allocation(run.begin);
    if (within) visit(run, *within);
  }
}

}  // namespace

void add_host_pages(const Footprint& touched, GuardedPages& pages) {
  for (const Use use : {Use::kReads, Use::kWrites, Use::kUpdates}) {
    for_host_runs(touched.runs(use), [&](const Run& run, const Allocation& within) {
      if (!is_paged(within)) return;
      for (u64 page = run.begin / page_bytes(); page <= (run.end - 1) / page_bytes(); ++page) {
        pages[page * page_bytes()] |= use != Use::kReads;
      }
    });
  }
}

bool talks_to_host(const Footprint& touched) {
  bool talks = false;
  for (const Use use : {Use::kUpdates, Use::kPolls}) {
    for_host_runs(touched.runs(use), [&](const Run&, const Allocation& within) {
      talks |= is_paged(within) || within.kind == MemoryKind::kRegistered;
    });
  }
  return talks;
}

void HostGuards::start_call() {
  open();
  ever_closed_.clear();
}

void HostGuards::close(const GuardedPages& pages) {
  open();
  for (const auto& [page, reads_too] : pages) {
    protect(page, page + page_bytes(), reads_too ? PROT_NONE : PROT_READ);
    ever_closed_.insert(page);
  }
  closed_ = pages;
}

void HostGuards::open() {
  for (const auto& [page, reads_too] : closed_) protect(page, page + page_bytes(), PROT_READ | PROT_WRITE);
  closed_.clear();
}

bool HostGuards::open_at(u64 address, bool& write) {
  const u64 page = address / page_bytes() * page_bytes();
  // Another thread of the host may have opened it since.
  if (!ever_closed_.contains(page)) return false;
  const std::optional<Allocation> within = live_allocation(address);
  if (!within || !is_paged(*within)) return false;
  const auto found = closed_.find(page);
  if (found == closed_.end()) return true;
  write |= !found->second;
  protect(page, page + page_bytes(), PROT_READ | PROT_WRITE);
  closed_.erase(found);
  return true;
}

}  // namespace warpcourt::cpu
