// What an error of the device means, in words for somebody who learns CUDA, and which verdict it asks for.
#pragma once

#include <string>

#include "../cpu/runtime/diagnostics.h"
#include "driver.h"
#include "finish.h"
#include "launch_limits.h"
#include "wire.h"

namespace warpcourt::device {

struct Fault {
  wire::ExitStatus status;
  cpu::Finding finding;
};

struct DeviceLimits {
  LaunchLimits launch;
  std::uint64_t shared_bytes;        // of a block, without asking
  std::uint64_t shared_bytes_optin;  // with cudaFuncSetAttribute
};

inline bool launched(const Launch& launch) { return launch.count != 0; }

// "add"; "a kernel" when its name is not known.
inline std::string kernel_name(const Launch& launch) { return launch.kernel ? cpu::demangle(launch.kernel) : "a kernel"; }

// "add<<<(4,1,1), (256,1,1), 1024>>>"
inline std::string launch_text(const Launch& launch) {
  std::string text = kernel_name(launch) + "<<<" + text_of_size(launch.grid) + ", " + text_of_size(launch.block);
  if (launch.shared_bytes) text += ", " + std::to_string(launch.shared_bytes);
  return text + ">>>";
}

inline cpu::Where where(const Launch& launch) {
  return {launched(launch) && launch.kernel ? kernel_name(launch) : "", nullptr, nullptr, 0};
}

// "cudaErrorIllegalAddress (700): an illegal memory access was encountered"
inline std::string described(Result code, const std::string& name, const std::string& text) {
  return name + " (" + std::to_string(code) + "): " + text;
}

inline std::string described(const Finish& finish) {
  return described(finish.sync_error ? finish.sync_error : finish.launch_error, finish.name ? finish.name : "an error",
                   finish.text ? finish.text : "unknown error");
}

// Errors that say something about this node, and nothing about a program.
inline bool is_ours(Result code) {
  return code == kEccUncorrectable || code == kNoBinaryForGpu || code == kUnsupportedPtx ||
         (code >= kMpsFirst && code <= kMpsLast);
}

// What ended the context while kernels ran. Null for an error that does not.
struct DeviceError {
  Result code;
  wire::ExitStatus status;
  const char* kind;
  const char* meaning;
};

inline const DeviceError* device_error(Result code) {
  static constexpr DeviceError errors[] = {
      {kIllegalAddress, wire::kIllegalAccess, "illegal_address",
       "read or wrote memory outside every array. Check every index against the size of its array; threads past "
       "the end of the data must do nothing: if (i < n)."},
      {kMisalignedAddress, wire::kIllegalAccess, "misaligned",
       "used an address that is not a multiple of the size of what it accesses. A float2 needs a multiple of 8 bytes, a "
       "float4 of 16: a pointer to any odd element cannot be cast to one."},
      {kInvalidAddressSpace, wire::kIllegalAccess, "address_space",
       "used an address in one memory space with an instruction for another: a shared-memory address as a "
       "global one, or the reverse."},
      {kInvalidPc, wire::kIllegalAccess, "invalid_pc",
       "jumped to an address without code. A function pointer that was taken in host code does not work on the device, and "
       "writing past a local array can overwrite a return address."},
      {kHardwareStackError, wire::kIllegalAccess, "stack",
       "overflowed or corrupted its stack. Recursion is too deep, or it wrote past a local array."},
      {kAssert, wire::kRuntimeError, "assert",
       "failed an assert(). See the output for its message, with the line, the block and the thread."},
      {kIllegalInstruction, wire::kRuntimeError, "trap", "executed an illegal instruction or __trap()."},
      {kLaunchFailed, wire::kRuntimeError, "trap",
       "was stopped: by __trap(), by running out of stack, or by an access that the hardware cannot classify."},
      {kLaunchTimeout, wire::kTimeLimit, "time_limit", "exceeded this GPU's own time limit."},
      {kOutOfMemory, wire::kMemoryLimit, "memory", "exceeded the limit of device memory."},
  };
  for (const DeviceError& error : errors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

// An error that the device reported after `launch`, which is the last one, and often the one to blame.
inline Fault explain_device(Result code, const std::string& name, const std::string& text, const Launch& launch) {
  const std::string subject = launched(launch) ? "kernel " + launch_text(launch) : "the device";
  if (const DeviceError* known = device_error(code)) {
    return {known->status,
            {cpu::Severity::kError, known->kind, text + ": " + subject + ' ' + known->meaning + " (" + name + ')',
             where(launch)}};
  }
  return {wire::kRuntimeError,
          {cpu::Severity::kError, "cuda_error", subject + " failed: " + text + " (" + name + ')', where(launch)}};
}

// Why shared memory may have been refused, or "".
inline std::string shared_objection(const Launch& launch, const DeviceLimits& limits) {
  if (launch.shared_bytes <= limits.shared_bytes) return "";
  const std::string wanted = "kernel " + kernel_name(launch) + " was launched with " +
                             std::to_string(launch.shared_bytes) + " bytes of dynamic shared memory per block; ";
  if (launch.shared_bytes > limits.shared_bytes_optin) {
    return wanted + "the maximum of this GPU is " + std::to_string(limits.shared_bytes_optin) + '.';
  }
  return wanted + "above " + std::to_string(limits.shared_bytes) +
         " it needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).";
}

// An error that solve left behind without checking it: a launch that was refused, or another call.
inline Fault explain_refusal(Result code, const std::string& name, const std::string& text, const Launch& launch,
                             const DeviceLimits& limits) {
  std::string why = "solve() ended with " + name + ", which it did not check: " + text + '.';
  wire::ExitStatus status = wire::kRuntimeError;
  const char* kind = "cuda_error";
  if (code == kOutOfMemory) {
    status = wire::kMemoryLimit;
    kind = "memory";
    why += " It requested more device memory than the limit.";
  } else if (code == kInvalidConfiguration || code == kInvalidValue) {
    std::string objection;
    if (launched(launch)) {
      objection = launch_objection(kernel_name(launch), launch.grid, launch.block, limits.launch);
      if (objection.empty()) objection = shared_objection(launch, limits);
    }
    if (!objection.empty()) why = objection + " (" + name + ')';
  } else if (code == kLaunchOutOfResources && launched(launch)) {
    why = "kernel " + launch_text(launch) + " was refused: " + text +
          ". Its threads need more registers than one multiprocessor has. " + kFewerRegisters + " (" + name + ')';
  } else if (code == kCooperativeLaunchTooLarge && launched(launch)) {
    why = "cooperative kernel " + launch_text(launch) + " was refused: all its blocks must be resident at once. Ask "
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor. (" + name + ')';
  }
  return {status, {cpu::Severity::kError, kind, why, where(launch)}};
}

inline Fault explain(const Finish& finish, const DeviceLimits& limits) {
  const std::string name = finish.name ? finish.name : "an error", text = finish.text ? finish.text : "unknown error";
  if (finish.sync_error) return explain_device(finish.sync_error, name, text, finish.failed);
  if (device_error(finish.launch_error) && finish.launch_error != kOutOfMemory) {
    return explain_device(finish.launch_error, name, text, finish.failed);
  }
  return explain_refusal(finish.launch_error, name, text, finish.failed, limits);
}

}  // namespace warpcourt::device
