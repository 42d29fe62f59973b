// Matrix products of cuBLAS, in all their shapes: single, in batches, of mixed precision.
//
// Factors are rounded as the math mode or the compute type says, products are summed in the precision of the compute
// type in the order of k. A GPU sums in another order.
#include <complex>
#include <type_traits>
#include <vector>

#include "cublas_context.h"
#include "rounding.h"

namespace warpcourt::cpu {
namespace {

constexpr int kHalfSteps = 16;  // products between two roundings of a sum in half precision, as in a tensor core
constexpr int kRows = 256;      // of a block of C, whose sums stay in the cache
constexpr int kColumns = 4;

template <class T>
struct Batch {  // of matrices: one after the other at a distance, or by an array of pointers
  T* base = nullptr;
  long long distance = 0;
  T* const* pointers = nullptr;

  T* get(int i) const { return pointers ? pointers[i] : base + i * distance; }
  void touch_pointers(int count, const char* call, const char* name) const {
    if (pointers) touch({call, name, pointers, sizeof(T*), {static_cast<u64>(count) * sizeof(T*)}}, Access::kRead);
  }
};

struct Shape {
  cublasOperation_t op_a, op_b;
  int m, n, k;
  int lda, ldb, ldc;
  int batches = 1;
};

cublasStatus_t check(const char* call, cublasHandle_t handle, const Shape& s, const void* alpha, const void* beta) {
  return Arguments(call, handle)
      .operation("transa", s.op_a)
      .operation("transb", s.op_b)
      .size("m", s.m)
      .size("n", s.n)
      .size("k", s.k)
      .size("batchCount", s.batches)
      .leading("lda", s.lda, "A", s.op_a == CUBLAS_OP_N ? s.m : s.k)
      .leading("ldb", s.ldb, "B", s.op_b == CUBLAS_OP_N ? s.k : s.n)
      .leading("ldc", s.ldc, "C", s.m)
      .pointer("alpha", alpha)
      .pointer("beta", beta)
      .status();
}

// op(X) by columns, rounded and in the type of the sum.
template <class Sum, class In>
std::vector<Sum> packed(const Matrix<const In>& x, cublasOperation_t op, Rounding rounding) {
  const int rows = op == CUBLAS_OP_N ? x.rows : x.columns, columns = op == CUBLAS_OP_N ? x.columns : x.rows;
  std::vector<Sum> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  Sum* to = out.data();
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      Sum value = widened<Sum>(op == CUBLAS_OP_N ? x.at(i, j) : x.at(j, i));
      if constexpr (!std::is_arithmetic_v<Sum>) {
        if (op == CUBLAS_OP_C) value = std::conj(value);
      }
      *to++ = rounded_to(value, rounding);
    }
  }
  return out;
}

// sums[c][r] += a[r, l] * b[l, c] for `columns` columns.
template <class Sum>
void add_products(const Sum* a, int lda, const Sum* b, int ldb, int rows, int columns, int first, int end,
                  Sum (*sums)[kRows]) {
  for (int l = first; l < end; ++l) {
    const Sum* column = a + static_cast<long long>(l) * lda;
    for (int c = 0; c < columns; ++c) {
      const Sum factor = b[l + static_cast<long long>(c) * ldb];
      for (int r = 0; r < rows; ++r) sums[c][r] += multiplied(column[r], factor);
    }
  }
}

template <class Sum, class In, class Out>
void multiply(const char* call, const Shape& s, Arithmetic arithmetic, Sum alpha, Sum beta, const In* a_base,
              const In* b_base, Out* c_base) {
  const bool plain_a = s.op_a == CUBLAS_OP_N, plain_b = s.op_b == CUBLAS_OP_N;
  const Matrix<const In> a{a_base, plain_a ? s.m : s.k, plain_a ? s.k : s.m, s.lda};
  const Matrix<const In> b{b_base, plain_b ? s.k : s.n, plain_b ? s.n : s.k, s.ldb};
  const Matrix<Out> c{c_base, s.m, s.n, s.ldc};
  const bool multiplies = s.k && alpha != Sum{};
  if (multiplies) a.touch_as(Access::kRead, call, "A");
  if (multiplies) b.touch_as(Access::kRead, call, "B");
  if (beta != Sum{}) c.touch_as(Access::kRead, call, "C");
  c.touch_as(Access::kWrite, call, "C");
  const std::vector<Sum> left = multiplies ? packed<Sum>(a, s.op_a, arithmetic.factors) : std::vector<Sum>{};
  const std::vector<Sum> right = multiplies ? packed<Sum>(b, s.op_b, arithmetic.factors) : std::vector<Sum>{};
  const bool half = arithmetic.sums == Rounding::kHalf;
  for (int row = 0; row < s.m; row += kRows) {
    const int rows = std::min(kRows, s.m - row);
    for (int column = 0; column < s.n; column += kColumns) {
      const int columns = std::min(kColumns, s.n - column);
      Sum sums[kColumns][kRows] = {};
      for (int l = 0; multiplies && l < s.k; l += half ? kHalfSteps : s.k) {
        add_products(left.data() + row, s.m, right.data() + static_cast<long long>(column) * s.k, s.k, rows, columns, l,
                     half ? std::min(l + kHalfSteps, s.k) : s.k, sums);
        for (int c = 0; half && c < columns; ++c) {
          for (int r = 0; r < rows; ++r) sums[c][r] = rounded_to(sums[c][r], Rounding::kHalf);
        }
      }
      for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
          Out& out = c.at(row + i, column + j);
          Sum value = alpha * sums[j][i];
          if (beta != Sum{}) value += beta * widened<Sum>(out);
          out = narrowed<Out>(value);
        }
      }
    }
  }
}

template <class Sum, class Scale, class In, class Out>
cublasStatus_t product(const char* call, cublasHandle_t handle, const Shape& s, Arithmetic arithmetic,
                       const Scale* alpha, const Scale* beta, Batch<const In> a, Batch<const In> b, Batch<Out> c) {
  const cublasStatus_t status = check(call, handle, s, alpha, beta);
  if (status != CUBLAS_STATUS_SUCCESS || !s.m || !s.n || !s.batches) return status;
  const Factor<Scale> left(call, handle, "alpha", alpha), right(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const Sum scale = widened<Sum>(left.load()), keep = widened<Sum>(right.load());
    a.touch_pointers(s.batches, call, "Aarray");
    b.touch_pointers(s.batches, call, "Barray");
    c.touch_pointers(s.batches, call, "Carray");
    for (int i = 0; i < s.batches; ++i) multiply<Sum>(call, s, arithmetic, scale, keep, a.get(i), b.get(i), c.get(i));
  });
}

constexpr Arithmetic kHalfSums = {Rounding::kNone, Rounding::kHalf};

Arithmetic usual(cublasHandle_t handle) {
  constexpr int kFlags = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  const bool tf32 = handle && (handle->math & ~kFlags) == CUBLAS_TF32_TENSOR_OP_MATH;
  return {tf32 ? Rounding::kTf32 : Rounding::kNone, Rounding::kNone};
}

// The matrices of a call whose types are arguments. Distances are in elements, whatever their type.
struct Typed {
  Batch<const void> a, b;
  Batch<void> c;
  cudaDataType a_type, b_type, c_type;
  cublasComputeType_t compute;
};

template <class T, class V>
Batch<T> as(const Batch<V>& batch) {
  return {static_cast<T*>(batch.base), batch.distance, reinterpret_cast<T* const*>(batch.pointers)};
}

template <class Sum, class In, class Out, class Scale = Sum>
cublasStatus_t typed(const char* call, cublasHandle_t handle, const Shape& s, Arithmetic arithmetic, const void* alpha,
                     const void* beta, const Typed& t) {
  return product<Sum>(call, handle, s, arithmetic, static_cast<const Scale*>(alpha), static_cast<const Scale*>(beta),
                      as<const In>(t.a), as<const In>(t.b), as<Out>(t.c));
}

cublasStatus_t by_types(const char* call, cublasHandle_t handle, const Shape& s, const void* alpha, const void* beta,
                        const Typed& t) {
  const auto types = [&](cudaDataType in, cudaDataType out) {
    return t.a_type == in && t.b_type == in && t.c_type == out;
  };
  const auto pass = [&]<class Sum, class In, class Out>(Arithmetic arithmetic) {
    return typed<Sum, In, Out>(call, handle, s, arithmetic, alpha, beta, t);
  };
  Arithmetic arithmetic = usual(handle);
  switch (t.compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      if (!types(CUDA_R_16F, CUDA_R_16F)) break;
      return typed<float, __half, __half, __half>(call, handle, s, kHalfSums, alpha, beta, t);
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F:
      if (t.compute == CUBLAS_COMPUTE_32F_PEDANTIC) arithmetic.factors = Rounding::kNone;
      if (types(CUDA_R_32F, CUDA_R_32F)) return pass.template operator()<float, float, float>(arithmetic);
      if (types(CUDA_R_16F, CUDA_R_16F)) return pass.template operator()<float, __half, __half>({});
      if (types(CUDA_R_16F, CUDA_R_32F)) return pass.template operator()<float, __half, float>({});
      if (types(CUDA_R_16BF, CUDA_R_16BF)) return pass.template operator()<float, __nv_bfloat16, __nv_bfloat16>({});
      if (types(CUDA_R_16BF, CUDA_R_32F)) return pass.template operator()<float, __nv_bfloat16, float>({});
      break;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      arithmetic.factors = t.compute == CUBLAS_COMPUTE_32F_FAST_16F    ? Rounding::kHalf
                           : t.compute == CUBLAS_COMPUTE_32F_FAST_16BF ? Rounding::kBfloat16
                                                                       : Rounding::kTf32;
      if (types(CUDA_R_32F, CUDA_R_32F)) return pass.template operator()<float, float, float>(arithmetic);
      break;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      if (types(CUDA_R_64F, CUDA_R_64F)) return pass.template operator()<double, double, double>({});
      break;
    default: break;
  }
  return refuse_call(call, CUBLAS_STATUS_NOT_SUPPORTED,
                     "functional mode has no product of these types with this compute type; see the list of library "
                     "calls in the documentation");
}

}  // namespace

extern "C" {

#define PRODUCT(P, T, SUM, ARITHMETIC)                                                                                 \
  cublasStatus_t cublas##P##gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,     \
                                 int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb,               \
                                 const T* beta, T* C, int ldc) {                                                       \
    return product<SUM>("cublas" #P "gemm", handle, {transa, transb, m, n, k, lda, ldb, ldc}, ARITHMETIC, alpha,       \
                        beta, Batch<const T>{A}, Batch<const T>{B}, Batch<T>{C});                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmStridedBatched(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T* alpha,  \
      const T* A, int lda, long long strideA, const T* B, int ldb, long long strideB, const T* beta, T* C, int ldc,    \
      long long strideC, int batchCount) {                                                                             \
    return product<SUM>("cublas" #P "gemmStridedBatched", handle,                                                      \
                        {transa, transb, m, n, k, lda, ldb, ldc, batchCount}, ARITHMETIC, alpha, beta,                 \
                        Batch<const T>{A, strideA}, Batch<const T>{B, strideB}, Batch<T>{C, strideC});                 \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,     \
                                        int m, int n, int k, const T* alpha, const T* const Aarray[], int lda,         \
                                        const T* const Barray[], int ldb, const T* beta, T* const Carray[], int ldc,   \
                                        int batchCount) {                                                              \
    return product<SUM>("cublas" #P "gemmBatched", handle, {transa, transb, m, n, k, lda, ldb, ldc, batchCount},       \
                        ARITHMETIC, alpha, beta, Batch<const T>{nullptr, 0, Aarray},                                   \
                        Batch<const T>{nullptr, 0, Barray}, Batch<T>{nullptr, 0, Carray});                             \
  }
PRODUCT(S, float, float, usual(handle))
PRODUCT(D, double, double, Arithmetic{})
PRODUCT(C, cuComplex, std::complex<float>, usual(handle))
PRODUCT(Z, cuDoubleComplex, std::complex<double>, Arithmetic{})
PRODUCT(H, __half, float, kHalfSums)
#undef PRODUCT

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                            cudaDataType Btype, int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t) {
  return by_types("cublasGemmEx", handle, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta,
                  {{A}, {B}, {C}, Atype, Btype, Ctype, computeType});
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType Atype,
                                          int lda, long long strideA, const void* B, cudaDataType Btype, int ldb,
                                          long long strideB, const void* beta, void* C, cudaDataType Ctype, int ldc,
                                          long long strideC, int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t) {
  return by_types("cublasGemmStridedBatchedEx", handle, {transa, transb, m, n, k, lda, ldb, ldc, batchCount}, alpha,
                  beta, {{A, strideA}, {B, strideB}, {C, strideC}, Atype, Btype, Ctype, computeType});
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* const Aarray[], cudaDataType Atype,
                                   int lda, const void* const Barray[], cudaDataType Btype, int ldb, const void* beta,
                                   void* const Carray[], cudaDataType Ctype, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t) {
  return by_types("cublasGemmBatchedEx", handle, {transa, transb, m, n, k, lda, ldb, ldc, batchCount}, alpha, beta,
                  {{nullptr, 0, Aarray}, {nullptr, 0, Barray}, {nullptr, 0, Carray}, Atype, Btype, Ctype, computeType});
}

}  // extern "C"

}  // namespace warpcourt::cpu
