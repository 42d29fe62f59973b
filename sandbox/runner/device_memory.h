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

// Where a copy of an array is made that stands in for it.
struct Placement {
  Context context = nullptr;  // of the device whose memory it is
  bool exact = false;         // without the guard bands, for compute-sanitizer to find accesses outside
};

// One mapped array. A copy stands in for it where compute-sanitizer is to find accesses outside, and in problems for
// several devices.
struct MappedArray {
  Handle handle = 0;
  Pointer base = 0;
  std::size_t mapped_bytes = 0;
  Pointer payload = 0;
  std::size_t payload_bytes = 0;
  Pointer copy = 0;  // 0: solve gets the payload itself
  Pointer copied = 0;  // of the mapping, from where on
  std::size_t copied_bytes = 0;
  Context copy_context = nullptr;
  std::string name;

  Pointer given() const { return copy ? copy + (payload - copied) : payload; }
};

// The arrays of one RUN or TIME. A driver call that fails ends in `fail(result, call)`, which does not return.
class Arrays {
 public:
  using Fail = void (*)(Result result, const char* call);

  explicit Arrays(Fail fail) : fail_(fail) {}

  void open(Device device, Context context) {
    device_ = device;
    context_ = context;
    const AllocationProperties properties{.location = {.id = device}};
    require("cuMemGetAllocationGranularity",
            driver().cuMemGetAllocationGranularity(&granularity_, &properties, kMinimumGranularity));
  }

  // What solve gets for the array: the mapping, or a copy if that has a placement.
  void* map(int descriptor, const wire::Argument& argument, const char* name, const Placement& placement) {
    // The driver maps an allocation whole or not at all.
    if (argument.value < argument.offset + argument.bytes) our_fault("an array lies outside its memory");
    MappedArray& array = map_whole(descriptor, argument.value);
    array.name = name ? name : "";
    array.payload = array.base + argument.offset;
    array.payload_bytes = argument.bytes;
    if (placement.context && array.payload_bytes) {
      array.copied = placement.exact ? array.payload : array.base;
      array.copied_bytes = placement.exact ? array.payload_bytes : argument.value;
      array.copy_context = placement.context;
      enter(placement.context);
      require("cuMemAlloc", driver().cuMemAlloc_v2(&array.copy, array.copied_bytes));
      copy(array.copy, placement.context, array.copied, context_, array.copied_bytes);
    }
    return reinterpret_cast<void*>(array.given());
  }

  // The address of memory that is no argument.
  Pointer map_plain(int descriptor, std::size_t bytes) { return map_whole(descriptor, bytes).base; }

  // After the device has finished: what was copied goes back, and everything is unmapped.
  void release() {
    for (const MappedArray& array : arrays_) {
      if (array.copy) {
        copy(array.copied, context_, array.copy, array.copy_context, array.copied_bytes);
        enter(array.copy_context);
        require("cuMemFree", driver().cuMemFree_v2(array.copy));
        enter(context_);
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
      if (array.copy && address - array.copy < array.copied_bytes) return &array;
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

  void enter(Context context) { require("cuCtxSetCurrent", driver().cuCtxSetCurrent(context)); }

  // Returns when it is done, with our own context current.
  void copy(Pointer to, Context to_context, Pointer from, Context from_context, std::size_t bytes) {
    if (to_context == from_context) {
      enter(to_context);
      require("cuMemcpyDtoD", driver().cuMemcpyDtoD_v2(to, from, bytes));
    } else {
      require("cuMemcpyPeer", driver().cuMemcpyPeer(to, to_context, from, from_context, bytes));
    }
    for (Context context : {to_context, from_context, context_}) {
      enter(context);
      require("cuCtxSynchronize", driver().cuCtxSynchronize());
    }
  }

  void require(const char* call, Result result) {
    if (result != kSuccess) fail_(result, call);
  }

  Fail fail_;
  Device device_ = 0;
  Context context_ = nullptr;
  std::size_t granularity_ = 1;
  std::vector<MappedArray> arrays_;
};

}  // namespace warpcourt::device
