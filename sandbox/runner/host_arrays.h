// The arrays of a request that a program on a GPU gets in host memory: mapped, and page-locked where it asks for
// that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver.h"
#include "host_mapping.h"
#include "submission.h"
#include "wire.h"

namespace warpcourt::device {

struct HostArray {
  HostMapping mapping;
  bool pinned = false;
  unsigned element_bytes = 1;
  std::string name;

  // "element 1000 of 1000"
  std::string element(std::uint64_t address) const {
    const auto offset = static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(mapping.payload));
    const auto width = static_cast<std::int64_t>(element_bytes);
    const std::int64_t index = offset >= 0 ? offset / width : -((-offset + width - 1) / width);
    return "element " + std::to_string(index) + " of " + std::to_string(mapping.payload_bytes / element_bytes);
  }
};

// A driver call that fails ends in `fail(result, call)`, which does not return.
class HostArrays {
 public:
  using Fail = void (*)(Result result, const char* call);

  explicit HostArrays(Fail fail) : fail_(fail) {}

  // What solve gets for the array.
  void* map(int descriptor, const wire::Argument& argument, const char* name) {
    HostArray array{map_on_host(descriptor, argument.offset, argument.bytes),
                    argument.memory == wire::Memory::kPinned, element_bytes(argument.dtype), name ? name : ""};
    if (!array.mapping.payload) our_fault("an array in host memory cannot be mapped");
    if (array.pinned) {
      require("cuMemHostRegister",
              driver().cuMemHostRegister_v2(array.mapping.pages, array.mapping.page_bytes, kPortable | kDeviceMapped));
    }
    arrays_.push_back(std::move(array));
    return arrays_.back().mapping.payload;
  }

  // After the device has finished.
  void release() {
    for (const HostArray& array : arrays_) {
      if (array.pinned) require("cuMemHostUnregister", driver().cuMemHostUnregister(array.mapping.pages));
      unmap_on_host(array.mapping);
    }
    arrays_.clear();
  }

  // The array at or near the address, or null.
  const HostArray* find(std::uint64_t address) const {
    for (const HostArray& array : arrays_) {
      if (array.mapping.is_near(address)) return &array;
    }
    return nullptr;
  }

 private:
  void require(const char* call, Result result) {
    if (result != kSuccess) fail_(result, call);
  }

  Fail fail_;
  std::vector<HostArray> arrays_;
};

}  // namespace warpcourt::device
