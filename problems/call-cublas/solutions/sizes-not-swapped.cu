// Wrong: the operands are exchanged, but the sizes are not. The result that the library sees has n rows and m columns. With
// square matrices this would go unnoticed.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    const float one = 1.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, b, ldb, a, lda, &one, c, ldc);
}
