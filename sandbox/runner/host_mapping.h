// Maps an argument that a program gets in host memory: the pages of its payload, between pages without access, so
// that a host access that runs away is recognised.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "crash.h"

namespace warpcourt {

constexpr std::uint64_t kHostGapBytes = std::uint64_t{16} << 20;

struct HostMapping {
  std::uint8_t* payload = nullptr;
  std::uint64_t payload_bytes = 0;
  std::uint8_t* pages = nullptr;  // whole ones, which hold the payload
  std::uint64_t page_bytes = 0;

  // Whether the address lies in the pages, or in those without access around them.
  bool is_near(std::uint64_t address) const {
    return address - (reinterpret_cast<std::uint64_t>(pages) - kHostGapBytes) < page_bytes + 2 * kHostGapBytes;
  }
};

// Maps `bytes` at `offset` of a memfd. The payload is null when that fails.
inline HostMapping map_on_host(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t whole = static_cast<std::uint64_t>(lseek(descriptor, 0, SEEK_END));
  if (offset > whole || bytes > whole - offset) return {};
  const std::uint64_t start = offset / page * page;
  const std::uint64_t mapped = (offset + bytes + page - 1) / page * page - start;
  const std::uint64_t reserved_bytes = mapped + 2 * kHostGapBytes;
  void* reserved = mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return {};
  std::uint8_t* const pages = static_cast<std::uint8_t*>(reserved) + kHostGapBytes;
  const int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
  if (mmap(pages, mapped, PROT_READ | PROT_WRITE, flags, descriptor, static_cast<off_t>(start)) == MAP_FAILED) {
    munmap(reserved, reserved_bytes);
    return {};
  }
  return {pages + (offset - start), bytes, pages, mapped};
}

// The addresses are not used again: the program may have left them registered, or kept pointers.
inline void unmap_on_host(const HostMapping& mapping) {
  mmap(mapping.pages, mapping.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// What to tell an author whose host code left an argument; `element` says where it went.
inline std::string host_bounds_text(const std::string& element, const std::string& name, const void* context) {
  return std::string("host code ") + host_access_verb(context) + " out of bounds: " + element + " of argument " + name +
         ". Compare the index with the size of the array.";
}

}  // namespace warpcourt
