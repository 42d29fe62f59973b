// Operations of cuBLAS on matrices other than the general product: with vectors, diagonals, symmetric and triangular
// matrices. Sums are made in double precision.
#include <vector>

#include "cublas_context.h"

namespace warpcourt::cpu {
namespace {

bool ends(cublasStatus_t status, int m, int n) { return status != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0; }

bool is_fill(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }
bool is_side(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT; }
constexpr const char* kBadFill = "uplo must be CUBLAS_FILL_MODE_LOWER or CUBLAS_FILL_MODE_UPPER";
constexpr const char* kBadSide = "the side must be CUBLAS_SIDE_LEFT or CUBLAS_SIDE_RIGHT";

// alpha * sum + beta * old, which is read only if it counts.
template <class T>
void update(T& out, T alpha, double sum, T beta) {
  const double kept = beta == T{} ? 0 : static_cast<double>(beta) * out;
  out = static_cast<T>(static_cast<double>(alpha) * sum + kept);
}

// The element of a symmetric matrix of which one triangle is stored.
template <class T>
T symmetric(const Matrix<const T>& a, bool upper, int i, int j) {
  return (i < j) == upper ? a.at(i, j) : a.at(j, i);
}

template <class T>
void touch_output(const T& out, bool reads, const char* call, const char* name) {
  if (reads) out.touch_as(Access::kRead, call, name);
  out.touch_as(Access::kWrite, call, name);
}

template <class T>
cublasStatus_t gemv(const char* call, cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,
                    const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const cublasStatus_t status = Arguments(call, handle)
                                    .operation("trans", trans)
                                    .size("m", m)
                                    .size("n", n)
                                    .leading("lda", lda, "A", m)
                                    .stride("incx", incx)
                                    .stride("incy", incy)
                                    .pointer("alpha", alpha)
                                    .pointer("beta", beta)
                                    .status();
  if (ends(status, m, n)) return status;
  const Factor<T> left(call, handle, "alpha", alpha), right(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const T scale = left.load(), keep = right.load();
    const bool plain = trans == CUBLAS_OP_N;
    const Matrix<const T> a{A, m, n, lda};
    const Vector<const T> in{x, plain ? n : m, incx};
    const Vector<T> out{y, plain ? m : n, incy};
    a.touch_as(Access::kRead, call, "A");
    in.touch_as(Access::kRead, call, "x");
    touch_output(out, keep != T{}, call, "y");
    std::vector<double> sums(static_cast<std::size_t>(out.n));
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        const int to = plain ? i : j, from = plain ? j : i;
        sums[static_cast<std::size_t>(to)] += static_cast<double>(a.at(i, j)) * in[from];
      }
    }
    for (int i = 0; i < out.n; ++i) update(out[i], scale, sums[static_cast<std::size_t>(i)], keep);
  });
}

template <class T>
cublasStatus_t symv(const char* call, cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_fill(uplo), kBadFill)
                                    .size("n", n)
                                    .leading("lda", lda, "A", n)
                                    .stride("incx", incx)
                                    .stride("incy", incy)
                                    .pointer("alpha", alpha)
                                    .pointer("beta", beta)
                                    .status();
  if (ends(status, n, n)) return status;
  const Factor<T> left(call, handle, "alpha", alpha), right(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const T scale = left.load(), keep = right.load();
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const Matrix<const T> a{A, n, n, lda};
    const Vector<const T> in{x, n, incx};
    const Vector<T> out{y, n, incy};
    a.touch_triangle(upper, true, Access::kRead, call, "A");
    in.touch_as(Access::kRead, call, "x");
    touch_output(out, keep != T{}, call, "y");
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += static_cast<double>(symmetric(a, upper, i, j)) * in[j];
      update(out[i], scale, sum, keep);
    }
  });
}

template <class T>
cublasStatus_t ger(const char* call, cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,
                   const T* y, int incy, T* A, int lda) {
  const cublasStatus_t status = Arguments(call, handle)
                                    .size("m", m)
                                    .size("n", n)
                                    .stride("incx", incx)
                                    .stride("incy", incy)
                                    .leading("lda", lda, "A", m)
                                    .pointer("alpha", alpha)
                                    .status();
  if (ends(status, m, n)) return status;
  const Factor<T> factor(call, handle, "alpha", alpha);
  return run_in_stream(call, handle, [=] {
    const T scale = factor.load();
    const Vector<const T> left{x, m, incx}, right{y, n, incy};
    const Matrix<T> out{A, m, n, lda};
    left.touch_as(Access::kRead, call, "x");
    right.touch_as(Access::kRead, call, "y");
    touch_output(out, true, call, "A");
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) out.at(i, j) += scale * left[i] * right[j];
    }
  });
}

template <class T>
cublasStatus_t geam(const char* call, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                    int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {
  const bool plain_a = transa == CUBLAS_OP_N, plain_b = transb == CUBLAS_OP_N;
  const cublasStatus_t status =
      Arguments(call, handle)
          .operation("transa", transa)
          .operation("transb", transb)
          .size("m", m)
          .size("n", n)
          .leading("lda", lda, "A", plain_a ? m : n)
          .leading("ldb", ldb, "B", plain_b ? m : n)
          .leading("ldc", ldc, "C", m)
          .pointer("alpha", alpha)
          .pointer("beta", beta)
          .require(C != A || (plain_a && lda == ldc), "C may be A only if A is not transposed and lda equals ldc")
          .require(C != B || (plain_b && ldb == ldc), "C may be B only if B is not transposed and ldb equals ldc")
          .status();
  if (ends(status, m, n)) return status;
  const Factor<T> left(call, handle, "alpha", alpha), right(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const T scale_a = left.load(), scale_b = right.load();
    const Matrix<const T> a{A, plain_a ? m : n, plain_a ? n : m, lda}, b{B, plain_b ? m : n, plain_b ? n : m, ldb};
    const Matrix<T> c{C, m, n, ldc};
    if (scale_a != T{}) a.touch_as(Access::kRead, call, "A");
    if (scale_b != T{}) b.touch_as(Access::kRead, call, "B");
    c.touch_as(Access::kWrite, call, "C");
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        T sum{};
        if (scale_a != T{}) sum += scale_a * (plain_a ? a.at(i, j) : a.at(j, i));
        if (scale_b != T{}) sum += scale_b * (plain_b ? b.at(i, j) : b.at(j, i));
        c.at(i, j) = sum;
      }
    }
  });
}

template <class T>
cublasStatus_t dgmm(const char* call, cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* A, int lda,
                    const T* x, int incx, T* C, int ldc) {
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_side(side), kBadSide)
                                    .size("m", m)
                                    .size("n", n)
                                    .leading("lda", lda, "A", m)
                                    .leading("ldc", ldc, "C", m)
                                    .status();
  if (ends(status, m, n)) return status;
  return run_in_stream(call, handle, [=] {
    const bool left = side == CUBLAS_SIDE_LEFT;
    const Matrix<const T> a{A, m, n, lda};
    const Vector<const T> diagonal{x, left ? m : n, incx};
    const Matrix<T> c{C, m, n, ldc};
    a.touch_as(Access::kRead, call, "A");
    diagonal.touch_as(Access::kRead, call, "x");
    c.touch_as(Access::kWrite, call, "C");
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) c.at(i, j) = a.at(i, j) * diagonal[left ? i : j];
    }
  });
}

template <class T>
cublasStatus_t symm(const char* call, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int order = left ? m : n;
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_side(side), kBadSide)
                                    .require(is_fill(uplo), kBadFill)
                                    .size("m", m)
                                    .size("n", n)
                                    .leading("lda", lda, "A", order)
                                    .leading("ldb", ldb, "B", m)
                                    .leading("ldc", ldc, "C", m)
                                    .pointer("alpha", alpha)
                                    .pointer("beta", beta)
                                    .status();
  if (ends(status, m, n)) return status;
  const Factor<T> scale(call, handle, "alpha", alpha), keep(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const T factor = scale.load(), kept = keep.load();
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const Matrix<const T> a{A, order, order, lda}, b{B, m, n, ldb};
    const Matrix<T> c{C, m, n, ldc};
    a.touch_triangle(upper, true, Access::kRead, call, "A");
    b.touch_as(Access::kRead, call, "B");
    touch_output(c, kept != T{}, call, "C");
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int l = 0; l < order; ++l) {
          sum += left ? static_cast<double>(symmetric(a, upper, i, l)) * b.at(l, j)
                      : static_cast<double>(b.at(i, l)) * symmetric(a, upper, l, j);
        }
        update(c.at(i, j), factor, sum, kept);
      }
    }
  });
}

template <class T>
cublasStatus_t syrk(const char* call, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,
                    int k, const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) {
  const bool plain = trans == CUBLAS_OP_N;
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_fill(uplo), kBadFill)
                                    .operation("trans", trans)
                                    .size("n", n)
                                    .size("k", k)
                                    .leading("lda", lda, "A", plain ? n : k)
                                    .leading("ldc", ldc, "C", n)
                                    .pointer("alpha", alpha)
                                    .pointer("beta", beta)
                                    .status();
  if (ends(status, n, n)) return status;
  const Factor<T> scale(call, handle, "alpha", alpha), keep(call, handle, "beta", beta);
  return run_in_stream(call, handle, [=] {
    const T factor = scale.load(), kept = keep.load();
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const Matrix<const T> a{A, plain ? n : k, plain ? k : n, lda};
    const Matrix<T> c{C, n, n, ldc};
    a.touch_as(Access::kRead, call, "A");
    if (kept != T{}) c.touch_triangle(upper, true, Access::kRead, call, "C");
    c.touch_triangle(upper, true, Access::kWrite, call, "C");
    for (int j = 0; j < n; ++j) {
      for (int i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
        double sum = 0;
        for (int l = 0; l < k; ++l) {
          sum += plain ? static_cast<double>(a.at(i, l)) * a.at(j, l) : static_cast<double>(a.at(l, i)) * a.at(l, j);
        }
        update(c.at(i, j), factor, sum, kept);
      }
    }
  });
}

// A triangular matrix as it is meant: transposed or not, with ones on the diagonal or not.
template <class T>
struct Triangle {
  Matrix<const T> a;
  bool upper, transposed, unit;

  int order() const { return a.rows; }
  // Whether unknowns are found from the last one on.
  bool backwards() const { return upper != transposed; }
  double at(int i, int j) const { return transposed ? a.at(j, i) : a.at(i, j); }
  void touch_as_read(const char* call) const { a.touch_triangle(upper, !unit, Access::kRead, call, "A"); }

  // Solves for the unknowns in place: `x(i)` is a reference to the i-th.
  template <class X>
  void solve(X x) const {
    const int n = order();
    for (int step = 0; step < n; ++step) {
      const int i = backwards() ? n - 1 - step : step;
      double sum = x(i);
      for (int j = backwards() ? i + 1 : 0; j < (backwards() ? n : i); ++j) sum -= at(i, j) * x(j);
      x(i) = static_cast<T>(unit ? sum : sum / at(i, i));
    }
  }
};

template <class T>
Triangle<T> triangle(const T* A, int n, int lda, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag) {
  return {{A, n, n, lda}, uplo == CUBLAS_FILL_MODE_UPPER, trans != CUBLAS_OP_N, diag == CUBLAS_DIAG_UNIT};
}

template <class T>
cublasStatus_t trsv(const char* call, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_fill(uplo), kBadFill)
                                    .operation("trans", trans)
                                    .size("n", n)
                                    .leading("lda", lda, "A", n)
                                    .stride("incx", incx)
                                    .status();
  if (ends(status, n, n)) return status;
  return run_in_stream(call, handle, [=] {
    const Triangle<T> a = triangle(A, n, lda, uplo, trans, diag);
    const Vector<T> out{x, n, incx};
    a.touch_as_read(call);
    touch_output(out, true, call, "x");
    a.solve([&](int i) -> T& { return out[i]; });
  });
}

template <class T>
cublasStatus_t trsm(const char* call, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha, const T* A, int lda,
                    T* B, int ldb) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const cublasStatus_t status = Arguments(call, handle)
                                    .require(is_side(side), kBadSide)
                                    .require(is_fill(uplo), kBadFill)
                                    .operation("trans", trans)
                                    .size("m", m)
                                    .size("n", n)
                                    .leading("lda", lda, "A", left ? m : n)
                                    .leading("ldb", ldb, "B", m)
                                    .pointer("alpha", alpha)
                                    .status();
  if (ends(status, m, n)) return status;
  const Factor<T> factor(call, handle, "alpha", alpha);
  return run_in_stream(call, handle, [=] {
    const T scale = factor.load();
    Triangle<T> a = triangle(A, left ? m : n, lda, uplo, trans, diag);
    const Matrix<T> b{B, m, n, ldb};
    a.touch_as_read(call);
    touch_output(b, true, call, "B");
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) b.at(i, j) *= scale;
    }
    // X op(A) = B is op(A)^T X^T = B^T: the rows of B are solved for instead of its columns.
    if (!left) a.transposed = !a.transposed;
    for (int line = 0; line < (left ? n : m); ++line) {
      a.solve([&](int i) -> T& { return left ? b.at(i, line) : b.at(line, i); });
    }
  });
}

}  // namespace

extern "C" {

#define REAL(P, T)                                                                                                     \
  cublasStatus_t cublas##P##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,         \
                                 const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy) {           \
    return gemv("cublas" #P "gemv", handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);                       \
  }                                                                                                                    \
  cublasStatus_t cublas##P##symv(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A,      \
                                 int lda, const T* x, int incx, const T* beta, T* y, int incy) {                       \
    return symv("cublas" #P "symv", handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy);                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                int incy, T* A, int lda) {                                                             \
    return ger("cublas" #P "ger", handle, m, n, alpha, x, incx, y, incy, A, lda);                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                \
                                 cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {                  \
    return trsv("cublas" #P "trsv", handle, uplo, trans, diag, n, A, lda, x, incx);                                    \
  }                                                                                                                    \
  cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,     \
                                 int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, \
                                 int ldc) {                                                                            \
    return geam("cublas" #P "geam", handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);                \
  }                                                                                                                    \
  cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* A, int lda,      \
                                 const T* x, int incx, T* C, int ldc) {                                                \
    return dgmm("cublas" #P "dgmm", handle, side, m, n, A, lda, x, incx, C, ldc);                                      \
  }                                                                                                                    \
  cublasStatus_t cublas##P##symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,    \
                                 const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,        \
                                 int ldc) {                                                                            \
    return symm("cublas" #P "symm", handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);                    \
  }                                                                                                                    \
  cublasStatus_t cublas##P##syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,  \
                                 const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) {                  \
    return syrk("cublas" #P "syrk", handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);                           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                  \
                                 cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,         \
                                 const T* A, int lda, T* B, int ldb) {                                                 \
    return trsm("cublas" #P "trsm", handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb);                     \
  }
REAL(S, float)
REAL(D, double)
#undef REAL

}  // extern "C"

}  // namespace warpcourt::cpu
