// The arrays of a request in device memory: imports descriptors, maps them, unmaps them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "channel.h"
#include "driver.h"
#include "wire.h"

namespace warpcourt::device {

// One mapped array. Exact copies stand in for it where compute-sanitizer is to find accesses outside.
struct MappedArray {
  Handle handle = 0;
  Pointer base = 0;
  std::size_t mapped_bytes = 0;
  Pointer payload = 0;
  std::size_t payload_bytes = 0;
  Pointer copy = 0;  // 0: solve gets the payload itself
  std::string name;

  Pointer given() const { return copy ? copy : payload; }
};

// The arrays of one RUN or TIME. A driver call that fails ends in `fail(result, call)`, which does not return.
class Arrays {
 public:
  using Fail = void (*)(Result result, const char* call);

  explicit Arrays(Fail fail) : fail_(fail) {}

  void open(Device device) {
    device_ = device;
    const AllocationProperties properties{.location = {.id = device}};
    require("cuMemGetAllocationGranularity",
            driver().cuMemGetAllocationGranularity(&granularity_, &properties, kMinimumGranularity));
  }

  // What solve gets for the array.
  void* map(int descriptor, const wire::Argument& argument, const char* name, bool exact) {
    // The driver maps an allocation whole or not at all.
    if (argument.value < argument.offset + argument.bytes) our_fault("an array lies outside its memory");
    MappedArray& array = map_whole(descriptor, argument.value);
    array.name = name ? name : "";
    array.payload = array.base + argument.offset;
    array.payload_bytes = argument.bytes;
    if (exact && array.payload_bytes) {
      require("cuMemAlloc", driver().cuMemAlloc_v2(&array.copy, array.payload_bytes));
      require("cuMemcpyDtoD", driver().cuMemcpyDtoD_v2(array.copy, array.payload, array.payload_bytes));
    }
    return reinterpret_cast<void*>(array.given());
  }

  // The address of memory that is no argument.
  Pointer map_plain(int descriptor, std::size_t bytes) { return map_whole(descriptor, bytes).base; }

  // After the device has finished: what was copied goes back, and everything is unmapped.
  void release() {
    for (const MappedArray& array : arrays_) {
      if (array.copy) {
        require("cuMemcpyDtoD", driver().cuMemcpyDtoD_v2(array.payload, array.copy, array.payload_bytes));
        require("cuMemFree", driver().cuMemFree_v2(array.copy));
      }
    }
    require("cuCtxSynchronize", driver().cuCtxSynchronize());
    for (const MappedArray& array : arrays_) {
      require("cuMemUnmap", driver().cuMemUnmap(array.base, array.mapped_bytes));
      require("cuMemAddressFree", driver().cuMemAddressFree(array.base, array.mapped_bytes));
      require("cuMemRelease", driver().cuMemRelease(array.handle));
    }
    arrays_.clear();
  }

  // The array whose memory, guard bands and all, holds `address`; or null.
  const MappedArray* find(std::uint64_t address) const {
    for (const MappedArray& array : arrays_) {
      if (address - array.base < array.mapped_bytes) return &array;
      if (array.copy && address - array.copy < array.payload_bytes) return &array;
    }
    return nullptr;
  }

 private:
  MappedArray& map_whole(int descriptor, std::size_t bytes) {
    MappedArray& array = arrays_.emplace_back();
    array.mapped_bytes = (std::max<std::size_t>(bytes, 1) + granularity_ - 1) / granularity_ * granularity_;
    require("cuMemImportFromShareableHandle",
            driver().cuMemImportFromShareableHandle(
                &array.handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), kPosixDescriptor));
    require("cuMemAddressReserve", driver().cuMemAddressReserve(&array.base, array.mapped_bytes, 0, 0, 0));
    require("cuMemMap", driver().cuMemMap(array.base, array.mapped_bytes, 0, array.handle, 0));
    const Access access{.location = {.id = device_}};
    require("cuMemSetAccess", driver().cuMemSetAccess(array.base, array.mapped_bytes, &access, 1));
    return array;
  }

  void require(const char* call, Result result) {
    if (result != kSuccess) fail_(result, call);
  }

  Fail fail_;
  Device device_ = 0;
  std::size_t granularity_ = 1;
  std::vector<MappedArray> arrays_;
};

}  // namespace warpcourt::device
