// Validates launches and runs them. A learner hardly ever checks the error of a launch, so each refusal is
// a finding too.
#include "launch.h"

#include <cstring>
#include <mutex>

#include "../../runner/launch_limits.h"
#include "block.h"
#include "child_grids.h"
#include "cuda_error.h"
#include "device_limits.h"
#include "devices.h"
#include "diagnostics.h"
#include "memory.h"
#include "occupancy.h"
#include "registry.h"
#include "streams.h"

namespace warpcourt::cpu {
namespace {

constexpr LaunchLimits kLaunchLimits = {
    .threads = kMaxThreads,
    .block = {kMaxThreads, kMaxThreads, kMaxBlockZ},
    .grid = {kMaxGridX, kMaxGridYZ, kMaxGridYZ},
};

struct Prepared {
  const Kernel* kernel;
  LaunchShape shape;
  std::vector<u64> parameters;
  int device = 0;
};

std::mutex launching;  // one family at a time

std::string text_of(const dim3& size) { return text(Dim3{size.x, size.y, size.z}); }

cudaError_t run(const Prepared& prepared) {
  std::lock_guard lock(launching);
  Executing on(prepared.device);
  DeviceOpen open;
  family().run(*prepared.kernel, prepared.shape, prepared.parameters);
  return cudaSuccess;
}

std::vector<u64> pack(const Kernel& kernel, void** arguments) {
  std::vector<u64> block(kernel.parameter_bytes / sizeof(u64) + 2);
  for (u32 i = 0; i < kernel.parameter_count; ++i) {
    const Parameter& parameter = kernel.parameters[i];
    std::memcpy(reinterpret_cast<u8*>(block.data()) + parameter.offset, arguments[i], parameter.bytes);
  }
  return block;
}

}  // namespace

std::string objection(const Kernel& kernel, const LaunchShape& shape, cudaError_t& error) {
  const std::string name = demangle(kernel.name);
  const dim3 &grid = shape.grid, &block = shape.block;
  const u64 threads = u64{block.x} * block.y * block.z;
  error = cudaErrorInvalidConfiguration;
  const u64 grid_size[] = {grid.x, grid.y, grid.z}, block_size[] = {block.x, block.y, block.z};
  const std::string why_not = launch_objection(name, grid_size, block_size, kLaunchLimits);
  if (!why_not.empty()) return why_not;
  if (threads > kernel.max_threads) {
    error = cudaErrorInvalidValue;
    return "kernel " + name + " was launched with " + std::to_string(threads) +
           " threads per block; its __launch_bounds__ allow " + std::to_string(kernel.max_threads) + ".";
  }
  if (threads > largest_block(kernel)) {
    error = cudaErrorLaunchOutOfResources;
    return "kernel " + name + " was launched with " + std::to_string(threads) + " threads per block, and each uses " +
           count(kernel.resources.registers, "register") + ". The " + std::to_string(kRegistersPerMultiprocessor) +
           " registers of a multiprocessor suffice for " + std::to_string(largest_block(kernel)) + " threads. " +
           kFewerRegisters;
  }
  const u32 limit = dynamic_shared_limit(kernel);
  if (kernel.static_shared_bytes > kDefaultSharedBytes || shape.shared_bytes > limit) {
    const std::string wanted = "kernel " + name + " was launched with " +
                               std::to_string(kernel.static_shared_bytes + shape.shared_bytes) +
                               " bytes of shared memory per block; ";
    error = cudaErrorInvalidValue;
    if (kernel.static_shared_bytes + shape.shared_bytes > kMaxSharedBytes) {
      return wanted + "the maximum is 232448 bytes (227 KiB).";
    }
    return wanted +
           "above 49152 (48 KiB) a kernel needs dynamic shared memory and "
           "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).";
  }
  const u64 resident = resident_blocks(kernel, static_cast<u32>(threads), shape.shared_bytes);
  if (shape.cooperative && u64{grid.x} * grid.y * grid.z > resident * kMultiprocessors) {
    error = cudaErrorCooperativeLaunchTooLarge;
    return "cooperative kernel " + name + " was launched with grid " + text_of(grid) + ", but the virtual device runs at " +
           "most " + count(resident * kMultiprocessors, "block") + " of this size at the same time, because it has " +
           std::to_string(kMultiprocessors) + " multiprocessors. A GPU has more (an H200 has 132), and runs more. Take " +
           "the number of blocks from the device: cudaOccupancyMaxActiveBlocksPerMultiprocessor, times " +
           "cudaDevAttrMultiProcessorCount.";
  }
  return "";
}

cudaError_t launch_kernel(const void* host_stub, const LaunchShape& shape, void** arguments, cudaStream_t stream) {
  const Kernel* kernel = find_kernel(host_stub);
  if (!kernel) return refuse(cudaErrorInvalidDeviceFunction, "a launch named a function that is not a kernel of this program");
  cudaError_t error;
  const std::string why_not = objection(*kernel, shape, error);
  if (!why_not.empty()) return refuse(error, why_not);
  const int device = place_of(stream).device;
  if (device != current_device()) {
    return refuse(cudaErrorInvalidResourceHandle,
                  "kernel " + demangle(kernel->name) + " was launched in a stream of device " + std::to_string(device) +
                      " while device " + std::to_string(current_device()) +
                      " was current. Call cudaSetDevice(" + std::to_string(device) + ") before the launch");
  }
  Prepared prepared{kernel, shape, pack(*kernel, arguments), device};
  const auto describe = [kernel] {
    const std::string name = demangle(kernel->name);
    return Description{.name = "kernel " + name, .kernel = name};
  };
  return submit(stream, {[prepared = std::move(prepared)] { return run(prepared); }, describe, true});
}

}  // namespace warpcourt::cpu
