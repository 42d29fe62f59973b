// Wrong: the flags transpose both factors, so the library computes A B. But it stores the result by columns, and C is
// stored by rows. The result has no flag.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    const float one = 1.0f;
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &one, a, lda, b, ldb, &one, c, ldc);
}
