// The device runtime: what device code calls to launch kernels, and to order what it launches.
#pragma once

#include <vector>

#include "launch.h"

namespace warpcourt::cpu {

struct ThreadRecord;

// A launch between cudaGetParameterBufferV2 and cudaLaunchDeviceV2. The thread writes the parameters in between.
struct ChildLaunch {
  const Kernel* kernel;
  LaunchShape shape;
  std::vector<u64> parameters;

  bool holds(u64 address, u32 bytes) const {
    const u64 offset = address - reinterpret_cast<u64>(parameters.data()), size = parameters.size() * sizeof(u64);
    return offset < size && bytes <= size - offset;
  }
};

// The thread has ended: frees what it did not launch, and fails for an error that it did not look at.
void finish_launches(ThreadRecord& thread);

}  // namespace warpcourt::cpu
