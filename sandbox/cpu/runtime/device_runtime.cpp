// Launches, streams, events and errors of device code. See device_runtime.h.
#include "device_runtime.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "child_grids.h"
#include "diagnostics.h"
#include "faults.h"
#include "memory.h"
#include "races.h"
#include "registry.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr u32 kSeen = 1u << 31;  // of an error: the thread has looked at it

thread_local std::string why_refused;  // the last launch by a thread of this OS thread

template <class T>
T parameter(const u8* parameters, u32 offset) {
  T value;
  std::memcpy(&value, parameters + offset, sizeof value);
  return value;
}

template <class T>
void give(u8* result, T value) {
  if (result) std::memcpy(result, &value, sizeof value);
}

u32 refuse_launch(ThreadRecord& thread, cudaError_t error, const std::string& why, u32 location) {
  why_refused = why + place(thread, location);
  return thread.child_error = error;
}

u32 error_or_success(bool success) { return success ? cudaSuccess : cudaErrorInvalidResourceHandle; }

// Writes a result to where a pointer of the program leads.
void write_back(ThreadRecord& thread, u64 address, const void* value, u32 bytes, u32 location) {
  const u64 shared = reinterpret_cast<u64>(thread.shared);
  const bool is_own = (thread.stack.contains(address) && thread.stack.contains(address + bytes - 1)) ||
                      (address - shared < thread.shared_bytes && bytes <= thread.shared_bytes - (address - shared));
  Range range;
  if (!is_own && !find_range(address, bytes, range)) {
    bad_global({place(thread, location), where(thread, location)}, address, bytes, Access::kWrite);
  }
  if (thread.races) races().settle();
  std::memcpy(reinterpret_cast<void*>(address), value, bytes);
  if (thread.races && !is_own) mark_initialised(address, bytes);
}

// A child cannot reach the memory of a block or of a thread of its parent.
void check_arguments(const ThreadRecord& thread, const ChildLaunch& child, u32 location) {
  const Kernel& kernel = *child.kernel;
  for (u32 i = 0; i < kernel.parameter_count; ++i) {
    if (kernel.parameters[i].bytes != sizeof(u64)) continue;
    const u64 value = parameter<u64>(reinterpret_cast<const u8*>(child.parameters.data()), kernel.parameters[i].offset);
    const bool shared = value - reinterpret_cast<u64>(thread.shared) < thread.shared_bytes;
    if (!shared && !thread.stack.contains(value)) continue;
    fail({Severity::kError, "address_space",
          "parameter " + std::to_string(i + 1) + " of kernel " + demangle(kernel.name) + " points to " +
              (shared ? "shared memory of the block" : "a local variable of the thread") + " that launches it" +
              place(thread, location) + ". A child grid cannot access it. Pass a pointer to global memory.",
          where(thread, location)},
         wire::kIllegalAccess);
  }
}

// Text in memory that kernels may read.
u64 readable(const char* text) {
  static std::mutex mutex;
  static std::set<const char*> known;
  std::lock_guard lock(mutex);
  if (known.insert(text).second) {
    register_memory(const_cast<char*>(text), std::strlen(text) + 1, MemoryKind::kVariable, "the text of an error");
  }
  return reinterpret_cast<u64>(text);
}

void drop(ThreadRecord& thread) {
  delete std::exchange(thread.child, nullptr);
  family().release();
}

}  // namespace

void finish_launches(ThreadRecord& thread) {
  if (thread.child) drop(thread);
  const u32 error = std::exchange(thread.child_error, 0);
  if (!error || error & kSeen) return;
  fail({Severity::kError, "cuda_error",
        "a launch by device code failed with " + std::string(cudaGetErrorName(static_cast<cudaError_t>(error))) +
            ", which the thread did not check with cudaGetLastError(): " + why_refused + '.',
        where(thread, 0)},
       wire::kRuntimeError);
}

extern "C" {

void wc_parameter_buffer(Thread* caller, const u8* parameters, u8* result, u32 location) {
  ThreadRecord& thread = record(caller);
  give<u64>(result, 0);
  if (thread.child) drop(thread);
  const Kernel* kernel = find_kernel_by_entry(parameter<u64>(parameters, 0));
  if (!kernel || !kernel->is_entry) {
    refuse_launch(thread, cudaErrorInvalidDeviceFunction, "device code launched what is not a kernel", location);
    return;
  }
  const Dim3 grid = parameter<Dim3>(parameters, 8), block = parameter<Dim3>(parameters, 20);
  const LaunchShape shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, parameter<u32>(parameters, 32), false};
  cudaError_t error;
  std::string why_not = objection(*kernel, shape, error);
  if (why_not.empty()) {
    error = family().reserve(*kernel, why_not);
  } else {
    error = cudaErrorInvalidConfiguration;  // whatever it is: seen on an H100 with CUDA 13.0
    if (why_not.back() == '.') why_not.pop_back();
  }
  if (!why_not.empty()) {
    refuse_launch(thread, error, why_not, location);
    return;
  }
  thread.child = new ChildLaunch{kernel, shape, std::vector<u64>(kernel->parameter_bytes / sizeof(u64) + 2)};
  give(result, reinterpret_cast<u64>(thread.child->parameters.data()));
}

void wc_launch_device(Thread* caller, const u8* parameters, u8* result, u32 location) {
  ThreadRecord& thread = record(caller);
  Block& block = *thread.block;
  if (caller->races) races().settle();
  if (!thread.child || parameter<u64>(parameters, 0) != reinterpret_cast<u64>(thread.child->parameters.data())) {
    give(result, refuse_launch(thread, cudaErrorInvalidValue,
                               "cudaLaunchDevice got a buffer that cudaGetParameterBuffer did not give", location));
    return;
  }
  const std::unique_ptr<ChildLaunch> child(std::exchange(thread.child, nullptr));
  check_arguments(thread, *child, location);
  std::string why_not;
  const cudaError_t error = family().launch(thread, *child->kernel, child->shape, std::move(child->parameters),
                                            parameter<u64>(parameters, 8), location, why_not);
  give<u32>(result, error);
  if (error != cudaSuccess) refuse_launch(thread, error, why_not, location);
  if (!block.worker->launched) return;
  thread.state = State::kReady;
  block.ready.push(thread.index);
  block.worker->set_aside = true;
  suspend(thread);
}

void wc_device_last_error(Thread* caller, u8* result, bool keeps) {
  ThreadRecord& thread = record(caller);
  give(result, thread.child_error & ~kSeen);
  thread.child_error = keeps && thread.child_error ? thread.child_error | kSeen : 0;
}

void wc_device_error_text(const u8* parameters, u8* result, bool name) {
  const auto error = static_cast<cudaError_t>(parameter<u32>(parameters, 0));
  give(result, readable(name ? cudaGetErrorName(error) : cudaGetErrorString(error)));
}

void wc_device_number(Thread* caller, const u8* parameters, u8* result, s32 number, u32 location) {
  write_back(record(caller), parameter<u64>(parameters, 0), &number, sizeof number, location);
  give<u32>(result, cudaSuccess);
}

void wc_device_stream_create(Thread* caller, const u8* parameters, u8* result, u32 location) {
  if (parameter<u32>(parameters, 8) != cudaStreamNonBlocking) {
    give<u32>(result, cudaErrorInvalidValue);
    return;
  }
  const u64 stream = family().create_stream();
  write_back(record(caller), parameter<u64>(parameters, 0), &stream, sizeof stream, location);
  give<u32>(result, cudaSuccess);
}

void wc_device_stream_destroy(const u8* parameters, u8* result) {
  give(result, error_or_success(family().destroy_stream(parameter<u64>(parameters, 0))));
}

void wc_device_stream_wait(Thread* caller, const u8* parameters, u8* result) {
  const u64 stream = parameter<u64>(parameters, 0), event = parameter<u64>(parameters, 8);
  give(result, error_or_success(family().wait(record(caller), stream, event)));
}

void wc_device_event_create(Thread* caller, const u8* parameters, u8* result, u32 location) {
  if (parameter<u32>(parameters, 8) != cudaEventDisableTiming) {
    give<u32>(result, cudaErrorInvalidValue);
    return;
  }
  const u64 event = family().create_event();
  write_back(record(caller), parameter<u64>(parameters, 0), &event, sizeof event, location);
  give<u32>(result, cudaSuccess);
}

void wc_device_event_record(Thread* caller, const u8* parameters, u8* result) {
  const u64 event = parameter<u64>(parameters, 0), stream = parameter<u64>(parameters, 8);
  give(result, error_or_success(family().record(record(caller), event, stream)));
}

void wc_device_event_destroy(const u8* parameters, u8* result) {
  give(result, error_or_success(family().destroy_event(parameter<u64>(parameters, 0))));
}

void wc_device_malloc(Thread* caller, const u8* parameters, u8* result, u32 location) {
  u64 memory = 0;
  wc_malloc(caller, parameters + 8, reinterpret_cast<u8*>(&memory), location);
  write_back(record(caller), parameter<u64>(parameters, 0), &memory, sizeof memory, location);
  give<u32>(result, memory ? cudaSuccess : cudaErrorMemoryAllocation);
}

void wc_device_free(Thread* caller, const u8* parameters, u8* result, u32 location) {
  wc_free(caller, parameters, location);
  give<u32>(result, cudaSuccess);
}

}  // extern "C"

}  // namespace warpcourt::cpu
