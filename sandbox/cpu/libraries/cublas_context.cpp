// Handles of cuBLAS, checks of arguments, and copies by vectors and matrices.
#include "cublas_context.h"

#include "../runtime/copies.h"
#include "../runtime/diagnostics.h"

namespace warpcourt::cpu {
namespace {

struct StatusText {
  cublasStatus_t status;
  const char* name;
  const char* text;
};

#define STATUS_TEXT(name, text) {name, #name, text}
constexpr StatusText kStatuses[] = {
    STATUS_TEXT(CUBLAS_STATUS_SUCCESS, "success"),
    STATUS_TEXT(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"),
    STATUS_TEXT(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed"),
    STATUS_TEXT(CUBLAS_STATUS_INVALID_VALUE, "an invalid value was used as an argument"),
    STATUS_TEXT(CUBLAS_STATUS_ARCH_MISMATCH, "an absent device architectural feature is required"),
    STATUS_TEXT(CUBLAS_STATUS_MAPPING_ERROR, "an access to GPU memory space failed"),
    STATUS_TEXT(CUBLAS_STATUS_EXECUTION_FAILED, "the GPU program failed to execute"),
    STATUS_TEXT(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed"),
    STATUS_TEXT(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported"),
};
#undef STATUS_TEXT

const StatusText& entry(cublasStatus_t status) {
  for (const StatusText& candidate : kStatuses) {
    if (candidate.status == status) return candidate;
  }
  static constexpr StatusText unknown = {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_UNKNOWN", "unknown error"};
  return unknown;
}

Place place(const void* base, int ld, int element_bytes) {
  return {static_cast<u8*>(const_cast<void*>(base)), static_cast<u64>(ld) * static_cast<u64>(element_bytes)};
}

cublasStatus_t copy_matrix(const char* call, int rows, int columns, int element_bytes, const void* from, int from_ld,
                           void* to, int to_ld, cudaMemcpyKind kind) {
  if (rows < 0 || columns < 0 || element_bytes <= 0 || from_ld < rows || to_ld < rows || from_ld <= 0 || to_ld <= 0) {
    return refuse_call(call, CUBLAS_STATUS_INVALID_VALUE,
                       "sizes must not be negative, and a leading dimension must be at least the number of rows");
  }
  const Extent extent{static_cast<u64>(rows) * static_cast<u64>(element_bytes), static_cast<u64>(columns)};
  const cudaError_t error = copy(call, place(to, to_ld, element_bytes), place(from, from_ld, element_bytes), extent, kind,
                                 In::synchronous());
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copy_vector(const char* call, int n, int element_bytes, const void* from, int from_stride, void* to,
                           int to_stride, cudaMemcpyKind kind) {
  if (from_stride <= 0 || to_stride <= 0) {
    return refuse_call(call, CUBLAS_STATUS_INVALID_VALUE, "strides must be positive");
  }
  if (from_stride == 1 && to_stride == 1) {
    return copy_matrix(call, n, 1, element_bytes, from, std::max(n, 1), to, std::max(n, 1), kind);
  }
  return copy_matrix(call, 1, n, element_bytes, from, from_stride, to, to_stride, kind);
}

cublasStatus_t lacks_handle(const char* call) {
  return refuse_call(call, CUBLAS_STATUS_NOT_INITIALIZED, "the handle was not created; call cublasCreate first");
}

template <class T>
cublasStatus_t set(const char* call, cublasHandle_t handle, T cublasContext::* member, T value) {
  if (!handle) return lacks_handle(call);
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t get(const char* call, cublasHandle_t handle, T cublasContext::* member, T* value) {
  if (!handle) return lacks_handle(call);
  if (!value) return refuse_call(call, CUBLAS_STATUS_INVALID_VALUE, "the pointer for the result is null");
  *value = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t refuse_call(const char* call, cublasStatus_t status, const std::string& why) {
  report({Severity::kError, "cuda_error", std::string(call) + ": " + why + " (" + entry(status).name + ")", {}});
  return status;
}

Arguments::Arguments(const char* call, cublasHandle_t handle) : call_(call) {
  if (!handle) status_ = lacks_handle(call);
}

Arguments& Arguments::fail(cublasStatus_t status, const std::string& why) {
  if (status_ == CUBLAS_STATUS_SUCCESS) status_ = refuse_call(call_, status, why);
  return *this;
}

Arguments& Arguments::size(const char* name, long long value) {
  return value >= 0 ? *this
                    : fail(CUBLAS_STATUS_INVALID_VALUE,
                           std::string(name) + " is " + std::to_string(value) + "; it must not be negative");
}

Arguments& Arguments::stride(const char* name, int value) {
  return value ? *this : fail(CUBLAS_STATUS_INVALID_VALUE, std::string(name) + " is 0; elements need a stride");
}

Arguments& Arguments::leading(const char* name, int ld, const char* matrix, int rows) {
  if (ld >= std::max(rows, 1)) return *this;
  return fail(CUBLAS_STATUS_INVALID_VALUE,
              std::string(name) + " is " + std::to_string(ld) + ", but " + matrix + " has " + std::to_string(rows) +
                  " rows in memory. cuBLAS stores matrices by columns, and " + name +
                  " is the distance of two columns: at least the number of rows");
}

Arguments& Arguments::pointer(const char* name, const void* value) {
  return value ? *this : fail(CUBLAS_STATUS_INVALID_VALUE, std::string(name) + " is a null pointer");
}

Arguments& Arguments::operation(const char* name, cublasOperation_t value) {
  return value >= CUBLAS_OP_N && value <= CUBLAS_OP_C
             ? *this
             : fail(CUBLAS_STATUS_INVALID_VALUE, std::string(name) + " must be CUBLAS_OP_N, CUBLAS_OP_T or CUBLAS_OP_C");
}

Arguments& Arguments::require(bool holds, const char* why, cublasStatus_t status) {
  return holds ? *this : fail(status, why);
}

cublasStatus_t run_in_stream(const char* call, cublasHandle_t handle, std::function<void()> work) {
  submit_library_work(call, handle->stream, std::move(work));
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return refuse_call("cublasCreate", CUBLAS_STATUS_NOT_INITIALIZED, "the pointer to the handle is null");
  *handle = new cublasContext;
  count_library_handle(1);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (!handle) return lacks_handle("cublasDestroy");
  cudaDeviceSynchronize();
  delete handle;
  count_library_handle(-1);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  if (!version) return refuse_call("cublasGetVersion", CUBLAS_STATUS_INVALID_VALUE, "the pointer for the result is null");
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return set("cublasSetStream", handle, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return get("cublasGetStream", handle, &cublasContext::stream, stream);
}
// Nothing here needs a workspace.
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, size_t) {
  if (!handle) return lacks_handle("cublasSetWorkspace");
  const bool aligned = reinterpret_cast<u64>(workspace) % 256 == 0;
  if (aligned) return CUBLAS_STATUS_SUCCESS;
  return refuse_call("cublasSetWorkspace", CUBLAS_STATUS_INVALID_VALUE, "the workspace must be aligned to 256 bytes");
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set("cublasSetPointerMode", handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get("cublasGetPointerMode", handle, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return set("cublasSetAtomicsMode", handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return get("cublasGetAtomicsMode", handle, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return set("cublasSetMathMode", handle, &cublasContext::math, mode);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return get("cublasGetMathMode", handle, &cublasContext::math, mode);
}
const char* cublasGetStatusName(cublasStatus_t status) { return entry(status).name; }
const char* cublasGetStatusString(cublasStatus_t status) { return entry(status).text; }

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* host, int host_stride, void* device,
                               int device_stride) {
  return copy_vector("cublasSetVector", n, element_bytes, host, host_stride, device, device_stride,
                     cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device, int device_stride, void* host,
                               int host_stride) {
  return copy_vector("cublasGetVector", n, element_bytes, device, device_stride, host, host_stride,
                     cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* host, int host_ld, void* device,
                               int device_ld) {
  return copy_matrix("cublasSetMatrix", rows, columns, element_bytes, host, host_ld, device, device_ld,
                     cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int device_ld, void* host,
                               int host_ld) {
  return copy_matrix("cublasGetMatrix", rows, columns, element_bytes, device, device_ld, host, host_ld,
                     cudaMemcpyDeviceToHost);
}

}  // extern "C"

}  // namespace warpcourt::cpu
