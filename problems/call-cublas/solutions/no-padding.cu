// Wrong: the leading dimension is the distance of two rows in memory, not the number of elements in use. With k for lda,
// the second row begins in the padding of the first one.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    const float one = 1.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &one, c, n);
}
