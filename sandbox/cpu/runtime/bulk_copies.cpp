// Starts and ends bulk copies. See bulk_copies.h.
#include "bulk_copies.h"

#include <cstring>

#include "block.h"
#include "counters.h"
#include "diagnostics.h"
#include "engine.h"
#include "races.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kUnit = 16;  // bytes: of addresses and sizes

// Also before anything of a size that no block has is copied.
void check_size(ThreadRecord& thread, u32 offset, u32 bytes, Access access, u32 location) {
  const u64 end = u64{offset} + bytes;
  if (bytes % kUnit == 0 && end <= thread.shared_bytes) return;
  if (bytes % kUnit == 0) wc_bad_shared(&thread, static_cast<u32>(end - kUnit), kUnit, access, location);
  fail({Severity::kError, "misaligned",
        "bulk copy of " + std::to_string(bytes) + " bytes" + place(thread, location) +
            ". Its size must be a multiple of 16, like its two addresses.",
        where(thread, location)},
       wire::kIllegalAccess);
}

// A part of shared memory at `offset`, as wide as an instruction's access.
void check_part(Thread* caller, u64 offset, Access access, u32 location) {
  if (offset + kUnit > caller->shared_bytes || offset % kUnit) {
    wc_bad_shared(caller, static_cast<u32>(offset), kUnit, access, location);
  }
  if (caller->races) wc_shadow_shared(caller, static_cast<u32>(offset), kUnit, access, location);
}

void check_global(Thread* caller, u64 address, u32 bytes, u32 site, Access access, u32 location) {
  for (u32 at = 0; at < bytes; at += kUnit) {
    wc_check_global(caller, address + at, kUnit, site, access, location);
    if (access == Access::kRead && engine().options.counted) count_async_copy(record(caller));
  }
}

}  // namespace

extern "C" {

void wc_copy_bulk(Thread* caller, u32 offset, u64 source, u32 bytes, u64 barrier, u32 site, u32 location) {
  check_size(record(caller), offset, bytes, Access::kWrite, location);
  check_global(caller, source, bytes, site, Access::kRead, location);
  const u8* from = reinterpret_cast<const u8*>(source);
  BulkCopy copy{barrier, offset, location, {from, from + bytes}};
  for (u32 at = 0; at < bytes; at += kUnit) {
    check_part(caller, u64{offset} + at, Access::kWrite, location);
    std::memset(caller->shared + offset + at, poison(), kUnit);
    if (caller->races) races().start_copy(*caller->block, offset + at, kUnit, location);
  }
  caller->block->bulk_copies.push_back(std::move(copy));
}

void wc_store_bulk(Thread* caller, u64 target, u32 offset, u32 bytes, u32 site, u32 location) {
  check_size(record(caller), offset, bytes, Access::kRead, location);
  for (u32 at = 0; at < bytes; at += kUnit) check_part(caller, u64{offset} + at, Access::kRead, location);
  for (u32 at = 0; at < bytes; at += kUnit) {  // race mode takes what follows the check of a write for that write
    wc_check_global(caller, target + at, kUnit, site, Access::kWrite, location);
    std::memcpy(reinterpret_cast<u8*>(target) + at, caller->shared + offset + at, kUnit);
  }
}

u32 wc_arrived_bytes(Thread* caller, u64 barrier) {
  std::vector<BulkCopy>& copies = caller->block->bulk_copies;
  u32 arrived = 0;
  for (const BulkCopy& copy : copies) {
    if (copy.barrier != barrier) continue;
    const u32 bytes = static_cast<u32>(copy.data.size());
    for (u32 at = 0; at < bytes; at += kUnit) {
      if (caller->races) races().finish_copy(record(caller), copy.offset + at, kUnit, copy.location);
      std::memcpy(caller->shared + copy.offset + at, &copy.data[at], kUnit);
    }
    arrived += bytes;
  }
  std::erase_if(copies, [&](const BulkCopy& copy) { return copy.barrier == barrier; });
  return arrived;
}

}  // extern "C"

}  // namespace warpcourt::cpu
