// Operations of cuBLAS on vectors. Sums are made in double precision.
#include <cmath>

#include "cublas_context.h"

namespace warpcourt::cpu {
namespace {

template <class T>
cublasStatus_t axpy(const char* call, cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,
                    int incy) {
  const cublasStatus_t status = Arguments(call, handle).pointer("alpha", alpha).status();
  if (status != CUBLAS_STATUS_SUCCESS || n < 1) return status;
  const Factor<T> factor(call, handle, "alpha", alpha);
  return run_in_stream(call, handle, [=] {
    const Vector<const T> in{x, n, incx};
    const Vector<T> out{y, n, incy};
    const T scale = factor.load();
    in.touch_as(Access::kRead, call, "x");
    out.touch_as(Access::kRead, call, "y");
    out.touch_as(Access::kWrite, call, "y");
    for (int i = 0; i < n; ++i) out[i] = std::fma(scale, in[i], out[i]);
  });
}

template <class T>
cublasStatus_t scal(const char* call, cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
  const cublasStatus_t status = Arguments(call, handle).pointer("alpha", alpha).status();
  if (status != CUBLAS_STATUS_SUCCESS || n < 1) return status;
  const Factor<T> factor(call, handle, "alpha", alpha);
  return run_in_stream(call, handle, [=] {
    const Vector<T> out{x, n, incx};
    const T scale = factor.load();
    out.touch_as(Access::kRead, call, "x");
    out.touch_as(Access::kWrite, call, "x");
    for (int i = 0; i < n; ++i) out[i] *= scale;
  });
}

template <class T>
cublasStatus_t copy_or_swap(const char* call, cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, bool swaps) {
  const cublasStatus_t status = Arguments(call, handle).status();
  if (status != CUBLAS_STATUS_SUCCESS || n < 1) return status;
  return run_in_stream(call, handle, [=] {
    const Vector<T> from{x, n, incx}, to{y, n, incy};
    from.touch_as(Access::kRead, call, "x");
    if (swaps) from.touch_as(Access::kWrite, call, "x");
    if (swaps) to.touch_as(Access::kRead, call, "y");
    to.touch_as(Access::kWrite, call, "y");
    for (int i = 0; i < n; ++i) {
      const T old = to[i];
      to[i] = from[i];
      if (swaps) from[i] = old;
    }
  });
}

template <class T>
cublasStatus_t dot(const char* call, cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,
                   T* result) {
  const cublasStatus_t status = Arguments(call, handle).pointer("result", result).status();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return run_for_result<T>(call, handle, result, [=] {
    const Vector<const T> a{x, std::max(n, 0), incx}, b{y, std::max(n, 0), incy};
    a.touch_as(Access::kRead, call, "x");
    b.touch_as(Access::kRead, call, "y");
    double sum = 0;
    for (int i = 0; i < a.n; ++i) sum += static_cast<double>(a[i]) * b[i];
    return static_cast<T>(sum);
  });
}

// A fold of a vector takes one that runs backwards for empty, as in the BLAS.
int elements(int n, int stride) { return stride > 0 ? std::max(n, 0) : 0; }

// Folds the absolute values of a vector.
template <class T, class R, class Fold, class End>
cublasStatus_t fold(const char* call, cublasHandle_t handle, int n, const T* x, int incx, R* result, Fold each, End end) {
  const cublasStatus_t status = Arguments(call, handle).pointer("result", result).status();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return run_for_result<R>(call, handle, result, [=] {
    const Vector<const T> in{x, elements(n, incx), incx};
    in.touch_as(Access::kRead, call, "x");
    double folded = 0;
    for (int i = 0; i < in.n; ++i) folded = each(folded, std::abs(static_cast<double>(in[i])));
    return static_cast<R>(end(folded));
  });
}

template <class T>
cublasStatus_t nrm2(const char* call, cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  return fold(call, handle, n, x, incx, result, [](double sum, double v) { return std::hypot(sum, v); },
              [](double norm) { return norm; });
}

template <class T>
cublasStatus_t asum(const char* call, cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  return fold(call, handle, n, x, incx, result, [](double sum, double v) { return sum + v; },
              [](double sum) { return sum; });
}

// The place, from 1, of the first element with the largest or smallest absolute value; 0 without elements.
template <class T>
cublasStatus_t extreme(const char* call, cublasHandle_t handle, int n, const T* x, int incx, int* result, bool largest) {
  const cublasStatus_t status = Arguments(call, handle).pointer("result", result).status();
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return run_for_result<int>(call, handle, result, [=] {
    const Vector<const T> in{x, elements(n, incx), incx};
    in.touch_as(Access::kRead, call, "x");
    int found = 0;
    for (int i = 1; i < in.n; ++i) {
      const T value = std::abs(in[i]), best = std::abs(in[found]);
      if (largest ? value > best : value < best) found = i;
    }
    return in.n ? found + 1 : 0;
  });
}

}  // namespace

extern "C" {

#define REAL(P, I, T)                                                                                                  \
  cublasStatus_t cublas##P##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) { \
    return axpy("cublas" #P "axpy", handle, n, alpha, x, incx, y, incy);                                               \
  }                                                                                                                    \
  cublasStatus_t cublas##P##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {                       \
    return scal("cublas" #P "scal", handle, n, alpha, x, incx);                                                        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {                 \
    return copy_or_swap("cublas" #P "copy", handle, n, const_cast<T*>(x), incx, y, incy, false);                       \
  }                                                                                                                    \
  cublasStatus_t cublas##P##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {                       \
    return copy_or_swap("cublas" #P "swap", handle, n, x, incx, y, incy, true);                                        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) { \
    return dot("cublas" #P "dot", handle, n, x, incx, y, incy, result);                                                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                      \
    return nrm2("cublas" #P "nrm2", handle, n, x, incx, result);                                                       \
  }                                                                                                                    \
  cublasStatus_t cublas##P##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                      \
    return asum("cublas" #P "asum", handle, n, x, incx, result);                                                       \
  }                                                                                                                    \
  cublasStatus_t cublasI##I##amax(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                   \
    return extreme("cublasI" #I "amax", handle, n, x, incx, result, true);                                             \
  }                                                                                                                    \
  cublasStatus_t cublasI##I##amin(cublasHandle_t handle, int n, const T* x, int incx, int* result) {                   \
    return extreme("cublasI" #I "amin", handle, n, x, incx, result, false);                                            \
  }
REAL(S, s, float)
REAL(D, d, double)
#undef REAL

}  // extern "C"

}  // namespace warpcourt::cpu
