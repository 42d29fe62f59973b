// What a loaded submission registered: kernels by the address of their host stub, variables by their shadow.
#pragma once

#include <cstddef>
#include <vector>

#include "abi.h"

namespace warpcourt::cpu {

const Kernel* find_kernel(const void* host_stub);
const Kernel* find_kernel_by_entry(u64 entry);
// The device address of a __device__ or __constant__ variable, or null; `bytes` becomes its size.
u8* find_variable(const void* host_shadow, u64& bytes);
// The variables that each device has for itself: those that are not managed.
std::vector<const Variable*> variables_of_devices();
// The bytes of all __device__ and __managed__ variables.
u64 variable_bytes();

// cudaFuncAttributeMaxDynamicSharedMemorySize as set by the program.
u32 dynamic_shared_limit(const Kernel& kernel);
void set_dynamic_shared_limit(const Kernel& kernel, u32 bytes);

}  // namespace warpcourt::cpu
