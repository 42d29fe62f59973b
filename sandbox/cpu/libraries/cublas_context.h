// What the calls of cuBLAS share: handles, refusals, and operands by columns.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "../runtime/library_work.h"
#include "../runtime/signals.h"
#include "include/cublas_v2.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace warpcourt::cpu {

// Says why, and returns the status. The status is all that a program learns of it on a GPU.
cublasStatus_t refuse_call(const char* call, cublasStatus_t status, const std::string& why);

// The checks of one call's arguments: the first that fails is told.
class Arguments {
 public:
  Arguments(const char* call, cublasHandle_t handle);
  Arguments& size(const char* name, long long value);
  Arguments& stride(const char* name, int value);      // of a vector: not zero
  // `ld` of a matrix that has `rows` rows in memory.
  Arguments& leading(const char* name, int ld, const char* matrix, int rows);
  Arguments& pointer(const char* name, const void* value);
  Arguments& operation(const char* name, cublasOperation_t value);
  Arguments& require(bool holds, const char* why, cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE);
  cublasStatus_t status() const { return status_; }

 private:
  Arguments& fail(cublasStatus_t status, const std::string& why);

  const char* call_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

// A scalar: host memory is read when the call is made, device memory when the operation runs.
template <class T>
class Factor {
 public:
  Factor(const char* call, cublasHandle_t handle, const char* name, const T* pointer) : call_(call), name_(name) {
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
      device_ = pointer;
    } else {
      InApiCall in_call(call);
      value_ = *pointer;
    }
  }
  T load() const {
    if (!device_) return value_;
    touch({call_, name_, device_, sizeof(T), {sizeof(T)}}, Access::kRead);
    return *device_;
  }

 private:
  const char* call_;
  const char* name_;
  T value_{};
  const T* device_ = nullptr;
};

// The elements of a vector. With a negative stride the first one is the last in memory.
template <class T>
struct Vector {
  T* base;
  int n;
  int stride;

  T& operator[](int i) const { return base[(stride < 0 ? static_cast<long long>(i) - n + 1 : i) * stride]; }
  void touch_as(Access access, const char* call, const char* name) const {
    const u64 step = static_cast<u64>(std::abs(static_cast<long long>(stride)));
    const u64 length = static_cast<u64>(n);
    const Extent extent = step == 1 ? Extent{length * sizeof(T)} : Extent{sizeof(T), length};
    touch({call, name, base, sizeof(T), extent, step * sizeof(T)}, access);
  }
};

// A matrix by columns.
template <class T>
struct Matrix {
  T* base;
  int rows;
  int columns;
  int ld;

  T& at(int row, int column) const { return base[row + static_cast<long long>(column) * ld]; }
  void touch_as(Access access, const char* call, const char* name) const {
    const Extent extent{static_cast<u64>(rows) * sizeof(T), static_cast<u64>(columns)};
    touch({call, name, base, sizeof(T), extent, static_cast<u64>(ld) * sizeof(T)}, access);
  }
  // Its upper or lower triangle, with or without the diagonal.
  void touch_triangle(bool upper, bool diagonal, Access access, const char* call, const char* name) const {
    for (int column = 0; column < columns; ++column) {
      const int first = upper ? 0 : column + !diagonal, end = upper ? column + diagonal : rows;
      const Extent extent{static_cast<u64>(std::max(end - first, 0)) * sizeof(T)};
      touch({call, name, &at(first, column), sizeof(T), extent}, access);
    }
  }
};

cublasStatus_t run_in_stream(const char* call, cublasHandle_t handle, std::function<void()> work);

// Runs an operation with one result: in device memory, or in host memory, for which the host waits.
template <class T>
cublasStatus_t run_for_result(const char* call, cublasHandle_t handle, T* result, std::function<T()> work) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
    return run_in_stream(call, handle, [=] {
      touch({call, "result", result, sizeof(T), {sizeof(T)}}, Access::kWrite);
      *result = work();
    });
  }
  const auto kept = std::make_shared<T>();
  submit_library_work(call, handle->stream, [=] { *kept = work(); }, true);
  InApiCall in_call(call);
  *result = *kept;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace warpcourt::cpu
