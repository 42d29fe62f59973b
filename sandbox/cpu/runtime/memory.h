// Device memory: one arena that host code cannot touch, and a registry of everything kernels may touch.
//
// Theory of operation. All device memory comes from one reserved range of addresses. It is inaccessible
// while host code runs, so that a host dereference of a device pointer fails as on a GPU, and is opened by
// one mprotect for the time of a launch, copy or memset (DeviceOpen). Argument buffers (memfds of the
// referee) are mapped into the same range, but for those in host memory (host_arguments.h). Managed and pinned memory
// lie outside and are always accessible.
//
// Every range that a kernel may touch is registered: its bounds decide each access, and its name appears
// in messages. Addresses are not reused before the arena is exhausted, so that an access to freed memory
// is recognised as such. Fresh memory is filled with 0xFF, a NaN in every float format.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "abi.h"

namespace warpcourt::cpu {

// Kernels cannot touch pageable memory, of which only arguments are known.
enum class MemoryKind : u8 { kDevice, kManaged, kPinned, kRegistered, kVariable, kPageable };

struct Allocation {
  u64 base = 0;
  u64 bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  bool freed = false;
  bool argument = false;       // of solve, or a part of one that the program registered
  bool heap = false;           // allocated by a kernel
  bool pooled = false;         // stream-ordered memory, from the pool of its device
  int device = 0;              // whose memory it is, of kDevice
  u32 element_bytes = 0;       // 0: unknown
  std::string name;            // of the argument or variable, or empty
  bool is_variable() const { return kind == MemoryKind::kVariable || (kind == MemoryKind::kManaged && !name.empty()); }
  std::shared_ptr<u8[]> initialised;  // race mode: one flag per byte

  bool contains(u64 address, u64 size) const {
    return address - base <= bytes && size <= bytes - (address - base);
  }
  // Whether kernels of `by`, or of all devices if it is negative, may touch it.
  bool reachable(int by) const;
  // "argument c", "the 4096-byte cudaMalloc allocation"
  std::string text() const;
  // "element 1000 of 1000", counted in the argument's elements, else in those of an access of `size` bytes.
  std::string element(u64 address, u32 size) const;
  // The same for all elements of an access: "elements 4 to 7 of 6".
  std::string elements(u64 address, u32 size) const;
  u64 element_count(u32 size) const { return bytes / width(size); }

 private:
  u32 width(u32 size) const { return element_bytes ? element_bytes : size; }
  s64 index(u64 address, u32 size) const;
};

struct Range {
  u64 base;
  u64 bytes;
  u8* initialised;
  bool on_host = false;  // host code can use it, too: pinned, registered or managed memory
  bool on_peer = false;  // memory of another device than the executing one
};

// Device memory is accessible while at least one of these lives.
class DeviceOpen {
 public:
  DeviceOpen();
  ~DeviceOpen();
  DeviceOpen(const DeviceOpen&) = delete;
  DeviceOpen& operator=(const DeviceOpen&) = delete;
};

// Null when the arena or the device's memory is exhausted.
void* allocate_device(u64 bytes, int device, bool pooled = false);
// Makes the contents of the live allocation that starts there undefined, as they were when it was made.
void forget_contents(u64 base);
// The same by a kernel. Null also when the heap is exhausted (cudaLimitMallocHeapSize).
void* allocate_heap(u64 bytes);
// The bytes that the last allocate_heap asked for in vain, or 0.
u64 refused_heap_bytes();
constexpr u64 kDefaultHeapBytes = u64{8} << 20;
void set_heap_limit(u64 bytes);
u64 heap_limit();
void* allocate_host(u64 bytes, MemoryKind kind);
enum class FreeResult { kFreed, kUnknown, kTwice, kNotBase, kWrongKind };
FreeResult free_memory(void* pointer, bool host, bool heap = false);

// Maps the bytes of an argument, which start at `offset` of a memfd, to where its kind says: kDevice, kPinned or
// kPageable. Null when it cannot be mapped.
void* map_argument(int descriptor, u64 offset, Allocation argument);
void unmap_arguments();

// Makes memory that somebody else owns known, and unknown again.
void register_memory(Allocation allocation);
void register_memory(void* base, u64 bytes, MemoryKind kind, std::string name);
bool unregister_memory(void* base);

// Makes the program's own host memory known, and unknown again. False where it is none, or known in part.
bool register_host(void* base, u64 bytes);
bool unregister_host(void* base);

// The live range that the executing device may touch and that holds `size` bytes at `address`.
bool find_range(u64 address, u64 size, Range& range);
// The known range at or nearest below `address`, or nearest above; freed ones included.
std::optional<Allocation> nearest_allocation(u64 address);
std::optional<Allocation> live_allocation(u64 address);
bool in_arena(u64 address);
// Whether an argument of the call before was there.
bool is_past_argument(u64 address);
// Of all arguments but those in pageable memory.
u64 argument_bytes();
// Whether the program holds pinned, registered or managed memory.
bool shares_memory_with_host();
// What cudaMemGetInfo calls total: devices share the memory of the process equally.
u64 bytes_of_device();
u64 device_bytes_in_use(int device);
// The most bytes of device and managed memory that the program held at a time, since `start_memory_peak`.
void start_memory_peak();
u64 memory_peak();
// What cudaMalloc and its family gave to the program, and it has not freed.
struct LiveMemory {
  u64 allocations = 0;
  u64 bytes = 0;
};
LiveMemory live_memory();
// Changes whenever a range becomes invalid: cached bounds must be forgotten.
u64 memory_generation();
// Race mode: those bytes have been written.
void mark_initialised(u64 address, u64 size);

}  // namespace warpcourt::cpu
