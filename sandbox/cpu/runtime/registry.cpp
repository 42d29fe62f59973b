// The functions that nvcc's host code calls to register a module and to launch, and the maps behind them.
//
// The constructors of a submission register before the module is attached, so names are resolved late.
#include "registry.h"

#include <cuda_runtime_api.h>

#include <cstring>
#include <map>
#include <string>
#include <unordered_map>

#include "diagnostics.h"
#include "engine.h"
#include "launch.h"
#include "memory.h"
#include "operations.h"

namespace warpcourt::cpu {
namespace {

struct Registry {
  std::unordered_map<const void*, std::string> kernel_names;
  std::unordered_map<const void*, std::string> variable_names;
  std::unordered_map<std::string, void**> managed;
  std::unordered_map<std::string, const Kernel*> kernels;
  std::unordered_map<std::string, const Variable*> variables;
  std::unordered_map<const Kernel*, u32> dynamic_limits;
};

// Never destroyed, and built at first use: constructors of submissions call before our own have run.
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
thread_local CallConfiguration configuration;

}  // namespace

const Kernel* find_kernel(const void* host_stub) {
  auto name = registry().kernel_names.find(host_stub);
  if (name == registry().kernel_names.end()) return nullptr;
  auto kernel = registry().kernels.find(name->second);
  return kernel == registry().kernels.end() ? nullptr : kernel->second;
}

const Kernel* find_kernel_by_entry(u64 entry) {
  for (const auto& [name, kernel] : registry().kernels) {
    if (reinterpret_cast<u64>(kernel->entry) == entry) return kernel;
  }
  return nullptr;
}

u8* find_variable(const void* host_shadow, u64& bytes) {
  auto name = registry().variable_names.find(host_shadow);
  if (name == registry().variable_names.end()) return nullptr;
  auto variable = registry().variables.find(name->second);
  if (variable == registry().variables.end()) return nullptr;
  bytes = variable->second->bytes;
  return variable->second->address;
}

std::vector<const Variable*> variables_of_devices() {
  std::vector<const Variable*> found;
  for (const auto& [name, variable] : registry().variables) {
    if (!registry().managed.contains(name)) found.push_back(variable);
  }
  return found;
}

u64 variable_bytes() {
  u64 total = 0;
  for (const auto& [shadow, name] : registry().variable_names) {
    const auto variable = registry().variables.find(name);
    if (variable != registry().variables.end() && !variable->second->constant) total += variable->second->bytes;
  }
  return total;
}

u32 dynamic_shared_limit(const Kernel& kernel) {
  auto found = registry().dynamic_limits.find(&kernel);
  return found == registry().dynamic_limits.end() ? kDefaultSharedBytes - kernel.static_shared_bytes : found->second;
}

void set_dynamic_shared_limit(const Kernel& kernel, u32 bytes) { registry().dynamic_limits[&kernel] = bytes; }

void attach_module(const Module& module) {
  engine().module = &module;
  set_diagnostics_module(&module);
  Registry& r = registry();
  for (u32 i = 0; i < module.kernel_count; ++i) r.kernels[module.kernels[i].name] = &module.kernels[i];
  for (u32 i = 0; i < module.variable_count; ++i) {
    const Variable& variable = module.variables[i];
    r.variables[variable.name] = &variable;
    const bool managed = r.managed.contains(variable.name);
    if (managed) operations().watch();
    register_memory(variable.address, variable.bytes, managed ? MemoryKind::kManaged : MemoryKind::kVariable,
                    demangle(variable.name));
  }
  if (module.initialise) module.initialise();
  for (auto& [name, pointer] : r.managed) {
    auto variable = r.variables.find(name);
    if (variable != r.variables.end()) *pointer = variable->second->address;
  }
}

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }

void __cudaRegisterFunction(void**, const char* host_stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  registry().kernel_names[host_stub] = name;
}

void __cudaRegisterVar(void**, char* host_shadow, char*, const char* name, int, std::size_t, int, int) {
  registry().variable_names[host_shadow] = name;
}

void __cudaRegisterManagedVar(void**, void** host_pointer, char*, const char* name, int, std::size_t, int, int) {
  registry().managed[name] = host_pointer;
  registry().variable_names[host_pointer] = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, struct CUstream_st* stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  std::memcpy(stream, &configuration.stream, sizeof configuration.stream);
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_stub));
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
  return launch_kernel(reinterpret_cast<const void*>(kernel), {grid, block, shared_bytes, false}, arguments, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  return launch_kernel(kernel, {grid, block, shared_bytes, false}, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return launch_kernel(kernel, {grid, block, shared_bytes, true}, arguments, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
  }
  return launch_kernel(kernel, {config->gridDim, config->blockDim, config->dynamicSmemBytes, cooperative}, arguments,
                       config->stream);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  *function = reinterpret_cast<cudaFunction_t>(const_cast<void*>(symbol));
  return cudaSuccess;
}

}  // extern "C"

}  // namespace warpcourt::cpu
