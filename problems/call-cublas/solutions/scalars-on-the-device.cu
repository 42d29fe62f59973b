// Wrong: the pointer mode says that alpha and beta are in device memory, but they are on the stack of the host. A GPU
// reads them when the product runs, and must not reach them.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    const float one = 1.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, ldb, a, lda, &one, c, ldc);
}
