// A libcuda.so.1 for tests: the few functions that the runner for GPUs uses, on host memory. "Device memory" is
// what a memfd holds, mapped whole or not at all, and kernels are whatever a test's artifact does with it. FAKE_CUDA_FAILS names a function that
// fails, with the error FAKE_CUDA_ERROR.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Result = int;
constexpr std::size_t kGranularity = 1 << 16;

Result result_of(const char* function) {
  const char* failing = std::getenv("FAKE_CUDA_FAILS");
  if (!failing || std::strcmp(failing, function) != 0) return 0;
  return std::atoi(std::getenv("FAKE_CUDA_ERROR"));
}

}  // namespace

#define RETURN return result_of(__func__)

extern "C" {

Result cuInit(unsigned) { RETURN; }
Result cuDeviceGet(int* device, int) {
  *device = 0;
  RETURN;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kLimits[] = {0, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152};
  *value = attribute <= 8 ? kLimits[attribute] : 232448;
  RETURN;
}
Result cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { RETURN; }
Result cuDevicePrimaryCtxRetain(void** context, int) {
  *context = context;
  RETURN;
}
Result cuCtxSetCurrent(void*) { RETURN; }
Result cuCtxSynchronize() { RETURN; }
Result cuGetErrorName(Result, const char** name) {
  *name = "CUDA_ERROR_OF_TEST";
  return 0;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "an error of a test";
  return 0;
}
Result cuModuleLoadData(void** module, const void* image) {
  *module = module;
  return std::strstr(static_cast<const char*>(image), ".visible .entry warpcourt_null()") ? result_of(__func__) : 218;
}
Result cuModuleGetFunction(void** function, void*, const char*) {
  *function = function;
  RETURN;
}
Result cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) {
  RETURN;
}
// The host stands for the stream: what is queued happens at once, so a wait is waited for here.
Result cuStreamWaitValue64_v2(void* stream, std::uint64_t address, std::uint64_t value, unsigned flags) {
  if (stream || flags) return 1;
  while (__atomic_load_n(reinterpret_cast<std::uint64_t*>(address), __ATOMIC_ACQUIRE) < value) usleep(100);
  RETURN;
}
Result cuStreamWriteValue64_v2(void* stream, std::uint64_t address, std::uint64_t value, unsigned flags) {
  if (stream || flags) return 1;
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(address), value, __ATOMIC_RELEASE);
  RETURN;
}
Result cuMemGetAllocationGranularity(std::size_t* bytes, const void*, int) {
  *bytes = kGranularity;
  RETURN;
}
Result cuMemImportFromShareableHandle(std::uint64_t* handle, void* descriptor, int type) {
  *handle = static_cast<std::uint64_t>(dup(static_cast<int>(reinterpret_cast<std::intptr_t>(descriptor))));
  return type == 1 ? result_of(__func__) : 1;
}
Result cuMemAddressReserve(std::uint64_t* address, std::size_t bytes, std::size_t, std::uint64_t, unsigned long long) {
  void* base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<std::uint64_t>(base);
  return bytes % kGranularity ? 1 : result_of(__func__);
}
Result cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t offset, std::uint64_t handle, unsigned long long) {
  struct stat memory = {};
  if (fstat(static_cast<int>(handle), &memory) == 0 && bytes < static_cast<std::size_t>(memory.st_size)) return 801;
  void* base = mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, static_cast<int>(handle), 0);
  return base == MAP_FAILED || offset ? 1 : result_of(__func__);
}
// HOST_ACCESS=no leaves the memory closed to host code, as device memory is.
Result cuMemSetAccess(std::uint64_t address, std::size_t bytes, const void*, std::size_t) {
  if (!std::getenv("HOST_ACCESS")) mprotect(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE);
  RETURN;
}
Result cuMemUnmap(std::uint64_t address, std::size_t bytes) {
  munmap(reinterpret_cast<void*>(address), bytes);
  RETURN;
}
Result cuMemAddressFree(std::uint64_t, std::size_t) { RETURN; }
Result cuMemRelease(std::uint64_t handle) {
  close(static_cast<int>(handle));
  RETURN;
}
Result cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  *address = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  RETURN;
}
Result cuMemHostRegister_v2(void*, std::size_t, unsigned) { RETURN; }
Result cuMemHostUnregister(void*) { RETURN; }
Result cuMemFree_v2(std::uint64_t address) {
  std::free(reinterpret_cast<void*>(address));
  RETURN;
}
Result cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  RETURN;
}
Result cuMemcpyPeer(std::uint64_t to, void*, std::uint64_t from, void*, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  RETURN;
}

}  // extern "C"
